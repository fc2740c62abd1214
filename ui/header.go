package ui

import (
	"strings"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui/cell"
)

// parts is a line made of pieces, each with its width, so that what does not fit is left out whole.
type parts struct {
	b     strings.Builder
	width int
}

func (p *parts) add(text string, style cell.Style) {
	p.b.WriteString(style.On(text))
	p.width += cell.Width(text)
}

// fits says whether text fits into room cells beside what is there.
func (p *parts) fits(text string, room int) bool { return p.width+cell.Width(text) <= room }

// header is the first line: what is looked at, on which server, how, and how fresh it is.
func (m *Model) header() string {
	d, t := m.d, m.d.look.theme
	right := m.freshness()
	var left parts
	left.add(" unacked ", t.Title)
	room := m.width - right.width - 1
	switch {
	case d.watch != nil:
		m.watchHeader(&left, room)
	case d.good == nil:
		left.add(" starting …", t.Dim)
	default:
		q, s := d.good.Queue, d.good.Server
		queue := "  " + clean(q.Stream) + " " + d.look.glyphs.Into + " " + clean(q.Group)
		if d.isList() {
			queue = "  " + clean(q.List) + " (list)"
		}
		left.add(cell.Cut(queue, max(room-left.width, 0)), t.Accent)
		for _, piece := range []string{"   " + serverText(s), placeText(s), "   LAB"} {
			if s.Embedded && !left.fits(piece, room) {
				piece = strings.TrimSuffix(piece, " server")
			}
			if piece != "" && left.fits(piece, room) {
				left.add(piece, t.Dim)
			}
		}
	}
	gap := m.width - left.width - right.width
	if gap < 0 {
		return cell.Pad(left.b.String(), m.width)
	}
	return left.b.String() + cell.Spaces(gap) + right.b.String()
}

func serverText(s redisq.ServerInfo) string {
	product := clean(s.Product)
	if s.Embedded {
		return "embedded server"
	}
	if product == "" {
		product = "server"
	}
	if s.Version != "" {
		product += " " + clean(s.Version)
	}
	if s.Role == "replica" {
		product += " replica"
	}
	return product
}

func placeText(s redisq.ServerInfo) string {
	switch {
	case s.Embedded || s.Addr == "":
		return ""
	case s.Private:
		return " private " + clean(s.Addr)
	}
	return " at " + clean(s.Addr)
}

// freshness is the right end of the header.
func (m *Model) freshness() *parts {
	d, t := m.d, m.d.look.theme
	var p parts
	switch {
	case d.held:
		p.add(" HELD ", t.VerdictWarn)
		p.add(" as of "+clockText(d.now)+" ", t.Warn)
		return &p
	case d.stale:
		p.add(" NO ANSWER ", t.VerdictBad)
		p.add(" data of "+clockText(d.good.At)+" ", t.Bad)
		return &p
	case d.good == nil:
		return &p
	}
	p.add(d.look.glyphs.On, t.Good)
	p.add(" live, every "+durText(d.period()), t.Dim)
	if d.period() > d.every && m.width >= mediumWidth {
		p.add(", as bodies are large", t.Dim)
	}
	if m.width >= mediumWidth {
		p.add("   cost "+costText(d)+" ", t.Dim)
	} else {
		p.add(" ", t.Dim)
	}
	return &p
}

// muchTraffic is how many bytes a second are said: less is nothing to any network.
const muchTraffic = 100_000

// costText is what our readings cost the server in a second.
func costText(d *data) string {
	if d.last.Cost == 0 {
		return "? ms/s"
	}
	ms := float64(d.last.Cost.Microseconds()) / 1000
	text := decimal(ms) + " ms/s"
	if d.watch != nil && d.watch.bytes >= muchTraffic {
		text += ", " + safe.Size(int(d.watch.bytes)) + "/s"
	}
	return text
}

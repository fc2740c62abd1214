package ui

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui/cell"
)

// Bounds of what is shown of one value.
const (
	detailBytes = 64_000  // of text or of a dump
	jsonBytes   = 256_000 // longer JSON is shown as text
	jsonLines   = 5_000
)

// fields are the message's own, in their order.
func (v *detail) fields() []redisq.Field {
	if v.kind == detailDead {
		return v.letter.Fields
	}
	return v.pending.Fields
}

// fieldLines draws the fields. They are wrapped once for a width and format.
func (v *detail) fieldLines(d *data, width int) []string {
	fields := v.fields()
	if !v.seen || (v.kind == detailPending && v.pending.Gone && len(fields) == 0) {
		return nil
	}
	if v.body == nil || v.bodyWide != width {
		size := 0
		for _, f := range fields {
			size += len(f.Name) + len(f.Value)
		}
		note := strconv.Itoa(len(fields)) + ", " + safe.Size(size) + ", as " + v.format.String()
		v.body, v.bodyWide = heading(d, width, "Fields", note), width
		for _, f := range fields {
			v.body = append(v.body, fieldText(d, f, v.format, width)...)
		}
		if len(fields) == 0 {
			text := "none"
			if v.kind == detailPending {
				text = "not read yet: large bodies are read one after the other, this one next"
			}
			v.body = append(v.body, cell.Pad("   "+d.look.theme.Dim.On(text), width))
		}
	}
	return v.body
}

// fieldText draws one field: its name, then its value in a format, wrapped and indented.
func fieldText(d *data, f redisq.Field, format format, width int) []string {
	t := d.look.theme
	name := safe.TextN(f.Name, previewBytes)
	if name == "" {
		name = `""`
	}
	value, note := valueLines(f.Value, format)
	head := "   " + t.Label.On(name) + " = "
	indent := 5
	// A short value stands beside its name.
	if len(value) == 1 && cell.Width(name)+6+cell.Width(value[0]) <= width {
		return []string{cell.Pad(head+value[0]+t.Dim.On(note), width)}
	}
	out := []string{cell.Pad(head+t.Dim.On(strings.TrimSpace(note)), width)}
	for _, line := range value {
		for _, part := range hardWrap(line, width-indent) {
			out = append(out, cell.Pad(cell.Spaces(indent)+part, width))
		}
	}
	return out
}

// hardWrap cuts a harmless line into pieces of at most width cells, blanks kept.
func hardWrap(line string, width int) []string {
	if width < 1 {
		return []string{""}
	}
	return strings.Split(ansi.Hardwrap(line, width, true), "\n")
}

// valueLines is a value in a format, made harmless, and a note where it was cut or the format does not fit it. Text
// keeps its own line ends; what looks like bytes is dumped.
func valueLines(value string, format format) (lines []string, note string) {
	shown := value
	if len(shown) > detailBytes {
		end := detailBytes
		for end > detailBytes-utf8.UTFMax && !utf8.RuneStart(value[end]) {
			end-- // no character is cut in two
		}
		shown = shown[:end]
		note = "  (" + safe.Size(len(value)) + ", showing " + safe.Size(detailBytes) + ", saving has all of it)"
	}
	switch format {
	case formatHex:
		return safe.Hex(shown), note
	case formatJSON:
		if len(value) > jsonBytes {
			note += "  (too long to read as JSON)"
			break
		}
		if pretty, ok := safe.JSON(value); ok {
			if len(pretty) > jsonLines {
				return pretty[:jsonLines], "  (" + safe.Size(len(value)) + ", showing " + strconv.Itoa(jsonLines) + " lines)"
			}
			return pretty, ""
		}
		note += "  (no JSON)"
	}
	if safe.IsBinary(value) {
		return safe.Hex(shown), note + "  (binary, " + safe.Size(len(value)) + ")"
	}
	for _, line := range strings.Split(shown, "\n") {
		lines = append(lines, safe.Text(line))
	}
	return lines, note
}

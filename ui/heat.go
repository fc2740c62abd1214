package ui

import (
	"strings"

	"example.com/unacked/ui/cell"
)

// The heat of a consumer is how long the entries that it holds have been idle: a cell for each fifth of the lease, up to
// twice the lease and beyond, the higher the more entries. What stands right of the middle may be claimed.

const (
	heatCells = 11 // ten fifths of the lease, and the rest
	heatFifth = 5
	heatTitle = "IDLE 0-2 LEASES"
)

// heats are the heats of the consumers, of the pending entries that were read last. Where not all of them were, or the
// lease is not known, there are none: a part could be taken for the whole.
func heats(d *data) map[string]string {
	lease := d.lease()
	if d.good == nil || lease <= 0 || d.good.Pending.More {
		return nil
	}
	f := d.good.Pending.Filter
	if f.MinIdle > 0 || f.Consumer != "" || f.Start != "" && f.Start != "-" || f.End != "" && f.End != "+" {
		return nil
	}
	counts := map[string]*[heatCells]int{}
	high := 1
	for _, e := range d.good.Pending.Rows {
		if e.Idle < 0 { // released: nobody's
			continue
		}
		c := counts[e.Consumer]
		if c == nil {
			c = &[heatCells]int{}
			counts[e.Consumer] = c
		}
		at := min(int(float64(e.Idle)/float64(lease)*heatFifth), heatCells-1)
		c[at]++
		high = max(high, c[at])
	}
	all := make(map[string]string, len(counts))
	levels := d.look.glyphs.Spark
	for name, c := range counts {
		var b strings.Builder
		for _, n := range c {
			if n == 0 {
				b.WriteString(d.look.glyphs.Bullet)
				continue
			}
			b.WriteString(levels[max(n*len(levels)/high, 1)-1])
		}
		all[name] = b.String()
	}
	return all
}

// heatPaint is the heat of a consumer with its style: a warning where something is past the lease.
func heatPaint(d *data, heat string) (string, cell.Style) {
	cells := []rune(heat)
	if len(cells) == heatCells && strings.Trim(string(cells[heatFifth:]), d.look.glyphs.Bullet) != "" {
		return heat, d.look.theme.Warn
	}
	return heat, d.look.theme.Accent
}

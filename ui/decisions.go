package ui

import (
	"slices"
	"strconv"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// question is a decision that `queue.add(...)` hides.
type question struct {
	text   string
	answer func(lab.Decisions) string
	// next returns the decisions with the next answer, or the one before.
	next func(dec lab.Decisions, by int) lab.Decisions
	// means says what the answer in force leads to.
	means func(lab.Decisions) string
	// measured is what is seen of it right now.
	measured func(d *data) string
}

// The answers that are steps of a number.
var (
	limits   = []int64{1, 2, 3, 5, 10, 0} // deliveries; 0 is no limit
	leases   = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second}
	services = []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second}
	shares   = []float64{0, 0.05, 0.2, 1}
	policies = []lab.Full{lab.Grow, lab.Cap, lab.Wait, lab.Refuse}
	records  = []workers.Idempotence{workers.RecordNever, workers.RecordBefore, workers.RecordAfter}
)

const mostWorkers = 32

// along returns the neighbour of at in steps; at the ends it stays. A value that is not among them goes to the first.
func along[T comparable](steps []T, at T, by int) T {
	i := slices.Index(steps, at)
	if i < 0 {
		return steps[0]
	}
	return steps[min(max(i+by, 0), len(steps)-1)]
}

var questions = []question{
	{
		"When is a message done?",
		func(dec lab.Decisions) string {
			if dec.Worker.AckBefore {
				return "before the work"
			}
			return "after the work"
		},
		func(dec lab.Decisions, by int) lab.Decisions { dec.Worker.AckBefore = by > 0; return dec },
		func(dec lab.Decisions) string {
			switch {
			case dec.Worker.Kind == redisq.List:
				return "a list has no acks: at most once, a crash loses what was in hand"
			case dec.Worker.AckBefore:
				return "at most once: a crash loses what was in hand"
			}
			return "at least once: a crash repeats what was in hand"
		},
		measuredBooks,
	},
	{
		"Deliveries before it is a dead letter",
		func(dec lab.Decisions) string {
			if dec.Worker.MaxDeliveries <= 0 {
				return "no limit"
			}
			return strconv.FormatInt(dec.Worker.MaxDeliveries, 10)
		},
		func(dec lab.Decisions, by int) lab.Decisions {
			dec.Worker.MaxDeliveries = along(limits, dec.Worker.MaxDeliveries, by)
			return dec
		},
		func(dec lab.Decisions) string {
			switch {
			case dec.Worker.Kind == redisq.List:
				return "a list delivers once: what fails is lost"
			case dec.Worker.MaxDeliveries <= 0:
				return "what cannot be done comes back for ever"
			}
			return "what cannot be done is set aside after that"
		},
		func(d *data) string {
			if d.good == nil {
				return ""
			}
			return "dead letters " + d.good.Dead.Length.String() + ", most deliveries now " + d.good.Group.MaxDeliveries.String()
		},
	},
	{
		"Safe to repeat?",
		func(dec lab.Decisions) string {
			switch dec.Worker.Idempotent {
			case workers.RecordBefore:
				return "recorded before the work"
			case workers.RecordAfter:
				return "recorded after the work"
			}
			return "off"
		},
		func(dec lab.Decisions, by int) lab.Decisions {
			dec.Worker.Idempotent = along(records, dec.Worker.Idempotent, by)
			return dec
		},
		func(dec lab.Decisions) string {
			if dec.Worker.Kind == redisq.List {
				return "a list repeats nothing, and has no ids to record"
			}
			switch dec.Worker.Idempotent {
			case workers.RecordBefore:
				return "a crash between record and work loses the order"
			case workers.RecordAfter:
				return "a crash between work and record repeats the mail"
			}
			return "every delivery sends the mail"
		},
		measuredBooks,
	},
	{
		"Lease",
		func(dec lab.Decisions) string { return durText(dec.Worker.Lease) },
		func(dec lab.Decisions, by int) lab.Decisions {
			dec.Worker.Lease = along(leases, dec.Worker.Lease, by)
			return dec
		},
		func(dec lab.Decisions) string {
			if dec.Worker.Kind == redisq.List {
				return "a list has none: nobody can claim what another took"
			}
			return "idle that long, a message may be claimed by another worker"
		},
		func(d *data) string {
			text, _ := oldestValue(d)
			return "oldest idle " + text
		},
	},
	{
		"Workers",
		func(dec lab.Decisions) string { return strconv.Itoa(dec.Workers) },
		func(dec lab.Decisions, by int) lab.Decisions {
			dec.Workers = min(max(dec.Workers+by, 0), mostWorkers)
			return dec
		},
		func(lab.Decisions) string { return "processes that take messages" },
		func(d *data) string { return "done " + rateText(d.rates.Done) + ", " + doneNote(d) },
	},
	{
		"When the queue is full",
		func(dec lab.Decisions) string {
			limit := strconv.FormatInt(dec.Limit, 10)
			switch dec.Full {
			case lab.Cap:
				return "cap at " + limit + ": cut the oldest"
			case lab.Wait:
				return "wait at " + limit
			case lab.Refuse:
				return "refuse at " + limit
			}
			return "it grows"
		},
		func(dec lab.Decisions, by int) lab.Decisions { dec.Full = along(policies, dec.Full, by); return dec },
		func(dec lab.Decisions) string {
			switch dec.Full {
			case lab.Cap:
				if dec.Worker.Kind == redisq.List {
					return "LTRIM cuts the oldest, and nobody reads them"
				}
				return "MAXLEN cuts entries, read or not"
			case lab.Wait:
				return "the customer waits for room"
			case lab.Refuse:
				return "the customer is told no"
			}
			return "nobody waits until memory is full"
		},
		func(d *data) string {
			p := d.state().Producer
			text := "backlog " + d.waiting().String() + ", checkout p99 " + latency(p.P99) + ", refused " + strconv.FormatInt(p.Refused, 10)
			if d.good != nil && d.good.Group.TrimmedUnread.Value > 0 {
				text += ", cut unread " + d.good.Group.TrimmedUnread.String()
			}
			return text
		},
	},
	{
		"Orders a second",
		func(dec lab.Decisions) string { return strconv.FormatFloat(dec.Rate, 'f', -1, 64) },
		func(dec lab.Decisions, by int) lab.Decisions { dec.Rate = step(rates, dec.Rate, by); return dec },
		func(lab.Decisions) string { return "checkouts that the shop has" },
		func(d *data) string { return "in " + rateText(d.rates.In) },
	},
	{
		"Bad addresses",
		func(dec lab.Decisions) string { return strconv.FormatFloat(dec.BadShare*100, 'f', -1, 64) + " %" },
		func(dec lab.Decisions, by int) lab.Decisions {
			dec.BadShare = along(shares, dec.BadShare, by)
			return dec
		},
		func(lab.Decisions) string { return "orders that no retry can mail" },
		func(d *data) string {
			return "refused by the mail server " + strconv.FormatInt(d.state().Sink.Refused, 10) + " times"
		},
	},
	{
		"Queue",
		func(dec lab.Decisions) string {
			if dec.Worker.Kind == redisq.List {
				return "list (LPUSH, BRPOP)"
			}
			return "stream (XADD, XREADGROUP)"
		},
		func(dec lab.Decisions, by int) lab.Decisions {
			dec.Worker.Kind = redisq.Stream
			if by > 0 {
				dec.Worker.Kind = redisq.List
			}
			return dec
		},
		func(dec lab.Decisions) string {
			if dec.Worker.Kind == redisq.List {
				return "a list forgets what it gave away"
			}
			return "a stream remembers who has what until it is acked"
		},
		measuredBooks,
	},
	{
		"A mail takes",
		func(dec lab.Decisions) string { return durText(dec.Service) },
		func(dec lab.Decisions, by int) lab.Decisions {
			dec.Service = along(services, dec.Service, by)
			return dec
		},
		func(lab.Decisions) string { return "the mail server's time for one mail" },
		func(d *data) string { return doneNote(d) },
	},
}

// measuredBooks is what became of the orders.
func measuredBooks(d *data) string {
	b := d.state().Books
	if !b.Known {
		return "not counted yet"
	}
	return "sent once " + strconv.FormatInt(b.Once, 10) + ", twice " + strconv.FormatInt(b.Twice, 10) +
		", never " + strconv.FormatInt(b.Never, 10)
}

// decisionsDialog switches the decisions while the lab runs.
type decisionsDialog struct{ at, top int }

func (m *Model) askDecisions() {
	if _, ok := m.decisions(); !ok {
		m.complain("the lab is still starting")
		return
	}
	m.dialog = &decisionsDialog{}
}

func (*decisionsDialog) title(*Model) string { return "Decisions: what queue.add() hides" }

const (
	decisionsWidth = 100
	effectLines    = 3 // of the selected question, below all of them, where there is no room for one below each
)

func (*decisionsDialog) size(_ *Model, width, height int) (int, int) {
	if 2*len(questions) <= height {
		return min(width, decisionsWidth), 2 * len(questions)
	}
	return min(width, decisionsWidth), min(len(questions)+effectLines, height)
}

func (p *decisionsDialog) lines(m *Model, width, height int) []string {
	dec, _ := m.decisions()
	roomy := height >= 2*len(questions)
	var lines []string
	room := height
	if !roomy {
		room = max(height-effectLines, 1) // the effect of the selected one stands below
	}
	p.top = max(min(p.top, p.at), p.at-room+1, 0)
	for i, q := range questions {
		if !roomy && (i < p.top || i >= p.top+room) {
			continue
		}
		lines = append(lines, p.row(m.d, q, dec, i == p.at))
		if roomy {
			lines = append(lines, "    "+effect(m.d, q, dec))
		}
	}
	if !roomy {
		q := questions[p.at]
		lines = append(lines, "", m.d.look.theme.Accent.On(cell.Cut(q.measured(m.d), width)), cell.Cut(q.means(dec), width))
	}
	return lines
}

func (p *decisionsDialog) row(d *data, q question, dec lab.Decisions, selected bool) string {
	t, g := d.look.theme, d.look.glyphs
	answer := q.answer(dec)
	if !selected {
		return "  " + cell.Pad(q.text, 40) + t.Value.On("  "+answer)
	}
	return t.Value.On(g.Cursor+" "+cell.Pad(q.text, 40)) + t.Selected.On(g.Left+" "+answer+" "+g.Right)
}

func effect(d *data, q question, dec lab.Decisions) string {
	t := d.look.theme
	return t.Accent.On(q.measured(d)) + t.Dim.On("  "+d.look.glyphs.Bullet+"  "+q.means(dec))
}

func (p *decisionsDialog) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	by := 0
	switch {
	case key.Matches(k, m.keys.Decisions):
		return nil, true
	case key.Matches(k, m.keys.Left):
		by = -1
	case key.Matches(k, m.keys.Right, m.keys.Open):
		by = 1
	default:
		p.at, _ = moved(m.keys, k, p.at, len(questions), len(questions)-1)
	}
	dec, ok := m.decisions()
	if by == 0 || !ok {
		return nil, false
	}
	to := questions[p.at].next(dec, by)
	if to == dec {
		return nil, false
	}
	return m.settle(to), false
}

func (*decisionsDialog) help(k KeyMap) []key.Binding {
	answer := key.NewBinding(key.WithKeys("answer"), key.WithHelp(k.Left.Help().Key+k.Right.Help().Key, "another answer, at once"))
	return []key.Binding{answer, says(k.Back, "close"), k.Up, k.Down}
}

package ui

import (
	"slices"
	"strings"
	"testing"

	"example.com/unacked/redisq"
)

func consumersOf(d *data) pane {
	p := newConsumersPane()
	p.Data(d)
	return p
}

func TestConsumers(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := consumersOf(d)
	if got, want := p.Title(d), "Consumers 4 · XINFO CONSUMERS emails mailers"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	wantPane(t, p, d, 118, 5, `
  CONSUMER   PROCESS           PENDING   SINCE LAST CALL   LAST DELIVERY   IN HAND           DONE   FAILED   RESTARTS
> w1         4711 working            1             120ms            1.0s   order 31            12        0          0
  w2         4712 killed             1              4.1s            4.1s   order 30             9        1          0
  w3         4713 waiting            1              40ms           never   holds 1, idle       11        0          2
  other      another program         1              6.0s           1m30s
`)
	wantPane(t, p, d, 40, 5, `
  CONSUMER   PROCESS           PENDING
> w1         4711 working            1
  w2         4712 killed             1
  w3         4713 waiting            1
  other      another program         1
`)
}

// What the server means with idle shows in its replies.
func TestConsumersIdleByServer(t *testing.T) {
	known, unknown := redisq.Exact(2000, redisq.FromServer), redisq.Unknown("the server does not tell")
	for _, c := range []struct {
		name           string
		idle, inactive redisq.Number
		header         string
		cells          []string
	}{
		{"7.2 and later", known, known, sinceCall, []string{"2.0s", "2.0s"}},
		{"7.2, never got one", known, redisq.Unknown(redisq.NeverActive), sinceCall, []string{"2.0s", "never"}},
		{"before 7.2: there is only one", known, unknown, sinceDelivery, []string{"2.0s"}},
		{"not told", unknown, unknown, sinceUnknown, []string{"n/a", "n/a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pendingSnapshot()
			s.Group.Consumers = []redisq.Consumer{{Name: "c", Pending: 1, Idle: c.idle, Inactive: c.inactive}}
			d := paneData(s)
			d.last.State.Workers = nil
			lines := strings.Split(paneScreen(consumersOf(d), d, 118, 3), "\n")
			if !strings.Contains(lines[0], " "+c.header+" ") {
				t.Errorf("header %q lacks %q", lines[0], c.header)
			}
			if f := strings.Fields(lines[1]); len(f) < 5 || !slices.Equal(f[5:], c.cells) {
				t.Errorf("row %q, want idle and, where it is told, inactive: %s", lines[1], c.cells)
			}
			if n := strings.Count(lines[0], "LAST DELIVERY"); n != 1 {
				t.Errorf("the header names the last delivery %d times: %q", n, lines[0])
			}
		})
	}
}

// A worker that has not read yet is no consumer on the server (Redis 7.0), but it is there.
func TestConsumersWithoutARow(t *testing.T) {
	s := pendingSnapshot()
	s.Group.Consumers = nil
	d := paneData(s)
	lines := strings.Split(paneScreen(consumersOf(d), d, 118, 5), "\n")
	if len(lines) != 4 || !strings.Contains(lines[3], "w3") || strings.Count(lines[3], "n/a") != 3 {
		t.Errorf("workers without a consumer:\n%s", strings.Join(lines, "\n"))
	}
}

func TestConsumersSelectionIsTheName(t *testing.T) {
	s := pendingSnapshot()
	s.Group.Consumers = append(s.Group.Consumers, redisq.Consumer{Name: "c\x1b[2J"})
	d := paneData(s)
	p := consumersOf(d)
	press(t, p, d, "end")
	if got := p.(selectable).Selected(); got != "c\x1b[2J" {
		t.Errorf("selected %q, want the name as the server has it", got)
	}
}

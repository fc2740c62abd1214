package ui

import (
	"strconv"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
)

// recordClipboard is a clipboard that keeps the text.
func recordClipboard(text *string) func(string) tea.Cmd {
	return func(s string) tea.Cmd {
		return func() tea.Msg {
			*text = s
			return notice{text: "copied"}
		}
	}
}

// sent are n commands, a second apart, the newest of them last.
func sent(n int, last int) []redisq.Command {
	var out []redisq.Command
	for i := last - n + 1; i <= last; i++ {
		out = append(out, redisq.Command{
			At: readAt.Add(time.Duration(i) * time.Second), Client: "observer", Args: []string{"XLEN", "s", strconv.Itoa(i)},
			Took: 410 * time.Microsecond,
		})
	}
	return out
}

func TestCommands(t *testing.T) {
	d := paneData(nil)
	d.last.Commands = []redisq.Command{
		{At: readAt, Client: "observer", Args: []string{"XINFO", "GROUPS", "emails"}, Took: 410 * time.Microsecond},
		{At: readAt, Client: "action", Args: []string{"XADD", "a key", "*", "f", "\x1b"}, Took: 12 * time.Second, Err: "OOM command not allowed"},
	}
	p := newCommandsPane()
	p.Data(d)
	wantPane(t, p, d, 110, 3, `
  TIME               TOOK  CLIENT    COMMAND                                           ERROR
  10:00:08.200    0.41 ms  observer  XINFO GROUPS emails
> 10:00:08.200        12s  action    XADD "a key" * f "\x1b"                           OOM command not allowed
`)
}

func TestCommandsFollowUntilTheCursorMovesUp(t *testing.T) {
	d := paneData(nil)
	p := newCommandsPane()
	at := func() string {
		c := p.(*commandsPane)
		row, _ := c.list.at()
		return c.rows[row].Args[2]
	}
	d.last.Commands = sent(5, 5)
	p.Data(d)
	if at() != "5" || !strings.Contains(p.Title(d), "following") {
		t.Fatalf("at %s, title %q: want the newest, followed", at(), p.Title(d))
	}
	d.last.Commands = sent(5, 7)
	p.Data(d)
	if at() != "7" {
		t.Fatalf("at %s after two more, want 7", at())
	}
	press(t, p, d, "up")
	d.last.Commands = sent(5, 9)
	p.Data(d)
	if at() != "6" || !strings.Contains(p.Title(d), "held at the cursor, 3 newer") {
		t.Errorf("at %s, title %q: want 6 held", at(), p.Title(d))
	}
	press(t, p, d, "end")
	d.last.Commands = sent(5, 12)
	p.Data(d)
	if at() != "12" {
		t.Errorf("at %s, want to follow again from the end", at())
	}
}

func TestCommandsOfOneMomentAreToldApart(t *testing.T) {
	ping := redisq.Command{At: readAt, Client: "observer", Args: []string{"PING"}}
	xlen := redisq.Command{At: readAt, Client: "observer", Args: []string{"XLEN", "s"}}
	ids := commandIDs([]redisq.Command{ping, ping, xlen})
	if ids[0] == ids[1] || ids[1] == ids[2] {
		t.Errorf("ids %q", ids)
	}
	if later := commandIDs([]redisq.Command{xlen}); later[0] != ids[2] {
		t.Errorf("XLEN is %q, and %q once those before it dropped out", ids[2], later[0])
	}
}

func TestCommandsCopy(t *testing.T) {
	d := paneData(nil)
	d.last.Commands = []redisq.Command{{At: readAt, Args: []string{"XADD", "a key", "*", "f", "\x1b"}}}
	p := newCommandsPane()
	p.Data(d)
	if n, ok := press(t, p, d, "y")().(notice); !ok || !n.bad {
		t.Errorf("without a clipboard: %+v, want a notice that says so", n)
	}
	var text string
	d.clipboard = recordClipboard(&text)
	press(t, p, d, "y")()
	if want := `XADD "a key" * f "\x1b"`; text != want {
		t.Errorf("copied %q, want %q", text, want)
	}
}

func TestCommandsThatWereCutAreNotCopied(t *testing.T) {
	d := paneData(nil)
	d.last.Commands = []redisq.Command{{At: readAt, Args: []string{"XADD", "s", "*", "body", "xxxx…(+99996 bytes)"}}}
	p := newCommandsPane()
	p.Data(d)
	var text string
	d.clipboard = recordClipboard(&text)
	if n, ok := press(t, p, d, "y")().(notice); !ok || !n.bad || text != "" {
		t.Errorf("a command of which only a part is known was copied: %d bytes, %+v", len(text), n)
	}
}

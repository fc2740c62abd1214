package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/bubbles/key"
)

// Every binding is in the palette, and choosing it is pressing its key.
func TestPaletteHasEveryKey(t *testing.T) {
	s := filled(t, 120, 36)
	have := map[string]bool{}
	for _, a := range s.m.actions() {
		for _, k := range a.binding.Keys() {
			have[k] = true
		}
	}
	for _, n := range s.m.keys.Named() {
		// Those that only move the cursor of a menu or begin the palette itself need no name, all others do.
		if n.Name == "palette" {
			continue
		}
		for _, k := range n.Binding.Keys() {
			if !have[k] && !watchOnly[n.Name] {
				t.Errorf("the key %q of %s is not in the palette", k, n.Name)
			}
		}
	}
}

// watchOnly are the actions that there are only where streams of others are watched.
var watchOnly = map[string]bool{"streams": true}

func TestPaletteDoesWhatTheKeyDoes(t *testing.T) {
	for _, test := range []struct {
		typed string
		calls []string
		says  string
	}{
		{"kill", []string{"Kill w1 "}, "SIGKILL sent"},
		{"killat", nil, "at which point?"},
		{"add worker", []string{"AddWorker"}, "w4 starts"},
		{"bador", []string{"AddLoad bad"}, "refuses"},
		{"rate up", []string{"Decide"}, "5.0/s"},
		{"replay all", []string{"Plan replay all"}, "Sent to Redis:"},
		{"decis", nil, "Decisions"},
		{"hold", nil, "HELD"},
		{"dead letters", nil, "Dead letters"},
		{"HELP", nil, "The selected worker"},
	} {
		t.Run(test.typed, func(t *testing.T) {
			s := filled(t, 120, 36)
			s.lab.plan.Run = noRun
			s.press(":")
			s.wants("Do what?")
			for _, r := range test.typed {
				s.press(strings.ReplaceAll(string(r), " ", "space"))
			}
			s.check()
			s.press("enter")
			s.lacks("Do what?")
			s.wants(test.says)
			s.lab.expect(test.calls...)
			s.check()
		})
	}
}

func TestPaletteTakesLettersAndLeavesByEsc(t *testing.T) {
	s := filled(t, 80, 24)
	s.press(":", "q", "u", "i", "t")
	s.wants(":quit", "quit")
	s.press("esc")
	s.lacks("Do what?")
	if s.quit {
		t.Error("a letter typed into the palette was taken for a key")
	}
	s.press(":", "z", "z", "z", "z", "enter")
	s.wants("no action of")
	s.lab.expect()
	s.press("esc", ":", "q", "u", "i", "t", "enter")
	if !s.quit {
		t.Error("quit in the palette does not quit")
	}
}

func TestKeysCanBeFoundByTheirNames(t *testing.T) {
	for _, name := range []string{
		"x", "X", "+", " ", "tab", "shift+tab", "up", "pgdown", "home", "enter", "esc", "ctrl+z", "ctrl+c", "ctrl+u", "f5",
		"alt+x", "é", "backspace",
	} {
		k, ok := keyFor(name)
		if !ok || !key.Matches(k, key.NewBinding(key.WithKeys(name))) {
			t.Errorf("%q: %v %v", name, k, ok)
		}
	}
	for _, name := range []string{"", "xy", "ctrl+", "hyper+x"} {
		if k, ok := keyFor(name); ok {
			t.Errorf("%q is a key: %v", name, k)
		}
	}
}

func TestRebind(t *testing.T) {
	keys := testKeys()
	if c := keys.Conflict(); c != "" {
		t.Fatal(c)
	}
	if err := keys.Rebind("kill", []string{"ctrl+k", "space"}); err != nil {
		t.Fatal(err)
	}
	if got := keys.Kill.Keys(); got[0] != "ctrl+k" || got[1] != " " || keys.Kill.Help().Key != "ctrl+k" {
		t.Errorf("kill has %q, shown as %q", got, keys.Kill.Help().Key)
	}
	if c := keys.Conflict(); !strings.Contains(c, "kill") || !strings.Contains(c, "pause") {
		t.Errorf("space is twice: %q", c)
	}
	if err := keys.Rebind("view-2", []string{"f2"}); err != nil || keys.Views[1].Keys()[0] != "f2" {
		t.Errorf("view-2: %v", err)
	}
	for name, k := range map[string][]string{"murder": {"x"}, "kill": nil, "quit": {"qq"}} {
		if err := keys.Rebind(name, k); err == nil {
			t.Errorf("%s to %q is fine", name, k)
		}
	}
}

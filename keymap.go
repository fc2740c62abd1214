package main

import (
	"github.com/charmbracelet/bubbles/key"

	"example.com/unacked/ui"
)

// keyMap is every key of the dashboard. Letters work in both cases unless both have a meaning of their own.
func keyMap() ui.KeyMap {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	return ui.KeyMap{
		Kill:      bind("x", "kill", "x"),
		KillAt:    bind("X", "kill at…", "X"),
		AddWorker: bind("a", "add worker", "a", "A"),
		StopStart: bind("s", "stop/start", "s", "S"),

		AddLoad:   bind("l", "+load", "l", "L"),
		AddPoison: bind("b", "+bad order", "b", "B"),
		RateUp:    bind("+", "rate up", "+", "="),
		RateDown:  bind("-", "rate down", "-", "_"),

		Replay:    bind("r", "replay", "r"),
		ReplayAll: bind("R", "replay all", "R"),

		Act:     bind(".", "act…", "."),
		Mark:    bind("v", "mark", "v"),
		MarkAll: bind("V", "mark all", "V"),
		Fold:    bind("z", "same reason", "z", "Z"),
		Undo:    bind("u", "undo discard", "u", "U"),

		Decisions: bind("d", "decisions", "d", "D"),

		Experiments: bind("m", "experiments", "m", "M"),
		Pace:        bind("p", "by itself/wait", "p"),

		Streams: bind("c", "streams", "c", "C"),

		Views: []key.Binding{
			bind("1", "overview", "1"),
			bind("2", "pending", "2"),
			bind("3", "consumers", "3"),
			bind("4", "dead letters", "4"),
			bind("5", "commands", "5"),
			bind("6", "doctor", "6"),
			bind("7", "log", "7"),
		},
		NextPane:  bind("tab", "pane", "tab"),
		PrevPane:  bind("shift+tab", "pane back", "shift+tab"),
		Up:        bind("↑", "up", "up", "k"),
		Down:      bind("↓", "down", "down", "j"),
		Left:      bind("←", "left", "left", "h"),
		Right:     bind("→", "right", "right"),
		PageUp:    bind("pgup", "page up", "pgup", "ctrl+u"),
		PageDown:  bind("pgdn", "page down", "pgdown", "ctrl+d"),
		Home:      bind("home", "first", "home", "g"),
		End:       bind("end", "last", "end", "G"),
		Open:      bind("enter", "open", "enter"),
		Back:      bind("esc", "back", "esc"),
		Filter:    bind("/", "filter", "/"),
		Sort:      bind("o", "sort", "o", "O"),
		Form:      bind("f", "XPENDING form", "f", "F"),
		Sweep:     bind("n", "count all", "n", "N"),
		Format:    bind("t", "text/JSON/hex", "t", "T"),
		Explain:   bind("e", "explain", "e", "E"),
		Copy:      bind("y", "copy", "y", "Y"),
		Save:      bind("w", "write to a file", "w", "W"),
		Pause:     bind("space", "hold the screen", " "),
		Interval:  bind("i", "read every", "i", "I"),
		Help:      bind("?", "help", "?"),
		Palette:   bind(":", "actions", ":"),
		Present:   bind("P", "presenter", "P"),
		ZoomIn:    bind("[", "zoom in", "["),
		ZoomOut:   bind("]", "zoom out", "]"),
		Suspend:   bind("ctrl+z", "suspend", "ctrl+z"),
		Quit:      bind("q", "quit", "q", "Q"),
		ForceQuit: bind("ctrl+c", "quit now", "ctrl+c"),
	}
}

package ui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
)

// KeyMap is every key of the dashboard. Package main fills it, so that one short file shows them all; the key bar and
// the help are made from it.
type KeyMap struct {
	// Workers.
	Kill      key.Binding // SIGKILL the selected worker now
	KillAt    key.Binding // choose a crash point of the selected worker
	AddWorker key.Binding
	StopStart key.Binding // stop the selected worker gracefully, or start it again

	// Load.
	AddLoad   key.Binding // a burst of orders, once
	AddPoison key.Binding // one order with a bad address
	RateUp    key.Binding
	RateDown  key.Binding

	// Dead letters.
	Replay    key.Binding // the selected dead letter
	ReplayAll key.Binding

	// Acting on what is selected.
	Act     key.Binding // a menu of what can be done to it
	Mark    key.Binding // the row under the cursor, or not any more
	MarkAll key.Binding // all rows that are shown
	Fold    key.Binding // dead letters of the same reason into one row
	Undo    key.Binding // brings discarded dead letters back

	// Decisions.
	Decisions key.Binding

	// Experiments.
	Experiments key.Binding // the menu of those that can be played
	Pace        key.Binding // after each step wait for a key, or go on by itself

	// Streams of others.
	Streams key.Binding // the list to choose from, where there is one

	// Looking.
	Views     []key.Binding // one for each view, in their order
	NextPane  key.Binding
	PrevPane  key.Binding
	Up        key.Binding
	Down      key.Binding
	Left      key.Binding
	Right     key.Binding
	PageUp    key.Binding
	PageDown  key.Binding
	Home      key.Binding
	End       key.Binding
	Open      key.Binding
	Back      key.Binding
	Filter    key.Binding
	Sort      key.Binding
	Form      key.Binding // the XPENDING form of the pending view
	Sweep     key.Binding // look at all pending entries, a page at a time
	Format    key.Binding // text, JSON, hex in the detail
	Explain   key.Binding
	Copy      key.Binding
	Save      key.Binding // an opened message into a file
	Pause     key.Binding // hold the screen still; work goes on
	Interval  key.Binding // how often Redis is read
	Help      key.Binding
	Palette   key.Binding // every action by name
	Present   key.Binding // large, for a projector
	ZoomIn    key.Binding // a shorter time axis
	ZoomOut   key.Binding
	Suspend   key.Binding
	Quit      key.Binding
	ForceQuit key.Binding
}

// acts are the keys that change Redis, or prepare it.
func (k KeyMap) acts() []key.Binding {
	return []key.Binding{k.Act, k.Replay, k.ReplayAll, k.Undo, k.Mark, k.MarkAll}
}

// acting says whether a binding of the key bar is one of acts.
func (k KeyMap) acting(b key.Binding) bool {
	return slices.ContainsFunc(k.acts(), func(a key.Binding) bool { return a.Help().Key == b.Help().Key })
}

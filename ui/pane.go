package ui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// Source is what the screen can ask of whatever the readings come from: a lab, or a server that is watched. Its methods
// may block for a reply: they are called from commands, never from Update or View.
type Source interface {
	Watch(id string) // whose story is wanted; "" is none
	SetFilter(redisq.PendingFilter)
	SetInterval(time.Duration)
}

// Lab is what the screen can ask of the running lab besides.
type Lab interface {
	Source
	Actor
	Kill(worker string, at workers.CrashPoint) error
	AddWorker() (name string, err error)
	StopWorker(name string) error
	StartWorker(name string) error
	AddLoad(orders int, bad bool) lab.Load
	Decide(lab.Decisions)
}

// Watcher is what the screen can ask besides where it watches streams that others made.
type Watcher interface {
	Source
	Choose(stream, group string) // whose readings are to come
	Browse(on bool)              // whether the list of streams is looked at
}

// data is what there is to draw. The root owns it and hands it to the panes; they read it only.
type data struct {
	now     time.Time        // of the last tick or reading; View's only clock
	last    lab.Update       // State is nil where no lab runs
	sweep   *sweep           // the last look at all pending entries of this group; nil is none
	letters *lettersLook     // the last look at all dead letters of this group; nil is none
	watch   *watching        // what there is besides where streams of others are watched; nil in a lab
	good    *redisq.Snapshot // the last reading that went well, or nil
	silent  time.Time        // since when the readings fail, zero while they go well
	history *redisq.History
	rates   redisq.Rates // of history, computed when a reading came
	drain   redisq.Drain // likewise
	news    news
	stale   bool          // good is older than it should be: draw it dimmed, with its age
	held    bool          // the screen is held still
	every   time.Duration // how often Redis is read
	permits permits       // what may be changed
	chosen  string        // the selected worker, which x, X and s act on; "" is none
	plain   bool          // no colour
	zoom    int           // of the time axis: halved or doubled that often
	told    bool          // in lines of text, which tell of events too: what one said is not said again
	keyless bool          // no key would change anything: in lines of text, or while an experiment plays
	look    *look
	keys    KeyMap

	// clipboard returns a command that puts text into the terminal's clipboard (OSC 52) and comes back as a notice; nil
	// where there is none. It must write between frames, through the same lock: see clipboardTo.
	clipboard func(text string) tea.Cmd
}

// pane is one region of the screen.
type pane interface {
	// Name is the word in its title and in the help: "Pending".
	Name() string
	// Title is the text set into the upper border, made harmless; it may be cut.
	Title(d *data) string
	// Data is called when a new reading came: rows are formatted here, not in Lines.
	Data(d *data)
	// Key handles a key when the pane has the focus; false passes it on to the root's keys.
	Key(d *data, k tea.KeyMsg) (tea.Cmd, bool)
	// Lines returns exactly height lines, each exactly width cells wide, without border.
	Lines(d *data, width, height int, focused bool) []string
	// Help lists the bindings that mean something here now, for the key bar.
	Help(d *data) []key.Binding
	// Capturing says that the pane takes every key (an input is open): global keys are off but ctrl+c.
	Capturing() bool
}

// selectable panes tell what is selected, by id and never by row.
type selectable interface {
	// Selected returns the id under the cursor, "" where there is none.
	Selected() string
}

// leaver is a selectable pane that remembers that the selected thing went away by itself, so that a key pressed in that
// moment is not spent on its neighbour.
type leaver interface {
	// Left returns the id that was under the cursor and left within the last second, "" if none did; a key that the
	// pane took in the meantime forgets it.
	Left() string
	// Settle forgets it: the person was told.
	Settle()
}

// openMsg asks the root to open the detail of a message: newDetail(kind, id, lab). The panes send it on the Open key.
type openMsg struct{ kind, id string }

// The kinds of openMsg and newDetail; id is that of the pending entry, or that of the letter in the dead-letter stream.
const (
	detailPending = "pending"
	detailDead    = "dead"
)

// lifecycle is a pane that wants commands run when it is opened and when it is closed again: the detail asks the lab for
// the story of its message.
type lifecycle interface {
	Opened(d *data) tea.Cmd
	Closed(d *data) tea.Cmd
}

// notice is a message for the line above the key bar; an error stays until the next key, a success goes by itself.
type notice struct {
	text string
	bad  bool
}

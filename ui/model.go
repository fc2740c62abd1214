package ui

import (
	"context"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq/desk"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/lab"
)

// Options make a Model. Zero values are documented with each.
type Options struct {
	Keys KeyMap

	// Open starts the lab after the first frame was drawn. Where it is nil, Lab and Updates are there already.
	Open    Opener
	Lab     Lab
	Updates <-chan lab.Update // nil: no data comes but what is sent as a message
	Start   *lab.Update       // a first reading to begin with; nil is none

	Stage Stage // plays experiments; nil is none

	Editor  Editor    // edits a dead letter before its replay; nil is none
	Suspend Suspender // gives the terminal to the shell for a while; nil is none

	// Watch is what is watched instead of a lab; nil is a lab.
	Watch *WatchOptions

	Theme   *cell.Theme // nil is no colour
	Glyphs  cell.Glyphs // the zero value is Unicode
	Warning string      // said in the line above the key bar until a key is pressed; "" is none

	// Interval is how often Redis is read at the beginning, for the header and for telling when data is stale; 0 is 250 ms.
	Interval time.Duration
	// Now is the clock of the tick messages and of what is done by a key; nil is time.Now.
	Now func() time.Time
	// Still turns the ticks off: the screen changes with the data and with keys only.
	Still bool

	// Present begins in the presenter's mode.
	Present bool
	// Logged returns the last lines of what libraries logged, where the readings do not bring them; nil is nobody. It must
	// not block.
	Logged func() []string

	// Terminal is what the frames are written to, for copying (OSC 52): each copy is one Write. nil is no clipboard.
	Terminal io.Writer
}

// Model is the dashboard. It is owned by the program that runs it: Update and View are called from one goroutine.
type Model struct {
	scene // what is shown

	keys  KeyMap
	open  Opener
	now   func() time.Time
	still bool
	edits Editor          // nil is none
	aside Suspender       // nil is none
	ctx   context.Context // of what commands do; ends with Close
	stop  context.CancelFunc
	err   error // why the lab did not start

	dialog dialog

	stage    Stage
	play     *play           // the experiment that plays now, nil for none
	plays    uint64          // experiments begun so far: numbers their scenes
	stepwise bool            // an experiment waits for a key after each step
	results  map[string]bool // whether the experiments held that were played
	note     notice
	noteEnd  time.Time // when a success goes; zero stays until a key
	busy     *relay    // the action that runs, nil for none
	acted    desk.Wish // what was done last: what leaves by it has not left by itself
	search   *search   // the plan that is being made, nil for none
	asked    uint64    // generation of the plan that was asked for last; others that come are stale
	decide   decider
	inHand   int // messages that workers had in hand when the program was suspended
	added    added

	present bool      // the presenter's mode
	pressed []pressed // for it, oldest first
	logged  func() []string

	width, height int // 0 before the first size message
	frame         string
	fresh         bool // frame is what View would draw
}

// commandsView is the view of the commands, which the overview shows too where it is large.
const commandsView = 4

// notices of success go after noticeFor; errors stay until a key.
const (
	noticeFor     = 8 * time.Second
	wantFor       = 3 * time.Second
	firstInterval = 250 * time.Millisecond
)

// New returns the dashboard. Nothing is read, started or drawn yet.
func New(o Options) *Model {
	if o.Theme == nil {
		o.Theme = &cell.Theme{}
	}
	if o.Glyphs == (cell.Glyphs{}) {
		o.Glyphs = cell.Unicode()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Interval <= 0 {
		o.Interval = firstInterval
	}
	d := data{plain: *o.Theme == cell.Theme{}, look: &look{theme: o.Theme, glyphs: o.Glyphs}, keys: o.Keys}
	if o.Terminal != nil {
		d.clipboard = clipboardTo(o.Terminal)
	}
	m := &Model{keys: o.Keys, open: o.Open, now: o.Now, still: o.Still, edits: o.Editor, aside: o.Suspend, stage: o.Stage, present: o.Present, logged: o.Logged}
	m.ctx, m.stop = context.WithCancel(context.Background())
	if o.Watch != nil {
		m.scene = newWatchScene(*o.Watch, o.Interval, d)
	} else if o.Open != nil {
		coming := &late{}
		m.scene = newScene(coming, o.Interval, d)
		m.late = coming
	} else {
		m.scene = newScene(o.Lab, o.Interval, d)
		m.updates = o.Updates
	}
	if o.Warning != "" {
		m.note = notice{text: clean(o.Warning)}
	}
	if o.Start != nil {
		m.take(*o.Start)
	}
	return m
}

// Err returns why the lab did not start, or nil. It is for after the program has ended.
func (m *Model) Err() error { return m.err }

// Close ends what commands of the screen still do. It is for after the program has ended.
func (m *Model) Close() { m.stop() }

// Init starts the lab, waits for data and starts the clock.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.listen(), m.listenWatch()}
	if m.open != nil {
		cmds = append(cmds, m.start())
	}
	if !m.still {
		cmds = append(cmds, m.tick())
	}
	return tea.Batch(cmds...)
}

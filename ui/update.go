package ui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// Update stores what came and turns keys into commands.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.fresh = false
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 0), max(msg.Height, 0)
		return m, nil
	case tickMsg:
		m.clock(msg.now)
		m.goOnByItself()
		return m, m.tick()
	case sceneMsg:
		return m, m.sceneMsg(msg)
	case updateMsg:
		m.receive(msg.Update)
		return m, m.listen()
	case watchMsg:
		m.receiveWatch(msg.Update)
		return m, tea.Batch(m.listenWatch(), m.askRights(false))
	case chooseMsg:
		return m, m.choose(msg.Choice)
	case sweepAskMsg:
		return m, m.askSweep()
	case lettersAskMsg:
		return m, m.askLetters()
	case lettersMsg:
		return m, m.lookedAtLetters(msg)
	case sweepMsg:
		return m, m.swept(msg)
	case lab.Update:
		m.receive(msg)
		return m, nil
	case closedMsg:
		m.updates = nil
		return m, nil
	case labMsg:
		return m, m.opened(msg)
	case tea.MouseMsg:
		return m, m.mouse(msg)
	case tea.KeyMsg:
		return m, m.key(msg)
	case resumedMsg:
		return m, m.resumed(msg)
	case planMsg:
		m.planned(msg)
		return m, nil
	case searchMsg:
		return m, m.searched(msg)
	case runMsg:
		return m, m.progressed(msg)
	case outcomeMsg:
		return m, m.done(msg)
	case editMsg:
		return m, m.editOpen(msg)
	case editedMsg:
		return m, editRead(msg)
	case editReadMsg:
		return m, m.editPlan(msg)
	case rightsMsg:
		m.takeRights(msg)
		return m, nil
	case killedMsg:
		m.killed(msg)
		return m, nil
	case loadMsg:
		m.loaded(msg)
		return m, nil
	case notice:
		m.tell(msg)
		return m, nil
	case openMsg:
		return m, m.openDetail(msg)
	}
	return m, nil
}

// clock moves the time of the screen, unless it is held.
func (m *Model) clock(now time.Time) {
	if m.d.held {
		m.fresh = true // nothing to draw: not even the time
		return
	}
	m.d.now = later(m.d.now, now)
	m.d.age()
	if !m.noteEnd.IsZero() && !m.d.now.Before(m.noteEnd) {
		m.note, m.noteEnd = notice{}, time.Time{}
	}
}

// receive takes a reading, or keeps it while the screen is held.
func (m *Model) receive(u lab.Update) {
	if m.d.held {
		m.keep(u)
		m.fresh = true
		return
	}
	m.take(u)
}

// take shows a reading.
func (m *Model) take(u lab.Update) {
	if !m.d.take(u) {
		m.fresh = m.frame != ""
		return
	}
	if m.logged != nil {
		m.d.last.Log = m.logged()
	}
	m.remember(u.Snapshot)
	if m.want != nil && u.State != nil && (u.State.Decisions == *m.want || m.d.now.After(m.wantEnd)) {
		m.want = nil
	}
	m.d.rates = m.d.history.Rates()
	m.d.drain = m.d.history.Drain(m.d.crew())
	m.d.age()
	for _, p := range m.panes() {
		p.Data(m.d)
	}
	m.d.chosen = m.workers.Selected()
	m.sayKills()
}

func (m *Model) remember(s *redisq.Snapshot) {
	switch {
	case s == nil:
	case s.Err != nil:
		m.d.history.Gap(s.At)
	default:
		m.d.history.Add(s)
	}
}

// opened takes the lab that came up, or ends the program with the reason why it did not.
func (m *Model) opened(msg labMsg) tea.Cmd {
	if msg.err != nil {
		m.err = msg.err
		return tea.Quit
	}
	m.late.open(msg.lab)
	if msg.warning != "" {
		m.note, m.noteEnd = notice{text: clean(msg.warning)}, time.Time{}
	}
	m.updates = msg.updates
	return m.listen()
}

// key routes a key: first to what asks, then to the root's own, then to the pane that has the focus.
func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	if key.Matches(k, m.keys.ForceQuit) && !k.Paste {
		return m.quit()
	}
	if m.note.bad || m.noteEnd.IsZero() {
		m.note, m.noteEnd = notice{}, time.Time{}
	}
	m.press(k)
	if m.tooSmall() {
		if key.Matches(k, m.keys.Quit) && !k.Paste {
			return m.quit()
		}
		return nil
	}
	if m.play != nil {
		m.play.linger(m.d.now)
		defer m.showResult()
	}
	if m.dialog != nil {
		if k.Paste {
			return nil
		}
		return m.dialogKey(k)
	}
	p := m.focused()
	if p.Capturing() {
		cmd, _ := p.Key(m.d, k)
		return cmd
	}
	if k.Paste {
		return nil
	}
	if m.play != nil && m.playKey(k) {
		return nil
	}
	if cmd, ok := m.globalKey(k); ok {
		return cmd
	}
	cmd, ok := p.Key(m.d, k)
	if p == pane(m.workers) {
		m.d.chosen = m.workers.Selected()
	}
	if ok {
		return cmd
	}
	return m.restKey(k)
}

// dialogKey gives a key to what asks. What closes a dialog is the same everywhere: esc, and q too, because a hand that
// wants to be rid of the help must not end the show.
func (m *Model) dialogKey(k tea.KeyMsg) tea.Cmd {
	_, typed := m.dialog.(typing)
	if key.Matches(k, m.keys.Back) && !(typed && k.Type == tea.KeyRunes) || !typed && key.Matches(k, m.keys.Quit) {
		if c, ok := m.dialog.(closer); ok {
			c.closed(m)
		}
		m.dialog = nil
		m.drop()
		return nil
	}
	asked := m.dialog
	cmd, closed := asked.key(m, k)
	if closed && m.dialog == asked { // what it did may ask something else
		m.dialog = nil
	}
	return cmd
}

// globalKey handles the keys that mean the same everywhere.
func (m *Model) globalKey(k tea.KeyMsg) (tea.Cmd, bool) {
	for i, b := range m.keys.Views {
		if key.Matches(k, b) {
			return m.show(i), true
		}
	}
	if m.watcher != nil {
		if m.notHere(k) {
			return nil, true
		}
		if key.Matches(k, m.keys.Streams) {
			return m.browse(true), true
		}
	}
	var cmd tea.Cmd
	switch {
	case key.Matches(k, m.keys.Quit):
		cmd = m.quit()
	case key.Matches(k, m.keys.Help):
		m.dialog = newHelp(m.d)
	case key.Matches(k, m.keys.Present):
		m.togglePresent()
	case key.Matches(k, m.keys.ZoomIn):
		m.zoom(-1)
	case key.Matches(k, m.keys.ZoomOut):
		m.zoom(1)
	case key.Matches(k, m.keys.Palette):
		m.dialog = newPalette(m)
	case key.Matches(k, m.keys.Kill):
		cmd = m.kill(workers.CrashNone)
	case key.Matches(k, m.keys.KillAt):
		m.askKillAt()
	case key.Matches(k, m.keys.AddWorker):
		cmd = m.addWorker()
	case key.Matches(k, m.keys.StopStart):
		cmd = m.stopStart()
	case key.Matches(k, m.keys.AddLoad):
		cmd = m.addLoad(burst, false)
	case key.Matches(k, m.keys.AddPoison):
		cmd = m.addLoad(1, true)
	case key.Matches(k, m.keys.RateUp):
		cmd = m.stepRate(1)
	case key.Matches(k, m.keys.RateDown):
		cmd = m.stepRate(-1)
	case key.Matches(k, m.keys.Replay):
		cmd = m.replay()
	case key.Matches(k, m.keys.ReplayAll):
		cmd = m.replayAll()
	case key.Matches(k, m.keys.Act):
		cmd = m.askAct()
	case key.Matches(k, m.keys.Undo):
		cmd = m.wish(desk.Wish{Deed: desk.BringBack})
	case key.Matches(k, m.keys.Decisions):
		m.askDecisions()
	case key.Matches(k, m.keys.Experiments):
		m.askExperiments()
	case key.Matches(k, m.keys.NextPane):
		m.turn(1)
	case key.Matches(k, m.keys.PrevPane):
		m.turn(-1)
	case key.Matches(k, m.keys.Pause):
		m.hold()
	case key.Matches(k, m.keys.Interval):
		cmd = m.nextInterval()
	case key.Matches(k, m.keys.Suspend):
		cmd = m.suspend()
	default:
		return nil, false
	}
	return cmd, true
}

// restKey handles what the pane with the focus had no use for.
func (m *Model) restKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case m.stepKey(k):
	case key.Matches(k, m.keys.Open) && m.onDoctor():
		return m.openFinding()
	case key.Matches(k, m.keys.Back):
		return m.back()
	case key.Matches(k, m.keys.Explain):
		m.askExplain()
	default:
		if why := m.noUse(k); why != "" {
			m.say(why)
		}
	}
	return nil
}

// back closes the detail, or goes back to the overview.
func (m *Model) back() tea.Cmd {
	if m.detail != nil && !m.browsing() {
		return m.closeDetail()
	}
	switch {
	case m.watcher == nil:
	case m.d.watch.browsing:
		return m.browse(false)
	case m.view == 0:
		return m.browse(true)
	}
	m.view = 0
	return nil
}

func (m *Model) openDetail(msg openMsg) tea.Cmd {
	closed := m.closeDetail()
	m.detail, m.detailOf = newDetail(msg.kind, msg.id, m.source), msg
	m.detail.Data(m.d)
	if l, ok := m.detail.(lifecycle); ok {
		return tea.Sequence(closed, l.Opened(m.d))
	}
	return closed
}

func (m *Model) closeDetail() tea.Cmd {
	l, ok := m.detail.(lifecycle)
	m.detail = nil
	if ok {
		return l.Closed(m.d)
	}
	return nil
}

// show goes to a view.
func (m *Model) show(view int) tea.Cmd {
	if view > len(m.views) {
		return nil
	}
	m.view = view
	if m.browsing() {
		return m.browse(false)
	}
	return m.closeDetail()
}

// turn moves the focus among the panes of the overview.
func (m *Model) turn(by int) {
	if m.detail != nil || m.view > 0 || m.browsing() {
		return
	}
	ring := m.ring()
	for i, p := range ring {
		if p == m.focus {
			m.focus = ring[(i+by+len(ring))%len(ring)]
			return
		}
	}
	m.focus = ring[0]
}

// ring lists the panes of the overview that can have the focus, in the order of tab.
func (m *Model) ring() []pane {
	return []pane{m.first, m.pending, m.dead, m.second, m.figures}
}

func (m *Model) quit() tea.Cmd {
	m.stop()
	return tea.Quit
}

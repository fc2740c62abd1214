package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/watch"
)

func bindNamed(help, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
}

func TestWatchScreens(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"60x15", 60, 15}, {"80x24", 80, 24}, {"120x36", 120, 36}, {"200x60", 200, 60}} {
		t.Run(size.name, func(t *testing.T) {
			watchedMinute(t, size.width, size.height).golden("watch_" + size.name)
			listedStreams(t, size.width, size.height).golden("watch_streams_" + size.name)
			s := watchedMinute(t, size.width, size.height)
			s.press("6")
			s.golden("watch_doctor_" + size.name)
		})
	}
	s := watchedMinute(t, 120, 36)
	s.press("?")
	s.golden("watch_help_120x36")
	s.press("esc", "3")
	s.golden("watch_consumers_120x36")
}

func TestWatchBeforeAnythingIsKnown(t *testing.T) {
	s := watchStage(t, 120, 36, watch.Choice{})
	s.wants("READ-ONLY", "LOOKING", "redis.example:6379", "Looking for streams")
	s.check()
	s.send(watchMsg{watch.Update{Streams: &watch.Streams{At: sampleNow, Ended: true}}})
	s.wants("There is no stream on this server")
	s.send(watchMsg{watch.Update{Streams: &watch.Streams{At: sampleNow, Err: &redisq.Error{
		Op: "look for streams", Code: "NOPERM", Err: errors.New("NOPERM no permissions to run the 'scan' command"),
	}}}})
	s.wants("NO LIST", "name a stream with --stream")
	s = watchStage(t, 120, 36, mailers)
	s.wants("READING", "orders ▸ mailers")
	s.check()
}

// A server that is away or loading at the start is tried, and what it says is on the screen.
func TestWatchWaitsForAServer(t *testing.T) {
	loading := &redisq.Error{
		Op: "look for streams", Code: "LOADING", Err: errors.New("LOADING Redis is loading the dataset in memory"), Hint: "the server is reading its data",
	}
	s := watchStage(t, 80, 24, watch.Choice{})
	s.send(watchMsg{watch.Update{Streams: &watch.Streams{At: sampleNow, Err: loading}}})
	s.wants("NO ANSWER", "trying: look for streams: LOADING", "Tried since "+clockText(sampleNow))
	s.check()
	s.m.Update(tickMsg{sampleNow.Add(12 * time.Second)})
	s.wants("still trying after 12 s: look for streams: LOADING")

	s = watchStage(t, 80, 24, mailers)
	failed := watch.Update{Chosen: mailers, Snapshot: &redisq.Snapshot{At: sampleNow, Generation: 1, Err: loading}}
	s.send(watchMsg{failed})
	s.wants("NO ANSWER", "trying: look for streams: LOADING", "not known: the server has not answered yet")
	failed.Snapshot = &redisq.Snapshot{At: sampleNow.Add(9 * time.Second), Generation: 2, Err: loading}
	s.send(watchMsg{failed})
	s.wants("still trying after 9.0 s: look for streams: LOADING")
	s.check()
	s.send(watchMsg{watchUpdate(sampleNow.Add(10 * time.Second))})
	s.lacks("trying")
}

func TestWatchChooses(t *testing.T) {
	s := listedStreams(t, 120, 36)
	s.wants("> clicks", "TRIMMED UNREAD", "? no permi", "dead letters", "clicks ▸ count: entries were trimmed before the group read them", "5 streams with 4 groups: 3 need a look")
	s.press("esc")
	s.wants("choose a group first")
	s.press("down", "down")
	s.wants("secret ▸ g: no permission: XPENDING (user ro)")
	s.press("up", "enter")
	s.lab.expect("Choose orders mailers", "Browse false")
	s.wants("orders ▸ mailers", "READING")
	// A reading of another group, on its way since before, is not shown as this one's.
	old := watchUpdate(sampleNow)
	old.Chosen = watch.Choice{Stream: "clicks", Group: "count"}
	s.send(watchMsg{old})
	s.wants("READING")
	s.send(watchMsg{watchUpdate(sampleNow)})
	s.wants("STUCK CONSUMER", "worker-1 holds 2 entries")
	s.press("c")
	s.lab.expect("Browse true")
	s.wants("5 streams", "> orders")
	s.press("esc")
	s.lab.expect("Browse false")
	s.wants("STUCK CONSUMER")
	s.press("esc") // from the overview back to the list
	s.lab.expect("Browse true")
	s.press("up", "enter")
	s.lab.expect("Choose clicks count", "Browse false")
	s.lacks("worker-1", "STUCK CONSUMER")
	s.check()
}

// The only group there is was chosen by the watching itself.
func TestWatchShowsWhatWasChosenForIt(t *testing.T) {
	s := watchStage(t, 120, 36, watch.Choice{})
	s.send(watchMsg{watchUpdate(sampleNow)})
	s.wants("STUCK CONSUMER", "orders ▸ mailers", "redis.example:6379", "valkey 8.1.1 master")
}

func TestKeysOfTheLabSayWhyTheyAreOff(t *testing.T) {
	s := watchedMinute(t, 120, 36)
	for _, k := range []string{"x", "X", "a", "s", "l", "b", "+", "-", "d", "m"} {
		s.press(k)
		s.wants("is for the lab")
	}
	for _, k := range []string{"r", "R", ".", "u", "v", "V"} {
		s.press(k)
		s.wants("is off: read-only: start with --write")
	}
	s.lab.expect()
	s.press("space")
	s.press("space") // the notice goes
	bar := s.text()[strings.LastIndexByte(s.text(), '\n'):]
	for _, word := range []string{"kill", "load", "worker", "decisions", "replay", "rate", "experiments"} {
		if strings.Contains(bar, word) {
			t.Errorf("the key bar has %q: %s", word, bar)
		}
	}
	if !strings.Contains(bar, "streams") {
		t.Errorf("the key bar does not lead to the list: %s", bar)
	}
	s.press("?")
	s.lacks("SIGKILL", "queue.add")
}

func TestWatchVerdict(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(u *watch.Update)
		word   string
		says   string
	}{
		{"no stream", func(u *watch.Update) { u.Snapshot.Stream.Missing = true }, "NOT THERE", "there is no stream orders"},
		{"no group", func(u *watch.Update) { u.Snapshot.Group.Missing = true }, "NOT THERE", "no group mailers on orders"},
		{"wrong type", func(u *watch.Update) { u.Snapshot.Stream.WrongType = "list" }, "NOT THERE", "holds a list"},
		{"replaced", func(u *watch.Update) {
			u.Snapshot.Problems = []redisq.Problem{{Panel: "stream", Code: redisq.ProblemReplaced, Text: "stream was replaced"}}
		}, "WENT BACK", "stream was replaced"},
		{"lost", func(u *watch.Update) { u.Snapshot.Err = errors.New("connection refused") }, "NO ANSWER", "connection refused"},
		{"info only", func(u *watch.Update) {
			u.Doctor.Findings = []doctor.Finding{{Code: doctor.Replica, Severity: doctor.Info, Text: "This is a replica."}}
		}, "FALLING BEHIND", "5.0/s come in, 3.0/s are done by 1 active consumer: never drains, 2 like these would"},
		{"nothing wrong", func(u *watch.Update) { u.Doctor.Findings = nil }, "FALLING BEHIND", "capacity"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := watchedMinute(t, 160, 40)
			u := watchUpdate(sampleNow.Add(500 * time.Millisecond))
			c.change(&u)
			s.send(watchMsg{u})
			if got := verdict(s.m.d).word; got != c.word {
				t.Errorf("the verdict is %s, should be %s", got, c.word)
			}
			s.wants(c.word, c.says)
			s.check()
		})
	}
}

func TestDoctorCopiesTheRemedy(t *testing.T) {
	s := watchedMinute(t, 120, 36)
	s.press("6", "y")
	ids := watchUpdate(sampleNow).Doctor.Findings[0].IDs
	s.wants("XCLAIM orders mailers worker-2 60000 "+ids[0]+" "+ids[1], "pending 2", "oldest idle 9 min")
	s.press("down")
	s.wants("XRANGE orders:dlq - +")
	s.check()
}

// Thousands of streams are shown by the beginnings of their names.
func TestThousandsOfStreams(t *testing.T) {
	s := watchStage(t, 120, 36, watch.Choice{})
	list := sampleStreams(sampleNow)
	for i := range 10_000 {
		r := list.Rows[3]
		r.Stream = fmt.Sprintf("tenant:%d:%s:%d", i%50, []string{"mail", "push"}[i%2], i)
		list.Rows = append(list.Rows, r)
	}
	list.Found, list.Looked = 10_005, 10_005
	s.send(watchMsg{watch.Update{Streams: list}})
	s.wants("> clicks", "tenant:*", "10000")
	s.press("end", "enter")
	s.wants("tenant:7:*", "200", "tenant:* · esc goes back")
	for range 50 {
		s.press("down")
	}
	s.press("esc")
	s.wants("> tenant:*")
	s.press("/")
	for _, r := range "mail:4242" {
		s.press(string(r))
	}
	s.press("enter")
	s.wants("tenant:42:mail:4242")
	s.lacks("clicks")
	s.press("enter")
	s.lab.expect("Choose tenant:42:mail:4242 thumbs", "Browse false")
	s.check()
}

func TestManyConsumers(t *testing.T) {
	s := watchStage(t, 120, 36, mailers)
	u := watchUpdate(sampleNow)
	for i := range 50_000 {
		u.Snapshot.Group.Consumers = append(u.Snapshot.Group.Consumers, redisq.Consumer{
			Name: fmt.Sprintf("%s-7f7684b54f-%d", []string{"pod", "cron"}[i%2], i), Idle: known(7_200_000), Inactive: known(7_200_000),
		})
	}
	u.Snapshot.Group.Members = known(50_003)
	s.send(watchMsg{u})
	s.press("3")
	s.wants("worker-1", "STUCK", "pod-*  25000 consumers", "all quiet", "Consumers 50003 · 1 active, 2 hold something")
	for range 50 {
		s.press("down")
	}
	s.press("end", "up", "enter")
	s.wants("pod-* · esc goes back")
	s.press("down", "pgdown", "end", "esc")
	s.check()
}

// A screen that is held keeps what came, also what is not of the lab.
func TestWatchHeld(t *testing.T) {
	s := watchedMinute(t, 120, 36)
	s.press("space")
	u := watchUpdate(sampleNow.Add(time.Second))
	u.Doctor.Findings = u.Doctor.Findings[1:]
	s.send(watchMsg{u})
	s.wants("HELD", "STUCK CONSUMER")
	s.press("space")
	s.lacks("HELD", "STUCK CONSUMER")
	s.check()
}

// Names of the server never reach the terminal as controls, wherever they stand.
func TestWatchHostileNames(t *testing.T) {
	const evil = "e\x1b]0;own\x07\x9b31m\u202e\u2028日本\n"
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}, {200, 60}} {
		s := watchStage(t, size[0], size[1], watch.Choice{})
		u := watchUpdate(sampleNow)
		for i := range u.Streams.Rows {
			u.Streams.Rows[i].Stream += evil
			u.Streams.Rows[i].Group += evil
		}
		u.Chosen = watch.Choice{Stream: evil, Group: evil}
		u.Snapshot.Queue = redisq.Queue{Stream: evil, Group: evil, DeadLetter: evil}
		for i := range u.Snapshot.Group.Consumers {
			u.Snapshot.Group.Consumers[i].Name += evil
		}
		f := &u.Doctor.Findings[0]
		f.Text, f.Stream, f.Group, f.Consumer, f.IDs = evil+f.Text, evil, evil, evil, []string{evil}
		f.Remedies[0].Commands[0][1] = evil
		f.Evidence = append(f.Evidence, doctor.Fact{Name: "x", Value: evil}, doctor.Fact{Name: "y", Value: []string{evil}})
		u.Events = append(u.Events, watch.Event{At: sampleNow, Text: evil, Mark: true})
		s.send(watchMsg{watch.Update{Streams: u.Streams}})
		s.check()
		s.send(chooseMsg{u.Chosen})
		s.send(watchMsg{u})
		for _, k := range []string{"2", "3", "4", "5", "6", "y", "down", "1", "tab", "?", "esc", "c", "y", "o"} {
			s.press(k)
			s.check()
		}
	}
}

func TestFold(t *testing.T) {
	show := func(names []string) string {
		var all []string
		for _, f := range fold(names) {
			if f.prefix == "" {
				all = append(all, names[f.members[0]])
			} else {
				all = append(all, fmt.Sprintf("%s*%d", f.prefix, len(f.members)))
			}
		}
		return strings.Join(all, " ")
	}
	numbered := func(prefix string, n int) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprint(prefix, i))
		}
		return names
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"a", "b"}, "a b"},
		{append(numbered("a:x:", 6), numbered("b:", 6)...), "a:*6 b:*6"},
		{append(numbered("a:x:", 6), numbered("a:y:", 4)...), "a:x:*6 a:y:0 a:y:1 a:y:2 a:y:3"},
		{append(numbered("w", 9), "x"), "w*9 x"},
		{numbered("pod-7f-", 3), "pod-7f-0 pod-7f-1 pod-7f-2"},
		{append(numbered("", 5), "q"), "0 1 2 3 4 q"},
	} {
		if got := show(c.names); got != c.want {
			t.Errorf("%v: %s, want %s", c.names, got, c.want)
		}
	}
}

// A stream whose groups may not be read is not called one without a group.
func TestStreamsListOfWhatMayNotBeRead(t *testing.T) {
	s := watchStage(t, 120, 36, watch.Choice{})
	row := watch.Row{
		Choice: watch.Choice{Stream: "hidden"}, Trouble: redisq.TroubleUnknown, Note: "no permission: XINFO GROUPS (user ro)",
		Length: redisq.Unknown("no permission"), Dead: known(0),
	}
	s.send(watchMsg{watch.Update{Streams: &watch.Streams{At: sampleNow, Found: 1, Looked: 1, Ended: true, Rows: []watch.Row{row}}}})
	s.wants("> hidden", "? no permission", "hidden: no permission: XINFO GROUPS (user ro)", "1 needs a look")
	s.lacks("none", "no group")
}

package redisq

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

func TestReadOnlyClientSendsNothingElse(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 2)
		b.read("w1", 1)
		log := NewCommandLog(1000)
		c := connect(t, s.URL, Options{Name: "watch", ReadOnly: true, Log: log})
		g := NewGroup(c, b.q)
		for what, err := range map[string]error{
			"Ensure":     second(g.Ensure(t.Context())),
			"Add":        second(g.Add(t.Context(), []Field{{"a", "1"}}, AddOptions{})),
			"limited":    second(g.Add(t.Context(), []Field{{"a", "1"}}, AddOptions{Limit: 9})),
			"ReadNew":    second(g.ReadNew(t.Context(), "w1", 1, 0)),
			"Claim":      second(g.Claim(t.Context(), "w1", ClaimOptions{})),
			"Ack":        second(g.Ack(t.Context(), "w1", Held{"1-0", 1})),
			"DeadLetter": second(g.DeadLetter(t.Context(), "w1", Held{"1-0", 1}, "x")),
			"Push":       g.Push(t.Context(), nil, AddOptions{}),
			"Record":     second(g.Record(t.Context(), "1-0", time.Minute)),
			"raw":        second(c.Do(t.Context(), "xgroup", "destroy", b.q.Stream, "g")),
			"config set": second(c.Do(t.Context(), "CONFIG", "SET", "maxmemory", "1")),
			"no command": second(c.Do(t.Context(), "FLUSHALL")),
			"unknown":    second(c.Do(t.Context(), "XSOMETHINGNEW", "x")),
			"xinfo":      second(c.Do(t.Context(), "XINFO")),
		} {
			if CodeOf(err) != CodeReadOnly {
				t.Errorf("%s: %v, want %s", what, err, CodeReadOnly)
			}
		}
		_, err := c.pipeline(t.Context(), [][]any{{"XLEN", b.q.Stream}, {"DEL", b.q.Stream}})
		same(t, "a pipeline with one among reads", CodeOf(err), CodeReadOnly)
		sameText(t, "nothing changed", b.pending(), []string{"1-0 w1 1"})
		for _, sent := range log.Last(1000) {
			if sent.Args[0] != "HELLO" {
				t.Errorf("sent %v", sent.Args)
			}
		}
		if got := NewObserver(c, b.q, ObserverOptions{}).Read(t.Context()); got.Err != nil || problems(got) != "" {
			t.Errorf("observing: %v %s", got.Err, problems(got))
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestPasswordIsNowhere(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		if s.Embedded {
			return // it has no ACL; its password would be everybody's
		}
		b := grouped(t, s)
		user, pass := "u"+rand.Text(), secret+rand.Text()
		b.do("ACL", "SETUSER", user, "on", ">"+pass, "~*", "+@all", "-client")
		defer b.do("ACL", "DELUSER", user)
		log := NewCommandLog(1000)
		var library strings.Builder
		SilenceLibrary(&library)
		defer SilenceLibrary(nil)
		look := func(target Target, wantErr string) {
			t.Helper()
			c := ok[*Client](t)(Connect(target, Options{Name: "observer", Log: log}))
			defer c.Close()
			_, err := c.Identify(t.Context())
			same(t, "code", CodeOf(err), wantErr)
			if err != nil {
				for e := error(err); e != nil; e = errors.Unwrap(e) {
					if strings.Contains(fmt.Sprintf("%v %+v %#v", e, e, e), secret) {
						t.Errorf("an error shows it: %v", e)
					}
				}
			}
			snap := NewObserver(c, b.q, ObserverOptions{}).Read(t.Context())
			if strings.Contains(fmt.Sprintf("%+v", *snap), secret) {
				t.Error("the snapshot shows it")
			}
			same(t, "reading", CodeOf(snap.Err), wantErr)
		}
		target := ok[Target](t)(ParseTarget(s.URL))
		look(target.WithPassword(user, pass), "") // -client: a name for the connection must do no harm
		look(target.WithPassword(user, pass+"x"), "WRONGPASS")
		look(target.WithPassword("nobody", pass), "WRONGPASS")
		hello := 0
		for _, sent := range log.Last(1000) {
			if line := RedisCLI(sent.Args); strings.Contains(line, secret) || strings.Contains(sent.Err, secret) {
				t.Errorf("the log shows it: %s %s", line, sent.Err)
			}
			if strings.Join(sent.Args, " ") == "HELLO 2 auth (redacted)" || strings.Join(sent.Args, " ") == "hello 2 auth (redacted)" {
				hello++
			}
		}
		if hello == 0 {
			t.Errorf("the handshake is not in the log: %v", log.Last(10))
		}
		if strings.Contains(library.String(), secret) {
			t.Errorf("the library's log shows it: %s", library.String())
		}
	})
}

func TestNoPasswordGiven(t *testing.T) {
	private := redistest.Private(t)
	if private.Embedded() {
		return
	}
	b := privateBed(t, private.URL(), Options{})
	b.do("CONFIG", "SET", "requirepass", secret)
	c := connect(t, private.URL(), Options{})
	_, err := c.Identify(t.Context())
	same(t, "code", CodeOf(err), "NOAUTH")
	if !strings.Contains(err.Error(), "give a user and password") {
		t.Errorf("it does not say what to do: %v", err)
	}
	same(t, "reading", CodeOf(NewObserver(c, b.q, ObserverOptions{}).Read(t.Context()).Err), "NOAUTH")
}

func TestNobodyListens(t *testing.T) {
	const addr = "127.0.0.1:1"
	c := connect(t, addr, Options{})
	_, err := c.Identify(t.Context())
	same(t, "code", CodeOf(err), CodeRefused)
	same(t, "text", err.Error(), "connect to redis://"+addr+": connection refused; is a Redis server running there?")
	_, err = NewGroup(c, NewQueue("q", "g")).Add(t.Context(), []Field{{"a", "1"}}, AddOptions{})
	same(t, "an addition was surely not made", CodeOf(err), CodeRefused)
}

func TestSilentPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // connects, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := connect(t, l.Addr().String(), Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = c.Do(ctx, "XADD", "q", "*", "a", "1")
	if code := CodeOf(err); code != CodeTimeout {
		t.Errorf("code %s of %v: the command itself was never sent", code, err)
	}
	if took := time.Since(began); took >= replyTimeout {
		t.Errorf("took %v with a deadline of 0.3 s", took)
	}
}

func TestCloseEndsABlockedRead(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		c := connect(t, s.URL, Options{Name: "worker"})
		done := make(chan error, 1)
		go func() {
			_, err := NewGroup(c, b.q).ReadNew(context.Background(), "w1", 1, maxBlock)
			done <- err
		}()
		// The embedded server lists the consumer only after a read that brought something: wait for a connection instead.
		within(t, "it is connected", func() bool { return c.universal().PoolStats().TotalConns > 0 })
		began := time.Now()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err == nil {
			t.Error("no error from a read whose client was closed")
		}
		if took := time.Since(began); took >= maxBlock {
			t.Errorf("took %v: the read went on to its end", took)
		}
		if err := c.Close(); err != nil {
			t.Errorf("closed twice: %v", err)
		}
		_, err := c.Do(t.Context(), "PING")
		same(t, "after that", CodeOf(err), CodeClosed)
	})
}

// How long a read may block is the client's to say.
func TestBlockIsCut(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		for reader, want := range map[bool]string{false: "2000", true: "10000"} {
			log := NewCommandLog(10)
			c := connect(t, s.URL, Options{Reader: reader, Log: log})
			done := make(chan error, 1)
			go func() {
				_, err := NewGroup(c, b.q).ReadNew(context.Background(), "w1", 1, time.Hour)
				done <- err
			}()
			within(t, "it is connected", func() bool { return c.universal().PoolStats().TotalConns > 0 })
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			<-done
			sent := log.Last(1)
			if len(sent) != 1 {
				t.Fatal("the read is not in the log")
			}
			same(t, "block", sent[0].Args[slices.Index(sent[0].Args, "BLOCK")+1], want)
		}
	})
}

func TestErrorsAreHarmlessAndMatched(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		c := connect(t, s.URL, Options{})
		_, err := c.Do(t.Context(), "XADD\x1b[2J", "q")
		if err == nil || strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("%q", err)
		}
		var e *Error
		if !errors.As(err, &e) || e.Code != "ERR" {
			t.Errorf("%#v", err)
		}
		for range 3 {
			same(t, "no Do of nothing", CodeOf(second(c.Do(t.Context()))), "ERR")
		}
	})
}

func TestCommandLog(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		log := NewCommandLog(100)
		b := grouped(t, s)
		g := NewGroup(connect(t, s.URL, Options{Name: "action", Log: log}), b.q)
		b.add(1, 3)
		_ = ok[[]Entry](t)(g.ReadNew(t.Context(), "w1", 2, 0))
		seq := log.Seq()
		_ = ok[Claim](t)(g.Claim(t.Context(), "w2", ClaimOptions{MaxDeliveries: 5}))
		_ = ok[[]HeldResult](t)(g.Ack(t.Context(), "w2", Held{"1-0", 2}, Held{"9-0", 1}))
		_ = ok[HeldResult](t)(g.DeadLetter(t.Context(), "w1", Held{"2-0", 1}, "why"))
		_, _ = g.Add(t.Context(), []Field{{"k", strings.Repeat("x", 5000)}}, AddOptions{MaxLen: 9})
		_, err := g.Add(t.Context(), []Field{{"k", "v"}}, AddOptions{Limit: 1})
		same(t, "full", CodeOf(err), CodeFull)
		var lines []string
		for _, c := range log.Last(int(log.Seq() - seq)) {
			if c.Client != "action" || c.At.IsZero() || c.Err != "" {
				t.Errorf("%+v", c)
			}
			lines = append(lines, strings.ReplaceAll(RedisCLI(c.Args), b.q.Stream, "Q"))
		}
		sameText(t, "scripts stand as what they ran", strings.Join(lines, "\n"), strings.Join([]string{
			`XPENDING Q g - + 100`,
			`XCLAIM Q g w2 0 1-0`,
			`XPENDING Q g 1-0 9-0 2 w2`,
			`XACK Q g 1-0`,
			`XPENDING Q g 2-0 2-0 1`,
			`XADD {Q}:dead * unacked:stream Q unacked:group g unacked:entry 2-0 "…" unacked:deliveries 1 unacked:consumer w1 unacked:reason why "…"`,
			`XACK Q g 2-0`,
			`XADD Q MAXLEN 9 * k "` + strings.Repeat("x", 1024) + `…(+3976 bytes)"`,
			`XINFO GROUPS Q`,
		}, "\n"))
		_, _ = g.c.Do(t.Context(), "XGROUP", "CREATE", b.q.Stream, "g", "0")
		last := log.Last(1)[0]
		same(t, "what the server said", last.Err, "BUSYGROUP Consumer Group name already exists")
	})
}

func TestCommandLogKeepsTheLast(t *testing.T) {
	l := NewCommandLog(3)
	same(t, "empty", len(l.Last(5)), 0)
	for i := range 5 {
		l.add(Command{Args: []string{fmt.Sprint(i)}})
	}
	got := ""
	for _, c := range l.Last(10) {
		got += c.Args[0]
	}
	same(t, "the last three, oldest first", got, "234")
	same(t, "the last one", l.Last(1)[0].Args[0], "4")
	same(t, "ever", l.Seq(), 5)
	var none *CommandLog
	same(t, "no log", len(none.Last(1))+int(none.Seq()), 0)
}

func TestRedisCLI(t *testing.T) {
	for want, args := range map[string][]string{
		`XADD q * a 1`:                                {"XADD", "q", "*", "a", "1"},
		`XPENDING {emails} mailers - + 10`:            {"XPENDING", "{emails}", "mailers", "-", "+", "10"},
		`XREADGROUP GROUP g c STREAMS q >`:            {"XREADGROUP", "GROUP", "g", "c", "STREAMS", "q", ">"},
		`SET k ""`:                                    {"SET", "k", ""},
		`SET k "a b"`:                                 {"SET", "k", "a b"},
		`SET k "it's \"q\" \\ "`:                      {"SET", "k", `it's "q" \ `},
		`SET k "\n\r\t\x00\x1b[2J\x7f"`:               {"SET", "k", "\n\r\t\x00\x1b[2J\x7f"},
		`SET k "\xff\xfe"`:                            {"SET", "k", "\xff\xfe"},
		`SET k "日本語"`:                                 {"SET", "k", "日本語"},
		`SET k "\xc2\x9b31m\xe2\x80\xae\xe2\x80\xa8"`: {"SET", "k", "\u009b31m\u202e\u2028"},
		`SET k "#x" "a;b" "!" "?"`:                    {"SET", "k", "#x", "a;b", "!", "?"},
	} {
		same(t, "quoted", RedisCLI(args), want)
	}
}

// A connection that the server refuses is no reply: the commands of a pipeline were not answered with nothing.
func TestRefusedConnectionIsNoReply(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		proxy := s.NewProxy(t)
		target := ok[Target](t)(ParseTarget(proxy.URL()))
		target.DB = 1 // which a new connection has to ask for
		c := ok[*Client](t)(Connect(target, Options{}))
		defer c.Close()
		q := Queue{Stream: s.Key(t, "q"), Group: "g"}
		direct := ok[Target](t)(ParseTarget(s.URL))
		direct.DB = 1
		writer := ok[*Client](t)(Connect(direct, Options{}))
		defer writer.Close()
		ok[any](t)(writer.Do(t.Context(), "XGROUP", "CREATE", q.Stream, q.Group, "0", "MKSTREAM"))
		defer func() { _, _ = writer.Do(context.Background(), "DEL", q.Stream) }()
		o := NewObserver(c, q, ObserverOptions{})
		for _, text := range []string{
			"ERR max number of clients reached", "WRONGPASS invalid username-password pair", "LOADING Redis is loading",
		} {
			snap := o.Read(t.Context())
			same(t, "it is well", snap.Err, nil)
			same(t, "the group is there", snap.Group.Missing, false)
			// The connection is lost, and the next is refused, in the middle of a reading too.
			proxy.CutReply(1, func([]string) bool { return true })
			_, err := c.pipeline(t.Context(), [][]any{{"XLEN", q.Stream}})
			same(t, "the reply was cut", err != nil, true)
			proxy.Answer(text, func([]string) bool { return true })
			results, err := c.pipeline(t.Context(), [][]any{{"XINFO", "GROUPS", q.Stream}, {"XLEN", q.Stream}})
			for _, r := range results {
				same(t, "a reply", r.reply, nil)
				if err == nil {
					err = r.err
				}
			}
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%v, want %s", err, text)
			}
			same(t, "a reading fails", o.Read(t.Context()).Err != nil, true)
			proxy.Answer("", nil)
		}
	})
}

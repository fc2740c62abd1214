package plain

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

// fake is a server that answers as a script says: for states that no server here can be brought into.
type fake struct {
	t      *testing.T
	answer func(command string) string // RESP; "" hangs up
	url    string
}

func newFake(t *testing.T, answer func(command string) string) *fake {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, answer: answer, url: "redis://" + l.Addr().String()}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			wg.Go(func() { f.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return f
}

func (f *fake) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	number := func() int {
		line, _ := in.ReadString('\n')
		n, _ := strconv.Atoi(strings.Trim(line, "*$\r\n"))
		return n
	}
	for {
		n := number()
		if n <= 0 {
			return
		}
		var words []string
		for range n {
			word := make([]byte, number()+2)
			if _, err := io.ReadFull(in, word); err != nil {
				return
			}
			words = append(words, string(word[:len(word)-2]))
		}
		words[0] = strings.ToUpper(words[0])
		reply := f.answer(strings.Join(words, " "))
		if words[0] == "HELLO" && reply == "+OK\r\n" {
			reply = array(bulk("server"), bulk("redis"), bulk("version"), bulk("8.8.0"), bulk("proto"), ":2\r\n", bulk("id"), ":1\r\n",
				bulk("mode"), bulk("standalone"), bulk("role"), bulk("master"), bulk("modules"), array())
		}
		if reply == "" {
			return
		}
		if _, err := io.WriteString(conn, reply); err != nil {
			return
		}
	}
}

func bulk(s string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(s), s) }

func array(items ...string) string {
	return fmt.Sprintf("*%d\r\n%s", len(items), strings.Join(items, ""))
}

func integer(n int64) string { return fmt.Sprintf(":%d\r\n", n) }

// Redis 8.8: XNACK leaves rows of nobody, idle -1, with the largest count there is where they were marked fatal.
func TestReleasedEntries(t *testing.T) {
	f := newFake(t, func(command string) string {
		body := func(id string) string { return array(bulk(id), array(bulk("order"), bulk("31"))) }
		switch {
		case strings.HasPrefix(command, "XINFO STREAM"):
			return array(bulk("length"), integer(3), bulk("last-generated-id"), bulk("3-0"), bulk("max-deleted-entry-id"), bulk("0-0"),
				bulk("entries-added"), integer(3), bulk("first-entry"), body("1-0"), bulk("last-entry"), body("3-0"))
		case strings.HasPrefix(command, "XINFO GROUPS"):
			return array(array(bulk("name"), bulk("g"), bulk("consumers"), integer(1), bulk("pending"), integer(3), bulk("last-delivered-id"),
				bulk("3-0"), bulk("entries-read"), integer(3), bulk("lag"), integer(0)))
		case strings.HasPrefix(command, "XINFO CONSUMERS"):
			return array(array(bulk("name"), bulk("w1"), bulk("pending"), integer(1), bulk("idle"), integer(20), bulk("inactive"), integer(-1)))
		case strings.HasPrefix(command, "XPENDING"):
			return array(
				array(bulk("1-0"), bulk(""), integer(-1), integer(9223372036854775807)),
				array(bulk("2-0"), bulk(""), integer(-1), integer(2)),
				array(bulk("3-0"), bulk("w1"), integer(20), integer(1)),
			)
		case strings.HasPrefix(command, "XRANGE"):
			return array(body(strings.Fields(command)[2]))
		case strings.HasPrefix(command, "XLEN"):
			return integer(0)
		}
		return "+OK\r\n"
	})
	b := &bed{t: t, url: f.url, key: "q"}
	got := b.snapshot(SnapshotOptions{Pending: 5})
	same(t, "version", text(at(got, "server version")), "8.8.0")
	same(t, "entries", entriesOf(got), "1-0 null 9223372036854775807 false, 2-0 null 2 false, 3-0 w1 1 false")
	g := at(got, "streams 0 groups 0")
	same(t, "marked", fmt.Sprint(at(g, "entries 0 fatal"), at(g, "entries 1 fatal")), "true <nil>")
	same(t, "no idle time", text(at(g, "entries 0 idle_ms")), "null")
	same(t, "the oldest is one that somebody holds", text(at(g, "oldest_idle_ms")), "20")
	same(t, "never", fmt.Sprint(at(g, "consumers 0 inactive_ms"), at(g, "consumers 0 never_active")), "<nil> true")
	report, _ := b.doctor(DoctorOptions{})
	same(t, "findings", codes(report), "warning released-entries")
	if given := b.remedies(report); !strings.Contains(given, "XCLAIM Q g w1 0 2-0") || !strings.Contains(given, "XACK Q g 1-0") {
		t.Errorf("remedies:\n%s", given)
	}
	var out bytes.Buffer
	if err := Snapshot(t.Context(), target(t, f.url), &out, SnapshotOptions{Streams: []string{"q"}, Pending: 5}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"(released)", "ready now", "fatal"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	narrow(t, out.String(), SnapshotOptions{})
}

// A server that answers, but not with figures: the error says so and the exit status is that of not having looked.
func TestServersThatDoNotTell(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		code   string
		says   string
	}{
		"loading":               {"-LOADING Redis is loading the dataset in memory\r\n", "LOADING", "reading its data from disk"},
		"master down":           {"-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n", "MASTERDOWN", "Link with MASTER is down"},
		"cluster down":          {"-CLUSTERDOWN The cluster is down\r\n", "CLUSTERDOWN", "cluster is not ready"},
		"busy with a script":    {"-BUSY Redis is busy running a script.\r\n", "BUSY", "busy running a script"},
		"needs a password":      {"-NOAUTH Authentication required.\r\n", "NOAUTH", "give a user and password"},
		"hangs up":              {"", "", "EOF"},
		"speaks something else": {"HTTP/1.1 400 Bad Request\r\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, func(command string) string {
				if strings.HasPrefix(command, "HELLO") && c.code != "NOAUTH" && c.answer != "" && name != "speaks something else" {
					return "+OK\r\n"
				}
				return c.answer
			})
			var out bytes.Buffer
			err := Snapshot(t.Context(), target(t, f.url), &out, SnapshotOptions{Streams: []string{"q"}, JSON: true})
			if err == nil || out.Len() > 0 {
				t.Fatalf("error %v, wrote %q", err, out.String())
			}
			if c.code != "" {
				same(t, "code", redisq.CodeOf(err), c.code)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
			status, err := Doctor(t.Context(), target(t, f.url), &out, DoctorOptions{Streams: []string{"q"}, Thresholds: doctor.Defaults(), JSON: true})
			if status != DoctorNoLook || err == nil || out.Len() > 0 {
				t.Errorf("doctor: status %d, error %v, wrote %q", status, err, out.String())
			}
		})
	}
}

// Replies of shapes that nobody expects make unknown figures, not a crash and not a zero.
func TestRepliesOfAnyShape(t *testing.T) {
	for _, answer := range []string{
		"$-1\r\n", "*-1\r\n", "*0\r\n", ":5\r\n", "+QUEUED\r\n", array(array(array())), array(bulk("length"), bulk("many")),
		array("$-1\r\n", "$-1\r\n", "$-1\r\n", "$-1\r\n"), array(array("$-1\r\n", ":1\r\n")), "-ERR unknown command\r\n",
	} {
		f := newFake(t, func(command string) string {
			if strings.HasPrefix(command, "HELLO") {
				return "+OK\r\n"
			}
			return answer
		})
		b := &bed{t: t, url: f.url, key: "q"}
		got := b.snapshot(SnapshotOptions{Group: "g", Pending: 3})
		if length := text(at(got, "streams 0 length")); length != "null" {
			t.Errorf("%q: length %s", answer, length)
		}
		if backlog := text(at(got, "streams 0 groups 0 backlog")); backlog != "?" {
			t.Errorf("%q: backlog %s", answer, backlog)
		}
		_, _ = b.doctor(DoctorOptions{Group: "g"})
	}
}

func TestNoServerOrOneThatHangs(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	err = Snapshot(t.Context(), target(t, "redis://"+closed.Addr().String()), io.Discard, SnapshotOptions{})
	same(t, "nothing listens", redisq.CodeOf(err), redisq.CodeRefused)

	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	status, err := Doctor(ctx, target(t, "redis://"+silent.Addr().String()), io.Discard, DoctorOptions{Thresholds: doctor.Defaults()})
	same(t, "status", status, DoctorNoLook)
	same(t, "no answer", redisq.CodeOf(err), redisq.CodeTimeout)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

// A proxy cuts a reply on its way: what was not learned is said, and nothing is taken for zero.
func TestCutReplies(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		busy(b)
		for _, cut := range []string{"XINFO", "XPENDING", "XRANGE", "XLEN"} {
			p := s.NewProxy(t)
			p.CutReply(1, func(words []string) bool { return words[0] == cut })
			var out bytes.Buffer
			err := Snapshot(t.Context(), target(t, p.URL()), &out, SnapshotOptions{Streams: []string{b.key}, Group: "g", JSON: true, Pending: 3})
			same(t, "cut", p.Cuts() > 0, true)
			if err != nil {
				var e *redisq.Error
				same(t, cut+": an error of ours", errors.As(err, &e), true)
				continue
			}
			got := decode(t, out.Bytes())
			if at(got, "streams 0 error") != nil {
				continue
			}
			g := at(got, "streams 0 groups 0")
			if text(at(g, "max_deliveries")) != "9" && text(at(g, "max_deliveries")) != "?" {
				t.Errorf("%s: deliveries %s", cut, text(at(g, "max_deliveries")))
			}
			if u := text(at(g, "undelivered")); u != "4" && u != "?" {
				t.Errorf("%s: undelivered %s", cut, u)
			}
			if len(at(g, "problems").([]any)) == 0 && len(at(got, "streams 0 problems").([]any)) == 0 && text(at(g, "undelivered")) != "4" {
				t.Errorf("%s: nothing is said", cut)
			}
		}
	})
}

// A replica answers what a master does, but for the lag; nothing is said of it twice.
func TestReplica(t *testing.T) {
	master, replica := redistest.Private(t), redistest.Private(t)
	if master.Embedded() || replica.Embedded() {
		return // there is no replica of it
	}
	b := &bed{t: t, url: master.URL(), c: dial(t, master.URL()), key: "q"}
	stored(5, "XREADGROUP GROUP g w COUNT 2 STREAMS Q >\nCONFIG SET repl-diskless-sync-delay 0")(b)
	r := &bed{t: t, url: replica.URL(), c: dial(t, replica.URL()), key: "q"}
	r.do("CONFIG", "SET", "repl-diskless-load", "on-empty-db") // nothing is written to disk
	host, port, _ := strings.Cut(master.Addr(), ":")
	r.do("REPLICAOF", host, port)
	within(t, "the replica has the group", func() bool {
		var out bytes.Buffer
		err := Snapshot(t.Context(), target(t, r.url), &out, SnapshotOptions{Streams: []string{"q"}, JSON: true})
		return err == nil && strings.Contains(out.String(), `"pending":2`)
	})
	got := r.snapshot(SnapshotOptions{})
	same(t, "figures", figuresOf(got), "5: 3 2 5 0 1")
	same(t, "role", text(at(got, "server role")), "replica")
	report, status := r.doctor(DoctorOptions{})
	same(t, "findings", codes(report), "info replica")
	same(t, "status", status, DoctorFindings)
}

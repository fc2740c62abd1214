package lab_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/redisq/server"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// running says whether a process runs; one that ended and that nobody has waited for does not.
func running(pid int) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

func TestTheDefaultDemonstrationIsAlive(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		l := start(t, on(t, s, lab.Defaults()))
		var delivered, left, failed, mailed bool
		seen := map[string]bool{} // pending entries
		u := await(t, l, "all that a newcomer must see", func(u lab.Update) bool {
			late := redisq.CodeOf(u.Snapshot.Err) == redisq.CodeTimeout // on a machine with much else to do
			if (u.Snapshot.Err != nil || len(u.Snapshot.Problems) > 0) && !late {
				t.Errorf("trouble: %v, %+v", u.Snapshot.Err, u.Snapshot.Problems)
			}
			now := map[string]bool{}
			for _, row := range u.Snapshot.Pending.Rows {
				now[row.ID], seen[row.ID] = true, true
			}
			left = left || len(now) < len(seen)
			for _, w := range u.State.Workers {
				delivered = delivered || w.ID != ""
			}
			failed = failed || u.State.Sink.Refused > 0
			mailed = mailed || u.State.Sink.Once >= 5
			return delivered && left && failed && mailed && u.State.Books.Known
		})
		if names(u, true) != "w1 w2 w3" || u.State.Producer.P50 == 0 || u.Cost == 0 || len(u.Commands) == 0 {
			t.Errorf("workers %q, p50 %v, cost %v, %d commands; want three workers and figures",
				names(u, true), u.State.Producer.P50, u.Cost, len(u.Commands))
		}
	})
}

func TestTwoLabsOnAGivenServer(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		db := client(t, s.URL)
		foreign := s.Key(t, "foreign")
		leftover := "unacked:lab:old0:{emails}"
		for _, key := range []string{foreign, leftover} {
			if err := db.Set(t.Context(), key, "mine", 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
		defer db.Del(context.Background(), leftover)
		target, err := redisq.ParseTarget(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		d := quick()
		d.Worker.Idempotent = workers.RecordAfter
		a := start(t, lab.Options{Target: &target, Decisions: d})
		b := start(t, lab.Options{Target: &target, Decisions: d})
		if w := a.Warning(); !strings.Contains(w, "unacked:lab:") || !strings.Contains(w, "other lab") {
			t.Errorf("warning %q, want the keys that it uses, and those that it found", w)
		}
		a.AddLoad(7, false)
		b.AddLoad(3, false)
		for want, l := range map[int64]*lab.Lab{7: a, 3: b} {
			u := await(t, l, "its own orders mailed", func(u lab.Update) bool { return u.State.Books.Once == want })
			if u.State.Sink.Mails != want || u.Snapshot.Stream.Length.Value != want {
				t.Errorf("%d mails and %d entries, want %d: the other lab's are not ours",
					u.State.Sink.Mails, u.Snapshot.Stream.Length.Value, want)
			}
		}
		end(t, a)
		u := await(t, b, "the other lab goes on", func(u lab.Update) bool { return u.Snapshot.Err == nil })
		if !u.Snapshot.Stream.Length.Known || u.Snapshot.Stream.Length.Value != 3 {
			t.Errorf("the stream of the other lab has %+v entries, want 3", u.Snapshot.Stream.Length)
		}
		end(t, b)
		// Labs of other tests may run on this server too: theirs are not looked at.
		for _, l := range []*lab.Lab{a, b} {
			run, _, _ := strings.Cut(l.Queue().Stream, "{")
			left, err := db.Keys(t.Context(), run+"*").Result()
			if err != nil || len(left) > 0 {
				t.Errorf("keys left: %q, %v; want none of %s", left, err, run)
			}
		}
		if n := db.Exists(t.Context(), leftover).Val(); n != 1 {
			t.Error("the leftover of another lab is gone")
		}
		if got := db.Get(t.Context(), foreign).Val(); got != "mine" {
			t.Errorf("a foreign key holds %q", got)
		}
	})
}

func TestAServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	target, err := redisq.ParseTarget("redis://ann:hush@127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = lab.Start(t.Context(), lab.Options{Target: &target, Self: []string{os.Args[0], "worker"}})
	if err == nil || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("got %v, want an error that names the server and not the password", err)
	}
}

func TestAProgramThatDoesNotStart(t *testing.T) {
	o := embedded(quick())
	o.Self = []string{"/nowhere/unacked", "worker"}
	if _, err := lab.Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "/nowhere/unacked") {
		t.Errorf("got %v, want an error that names the program", err)
	}
}

func TestWorkersThatEndByThemselvesAreNoticed(t *testing.T) {
	t.Parallel()
	d := quick()
	o := embedded(d)
	l := start(t, o)
	u := await(t, l, "w1 waiting", func(u lab.Update) bool { return first(u).Phase == workers.PhaseWaiting })
	pid := first(u).PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, l, "the notice", func(u lab.Update) bool {
		for _, n := range u.State.Notices {
			if strings.HasPrefix(n.Text, "w1 ended by itself") {
				return true
			}
		}
		return false
	})
	await(t, l, "w1 again, as another process", func(u lab.Update) bool {
		w := first(u)
		return w.Alive() && w.PID != pid && w.Restarts == 1
	})
}

func TestCloseLeavesNothing(t *testing.T) {
	for name, service := range map[string]time.Duration{"mails end soon": 300 * time.Millisecond, "mails last": time.Minute} {
		t.Run(name, func(t *testing.T) {
			d := lab.Defaults()
			d.Rate, d.Service = 20, service
			l := start(t, lab.Options{Server: server.Auto, Decisions: d})
			u := await(t, l, "every worker at work", func(u lab.Update) bool {
				busy := 0
				for _, w := range u.State.Workers {
					if w.Order != "" {
						busy++
					}
				}
				return busy == 3
			})
			began := time.Now()
			end(t, l)
			if took := time.Since(began); took > time.Minute/2 { // about a second; a mail may take a minute
				t.Errorf("it took %v: it waited for the mails", took)
			}
			for _, w := range u.State.Workers {
				if running(w.PID) {
					t.Errorf("%s runs still, as process %d", w.Name, w.PID)
				}
			}
			if err := client(t, "redis://"+u.Snapshot.Server.Addr).Ping(t.Context()).Err(); err == nil {
				t.Errorf("the private server at %s answers still", u.Snapshot.Server.Addr)
			}
			for range l.Updates() { // one may be left; then it is closed
			}
			end(t, l) // twice is fine
			if err := l.Kill("w1", workers.CrashNone); err == nil {
				t.Error("a worker of an ended lab was killed")
			}
			if _, err := l.AddWorker(); err == nil {
				t.Error("a worker was added to an ended lab")
			}
			l.AddLoad(5, false)
			l.Decide(lab.Defaults())
			l.Watch("1-0")
			l.SetFilter(redisq.PendingFilter{})
			if _, err := l.Plan(t.Context(), redisq.Queue{}, desk.Wish{Deed: desk.Replay}); err == nil {
				t.Error("an ended lab planned a replay")
			}
		})
	}
}

func TestAKilledLabLeavesNoProcess(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0], "lab")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	addr := ""
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
		what, value, _ := strings.Cut(lines.Text(), " ")
		if what == "server" {
			addr = value
			continue
		}
		pid, err := strconv.Atoi(value)
		if err != nil {
			t.Fatalf("line %q", lines.Text())
		}
		pids = append(pids, pid)
	}
	if err := client(t, "redis://"+addr).Ping(t.Context()).Err(); err != nil || len(pids) != 3 {
		t.Errorf("server at %q: %v; processes %v, want three workers", addr, err, pids)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var killed *exec.ExitError
	if err := child.Wait(); !errors.As(err, &killed) {
		t.Errorf("the lab ended as %v, want killed", err)
	}
	for _, pid := range pids {
		until(t, "no worker left", func() bool { return !running(pid) })
	}
	until(t, "no server left", func() bool { return client(t, "redis://"+addr).Ping(t.Context()).Err() != nil })
}

// serverPID asks a real server for its process.
func serverPID(t *testing.T, db *redis.Client) int {
	t.Helper()
	info, err := db.InfoMap(t.Context(), "server").Result()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(info["Server"]["process_id"])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestThePrivateServerDies(t *testing.T) {
	t.Parallel()
	if redistest.Private(t).Embedded() {
		t.Log("no redis-server on PATH: the embedded one cannot die by itself")
		return
	}
	d := lab.Defaults()
	d.Rate, d.BadShare, d.Service = 20, 0, 300*time.Millisecond
	l := start(t, lab.Options{Server: server.Redis, Decisions: d})
	before := await(t, l, "mails, and orders that wait", func(u lab.Update) bool {
		return u.State.Sink.Mails > 5 && u.State.Books.NotYet > 10
	})
	pid := serverPID(t, client(t, "redis://"+before.Snapshot.Server.Addr))
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, l, "the screen is told", func(u lab.Update) bool { return u.Snapshot.Err != nil })
	await(t, l, "failed checkouts are counted", func(u lab.Update) bool { return u.State.Producer.Failed > 0 })
	after := await(t, l, "orders are mailed again", func(u lab.Update) bool {
		return u.Snapshot.Err == nil && u.State.Sink.Mails > before.State.Sink.Mails+20 && u.State.Books.Never > 0
	})
	if addr := after.Snapshot.Server.Addr; addr != before.Snapshot.Server.Addr {
		t.Errorf("the server came back at %s, want %s", addr, before.Snapshot.Server.Addr)
	}
	notices := ""
	for _, n := range after.State.Notices {
		notices += n.Text + "\n"
	}
	if !inOrder(notices, "the Redis server ended", "the Redis server is back, empty") {
		t.Errorf("notices:\n%s", notices)
	}
	p := after.State.Producer
	if under := p.Offered - p.Accepted - p.Failed - p.Unknown - p.Refused; under < 0 || under > 64 {
		t.Errorf("%+v: an order was counted twice, or not at all", p)
	}
	// What was waiting is lost with the server, and named; nothing is mailed twice by that.
	d.Rate = 0
	l.Decide(d)
	done := await(t, l, "everything mailed or lost", func(u lab.Update) bool {
		return u.State.Books.NotYet == 0 && u.State.Books.Orders == u.State.Producer.Accepted
	}).State
	if done.Books.Once+done.Books.Never != done.Books.Orders || done.Sink.Twice != 0 {
		t.Errorf("got %+v and %+v, want each order mailed once or lost", done.Books, done.Sink)
	}
}

func TestASilentServerIsNoticed(t *testing.T) {
	t.Parallel()
	private := redistest.Private(t)
	if private.Embedded() {
		t.Log("no redis-server on PATH: the embedded one cannot be stopped")
		return
	}
	target, err := redisq.ParseTarget(private.URL())
	if err != nil {
		t.Fatal(err)
	}
	l, err := lab.Start(t.Context(), lab.Options{Target: &target, Decisions: quick(), Self: []string{os.Args[0], "worker"}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close(context.Background())
	good := await(t, l, "a reading", func(u lab.Update) bool { return u.Snapshot.Err == nil })
	if err := syscall.Kill(private.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(private.PID(), syscall.SIGCONT)
	await(t, l, "the silence is told", func(u lab.Update) bool { return u.Snapshot.Err != nil })
	if err := syscall.Kill(private.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	await(t, l, "readings again", func(u lab.Update) bool {
		return u.Snapshot.Err == nil && u.Snapshot.At.After(good.Snapshot.At)
	})
	// Closing does not wait for a server that says nothing, and tells that the keys are still there.
	if err := syscall.Kill(private.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	l.Place(5, false)
	await(t, l, "silent again", func(u lab.Update) bool { return u.Snapshot.Err != nil })
	if err := l.Close(context.Background()); err == nil || !strings.Contains(err.Error(), "remove the lab's keys unacked:lab:") {
		t.Errorf("closed with %v, want that the keys could not be removed", err)
	}
}

func TestUpdatesAreTheNewestOnly(t *testing.T) {
	l := start(t, embedded(quick()))
	await(t, l, "the first", func(lab.Update) bool { return true })
	l.AddLoad(5, false)
	until(t, "five orders", func() bool {
		u := <-l.Updates()
		return u.State.Producer.Accepted == 5
	})
	// Nobody reads for a while; then the update is a new one, and not the first that nobody took.
	until(t, "an update that gave way to a newer one", func() bool {
		<-l.Updates() // it may have waited there
		last := <-l.Updates()
		<-time.After(600 * time.Millisecond)
		u := <-l.Updates()
		return u.Snapshot.Generation > last.Snapshot.Generation+1
	})
}

package experiment

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// Workers that are broken on purpose: the experiments are of use only if they notice.
func TestBrokenWorkersAreNoticed(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		for _, c := range []struct {
			broken fault
			played Experiment
			off    []string // these figures at least
		}{
			{ackFirst, find(t, "stream-crash-before"), []string{
				"pending after the kill 0, expected 1", "mails for ten orders 9, expected 10", "lost order 4, expected none",
			}},
			{ackFirst, find(t, "stream-crash-after"), []string{
				"pending after the kill 0, expected 1", "mails for ten orders 10, expected 11", "mailed twice none, expected order 4",
			}},
			{limitOff, find(t, "dead-letter"), []string{"deliveries of order 4 6, expected 5"}},
			{noOwnerCheck, lateAck(), []string{"pending after the late ack 0, expected 1", "late acks refused 0, expected 1"}},
			{noLeaseCheck, find(t, "poison"), []string{"deliveries of order 4"}},
		} {
			t.Run(string(c.broken)+" in "+c.played.Name, func(t *testing.T) {
				t.Parallel()
				o := on(t, s)
				o.Self[1] += ":" + string(c.broken)
				r := play(t, c.played, o)
				var off []string
				for _, row := range r.Off() {
					off = append(off, row.Words())
				}
				for _, want := range c.off {
					if !slices.ContainsFunc(off, func(s string) bool { return strings.HasPrefix(s, want) }) {
						t.Errorf("not noticed: %s; off are %q", want, off)
					}
				}
				if r.Holds() {
					t.Error("the experiment holds")
				}
			})
		}
	})
}

// lateAck is one more experiment: a worker that stands still while it works loses its message to another one, and acks
// late. The ack must be refused: the message is the other one's, which may still fail.
func lateAck() Experiment {
	froze := 0
	return Experiment{
		Name: "late-ack", Setup: setup(1, func(d *lab.Decisions) { d.Service = 10 * time.Second }),
		Steps: []Step{
			{Say: "The worker stands still in the middle of its work.", do: both(place(1), func(ctx context.Context, s *stage) error {
				if err := s.await(ctx, "w1 works", time.Minute, func() bool { return len(s.witness.told(workers.EventWorking)) > 0 }); err != nil {
					return err
				}
				// By then the mail server has the mail: the connection to it has a timeout that would end the work.
				if err := sleep(ctx, time.Now().Add(s.setup.Service/4)); err != nil {
					return err
				}
				froze = s.lab.Workers()[0].PID
				return syscall.Kill(froze, syscall.SIGSTOP)
			})},
			{Say: "Another one claims the message.", do: both(hire(), func(ctx context.Context, s *stage) error {
				return s.await(ctx, "w2 works, and the first mail is out", time.Minute, func() bool {
					return len(s.witness.told(workers.EventWorking)) > 1 && len(s.witness.arrived()) > 0
				})
			})},
			{Say: "The first one goes on, and acks.", do: func(ctx context.Context, s *stage) (err error) {
				if err := syscall.Kill(froze, syscall.SIGCONT); err != nil {
					return err
				}
				err = s.await(ctx, "w1 acks", time.Minute, func() bool {
					return slices.ContainsFunc(append(s.witness.told(workers.EventAcked), s.witness.told(workers.EventNotOurs)...),
						func(e workers.Event) bool {
							return e.Worker == "w1" && e.Reason != "the lease was lost while the work went on"
						})
				})
				if err != nil {
					return err
				}
				s.killed, err = s.read(ctx)
				return err
			}},
			{Say: "The second one ends its work.", do: settle()},
		},
		Figures: []Figure{
			{Name: "pending after the late ack", Want: exactly(1), of: pendingAfterKill},
			{Name: "late acks refused", Want: exactly(1), of: func(f *facts) Measured {
				n := 0
				for _, e := range f.witness.told(workers.EventNotOurs) {
					if e.Reason == "the ack was refused" {
						n++
					}
				}
				return count(n)
			}},
			{Name: "mailed twice", Want: orders("1"), Rests: OnSink, of: twice},
			{Name: "pending at the end", Want: exactly(0), of: pending},
		},
	}
}

func TestLateAckHolds(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		mustHold(t, lateAck(), on(t, s))
	})
}

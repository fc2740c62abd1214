package redisq

import (
	"testing"

	"example.com/unacked/redisq/redistest"
)

// Between two readings a group reads on and its stream is cut: what was removed unread is told exactly where the server
// tells it, and as not known where it does not; it is never taken for done, and what was done never for removed.
func TestRemovedBetweenTwoReadings(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		counts := s.Name == "redis-7.0" // the others forget it when the group reads on
		type told struct {
			removed int64 // unread, for certain
			losses  bool  // or an unknown number
		}
		for _, c := range []struct {
			name  string
			do    func(b *bed)
			real  told // Redis 8 and Valkey
			seven told // Redis 7.0
			mini  told // the embedded one, which does not count
		}{
			{"nothing happens", func(*bed) {}, told{}, told{}, told{}},
			{"read and trimmed behind", func(b *bed) { b.read("w", 2); b.do("XTRIM", b.q.Stream, "MINID", "3-0") }, told{}, told{}, told{}},
			{"trimmed past the group, which stands", func(b *bed) { b.do("XTRIM", b.q.Stream, "MAXLEN", 4) }, told{removed: 3}, told{removed: 3}, told{losses: true}},
			{"read, trimmed past it, read on", func(b *bed) {
				b.read("w", 2)
				b.do("XTRIM", b.q.Stream, "MAXLEN", 2)
				b.read("w", 1)
			}, told{losses: true}, told{removed: 3}, told{losses: true}},
			{"read, and trimmed past that", func(b *bed) {
				b.read("w", 2)
				b.do("XTRIM", b.q.Stream, "MAXLEN", 2)
			}, told{losses: true}, told{removed: 3}, told{losses: true}},
			{"handled and deleted, one by one", func(b *bed) {
				b.add(11, 5)
				b.read("w", 6)
				b.do("XACK", b.q.Stream, b.q.Group, "4-0", "5-0", "6-0", "7-0", "8-0", "9-0")
				b.do("XDEL", b.q.Stream, "1-0", "2-0", "3-0", "4-0", "5-0", "6-0", "7-0", "8-0")
			}, told{}, told{}, told{losses: true}},
		} {
			t.Run(c.name, func(t *testing.T) {
				b := grouped(t, s)
				o := b.observer(ObserverOptions{})
				b.add(1, 10)
				b.read("w", 3)
				before := o.Read(t.Context())
				c.do(b)
				after := o.Read(t.Context())
				want := c.real
				switch {
				case s.Embedded:
					want = c.mini
				case counts:
					want = c.seven
				}
				got := told{after.Group.RemovedUnread - before.Group.RemovedUnread, after.Group.Losses != before.Group.Losses}
				same(t, "removed unread", got, want)
				if want == (told{losses: true}) && !s.Embedded {
					if n := after.Group.TrimmedUnread; n.Known && n.Value == 0 {
						t.Errorf("%+v were trimmed unread, and nobody knows that", n)
					}
				}
			})
		}
	})
}

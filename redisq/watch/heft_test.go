package watch

import (
	"strings"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// Where the ends of a stream are large, and come with each reading, there are fewer readings than were asked for, which is
// said; an entry that a person opens is read all the same.
func TestReadingsThatBringMuchComeLessOften(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o := connect(t, s.URL)
		key := s.Key(t, "q")
		o.do("XGROUP CREATE " + key + " g 0 MKSTREAM")
		id := ""
		for range 4 {
			id = o.do("XADD " + key + " * body " + strings.Repeat("x", 600_000)).(string)
		}
		o.do("XREADGROUP GROUP g w STREAMS " + key + " >")
		w := begin(t, s.URL, s.Embedded, Options{Stream: key, Group: "g"})
		u := until(t, w, "a slower pace", func(u Update) bool { return good(u) && u.Pace > 0 })
		if u.Pace < redisq.MinInterval || u.Bytes < 1_000_000 {
			t.Errorf("a pace of %v, at %d bytes a second", u.Pace, u.Bytes)
		}
		w.Watch(id)
		until(t, w, "the body of the last", func(u Update) bool {
			rows := u.Snapshot.Pending.Rows
			return len(rows) == 4 && !rows[3].Unread()
		})
		small := s.Key(t, "small")
		o.do("XGROUP CREATE " + small + " g 0 MKSTREAM")
		o.do("XADD " + small + " * f v")
		w.Choose(small, "g")
		until(t, w, "the usual pace", func(u Update) bool { return good(u) && u.Chosen.Stream == small && u.Pace == 0 })
	})
}

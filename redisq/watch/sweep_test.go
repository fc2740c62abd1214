package watch

import (
	"strconv"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// A sweep looks at each pending entry once, also where a reading sees a page of them only.
func TestSweep(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o := connect(t, s.URL)
		key := s.Key(t, "many")
		o.do("XGROUP CREATE " + key + " g 0 MKSTREAM")
		const n = 1500
		for i := 1; i <= n; i++ {
			o.do("XADD " + key + " " + strconv.Itoa(i) + "-0 f v")
		}
		o.do("XREADGROUP GROUP g a COUNT 1000 STREAMS " + key + " >")
		o.do("XREADGROUP GROUP g b COUNT 1000 STREAMS " + key + " >")
		w := begin(t, s.URL, s.Embedded, Options{Stream: key, Group: "g"})
		until(t, w, "a page of the pending entries", func(u Update) bool { return good(u) && u.Snapshot.Pending.More })
		told := 0
		got, err := w.Sweep(t.Context(), func(redisq.Sweep) { told++ })
		if err != nil {
			t.Fatal(err)
		}
		if got.Looked != n || !got.Done || got.Histogram[0] != n || told == 0 || len(got.Consumers) != 2 || got.Consumers[0].Pending != 1000 {
			t.Errorf("looked at %d of %d, told %d times: %+v", got.Looked, n, told, got)
		}
		o.do("XADD " + redisq.DeadLetterKey(key) + " 1-0 f v")
		letters, err := w.SweepLetters(t.Context(), redisq.DeadLetterKey(key), func(redisq.LetterSweep) {})
		if err != nil || letters.Looked != 1 || !letters.Done {
			t.Errorf("letters: %+v, %v", letters, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Sweep(t.Context(), nil); err == nil {
			t.Error("a sweep after the end says nothing")
		}
	})
}

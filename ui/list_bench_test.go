package ui

import (
	"strconv"
	"testing"
	"time"

	"example.com/unacked/redisq"
)

// manyPending is a reading with n pending entries.
func manyPending(n int) *data {
	s := pendingSnapshot()
	s.Pending.Rows = make([]redisq.PendingEntry, n)
	for i := range s.Pending.Rows {
		s.Pending.Rows[i] = redisq.PendingEntry{
			Entry:    redisq.Entry{ID: strconv.Itoa(1_700_000_000_000+i) + "-0", Fields: mails(strconv.Itoa(i))},
			Consumer: "w" + strconv.Itoa(i%3+1), Idle: time.Duration(i%9000) * time.Millisecond, Deliveries: int64(i % 6),
		}
	}
	return coloured(paneData(s))
}

// BenchmarkList50k is the pending table with 50,000 rows: a reading that comes in, and a frame of 60 lines.
func BenchmarkList50k(b *testing.B) {
	d := manyPending(50_000)
	for _, c := range []struct {
		name string
		keys []string
	}{{"by id", nil}, {"by idle", []string{"o"}}, {"filtered", []string{"/", "7", "7", "enter"}}} {
		p := newPendingPane(true, nil)
		p.Data(d)
		for _, k := range c.keys {
			p.Key(d, keyMsg(k))
		}
		b.Run("reading "+c.name, func(b *testing.B) {
			for b.Loop() {
				p.Data(d)
			}
		})
		b.Run("frame "+c.name, func(b *testing.B) {
			for b.Loop() {
				p.Lines(d, 200, 60, true)
			}
		})
		b.Run("key and frame "+c.name, func(b *testing.B) {
			for b.Loop() {
				p.Key(d, keyMsg("down"))
				p.Lines(d, 200, 60, true)
			}
		})
	}
}

// BenchmarkDetail1MB is the detail with a value of 1 MB: the first frame of a format, and those after it.
func BenchmarkDetail1MB(b *testing.B) {
	d := paneData(pendingSnapshot())
	big := make([]byte, 1_000_000)
	for i := range big {
		big[i] = "abcdefghij klmnop"[i%17]
	}
	d.good.Pending.Rows[1].Fields = []redisq.Field{{Name: "body", Value: string(big)}}
	v := newDetail(detailPending, idAt(8.2), nil).(*detail)
	v.Data(d)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			v.body = nil
			v.Lines(d, 200, 60, true)
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			v.Lines(d, 200, 60, true)
		}
	})
}

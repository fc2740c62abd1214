package plain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

// The commands of a remedy, sent as they stand, make the finding go away.
func TestRemediesMend(t *testing.T) {
	long := func(b *bed) { // 3,000 entries, all acknowledged but the last ten
		b.cli("XGROUP CREATE Q g 0 MKSTREAM")
		b.do("EVAL", `for i = 1, 3000 do redis.call('XADD', KEYS[1], i .. '-0', 'order', i) end
			local got = redis.call('XREADGROUP', 'GROUP', 'g', 'w', 'COUNT', 2990, 'STREAMS', KEYS[1], '>')[1][2]
			for _, e in ipairs(got) do redis.call('XACK', KEYS[1], 'g', e[1]) end`, 1, b.key)
	}
	crowd := func(b *bed) {
		stored(1, "XREADGROUP GROUP g busy COUNT 1 STREAMS Q >")(b)
		for i := range 12 {
			b.cli(fmt.Sprintf("XGROUP CREATECONSUMER Q g worker-%d", i))
		}
	}
	for _, c := range []struct {
		code    string
		remedy  int // which of them
		build   func(b *bed)
		group   string
		lease   time.Duration
		real    bool   // the embedded server does not get there
		only    string // the one server that does
		without string // the servers that do not get there
		then    string // a command afterwards, with its reply: "XLEN Q = 3"
	}{
		{code: "stream-missing", remedy: 1, build: func(*bed) {}, then: "XLEN Q = 0"},
		{code: "group-missing", build: func(b *bed) { b.add(1, 3) }, then: "XPENDING Q g - + 10 = []"},
		{code: "group-missing", remedy: 1, build: func(b *bed) { b.add(1, 3) }, then: "XREADGROUP GROUP g w STREAMS Q > = <nil>"},
		{code: "skipped-start", build: func(b *bed) { b.add(1, 3); b.cli("XGROUP CREATE Q g $") }, real: true},
		{code: "lag-unknown", build: func(b *bed) { b.add(1, 5); b.cli("XGROUP CREATE Q g 2-0") }, real: true},
		{code: "lag-unknown", build: func(b *bed) { b.add(1, 5); b.cli("XGROUP CREATE Q g 99-0") }, real: true},
		{
			code: "lag-wrong", build: stored(5, "XREADGROUP GROUP g w COUNT 1 STREAMS Q >\nXACK Q g 1-0\nXTRIM Q MAXLEN 1"),
			real: true, without: "redis-8",
		},
		{
			code: "lag-wrong", build: stored(5, "XREADGROUP GROUP g w COUNT 1 STREAMS Q >\nXTRIM Q MAXLEN 1\nXREADGROUP GROUP g w COUNT 1 STREAMS Q >"),
			only: "redis-7.0",
		},
		{code: "ghost-entries", build: stored(3, "XREADGROUP GROUP g w COUNT 2 STREAMS Q >\nXDEL Q 1-0"), real: true, then: "XPENDING Q g = [1 2-0 2-0 [[w 1]]]"},
		{
			code: "poison", remedy: 1, build: stored(2, "XREADGROUP GROUP g w COUNT 2 STREAMS Q >\nXCLAIM Q g w 0 1-0 RETRYCOUNT 9 JUSTID"),
			then: "XLEN {Q}:dead = 1",
		},
		{
			code: "stuck-consumer", remedy: 1, lease: time.Minute, real: true,
			build: func(b *bed) {
				stored(2, "XREADGROUP GROUP g w COUNT 2 STREAMS Q >\nXCLAIM Q g w 0 1-0 2-0 IDLE 600000 RETRYCOUNT 1 JUSTID")(b)
			},
			then: "XPENDING Q g - + 10 w = []",
		},
		{code: "idle-consumers", build: crowd, lease: 10 * time.Microsecond, real: true, without: "redis-7.0", then: "XPENDING Q g - + 10 busy ~ 1-0"},
		{code: "unbounded", build: long, real: true, then: "XREADGROUP GROUP g w COUNT 1 STREAMS Q > ~ 2991-0"},
		{code: "no-consumers", build: stored(2, ""), then: "XPENDING Q g - + 10 ~ worker-1"},
	} {
		t.Run(fmt.Sprint(c.code, " ", c.remedy), func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, s redistest.Server) {
				if c.real && s.Embedded || c.only != "" && s.Name != c.only || isServer(s.Name, c.without) {
					return
				}
				b := newBed(t, s)
				c.build(b)
				thresholds := doctor.Defaults()
				if c.lease > 0 {
					thresholds.Lease = c.lease
				}
				var finding any
				look := func() bool {
					report, _ := b.doctor(DoctorOptions{Group: "g", Thresholds: thresholds})
					for _, f := range at(report, "findings").([]any) {
						if at(f, "code") == any(c.code) {
							finding = f
							return true
						}
					}
					return false
				}
				if c.code == "stuck-consumer" { // it is dead once it has not called for the lease
					thresholds.Lease = 100 * time.Millisecond
				}
				within(t, "the finding", look)
				remedies := at(finding, "remedies").([]any)
				for _, command := range at(remedies[c.remedy], "commands").([]any) {
					b.do(command.([]any)...)
				}
				if c.code != "stuck-consumer" && look() {
					t.Errorf("it is there still: %v", at(finding, "text"))
				}
				if command, want, ok := strings.Cut(c.then, " = "); ok {
					same(t, command, fmt.Sprint(b.cli(command)), want)
				} else if command, want, ok := strings.Cut(c.then, " ~ "); ok && !strings.Contains(fmt.Sprint(b.cli(command)), want) {
					t.Errorf("%s: no %q", command, want)
				}
			})
		})
	}
}

// Dead letters go back to work by the remedy's commands with their fields, and the finding is gone.
func TestRemedyReplays(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		stored(2, "XREADGROUP GROUP g w COUNT 2 STREAMS Q >\nXCLAIM Q g w 0 1-0 2-0 RETRYCOUNT 9 JUSTID")(b)
		report, _ := b.doctor(DoctorOptions{Group: "g"})
		for range 2 { // to the dead letters, and back
			var commands []any
			for _, f := range at(report, "findings").([]any) {
				switch at(f, "code") {
				case any("poison"), any("dead-letters"):
					commands = at(f, "remedies 1 commands").([]any)
				}
			}
			for _, c := range commands {
				b.do(c.([]any)...)
			}
			report, _ = b.doctor(DoctorOptions{Group: "g"})
		}
		same(t, "findings", codes(report), "")
		got := b.snapshot(SnapshotOptions{Group: "g"})
		same(t, "undelivered again", text(at(got, "streams 0 groups 0 undelivered")), "2")
		same(t, "fields", strings.Contains(fmt.Sprint(b.cli("XRANGE Q - +")), "[order 1 unacked:original 1-0 unacked:replays 1]"), true)
	})
}

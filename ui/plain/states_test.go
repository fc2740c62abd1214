package plain

import (
	"fmt"
	"strings"
	"testing"

	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

// lookState is a state that people got a group into, with what is true about it.
type lookState struct {
	name  string
	build func(b *bed) // the group is g
	// figures are "length: undelivered pending backlog trimmed_unread max_deliveries", as a person counts them.
	figures string
	// codes are the doctor's findings, worst first, with the default thresholds.
	codes string
	// on has what is different on a server, by its name; "-" stands for what is empty there.
	on       map[string]lookState
	limit    int64
	remedies []string // commands that are among the remedies; Q is the stream
	realOnly bool     // the embedded server does not have the commands
	entries  string   // "id consumer deliveries ghost" of each pending entry, where given
}

func grouped(more string) func(b *bed) {
	return func(b *bed) {
		b.cli("XGROUP CREATE Q g 0 MKSTREAM")
		b.lines(more)
	}
}

// stored is a group at 0 with n entries 1-0, 2-0, … and then the lines.
func stored(n int, more string) func(b *bed) {
	return func(b *bed) {
		b.cli("XGROUP CREATE Q g 0 MKSTREAM")
		b.add(1, n)
		b.lines(more)
	}
}

// The embedded server tells too little to know what was trimmed, and drops a deleted entry from its pending count.
var lookStates = []lookState{
	{
		name: "a new group", build: grouped(""), figures: "0: 0 0 0 0 0",
		on: map[string]lookState{"embedded": {figures: "0: 0 0 0 ? 0"}},
	}, {
		name:    "case 1: a body is gone while its entry is pending",
		build:   stored(1, "XREADGROUP GROUP g c1 STREAMS Q >\nXDEL Q 1-0"),
		figures: "0: 0 1 1 0 1", codes: "warning ghost-entries", entries: "1-0 c1 1 true", remedies: []string{"XACK Q g 1-0"},
		on: map[string]lookState{"embedded": {figures: "0: 0 0 0 ? 0", codes: "-", entries: "-"}},
	}, {
		name:     "case 2: XAUTOCLAIM dropped deleted entries",
		build:    stored(3, "XREADGROUP GROUP g c1 STREAMS Q >\nXDEL Q 1-0 2-0\nXAUTOCLAIM Q g c2 0 0"),
		figures:  "1: 0 1 1 0 2",
		entries:  "3-0 c2 2 false",
		realOnly: true,
	}, {
		name: "case 3: an old tail behind a page of fresh entries",
		build: func(b *bed) {
			stored(150, "XREADGROUP GROUP g w COUNT 150 STREAMS Q >")(b)
			for i := 101; i <= 150; i++ {
				b.cli(fmt.Sprintf("XCLAIM Q g w 0 %d-0 IDLE 900000 RETRYCOUNT 1 JUSTID", i))
			}
		},
		figures: "150: 0 150 150 0 1", codes: "warning not-acking w", remedies: []string{"XPENDING Q g - + 10 w"},
		on: map[string]lookState{"embedded": {figures: "150: 0 150 150 ? 1"}},
	}, {
		name: "case 4: a batch that was delivered three times",
		build: stored(5, "XREADGROUP GROUP g c1 COUNT 5 STREAMS Q >\nXCLAIM Q g c2 0 1-0 2-0 3-0 4-0 5-0\n"+
			"XCLAIM Q g c3 0 1-0 2-0 3-0 4-0 5-0"),
		figures: "5: 0 5 5 0 3", codes: "warning poison", limit: 3, remedies: []string{"XACK Q g 1-0", "XACK Q g 3-0"},
		on: map[string]lookState{"embedded": {figures: "5: 0 5 5 ? 3"}},
	}, {
		name:    "case 6: a group that begins at an arbitrary id",
		build:   func(b *bed) { b.add(1, 5); b.cli("XGROUP CREATE Q g 2-0") },
		figures: "5: 3 0 3 0 0", codes: "critical no-consumers, warning skipped-start, info lag-unknown",
		remedies: []string{"XGROUP SETID Q g 2-0 ENTRIESREAD 2", "XGROUP SETID Q g 0"},
		on: map[string]lookState{
			"embedded": {figures: "5: 3 0 3 ? 0", codes: "critical no-consumers, info skipped-start", remedies: []string{"XGROUP SETID Q g 0"}},
		},
	}, {
		name:    "case 6: an entry ahead of the group was deleted",
		build:   stored(5, "XREADGROUP GROUP g w COUNT 1 STREAMS Q >\nXACK Q g 1-0\nXDEL Q 3-0"),
		figures: "4: 3 0 3 ? 0", codes: "warning holes, info lag-unknown",
		on: map[string]lookState{"embedded": {codes: "-"}},
	}, {
		name:    "case 6: the group was set back by SETID",
		build:   stored(5, "XREADGROUP GROUP g w COUNT 5 STREAMS Q >\nXACK Q g 1-0 2-0 3-0 4-0 5-0\nXGROUP SETID Q g 2-0"),
		figures: "5: 3 0 3 0 0", codes: "info lag-unknown", remedies: []string{"XGROUP SETID Q g 2-0 ENTRIESREAD 2"}, realOnly: true,
	}, {
		name:    "case 6: the group is beyond the last entry",
		build:   func(b *bed) { b.add(1, 5); b.cli("XGROUP CREATE Q g 99-0") },
		figures: "5: 0 0 0 0 0", codes: "warning skipped-start, warning lag-unknown", remedies: []string{"XGROUP SETID Q g $"},
		on: map[string]lookState{"embedded": {figures: "5: 0 0 0 ? 0", codes: "info skipped-start", remedies: []string{"XGROUP SETID Q g 0"}}},
	}, {
		name:    "case 7: trimmed past the group",
		build:   stored(5, "XREADGROUP GROUP g w COUNT 1 STREAMS Q >\nXACK Q g 1-0\nXTRIM Q MAXLEN 1"),
		figures: "1: 1 0 1 3 0", codes: "critical trimmed-unread, info lag-wrong", remedies: []string{"XGROUP SETID Q g 1-0 ENTRIESREAD 4"},
		on: map[string]lookState{
			"embedded": {figures: "1: 1 0 1 ? 0", codes: "-", remedies: []string{}},
			"redis-8":  {codes: "critical trimmed-unread", remedies: []string{}}, // it says 1
		},
	}, {
		name:    "case 7: trimmed past the group, and one read after that",
		build:   stored(5, "XREADGROUP GROUP g w COUNT 1 STREAMS Q >\nXTRIM Q MAXLEN 1\nXREADGROUP GROUP g w COUNT 1 STREAMS Q >\nXACK Q g 1-0 5-0"),
		figures: "1: 0 0 0 0 0",
		on: map[string]lookState{
			"embedded":  {figures: "1: 0 0 0 ? 0"},
			"redis-7.0": {figures: "1: 0 0 0 3 0", codes: "critical trimmed-unread, info lag-wrong"}, // it remembers, and says 3
		},
	}, {
		name:    "case 7: emptied by trimming",
		build:   stored(5, "XREADGROUP GROUP g w COUNT 1 STREAMS Q >\nXACK Q g 1-0\nXTRIM Q MAXLEN 0"),
		figures: "0: 0 0 0 4 0", codes: "critical trimmed-unread, info lag-wrong",
		on: map[string]lookState{
			"embedded": {figures: "0: 0 0 0 ? 0", codes: "critical trimmed-unread"},
			"redis-8":  {codes: "critical trimmed-unread"}, // it says 0
		},
	}, {
		name:    "case 8: all acknowledged; XACK frees nothing",
		build:   stored(3, "XREADGROUP GROUP g w COUNT 3 STREAMS Q >\nXACK Q g 1-0 2-0 3-0"),
		figures: "3: 0 0 0 0 0",
		on:      map[string]lookState{"embedded": {figures: "3: 0 0 0 ? 0"}},
	}, {
		name:    "case 9: a cap cuts what was not read",
		build:   grouped(strings.Repeat("XADD Q MAXLEN 3 * f v\n", 10)),
		figures: "3: 3 0 3 7 0", codes: "critical trimmed-unread, critical no-consumers",
		on: map[string]lookState{"embedded": {figures: "3: 3 0 3 ? 0", codes: "critical no-consumers"}},
	}, {
		name:    "case 11: a group created at $",
		build:   func(b *bed) { b.add(1, 1); b.cli("XGROUP CREATE Q g $") },
		figures: "1: 0 0 0 0 0", codes: "warning skipped-start", remedies: []string{"XGROUP SETID Q g 0"},
		on: map[string]lookState{"embedded": {figures: "1: 0 0 0 ? 0", codes: "info skipped-start"}},
	}, {
		name:    "case 12: the group is gone after a flush, the stream is there again",
		build:   func(b *bed) { b.add(1, 1) },
		figures: "1: ? null ? ? ?", codes: "critical group-missing", remedies: []string{"XGROUP CREATE Q g 0", "XGROUP CREATE Q g $"},
	}, {
		name: "case 12: there is no stream", build: func(*bed) {},
		figures: "null: ? null ? ? ?", codes: "critical stream-missing", remedies: []string{"XGROUP CREATE Q g 0 MKSTREAM"},
	}, {
		name: "case 12: the key is a list", build: func(b *bed) { b.cli("RPUSH Q a b") },
		figures: "null: ? null ? ? ?", codes: "critical wrong-type", remedies: []string{"TYPE Q"},
	}, {
		name:    "case 14: a consumer was deleted with what it held",
		build:   stored(3, "XREADGROUP GROUP g c1 STREAMS Q >\nXGROUP DELCONSUMER Q g c1"),
		figures: "3: 0 0 0 0 0",
		on:      map[string]lookState{"embedded": {figures: "3: 0 0 0 ? 0", codes: "info skipped-start"}},
	}, {
		name:    "case 17: acknowledged by one that had lost it",
		build:   stored(1, "XREADGROUP GROUP g c1 STREAMS Q >\nXCLAIM Q g c2 0 1-0\nXACK Q g 1-0"),
		figures: "1: 0 0 0 0 0",
		on:      map[string]lookState{"embedded": {figures: "1: 0 0 0 ? 0"}},
	}, {
		name: "case 18: a slow worker keeps its lease",
		build: stored(1, "XREADGROUP GROUP g w STREAMS Q >\nXCLAIM Q g w 0 1-0 IDLE 900000 RETRYCOUNT 1 JUSTID\n"+
			"XCLAIM Q g w 0 1-0 RETRYCOUNT 1 JUSTID"),
		figures: "1: 0 1 1 0 1",
		on:      map[string]lookState{"embedded": {figures: "1: 0 1 1 ? 1"}},
	}, {
		name:    "dead letters of another program",
		build:   stored(1, "XREADGROUP GROUP g w STREAMS Q >\nXACK Q g 1-0\nXADD Q-dlq * error boom"),
		figures: "1: 0 0 0 0 0", codes: "warning dead-letters", remedies: []string{"XREVRANGE Q-dlq + - COUNT 10"},
		on: map[string]lookState{"embedded": {figures: "1: 0 0 0 ? 0"}},
	},
}

func TestEachState(t *testing.T) {
	for _, state := range lookStates {
		t.Run(state.name, func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, s redistest.Server) {
				if s.Embedded && state.realOnly {
					return // it does not have the commands, or not these effects
				}
				want := state.of(s.Name)
				b := newBed(t, s)
				state.build(b)
				got := b.snapshot(SnapshotOptions{Group: "g", Pending: 1000})
				same(t, "figures", figuresOf(got), want.figures)
				if want.entries != "" {
					same(t, "entries", entriesOf(got), want.entries)
				}
				thresholds := doctor.Defaults()
				if want.limit > 0 {
					thresholds.MaxDeliveries = want.limit
				}
				report, status := b.doctor(DoctorOptions{Group: "g", Thresholds: thresholds})
				same(t, "findings", codes(report), want.codes)
				same(t, "healthy", at(report, "healthy"), any(want.codes == ""))
				same(t, "status", status, min(len(want.codes), 1))
				given := "\n" + b.remedies(report) + "\n"
				for _, command := range want.remedies {
					if !strings.Contains(given, "\n"+command+"\n") {
						t.Errorf("no remedy %q among%s", command, given)
					}
				}
			})
		})
	}
}

// isServer says that a server is one that is named, "redis-8.6" or "redis-8" for all of these.
func isServer(server, named string) bool {
	return server == named || strings.HasPrefix(server, named+".")
}

// of is the state as it is on a server; "-" stands for what is empty there.
func (s lookState) of(server string) lookState {
	var other lookState
	found := false
	for named, state := range s.on {
		if isServer(server, named) {
			other, found = state, true
		}
	}
	if !found {
		return s
	}
	for _, f := range []struct{ to, from *string }{{&s.figures, &other.figures}, {&s.codes, &other.codes}, {&s.entries, &other.entries}} {
		switch {
		case *f.from == "-":
			*f.to = ""
		case *f.from != "":
			*f.to = *f.from
		}
	}
	if other.remedies != nil || other.codes == "-" {
		s.remedies = other.remedies
	}
	return s
}

func figuresOf(snapshot object) string {
	g := at(snapshot, "streams 0 groups 0")
	line := text(at(snapshot, "streams 0 length")) + ":"
	for _, name := range []string{"undelivered", "pending", "backlog", "trimmed_unread", "max_deliveries"} {
		line += " " + text(at(g, name))
	}
	return line
}

func entriesOf(snapshot object) string {
	var all []string
	entries, _ := at(snapshot, "streams 0 groups 0 entries").([]any)
	for _, e := range entries {
		all = append(all, fmt.Sprint(at(e, "id"), " ", text(at(e, "consumer")), " ", at(e, "deliveries"), " ", at(e, "ghost")))
	}
	return strings.Join(all, ", ")
}

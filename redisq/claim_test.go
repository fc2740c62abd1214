package redisq

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

const minute = time.Minute

func TestReadNewThenNothing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.do("XADD", b.q.Stream, "1-0", "a", "1", "a", "2", "", "x")
		b.add(2, 3)
		got := ok[[]Entry](t)(b.g.ReadNew(t.Context(), "w1", 2, 0))
		same(t, "entries", len(got), 2)
		same(t, "first id", got[0].ID, "1-0")
		sameFields(t, "order and duplicates", got[0].Fields, []Field{{"a", "1"}, {"a", "2"}, {"", "x"}})
		sameText(t, "pending", b.pending(), []string{"1-0 w1 1", "2-0 w1 1"})
		_ = ok[[]Entry](t)(b.g.ReadNew(t.Context(), "w1", 10, 0))
		began := time.Now()
		got, err := b.g.ReadNew(t.Context(), "w1", 10, 60*time.Millisecond)
		if got != nil || err != nil {
			t.Errorf("nothing there: %v, %v; want nil, nil", got, err)
		}
		if took := time.Since(began); took < 40*time.Millisecond || took >= maxBlock {
			t.Errorf("blocked for %v, want about 60 ms", took)
		}
	})
}

func TestReadNewWithoutGroup(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		_, err := b.g.ReadNew(t.Context(), "w1", 1, 0)
		same(t, "code", CodeOf(err), "NOGROUP")
		_, err = b.g.Claim(t.Context(), "w1", ClaimOptions{Lease: minute})
		same(t, "code of a claim", CodeOf(err), "NOGROUP")
		_, err = b.g.Ack(t.Context(), "w1", Held{"1-0", 1})
		same(t, "code of an ack", CodeOf(err), "NOGROUP")
	})
}

func TestClaimTakesOneThatIsPastItsLease(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 3)
		b.read("dead", 3)
		b.age("2-0", "dead", 1, 2*minute)
		got := ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{Lease: minute, MaxDeliveries: 5}))
		same(t, "found", got.Found, ClaimTaken)
		same(t, "id", got.Entry.ID, "2-0")
		sameFields(t, "body", got.Entry.Fields, []Field{{"n", "2"}})
		same(t, "deliveries", got.Deliveries, 2)
		same(t, "from", got.From, "dead")
		if got.Idle < 2*minute || got.Idle > 3*minute {
			t.Errorf("idle %v, want about 2 min", got.Idle)
		}
		sameText(t, "pending", b.pending(), []string{"1-0 dead 1", "2-0 w1 2", "3-0 dead 1"})
		got = ok[Claim](t)(b.g.Claim(t.Context(), "w2", ClaimOptions{Lease: minute}))
		same(t, "the claim started its lease again", got.Found, ClaimNone)
		same(t, "cursor after the last page", got.Cursor, "")
	})
}

// A look says what a claim would meet, and changes nothing.
func TestLookTakesNothing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 4)
		b.read("dead", 4)
		look := ClaimOptions{Lease: minute, MaxDeliveries: 5, Look: true}
		got := ok[Claim](t)(b.g.Claim(t.Context(), "w1", look))
		same(t, "nothing is past its lease", got.Found, ClaimNone)
		same(t, "cursor after the last page", got.Cursor, "")
		b.age("3-0", "dead", 2, 2*minute)
		look.Count = 2
		got = ok[Claim](t)(b.g.Claim(t.Context(), "w1", look))
		same(t, "nothing on the first page", got.Found, ClaimNone)
		same(t, "cursor behind it", got.Cursor, "2-1")
		look.Cursor = got.Cursor
		for range 2 {
			got = ok[Claim](t)(b.g.Claim(t.Context(), "w1", look))
			same(t, "found on the second", got.Found, ClaimDue)
			same(t, "cursor from which a claim meets it", got.Cursor, "2-1")
		}
		sameText(t, "pending", b.pending(), []string{"1-0 dead 1", "2-0 dead 1", "3-0 dead 2", "4-0 dead 1"})
		look.Look = false
		got = ok[Claim](t)(b.g.Claim(t.Context(), "w1", look))
		same(t, "claimed", got.Entry.ID, "3-0")
	})
}

func TestClaimAtLimitTakesNothing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 1)
		b.read("dead", 1)
		b.age("1-0", "dead", 5, 2*minute)
		got := ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{Lease: minute, MaxDeliveries: 5}))
		same(t, "found", got.Found, ClaimAtLimit)
		same(t, "deliveries", got.Deliveries, 5)
		same(t, "from", got.From, "dead")
		sameFields(t, "body", got.Entry.Fields, []Field{{"n", "1"}})
		sameText(t, "untouched", b.pending(), []string{"1-0 dead 5"})
		got = ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{Lease: minute, MaxDeliveries: 6}))
		same(t, "under a higher limit", got.Found, ClaimTaken)
		same(t, "deliveries then", got.Deliveries, 6)
		got = ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{Own: true}))
		same(t, "without a limit", got.Found, ClaimTaken)
	})
}

func TestClaimOwnWhateverItsIdleTime(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 3)
		b.read("w1", 1)
		b.read("w2", 1)
		b.read("w1", 1)
		cursor, ids := "", ""
		for range 3 {
			got := ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{Lease: minute, MaxDeliveries: 5, Own: true, Cursor: cursor}))
			if cursor = got.Cursor; got.Found == ClaimNone {
				break
			}
			ids += fmt.Sprint(got.Entry.ID, " ", got.Deliveries, ", ")
		}
		same(t, "own history", ids, "1-0 2, 3-0 2, ")
		sameText(t, "pending", b.pending(), []string{"1-0 w1 2", "2-0 w2 1", "3-0 w1 2"})
	})
}

// A crash loop over the own history reaches the limit as well.
func TestClaimOwnReachesTheLimit(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 1)
		b.read("w1", 1)
		var found []ClaimFound
		for range 4 {
			got := ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{MaxDeliveries: 3, Own: true}))
			found = append(found, got.Found)
		}
		sameText(t, "found", found, []ClaimFound{ClaimTaken, ClaimTaken, ClaimAtLimit, ClaimAtLimit})
		sameText(t, "pending", b.pending(), []string{"1-0 w1 3"})
	})
}

func TestClaimOfGhostSaysVanished(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 2)
		b.read("dead", 2)
		for _, id := range []string{"1-0", "2-0"} {
			b.age(id, "dead", 1, 2*minute)
		}
		b.do("XDEL", b.q.Stream, "1-0")
		got := ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{Lease: minute}))
		same(t, "found", got.Found, ClaimVanished)
		same(t, "id", got.Entry.ID, "1-0")
		same(t, "gone", got.Entry.Gone, true)
		sameText(t, "dropped", b.pending(), []string{"2-0 dead 1"})
		got = ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{Lease: minute}))
		same(t, "the next", got.Entry.ID, "2-0")
	})
}

// Started at the beginning each time, a claim would never come past a page of fresh entries.
func TestClaimKeepsItsCursor(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 150)
		b.read("dead", 150)
		for i := 101; i <= 150; i++ {
			b.age(fmt.Sprintf("%d-0", i), "dead", 1, 15*minute)
		}
		got := ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{Lease: minute, Count: 10}))
		same(t, "first page", got.Found, ClaimNone)
		same(t, "its cursor", got.Cursor, "10-1")
		cursor, taken := "", 0
		for calls := 1; ; calls++ {
			got := ok[Claim](t)(b.g.Claim(t.Context(), "w1", ClaimOptions{Lease: minute, Cursor: cursor}))
			cursor = got.Cursor
			if got.Found == ClaimTaken {
				if taken++; taken == 1 {
					same(t, "the first", got.Entry.ID, "101-0")
					same(t, "calls until then", calls, 2)
				}
			}
			if cursor == "" {
				break
			}
			if calls > 200 {
				t.Fatal("no end")
			}
		}
		same(t, "taken in one round", taken, 50)
	})
}

// Ids have two 64-bit halves: nothing on the way may hold them as a float.
func TestClaimAtTheLargestIDs(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		ids := []string{"9007199254740993-9007199254740995", "9007199254740993-18446744073709551615", "18446744073709551615-18446744073709551614"}
		for _, id := range ids {
			b.do("XADD", b.q.Stream, id, "f", "v")
		}
		b.read("w1", 3)
		cursor := ""
		for i, id := range ids {
			got := ok[Claim](t)(b.g.Claim(t.Context(), "w2", ClaimOptions{Cursor: cursor, Count: 1}))
			same(t, "id", got.Entry.ID, id)
			cursor = got.Cursor
			same(t, "cursor", cursor, []string{
				"9007199254740993-9007199254740996", "9007199254740994-0", "18446744073709551615-18446744073709551615",
			}[i])
		}
		for _, r := range ok[[]HeldResult](t)(b.g.Ack(t.Context(), "w2", Held{ids[2], 2}, Held{ids[0], 2}, Held{ids[1], 2})) {
			same(t, "ack of "+r.ID, r.OK, true)
		}
	})
}

func TestClaimNeverGivesAnEntryToTwo(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		const entries, workers = 30, 20
		b.add(1, entries)
		b.read("dead", entries)
		for i := 1; i <= entries; i++ {
			b.age(fmt.Sprintf("%d-0", i), "dead", 1, 2*minute)
		}
		var mu sync.Mutex
		got := map[string][]string{}
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				name := fmt.Sprintf("w%d", w)
				cursor := ""
				for {
					c, err := b.g.Claim(t.Context(), name, ClaimOptions{Lease: minute, MaxDeliveries: 3, Cursor: cursor})
					if err != nil {
						t.Error(err)
						return
					}
					if cursor = c.Cursor; c.Found == ClaimNone {
						return
					}
					mu.Lock()
					got[c.Entry.ID] = append(got[c.Entry.ID], name)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		same(t, "entries taken", len(got), entries)
		for id, names := range got {
			if len(names) != 1 {
				t.Errorf("%s was given to %v", id, names)
			}
		}
	})
}

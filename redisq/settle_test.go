package redisq

import (
	"fmt"
	"testing"

	"example.com/unacked/redisq/redistest"
)

func TestAckChecksOwnerAndDeliveries(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 5)
		b.read("w1", 4)
		b.read("w2", 1)
		b.age("3-0", "w1", 2, 0) // w1 got it a second time: an older w1 knows one delivery
		b.age("4-0", "w2", 2, 0) // claimed by w2
		b.do("XACK", b.q.Stream, b.q.Group, "2-0")

		got := ok[[]HeldResult](t)(b.g.Ack(t.Context(), "w1", Held{"4-0", 1}, Held{"1-0", 1}, Held{"2-0", 1}, Held{"3-0", 1}))
		sameText(t, "results", got, []HeldResult{
			{ID: "4-0", Owner: "w2", Deliveries: 2},
			{ID: "1-0", OK: true},
			{ID: "2-0"},
			{ID: "3-0", Owner: "w1", Deliveries: 2},
		})
		sameText(t, "pending", b.pending(), []string{"3-0 w1 2", "4-0 w2 2", "5-0 w2 1"})

		got = ok[[]HeldResult](t)(b.g.Ack(t.Context(), "w1", Held{"1-0", 1}))
		sameText(t, "a second time", got, []HeldResult{{ID: "1-0"}})
		got = ok[[]HeldResult](t)(b.g.Ack(t.Context(), "w1"))
		same(t, "none", len(got), 0)
	})
}

func TestAckOfManyAtOnce(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		const n = settleBatch + 20
		b.add(1, n)
		b.read("w1", n)
		b.age("7-0", "w2", 1, 0)
		var held []Held
		for i := n; i > 0; i-- {
			held = append(held, Held{fmt.Sprintf("%d-0", i), 1})
		}
		bad := 0
		for i, r := range ok[[]HeldResult](t)(b.g.Ack(t.Context(), "w1", held...)) {
			same(t, "order of the results", r.ID, held[i].ID)
			if !r.OK {
				bad++
				sameText(t, "refused", r, HeldResult{ID: "7-0", Owner: "w2", Deliveries: 1})
			}
		}
		same(t, "refused", bad, 1)
		sameText(t, "pending", b.pending(), []string{"7-0 w2 1"})
	})
}

func TestExtendStartsTheLeaseAgainAndCountsNothing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 4)
		b.read("w1", 4)
		b.age("1-0", "w1", 3, minute)
		b.age("2-0", "w2", 2, minute)
		b.age("3-0", "w1", 2, minute)
		b.do("XACK", b.q.Stream, b.q.Group, "4-0")
		got := ok[[]HeldResult](t)(b.g.Extend(t.Context(), "w1", Held{"1-0", 3}, Held{"2-0", 1}, Held{"3-0", 1}, Held{"4-0", 1}))
		sameText(t, "results", got, []HeldResult{
			{ID: "1-0", OK: true},
			{ID: "2-0", Owner: "w2", Deliveries: 2},
			{ID: "3-0", Owner: "w1", Deliveries: 2},
			{ID: "4-0"},
		})
		sameText(t, "owners and counts stay", b.pending(), []string{"1-0 w1 3", "2-0 w2 2", "3-0 w1 2"})
		for _, row := range b.snapshot().Pending.Rows {
			if fresh := row.Idle < minute/2; fresh != (row.ID == "1-0") {
				t.Errorf("%s is idle for %v", row.ID, row.Idle)
			}
		}
	})
}

func TestAckReadIsBothAtOnce(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 5)
		results, entries, err := b.g.AckRead(t.Context(), "w1", nil, 3)
		if err != nil || len(results) != 0 || len(entries) != 3 {
			t.Fatal(results, entries, err)
		}
		b.age("2-0", "w2", 2, 0)
		results, entries, err = b.g.AckRead(t.Context(), "w1", []Held{{"1-0", 1}, {"2-0", 1}, {"3-0", 1}}, 3)
		if err != nil {
			t.Fatal(err)
		}
		sameText(t, "results", results, []HeldResult{
			{ID: "1-0", OK: true}, {ID: "2-0", Owner: "w2", Deliveries: 2}, {ID: "3-0", OK: true},
		})
		same(t, "read", len(entries), 2)
		sameText(t, "pending", b.pending(), []string{"2-0 w2 2", "4-0 w1 1", "5-0 w1 1"})
		results, entries, err = b.g.AckRead(t.Context(), "w1", []Held{{"5-0", 1}, {"4-0", 1}}, 3) // not in order
		if err != nil || len(entries) != 0 {
			t.Fatal(entries, err)
		}
		sameText(t, "the order of the results is theirs", results, []HeldResult{{ID: "5-0", OK: true}, {ID: "4-0", OK: true}})
		b.do("XGROUP", "DESTROY", b.q.Stream, b.q.Group)
		_, _, err = b.g.AckRead(t.Context(), "w1", []Held{{"5-0", 1}}, 3)
		same(t, "without the group", CodeOf(err), "NOGROUP")
	})
}

package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// wishText is a wish in one line, as the fakes write it down: only what is set.
func wishText(q redisq.Queue, w desk.Wish) string {
	words := []string{string(w.Deed)}
	add := func(name string, value any) {
		if text := fmt.Sprint(value); text != "" && text != "0" && text != "false" && text != "[]" && text != "0s" {
			words = append(words, name+text)
		}
	}
	ids := func(rows []redisq.PendingEntry) string {
		var all []string
		for _, r := range rows {
			all = append(all, fmt.Sprintf("%s/%s/%d", r.ID, r.Consumer, r.Deliveries))
		}
		return strings.Join(all, " ")
	}
	if w.Deed == desk.Replay {
		o := w.Replay
		switch {
		case o.Only != nil:
			words = append(words, "matching")
		case o.IDs == nil:
			words = append(words, "all")
		}
		add("", strings.Join(o.IDs, " "))
		add("rate=", o.Rate)
		add("limit=", o.Limit)
		add("keep=", o.Keep)
		add("force=", o.Force)
		add("to=", o.To)
		add("group=", o.Group)
		add("leading=", o.Foreign.Leading)
		add("names=", strings.Join(o.Foreign.Names, "|"))
		add("original=", o.Foreign.Original)
		for _, id := range slices.Sorted(maps.Keys(o.Edited)) {
			add("edited=", fmt.Sprintf("%s%q", id, o.Edited[id]))
		}
		add("dry=", w.DryRun)
		return strings.Join(words, " ")
	}
	switch of := w.Pending; w.Deed {
	case desk.Claim, desk.Ack, desk.AckGhosts, desk.Release, desk.Bury:
		switch {
		case of.Only != nil:
			words = append(words, "matching")
		case of.Rows == nil:
			words = append(words, "all")
		}
		add("", ids(of.Rows))
		add("idle=", of.Idle)
		add("deliveries=", of.Deliveries)
		add("of=", strings.Join(of.Consumers, "|"))
		add("from=", of.Start)
		add("until=", of.End)
	case desk.Discard, desk.Move:
		switch {
		case w.Letters.Only != nil:
			words = append(words, "matching")
		case w.Letters.IDs == nil:
			words = append(words, "all")
		}
		add("", strings.Join(w.Letters.IDs, " "))
	}
	add("to=", w.To)
	add("count=", w.Count)
	add("mode=", w.Mode)
	add("reason=", w.Reason)
	add("consumer=", w.Consumer)
	add("consumers=", strings.Join(w.Consumers, "|"))
	add("group=", w.Group)
	if w.Start != "" {
		words = append(words, "start="+w.Start)
	}
	if q.Stream == "" {
		words = append(words, "without a stream")
	}
	return strings.Join(words, " ")
}

package ui

import (
	"fmt"
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
		if o.IDs == nil {
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
		for id, fields := range o.Edited {
			add("edited=", fmt.Sprintf("%s%q", id, fields))
		}
		add("dry=", w.DryRun)
		return strings.Join(words, " ")
	}
	if w.Deed == desk.Claim && w.Take.Rows == nil || (w.Deed == desk.Discard || w.Deed == desk.Move) && w.Letters == nil {
		words = append(words, "all")
	}
	add("", ids(w.Take.Rows))
	add("", ids(w.Rows))
	add("", strings.Join(w.Letters, " "))
	add("lease=", w.Take.Lease)
	add("to=", w.Take.To+w.To)
	add("count=", w.Take.Count)
	add("mode=", w.Mode)
	add("consumer=", w.Consumer)
	add("group=", w.Group)
	add("start=", w.Start)
	if q.Stream == "" {
		words = append(words, "without a stream")
	}
	return strings.Join(words, " ")
}

package doctor

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"example.com/unacked/redisq/desk"
)

// idleConsumers finds a heap of consumers that nobody needs any more.
func (g *group) idleConsumers() {
	var names []string
	longest := time.Duration(0)
	calls := false
	for _, c := range g.Consumers {
		if c.Pending == 0 && c.Idle.Known && millis(c.Idle) >= g.t.inactive() {
			names = append(names, c.Name)
			longest = max(longest, millis(c.Idle))
			calls = calls || tellsCalls(c)
		}
	}
	if n := len(names); n == 0 || n < g.t.IdleConsumers {
		return
	}
	f := g.finding(IdleConsumers, Info)
	f.Text = "Of " + count(int64(len(g.Consumers)), "consumer", "consumers") + " of " + g.name() + ", " + number(int64(len(names))) +
		" hold nothing and have done nothing for " + span(g.t.inactive()) + " or longer (" + strings.Join(prefixes(names, 3), ", ") +
		"). They slow down every XINFO CONSUMERS and XPENDING summary."
	if !calls {
		f.Text += " Before Redis 7.2 a living worker that just gets nothing looks the same."
	}
	f.Evidence = []Fact{
		{"consumers", int64(len(g.Consumers))},
		{"idle_consumers", int64(len(names))},
		{"longest_idle_ms", longest.Milliseconds()},
		{"inactive_ms", g.t.inactive().Milliseconds()},
		{"prefixes", prefixes(names, 5)},
	}
	var commands [][]string
	for _, name := range names[:min(len(names), mostConsumers)] {
		commands = append(commands, []string{"XGROUP", "DELCONSUMER", g.key(), g.name(), name})
	}
	f.Remedies = []Remedy{{
		Text: "Delete them, each after a look that it still holds nothing. The reply must be 0: it is the number of pending entries that " +
			"went with the consumer, and these are lost to the group:",
		Commands: commands,
		Wish:     desk.Wish{Deed: desk.RemoveIdle, Consumers: names},
	}}
	g.add(f)
}

// prefixes groups names by what they begin with, as pods of one deployment do: "worker-7f7684b54f-… (12,400)". The
// largest come first.
func prefixes(names []string, most int) []string {
	groups := map[string]int64{}
	example := map[string]string{}
	for _, name := range names {
		p := prefix(name)
		groups[p]++
		example[p] = name
	}
	keys := make([]string, 0, len(groups))
	for p := range groups {
		keys = append(keys, p)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(groups[b], groups[a]), cmp.Compare(a, b)) })
	var all []string
	for _, p := range keys[:min(len(keys), most)] {
		if groups[p] == 1 {
			all = append(all, example[p])
			continue
		}
		all = append(all, p+"… ("+number(groups[p])+")")
	}
	if len(keys) > most {
		all = append(all, "…")
	}
	return all
}

// prefix is a name without its last part: what follows the last separator, or the digits at its end.
func prefix(name string) string {
	if i := strings.LastIndexAny(name, "-:._/@"); i > 0 {
		return name[:i+1]
	}
	return strings.TrimRight(name, "0123456789")
}

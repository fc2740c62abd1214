package redisq

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/unacked/redisq/safe"
)

// ReleaseMode is how XNACK leaves the delivery count.
type ReleaseMode string

// The modes of a release.
const (
	ReleaseSilent ReleaseMode = "SILENT" // as if it had not been delivered: one less
	ReleaseFail   ReleaseMode = "FAIL"   // as it is
	ReleaseFatal  ReleaseMode = "FATAL"  // the largest number: marked as poison
)

// CodeNoCommand is that the server does not have a command.
const CodeNoCommand = "no-command"

// HasCommand says whether the server has a command, from COMMAND INFO.
func (c *Client) HasCommand(ctx context.Context, name string) (bool, error) {
	reply, err := c.Do(ctx, "COMMAND", "INFO", name)
	if err != nil {
		return false, on(err, "ask for the command "+name, c.target.Addr())
	}
	for _, item := range asList(reply) {
		if parts := asList(item); len(parts) > 0 && strings.EqualFold(asString(parts[0]), name) {
			return true, nil
		}
	}
	return false, nil
}

// PlanRelease plans to give pending entries back to the group without acknowledging them (XNACK, Redis 8.8): nobody
// holds them then, and any consumer may claim them at once. Only entries that are as the person saw them, or as they
// were when the plan was made, are released. The error has CodeNoCommand where the server has no XNACK. It may be run
// again.
func (g *Group) PlanRelease(ctx context.Context, c PendingChoice, mode ReleaseMode) (Plan, error) {
	has, err := g.c.HasCommand(ctx, "XNACK")
	if err != nil {
		return Plan{}, err
	}
	if !has {
		return Plan{}, &Error{
			Op: "release", On: g.q.Stream, Code: CodeNoCommand,
			Err:  errorString("the server has no XNACK, which came with Redis 8.8"),
			Hint: "claim the entries for another consumer instead",
		}
	}
	counts := map[ReleaseMode]string{
		ReleaseSilent: "its deliveries are counted down by one",
		ReleaseFail:   "its deliveries stay as they are",
		ReleaseFatal:  "it is marked as poison: its deliveries are the largest number there is",
	}[mode]
	if counts == "" {
		return Plan{}, &Error{Op: "release", On: g.q.Stream, Code: "ERR", Err: fmt.Errorf("there is no mode %q", mode)}
	}
	ch, err := g.choose(ctx, c, func(e PendingEntry) bool { return e.Consumer != "" })
	if err != nil {
		return Plan{}, err
	}
	p := ch.begin("Release")
	p.Destructive = mode == ReleaseFatal
	p.Effects = append([]string{
		ch.counted("entry is", "entries are") + " nobody's then and may be claimed at once; of each, " + counts,
		"a consumer that still works on one does the work twice, or its ack is refused",
	}, p.Effects...)
	if ch.count > 0 {
		p.Commands = [][]string{append([]string{"XNACK", g.q.Stream, g.q.Group, string(mode), "IDS", strconv.Itoa(ch.count)}, ch.ids()...)}
	}
	p.Run = func(ctx context.Context) Outcome {
		var o Outcome
		ch.run(ctx, &o, func(rows []PendingEntry) bool {
			if c.Rows == nil {
				rows = slices.DeleteFunc(rows, func(e PendingEntry) bool { return e.Consumer == "" })
			}
			return ch.onRows(ctx, &o, releaseScript, rows, []any{string(mode)}, func(parts []any, lost bool) string {
				if lost && asString(parts[1]) == "other" && asString(parts[2]) == "" {
					return ""
				}
				return otherwise(parts)
			})
		})
		o.Text = "released " + plural(o.Done, "entry", "entries") + " of " + safe.Text(g.q.Group)
		ch.missed(&o)
		return o.rest()
	}
	return p, nil
}

// KEYS stream; ARGV group, mode, then id, owner, deliveries of each
var releaseScript = newScript("release", luaRow+`
local bad = {}
for i = 3, #ARGV, 3 do
  local id = ARGV[i]
  local row, why, err = seen(id, ARGV[i + 1], ARGV[i + 2])
  if err then return err end
  if row then
    local released = redis.pcall('XNACK', KEYS[1], ARGV[1], ARGV[2], 'IDS', 1, id)
    if type(released) == 'table' then return released end
    if released ~= 1 then why = {id, 'not released', '', '0'} end
  end
  if why then bad[#bad + 1] = why end
end
return bad
`, func(keys, args []string, reply any) [][]string {
	return rowCommands(keys, args, reply, 2, func(id string) []string {
		return []string{"XNACK", keys[0], args[0], args[1], "IDS", "1", id}
	})
})

package redisq

import (
	"context"
	"slices"
	"strconv"

	"example.com/unacked/redisq/safe"
)

// TakeOptions say which pending entries a consumer gets.
type TakeOptions struct {
	PendingChoice
	To    string // the consumer that gets them; it is created where there is none
	Count bool   // count it as a delivery
}

// PlanClaim plans to hand pending entries to another consumer (XCLAIM). One script looks at owner, deliveries and idle
// time and claims, since not every server minds the idle time that XCLAIM is given. An entry without a body is left
// alone: XCLAIM would drop it without a word. It may be run again: what that consumer holds by then is left alone.
func (g *Group) PlanClaim(ctx context.Context, o TakeOptions) (Plan, error) {
	if o.To == "" {
		return Plan{}, &Error{Op: "plan a claim", On: g.q.Stream, Code: "ERR", Err: errorString("a consumer has to be named that gets the entries")}
	}
	anothers := func(e PendingEntry) bool { return e.Consumer != o.To }
	ch, err := g.choose(ctx, o.PendingChoice, anothers)
	if err != nil {
		return Plan{}, err
	}
	p := ch.begin("Claim")
	p.Title += " for " + safe.Text(o.To)
	if ch.count > 0 {
		p.Commands = [][]string{g.claimCommand(o, ch.ids())}
	}
	p.Effects = append(g.claimEffects(o, ch), p.Effects...)
	p.Run = func(ctx context.Context) Outcome {
		var out Outcome
		ch.run(ctx, &out, func(rows []PendingEntry) bool {
			if o.Rows == nil {
				rows = slices.DeleteFunc(rows, func(e PendingEntry) bool { return !anothers(e) })
			}
			return g.claimRows(ctx, &out, o, ch, rows)
		})
		out.Text = "claimed " + plural(out.Done, "entry", "entries") + " for " + safe.Text(o.To)
		ch.missed(&out)
		return out.rest()
	}
	return p, nil
}

func (g *Group) claimCommand(o TakeOptions, ids []string) []string {
	command := append([]string{"XCLAIM", g.q.Stream, g.q.Group, o.To, strconv.FormatInt(o.Idle.Milliseconds(), 10)}, ids...)
	if !o.Count {
		command = append(command, "JUSTID")
	}
	return command
}

func (g *Group) claimEffects(o TakeOptions, ch *chosen) []string {
	to := safe.Text(o.To)
	effects := []string{ch.counted("pending entry belongs", "pending entries belong") + " to " + to + " then, with an idle time of 0"}
	if o.Count {
		effects = append(effects, "it counts as a delivery of each: a limit of deliveries comes nearer")
	} else {
		effects = append(effects, "it does not count as a delivery")
	}
	if ch.count > 0 {
		effects = append(effects, ch.holders()+" "+word1(int64(len(ch.owners)), "loses", "lose")+
			" them: one that still works on an entry does the work twice with "+to+", or its ack is refused")
	}
	return append(effects, to+" is given them when it reads its own history, which most workers do at their start only; "+
		"else they are claimed from it when the lease has passed")
}

func (g *Group) claimRows(ctx context.Context, out *Outcome, o TakeOptions, ch *chosen, rows []PendingEntry) bool {
	counted := "0"
	if o.Count {
		counted = "1"
	}
	return ch.onRows(ctx, out, claimRowsScript, rows, []any{o.To, o.Idle.Milliseconds(), counted},
		func(parts []any, lost bool) string {
			switch asString(parts[1]) {
			case "own":
				if lost {
					return "" // the run whose reply was lost had done it
				}
				return "is held by " + safe.Text(o.To) + " already"
			case "ghost":
				return "has no body any more: a claim would drop it"
			case "young":
				return "is idle for " + asString(parts[3]) + " ms only"
			case "refused":
				return "the server did not hand it over"
			}
			return otherwise(parts)
		})
}

// claimRowsScript hands rows to another consumer. RETRYCOUNT says the delivery count, since JUSTID alone raises it on
// the embedded server.
//
// KEYS stream; ARGV group, consumer, least idle time, 1 to count, then id, owner, deliveries of each
var claimRowsScript = newScript("claim", luaRow+`
local to, least, bad = ARGV[2], tonumber(ARGV[3]), {}
for i = 5, #ARGV, 3 do
  local id = ARGV[i]
  local row, why, err = seen(id, ARGV[i + 1], ARGV[i + 2])
  if err then return err end
  if why and why[3] == to and why[2] == 'other' or row and row[2] == to then
    why = {id, 'own', to, '0'}
  elseif row and row[3] >= 0 and row[3] < least then
    why = {id, 'young', '', count(row[3])}
  elseif row and not redis.call('XRANGE', KEYS[1], id, id)[1] then
    why = {id, 'ghost', '', '0'}
  end
  if not why then
    local n = row[4]
    if ARGV[4] == '1' and n < marked then n = n + 1 end
    local claimed = redis.pcall('XCLAIM', KEYS[1], ARGV[1], to, 0, id, 'RETRYCOUNT', count(n), 'JUSTID')
    if claimed.err then return claimed end
    if not claimed[1] then why = {id, 'refused', '', '0'} end
  end
  if why then bad[#bad + 1] = why end
end
return bad
`, func(keys, args []string, reply any) [][]string {
	return rowCommands(keys, args, reply, 4, func(id string) []string {
		command := []string{"XCLAIM", keys[0], args[0], args[1], args[2], id}
		if args[3] != "1" {
			command = append(command, "JUSTID")
		}
		return command
	})
})

// rowCommands are the commands of a script on rows, for the command log; the rows begin at args[from].
func rowCommands(keys, args []string, reply any, from int, command func(id string) []string) [][]string {
	var commands [][]string
	_, answered := reply.([]any)
	refused := refusedRows(reply)
	for i := from; i+2 < len(args); i += 3 {
		commands = append(commands, []string{"XPENDING", keys[0], args[0], args[i], args[i], "1"})
		if _, no := refused[args[i]]; answered && !no {
			commands = append(commands, command(args[i]))
		}
	}
	return commands
}

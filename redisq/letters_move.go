package redisq

import (
	"context"
	"slices"

	"example.com/unacked/redisq/safe"
)

// PlanMoveLetters plans to move dead letters to another stream as they are, metadata and all. On a Cluster that stream
// has to be in the same slot. It may be run again: what has left is skipped.
func (g *Group) PlanMoveLetters(ctx context.Context, of LetterChoice, to string) (Plan, error) {
	if to == "" || to == g.q.DeadLetter || to == g.q.Stream {
		return Plan{}, &Error{
			Op: "plan a move", On: g.q.DeadLetter, Code: "ERR",
			Err:  errorString("another stream has to be named than the letters' own and the queue"),
			Hint: "to put letters back into the queue, replay them",
		}
	}
	if err := g.c.sameSlot(ctx, g.q.DeadLetter, to); err != nil {
		return Plan{}, err
	}
	groups, err := g.groupsOf(ctx, to)
	if err != nil {
		return Plan{}, err
	}
	p, err := g.planLetters(ctx, "Move", of)
	if err != nil {
		return p.Plan, err
	}
	p.Title += " to " + safe.Text(to)
	p.Effects = append([]string{
		p.counted("letter is", "letters are") + " added to " + safe.Text(to) + " with all fields, metadata too, under new ids",
		"each is deleted from " + safe.Text(g.q.DeadLetter) + " in the same step",
	}, p.Effects...)
	if len(groups) > 0 {
		p.Effects = append(p.Effects, safe.Text(to)+": "+reaches(groups))
	}
	for _, id := range p.first {
		p.Commands = append(p.Commands, []string{"XADD", to, "*", "…"}, []string{"XDEL", g.q.DeadLetter, id})
	}
	p.Run = func(ctx context.Context) Outcome {
		return p.each(ctx, "moved", func(e Entry) (string, error) {
			reply, lost, err := g.certain(ctx, moveScript, []string{g.q.DeadLetter, to}, e.ID)
			switch word := replyWord(reply); {
			case err != nil:
				return "", on(err, "move "+e.ID, g.q.DeadLetter+" to "+to)
			case word == "moved":
				return "", nil
			case word == "gone" && lost:
				return "", on(g.cameIn(ctx, to, func(came Entry) bool { return slices.Equal(came.Fields, e.Fields) }),
					"move "+e.ID, g.q.DeadLetter+" to "+to)
			case word == "gone":
				return leftTheLetters, nil
			}
			return "", badReply("move "+e.ID, g.q.DeadLetter, reply)
		})
	}
	return p.Plan, nil
}

// KEYS letters, other stream; ARGV id
var moveScript = newScript("move", luaMay+`
local letter = redis.pcall('XRANGE', KEYS[1], ARGV[1], ARGV[1])
if letter.err then return letter end
letter = letter[1]
if not letter then return {'gone'} end
local f = letter[2]
if #f > 7000 then return redis.error_reply('TOOBIG the letter has too many fields to be copied by a script') end
local no = mayNotAdd(KEYS[2]) or mayNot('XDEL', KEYS[1], '0-0')
if no then return no end
local added = redis.pcall('XADD', KEYS[2], '*', unpack(f))
if added.err then return added end
redis.call('XDEL', KEYS[1], ARGV[1])
return {'moved', added}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XRANGE", keys[0], args[0], args[0]}}
	if replyWord(reply) == "moved" {
		commands = append(commands, []string{"XADD", keys[1], "*", "…"}, []string{"XDEL", keys[0], args[0]})
	}
	return commands
})

package redisq

import "context"

// askCost is how long, in µs, the commands of one round trip may keep the server at most, as estimated: others wait
// for that long.
const askCost = 1000

// asks are commands whose replies are taken one by one. They go out in as many round trips as it takes for none to cost
// the server more than askCost, so their number is not bounded.
type asks struct {
	list  []ask
	bytes int64 // about what the results had on their way
}

type ask struct {
	args []any
	cost int // µs on the server, roughly
	take func(result)
}

func (a *asks) add(cost int, take func(result), args ...any) {
	a.list = append(a.list, ask{args: args, cost: cost, take: take})
}

// send hands every ask its result. When a round trip brings no answer at all nothing more is sent: the rest get the same
// error, which is also returned.
func (a *asks) send(ctx context.Context, c *Client) error {
	for at := 0; at < len(a.list); {
		end, cost := at, 0
		for end < len(a.list) && (end == at || cost+a.list[end].cost <= askCost) {
			cost += a.list[end].cost
			end++
		}
		b := batch{commands: make([][]any, 0, end-at)}
		for _, one := range a.list[at:end] {
			b.commands = append(b.commands, one.args)
		}
		err := b.send(ctx, c)
		a.bytes += b.bytes
		for i, one := range a.list[at:end] {
			one.take(b.results[i])
		}
		if err != nil {
			for _, one := range a.list[end:] {
				one.take(result{err: err})
			}
			return err
		}
		at = end
	}
	return nil
}

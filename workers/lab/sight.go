package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq"
)

const (
	// page is how many entries one command of a count reads: it blocks the server for half a millisecond at most.
	page = 1000
	// maxPages bounds what one count reads of a stream's end, a PEL, the dead letters or a list.
	maxPages = 200
)

// sight reads where orders are in Redis. It keeps what it read of the streams, so that a count reads only what is new.
// It belongs to one goroutine.
type sight struct {
	client redisClient
	queue  redisq.Queue

	cursor  string            // last entry of the stream that was read
	dead    map[string]string // dead letters by their id: the order
	deadEnd string            // last dead letter that was read
	spent   time.Duration     // in commands, since the last take
	pages   int               // that were full, since the last take
}

type redisClient interface {
	Do(ctx context.Context, args ...any) (any, error)
}

// seenNow is what one count met in Redis.
type seenNow struct {
	first         string // id of the first entry in the stream, "" when it is empty
	lastDelivered string
	pending       map[string]bool // entry ids
	dead          map[string]bool // orders
	list          map[string]bool // orders
	complete      bool            // false when something was too long to be read in full
}

func newSight(client redisClient, queue redisq.Queue) *sight {
	return &sight{client: client, queue: queue, dead: make(map[string]string)}
}

// look reads in the direction in which orders flow, so that one that moves on meanwhile is met at least once: the
// stream, its pending entries, the dead letters; or the list. met is called for each order that was met under a new id.
func (s *sight) look(ctx context.Context, streams, lists bool, met func(order, id string)) (seenNow, error) {
	now := seenNow{complete: true}
	if streams {
		for _, step := range []func(context.Context, *seenNow, func(order, id string)) error{
			s.stream, s.group, s.pending, s.deadLetters,
		} {
			if err := step(ctx, &now, met); err != nil {
				return now, err
			}
		}
	}
	if lists {
		if err := s.list(ctx, &now, met); err != nil {
			return now, err
		}
	}
	return now, nil
}

// where says where an order was met in Redis.
func (n *seenNow) where(name string, o *openOrder) place {
	switch {
	case n.list[name]:
		return somewhere
	case o.id != "" && n.first != "" && atLeast(o.id, n.first) && !atLeast(n.lastDelivered, o.id):
		return somewhere // the group was not given it yet
	case n.pending[o.id]:
		return somewhere
	case n.dead[name]:
		return deadLetters
	case !n.complete:
		return notLooked
	}
	return nowhere
}

// atLeast says that id a is b or a later one.
func atLeast(a, b string) bool {
	order, ok := redisq.CompareIDs(a, b)
	return ok && order >= 0
}

// stream reads the stream's new entries and its first one.
func (s *sight) stream(ctx context.Context, now *seenNow, met func(order, id string)) error {
	first, err := s.entries(ctx, s.queue.Stream, "-", 1)
	if err != nil {
		return err
	}
	if len(first) > 0 {
		now.first = first[0].ID
	}
	last, err := s.do(ctx, "XREVRANGE", s.queue.Stream, "+", "-", "COUNT", 1)
	if err != nil {
		return err
	}
	top, err := parseEntries(last)
	if err != nil {
		return err
	}
	if s.cursor != "" && (len(top) == 0 || !atLeast(top[0].ID, s.cursor)) {
		s.cursor = "" // cut to nothing, or another stream under the same key: what is there is new
	}
	for range maxPages {
		entries, err := s.entries(ctx, s.queue.Stream, after(s.cursor), page)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if order, ok := e.Get("order"); ok {
				met(order, e.ID)
			}
			s.cursor = e.ID
		}
		if !s.full(len(entries)) {
			return nil
		}
	}
	now.complete = false
	return nil
}

// group reads how far the group is.
func (s *sight) group(ctx context.Context, now *seenNow, _ func(order, id string)) error {
	reply, err := s.do(ctx, "XINFO", "GROUPS", s.queue.Stream)
	if err != nil {
		if redisq.CodeOf(err) == redisq.CodeNoKey {
			return nil
		}
		return err
	}
	groups, _ := reply.([]any)
	for _, g := range groups {
		fields := pairs(g)
		if fields["name"] == s.queue.Group {
			now.lastDelivered, _ = fields["last-delivered-id"].(string)
			return nil
		}
	}
	// Without the group nothing was delivered as far as it goes: it is made at 0 by the next worker that reads.
	now.lastDelivered = "0-0"
	return nil
}

func (s *sight) pending(ctx context.Context, now *seenNow, _ func(order, id string)) error {
	now.pending = make(map[string]bool)
	start := "-"
	for range maxPages {
		reply, err := s.do(ctx, "XPENDING", s.queue.Stream, s.queue.Group, start, "+", page)
		if code := redisq.CodeOf(err); code == "NOGROUP" || code == redisq.CodeNoKey {
			return nil
		}
		if err != nil {
			return err
		}
		rows, _ := reply.([]any)
		for _, row := range rows {
			columns, _ := row.([]any)
			if len(columns) == 0 {
				return errShape("XPENDING")
			}
			id, _ := columns[0].(string)
			now.pending[id] = true
			start = after(id)
		}
		if !s.full(len(rows)) {
			return nil
		}
	}
	now.complete = false
	return nil
}

// deadLetters reads the new dead letters, and all of them when some have left.
func (s *sight) deadLetters(ctx context.Context, now *seenNow, _ func(order, id string)) error {
	for range 2 {
		full := false
		for i := 0; ; i++ {
			if i == maxPages {
				full = true
				break
			}
			letters, err := s.entries(ctx, s.queue.DeadLetter, after(s.deadEnd), page)
			if err != nil {
				return err
			}
			for _, letter := range letters {
				order, _ := letter.Get("order")
				s.dead[letter.ID] = order
				s.deadEnd = letter.ID
			}
			if !s.full(len(letters)) {
				break
			}
		}
		reply, err := s.do(ctx, "XLEN", s.queue.DeadLetter)
		if err != nil {
			return err
		}
		length, _ := reply.(int64)
		if full {
			now.complete = false
			break
		}
		if int64(len(s.dead)) <= length {
			break
		}
		clear(s.dead)
		s.deadEnd = ""
	}
	now.dead = make(map[string]bool, len(s.dead))
	for _, order := range s.dead {
		now.dead[order] = true
	}
	return nil
}

// list reads the list from the end that is pushed to: what is pushed meanwhile moves elements towards the part that
// is still to be read, so that none is missed.
func (s *sight) list(ctx context.Context, now *seenNow, met func(order, id string)) error {
	now.list = make(map[string]bool)
	for i := range maxPages {
		reply, err := s.do(ctx, "LRANGE", s.queue.List, i*page, (i+1)*page-1)
		if err != nil {
			return err
		}
		elements, _ := reply.([]any)
		for _, element := range elements {
			text, _ := element.(string)
			if order := orderOf(text); order != "" {
				now.list[order] = true
				met(order, "")
			}
		}
		if !s.full(len(elements)) {
			return nil
		}
	}
	now.complete = false
	return nil
}

// orderOf returns the field "order" of a list's element, a JSON array of [name, value].
func orderOf(element string) string {
	var fields [][]string
	if json.Unmarshal([]byte(element), &fields) != nil {
		return ""
	}
	for _, f := range fields {
		if len(f) == 2 && f[0] == "order" {
			return f[1]
		}
	}
	return ""
}

func (s *sight) entries(ctx context.Context, stream, start string, count int) ([]redisq.Entry, error) {
	reply, err := s.do(ctx, "XRANGE", stream, start, "+", "COUNT", count)
	if err != nil {
		return nil, err
	}
	return parseEntries(reply)
}

func (s *sight) do(ctx context.Context, args ...any) (any, error) {
	began := time.Now()
	defer func() { s.spent += time.Since(began) }()
	return s.client.Do(ctx, args...)
}

// full says that a page was full, so that there may be another.
func (s *sight) full(n int) bool {
	if n < page {
		return false
	}
	s.pages++
	return true
}

// take returns the time spent in commands, and the number of full pages, since it was last asked.
func (s *sight) take() (spent time.Duration, pages int) {
	spent, pages = s.spent, s.pages
	s.spent, s.pages = 0, 0
	return spent, pages
}

func parseEntries(reply any) ([]redisq.Entry, error) {
	rows, ok := reply.([]any)
	if !ok && reply != nil {
		return nil, errShape("XRANGE")
	}
	entries := make([]redisq.Entry, 0, len(rows))
	for _, row := range rows {
		columns, _ := row.([]any)
		if len(columns) < 2 {
			return nil, errShape("XRANGE")
		}
		entry := redisq.Entry{}
		entry.ID, _ = columns[0].(string)
		fields, _ := columns[1].([]any)
		for i := 0; i+1 < len(fields); i += 2 {
			name, _ := fields[i].(string)
			value, _ := fields[i+1].(string)
			entry.Fields = append(entry.Fields, redisq.Field{Name: name, Value: value})
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// pairs reads a flat list of names and values.
func pairs(reply any) map[string]any {
	list, _ := reply.([]any)
	fields := make(map[string]any, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		if name, ok := list[i].(string); ok {
			fields[name] = list[i+1]
		}
	}
	return fields
}

// after returns the smallest id above id, "-" for "". The "(" of ranges is not known to every server.
func after(id string) string {
	ms, seq, ok := strings.Cut(id, "-")
	if !ok {
		return "-"
	}
	n, err := strconv.ParseUint(seq, 10, 64)
	if err != nil {
		return "-"
	}
	if n < math.MaxUint64 {
		return ms + "-" + strconv.FormatUint(n+1, 10)
	}
	m, _ := strconv.ParseUint(ms, 10, 64)
	return strconv.FormatUint(m+1, 10) + "-0"
}

var errReply = errors.New("the reply has a shape that this program does not know")

func errShape(command string) error { return fmt.Errorf("%s: %w", command, errReply) }

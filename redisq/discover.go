package redisq

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	mostStreams  = 10_000
	discoverPage = 1000 // keys that one SCAN looks at: about 0.3 ms
)

// DiscoverOptions say which streams are looked for. The zero value is all of them, 10,000 at most.
type DiscoverOptions struct {
	Match string        // a glob as SCAN MATCH has it, "" is every name
	Limit int           // streams at most, 0 is 10,000
	Page  int           // keys looked at by one SCAN, 0 is 1,000
	Pause time.Duration // between two SCANs, 0 is none
	// Found is told of the streams of each page, also of a page that has none, so that a screen can show them before all
	// keys were looked at; nil is fine. It is called by one goroutine at a time and owns the slice.
	Found func(names []string)
}

// Discovery is which streams there are.
type Discovery struct {
	Streams []string // keys as the server holds them, in the order of their bytes
	More    bool     // the limit was reached before all keys were looked at
}

// Discover finds the streams of a server (SCAN … TYPE stream, Redis 6.0), or of all masters of a Cluster. It costs the
// server a look at every key, in pages; it may be cancelled. The error is NOPERM where the user may not SCAN: the
// streams have to be named then. What was found before an error is returned with it.
func Discover(ctx context.Context, c *Client, o DiscoverOptions) (Discovery, error) {
	if o.Limit <= 0 {
		o.Limit = mostStreams
	}
	if o.Page <= 0 {
		o.Page = discoverPage
	}
	if _, err := c.Identify(ctx); err != nil { // also finds out that it is a Cluster
		return Discovery{}, err
	}
	d := &discoverer{o: o, seen: map[string]bool{}}
	err := c.eachMaster(ctx, d.scan)
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.Sort(d.found.Streams)
	return d.found, err
}

type discoverer struct {
	o DiscoverOptions

	mu    sync.Mutex // the masters of a Cluster are scanned at once
	seen  map[string]bool
	found Discovery
}

func (d *discoverer) scan(ctx context.Context, do doer) error {
	cursor := "0"
	for {
		args := []any{"SCAN", cursor}
		if d.o.Match != "" {
			args = append(args, "MATCH", d.o.Match)
		}
		reply, err := do(ctx, append(args, "COUNT", d.o.Page, "TYPE", "stream")...)
		if err != nil {
			return on(err, "look for streams", "")
		}
		parts := asList(reply)
		if len(parts) != 2 {
			return badReply("look for streams", "", reply)
		}
		full := d.take(asList(parts[1]))
		if cursor = asString(parts[0]); full || cursor == "0" || cursor == "" {
			return nil
		}
		if d.o.Pause > 0 && !pause(ctx, d.o.Pause) {
			return wrap("look for streams", "", ctx.Err(), false, nil)
		}
	}
}

// take adds a page; full says that the limit is reached. SCAN may show a key more than once.
func (d *discoverer) take(keys []any) (full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var fresh []string
	for _, key := range keys {
		name := asString(key)
		if d.seen[name] {
			continue
		}
		if len(d.found.Streams) >= d.o.Limit {
			d.found.More = true
			break
		}
		d.seen[name] = true
		d.found.Streams = append(d.found.Streams, name)
		fresh = append(fresh, name)
	}
	if d.o.Found != nil {
		d.o.Found(fresh)
	}
	return d.found.More
}

package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

func TestMain(m *testing.M) {
	redisq.SilenceLibrary(nil)
	redistest.Main(m)
}

// bed is a stream of its own on a server, and a client that sends plain commands to it, as redis-cli does.
type bed struct {
	t   *testing.T
	s   redistest.Server
	url string
	c   *redisq.Client
	key string
}

func newBed(t *testing.T, s redistest.Server) *bed {
	t.Helper()
	return &bed{t: t, s: s, url: s.URL, c: dial(t, s.URL), key: s.Key(t, "q")}
}

func dial(t *testing.T, url string) *redisq.Client {
	t.Helper()
	c, err := redisq.Connect(target(t, url), redisq.Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func target(t testing.TB, url string) redisq.Target {
	t.Helper()
	target, err := redisq.ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// cli sends a line as one types it into redis-cli; Q stands for the stream.
func (b *bed) cli(line string) any {
	b.t.Helper()
	var args []any
	for _, w := range strings.Fields(line) {
		args = append(args, strings.ReplaceAll(w, "Q", b.key))
	}
	return b.do(args...)
}

func (b *bed) do(args ...any) any {
	b.t.Helper()
	reply, err := b.c.Do(b.t.Context(), args...)
	if err != nil {
		b.t.Fatalf("%v: %v", args, err)
	}
	return reply
}

// lines sends several, one a line.
func (b *bed) lines(text string) {
	b.t.Helper()
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.cli(line)
		}
	}
}

// add adds n entries with the ids from-0, ….
func (b *bed) add(from, n int) {
	b.t.Helper()
	for i := from; i < from+n; i++ {
		b.do("XADD", b.key, fmt.Sprintf("%d-0", i), "order", i)
	}
}

// object is what JSON of any shape decodes to.
type object = map[string]any

func (b *bed) snapshot(o SnapshotOptions) object {
	b.t.Helper()
	if o.Streams == nil {
		o.Streams = []string{b.key}
	}
	return snapshotJSONOf(b.t, target(b.t, b.url), o)
}

// snapshotJSONOf is the JSON. It fails where something that was asked for by name is not there, and says so in both
// places.
func snapshotJSONOf(t *testing.T, who redisq.Target, o SnapshotOptions) object {
	t.Helper()
	o.JSON = true
	var out bytes.Buffer
	err := Snapshot(t.Context(), who, &out, o)
	if out.Len() == 0 {
		t.Fatal(err)
	}
	got := decode(t, out.Bytes())
	if said := at(got, "error"); said == nil && err != nil || said != nil && (err == nil || said != any(err.Error())) {
		t.Errorf("the JSON says %v, the error is %v", said, err)
	}
	if strings.Contains(out.String(), "secret-word") {
		t.Error("the password is shown")
	}
	return got
}

func decode(t *testing.T, text []byte) object {
	t.Helper()
	if n := bytes.Count(text, []byte("\n")); n != 1 || text[len(text)-1] != '\n' {
		t.Errorf("%d lines, want one:\n%s", n, text)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v object
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return v
}

// doctor returns the JSON and the exit status.
func (b *bed) doctor(o DoctorOptions) (object, int) {
	b.t.Helper()
	o.JSON = true
	if o.Streams == nil {
		o.Streams = []string{b.key}
	}
	if o.Thresholds == (doctor.Thresholds{}) {
		o.Thresholds = doctor.Defaults()
	}
	var out bytes.Buffer
	status, err := Doctor(b.t.Context(), target(b.t, b.url), &out, o)
	if err != nil {
		b.t.Fatal(err)
	}
	return decode(b.t, out.Bytes()), status
}

// at goes down into JSON: names and indexes, separated by blanks. What is not there is nil.
func at(v any, path string) any {
	for _, step := range strings.Fields(path) {
		switch node := v.(type) {
		case object:
			v = node[step]
		case []any:
			i := int(step[0] - '0')
			if len(step) != 1 || i < 0 || i >= len(node) {
				return nil
			}
			v = node[i]
		default:
			return nil
		}
	}
	return v
}

// text is a value of JSON as a person would write it: a number object as 12, 1000+ or ?.
func text(v any) string {
	switch n := v.(type) {
	case nil:
		return "null"
	case object:
		switch {
		case n["known"] == false && n["reason"] != "" && len(n) == 2:
			return "?"
		case n["known"] == true && n["at_least"] == true && n["source"] != "":
			return fmt.Sprint(n["value"]) + "+"
		case n["known"] == true && n["at_least"] == false && n["source"] != "":
			return fmt.Sprint(n["value"])
		}
	}
	return fmt.Sprint(v)
}

// codes are the findings: "severity code" or "severity code consumer".
func codes(report object) string {
	var all []string
	for _, f := range at(report, "findings").([]any) {
		line := text(at(f, "severity")) + " " + text(at(f, "code"))
		if who := at(f, "consumer"); who != nil {
			line += " " + text(who)
		}
		all = append(all, line)
	}
	return strings.Join(all, ", ")
}

// remedies are the commands of all findings, one a line, with Q for the stream.
func (b *bed) remedies(report object) string {
	var all []string
	for _, f := range at(report, "findings").([]any) {
		for _, r := range at(f, "remedies").([]any) {
			for _, c := range at(r, "commands").([]any) {
				var words []string
				for _, w := range c.([]any) {
					words = append(words, w.(string))
				}
				all = append(all, strings.ReplaceAll(strings.Join(words, " "), b.key, "Q"))
			}
		}
	}
	return strings.Join(all, "\n")
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// patience is how long a test waits before it has failed. It bounds nothing but that.
const patience = time.Minute

// within waits for a condition.
func within(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			t.Fatalf("not within %v: %s", patience, what)
		case <-tick.C:
		}
	}
}

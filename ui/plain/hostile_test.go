package plain

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/ui/cell"
)

// hostile are strings that clear a screen, set a title, write the clipboard, turn text round, or are no text at all.
var hostile = []string{
	"\x1b[2J\x1b]0;own\x07", "\x1b]52;c;aGk=\x07", "\x9b31m", "\u009b31m", "\u202ekcab", "a\u2028b\u2029c", "nul\x00 tab\t nl\n cr\r bs\b del\x7f",
	"\xff\xfe\xac\xed\x00\x05t", "日本語 👩‍👩‍👧‍👦 e\u0301", `"quoted\"`, "", strings.Repeat("x", 300),
}

// tame fails for a control or a character that is not seen, other than the line end.
func tame(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is no UTF-8: %q", what, text)
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%s has %U in it", what, r)
			return
		}
	}
}

func TestHostileNamesAndPayloads(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		for i, bad := range hostile {
			b := newBed(t, s)
			key, group := b.key+bad, "g"+bad
			b.do("XGROUP", "CREATE", key, group, "0", "MKSTREAM")
			b.do("XADD", key, "1-0", bad, "v", "f", bad, "f", "twice")
			b.do("XREADGROUP", "GROUP", group, "w"+bad, "STREAMS", key, ">")
			b.do("XCLAIM", key, group, "w"+bad, 0, "1-0", "IDLE", 600_000, "RETRYCOUNT", 9, "JUSTID")
			b.do("XADD", "{"+key+"}:dead", "*", "error", bad)

			got := b.snapshot(SnapshotOptions{Streams: []string{key}, Pending: 5})
			stream := at(got, "streams 0")
			same(t, "stream", bytesOf(stream, "name"), key)
			same(t, "group", bytesOf(at(stream, "groups 0"), "name"), group)
			same(t, "consumer", bytesOf(at(stream, "groups 0 consumers 0"), "name"), "w"+bad)
			entry := at(stream, "groups 0 entries 0")
			same(t, "owner", bytesOf(entry, "consumer"), "w"+bad)
			want := [][2]string{{bad, "v"}, {"f", bad}, {"f", "twice"}}
			same(t, "fields, in their order", fmt.Sprintf("%q", pairsOf(entry)), fmt.Sprintf("%q", want))

			report, _ := b.doctor(DoctorOptions{Streams: []string{key}})
			for _, f := range at(report, "findings").([]any) {
				same(t, "stream of a finding", bytesOf(f, "stream"), key)
			}
			ack := [][]string{{"XACK", key, group, "1-0"}}
			same(t, "a remedy as bytes", strings.Contains(fmt.Sprintf("%q", commandsOf(report)), strings.Trim(fmt.Sprintf("%q", ack), "[]")), true)

			for _, o := range []SnapshotOptions{{Pending: 5}, {JSON: true, Pending: 5}, {Pending: 5, Width: 200}} {
				o.Streams = []string{key}
				var out bytes.Buffer
				if err := Snapshot(t.Context(), target(t, s.URL), &out, o); err != nil {
					t.Fatal(err)
				}
				tame(t, fmt.Sprint("snapshot ", i), out.String())
				narrow(t, out.String(), o)
			}
			for _, asJSON := range []bool{false, true} {
				var out bytes.Buffer
				if _, err := Doctor(t.Context(), target(t, s.URL), &out, DoctorOptions{Streams: []string{key}, Thresholds: doctor.Defaults(), JSON: asJSON}); err != nil {
					t.Fatal(err)
				}
				tame(t, fmt.Sprint("doctor ", i), out.String())
			}
		}
	})
}

// narrow checks that no line of the text is wider than it may be.
func narrow(t *testing.T, text string, o SnapshotOptions) {
	t.Helper()
	if o.JSON {
		return
	}
	for line := range strings.Lines(text) {
		if w := cell.Width(strings.TrimSuffix(line, "\n")); w > max(o.Width, 80) {
			t.Errorf("%d cells: %s", w, line)
		}
	}
}

// bytesOf is what a name of JSON stands for.
func bytesOf(v any, name string) string {
	if coded, ok := at(v, name+"_base64").(string); ok {
		raw, err := base64.StdEncoding.DecodeString(coded)
		if err != nil {
			return err.Error()
		}
		return string(raw)
	}
	s, _ := at(v, name).(string)
	return s
}

func pairsOf(entry any) [][2]string {
	var all [][2]string
	pairs, coded := at(entry, "fields_base64").([]any)
	if !coded {
		pairs, _ = at(entry, "fields").([]any)
	}
	for _, p := range pairs {
		var two [2]string
		for i, part := range p.([]any) {
			two[i] = part.(string)
			if coded {
				raw, _ := base64.StdEncoding.DecodeString(two[i])
				two[i] = string(raw)
			}
		}
		all = append(all, two)
	}
	return all
}

func commandsOf(report object) [][]string {
	var all [][]string
	for _, f := range at(report, "findings").([]any) {
		for _, r := range at(f, "remedies").([]any) {
			lists, coded := at(r, "commands_base64").([]any)
			if !coded {
				lists = at(r, "commands").([]any)
			}
			for _, c := range lists {
				var words []string
				for _, w := range c.([]any) {
					word := w.(string)
					if coded {
						raw, _ := base64.StdEncoding.DecodeString(word)
						word = string(raw)
					}
					words = append(words, word)
				}
				all = append(all, words)
			}
		}
	}
	return all
}

func TestLargeValuesAndOddIDs(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		b.cli("XGROUP CREATE Q g 0 MKSTREAM")
		b.do("XADD", b.key, "1-0", "blob", strings.Repeat("\x00\xff", 500_000))
		b.cli("XADD Q 18446744073709551615-18446744073709551614 f v")
		b.cli("XADD Q 18446744073709551615-18446744073709551615 f v")
		b.cli("XREADGROUP GROUP g w COUNT 2 STREAMS Q >")
		got := b.snapshot(SnapshotOptions{Pending: 5})
		want := "3: 1 2 3 0 1"
		if s.Embedded {
			want = "3: 1 2 3 ? 1"
		}
		same(t, "figures", figuresOf(got), want)
		pairs := pairsOf(at(got, "streams 0 groups 0 entries 0"))
		same(t, "all of a large value", len(pairs) == 1 && pairs[0][1] == strings.Repeat("\x00\xff", 500_000), true)
		same(t, "the largest ids", text(at(got, "streams 0 groups 0 entries 1 id")), "18446744073709551615-18446744073709551614")
		var out bytes.Buffer
		if err := Snapshot(t.Context(), target(t, s.URL), &out, SnapshotOptions{Streams: []string{b.key}, Pending: 5}); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 2000 || !strings.Contains(out.String(), "blob=binary, 1.0 MB") {
			t.Errorf("%d bytes of text:\n%.2000s", out.Len(), out.String())
		}
		if _, err := Doctor(t.Context(), target(t, s.URL), io.Discard, DoctorOptions{Streams: []string{b.key}, Thresholds: doctor.Defaults()}); err != nil {
			t.Fatal(err)
		}
	})
}

// Of 5,000 consumers with an entry each every figure is right, and the doctor does not say 5,000 things.
func TestThousandsOfConsumers(t *testing.T) {
	const n = 5000
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		b.cli("XGROUP CREATE Q g 0 MKSTREAM")
		const script = `for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do
			redis.call('XADD', KEYS[1], i .. '-0', 'n', i)
			redis.call('XREADGROUP', 'GROUP', 'g', 'worker-7f7684b54f-' .. i, 'COUNT', 1, 'STREAMS', KEYS[1], '>')
		end`
		const some = 200 // that a busy machine does long before the reply is given up
		for i := 1; i <= n; i += some {
			b.do("EVAL", script, 1, b.key, i, i+some-1)
		}
		got := b.snapshot(SnapshotOptions{Group: "g"})
		g := at(got, "streams 0 groups 0")
		same(t, "pending", text(at(g, "pending")), fmt.Sprint(n))
		same(t, "consumers", len(at(g, "consumers").([]any)), n)
		same(t, "only a page was looked at", text(at(g, "max_deliveries")), "1+")

		thresholds := doctor.Defaults()
		thresholds.Lease = time.Millisecond
		report, status := b.doctor(DoctorOptions{Group: "g", Thresholds: thresholds})
		same(t, "status", status, DoctorFindings)
		if found := at(report, "findings").([]any); len(found) > 25 {
			t.Errorf("%d findings", len(found))
		}
		if c := codes(report); !strings.Contains(c, "critical stuck-consumer worker-7f7684b54f-") || !strings.HasPrefix(c, "critical stuck-consumer") {
			t.Errorf("findings: %.500s", c)
		}

		// They are done with all of it, and stay listed.
		for i := 1; i <= n; i += 500 {
			ack := []any{"XACK", b.key, "g"}
			for k := i; k < i+500; k++ {
				ack = append(ack, fmt.Sprintf("%d-0", k))
			}
			b.do(ack...)
		}
		report, _ = b.doctor(DoctorOptions{Group: "g", Thresholds: thresholds})
		if c := codes(report); !s.Embedded && !strings.Contains(c, "info idle-consumers") {
			t.Errorf("findings: %.500s", c)
		}
	})
}

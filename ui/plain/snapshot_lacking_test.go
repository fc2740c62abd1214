package plain

import (
	"bytes"
	"strings"
	"testing"

	"example.com/unacked/redisq/redistest"
)

// A stream or group that a person named and that is not there is told, in its place and as the error that the process
// exits with; what nobody named is not.
func TestSnapshotOfWhatIsNotThere(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		b.lines("XGROUP CREATE Q g 0 MKSTREAM\nSET Q-text hello\nXADD Q-bare * f v")
		for _, c := range []struct {
			name    string
			streams string
			group   string
			says    string // "" is no error
		}{
			{"all is there", "Q", "g", ""},
			{"a stream without a group", "Q-bare", "", ""},
			{"stream", "Q-nope", "", "the stream Q-nope does not exist"},
			{"one of two streams", "Q Q-nope", "", "the stream Q-nope does not exist"},
			{"both", "Q-nope Q-nope2", "", "the stream Q-nope does not exist; the stream Q-nope2 does not exist"},
			{"group", "Q", "nope", "the group nope does not exist on Q; its only group is g"},
			{"group of a stream that has none", "Q-bare", "nope", "the group nope does not exist on Q-bare, which has no group"},
			{"group of a stream that is not there", "Q-nope", "g", "the stream Q-nope does not exist"},
			{"group of one of two streams", "Q Q-bare", "g", "the group g does not exist on Q-bare, which has no group"},
			{"group of any stream", "", "nope of all", "no stream has a group nope of all"},
			{"another type", "Q-text", "", "the key Q-text is no stream: it holds a value of type string"},
		} {
			t.Run(c.name, func(t *testing.T) {
				own := func(s string) string { return strings.ReplaceAll(s, "Q", b.key) }
				o := SnapshotOptions{Streams: strings.Fields(own(c.streams)), Group: c.group, Width: 4000}
				var out bytes.Buffer
				err := Snapshot(t.Context(), target(t, b.url), &out, o)
				if c.says == "" {
					if err != nil {
						t.Errorf("%v", err)
					}
					return
				}
				if err == nil || err.Error() != own(c.says) {
					t.Errorf("%v, want %s", err, own(c.says))
				}
				for _, part := range strings.Split(own(c.says), "; the ") {
					if !strings.Contains(strings.ToLower(out.String()), strings.ToLower(part)) {
						t.Errorf("the text does not say %q:\n%s", part, out.String())
					}
				}
				same(t, "in JSON", at(b.snapshot(o), "error"), any(own(c.says)))
			})
		}
	})
}

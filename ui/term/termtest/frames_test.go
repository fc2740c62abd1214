package termtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What stood on the screen for a moment is seen by a test that looks later, whole; what was there before a key is no
// answer to that key.
func TestFrames(t *testing.T) {
	const script = `printf '\033[?2026hfirst'; printf ' whole\033[?2026l\033[?2026h\rsecond\033[K\033[?2026l'
read line; printf '\033[?2026h\033[Hthird\033[K\033[?2026l'; read line`
	x := Start(t, exec.Command("sh", "-c", script), 40, 5)
	for !strings.Contains(x.Raw(), "second") {
		<-x.changed
	}
	var seen []string
	look := func(last string) {
		x.Wait("the frame "+last, func() bool {
			seen = append(seen, x.Lines()[0])
			return seen[len(seen)-1] == last
		})
	}
	look("second")
	if want := []string{"", "first whole", "second"}; !slices.Equal(seen, want) {
		t.Errorf("the frames are %q, want %q", seen, want)
	}
	seen = nil
	x.Type("\n")
	look("third")
	if slices.Contains(seen, "first whole") || seen[0] != "second" {
		t.Errorf("after the key the frames are %q, want them to begin with the newest before it", seen)
	}
}

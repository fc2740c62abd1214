package plain

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"example.com/unacked/redisq/doctor"
)

// stuckIn is n consumers of a group that hang, and one finding for those beyond.
func stuckIn(stream string, n int) []doctor.Finding {
	var all []doctor.Finding
	for i := range n {
		all = append(all, doctor.Finding{
			Code: doctor.StuckConsumer, Severity: doctor.Critical, Stream: stream, Group: "g", Consumer: fmt.Sprint("w", i), Text: "It hangs.",
		})
	}
	return append(all, doctor.Finding{
		Code: doctor.StuckConsumer, Severity: doctor.Critical, Stream: stream, Group: "g", Others: []string{"x", "y"}, Text: "2 more of " + stream + ".",
	})
}

func TestNoGroupIsHiddenBehindAnother(t *testing.T) {
	says := func(findings []doctor.Finding, spelled int, want ...string) {
		t.Helper()
		var out bytes.Buffer
		if err := (verdict{findings: findings}).text(&out, 80); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "CRITICAL stuck-consumer"); n != spelled {
			t.Errorf("%d findings are spelled out, want %d:\n%s", n, spelled, &out)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("it does not say %q:\n%s", w, &out)
			}
		}
	}
	says(append(stuckIn("many", 20), stuckIn("million", 20)...), 8, "many ▸ g ▸ w2\n", "million ▸ g ▸ w2\n", "2 more of many.", "2 more of million.",
		"… and 34 more of stuck-consumer")
	says(append(stuckIn("many", 4), stuckIn("million", 4)...), 10) // few enough
	says(stuckIn("many", 20), 21, "2 more of many.")               // the only group: nothing is hidden
}

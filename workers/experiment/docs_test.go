package experiment

import (
	"os"
	"strings"
	"testing"
)

// The chapter has a section for each experiment, with its command, its figures as they are expected, and its decision.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/experiments.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "\n### ")
	for i, e := range All() {
		if i+1 >= len(sections) {
			t.Fatalf("%s has no section", e.Name)
		}
		section := sections[i+1]
		if !strings.HasPrefix(section, e.Name+":") {
			t.Errorf("section %d is %.30q…, want %s", i+1, section, e.Name)
		}
		for _, want := range []string{"\n    unacked experiment " + e.Name + "\n", "\n**Decide:** "} {
			if !strings.Contains(section, want) {
				t.Errorf("%s: %q is missing", e.Name, want)
			}
		}
		for _, f := range e.Figures {
			expected := f.Want.at(1).String()
			if f.Unit == "ms" {
				expected += " ms"
			}
			if row := "\n| " + f.Name + " | " + expected + " | "; !strings.Contains(section, row) {
				t.Errorf("%s: there is no row %q", e.Name, row)
			}
		}
	}
	if len(sections) != len(All())+1 {
		t.Errorf("%d sections for %d experiments", len(sections)-1, len(All()))
	}
}

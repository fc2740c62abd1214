package redisq

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

func TestFieldsComeBackFromTheEditor(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	for range 500 {
		fields := anyFields(r)
		got, err := FieldsFromEditor(FieldsForEditor(fields))
		if err != nil {
			t.Fatal(err)
		}
		sameFields(t, "fields", got, fields)
	}
	got, err := FieldsFromEditor(FieldsForEditor(awkward))
	if err != nil {
		t.Fatal(err)
	}
	sameFields(t, "fields", got, awkward)
	same(t, "written", string(FieldsForEditor([]Field{{"to", "<a@b>"}, {"n", "1"}, {"\xff", ""}})),
		"[\n  [\"to\", \"<a@b>\"],\n  [\"n\", \"1\"],\n  [{\"base64\": \"/w==\"}, \"\"]\n]\n")
}

func TestWhatAPersonMayHaveWritten(t *testing.T) {
	got, err := FieldsFromEditor([]byte(`[["n", 12], ["on", true], [{"base64": "AAE="}, "x"]]`))
	if err != nil {
		t.Fatal(err)
	}
	sameFields(t, "fields", got, []Field{{"n", "12"}, {"on", "true"}, {"\x00\x01", "x"}})
	for text, want := range map[string]string{
		``:                          "want [[",
		`[]`:                        "needs a field",
		`{"a": "b"}`:                "want [[",
		`[["a"]]`:                   "field 1: want a name and a value, have 1",
		`[["a", "b"], ["a", null]]`: "field 2, value: want a text",
		`[["a", {"x": 1}]]`:         "field 1, value: want a text",
		`[["a", {"base64": "?"}]]`:  "field 1, value: illegal base64",
		`[[["a"], "b"]]`:            "field 1, name: want a text",
		`[["a", "b"]] [["c", "d"]]`: "after the end",
		"[[\"a\", \"\xff\"]]":       "not UTF-8",
		`[["a", "b"],]`:             "want [[",
	} {
		if _, err := FieldsFromEditor([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want it to say %q", text, err, want)
		}
	}
}

func TestLettersComeBackFromTheEditor(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	for range 100 {
		letters := make([]DeadLetter, 1+r.IntN(5))
		for i := range letters {
			letters[i] = DeadLetter{ID: fmt.Sprintf("%d-0", i+1), Fields: anyFields(r)}
		}
		ids, fields, err := LettersFromEditor(LettersForEditor(letters), letters)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range letters {
			same(t, "id", ids[i], l.ID)
			sameFields(t, "fields", fields[l.ID], l.Fields)
		}
	}
	of := []DeadLetter{{ID: "1-0", Fields: []Field{{"a", "b"}}}, {ID: "2-0", Fields: []Field{{"a", "b"}}}}
	ids, _, err := LettersFromEditor([]byte(`[{"id": "2-0", "fields": [["a", "c"]]}]`), of)
	same(t, "one taken out", fmt.Sprint(ids, err), "[2-0] <nil>")
	for text, want := range map[string]string{
		``:                                   "want [{",
		`[["a", "b"]]`:                       "want [{",
		`[{"id": "3-0", "fields": []}]`:      "letter 1 (3-0): no letter of that id was to be edited",
		`[{"id": "1-0", "fields": []}]`:      "letter 1 (1-0): an entry needs a field",
		`[{"id": "1-0"}]`:                    "letter 1 (1-0): an entry needs a field",
		`[{"id": "1-0", "field": []}]`:       "unknown field",
		`[{"id": "1-0", "fields": [["a"]]}]`: "letter 1 (1-0): field 1: want a name and a value",
		`[{"id": "1-0", "fields": [["a", "b"]]}, {"id": "1-0", "fields": [["a", "b"]]}]`: "letter 2 (1-0): it stands there twice",
		`[] []`: "after the end",
	} {
		if _, _, err := LettersFromEditor([]byte(text), of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want it to say %q", text, err, want)
		}
	}
}

func TestAnUnchangedEditIsNone(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		letters := b.bury(2)
		o := ReplayOptions{Edited: map[string][]Field{letters[0].ID: {{"n", "1"}}, letters[1].ID: {{"n", "two"}}}}
		plan := ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), o))
		same(t, "edited", plan.Edited, 1)
		same(t, "done", plan.Run(t.Context()).Done, 2)
		_, _, fields := Original(b.newest(b.q.Stream))
		sameFields(t, "fields", fields, []Field{{"n", "two"}})
	})
}

func TestReplayToOneGroupCanKeepTheLetter(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(1)
		o := ReplayOptions{Group: "g", Consumer: "w7", Keep: true}
		same(t, "replayed", b.replay(o).Text, "replayed 1")
		sameText(t, "pending", b.pending(), []string{"1-0 w7 0"})
		letter := b.letters()[0]
		same(t, "names the entry", letter.Kept, "1-0")
		sameFields(t, "fields", letter.Fields, []Field{{"n", "1"}})
		same(t, "again", b.replay(o).Text,
			"replayed 0, left alone 1 (was replayed as 1-0 and kept; it is replayed again only when forced)")
	})
}

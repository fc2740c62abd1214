package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// letters is a list of one column whose rows are these ids.
func letters(l *list, d *data, ids ...string) {
	l.set(rows{
		n:     len(ids),
		id:    func(row int) string { return ids[row] },
		cells: func(row int) []string { return []string{ids[row]} },
	}, d.now)
}

func oneColumn() list { return newList([]column{{title: "NAME", min: 4, grow: true}}) }

func TestListKeepsTheSelectionByID(t *testing.T) {
	d := paneData(nil)
	for _, c := range []struct {
		name          string
		before, after string
		want, left    string
	}{
		{"rows move down", "a b C d", "x y a b c d", "c", ""},
		{"rows move up", "a b C d", "c d", "c", ""},
		{"rows turn round", "a b C d", "d c b a", "c", ""},
		{"it leaves: the next one", "a b C d", "a b d", "d", "c"},
		{"it leaves with the next one: the one before", "a b C d", "a b", "b", "c"},
		{"it leaves, and the nearest moved", "a b C d e", "e d x b a", "d", "c"},
		{"all leave", "a b C d", "x y", "y", "c"},
		{"nothing is left", "a b C", "", "", "c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := oneColumn()
			ids := strings.Fields(strings.ToLower(c.before))
			letters(&l, d, ids...)
			l.jump(slices.IndexFunc(strings.Fields(c.before), func(s string) bool { return s == strings.ToUpper(s) }))
			letters(&l, d, strings.Fields(c.after)...)
			if l.sel != c.want || l.gone() != c.left {
				t.Errorf("selected %q, left %q, want %q and %q", l.sel, l.gone(), c.want, c.left)
			}
		})
	}
}

func TestListForgetsWhatLeft(t *testing.T) {
	d := paneData(nil)
	d.now = nowAt
	start := func() *list {
		l := oneColumn()
		letters(&l, d, "a", "b")
		letters(&l, d, "b")
		if l.gone() != "a" {
			t.Fatalf("left %q, want a", l.gone())
		}
		return &l
	}
	l := start()
	l.key(d, keyMsg("down"))
	if l.gone() != "" {
		t.Error("a key does not forget what left before it")
	}
	l = start()
	later := *d
	later.now = nowAt.Add(2 * time.Second)
	l.lines(&later, 10, 3, true, plainCells)
	if l.gone() != "" {
		t.Error("what left two seconds ago is still taken for what the key was meant for")
	}
}

func TestListFilterHidesWithoutLeaving(t *testing.T) {
	d := paneData(nil)
	l := oneColumn()
	letters(&l, d, "apple", "Banana", "cherry", "pineapple")
	for _, k := range []string{"down", "/", "A", "P", "P"} {
		if !l.key(d, keyMsg(k)) {
			t.Fatalf("key %q was not taken", k)
		}
	}
	if want := []string{"apple", "pineapple"}; !slices.Equal(l.ids, want) {
		t.Errorf("app shows %v, want %v", l.ids, want)
	}
	if l.count() != "2 of 4" {
		t.Errorf("count %q, want 2 of 4", l.count())
	}
	letters(&l, d, "apple", "Banana", "cherry", "pineapple")
	if l.gone() != "" {
		t.Errorf("%q is hidden and did not leave", l.gone())
	}
	l.key(d, keyMsg("esc"))
	for _, k := range []string{"/", "!", "a", "p", "p", "enter"} {
		l.key(d, keyMsg(k))
	}
	if want := []string{"Banana", "cherry"}; !slices.Equal(l.ids, want) || l.filter.open {
		t.Errorf("!app shows %v (open %v), want %v and closed", l.ids, l.filter.open, want)
	}
	l.key(d, keyMsg("esc"))
	if len(l.ids) != 4 {
		t.Errorf("esc leaves %v", l.ids)
	}
}

func TestListFilterTakesAPasteAsText(t *testing.T) {
	d := paneData(nil)
	l := oneColumn()
	letters(&l, d, "one", "two")
	paste := keyMsg("q\nG\x1b[2J")
	paste.Paste = true
	if l.key(d, paste) {
		t.Error("a paste that nobody asked for was taken for keys")
	}
	l.key(d, keyMsg("/"))
	l.key(d, paste)
	if text := l.filter.in.text(); strings.ContainsAny(text, "\n\x1b") {
		t.Errorf("the paste stands as %q", text)
	}
	for _, line := range l.lines(d, 40, 5, true, plainCells) {
		if strings.ContainsRune(line, 0x1b) {
			t.Errorf("a control came through: %q", line)
		}
	}
}

func TestListWindow(t *testing.T) {
	d := paneData(nil)
	l := oneColumn()
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = "row" + strconv.Itoa(i)
	}
	letters(&l, d, ids...)
	drawn := func() string {
		lines := l.lines(d, 10, 4, true, plainCells)
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		return strings.Join(lines, "|")
	}
	for _, c := range []struct{ key, want string }{
		{"", "  NAME|> row0|  row1|  row2"},
		{"down", "  NAME|  row0|> row1|  row2"},
		{"pgdown", "  NAME|  row1|  row2|> row3"},
		{"end", "  NAME|  row97|  row98|> row99"},
		{"down", "  NAME|  row97|  row98|> row99"},
		{"up", "  NAME|  row97|> row98|  row99"},
		{"home", "  NAME|> row0|  row1|  row2"},
		{"up", "  NAME|> row0|  row1|  row2"},
	} {
		if c.key != "" {
			l.key(d, keyMsg(c.key))
		}
		if got := drawn(); got != c.want {
			t.Fatalf("after %q: %s, want %s", c.key, got, c.want)
		}
	}
}

func TestListFormatsOnlyWhatIsSeen(t *testing.T) {
	d := paneData(nil)
	l := oneColumn()
	formatted := 0
	l.set(rows{
		n:     50_000,
		id:    func(row int) string { return strconv.Itoa(row) },
		cells: func(row int) []string { formatted++; return []string{"x"} },
	}, d.now)
	l.lines(d, 20, 30, true, plainCells)
	l.lines(d, 20, 30, true, plainCells)
	if formatted != 29 {
		t.Errorf("%d rows were formatted for a window of 29", formatted)
	}
}

func TestFitDropsTheLeastImportantColumns(t *testing.T) {
	cols := []column{{min: 10}, {min: 5, drop: 2}, {min: 5, drop: 1}, {min: 4, want: 8, grow: true, drop: 3}}
	for _, c := range []struct {
		width int
		want  string
	}{
		{-3, "[0 0 0 0] 1"},
		{0, "[0 0 0 0] 1"},
		{6, "[6 0 0 0] 1"},
		{15, "[10 0 0 0] 1"},
		{16, "[10 0 5 0] 1"},
		{22, "[10 5 5 0] 1"},
		{27, "[10 5 5 4] 1"},
		{33, "[10 5 5 10] 1"},
		{34, "[10 5 5 8] 2"},
		{40, "[10 5 5 14] 2"},
	} {
		widths, gap := fit(cols, c.width)
		if got := fmt.Sprint(widths, " ", gap); strings.ReplaceAll(got, "]  ", "] ") != c.want {
			t.Errorf("fit in %d: %s, want %s", c.width, got, c.want)
		}
	}
}

// A column is as wide as its texts on the screen want, within its bounds, and does not shrink while there are rows; names
// that are too long are cut where they are alike; what is less important goes before they are.
func TestColumnsFitTheirTexts(t *testing.T) {
	d := paneData(nil)
	l := newList([]column{
		{title: "ID", min: 4, most: 10},
		{title: "NAME", min: 6, most: 20, ends: true, drop: 1},
		{title: "SECOND", min: 6, drop: dropSecond},
		{title: "BODY", min: 4, want: 7, grow: true, drop: 2},
	})
	show := func(width int, names ...string) string {
		l.set(rows{
			n:     len(names),
			id:    func(row int) string { return names[row] },
			cells: func(row int) []string { return []string{"1-" + strconv.Itoa(row), names[row], "x", "order=1"} },
		}, d.now)
		lines := l.lines(d, width, 3, false, plainCells)
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		return strings.Join(lines, "\n")
	}
	for _, c := range []struct {
		name  string
		width int
		names []string
		want  string
	}{
		{"short", 42, []string{"w1", "w2"}, "  ID    NAME    SECOND  BODY\n> 1-0   w1      x       order=1\n  1-1   w2      x       order=1"},
		{"longer", 42, []string{"worker-1", "w2"}, "  ID    NAME      SECOND  BODY\n  1-0   worker-1  x       order=1\n> 1-1   w2        x       order=1"},
		{"short again", 42, []string{"w1", "w2"}, "  ID    NAME      SECOND  BODY\n  1-0   w1        x       order=1\n> 1-1   w2        x       order=1"},
		{
			"too long", 36,
			[]string{"mailer-7f7684b54f-x2x9z-1", "mailer-7f7684b54f-x2x9z-2"},
			"  ID   NAME                 BODY\n  1-0  mailer-7f7…f-x2x9z-1 order=1\n> 1-1  mailer-7f7…f-x2x9z-2 order=1",
		},
		{"nothing", 42, nil, ""},
		{"short after nothing", 42, []string{"w1"}, "  ID    NAME    SECOND  BODY\n> 1-0   w1      x       order=1\n"},
	} {
		if got := show(c.width, c.names...); c.want != "" && got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

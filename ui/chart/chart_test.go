package chart

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.com/unacked/ui/cell"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(seconds float64) time.Time {
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

// each returns one point a second from second 0; NaN is a gap.
func each(values ...float64) []Point {
	points := make([]Point, len(values))
	for i, v := range values {
		points[i] = Point{At: at(float64(i)), Value: v, Gap: math.IsNaN(v)}
	}
	return points
}

func TestSpark(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name     string
		points   []Point
		from, to float64
		width    int
		limit    float64
		want     string
	}{
		{"each level", each(0, 1, 2, 3, 4, 5, 6, 7), 0, 8, 8, 7, "▁▂▃▄▅▆▇█"},
		{"its own limit", each(0, 70, 140, 210, 280, 350, 420, 490), 0, 8, 8, 0, "▁▂▃▄▅▆▇█"},
		{"little is more than zero", each(0, 0.001, 0, 100), 0, 4, 4, 100, "▁▂▁█"},
		{"over the limit", each(1, 50, 9), 0, 3, 3, 9, "▂██"},
		{"all zero", each(0, 0, 0), 0, 3, 3, 0, "▁▁▁"},
		{"a gap is no zero", each(7, nan, 0, nan, 7), 0, 5, 5, 7, "█·▁·█"},
		{"a value that is not known", []Point{{At: at(0), Value: 7}, {At: at(1), Value: nan}, {At: at(2), Value: 7}}, 0, 3, 3, 7, "█·█"},
		{"a gap flag hides its value", []Point{{At: at(0), Value: 7}, {At: at(1), Value: 7, Gap: true}, {At: at(2), Value: 7}}, 0, 3, 3, 7, "█·█"},
		{"infinite", each(inf, -inf, 7, 0), 0, 4, 4, 0, "█▁█▁"},
		{"negative", each(-5, 5), 0, 2, 2, 5, "▁█"},
		{"before the first point", each(7, 7), -3, 2, 5, 7, "   ██"},
		{"a long pause without points", []Point{
			{At: at(0), Value: 7},
			{At: at(1), Value: 7},
			{At: at(2), Value: 7},
			{At: at(12), Value: 7},
			{At: at(13), Value: 7},
			{At: at(14), Value: 7},
		}, 0, 15, 15, 7, "███·········███"},
		{"read every 5 s from now on", []Point{
			{At: at(0), Value: 7},
			{At: at(1), Value: 7},
			{At: at(2), Value: 7},
			{At: at(7), Value: 7},
			{At: at(12), Value: 7},
		}, 0, 13, 13, 7, "█████████████"},
		{"more cells than points", each(0, 7), 0, 2, 8, 7, "▁▁▁▁████"},
		{"more points than cells: the peak is seen", each(0, 7, 0, 0, 0, 0), 0, 6, 2, 7, "█▁"},
		{"the last value stands a little", each(7, 7), 0, 4, 4, 7, "████"},
		{"and not for ever", each(7, 7), 0, 10, 10, 7, "██········"},
		{"points before and after", each(1, 7, 1, 7, 1), 1, 3, 2, 7, "█▂"},
		{"nothing but gaps", each(nan, nan, nan), 0, 3, 3, 7, "···"},
		{"one point", each(7), 0, 1, 1, 7, "█"},
		{"no points", nil, 0, 4, 4, 7, "    "},
		{"no time", each(7), 1, 1, 3, 7, "   "},
		{"time backwards", each(7), 5, 1, 3, 7, "   "},
		{"no width", each(7), 0, 1, 0, 7, ""},
		{"negative width", each(7), 0, 1, -4, 7, ""},
		{"limit not a number", each(0, 7), 0, 2, 2, nan, "▁█"},
		{"limit infinite", each(0, 7), 0, 2, 2, inf, "▁█"},
	} {
		got := Spark(c.points, at(c.from), at(c.to), c.width, c.limit, cell.Unicode())
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got, want := Spark(each(0, 7, math.NaN()), at(0), at(3), 3, 7, cell.ASCII()), "_# "; got != want {
		t.Errorf("ascii: %q, want %q", got, want)
	}
}

// Whatever the points and the range, a line is as wide as it was to be.
func FuzzSpark(f *testing.F) {
	f.Add(int64(1), int64(time.Minute), 40)
	f.Add(int64(7), int64(1), 3)
	f.Add(int64(9), int64(math.MaxInt64), 200)
	f.Add(int64(9), -int64(time.Hour), 1)
	f.Fuzz(func(t *testing.T, seed, span int64, width int) {
		width %= 500
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		points := make([]Point, random.IntN(50))
		values := []float64{0, 1, -1, 1e300, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64}
		now := start.Add(-time.Minute)
		for i := range points {
			now = now.Add(time.Duration(random.Int64N(int64(time.Hour)) >> random.IntN(40)))
			points[i] = Point{now, values[random.IntN(len(values))], random.IntN(4) == 0}
		}
		to := start.Add(time.Duration(span))
		for _, limit := range values {
			if got := Spark(points, start, to, width, limit, cell.Unicode()); cell.Width(got) != max(width, 0) {
				t.Errorf("%q is %d wide, want %d", got, cell.Width(got), width)
			}
			for _, line := range Tall(points, start, to, width, 3, limit, cell.Unicode()) {
				if cell.Width(line) != width {
					t.Errorf("%q is %d wide, want %d", line, cell.Width(line), width)
				}
			}
		}
		marks := []Mark{{now, "some label"}, {start, "日本"}, {to, "x"}}
		if got := Marks(marks, start, to, width, cell.Unicode()); cell.Width(got) != max(width, 0) {
			t.Errorf("%q is %d wide, want %d", got, cell.Width(got), width)
		}
		if got := Axis(start, to, width); cell.Width(got) != max(width, 0) {
			t.Errorf("%q is %d wide, want %d", got, cell.Width(got), width)
		}
	})
}

func TestTall(t *testing.T) {
	got := Tall(each(0, 8, 4, math.NaN(), 16, 0.1), at(0), at(6), 6, 2, 16, cell.Unicode())
	want := []string{
		"    █ ",
		"▁█▄·█▁",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := Tall(each(1), at(0), at(1), 0, 3, 0, cell.Unicode()); got != nil {
		t.Errorf("of no width: %q", got)
	}
	if got := Tall(each(1), at(0), at(1), 3, -1, 0, cell.Unicode()); got != nil {
		t.Errorf("of no height: %q", got)
	}
}

// A value is named in the line in which its column ends.
func TestRow(t *testing.T) {
	g := cell.Unicode()
	for _, limit := range []float64{1, 5.7, 16, 1000} {
		for height := 1; height <= 5; height++ {
			for v := 0.0; v <= limit; v += limit / 37 {
				lines := Tall([]Point{{At: at(0), Value: v}}, at(0), at(1), 1, height, limit, g)
				want := 0
				for lines[want] == " " {
					want++
				}
				if got := Row(v, limit, height, g); got != want {
					t.Errorf("%v of %v in %d lines ends in line %d, drawn in line %d", v, limit, height, got, want)
				}
			}
		}
	}
}

func TestMarks(t *testing.T) {
	mark := func(second float64, label string) Mark { return Mark{at(second), label} }
	for _, c := range []struct {
		name  string
		marks []Mark
		width int
		want  string
	}{
		{"label to the right", []Mark{mark(2, "killed w2")}, 20, "  ▲killed w2        "},
		{"to the left at the end", []Mark{mark(19, "+100")}, 20, "               +100▲"},
		{"two", []Mark{mark(0, "kill"), mark(10, "+100")}, 20, "▲kill     ▲+100     "},
		{"the newest has its label", []Mark{mark(5, "killed w2"), mark(8, "+100")}, 20, "     ▲  ▲+100       "},
		{"to the left of the next", []Mark{mark(8, "older"), mark(11, "newer")}, 20, "   older▲  ▲newer   "},
		{"a blank between", []Mark{mark(0, "1234"), mark(5, "x")}, 20, "▲    ▲x             "},
		{"the same column", []Mark{mark(5, "older"), mark(5.2, "newer")}, 20, "     ▲newer         "},
		{"no room for a label", []Mark{mark(1, "label")}, 4, " ▲  "},
		{"without a label", []Mark{mark(3, "")}, 6, "   ▲  "},
		{"out of sight", []Mark{mark(-1, "before"), mark(21, "after")}, 20, strings.Repeat(" ", 20)},
		{"now", []Mark{mark(20, "x")}, 20, "                  x▲"},
		{"wide label", []Mark{mark(0, "日本")}, 20, "▲日本               "},
		{"none", nil, 3, "   "},
		{"no width", []Mark{mark(1, "x")}, 0, ""},
		{"negative width", []Mark{mark(1, "x")}, -1, ""},
	} {
		to := at(float64(max(c.width, 1)))
		got := Marks(c.marks, at(0), to, c.width, cell.Unicode())
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if cell.Width(got) != max(c.width, 0) {
			t.Errorf("%s: %q is %d wide", c.name, got, cell.Width(got))
		}
	}
	if got := Marks([]Mark{mark(1, "x")}, at(3), at(3), 4, cell.Unicode()); got != "    " {
		t.Errorf("no time: %q", got)
	}
}

// A mark stands in the column in which Spark draws the moment.
func TestMarksAgreeWithSpark(t *testing.T) {
	for s := 0.0; s < 60; s += 0.7 {
		point := []Point{{At: at(s), Value: 1}, {At: at(s), Gap: true}}
		line := Spark(point, at(0), at(60), 37, 1, cell.Unicode())
		marks := Marks([]Mark{{At: at(s)}}, at(0), at(60), 37, cell.Unicode())
		a, b := strings.IndexRune(strings.ReplaceAll(line, "·", " "), '█'), strings.IndexRune(marks, '▲')
		if a != b {
			t.Errorf("second %v: the value is in column %d, the mark in %d", s, a, b)
		}
	}
}

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		span  time.Duration
		width int
		want  string
	}{
		{time.Minute, 30, "-60s         -30s          now"},
		{time.Minute, 12, "-60s     now"},
		{time.Minute, 8, "-60s now"},
		{time.Minute, 7, "    now"},
		{time.Minute, 2, "n…"},
		{time.Minute, 64, "-60s          -45s            -30s            -15s           now"},
		{15 * time.Second, 30, "-15s         -7.5s         now"},
		{10 * time.Minute, 30, "-10m          -5m          now"},
		{3 * time.Hour, 30, "-3h          -90m          now"},
		{0, 5, "  now"},
		{-time.Second, 5, "  now"},
		{time.Minute, 0, ""},
		{time.Minute, -2, ""},
	} {
		if got := Axis(start, start.Add(c.span), c.width); got != c.want {
			t.Errorf("%v, %d cells: %q, want %q", c.span, c.width, got, c.want)
		}
	}
}

func TestHistogram(t *testing.T) {
	got := Histogram([]Bin{{Label: "1", Count: 10}, {Label: "2", Count: 5}, {Label: "5+", Count: 1}, {Label: "3", Count: 0}},
		16, cell.Unicode())
	want := []string{
		" 1 ██████████ 10", // 16 - 2 of the label - 2 of the count - 2 blanks
		" 2 █████ 5      ",
		"5+ █ 1          ",
		" 3 0            ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for width := -1; width < 12; width++ {
		for _, line := range Histogram([]Bin{{Label: "long label", Count: 3, Text: "3 of 1000+"}}, width, cell.Unicode()) {
			if cell.Width(line) != width {
				t.Errorf("%q is %d wide, want %d", line, cell.Width(line), width)
			}
		}
	}
}

func BenchmarkSpark(b *testing.B) {
	points := make([]Point, 240)
	for i := range points {
		points[i] = Point{At: at(float64(i) / 4), Value: float64(i * 37 % 101), Gap: i%50 == 0}
	}
	g := cell.Unicode()
	for b.Loop() {
		Spark(points, at(0), at(60), 60, 0, g)
	}
}

func BenchmarkTall(b *testing.B) {
	points := make([]Point, 240)
	for i := range points {
		points[i] = Point{At: at(float64(i) / 4), Value: float64(i * 37 % 101)}
	}
	g := cell.Unicode()
	for b.Loop() {
		Tall(points, at(0), at(60), 120, 6, 0, g)
	}
}

func BenchmarkMarks(b *testing.B) {
	marks := make([]Mark, 40)
	for i := range marks {
		marks[i] = Mark{at(float64(i) * 1.5), "killed w2"}
	}
	g := cell.Unicode()
	for b.Loop() {
		Marks(marks, at(0), at(60), 60, g)
	}
}

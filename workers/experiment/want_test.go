package experiment

import (
	"math"
	"testing"
)

func TestWant(t *testing.T) {
	waiting := within("466", 455, 475).small(455, 498)
	for _, c := range []struct {
		want  Want
		scale float64
		text  string
		holds []float64
		off   []float64
	}{
		{exactly(9), 1, "9", []float64{9}, []float64{8, 10}},
		{exactly(0), 1, "0", []float64{0}, []float64{1}},
		{exactly(9), 0.1, "9", []float64{9}, []float64{0.9}},
		{under(1), 1, "under 1", []float64{0, 0.999}, []float64{1, 1.5}},
		{under(1), 0.1, "under 1", []float64{0.999}, []float64{1}},
		{atMost(5, "0"), 1, "0 (at most 5)", []float64{0, 5}, []float64{6}},
		{atMost(100, ""), 1, "at most 100", []float64{100}, []float64{101}},
		{waiting, 1, "466 (455–475)", []float64{455, 475}, []float64{454, 476}},
		{waiting, 0.1, "466 (455–498)", []float64{498}, []float64{454, 499}},
		{mailTime(), 1, "about 300 (290–340)", []float64{290, 340}, []float64{289.9, 340.1}},
		{mailTime(), 0.1, "20–70", []float64{20, 70}, []float64{19.9, 70.1}},
		{mailTime(), 2, "590–640", []float64{600}, []float64{589, 641}},
		{atLeastMail(), 1, "at least 290", []float64{290, 9000}, []float64{289}},
		{atLeastMail(), 0.1, "at least 20", []float64{20, 9000}, []float64{19}},
	} {
		w := c.want.at(c.scale)
		if w.String() != c.text {
			t.Errorf("at %v it reads %q, want %q", c.scale, w, c.text)
		}
		for _, x := range c.holds {
			if !w.holds(Measured{Known: true, Value: x}) {
				t.Errorf("%s: %v is off", c.text, x)
			}
		}
		for _, x := range append(c.off, math.NaN()) {
			if w.holds(Measured{Known: true, Value: x}) {
				t.Errorf("%s: %v holds", c.text, x)
			}
		}
	}
}

func TestWantOrders(t *testing.T) {
	for _, c := range []struct {
		want, got []string
		holds     bool
	}{
		{nil, nil, true},
		{nil, []string{"4"}, false},
		{[]string{"4"}, []string{"4"}, true},
		{[]string{"4"}, []string{"5"}, false},
		{[]string{"4"}, nil, false},
		{[]string{"4"}, []string{"4", "5"}, false},
	} {
		if orders(c.want...).holds(named(c.got)) != c.holds {
			t.Errorf("want %v, got %v: holds is not %v", c.want, c.got, c.holds)
		}
	}
}

func TestOrders(t *testing.T) {
	for _, c := range []struct {
		names []string
		text  string
	}{
		{nil, "none"},
		{[]string{"4"}, "order 4"},
		{[]string{"4", "5"}, "orders 4, 5"},
		{[]string{"4", "5", "6"}, "orders 4–6"},
		{[]string{"1", "4", "5", "6", "9", "10"}, "orders 1, 4–6, 9, 10"},
		{[]string{"9", "x", "y"}, "orders 9, x, y"},
	} {
		if got := Orders(c.names); got != c.text {
			t.Errorf("%v is %q, want %q", c.names, got, c.text)
		}
	}
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 466: "466", 301.24: "301.2", 31.2: "31.2", 1.2: "1.2", 0.1: "0.1", 0.2144: "0.214", 20: "20", 100: "100",
	} {
		if got := number(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}

func TestFill(t *testing.T) {
	const line = "A lease of {600ms}; {50/s} for {10s} {else}."
	for scale, want := range map[float64]string{
		1:   "A lease of 600 ms; 50 a second for 10 s {else}.",
		0.1: "A lease of 60 ms; 500 a second for 1 s {else}.",
		0.5: "A lease of 300 ms; 100 a second for 5 s {else}.",
	} {
		if got := fill(line, scale); got != want {
			t.Errorf("at %v: %q, want %q", scale, got, want)
		}
	}
}

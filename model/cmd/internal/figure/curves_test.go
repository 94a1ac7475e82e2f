package figure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// trained is a run whose first model is the best.
var trained = Run{
	Name:       "a<b",
	Training:   []Sample{{100, 8}, {200, 6}, {300, 4}},
	Validation: []Sample{{150, 7}, {300, 5}},
	BLEU:       []Sample{{150, 10}, {300, 0}},
	Best:       150,
}

func curvesOf(t *testing.T, runs ...Run) document {
	t.Helper()
	p, err := Curves(runs)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, p)
}

// hex returns the color of a run in SVG.
func hex(run int) string {
	c := palette[run]
	return fmt.Sprintf("stroke:#%02X%02X%02X", c.R, c.G, c.B)
}

// rings returns the centers of the rings.
func (d document) rings(t *testing.T) [][2]float64 {
	t.Helper()
	var list [][2]float64
	for _, p := range d.paths {
		if begin, _, found := strings.Cut(p.data, "A5,5"); found {
			at := path{data: begin}.points(t)[0]
			list = append(list, [2]float64{at[0] - 5, at[1]})
		}
	}
	return list
}

// TestCurves checks the position of each measurement against the axis labels.
func TestCurves(t *testing.T) {
	d := curvesOf(t, trained)
	lines, rings := d.lines(t), d.rings(t)
	if len(rings) != 3 { // loss, BLEU and legend
		t.Errorf("%d rings, want 3", len(rings))
	}
	for i, samples := range [][]Sample{trained.Training, trained.Validation, trained.BLEU} {
		var want [][2]float64
		chart := d.half(t, i < 2)
		for _, s := range samples {
			want = append(want, chart.at(t, float64(s.Update), s.Value))
		}
		if !through(lines, want) {
			t.Errorf("no curve through %v in %v", want, lines)
		}
		if i > 0 && !slices.ContainsFunc(rings, func(r [2]float64) bool { return near(r, want[0]) }) {
			t.Errorf("no ring at %v in %v", want[0], rings)
		}
	}
	for _, want := range []string{"loss per word (nats)", "BLEU", "updates", "training", "validation", "best model, 10.0 BLEU"} {
		if !slices.Contains(d.texts(), want) {
			t.Errorf("no %q in %q", want, d.texts())
		}
	}
	if slices.Contains(d.texts(), "a<b") {
		t.Error("the legend names the only run")
	}
}

func TestCurvesOfRuns(t *testing.T) {
	second := Run{Name: "second", Validation: []Sample{{40_000, 2}}, BLEU: []Sample{{20_000, 30}, {40_000, 33.333}}}
	d := curvesOf(t, trained, second)
	for _, want := range []string{"a<b, 10.0 BLEU", "second", "updates (thousands)", "40", "best model"} {
		if !slices.Contains(d.texts(), want) {
			t.Errorf("no %q in %q", want, d.texts())
		}
	}
	for run := range 2 {
		if !slices.ContainsFunc(d.paths, func(p path) bool { return strings.Contains(p.style, hex(run)) }) {
			t.Errorf("no line of run %d", run)
		}
	}
}

// TestGrayscale checks that runs printed in gray differ in their glyphs or by at least an eighth of
// the range from black to white.
func TestGrayscale(t *testing.T) {
	luminance := func(run int) float64 {
		c := palette[run]
		return 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
	}
	for i := range palette {
		for j := range i {
			if i%len(glyphs) == j%len(glyphs) && math.Abs(luminance(i)-luminance(j)) < 32 {
				t.Errorf("runs %d and %d have the same glyphs and luminances %v and %v", i, j, luminance(i), luminance(j))
			}
		}
	}
}

// TestNarrow has values so close that their axis labels are long.
func TestNarrow(t *testing.T) {
	d := curvesOf(t, Run{BLEU: []Sample{{1, 12.34567891}, {2, 12.34567892}}})
	seen := map[string]bool{}
	for _, l := range d.labels {
		if l.anchor() != "end" {
			continue
		}
		if l.x < float64(style.Width(l.text)) || seen[l.text] {
			t.Errorf("%s ends at %v, seen %v", l.text, l.x, seen)
		}
		seen[l.text] = true
	}
	if len(seen) < 2 {
		t.Errorf("%d axis labels, want at least two", len(seen))
	}
}

// TestLegend checks that names do not overlap and that long names fit on the page.
func TestLegend(t *testing.T) {
	for _, length := range []int{1, 30, 200} {
		var runs []Run
		for i := range palette {
			r := trained
			r.Name = strings.Repeat(string(rune('a'+i)), length)
			runs = append(runs, r)
		}
		d := curvesOf(t, runs...)
		seen := map[string]bool{}
		for _, l := range d.labels {
			if l.anchor() != "start" {
				continue
			}
			place := fmt.Sprint(l.x, l.y)
			if seen[place] || l.x+float64(style.Width(l.text)) > d.width || l.y < 0 {
				t.Errorf("%q at %s on a page of %v×%v", l.text, place, d.width, d.height)
			}
			seen[place] = true
		}
		if want := len(palette) + 3; len(seen) != want {
			t.Errorf("%d names, want %d", len(seen), want)
		}
	}
}

// TestFew draws runs with a single measurement.
func TestFew(t *testing.T) {
	for _, r := range []Run{{Training: []Sample{{1, 3}}}, {Validation: []Sample{{1, 3}}, Best: 1}, {BLEU: []Sample{{1, 0}}}} {
		p, err := Curves([]Run{r, r})
		if err != nil {
			t.Fatal(err)
		}
		decoded(t, p)
		d := parsed(t, p)
		for name, want := range map[string]bool{"BLEU": r.BLEU != nil, "loss per word (nats)": r.BLEU == nil, "training": r.Training != nil} {
			if got := slices.Contains(d.texts(), name); got != want {
				t.Errorf("%+v: %s in %q", r, name, d.texts())
			}
		}
	}
}

func TestCurvesSame(t *testing.T) {
	sameTwice(t, func() *Page {
		p, err := Curves([]Run{trained, trained})
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
}

func TestCurvesErrors(t *testing.T) {
	for _, runs := range [][]Run{nil, {{}}, make([]Run, len(palette)+1)} {
		if _, err := Curves(runs); !errors.Is(err, ErrCount) {
			t.Errorf("%d runs: got %v, want %v", len(runs), err, ErrCount)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct{ unit, low, high float64 }{
		{1, 0, 300}, {1, 0, 1}, {1, 1.432, 7.9}, {1, 3.01, 3.02}, {1, -2, 13}, {1000, 0, 27_000}, {1, -0.3, 0.4}, {1, 0, 1e6},
	} {
		last, numbers := math.Inf(-1), 0
		marks := ticks{test.unit}.Ticks(test.low, test.high)
		slices.SortFunc(marks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
		for _, m := range marks {
			if m.IsMinor() {
				continue
			}
			v, err := strconv.ParseFloat(m.Label, 64)
			if err != nil || math.Abs(v*test.unit-m.Value) > 1e-6*(test.high-test.low) || v <= last || len(m.Label) > 7 {
				t.Errorf("%+v: %s at %v after %v: %v", test, m.Label, m.Value, last, err)
			}
			last = v
			numbers++
		}
		if numbers < 2 || numbers > 8 {
			t.Errorf("%+v: %d labels, want 2 to 8", test, numbers)
		}
	}
}

func TestRunNames(t *testing.T) {
	for _, test := range []struct{ paths, want []string }{
		{[]string{"a/first.log", "b/second.json"}, []string{"first", "second"}},
		{[]string{"a/train.log", "b/train.log"}, []string{"a/train.log", "b/train.log"}},
	} {
		if got := runNames(test.paths); !slices.Equal(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

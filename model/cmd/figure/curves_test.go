package figure

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"
)

// trained is a run whose second model is the best.
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

// TestCurves holds where the measurements are: the axes are from 0 to 300 updates, from 4 to 8
// and from 0 to 10.
func TestCurves(t *testing.T) {
	d := curvesOf(t, trained)
	left, right := margin+scaleLeft, margin+scaleLeft+chartWidth+chartSize+panelRoom+scaleLeft
	x := func(from float64, update int) float64 { return from + chartWidth*float64(update)/300 }
	y := func(share float64) float64 { return margin + titleRoom + chartHeight*(1-share) }
	for _, want := range []string{
		points(x(left, 100), y(1), x(left, 200), y(0.5), x(left, 300), y(0)),
		points(x(left, 150), y(0.75), x(left, 300), y(0.25)),
		points(x(right, 150), y(1), x(right, 300), y(0)),
	} {
		found := false
		for _, l := range d.Lines {
			found = found || l.Points == want
		}
		if !found {
			t.Errorf("no curve through %s in %v", want, d.Lines)
		}
	}
	rings := 0
	for _, c := range d.Circles {
		if c.R != ringRadius {
			continue
		}
		rings++
		if c.Y < y(0) && !(c.X == x(left, 150) && c.Y == y(0.75)) && !(c.X == x(right, 150) && c.Y == y(1)) {
			t.Errorf("ring at %v, %v", c.X, c.Y)
		}
	}
	if rings != 3 { // two and that of the legend
		t.Errorf("%d rings, want 3", rings)
	}
	for _, want := range []string{"loss per word (nats)", "BLEU", "updates", "training", "validation", "best model, 10.0 BLEU"} {
		if !slices.Contains(d.texts(), want) {
			t.Errorf("no %q in %q", want, d.texts())
		}
	}
	if slices.Contains(d.texts(), "a<b") {
		t.Error("the name of the only run is in the legend")
	}
}

// points returns the attribute of a line.
func points(coordinates ...float64) string {
	var list []string
	for i := 0; i < len(coordinates); i += 2 {
		list = append(list, decimal(coordinates[i])+","+decimal(coordinates[i+1]))
	}
	return strings.Join(list, " ")
}

func TestCurvesOfRuns(t *testing.T) {
	second := Run{Name: "second", Validation: []Sample{{40_000, 2}}, BLEU: []Sample{{40_000, 33.333}}}
	d := curvesOf(t, trained, second)
	for _, want := range []string{"a<b, 10.0 BLEU", "second", "updates (thousands)", "40", "best model"} {
		if !slices.Contains(d.texts(), want) {
			t.Errorf("no %q in %q", want, d.texts())
		}
	}
	colours := map[string]bool{}
	for _, l := range d.Lines {
		colours[l.Stroke] = true
	}
	for _, c := range runColours[:2] {
		if !colours[hex(c)] {
			t.Errorf("no line in %s", hex(c))
		}
	}
}

// TestNarrow has values that differ little, whose numbers are long.
func TestNarrow(t *testing.T) {
	p, err := Curves([]Run{{BLEU: []Sample{{1, 12.34567891}, {2, 12.34567892}}}})
	if err != nil {
		t.Fatal(err)
	}
	decoded(t, p)
	l := newLetters()
	for _, text := range parsed(t, p).Texts {
		if text.Anchor == "end" && text.X < textWidth(l, text.Text, numberSize) {
			t.Errorf("%s ends at %v", text.Text, text.X)
		}
	}
}

// TestOutside draws beyond all edges.
func TestOutside(t *testing.T) {
	p := &Page{width: 20, height: 10}
	p.add(line{[]point{{-50, -30}, {70, 40}}, 3, black}, disc{point{20, 10}, 30, 1, white, black},
		label{point{-5, 5}, "outside", 12, start, false, black}, label{point{100, 100}, "outside", 12, start, true, black},
		rectangle{point{-5, -5}, 100, 100, black})
	if !same(decoded(t, p), image.NewUniform(black), image.Rect(0, 0, 20*pixels, 10*pixels)) {
		t.Error("the last rectangle does not cover the picture")
	}
}

// TestLegend: names that are too long for a row go on in the next, and the page has room for one
// that is longer than a row.
func TestLegend(t *testing.T) {
	l := newLetters()
	for _, length := range []int{1, 30, 200} {
		var runs []Run
		for i := range runColours {
			r := trained
			r.Name = strings.Repeat(string(rune('a'+i)), length)
			runs = append(runs, r)
		}
		d := curvesOf(t, runs...)
		seen := map[string]bool{}
		for _, text := range d.Texts {
			if text.Anchor != "start" {
				continue
			}
			place := fmt.Sprint(text.X, text.Y)
			if seen[place] || text.X+textWidth(l, text.Text, chartSize) > d.Width || text.Y > d.Height {
				t.Errorf("%q at %s on a page of %v×%v", text.Text, place, d.Width, d.Height)
			}
			seen[place] = true
		}
	}
}

// TestCurvesSame draws twice, in both formats.
func TestCurvesSame(t *testing.T) {
	var svg, png [2]bytes.Buffer
	for i := range svg {
		p, err := Curves([]Run{trained, trained})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.WriteSVG(&svg[i]), p.WritePNG(&png[i])); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(svg[0].Bytes(), svg[1].Bytes()) || !bytes.Equal(png[0].Bytes(), png[1].Bytes()) {
		t.Error("the same figure has two forms")
	}
}

func TestCurvesErrors(t *testing.T) {
	for _, runs := range [][]Run{nil, {{}}, make([]Run, len(runColours)+1)} {
		if _, err := Curves(runs); !errors.Is(err, ErrRuns) {
			t.Errorf("%d runs: got %v, want %v", len(runs), err, ErrRuns)
		}
	}
}

func TestAxis(t *testing.T) {
	for _, test := range []struct {
		low, high   float64
		steps       int
		first, last string
		marks       int
	}{
		{0, 300, 6, "0", "300", 7},
		{0, 1, 5, "0.0", "1.0", 6},
		{1.432, 7.9, 5, "0", "8", 5},
		{3.01, 3.02, 5, "3.010", "3.020", 6},
		{5, 5, 5, "5", "10", 6},
		{0, 0, 5, "0.0", "1.0", 6},
		{-2, 13, 5, "-5", "15", 5},
		{0, 27_000, 6, "0", "30000", 7},
	} {
		a := newAxis(test.low, test.high, test.steps)
		first, last, marks := a.number(a.first, 1), a.number(a.last, 1), a.last-a.first+1
		if first != test.first || last != test.last || marks != test.marks {
			t.Errorf("%v to %v: %d marks from %s to %s, want %d from %s to %s",
				test.low, test.high, marks, first, last, test.marks, test.first, test.last)
		}
		if a.value(a.first) > test.low+1e-9 || a.value(a.last) < test.high-1e-9 || math.Abs(a.share(a.value(a.last))-1) > 1e-9 {
			t.Errorf("%v to %v: axis of %v to %v", test.low, test.high, a.value(a.first), a.value(a.last))
		}
	}
}

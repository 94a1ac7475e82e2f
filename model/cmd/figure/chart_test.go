package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lines returns the points of all lines.
func (d document) lines(t *testing.T) [][][2]float64 {
	t.Helper()
	var list [][][2]float64
	for _, p := range d.paths {
		if strings.Contains(p.style, "stroke:") {
			list = append(list, p.points(t))
		}
	}
	return list
}

// near compares points as they are written, in five digits.
func near(a, b [2]float64) bool { return math.Abs(a[0]-b[0]) < 0.02 && math.Abs(a[1]-b[1]) < 0.02 }

// through reports whether one of the lines goes through the points.
func through(lines [][][2]float64, points [][2]float64) bool {
	return slices.ContainsFunc(lines, func(line [][2]float64) bool { return slices.EqualFunc(line, points, near) })
}

// half returns the labels and the paths that begin in the left or in the right half of a document.
func (d document) half(t *testing.T, left bool) document {
	t.Helper()
	here := func(x float64) bool { return (x < d.width/2) == left }
	part := document{width: d.width, height: d.height}
	for _, l := range d.labels {
		if here(l.x) {
			part.labels = append(part.labels, l)
		}
	}
	for _, p := range d.paths {
		if begin, _, _ := strings.Cut(strings.TrimPrefix(p.data, "M"), ","); here(number(t, begin)) {
			part.paths = append(part.paths, p)
		}
	}
	return part
}

// grid returns the lines of the grid.
func (d document) grid(t *testing.T) [][][2]float64 {
	t.Helper()
	var list [][][2]float64
	for _, p := range d.paths {
		if strings.Contains(p.style, "stroke:#E0E0E0") {
			list = append(list, p.points(t))
		}
	}
	return list
}

// at returns where the values x and y are in the chart of a document, from the numbers of its axes.
func (d document) at(t *testing.T, x, y float64) [2]float64 {
	t.Helper()
	return [2]float64{place(t, d.axis(t, false), x), place(t, d.axis(t, true), y)}
}

// place returns where a value is on an axis.
func place(t *testing.T, axis []tick, value float64) float64 {
	t.Helper()
	if len(axis) < 2 {
		t.Fatalf("numbers %v on an axis, want two", axis)
	}
	first, last := axis[0], axis[len(axis)-1]
	return first.at + (value-first.value)/(last.value-first.value)*(last.at-first.at)
}

// A tick is a number beside an axis, and its place along it.
type tick struct{ value, at float64 }

// axis returns the ticks of an axis.
func (d document) axis(t *testing.T, vertical bool) []tick {
	t.Helper()
	var list []tick
	var line float64 // that all numbers of a horizontal axis are on
	for _, l := range d.labels {
		v, err := strconv.ParseFloat(l.text, 64)
		if err != nil || (l.anchor() == "end") != vertical {
			continue
		}
		switch {
		case vertical:
			list = append(list, tick{v, d.middle(t, l)})
		case list == nil || l.y == line:
			line = l.y
			list = append(list, tick{v, l.x})
		}
	}
	return list
}

// middle returns the height of the line of the grid beside a number.
func (d document) middle(t *testing.T, l label) float64 {
	t.Helper()
	for _, line := range d.grid(t) {
		if line[0][1] == line[1][1] && math.Abs(line[0][1]-l.y) < 5 {
			return line[0][1]
		}
	}
	t.Fatalf("no line of the grid beside %s", l.text)
	return 0
}

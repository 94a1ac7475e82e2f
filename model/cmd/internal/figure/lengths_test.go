package figure

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// falling and flat have scores of the same sentences.
var (
	falling = System{"a<b", []LengthScore{{5, 25, 24, 26.5}, {12.5, 20, 17, 22}, {40, 2, 0, 7}}}
	flat    = System{"flat & high", []LengthScore{{5, 24, 23, 25}, {12.5, 26, 24, 29}, {40, 27, 20, 31}}}
)

func byLength(t *testing.T, systems []System, limits ...int) document {
	t.Helper()
	p, err := ByLength(systems, limits)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, p)
}

// TestByLength checks the positions of scores and intervals against the axis labels.
func TestByLength(t *testing.T) {
	for _, systems := range [][]System{{falling}, {falling, flat}, {flat, falling, {"low", []LengthScore{{3, 0, 0, 0.25}, {7, 1, 0, 2}}}}} {
		d := byLength(t, systems, 30, 50)
		lines := d.lines(t)
		for i, s := range systems {
			var curve [][2]float64
			for _, score := range s.Scores {
				curve = append(curve, d.at(t, score.Words, score.BLEU))
				bar := [][2]float64{d.at(t, score.Words, score.Low), d.at(t, score.Words, score.High)}
				for j := range bar {
					bar[j][0] += float64(barSpacing) * (float64(i) - float64(len(systems)-1)/2)
				}
				if !through(lines, bar) {
					t.Errorf("%d systems: no interval %v of %s at %v", len(systems), score, s.Name, bar)
				}
			}
			if !through(lines, curve) {
				t.Errorf("%d systems: no curve of %s through %v", len(systems), s.Name, curve)
			}
			if !slices.Contains(d.texts(), s.Name) {
				t.Errorf("no %q in %q", s.Name, d.texts())
			}
		}
	}
}

// TestFromZero checks that both axes start at 0, even if every score is 0.
func TestFromZero(t *testing.T) {
	for _, s := range []System{falling, flat, {"nothing", []LengthScore{{5, 0, 0, 0}}}} {
		d := byLength(t, []System{s})
		want := d.at(t, 0, 0)
		first := [2]float64{d.width, d.height}
		for _, line := range d.grid(t) {
			first = [2]float64{min(first[0], line[0][0]), min(first[1], line[0][1])}
		}
		if !near(first, want) {
			t.Errorf("%s: the grid starts at %v, want %v", s.Name, first, want)
		}
	}
}

// TestLimits has limits below and above the longest sentences.
func TestLimits(t *testing.T) {
	for _, limits := range [][]int{nil, {30}, {30, 50}, {120}} {
		d := byLength(t, []System{falling, flat}, limits...)
		var dashed [][][2]float64
		for _, p := range d.paths {
			if strings.Contains(p.style, "stroke-dasharray") {
				dashed = append(dashed, p.points(t))
			}
		}
		if explained := slices.Contains(d.texts(), "longest training sentences"); explained != (limits != nil) {
			t.Errorf("limits %v: legend %q", limits, d.texts())
		}
		if limits == nil {
			if len(dashed) > 0 {
				t.Errorf("%d limits, want none", len(dashed))
			}
			continue
		}
		if len(dashed) != len(limits)+1 { // and the legend
			t.Fatalf("%d dashed lines, want one for each of %v and one in the legend", len(dashed), limits)
		}
		numbers := d.labels[slices.IndexFunc(d.labels, func(l label) bool { return l.y > dashed[0][1][1] }):]
		for i, l := range limits {
			foot, top := dashed[i][0], dashed[i][1]
			if want := d.at(t, float64(l), 0); !near(foot, want) || top[0] != foot[0] || top[1] <= d.at(t, 0, 31)[1] {
				t.Errorf("limit %d from %v to %v, want from %v", l, foot, top, want)
			}
			above := numbers[i]
			if above.text != fmt.Sprint(l) || above.anchor() != "middle" || above.x != foot[0] || above.y <= top[1] {
				t.Errorf("limit %d at %v has %+v", l, top, above)
			}
		}
	}
}

// TestMarkers counts the markers of each system by color.
func TestMarkers(t *testing.T) {
	for n := 1; n <= len(palette); n++ {
		d := byLength(t, slices.Repeat([]System{falling, flat, flat}, 2)[:n])
		marks := map[string]int{}
		for _, p := range d.paths {
			if !strings.Contains(p.style, "stroke:") {
				marks[strings.ToLower(p.fill())]++
			}
		}
		for i := range palette {
			want := len(falling.Scores) + 1 // and the legend
			if i >= n {
				want = 0
			}
			if got := marks[strings.ToLower(strings.TrimPrefix(hex(i), "stroke:"))]; got != want {
				t.Errorf("%d systems: %d markers of system %d, want %d", n, got, i, want)
			}
		}
	}
}

// TestByLengthMargin checks that nothing is cut off at the edge of the page.
func TestByLengthMargin(t *testing.T) {
	long := System{strings.Repeat("W", 90), flat.Scores}
	for _, limits := range [][]int{nil, {30, 120}} {
		p, err := ByLength([]System{falling, long}, limits)
		if err != nil {
			t.Fatal(err)
		}
		picture := decoded(t, p)
		const edge = 13 // pixels, 5 points
		if inside, all := picture.Bounds().Inset(edge), inked(picture); !all.In(inside) {
			t.Errorf("limits %v: ink in %v, want in %v", limits, all, inside)
		}
	}
}

func TestByLengthSame(t *testing.T) {
	sameTwice(t, func() *Page {
		p, err := ByLength([]System{falling, flat}, []int{30, 50})
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
}

func TestByLengthErrors(t *testing.T) {
	for _, systems := range [][]System{nil, slices.Repeat([]System{flat}, len(palette)+1), {flat, {Name: "empty"}}} {
		if _, err := ByLength(systems, nil); !errors.Is(err, ErrCount) {
			t.Errorf("%d systems: got %v, want %v", len(systems), err, ErrCount)
		}
	}
}

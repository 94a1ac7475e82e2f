package figure

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
)

// trained is the log of a training that resumed from update 200: it has updates twice, and the second validation
// after update 400 was not the best.
const trained = `{"event":"start","epochs":3}
{"event":"progress","epoch":1,"update":100,"loss":5.5,"seconds":12.3,"sentences_per_second":80.1}
{"event":"validation","epoch":1,"update":200,"loss":4.2,"validation_loss":3.9,"bleu":12.3,"best":true}
{"event":"progress","epoch":2,"update":300,"loss":9.9,"seconds":12.3,"sentences_per_second":80.1}
{"event":"validation","epoch":2,"update":400,"loss":9.2,"validation_loss":9.9,"bleu":19.3,"best":true}

{"event":"resume","update":200}
{"event":"progress","epoch":2,"update":300,"loss":3.5,"seconds":12.3,"sentences_per_second":80.1}
{"event":"validation","epoch":2,"update":400,"loss":3.2,"validation_loss":3.7,"bleu":12.1,"best":false}`

const scores = `[{"name": "BLEU", "by_length": [{"words": "1-10", "sentences": 3, "score": 25.5},
{"words": "11-20", "sentences": 1, "score": 20}, {"words": "61+", "sentences": 1, "score": 2}]}]`

// written writes contents to files and returns their paths.
func written(t *testing.T, contents ...string) (paths []string) {
	t.Helper()
	for i, content := range contents {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%c<b.log", 'a'+i))
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func plotted(t *testing.T, contents ...string) document {
	t.Helper()
	svg, err := Plot(t.Context(), nil, written(t, contents...))
	if err != nil {
		t.Fatal(err)
	}
	d := parsed(t, svg)
	d.checkInside(t)
	return d
}

// charts divides the elements after the legend of the first chart.
func (d document) charts() []document {
	for i, e := range d {
		if e.attributes["stroke"] == "#e0e0e0" && d[i-1].attributes["text-anchor"] == "start" {
			return []document{d[:i], d[i:]}
		}
	}
	return []document{d}
}

// at returns where a chart has the values x and y, interpolated from the labels of its axes.
func (d document) at(t *testing.T, x, y float64) [2]float64 {
	t.Helper()
	return [2]float64{d.place(t, x, "middle", "x"), d.place(t, y, "end", "y")}
}

func (d document) place(t *testing.T, value float64, anchor, axis string) float64 {
	t.Helper()
	var values, places []float64
	for _, e := range d.all("text") {
		if v, err := strconv.ParseFloat(e.text, 64); err == nil && e.attributes["text-anchor"] == anchor {
			values, places = append(values, v), append(places, e.number(t, axis))
		}
	}
	last := len(values) - 1
	if last < 1 {
		t.Fatalf("labels %v, want at least two", values)
	}
	return places[0] + (value-values[0])/(values[last]-values[0])*(places[last]-places[0])
}

// checkCurve fails unless one of the lines goes through the points.
func (d document) checkCurve(t *testing.T, points []point) {
	t.Helper()
	for _, line := range d.all("polyline") {
		steps := strings.Fields(line.attributes["points"])
		near := len(steps) == len(points)
		for i := 0; near && i < len(steps); i++ {
			var x, y float64
			if _, err := fmt.Sscanf(steps[i], "%g,%g", &x, &y); err != nil {
				t.Fatal(err)
			}
			want := d.at(t, points[i].x, points[i].y)
			near = math.Hypot(x-want[0], y-want[1]) < 0.05
		}
		if near {
			return
		}
	}
	t.Errorf("no curve through %v", points)
}

func TestRunOf(t *testing.T) {
	for _, test := range []struct {
		log  string
		want run
	}{
		{trained, run{training: []point{{100, 5.5}, {300, 3.5}}, validation: []point{{200, 3.9}, {400, 3.7}}, bleu: []point{{200, 12.3}, {400, 12.1}}, best: 200}},
		{`{"event":"validation","update":7,"loss":4,"validation_loss":3,"bleu":0}`, run{training: []point{{7, 4}}, validation: []point{{7, 3}}, bleu: []point{{7, 0}}}},
		{`{"event":"progress","update":7,"loss":4}` + "\r\n", run{training: []point{{7, 4}}}},
	} {
		records, err := training.ReadLog("log", strings.NewReader(test.log))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := runOf("log", records); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("got %+v, %v, want %+v", got, err, test.want)
		}
	}
}

// TestCurves checks the position of each measurement against the labels of the axes.
func TestCurves(t *testing.T) {
	d := plotted(t, trained)
	charts := d.charts()
	if len(charts) != 2 {
		t.Fatalf("%d charts, want 2", len(charts))
	}
	charts[0].checkCurve(t, []point{{100, 5.5}, {300, 3.5}})
	charts[0].checkCurve(t, []point{{200, 3.9}, {400, 3.7}})
	charts[1].checkCurve(t, []point{{200, 12.3}, {400, 12.1}})
	for i, best := range []point{{200, 3.9}, {200, 12.3}} {
		ring := charts[i].all("circle")[0]
		if want := charts[i].at(t, best.x, best.y); math.Hypot(ring.number(t, "cx")-want[0], ring.number(t, "cy")-want[1]) > 0.05 {
			t.Errorf("ring %+v, want it at %v", ring, want)
		}
	}
	for _, want := range []string{"loss per word (nats)", "BLEU", "updates", "training", "validation", "best model, 12.3 BLEU"} {
		if !slices.Contains(d.texts(), want) {
			t.Errorf("no %q in %q", want, d.texts())
		}
	}
	stdin, err := Plot(t.Context(), strings.NewReader(trained), nil)
	if err != nil || !reflect.DeepEqual(parsed(t, stdin), d) {
		t.Errorf("standard input gives another figure than a file, error %v", err)
	}
}

// TestRuns draws several runs, one of them with a single measurement.
func TestRuns(t *testing.T) {
	for _, other := range []string{`{"event":"progress","update":7,"loss":4}`, `{"event":"validation","update":90000,"loss":4,"validation_loss":3,"bleu":0,"best":true}`} {
		d := plotted(t, trained, other)
		for _, want := range []string{"a<b, 12.3 BLEU", "b<b", "best model"} {
			if !slices.ContainsFunc(d.texts(), func(s string) bool { return strings.HasPrefix(s, want) }) {
				t.Errorf("no %q in %q", want, d.texts())
			}
		}
		for i := range 2 {
			if !slices.ContainsFunc(d.all("polyline"), func(e element) bool { return e.attributes["stroke"] == palette[i] }) {
				t.Errorf("no line of run %d", i)
			}
		}
		plotted(t, other)
	}
}

func TestByLength(t *testing.T) {
	d := plotted(t, scores, scores)
	d.checkCurve(t, []point{{5.5, 25.5}, {15.5, 20}, {61, 2}})
	if !slices.Contains(d.texts(), "sentence length (words)") || !slices.Contains(d.texts(), "b<b") || !slices.Contains(d.texts(), "0") {
		t.Errorf("texts %q", d.texts())
	}
}

func TestPlotErrors(t *testing.T) {
	many := slices.Repeat([]string{trained}, len(palette)+1)
	for _, test := range []struct {
		contents []string
		want     string
	}{
		{many, "7 files, expected at most 6"}, {[]string{trained, scores}, "expected either logs of trainings or scores by length"},
		{[]string{"[{}]"}, "no scores by length"}, {[]string{"[]"}, "no scores by length"}, {[]string{"[1"}, "no scores by length"},
		{[]string{""}, "empty file"}, {[]string{`{"event":"start"}`}, "no record of progress or validation"},
	} {
		if _, err := Plot(t.Context(), nil, written(t, test.contents...)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.30q: got %v, want %s", test.contents, err, test.want)
		}
	}
}

// TestGrayscale checks that runs printed in gray differ in their markers or by at least an eighth of the range
// from black to white.
func TestGrayscale(t *testing.T) {
	luminance := func(i int) float64 {
		var r, g, b int
		if _, err := fmt.Sscanf(palette[i], "#%02x%02x%02x", &r, &g, &b); err != nil {
			t.Fatal(err)
		}
		return 0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)
	}
	for i := range palette {
		for j := range i {
			if i%len(shapes) == j%len(shapes) && math.Abs(luminance(i)-luminance(j)) < 32 {
				t.Errorf("runs %d and %d have the same markers and luminances %v and %v", i, j, luminance(i), luminance(j))
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, test := range [][2]float64{{0, 300}, {0, 1}, {1.432, 7.9}, {3.01, 3.02}, {0, 27_000}, {0, 1e6}, {12.34, 12.341}} {
		last := math.Inf(-1)
		list := ticks(test[0], test[1])
		for _, m := range list {
			v, err := strconv.ParseFloat(m.label, 64)
			if err != nil || math.Abs(v-m.value) > 1e-6*(test[1]-test[0]) || v <= last || v < test[0]-1e-9 || v > test[1]+1e-9 || len(m.label) > 7 {
				t.Errorf("%v: %s at %v after %v: %v", test, m.label, m.value, last, err)
			}
			last = v
		}
		if len(list) < 3 || len(list) > 8 {
			t.Errorf("%v: %d labels, want 3 to 8", test, len(list))
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

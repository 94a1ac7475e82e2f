package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/softsearch-go/softsearch/bench/peers/breakdown"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// Results are the times of one file.
type Results struct {
	Facts []Fact
	Cases []suite.Case // in the order of the file
	Works []breakdown.Work

	times      map[series][]float64
	benchmarks map[string][]float64 // ns of an operation, by the names of the Go benchmarks of package bench
}

// A Fact is a line "key: value" before the times.
type Fact struct{ Key, Value string }

// A series is the times of one contender in one case, round by round.
type series struct {
	c         suite.Case
	contender string
}

// Line returns the line of one round in the format of Go benchmarks, without its end.
func Line(c suite.Case, contender string, n int, ns float64) string {
	return fmt.Sprintf("Benchmark%s/impl=%s/%s %d %.5g ns/op", c.Op, contender, c.Shape(), n, ns)
}

// Parse reads results, one a line: facts, times in the format of Go benchmarks and works in
// JSON. It skips comments, which begin with #, and the verdict of go test.
func Parse(r io.Reader) (*Results, error) {
	results := &Results{times: map[series][]float64{}, benchmarks: map[string][]float64{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if err := results.add(line); err != nil {
			return nil, fmt.Errorf("report: line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if len(results.Cases) == 0 && len(results.Works) == 0 && len(results.benchmarks) == 0 {
		return nil, fmt.Errorf("report: no results")
	}
	return results, nil
}

func (r *Results) add(line string) error {
	if line == "" || strings.HasPrefix(line, "#") || line == "PASS" || strings.HasPrefix(line, "ok ") {
		return nil
	}
	if strings.HasPrefix(line, "{") {
		return r.addWork(line)
	}
	name, ok := strings.CutPrefix(line, "Benchmark")
	if !ok {
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return fmt.Errorf("%q is neither a fact nor a result", line)
		}
		r.Facts = append(r.Facts, Fact{key, value})
		return nil
	}
	fields := strings.Fields(name)
	if len(fields) > 4 {
		return r.addBenchmark(fields)
	}
	if len(fields) != 4 || fields[3] != "ns/op" {
		return fmt.Errorf("%q is not a name, a count and a time in ns/op", line)
	}
	s, err := parseName(fields[0])
	if err != nil {
		return err
	}
	ns, err := strconv.ParseFloat(fields[2], 64)
	if err != nil || !(ns > 0) {
		return fmt.Errorf("%s: time %q is not a positive number", fields[0], fields[2])
	}
	r.record(s, ns)
	return nil
}

// addBenchmark adds a line of go test -bench: the name with the number of processors, the number
// of operations, then values and their units.
func (r *Results) addBenchmark(fields []string) error {
	ns, err := strconv.ParseFloat(fields[2], 64)
	if err != nil || !(ns > 0) || fields[3] != "ns/op" {
		return fmt.Errorf("%s: %s %s is not a positive time in ns/op", fields[0], fields[2], fields[3])
	}
	name := fields[0]
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		name = name[:i]
	}
	r.benchmarks[name] = append(r.benchmarks[name], ns)
	return nil
}

// Benchmark returns the median time of a Go benchmark in ns, NaN if the results lack it.
func (r *Results) Benchmark(name string) float64 {
	times := r.benchmarks[name]
	if len(times) == 0 {
		return math.NaN()
	}
	return Median(times)
}

func (r *Results) addWork(line string) error {
	var w breakdown.Work
	if err := json.Unmarshal([]byte(line), &w); err != nil {
		return fmt.Errorf("work: %w", err)
	}
	if operations[w.Operation] == "" || len(w.Rounds) == 0 || newWork(w).all.Samples == 0 {
		return fmt.Errorf("work %s has no known operation, no rounds or no samples", w.Name)
	}
	for _, other := range r.Works {
		if other.Operation == w.Operation && !slices.EqualFunc(other.Parts, w.Parts, samePart) {
			return fmt.Errorf("work %s has other parts than %s", w.Name, other.Name)
		}
	}
	r.Works = append(r.Works, w)
	return nil
}

func samePart(a, b breakdown.Part) bool { return a.Name == b.Name }

// parseName splits "Gemv/impl=naive/rows=256/cols=256".
func parseName(name string) (series, error) {
	op, rest, _ := strings.Cut(name, "/impl=")
	contender, shape, ok := strings.Cut(rest, "/")
	c, err := suite.Parse(op + "/" + shape)
	if !ok || contender == "" || err != nil {
		return series{}, fmt.Errorf("benchmark %q is not an operation, impl= and its sizes", name)
	}
	return series{c, contender}, nil
}

func (r *Results) record(s series, ns float64) {
	known := false
	for other := range r.times {
		known = known || other.c == s.c
	}
	if !known {
		r.Cases = append(r.Cases, s.c)
	}
	r.times[s] = append(r.times[s], ns)
}

// Fact returns the value of a fact, "" without one.
func (r *Results) Fact(key string) string {
	for _, f := range r.Facts {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

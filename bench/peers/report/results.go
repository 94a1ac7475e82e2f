// Package report reads results and makes tables of them.
//
// [Parse] reads a file of results: a [Results] has the times of every case and contender. [Tables] has
// the tables of documents by name, [All] makes one of everything.
package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Results are the times of one file.
type Results struct {
	Cases      []string // in the order of the file: "Gemv/rows=256/cols=256"
	Contenders []string

	facts [][2]string
	times map[[2]string][]float64 // of a case and a contender in ns, round by round
}

// Line returns the line of one round in the format of Go benchmarks, without its end.
func Line(name, contender string, n int, ns float64) string {
	op, shape, _ := strings.Cut(name, "/")
	return fmt.Sprintf("Benchmark%s/impl=%s/%s %d %.5g ns/op", op, contender, shape, n, ns)
}

// Parse reads results, one a line: facts and times in the format of Go benchmarks. It skips comments,
// which begin with #, and the verdict of go test.
func Parse(r io.Reader) (*Results, error) {
	results := &Results{times: map[[2]string][]float64{}}
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		if err := results.add(strings.TrimSpace(lines.Text())); err != nil {
			return nil, fmt.Errorf("report: line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if len(results.Cases) == 0 {
		return nil, fmt.Errorf("report: no results")
	}
	return results, nil
}

// benchmark matches an operation, the contender, the type of weights, the sizes, and what go test adds,
// the number of processors and metrics.
var benchmark = regexp.MustCompile(`^Benchmark(\w+)/impl=([^/ ]+)(?:/weights=(\w+))?((?:/\w+=[\w.]+)*)(?:-\d+)?\s+\d+\s+(\S+) ns/op`)

func (r *Results) add(line string) error {
	if line == "" || strings.HasPrefix(line, "#") || line == "PASS" || strings.HasPrefix(line, "ok ") {
		return nil
	}
	if !strings.HasPrefix(line, "Benchmark") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return fmt.Errorf("%q is neither a fact nor a result", line)
		}
		r.facts = append(r.facts, [2]string{key, value})
		return nil
	}
	m := benchmark.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%q is not a benchmark with impl= and a time in ns/op", line)
	}
	ns, err := strconv.ParseFloat(m[5], 64)
	if err != nil || !(ns > 0) {
		return fmt.Errorf("%s: time %q is not a positive number", m[1], m[5])
	}
	name, contender := m[1]+m[4], m[2]
	if slices.Contains([]string{"avx512", "avxvnni", "avx2", "neon", "go"}, contender) { // in package bench
		contender = "softsearch-" + contender
	}
	if m[3] == "int8" {
		contender += int8
	}
	if !slices.Contains(r.Cases, name) {
		r.Cases = append(r.Cases, name)
	}
	if !slices.Contains(r.Contenders, contender) {
		r.Contenders = append(r.Contenders, contender)
	}
	key := [2]string{name, contender}
	r.times[key] = append(r.times[key], ns)
	return nil
}

// Fact returns the value of a fact, "" without one.
func (r *Results) Fact(key string) string {
	for _, f := range r.facts {
		if f[0] == key {
			return f[1]
		}
	}
	return ""
}

// Time returns the median time of an operation in ns, NaN without results.
func (r *Results) Time(name, contender string) float64 {
	return median(r.times[[2]string{name, contender}])
}

// Ratio returns the median over rounds of the time of one contender by the time of another in
// the same round, so it is above 1 where ours takes less; NaN without results. Results of go test have
// no rounds, and Ratio divides the medians.
func (r *Results) Ratio(name, theirs, ours string) float64 {
	if r.Fact("pkg") != "" {
		return r.Time(name, theirs) / r.Time(name, ours)
	}
	x, y := r.times[[2]string{name, theirs}], r.times[[2]string{name, ours}]
	var ratios []float64
	for i := range min(len(x), len(y)) {
		ratios = append(ratios, x[i]/y[i])
	}
	return median(ratios)
}

// median returns the median of x, the mean of the two in the middle where there are two, and NaN of
// nothing.
func median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(n-1)/2] + x[n/2]) / 2
}

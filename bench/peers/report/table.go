package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// A table has a row for each case of the results that rows accepts.
type table struct {
	rows    func(name string) bool
	columns []column
}

// matching accepts names that match a regular expression.
func matching(pattern string) func(name string) bool { return regexp.MustCompile(pattern).MatchString }

// listed accepts the names in a list, which white space separates.
func listed(names string) func(name string) bool {
	list := strings.Fields(names)
	return func(name string) bool { return slices.Contains(list, name) }
}

// A column gives the text of each case, "" without results.
type column struct {
	title string
	cell  func(r *Results, name string) string
}

// markdown returns the table without the columns and rows that have no results.
func (t table) markdown(r *Results) string {
	lines := [][]string{{""}, {"---"}}
	used := []bool{true}
	for _, c := range t.columns {
		lines[0], lines[1], used = append(lines[0], c.title), append(lines[1], "---"), append(used, false)
	}
	for _, name := range r.Cases {
		if !t.rows(name) {
			continue
		}
		line := []string{label(name)}
		for i, c := range t.columns {
			line = append(line, c.cell(r, name))
			used[i+1] = used[i+1] || line[i+1] != ""
		}
		if slices.ContainsFunc(line[1:], func(cell string) bool { return cell != "" }) {
			lines = append(lines, line)
		}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("|")
		for i, cell := range line {
			if used[i] {
				b.WriteString(strings.TrimRight(" "+cell, " ") + " |")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// A choice names a contender.
type choice func(r *Results, name string) string

// first is the first of these contenders that has results.
func first(names ...string) choice {
	return func(r *Results, name string) string {
		i := slices.IndexFunc(names, func(contender string) bool { return !math.IsNaN(r.Time(name, contender)) })
		return names[max(i, 0)]
	}
}

// fastest is the one of these contenders that takes the least time.
func fastest(names ...string) choice {
	return func(r *Results, name string) string {
		best := ""
		for _, contender := range names {
			if t := r.Time(name, contender); best == "" || t < r.Time(name, best) || math.IsNaN(r.Time(name, best)) {
				best = contender
			}
		}
		return best
	}
}

// A unit turns the time of an operation in ns into a text.
type unit func(name string, ns float64) string

func value(title string, of choice, u unit) column {
	return column{title, func(r *Results, name string) string { return u(name, r.Time(name, of(r, name))) }}
}

// ratio is how many times as long theirs takes.
func ratio(title string, theirs, ours choice) column { return compared(title, theirs, ours, 1, " ×") }

// share is the time of a bound by ours.
func share(title string, bound, ours choice) column { return compared(title, bound, ours, 100, " %") }

func compared(title string, theirs, ours choice, scale float64, suffix string) column {
	return column{title, func(r *Results, name string) string {
		return figure(scale*r.Ratio(name, theirs(r, name), ours(r, name)), suffix)
	}}
}

// both puts the figures of two contenders into one column.
func both(title, a, b string, u unit) column {
	return column{title, func(r *Results, name string) string {
		return strings.Trim(u(name, r.Time(name, a))+" / "+u(name, r.Time(name, b)), " /")
	}}
}

func microseconds(_ string, ns float64) string { return figure(ns/1e3, " µs") }

// milliseconds is the time of an operation without its unit.
func milliseconds(_ string, ns float64) string { return figure(ns/1e6, "") }

// perSecond is the number of sentences a second of a training update or a translation.
func perSecond(name string, ns float64) string {
	sentences := 80.0
	if strings.HasPrefix(name, "Translate/") {
		sentences = 64
	}
	return figure(sentences*1e9/ns, "")
}

// natural is the time of an operation or, of those that take sentences, their number in a second.
func natural(name string, ns float64) string {
	switch {
	case math.IsNaN(ns):
		return ""
	case strings.HasPrefix(name, "T") && !strings.HasPrefix(name, "Tanh/"):
		return perSecond(name, ns) + " sentences/s"
	case ns < 1e5:
		return microseconds(name, ns)
	}
	return milliseconds(name, ns) + " ms"
}

// figure returns v with three significant digits and a suffix, "" for NaN.
func figure(v float64, suffix string) string {
	if math.IsNaN(v) {
		return ""
	}
	if v == 0 || math.IsInf(v, 0) {
		return fmt.Sprint(v) + suffix
	}
	whole := int(math.Floor(math.Log10(math.Abs(v)))) + 1
	unit := math.Pow10(whole - 3)
	v = math.Round(v/unit) * unit
	// Rounding up may give one more digit before the point.
	whole = int(math.Floor(math.Log10(math.Abs(v))+1e-9)) + 1
	return fmt.Sprintf("%.*f", max(0, 3-whole), v) + suffix
}

package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// A table has one row for each case of its operations.
type table struct {
	operations []string
	label      func(c suite.Case) string
	columns    []column
}

// A column gives the text of each case, "" without results.
type column struct {
	title string
	cell  func(r *Results, c suite.Case) string
}

// markdown returns the table without the columns and rows that have no results.
func (t table) markdown(r *Results) string {
	var rows [][]string
	var labels []string
	used := make([]bool, len(t.columns))
	for _, c := range r.Cases {
		row := make([]string, len(t.columns))
		for i, col := range t.columns {
			row[i] = col.cell(r, c)
			used[i] = used[i] || t.has(c) && row[i] != ""
		}
		if t.has(c) && strings.Join(row, "") != "" {
			rows, labels = append(rows, row), append(labels, t.label(c))
		}
	}
	var b strings.Builder
	line := func(label string, cells []string) {
		b.WriteString("|" + strings.TrimRight(" "+label, " ") + " |")
		for i, cell := range cells {
			if used[i] {
				b.WriteString(strings.TrimRight(" "+cell, " ") + " |")
			}
		}
		b.WriteString("\n")
	}
	titles, rule := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, col := range t.columns {
		titles[i], rule[i] = col.title, "---"
	}
	line("", titles)
	line("---", rule)
	for i, row := range rows {
		line(labels[i], row)
	}
	return b.String()
}

func (t table) has(c suite.Case) bool {
	for _, op := range t.operations {
		if op == c.Op {
			return true
		}
	}
	return false
}

// figure returns v with three significant digits, "" for NaN.
func figure(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	if v == 0 || math.IsInf(v, 0) {
		return fmt.Sprint(v)
	}
	whole := int(math.Floor(math.Log10(math.Abs(v)))) + 1
	unit := math.Pow10(whole - 3)
	v = math.Round(v/unit) * unit
	// Rounding up may give one more digit before the point.
	whole = int(math.Floor(math.Log10(math.Abs(v))+1e-9)) + 1
	return fmt.Sprintf("%.*f", max(0, 3-whole), v)
}

// with returns figure(v) and a suffix, "" for NaN.
func with(v float64, suffix string) string {
	if math.IsNaN(v) {
		return ""
	}
	return figure(v) + suffix
}

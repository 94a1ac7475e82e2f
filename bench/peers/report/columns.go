package report

import (
	"math"
	"strings"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// A unit turns the time of an operation in ns into the figure of a table.
type unit func(c suite.Case, ns float64) float64

// bandwidth is in GB/s of weights read once.
func bandwidth(c suite.Case, ns float64) float64 { return 4 * float64(c.Rows*c.Cols) / ns }

// arithmetic is in GFLOP/s, a multiplication and its addition being two.
func arithmetic(c suite.Case, ns float64) float64 { return 2 * float64(c.Multiplications()) / ns }

// each is in ns for a multiplication of a product or for an element.
func each(c suite.Case, ns float64) float64 {
	return ns / float64(max(c.Multiplications(), c.Elements()))
}

// milliseconds is the time of an operation.
func milliseconds(_ suite.Case, ns float64) float64 { return ns / 1e6 }

// sentences is the number of sentences that training updates take in a second.
func sentences(c suite.Case, ns float64) float64 { return float64(c.Batch) * 1e9 / ns }

// A choice names a contender, "" where the results have none.
type choice func(r *Results, c suite.Case) string

func named(name string) choice { return func(*Results, suite.Case) string { return name } }

// first is the first of these contenders that has results.
func first(names ...string) choice {
	return func(r *Results, c suite.Case) string {
		for _, name := range names {
			if len(r.times[series{c, name}]) > 0 {
				return name
			}
		}
		return ""
	}
}

// faster is the one of two contenders that takes less time, the other where one has no results.
func faster(a, b string) choice {
	return func(r *Results, c suite.Case) string {
		if timeA, timeB := r.Time(c, a), r.Time(c, b); timeB < timeA || math.IsNaN(timeA) {
			return b
		}
		return a
	}
}

// OpenBLAS is named after the kernels that it runs.
var (
	openBLAS512 = first("openblas-sapphirerapids", "openblas-cooperlake", "openblas-skylakex")
	openBLAS2   = first("openblas-haswell", "openblas-zen")
)

// transposed is the Gemv of an OpenBLAS with weights that are transposed beforehand.
func transposed(of choice) choice {
	return func(r *Results, c suite.Case) string { return of(r, c) + "-transposed" }
}

// ours is the implementation of the kernels that an opponent is compared with: that of the
// instruction set in the opponent's name, the fastest for a name without one.
func ours(theirs string) choice {
	switch {
	case strings.HasSuffix(theirs, "-avx512"):
		return named("softsearch-avx512")
	case strings.HasSuffix(theirs, "-avx2"):
		return named("softsearch-avx2")
	}
	return first("softsearch-avx512", "softsearch-avx2", "softsearch-go")
}

func value(title string, of choice, u unit) column {
	return column{title, func(r *Results, c suite.Case) string {
		return figure(u(c, r.Time(c, of(r, c))))
	}}
}

// ratio is how many times as long theirs takes.
func ratio(title string, theirs, ours choice) column {
	return column{title, func(r *Results, c suite.Case) string {
		return with(r.Ratio(c, theirs(r, c), ours(r, c)), " ×")
	}}
}

// share is the time of a bound by ours.
func share(title string, bound, ours choice) column {
	return column{title, func(r *Results, c suite.Case) string {
		return with(100*r.Ratio(c, bound(r, c), ours(r, c)), " %")
	}}
}

// pair puts the figures of two columns into one.
func pair(title string, a, b column) column {
	return column{title, func(r *Results, c suite.Case) string {
		return strings.Trim(a.cell(r, c)+" / "+b.cell(r, c), " /")
	}}
}

// precisions has the times of a contender with weights of float32 and of int8 in milliseconds.
func precisions(title, name string) column {
	return pair(title+", float32 / int8", value("", named(name), milliseconds), value("", named(name+int8), milliseconds))
}

// cycles is in cycles an element.
func cycles(title, contender string) column {
	return column{title, func(r *Results, c suite.Case) string {
		return figure(r.Cycles(c, contender) / float64(c.Elements()))
	}}
}

// opponents has one column for each contender: its figure, and in brackets how many times as
// long it takes as ours.
func opponents(u unit, names ...string) []column {
	var list []column
	for _, name := range names {
		against := ours(name)
		list = append(list, column{title(name), func(r *Results, c suite.Case) string {
			text := figure(u(c, r.Time(c, name)))
			if factor := with(r.Ratio(c, name, against(r, c)), " ×"); factor != "" {
				text += " (" + factor + ")"
			}
			return text
		}})
	}
	return list
}

// title returns the name of a contender as a heading shows it.
func title(name string) string {
	library, isa, _ := strings.Cut(name, "-")
	switch library {
	case "torch":
		library = "PyTorch"
	case "gonum":
		library = "Gonum"
	}
	switch isa {
	case "avx512":
		return library + " AVX-512"
	case "avx2":
		return library + " AVX2"
	case "go":
		return library + " Go"
	}
	return library
}

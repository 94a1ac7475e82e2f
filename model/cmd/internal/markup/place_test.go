package markup

import (
	"strconv"
	"strings"
	"testing"
)

// BenchmarkPlace reports the time of an element: were placing quadratic, it would grow 32 times with their number.
func BenchmarkPlace(b *testing.B) {
	p := english(b, true)
	for _, test := range []struct {
		name string
		text func(n int) string
	}{
		{"formatting", func(n int) string { return "x_" + strings.Repeat("<i>a</i>", n) }},
		{"links", func(n int) string { return "x_" + strings.Repeat("<a>a</a>", n) }},
		{"links-in-links", func(n int) string { return "x_" + strings.Repeat("<a>a", n) + strings.Repeat("</a>", n) }},
		{"parts-of-a-word", func(n int) string { return "<b>c</b> " + strings.Repeat("a<q>a</q>", n) }},
	} {
		for _, elements := range []int{500, 16_000} {
			b.Run("text="+test.name+"/elements="+strconv.Itoa(elements), func(b *testing.B) {
				d := htmlOf("<p>b "+test.text(elements), p)
				same := Same(p, d.Sentences()[0])
				for b.Loop() {
					d.With(func(int) Translation { return same })
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*elements), "ns/element")
			})
		}
	}
}

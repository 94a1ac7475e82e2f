package report

import (
	"fmt"
	"strings"
)

// translations are the rows of the table of BenchmarkTranslate of package bench.
var translations = []struct{ beam, batch, threads int }{
	{1, 1, 1}, {1, 32, 1}, {1, 32, 2}, {5, 16, 1}, {5, 16, 2}, {12, 1, 1}, {12, 8, 1}, {12, 8, 2},
}

// translateTable compares translation with weights of float32 and of int8, in sentences/s.
func translateTable(r *Results) string {
	const sentences = 64 // of an operation
	var b strings.Builder
	b.WriteString("| | AVX-512, float32 / int8 | AVX2, float32 / int8 | AVX-512, int8 against float32 | AVX2, int8 against float32 |\n")
	b.WriteString("| --- | --- | --- | --- | --- |\n")
	for _, size := range translations {
		time := func(impl, weights string) float64 {
			return r.Benchmark(fmt.Sprintf("Translate/impl=%s/weights=%s/sizes=captions/beam=%d/batch=%d/threads=%d",
				impl, weights, size.beam, size.batch, size.threads))
		}
		var speeds, ratios, label string
		for _, impl := range []string{"avx512", "avx2"} {
			before, after := time(impl, "float32"), time(impl, "int8")
			speed := strings.Trim(figure(sentences*1e9/before)+" / "+figure(sentences*1e9/after), " /")
			speeds += strings.TrimRight(" "+speed, " ") + " |"
			ratios += strings.TrimRight(" "+with(before/after, " ×"), " ") + " |"
		}
		if strings.Trim(speeds, " |") == "" {
			continue
		}
		if label = "greedy"; size.beam > 1 {
			label = fmt.Sprintf("beam %d", size.beam)
		}
		label += fmt.Sprintf(", batch of %d", size.batch)
		if size.threads > 1 {
			label += fmt.Sprintf(", %d threads", size.threads)
		}
		b.WriteString("| " + label + " |" + speeds + ratios + "\n")
	}
	return b.String()
}

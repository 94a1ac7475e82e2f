package kernels

import (
	"slices"
	"testing"
)

// The slowest core on which a call of assembly should end after about 50 µs, since nothing can
// preempt it: two vector units of 256 bits at 2 GHz, which spend five cycles per value on a
// function with its division, and 8 GB/s from memory, which flow while it computes.
const (
	longest = 50 // µs

	cyclesPerMicrosecond = 2000
	multiplyAddsPerCycle = 16
	cyclesPerFunction    = 5
	bytesPerMicrosecond  = 8000
)

// A call is the most that one call of assembly does.
type call struct {
	name         string
	multiplyAdds int
	functions    int // exp, tanh, sigmoid, and division with square root
	floats       int // from and to memory
}

func (c call) microseconds() float64 {
	cycles := float64(c.multiplyAdds)/multiplyAddsPerCycle + float64(c.functions)*cyclesPerFunction
	return max(cycles/cyclesPerMicrosecond, float64(4*c.floats)/bytesPerMicrosecond)
}

// gemvInputs is the most inputs with which 4 panels, the fewest that a call of Gemv takes, are
// no more than gemvBytes.
const gemvInputs = gemvBytes / 4 / (4 * panel)

// TestLongestCall bounds the work of a call by the constants of the package.
func TestLongestCall(t *testing.T) {
	const columns = maxTilePanels * panel
	for _, c := range []call{
		{"a tile of Gemm", gemmRows * columns * gemmDepth, gemmRows * columns, gemmRows*(columns+gemmDepth) + columns*gemmDepth},
		{"a tile of GemmGrad", panel * columns * gradRows, 0, (panel+columns)*gradRows + 2*panel*columns},
		{"panels of Gemv", gemvBytes / 4, gemvBytes / 4 / gemvInputs, gemvBytes / 4},
		{"a block of Exp, Tanh, Sigmoid", 0, block, 2 * block},
		{"a block of GRUGates", block, 2 * block, 6 * block},
		{"a block of GRUStateBackward", 7 * block, 0, 8 * block},
		{"a block of MaxoutBackward", 0, 0, 5 * block},
		{"a block of Update", 8 * block, block, 7 * block},
		{"rows of Scores", attentionValues, attentionValues, attentionValues},
		{"rows of ScoresBackward", 5 * attentionValues, attentionValues, 3 * attentionValues},
		{"rows of WeightedSum", attentionValues, 0, attentionValues},
		{"rows of ContextBackward", 2 * attentionValues, 0, 3 * attentionValues},
	} {
		if us := c.microseconds(); us > longest {
			t.Errorf("%s: %.1f µs for %d multiply-adds, %d functions and %d values of memory, want at most %d",
				c.name, us, c.multiplyAdds, c.functions, c.floats, longest)
		}
	}
}

// BenchmarkLongestCall has every kernel at the shape that is the longest call of assembly, or
// three for Softmax and CrossEntropy, on operands in the cache, and Gemv on weights in memory.
func BenchmarkLongestCall(b *testing.B) {
	measure := func(k Impl, name string, calls int, f func()) {
		b.Run(name+"/impl="+k.String(), func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(b.N*calls), "us/call")
		})
	}
	for _, k := range Available() {
		if k.isa == isaGo {
			continue
		}
		columns := k.tilePanels() * panel
		for _, kn := range slices.Concat(vectorKernels(block),
			attentionKernels(gradRows, attentionValues/gradRows, attentionValues/gradRows),
			productKernels(gemmRows, columns, gemmDepth)[:1], // Gemm
			productKernels(gradRows, columns, panel)[3:],     // GemmGrad
			weightKernels(panel, panel)[:1]) {                // Transpose
			values := operands(kn, fills[0], 1)
			measure(k, kn.name+"/"+kn.shape, 1, func() { kn.run(k, values) })
		}
		const calls = 256
		w := zeroPacked(4*panel*calls, gemvInputs)
		for i := range w.Data { // memory that nobody wrote to is one page of zeros in the cache
			w.Data[i] = 1
		}
		x, y := make([]float32, w.In), make([]float32, w.Out)
		measure(k, "Gemv/from memory", calls, func() { k.Gemv(y, w, x, nil, Tanh) })
	}
}

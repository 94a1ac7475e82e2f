package kernels

import (
	"fmt"
	"testing"
)

// The scheduler cannot preempt assembly, so a call should take no more than about 50 µs on a slow
// core: two 256-bit vector units at 2 GHz, which take five cycles per value for a function with its
// division, and 8 GB/s of memory bandwidth, which overlap with computation.
const (
	longest = 50 // µs

	cyclesPerMicrosecond = 2000
	multiplyAddsPerCycle = 16
	cyclesPerFunction    = 5
	bytesPerMicrosecond  = 8000
	int8Speedup          = 1 // of VPMADDWD and SADALP, against a multiply-add of float32
)

// A call is the maximum work of one call of assembly.
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

// TestLongestCall checks that the package's limits keep calls short.
func TestLongestCall(t *testing.T) {
	const columns = maxTilePanels * panel
	list := []call{
		{"a tile of Gemm", gemmRows * gemmTile, gemmRows * columns, gemmRows*(columns+tileDepth(1)) + gemmTile},
		{"a tile of GemmGrad", panel * columns * gradRows, 0, (panel+columns)*gradRows + 2*panel*columns},
		{"a tile of int8", int8Rows * int8Tile / int8Speedup, 0, (int8Rows*int8TileQuads(1)*quad + int8Tile) / 4},
		{"a tile of GemmBF16", gemmRows * gemmTile, gemmRows * columns, gemmRows*(columns+gemmTile/panel/2) + gemmTile/2},
		{"a tile of GemmGradBF16", panel * columns * gradRows, 0, (panel+columns)*gradRows/2 + 2*panel*columns},
		{"gathered columns of GemmGradBF16", 0, 0, gradRows * panel},
		{"a block of RoundRowsBF16", roundBlock, 0, 2 * roundBlock},
		{"a dequantization of a tile", 2 * int8Rows * columns, int8Rows * columns, 3 * int8Rows * columns},
		{"a dequantization of one row", 2 * int8Panels * panel, int8Panels * panel, 4 * int8Panels * panel},
		{"a block of Quantize", 4 * quantizeBlock, quantizeBlock, 2 * quantizeBlock},
		{"a block of Exp, Tanh, Sigmoid", 0, block, 2 * block},
		{"a block of Mul", block, 0, 3 * block},
		{"a block of SoftmaxBackward", 3 * block, 0, 5 * block},
		{"a block of GRUGatesRows", block, 2 * block, 6 * block},
		{"a block of GRUStateBackwardRows", 7 * block, 0, 8 * block},
		{"a block of MaxoutBackwardRows", 0, 0, 5 * block},
		{"a block of UpdateAdadelta, UpdateAdam", 8 * block, block, 7 * block},
		{"a block of MovingAverage", 2 * block, 0, 3 * block},
		{"steps of a block of Decay", 3 * block * decaySteps, 0, 2 * block},
	}
	for in := range 2 * gemvDepth {
		if n := gemvPanelCount(in); n < 4 || n%4 != 0 {
			t.Errorf("Gemv In=%d: %d panels in a call, want a multiple of 4", in, n)
		}
		list = append(list, gemvCall(in))
	}
	for _, in := range []int{1, 3, 4, 100, 500, 1000, 2049, 4096, int8Depth - 1, int8Depth, MaxInt8Inputs} {
		n := int8PanelCount(in)
		if n < 1 || n > int8Panels {
			t.Errorf("GemmInt8 In=%d: %d panels in a call, want 1 to %d", in, n, int8Panels)
		}
		weights := n * quadBytes * quads(min(in, int8Depth))
		list = append(list, call{fmt.Sprintf("panels of GemmInt8, In=%d", in), weights / int8Speedup, 0, weights / 4})
	}
	for cols := 1; cols <= block; cols++ {
		list = append(list, attentionCalls(cols)...)
	}
	for _, c := range list {
		if us := c.microseconds(); us > longest {
			t.Errorf("%s: %.1f µs for %d multiply-adds, %d functions and %d values of memory, want at most %d",
				c.name, us, c.multiplyAdds, c.functions, c.floats, longest)
		}
	}
}

// gemvCall is the longest call of Gemv with that many inputs.
func gemvCall(in int) call {
	outputs := gemvPanelCount(in) * panel
	weights := outputs * min(in, gemvDepth)
	return call{fmt.Sprintf("panels of Gemv, In=%d", in), weights, outputs, weights + 2*outputs}
}

// attentionCalls are the longest calls of the kernels on rows of at most a block. The length of a row
// counts rounded up to a multiple of 16.
func attentionCalls(cols int) []call {
	rows := rowsPerCall(cols)
	values := rows * ((cols + lanes - 1) / lanes * lanes)
	name := func(kernel string) string { return fmt.Sprintf("%d rows of %d columns of %s", rows, cols, kernel) }
	return []call{
		{name("Scores"), values, values, values + 2*cols},
		{name("ScoresBackward"), 5 * values, values, 3*values + 6*cols},
		{name("WeightedSum and SumRows"), values, 0, values + 2*cols},
	}
}

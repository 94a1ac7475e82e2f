package bench

import "fmt"

// shapes lists the sizes of every benchmark: matrices of the published model (1000 units,
// embeddings of 620, an output layer of 30000×500) and matrices of 256 units, which fit a
// second-level cache.
var shapes = struct {
	gemv, transpose    []shape
	weights            []shape
	gemm, input, grad  []batched
	functions, softmax []int
	updates            []int
	attention          []attentionShape
	gru                []gruShape
}{
	gemv:      []shape{{256, 256}, {512, 512}, {1000, 1000}, {1024, 1024}, {3000, 1000}, {1000, 2000}, {3000, 2000}, {30000, 500}},
	weights:   []shape{{256, 256}, {1000, 1000}, {3000, 1000}, {30000, 500}},
	transpose: []shape{{768, 256}, {3000, 1000}},
	gemm: []batched{
		{4, shape{3000, 1000}}, {8, shape{3000, 1000}}, {12, shape{3000, 1000}}, {16, shape{3000, 1000}},
		{80, shape{3000, 1000}}, {80, shape{1000, 2000}},
		{80, shape{30000, 500}}, {80, shape{768, 256}}, {2000, shape{3000, 620}},
	},
	input:     []batched{{80, shape{768, 256}}, {2000, shape{3000, 620}}},
	grad:      []batched{{2000, shape{768, 256}}, {2000, shape{3000, 620}}},
	functions: []int{1024, 30000},
	softmax:   []int{50, 30000},
	updates:   []int{1024, 10_000_000},
	attention: []attentionShape{{25, 256}, {25, 1000}},
	gru:       []gruShape{{256, 256, 1}, {256, 256, 80}, {620, 1000, 1}, {620, 1000, 80}},
}

// A shape is the shape of a weight matrix.
type shape struct{ rows, cols int }

func (s shape) String() string { return fmt.Sprintf("rows=%d/cols=%d", s.rows, s.cols) }

func (s shape) size() int { return s.rows * s.cols }

// A batched shape is for a weight matrix that batch inputs share.
type batched struct {
	batch int
	shape
}

func (s batched) String() string { return fmt.Sprintf("batch=%d/%s", s.batch, s.shape) }

// An attentionShape has keys of units values and annotations of 2·units for each of source
// positions.
type attentionShape struct{ source, units int }

func (s attentionShape) String() string {
	return fmt.Sprintf("source=%d/units=%d", s.source, s.units)
}

type gruShape struct{ input, hidden, batch int }

func (s gruShape) String() string { return fmt.Sprintf("hidden=%d/batch=%d", s.hidden, s.batch) }

// products returns the multiplications in the matrix products of one step.
func (s gruShape) products() int { return s.batch * 3 * s.hidden * (s.input + s.hidden) }

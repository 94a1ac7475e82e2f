package model

import "github.com/softsearch-go/softsearch/kernels"

// newScratch returns room for the inputs of products with weights of int8, of up to that many rows.
// Weights of float32 need none.
func newScratch(a *allocator, c Config, rows int) *kernels.Scratch {
	if c.Weights != Int8 {
		return nil
	}
	if a != nil {
		a.count(product(rows, rowBytes(widestInput(c))), 1)
		return nil
	}
	return &kernels.Scratch{Int8: kernels.NewRowsInt8(rows, widestInput(c))}
}

// widestInput returns the largest number of inputs of a product of the forward pass.
func widestInput(c Config) int { return max(c.Embedding, c.context(), c.Maxout) }

// rowBytes returns the number of bytes in a row of kernels.RowsInt8: its values, padded to a multiple of
// 16, and two more of 4 bytes each.
func rowBytes(cols int) int { return (cols+15)/16*16 + 8 }

// newTrainingScratch returns the scratch of all products and transposes of a training.
func newTrainingScratch(a *allocator, c Config, precision Precision, capacity Capacity) *kernels.Scratch {
	grad := gradScratch(max(widestInput(c), c.Alignment))
	if precision != BF16 {
		return &kernels.Scratch{Grad: a.floats(grad)}
	}
	rows := product(capacity.Sentences, max(capacity.SourceLength, capacity.TargetLength))
	room := max(
		product(rows, wordsBF16(max(widestInput(c), c.Alignment, c.sums()))),
		product(min(outputRows, rows), wordsBF16(c.TargetVocab)),
	)
	for _, q := range (*Parameters)(nil).matrices(c, nil) {
		grad = max(grad, packedLen(q.cols, q.rows))
	}
	return &kernels.Scratch{BF16: a.rowsBF16(room), DYBF16: a.rowsBF16(room), Grad: a.floats(grad)}
}

// wordsBF16 returns the number of words of 4 bytes in a row of kernels.RowsBF16, whose values are padded
// to a multiple of 32.
func wordsBF16(cols int) int { return (cols + 31) / 32 * 16 }

// gradScratch is kernels.GradScratch, which grows with the number of panels of 16 inputs, or
// math.MaxInt if that overflows.
func gradScratch(in int) int {
	const panel = 16
	return product(kernels.GradScratch(panel), (in+panel-1)/panel)
}

package model

import "github.com/softsearch-go/softsearch/kernels"

// embed sets each row of x to the embedding of its word, and to zeros for -1.
func embed(x, embedding kernels.Matrix, words []int32) {
	for i, w := range words {
		if w < 0 {
			clear(x.Row(i))
			continue
		}
		copy(x.Row(i), embedding.Row(int(w)))
	}
}

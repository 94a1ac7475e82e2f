package main

import (
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
)

// TestBackwardJumps gives the weight of each most attended source word; the others have 0.
func TestBackwardJumps(t *testing.T) {
	for _, test := range []struct {
		name    string
		at      []int // the last one for the end of the sentence
		weights []float32
		want    float64
	}{
		{"in order", []int{0, 1, 2}, []float32{1, 1, 1}, 0},
		{"a noun and its adjective", []int{1, 0, 2}, []float32{0.5, 0.25, 1}, 0.125},
		{"three words backwards", []int{2, 1, 0, 3}, []float32{1, 0.5, 0.5, 1}, 0.75},
		{"a loop", []int{0, 1, 2, 1, 2, 1, 2, 3}, []float32{1, 1, 1, 1, 1, 1, 1, 1}, 0},
		{"back at the end", []int{0, 2, 1}, []float32{1, 1, 1}, 0},
	} {
		m := kernels.NewMatrix(len(test.at), 4)
		for i, at := range test.at {
			m.Row(i)[at] = test.weights[i]
		}
		if got := backwardJumps(figure.Alignment{Weights: m}); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

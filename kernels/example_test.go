package kernels_test

import (
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
)

// Weights are packed once and then read by products of any number of rows.
func ExampleImpl_Gemm() {
	k := kernels.Best()
	w := kernels.NewPacked(2, 3)
	k.Pack(w, 0, kernels.View([]float32{1, 2, 3, 4, 5, 6}, 2, 3))

	x := kernels.View([]float32{1, 0, 0, 0, 1, 1}, 2, 3)
	y := kernels.NewMatrix(2, 2)
	k.Gemm(y, w, x, []float32{10, 20}, kernels.Identity)
	fmt.Println(y.Row(0), y.Row(1))
	// Output: [11 24] [15 31]
}

func ExampleImpl_Softmax() {
	k := kernels.Best()
	p := []float32{1, 2, 3, 4}
	k.Softmax(p, p)
	fmt.Printf("%.4f\n", p)
	// Output: [0.0321 0.0871 0.2369 0.6439]
}

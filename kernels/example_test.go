package kernels_test

import (
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
)

// Weights are packed once. Every product after that reads them in packed form.
func ExampleImpl_Gemv() {
	k := kernels.Best()
	w := k.Packed(kernels.View([]float32{
		1, 2, 3,
		4, 5, 6,
	}, 2, 3))
	bias := []float32{10, -20}

	y := make([]float32, 2)
	k.Gemv(y, w, []float32{1, 0, 1}, bias, kernels.ReLU)
	fmt.Println(y)
	// Output: [14 0]
}

// Gemm multiplies every row of a batch by the same packed weights.
func ExampleImpl_Gemm() {
	k := kernels.Best()
	w := k.Packed(kernels.View([]float32{1, 2, 3, 4, 5, 6}, 2, 3))

	x := kernels.View([]float32{1, 0, 0, 0, 1, 1}, 2, 3)
	y := kernels.NewMatrix(2, 2)
	k.Gemm(y, w, x, []float32{10, 20}, kernels.Identity)
	fmt.Println(y.Row(0), y.Row(1))
	// Output: [11 24] [15 31]
}

// Products of int8 take a quarter of the memory. Quantize the input once for all products that read it.
func ExampleImpl_GemvInt8() {
	k := kernels.Best()
	w := k.PackedInt8(kernels.View([]float32{
		127, -64, 1,
		2.54, 0.02, -1,
	}, 2, 3))
	x := kernels.NewRowsInt8(1, 3)
	k.Quantize(x, kernels.View([]float32{1, -0.5, 0.25}, 1, 3))
	fmt.Println(x.Row(0))

	y := make([]float32, 2)
	k.GemvInt8(y, w, x, nil, kernels.Identity)
	fmt.Printf("%.2f\n", y)
	// Output:
	// [127 -64 32]
	// [159.50 2.28]
}

// A team divides long kernels among its threads, without a change of the result. Keep it for as
// long as there is work, and close it.
func ExampleImpl_With() {
	team := kernels.NewTeam(4)
	defer team.Close()
	alone := kernels.Best()
	together := alone.With(team)

	x := make([]float32, 1_000_000)
	for i := range x {
		x[i] = 1 / float32(i+1)
	}
	fmt.Println(together.SumSquares(x) == alone.SumSquares(x))
	// Output: true
}

func ExampleImpl_TopK() {
	k := kernels.Best()
	query := []float32{1, -1}
	rows := kernels.View([]float32{3, 0, 1, 5, 4, 1, 0, -2}, 4, 2)

	scores := make([]float32, rows.Rows)
	k.RowDots(scores, rows, query)
	values, indices := make([]float32, 2), make([]int32, 2)
	n := k.TopK(values, indices, scores)
	fmt.Println(scores)
	fmt.Println(values[:n], indices[:n])
	// Output:
	// [3 -4 3 2]
	// [3 3] [0 2]
}

func ExampleImpl_Dot() {
	k := kernels.Best()
	x, y := []float32{3, 4}, []float32{2, 1}
	fmt.Println(k.Dot(x, y), k.Norm(x))
	// Output: 10 5
}

func ExampleImpl_Softmax() {
	k := kernels.Best()
	p := []float32{1, 2, 3, 4}
	k.Softmax(p, p)
	fmt.Printf("%.4f\n", p)
	// Output: [0.0321 0.0871 0.2369 0.6439]
}

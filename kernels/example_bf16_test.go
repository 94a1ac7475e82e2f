package kernels_test

import (
	"fmt"

	"github.com/softsearch-go/softsearch/kernels"
)

// One layer in bfloat16, forward and backward. The weights of record and the gradients are float32.
func ExampleImpl_GemmBF16() {
	k := kernels.Best()
	w := k.Packed(kernels.View([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	x, dy := kernels.View([]float32{1, 0, -1, 2, 1, 0.5}, 2, 3), kernels.View([]float32{1, 0, 0, 1}, 2, 2)

	weights, rows := kernels.NewPackedBF16(2, 3), kernels.NewRowsBF16(2, 3)
	k.RoundPackedBF16(weights, w) // after every update of w
	k.RoundRowsBF16(rows, x)
	y := kernels.NewMatrix(2, 2)
	k.GemmBF16(y, weights, rows, []float32{0.5, 0}, kernels.Identity)
	fmt.Println(y.Data)

	transposed, back, dyRows := kernels.NewPacked(3, 2), kernels.NewPackedBF16(3, 2), kernels.NewRowsBF16(2, 2)
	k.Transpose(transposed, w)
	k.RoundPackedBF16(back, transposed)
	k.RoundRowsBF16(dyRows, dy)
	dx, dw := kernels.NewMatrix(2, 3), kernels.NewPacked(2, 3)
	k.GemmBF16(dx, back, dyRows, nil, kernels.Identity)
	k.GemmGradBF16(dw, dyRows, rows, make([]float32, kernels.GradScratch(3)))
	gradient := kernels.NewMatrix(2, 3)
	dw.Unpack(gradient, 0)
	fmt.Println(dx.Data, gradient.Data)
	// Output:
	// [-1.5 -2 6 16]
	// [1 2 3 4 5 6] [1 0 -1 2 1 0.5]
}

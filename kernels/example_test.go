package kernels_test

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
)

// Weights are packed once. Every product after that reads them in packed form.
func ExampleImpl_Gemv() {
	k := kernels.Best()
	w := k.Pack(kernels.View([]float32{
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
	w := k.Pack(kernels.View([]float32{1, 2, 3, 4, 5, 6}, 2, 3))

	x := kernels.View([]float32{1, 0, 0, 0, 1, 1}, 2, 3)
	y := kernels.NewMatrix(2, 2)
	k.Gemm(y, w, x, []float32{10, 20}, kernels.Identity)
	fmt.Println(y.Row(0), y.Row(1))
	// Output: [11 24] [15 31]
}

// Weights of int8 take a quarter of the memory. Linear quantizes their inputs in the scratch.
func ExampleImpl_Linear() {
	w := kernels.Best().PackInt8(kernels.View([]float32{
		127, -64, 1,
		2.54, 0.02, -1,
	}, 2, 3))
	k := kernels.Best().Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(1, 3)})

	x, y := kernels.View([]float32{1, -0.5, 0.25}, 1, 3), kernels.NewMatrix(1, 2)
	k.Linear(y, kernels.Weights{Int8: w}, x, nil, kernels.Identity)
	fmt.Printf("%.2f\n", y.Data)
	// Output: [159.50 2.28]
}

// One layer in bfloat16, forward and backward. The weights of record and the gradients are float32.
func ExampleImpl_LinearGrad() {
	w := kernels.Best().Pack(kernels.View([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	x, dy := kernels.View([]float32{1, 0, -1, 2, 1, 0.5}, 2, 3), kernels.View([]float32{1, 0, 0, 1}, 2, 2)
	k := kernels.Best().Using(&kernels.Scratch{
		BF16: kernels.NewRowsBF16(2, 3), DYBF16: kernels.NewRowsBF16(2, 2),
		Grad: make([]float32, kernels.GradScratch(3)),
	})

	weights := kernels.Weights{BF16: kernels.NewPackedBF16(2, 3)}
	transposed := kernels.Weights{BF16: kernels.NewPackedBF16(3, 2)}
	k.RoundPackedBF16(weights.BF16, w) // after every update of w
	k.LinearTranspose(transposed, w)

	y, dx, dw := kernels.NewMatrix(2, 2), kernels.NewMatrix(2, 3), kernels.NewPacked(2, 3)
	k.Linear(y, weights, x, []float32{0.5, 0}, kernels.Identity)
	k.LinearGrad(dw, dy, x)
	k.Linear(dx, transposed, dy, nil, kernels.Identity)
	gradient := kernels.NewMatrix(2, 3)
	dw.Unpack(gradient, 0)
	fmt.Println(y.Data, dx.Data, gradient.Data)
	// Output: [-1.5 -2 6 16] [1 2 3 4 5 6] [1 0 -1 2 1 0.5]
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

// Softmax of every row of a batch, in place.
func ExampleImpl_SoftmaxRows() {
	batch := kernels.View([]float32{1, 2, 3, 4, 0, 0, 0, 0}, 2, 4)
	kernels.Best().SoftmaxRows(batch, batch)
	fmt.Printf("%.4f\n%.4f\n", batch.Row(0), batch.Row(1))
	// Output:
	// [0.0321 0.0871 0.2369 0.6439]
	// [0.2500 0.2500 0.2500 0.2500]
}

func ExampleImpl_AddScaled() {
	x := []float32{1, 2, 3}
	kernels.Best().AddScaled(x, 0.5, []float32{2, 4, -6})
	fmt.Println(x)
	// Output: [2 4 0]
}

// The loss of two predictions. Their logits become the gradient.
func ExampleImpl_CrossEntropyRows() {
	logits, losses := kernels.View([]float32{2, 1, 0, 0, 0, 0}, 2, 3), make([]float32, 2)
	kernels.Best().CrossEntropyRows(losses, logits, []int32{0, 2})
	fmt.Printf("%.3f %.3f\n", losses, logits.Data)
	// Output: [0.408 1.099] [-0.335 0.245 0.090 0.333 0.333 -0.667]
}

// The embeddings of words; -1 stands for none.
func ExampleImpl_Embed() {
	table := kernels.Table{Float32: kernels.View([]float32{1, 2, 3, 4, 5, 6}, 3, 2)}
	x := kernels.NewMatrix(3, 2)
	kernels.Best().Embed(x, table, []int32{2, -1, 0})
	fmt.Println(x.Data)
	// Output: [5 6 0 0 1 2]
}

// Additive attention: the scores of a query with every key, their softmax, and the mean of the values.
func ExampleImpl_Scores() {
	k := kernels.Best()
	query, v := []float32{1, -1}, []float32{2, 2}
	keys := kernels.View([]float32{-1, 1, 1, 2, 0, 1}, 3, 2)

	weights, context := make([]float32, keys.Rows), make([]float32, keys.Cols)
	k.Scores(weights, query, keys, v)
	k.Softmax(weights, weights)
	k.WeightedSum(context, weights, keys)
	fmt.Printf("%.3f %.3f\n", weights, context)
	// Output: [0.027 0.850 0.124] [0.823 1.850]
}

func ExampleImpl_LayerNormRows() {
	x := kernels.View([]float32{1, 2, 3, -4, 0, 4}, 2, 3)
	kernels.Best().LayerNormRows(x, x, nil, nil, 1e-5)
	fmt.Printf("%.3f\n", x.Data)
	// Output: [-1.225 0.000 1.225 -1.225 0.000 1.225]
}

// A convolution of width 2 over four frames of one channel, which overlap as rows of the input.
func Example_convolution() {
	k := kernels.Best()
	frames := []float32{1, 2, 4, 8}
	filters := k.Pack(kernels.View([]float32{-1, 1, 0.5, 0.5}, 2, 2)) // difference and mean
	y := kernels.NewMatrix(3, 2)
	k.Gemm(y, filters, kernels.Matrix{Rows: 3, Cols: 2, Stride: 1, Data: frames}, nil, kernels.Identity)
	fmt.Println(y.Data)
	// Output: [1 1.5 2 3 4 6]
}

// The first step of Adam with step size 0.1, β₁ 0.9, β₂ 0.99 and ε 1e-8.
func ExampleImpl_UpdateAdam() {
	correction := float32(math.Sqrt(1 - 0.99))
	step := kernels.Adam{Beta1: 0.9, Beta2: 0.99, Rate: 0.1 * correction / (1 - 0.9), Epsilon: 1e-8 * correction, Scale: 1}
	x, m, v := []float32{1, 1}, make([]float32, 2), make([]float32, 2)
	kernels.Best().UpdateAdam(step, x, []float32{3, -5}, m, v)
	fmt.Printf("%.3f\n", x)
	// Output: [0.900 1.100]
}

// Every implementation gives the same bits.
func ExampleLookup() {
	fast, portable := kernels.Best(), kernels.Impl{}
	if k, err := kernels.Lookup("go"); err != nil || k != portable {
		fmt.Println(k, err)
	}
	x, y := make([]float32, 3), make([]float32, 3)
	fast.Tanh(x, []float32{-1, 0.1, 20})
	portable.Tanh(y, []float32{-1, 0.1, 20})
	fmt.Println(x[0] == y[0], x[1] == y[1], x[2] == y[2])
	// Output: true true true
}

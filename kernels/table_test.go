package kernels

import (
	"fmt"
	"math"
	"unsafe"
)

// An arg is one operand of a kernel in a test: rows of cols values, stride apart.
type arg struct {
	name       string
	n          int
	use        use
	cols, step int
}

// A use is what a kernel does with an operand.
type use int

const (
	input use = iota
	output
	works // scratch: neither its contents before nor after the call matter
)

func in(name string, n int) arg      { return arg{name, n, input, n, n} }
func out(name string, n int) arg     { return arg{name, n, output, n, n} }
func working(name string, n int) arg { return arg{name, n, works, n, n} }

// mat makes a an argument for a rows×cols matrix with that stride.
func mat(a arg, rows, cols, stride int) arg {
	a.n, a.cols, a.step = 0, cols, stride
	if rows > 0 {
		a.n = (rows-1)*stride + cols
	}
	return a
}

// gap reports whether element i is between two rows.
func (a arg) gap(i int) bool { return a.step > 0 && i%a.step >= a.cols }

// A kernel is a call of an exported kernel at one shape.
type kernel struct {
	name, shape string
	args        []arg
	run         func(k Impl, v [][]float32)
	pointwise   bool // element i of the results depends only on elements i of the operands
}

// undivided are the kernels that a team does not divide, whatever their shape.
var undivided = map[string]bool{
	"Exp": true, "Tanh": true, "Sigmoid": true, "ReLU": true, "TanhBackward": true,
	"Add": true, "Sub": true, "AddScaled": true, "Mul": true, "Scale": true, "Dot": true, "Norm": true, "Max": true, "TopK": true, "Decay": true,
	"Softmax": true, "SoftmaxBackward": true, "LogSumExp": true, "CrossEntropy": true,
	"Scores": true, "ScoresBackward": true, "WeightedSum": true, "WeightedSumAdd": true, "PackRows": true, "Unpack": true,
	"Quantize": true, "PackRowsInt8": true, "SetRowsInt8": true,
}

// inPlace maps each kernel whose result may replace an operand to that operand.
var inPlace = map[string]string{
	"Exp": "src", "Tanh": "src", "Sigmoid": "src", "Softmax": "src", "ReLU": "src", "Mul": "x",
	"TanhBackward": "dy", "SoftmaxBackward": "dy", "GRUStateBackwardRows": "dnext",
	"SoftmaxRows": "src", "GRUResetAfterRows": "h", "LSTMStateRows": "c", "LayerNormRows": "src",
}

// vectorKernels returns all kernels on vectors, for n elements.
func vectorKernels(n int) []kernel {
	list := []kernel{
		{"Exp", "", []arg{out("dst", n), in("src", n)}, func(k Impl, v [][]float32) { k.Exp(v[0], v[1]) }, true},
		{"Tanh", "", []arg{out("dst", n), in("src", n)}, func(k Impl, v [][]float32) { k.Tanh(v[0], v[1]) }, true},
		{"Sigmoid", "", []arg{out("dst", n), in("src", n)}, func(k Impl, v [][]float32) { k.Sigmoid(v[0], v[1]) }, true},
		{"ReLU", "", []arg{out("dst", n), in("src", n)}, func(k Impl, v [][]float32) { k.ReLU(v[0], v[1]) }, true},
		{"Mul", "", []arg{out("dst", n), in("x", n), in("y", n)}, func(k Impl, v [][]float32) { k.Mul(v[0], v[1], v[2]) }, true},
		{"TanhBackward", "", []arg{out("dx", n), in("y", n), in("dy", n)},
			func(k Impl, v [][]float32) { k.TanhBackward(v[0], v[1], v[2]) }, true},
		{"Clear", "", []arg{out("x", n)}, func(k Impl, v [][]float32) { k.Clear(v[0]) }, true},
		{"Add", "", []arg{out("dst", n), in("src", n)}, func(k Impl, v [][]float32) { k.Add(v[0], v[1]) }, true},
		{"Sub", "", []arg{out("dst", n), in("src", n)}, func(k Impl, v [][]float32) { k.Sub(v[0], v[1]) }, true},
		{"AddScaled", "", []arg{out("dst", n), in("src", n)}, func(k Impl, v [][]float32) { k.AddScaled(v[0], -0.7, v[1]) }, true},
		{"Scale", "", []arg{out("x", n)}, func(k Impl, v [][]float32) { k.Scale(v[0], -0.7) }, true},
		{"UpdateAdadelta", "", []arg{out("x", n), in("g", n), out("g2", n), out("dx2", n)}, updateAdadelta, true},
		{"UpdateAdam", "", []arg{out("x", n), in("g", n), out("m", n), out("v", n)}, updateAdam, true},
		{"Decay", "", []arg{out("x", n)}, func(k Impl, v [][]float32) { k.Decay(v[0], settings.Rho, decaySteps+3) }, true},
		{"MovingAverage", "", []arg{out("average", n), in("x", n)},
			func(k Impl, v [][]float32) { k.MovingAverage(v[0], v[1], 0.3) }, true},
		{"Softmax", "", []arg{out("dst", n), in("src", n)}, func(k Impl, v [][]float32) { k.Softmax(v[0], v[1]) }, false},
		{"SoftmaxBackward", "", []arg{out("dx", n), in("y", n), in("dy", n)},
			func(k Impl, v [][]float32) { k.SoftmaxBackward(v[0], v[1], v[2]) }, false},
		{"LogSumExp", "", []arg{out("result", 1), in("x", n)},
			func(k Impl, v [][]float32) { v[0][0] = k.LogSumExp(v[1]) }, false},
		{"Max", "", []arg{out("result", 1), out("x", n)}, largest, false},
		{"Dot", "", []arg{out("result", 1), in("x", n), in("y", n)}, func(k Impl, v [][]float32) { v[0][0] = k.Dot(v[1], v[2]) }, false},
		{"Norm", "", []arg{out("result", 1), in("x", n)}, func(k Impl, v [][]float32) { v[0][0] = k.Norm(v[1]) }, false},
		{"SumSquares", "", []arg{out("result", 2), in("x", n)}, sumSquares, false},
		{"TopK", "", []arg{out("values", n/3), out("indices", n/3), out("count", 1), in("x", n)}, topThird, false},
	}
	if n > 0 {
		list = append(list, kernel{"CrossEntropy", "", []arg{out("loss", 1), out("x", n)},
			func(k Impl, v [][]float32) { v[0][0] = k.CrossEntropy(v[1], n/2) }, false})
	}
	for i := range list {
		list[i].shape = fmt.Sprintf("n=%d", n)
	}
	return list
}

var (
	settings     = Adadelta{Rho: 0.95, Epsilon: 1e-6, Scale: 0.7}
	adamSettings = Adam{Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8, Rate: 0.01, Scale: 0.7}
)

// updateAdadelta first takes the absolute values of the running averages, which are sums of squares.
func updateAdadelta(k Impl, v [][]float32) {
	absolute(v[2])
	absolute(v[3])
	k.UpdateAdadelta(settings, v[0], v[1], v[2], v[3])
}

// updateAdam first takes the absolute values of the running average of squares.
func updateAdam(k Impl, v [][]float32) {
	absolute(v[3])
	k.UpdateAdam(adamSettings, v[0], v[1], v[2], v[3])
}

func absolute(x []float32) {
	for i, v := range x {
		x[i] = float32(math.Abs(float64(v)))
	}
}

// largest first replaces NaN with 0, since the result of Max is not defined for NaN.
func largest(k Impl, v [][]float32) {
	for i, x := range v[1] {
		if x != x {
			v[1][i] = 0
		}
	}
	v[0][0] = k.Max(v[1])
}

// sumSquares stores the float64 result as the sum of two float32.
func sumSquares(k Impl, v [][]float32) {
	s := k.SumSquares(v[1])
	v[0][0] = float32(s)
	v[0][1] = float32(s - float64(v[0][0]))
}

// topThird finds a third of the elements and stores the indices as bits.
func topThird(k Impl, v [][]float32) {
	indices := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(v[1]))), len(v[1]))
	clear(indices)
	clear(v[0])
	v[2][0] = float32(k.TopK(v[0], indices, v[3]))
}

// attentionKernels returns the kernels on a rows×cols matrix and vectors.
func attentionKernels(rows, cols, stride int) []kernel {
	matrix := func(v []float32) Matrix { return Matrix{rows, cols, stride, v} }
	list := []kernel{
		{name: "Scores", args: []arg{out("e", rows), in("q", cols), mat(in("keys", 0), rows, cols, stride), in("v", cols)},
			run: func(k Impl, v [][]float32) { k.Scores(v[0], v[1], matrix(v[2]), v[3]) }},
		{name: "ScoresBackward", args: []arg{
			out("dq", cols), mat(out("dkeys", 0), rows, cols, stride), out("dv", cols), in("q", cols),
			mat(in("keys", 0), rows, cols, stride), in("v", cols), in("de", rows),
		}, run: func(k Impl, v [][]float32) {
			k.ScoresBackward(v[0], matrix(v[1]), v[2], v[3], matrix(v[4]), v[5], v[6])
		}},
		{name: "WeightedSum", args: []arg{out("dst", cols), in("a", rows), mat(in("rows", 0), rows, cols, stride)},
			run: func(k Impl, v [][]float32) { k.WeightedSum(v[0], v[1], matrix(v[2])) }},
		{name: "WeightedSumAdd", args: []arg{out("dst", cols), in("a", rows), mat(in("rows", 0), rows, cols, stride)},
			run: func(k Impl, v [][]float32) { k.WeightedSumAdd(v[0], v[1], matrix(v[2])) }},
		{name: "RowDots", args: []arg{out("dst", rows), mat(in("rows", 0), rows, cols, stride), in("x", cols)},
			run: func(k Impl, v [][]float32) { k.RowDots(v[0], matrix(v[1]), v[2]) }},
		{name: "SumRows", args: []arg{out("dst", cols), mat(in("src", 0), rows, cols, stride)},
			run: func(k Impl, v [][]float32) { k.SumRows(v[0], matrix(v[1])) }},
	}
	for i := range list {
		list[i].shape = fmt.Sprintf("rows=%d cols=%d stride=%d", rows, cols, stride)
	}
	return list
}

// rowKernels returns the kernels on batches of rows of cols values. Half of the rows have a previous
// state.
func rowKernels(rows, cols, stride int) []kernel {
	at := func(n, factor int) func(v []float32) Matrix {
		return func(v []float32) Matrix { return Matrix{n, factor * cols, factor * stride, v} }
	}
	operand := func(a arg, n, factor int) arg { return mat(a, n, factor*cols, factor*stride) }
	one, two, three, four, some := at(rows, 1), at(rows, 2), at(rows, 3), at(rows, 4), at(rows/2, 1)
	index := make([]int32, rows)
	for i := range index {
		index[i] = int32(i*i%(rows+1)) - 1
	}
	targets := make([]int32, rows)
	for i := range targets {
		targets[i] = int32(i % max(1, cols))
	}
	list := []kernel{
		{name: "AddRows", args: []arg{operand(out("dst", 0), rows, 1), operand(in("src", 0), rows, 1)},
			run: func(k Impl, v [][]float32) { k.AddRows(one(v[0]), one(v[1])) }},
		{name: "SoftmaxRows", args: []arg{operand(out("dst", 0), rows, 1), operand(in("src", 0), rows, 1)},
			run: func(k Impl, v [][]float32) { k.SoftmaxRows(one(v[0]), one(v[1])) }},
		{name: "MaxoutRows", args: []arg{operand(out("dst", 0), rows, 1), operand(in("src", 0), rows, 2)},
			run: func(k Impl, v [][]float32) { k.MaxoutRows(one(v[0]), two(v[1])) }},
		{name: "MaxoutBackwardRows", args: []arg{operand(out("src", 0), rows, 2), operand(in("ddst", 0), rows, 1)},
			run: func(k Impl, v [][]float32) { k.MaxoutBackwardRows(two(v[0]), one(v[1])) }},
		{name: "GatherRows", args: []arg{operand(out("dst", 0), rows, 1), operand(in("src", 0), rows, 1)},
			run: func(k Impl, v [][]float32) { k.GatherRows(one(v[0]), one(v[1]), index) }},
		{name: "ScatterRows", args: []arg{operand(out("dst", 0), rows, 1), operand(in("src", 0), rows, 1)},
			run: func(k Impl, v [][]float32) { k.ScatterRows(one(v[0]), one(v[1]), index) }},
		{name: "GRUGatesRows", args: []arg{operand(out("gates", 0), rows, 3), operand(out("rh", 0), rows, 1), operand(in("h", 0), rows/2, 1)},
			run: func(k Impl, v [][]float32) { k.GRUGatesRows(three(v[0]), one(v[1]), some(v[2])) }},
		{name: "GRUStateRows", args: []arg{operand(out("next", 0), rows, 1), operand(out("gates", 0), rows, 3), operand(in("h", 0), rows/2, 1)},
			run: func(k Impl, v [][]float32) { k.GRUStateRows(one(v[0]), three(v[1]), some(v[2])) }},
		{name: "GRUStateBackwardRows", args: []arg{
			operand(out("dh", 0), rows, 1), operand(out("gates", 0), rows, 3), operand(in("h", 0), rows/2, 1), operand(in("dnext", 0), rows, 1),
		}, run: func(k Impl, v [][]float32) {
			k.GRUStateBackwardRows(one(v[0]), three(v[1]), some(v[2]), one(v[3]))
		}},
		{name: "GRUGatesBackwardRows", args: []arg{
			operand(out("dh", 0), rows, 1), operand(out("gates", 0), rows, 3), operand(in("drh", 0), rows, 1), operand(in("h", 0), rows/2, 1),
		}, run: func(k Impl, v [][]float32) { k.GRUGatesBackwardRows(one(v[0]), three(v[1]), one(v[2]), some(v[3])) }},
		{name: "GRUResetAfterRows", args: []arg{operand(out("next", 0), rows, 1), operand(in("gates", 0), rows, 4), operand(in("h", 0), rows, 1)},
			run: func(k Impl, v [][]float32) { k.GRUResetAfterRows(one(v[0]), four(v[1]), some(v[2])) }},
		{name: "LSTMStateRows", args: []arg{
			operand(out("cell", 0), rows, 1), operand(out("next", 0), rows, 1), operand(in("gates", 0), rows, 4), operand(in("c", 0), rows, 1),
		}, run: func(k Impl, v [][]float32) { k.LSTMStateRows(one(v[1]), one(v[0]), four(v[2]), some(v[3])) }},
		{name: "LayerNormRows", args: []arg{
			operand(out("dst", 0), rows, 1), operand(in("src", 0), rows, 1), in("weight", cols), in("bias", cols),
		}, run: func(k Impl, v [][]float32) { k.LayerNormRows(one(v[0]), one(v[1]), v[2], v[3], 1e-5) }},
	}
	if cols > 0 {
		list = append(list, kernel{name: "CrossEntropyRows", args: []arg{out("losses", rows), operand(out("x", 0), rows, 1)},
			run: func(k Impl, v [][]float32) { k.CrossEntropyRows(v[0], one(v[1]), targets) }})
	}
	for i := range list {
		list[i].shape = fmt.Sprintf("rows=%d cols=%d stride=%d", rows, cols, stride)
	}
	return list
}

// productKernels returns all products with rows×cols weights, for m rows of x. The activation depends
// on the shape.
func productKernels(m, rows, cols int) []kernel {
	act := Activation((m + rows + cols) % 4)
	x := mat(in("x", 0), m, cols, cols+2)
	y := mat(out("y", 0), m, rows, rows+3)
	w := in("w", lengthOf(PackedLen(rows, cols)))
	xs := func(v []float32) Matrix { return Matrix{m, cols, cols + 2, v} }
	ys := func(v []float32) Matrix { return Matrix{m, rows, rows + 3, v} }
	ws := func(v []float32) Packed { return ViewPacked(v, rows, cols) }
	list := []kernel{
		{name: "Gemm", args: []arg{y, w, x, in("bias", rows)},
			run: func(k Impl, v [][]float32) { k.Gemm(ys(v[0]), ws(v[1]), xs(v[2]), v[3], act) }},
		{name: "Gemm", args: []arg{y, w, x},
			run: func(k Impl, v [][]float32) { k.Gemm(ys(v[0]), ws(v[1]), xs(v[2]), nil, act) }},
		{name: "GemmAdd", args: []arg{y, w, x},
			run: func(k Impl, v [][]float32) { k.gemmAdd(ys(v[0]), ws(v[1]), xs(v[2]), act) }},
		{name: "GemmGrad", args: []arg{
			out("dw", lengthOf(PackedLen(rows, cols))), mat(in("dy", 0), m, rows, rows+3), x, working("scratch", GradScratch(cols)),
		}, run: func(k Impl, v [][]float32) { k.gemmGrad(ws(v[0]), ys(v[1]), xs(v[2]), v[3]) }},
	}
	if m == 1 {
		list = append(list,
			kernel{name: "Gemv", args: []arg{out("y", rows), w, in("x", cols), in("bias", rows)},
				run: func(k Impl, v [][]float32) { k.Gemv(v[0], ws(v[1]), v[2], v[3], act) }},
			kernel{name: "Gemv", args: []arg{out("y", rows), w, in("x", cols)},
				run: func(k Impl, v [][]float32) { k.Gemv(v[0], ws(v[1]), v[2], nil, act) }},
			kernel{name: "GemvAdd", args: []arg{out("y", rows), w, in("x", cols)},
				run: func(k Impl, v [][]float32) { k.gemvAdd(v[0], ws(v[1]), v[2], act) }},
		)
	}
	for i := range list {
		list[i].shape = fmt.Sprintf("M=%d Out=%d In=%d act=%d", m, rows, cols, act)
	}
	return list
}

// weightKernels returns the kernels that copy rows×cols weights. PackRows and Unpack take all rows, and
// the second half of them.
func weightKernels(rows, cols int) []kernel {
	w := lengthOf(PackedLen(rows, cols))
	ws := func(v []float32) Packed { return ViewPacked(v, rows, cols) }
	list := []kernel{{name: "Transpose", args: []arg{out("dst", lengthOf(PackedLen(cols, rows))), in("w", w)},
		run: func(k Impl, v [][]float32) { k.transposePacked(ViewPacked(v[0], cols, rows), ws(v[1])) }}}
	for _, from := range []int{0, rows / 2} {
		part := func(v []float32) Matrix { return Matrix{rows - from, cols, cols + 2, v} }
		list = append(list,
			kernel{name: "PackRows", args: []arg{out("w", w), mat(in("src", 0), rows-from, cols, cols+2)},
				run: func(k Impl, v [][]float32) { k.PackRows(ws(v[0]), from, part(v[1])) }},
			kernel{name: "Unpack", args: []arg{mat(out("dst", 0), rows-from, cols, cols+2), in("w", w)},
				run: func(_ Impl, v [][]float32) { ws(v[1]).Unpack(part(v[0]), from) }},
		)
	}
	for i := range list {
		list[i].shape = fmt.Sprintf("Out=%d In=%d", rows, cols)
	}
	return list
}

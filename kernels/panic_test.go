package kernels

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func panics(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// A panicCase is a call of the kernel that its name begins with, and the value of its panic, nil
// for a valid call.
type panicCase struct {
	name string
	want any
	run  func(k Impl)
}

// TestPanics also checks that every method of Impl has a case, except those that accept any
// arguments.
func TestPanics(t *testing.T) {
	cases := slices.Concat(vectorPanics(), matrixPanics(), packedPanics(), otherPanics(), int8Panics(), bf16Panics(), weightsPanics())
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range cases {
			if got := panics(func() { c.run(k) }); got != c.want {
				t.Errorf("%s %s: panic %v, want %v", k, c.name, got, c.want)
			}
		}
	})
	covered := map[string]bool{
		"Clear": true, "Scale": true, "Max": true, "SumSquares": true, "Norm": true, "LogSumExp": true,
		"String": true, "With": true, "Using": true, "Parallel": true,
	}
	for _, c := range cases {
		name, _, _ := strings.Cut(c.name, " ")
		covered[name] = covered[name] || c.want != nil
	}
	for i, typ := 0, reflect.TypeFor[Impl](); i < typ.NumMethod(); i++ {
		if name := typ.Method(i).Name; !covered[name] {
			t.Errorf("no case in which Impl.%s panics", name)
		}
	}
}

// vectors returns n operands of length 3, except that operand odd has the given length.
func vectors(n, odd, length int) [][]float32 {
	v := make([][]float32, n)
	for i := range v {
		v[i] = make([]float32, 3)
	}
	v[odd] = make([]float32, length)
	return v
}

func zeroMatrix(rows, cols int) Matrix { return NewMatrix(rows, cols) }

func zeroPacked(rows, cols int) Packed {
	return NewPacked(rows, cols)
}

// onVectors lists calls with n vectors of length 3.
var onVectors = []struct {
	name, want string
	n          int
	run        func(k Impl, v [][]float32)
}{
	{"Exp", badExp, 2, func(k Impl, v [][]float32) { k.Exp(v[0], v[1]) }},
	{"Tanh", badTanh, 2, func(k Impl, v [][]float32) { k.Tanh(v[0], v[1]) }},
	{"Sigmoid", badSigmoid, 2, func(k Impl, v [][]float32) { k.Sigmoid(v[0], v[1]) }},
	{"ReLU", badReLU, 2, func(k Impl, v [][]float32) { k.ReLU(v[0], v[1]) }},
	{"Dot", badDot, 2, func(k Impl, v [][]float32) { k.Dot(v[0], v[1]) }},
	{"TopK", badTopK, 2, func(k Impl, v [][]float32) { k.TopK(v[0], make([]int32, len(v[1])), nil) }},
	{"Mul", badMul, 3, func(k Impl, v [][]float32) { k.Mul(v[0], v[1], v[2]) }},
	{"TanhBackward", badTanhBackward, 3, func(k Impl, v [][]float32) { k.TanhBackward(v[0], v[1], v[2]) }},
	{"Softmax", badSoftmax, 2, func(k Impl, v [][]float32) { k.Softmax(v[0], v[1]) }},
	{"SoftmaxBackward", badSoftmaxBackward, 3, func(k Impl, v [][]float32) { k.SoftmaxBackward(v[0], v[1], v[2]) }},
	{"UpdateAdadelta", badAdadelta, 4, func(k Impl, v [][]float32) { k.UpdateAdadelta(settings, v[0], v[1], v[2], v[3]) }},
	{"UpdateAdam", badAdam, 4, func(k Impl, v [][]float32) { k.UpdateAdam(adamSettings, v[0], v[1], v[2], v[3]) }},
	{"MovingAverage", badMovingAverage, 2, func(k Impl, v [][]float32) { k.MovingAverage(v[0], v[1], 0.3) }},
	{"Sub", badSub, 2, func(k Impl, v [][]float32) { k.Sub(v[0], v[1]) }},
	{"AddScaled", badAddScaled, 2, func(k Impl, v [][]float32) { k.AddScaled(v[0], 2, v[1]) }},
	{"Add", badAdd, 2, func(k Impl, v [][]float32) { k.Add(v[0], v[1]) }},
	{"Scores", badScores, 3, func(k Impl, v [][]float32) { k.Scores(v[0], v[1], zeroMatrix(3, 3), v[2]) }},
	{"ScoresBackward", badScoresBackward, 5, func(k Impl, v [][]float32) {
		k.ScoresBackward(v[0], zeroMatrix(3, 3), v[1], v[2], zeroMatrix(3, 3), v[3], v[4])
	}},
	{"WeightedSum", badWeightedSum, 2, func(k Impl, v [][]float32) { k.WeightedSum(v[0], v[1], zeroMatrix(3, 3)) }},
	{"WeightedSumAdd", badWeightedSum, 2, func(k Impl, v [][]float32) { k.WeightedSumAdd(v[0], v[1], zeroMatrix(3, 3)) }},
	{"RowDots", badRowDots, 2, func(k Impl, v [][]float32) { k.RowDots(v[0], zeroMatrix(3, 3), v[1]) }},
	{"SumRows", badSumRows, 1, func(k Impl, v [][]float32) { k.SumRows(v[0], zeroMatrix(2, 3)) }},
	{"Gemv y", badProductOut, 1, func(k Impl, v [][]float32) { k.Gemv(v[0], zeroPacked(3, 2), zeros[:2], nil, Identity) }},
	{"Gemv x", badProductIn, 1, func(k Impl, v [][]float32) { k.Gemv(make([]float32, 2), zeroPacked(2, 3), v[0], nil, Identity) }},
	{"Gemv bias", badProductBias, 1, func(k Impl, v [][]float32) { k.Gemv(make([]float32, 3), zeroPacked(3, 2), zeros[:2], v[0], Identity) }},
	{"GemvAdd y", badProductOut, 1, func(k Impl, v [][]float32) { k.gemvAdd(v[0], zeroPacked(3, 2), zeros[:2], Identity) }},
	{"GemvAdd x", badProductIn, 1, func(k Impl, v [][]float32) { k.gemvAdd(make([]float32, 2), zeroPacked(2, 3), v[0], Identity) }},
	{"Gemm bias", badProductBias, 1, func(k Impl, v [][]float32) {
		k.Gemm(zeroMatrix(2, 3), zeroPacked(3, 3), zeroMatrix(2, 3), v[0], Identity)
	}},
}

// vectorPanics gives each operand a wrong length in turn.
func vectorPanics() (list []panicCase) {
	for _, c := range onVectors {
		for odd := range c.n {
			for length := range 5 {
				want := any(c.want)
				if length == 3 {
					want = nil
				}
				name := fmt.Sprintf("%s operand %d of length %d, the others 3", c.name, odd, length)
				list = append(list, panicCase{name, want, func(k Impl) { c.run(k, vectors(c.n, odd, length)) }})
			}
		}
	}
	return list
}

// matrixPanics has matrices with wrong shapes, with too little data, and with a stride below the
// number of columns.
func matrixPanics() (list []panicCase) {
	good := zeroMatrix(2, 3)
	bad := map[string]Matrix{
		"1×3": zeroMatrix(1, 3), "3×3": zeroMatrix(3, 3), "2×2": zeroMatrix(2, 2), "2×4": zeroMatrix(2, 4),
		"short": {2, 3, 3, make([]float32, 5)}, "narrow stride": {2, 3, 2, make([]float32, 6)},
		"overflowing stride": {2, 3, math.MaxInt, make([]float32, 6)},
		"negative rows":      {-1, 3, 3, make([]float32, 6)}, "negative columns": {2, -3, 3, make([]float32, 6)},
	}
	w, x2, x3 := zeroPacked(3, 3), make([]float32, 2), make([]float32, 3)
	scratch := make([]float32, GradScratch(3))
	six, nine, twelve, index := zeroMatrix(2, 6), zeroMatrix(2, 9), zeroMatrix(2, 12), []int32{-1, 0}
	for _, c := range []struct {
		name, want string
		run        func(k Impl, a, b Matrix)
		two        bool // whether b is an operand, too
	}{
		{"Gemm", "", func(k Impl, a, b Matrix) { k.Gemm(a, w, b, nil, Identity) }, true},
		{"GemmAdd", "", func(k Impl, a, b Matrix) { k.gemmAdd(a, w, b, Identity) }, true},
		{"GemmGrad", badGrad, func(k Impl, a, b Matrix) { k.gemmGrad(w, a, b, scratch) }, true},
		{"ScoresBackward", badScoresBackward, func(k Impl, a, b Matrix) { k.ScoresBackward(x3, a, x3, x3, b, x3, x2) }, true},
		{"Scores", badScores, func(k Impl, a, _ Matrix) { k.Scores(x2, x3, a, x3) }, false},
		{"AddRows", badAddRows, func(k Impl, a, b Matrix) { k.AddRows(a, b) }, true},
		{"SoftmaxRows", badSoftmaxRows, func(k Impl, a, b Matrix) { k.SoftmaxRows(a, b) }, true},
		{"MaxoutRows", badMaxoutRows, func(k Impl, a, _ Matrix) { k.MaxoutRows(a, six) }, false},
		{"MaxoutBackwardRows", badMaxoutBackwardRows, func(k Impl, a, _ Matrix) { k.MaxoutBackwardRows(six, a) }, false},
		{"GatherRows", badGatherRows, func(k Impl, a, b Matrix) { k.GatherRows(a, b, index) }, false},
		{"ScatterRows", badScatterRows, func(k Impl, a, b Matrix) { k.ScatterRows(b, a, index) }, false},
		{"GRUGatesRows", badGRUGatesRows, func(k Impl, a, b Matrix) { k.GRUGatesRows(nine, a, b) }, false},
		{"GRUStateRows", badGRUStateRows, func(k Impl, a, b Matrix) { k.GRUStateRows(a, nine, b) }, false},
		{"GRUStateBackwardRows", badGRUStateBackwardRows, func(k Impl, a, b Matrix) { k.GRUStateBackwardRows(a, nine, good, b) }, true},
		{"GRUResetAfterRows", badGRUResetAfterRows, func(k Impl, a, b Matrix) { k.GRUResetAfterRows(a, twelve, b) }, false},
		{"LSTMStateRows", badLSTMStateRows, func(k Impl, a, b Matrix) { k.LSTMStateRows(a, b, twelve, good) }, true},
		{"LayerNormRows", badLayerNormRows, func(k Impl, a, b Matrix) { k.LayerNormRows(a, b, nil, nil, 1) }, true},
		{"WeightedSum", badWeightedSum, func(k Impl, a, _ Matrix) { k.WeightedSum(x3, x2, a) }, false},
		{"WeightedSumAdd", badWeightedSum, func(k Impl, a, _ Matrix) { k.WeightedSumAdd(x3, x2, a) }, false},
		{"RowDots", badRowDots, func(k Impl, a, _ Matrix) { k.RowDots(x2, a, x3) }, false},
	} {
		list = append(list, panicCase{c.name + " of 2×3", nil, func(k Impl) { c.run(k, good, good) }})
		for what, m := range bad {
			overlaps := what == "narrow stride" && strings.HasPrefix(c.name, "Gemm") // inputs may: see TestOverlappingRows
			first, second := c.want, c.want
			if c.want == "" {
				first, second = productPanic(m, badProductOut, badProductY), productPanic(m, badProductIn, badProductX)
			}
			if !overlaps || c.name != "GemmGrad" {
				list = append(list, panicCase{c.name + " first matrix " + what, first, func(k Impl) { c.run(k, m, good) }})
			}
			if c.two && !overlaps {
				list = append(list, panicCase{c.name + " second matrix " + what, second, func(k Impl) { c.run(k, good, m) }})
			}
		}
	}
	return list
}

// productPanic returns the panic of a product of two rows of three values, one of whose matrices is m.
func productPanic(m Matrix, columns, memory string) string {
	switch {
	case !m.valid():
		return memory
	case m.Rows != 2:
		return badProductRows
	}
	return columns
}

func otherPanics() []panicCase {
	const huge, root = math.MaxInt/8 + 1, 1 << (bits.UintSize / 2) // 16·huge = root² = 0
	m, w := zeroMatrix(2, 3), zeroPacked(20, 3)
	wideStride := Matrix{2, 3, 4, make([]float32, 7)}
	x2, x3 := make([]float32, 2), make([]float32, 3)
	list := []panicCase{
		{"Decay steps", badDecay, func(k Impl) { k.Decay(x3, settings.Rho, -1) }},
		{"CrossEntropy below", badCrossEntropy, func(k Impl) { k.CrossEntropy(x3, -1) }},
		{"CrossEntropy above", badCrossEntropy, func(k Impl) { k.CrossEntropy(x3, 3) }},
		{"CrossEntropy of nothing", badCrossEntropy, func(k Impl) { k.CrossEntropy(nil, 0) }},
		{"CrossEntropyRows losses", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x3, m, []int32{0, 0}) }},
		{"CrossEntropyRows targets", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x2, m, []int32{0}) }},
		{"CrossEntropyRows below", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x2, m, []int32{0, -1}) }},
		{"CrossEntropyRows above", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x2, m, []int32{3, 0}) }},
		{"CrossEntropyRows short", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x2, Matrix{2, 3, 3, x3}, []int32{0, 0}) }},
		{"GRUGatesBackwardRows gates", badGRUGatesBackwardRows, func(k Impl) { k.GRUGatesBackwardRows(m, zeroMatrix(2, 8), m, m) }},
		{"GRUGatesBackwardRows few gates", badGRUGatesBackwardRows, func(k Impl) { k.GRUGatesBackwardRows(m, zeroMatrix(1, 9), m, m) }},
		{"GRUGatesBackwardRows few dh", badGRUGatesBackwardRows, func(k Impl) { k.GRUGatesBackwardRows(zeroMatrix(1, 3), zeroMatrix(2, 9), m, m) }},
		{"GRUGatesBackwardRows few drh", badGRUGatesBackwardRows, func(k Impl) { k.GRUGatesBackwardRows(m, zeroMatrix(2, 9), zeroMatrix(1, 3), m) }},
		{"GRUGatesBackwardRows short", badGRUGatesBackwardRows, func(k Impl) { k.GRUGatesBackwardRows(m, zeroMatrix(2, 9), m, Matrix{2, 3, 3, x3}) }},
		{"GRUResetAfterRows gates", badGRUResetAfterRows, func(k Impl) { k.GRUResetAfterRows(m, zeroMatrix(2, 11), m) }},
		{"GRUResetAfterRows few gates", badGRUResetAfterRows, func(k Impl) { k.GRUResetAfterRows(m, zeroMatrix(1, 12), m) }},
		{"GRUResetAfterRows more states", badGRUResetAfterRows, func(k Impl) { k.GRUResetAfterRows(m, zeroMatrix(2, 12), zeroMatrix(3, 3)) }},
		{"GRUResetAfterRows columns", badGRUResetAfterRows, func(k Impl) { k.GRUResetAfterRows(m, zeroMatrix(2, 12), zeroMatrix(2, 2)) }},
		{"LSTMStateRows gates", badLSTMStateRows, func(k Impl) { k.LSTMStateRows(m, m, zeroMatrix(2, 11), m) }},
		{"LSTMStateRows more states", badLSTMStateRows, func(k Impl) { k.LSTMStateRows(m, m, zeroMatrix(2, 12), zeroMatrix(3, 3)) }},
		{"LSTMStateRows columns", badLSTMStateRows, func(k Impl) { k.LSTMStateRows(m, m, zeroMatrix(2, 12), zeroMatrix(2, 2)) }},
		{"LayerNormRows weight", badLayerNormRows, func(k Impl) { k.LayerNormRows(m, m, x2, x3, 1) }},
		{"LayerNormRows bias", badLayerNormRows, func(k Impl) { k.LayerNormRows(m, m, x3, x2, 1) }},
		{"GatherRows rows", badGatherRows, func(k Impl) { k.GatherRows(m, m, []int32{0}) }},
		{"GatherRows below", badGatherRows, func(k Impl) { k.GatherRows(m, m, []int32{0, -2}) }},
		{"GatherRows above", badGatherRows, func(k Impl) { k.GatherRows(m, m, []int32{2, 0}) }},
		{"ScatterRows rows", badScatterRows, func(k Impl) { k.ScatterRows(m, m, []int32{0}) }},
		{"ScatterRows below", badScatterRows, func(k Impl) { k.ScatterRows(m, m, []int32{0, -2}) }},
		{"ScatterRows above", badScatterRows, func(k Impl) { k.ScatterRows(m, m, []int32{2, 0}) }},
		{"GRUGatesRows no columns", badGRUGatesRows, func(k Impl) { k.GRUGatesRows(zeroMatrix(2, 9), m, Matrix{}) }},
		{"GRUGatesRows gates", badGRUGatesRows, func(k Impl) { k.GRUGatesRows(zeroMatrix(2, 8), m, m) }},
		{"GRUGatesRows more states", badGRUGatesRows, func(k Impl) { k.GRUGatesRows(zeroMatrix(2, 9), m, zeroMatrix(3, 3)) }},
		{"ScoresBackward strides", badScoresBackward, func(k Impl) { k.ScoresBackward(x3, wideStride, x3, x3, m, x3, x2) }},
		{"SumRows columns", badSumRows, func(k Impl) { k.SumRows(x3, zeroMatrix(2, 2)) }},
		{"SumRows short", badSumRows, func(k Impl) { k.SumRows(x3, Matrix{2, 3, 3, x3}) }},
		{"GemmGrad scratch", badGradScratch, func(k Impl) {
			k.gemmGrad(zeroPacked(3, 3), m, m, make([]float32, GradScratch(3)-1))
		}},
		{"GemmGrad Out", badGrad, func(k Impl) { k.gemmGrad(zeroPacked(4, 3), m, m, make([]float32, GradScratch(3))) }},
		{"Transpose Out", badTranspose, func(k Impl) { k.transposePacked(zeroPacked(4, 20), w) }},
		{"Transpose In", badTranspose, func(k Impl) { k.transposePacked(zeroPacked(3, 19), w) }},
		{"PackRows columns", badPackRows, func(k Impl) { k.PackRows(w, 0, zeroMatrix(2, 2)) }},
		{"PackRows below", badPackRows, func(k Impl) { k.PackRows(w, -1, m) }},
		{"PackRows beyond", badPackRows, func(k Impl) { k.PackRows(w, 19, m) }},
		{"PackRows row overflow", badPackRows, func(k Impl) { k.PackRows(w, math.MaxInt, m) }},
		{"PackRows short", badPackRows, func(k Impl) { k.PackRows(w, 0, Matrix{2, 3, 3, x3}) }},
		{"Pack short", badPack, func(k Impl) { k.Pack(Matrix{2, 3, 3, x3}) }},
		{"Unpack columns", badUnpack, func(Impl) { w.Unpack(zeroMatrix(2, 2), 0) }},
		{"Unpack below", badUnpack, func(Impl) { w.Unpack(m, -1) }},
		{"Unpack beyond", badUnpack, func(Impl) { w.Unpack(m, 19) }},
		{"Unpack row overflow", badUnpack, func(Impl) { w.Unpack(m, math.MaxInt) }},
		{"Unpack short", badUnpack, func(Impl) { w.Unpack(Matrix{2, 3, 3, x3}, 0) }},
		{"NewPacked negative Out", badNewPacked, func(Impl) { NewPacked(-1, 3) }},
		{"NewPacked negative In", badNewPacked, func(Impl) { NewPacked(3, -1) }},
		{"NewPacked overflowing Out", badNewPacked, func(Impl) { NewPacked(math.MaxInt, 0) }},
		{"NewPacked overflowing In", badNewPacked, func(Impl) { NewPacked(16, huge) }},
		{"NewPacked overflowing product", badNewPacked, func(Impl) { NewPacked(root, root) }},
		{"NewPacked overflowing bytes", badNewPacked, func(Impl) { NewPacked(16, maxLen/16) }},
		{"NewPacked beyond memory", badAlloc, func(Impl) { NewPacked(largestOut(), largestIn) }},
		{"ViewPacked negative", badPacked, func(Impl) { ViewPacked(nil, -1, -1) }},
		{"ViewPacked overflow", badPacked, func(Impl) { ViewPacked(nil, root, root) }},
		{"ViewPacked overflowing bytes", badPacked, func(Impl) { ViewPacked(nil, 16, maxLen/16) }},
		{"NewMatrix negative rows", badShape, func(Impl) { NewMatrix(-1, 3) }},
		{"NewMatrix negative columns", badShape, func(Impl) { NewMatrix(3, -1) }},
		{"NewMatrix overflow", badShape, func(Impl) { NewMatrix(root, root) }},
		{"NewMatrix overflowing bytes", badShape, func(Impl) { NewMatrix(math.MaxInt/4+1, 1) }},
		{"NewMatrix beyond memory", badAlloc, func(Impl) { NewMatrix(maxLen, 1) }},
		{"Alloc negative", badAlloc, func(Impl) { Alloc(-1) }},
		{"Alloc smallest", badAlloc, func(Impl) { Alloc(math.MinInt) }},
		{"Alloc overflowing bytes", badAlloc, func(Impl) { Alloc(math.MaxInt/4 + 1) }},
		{"Alloc overflow", badAlloc, func(Impl) { Alloc(math.MaxInt) }},
		{"Alloc beyond memory", badAlloc, func(Impl) { Alloc(maxLen) }},
		{"GradScratch negative", badScratchLen, func(Impl) { GradScratch(-1) }},
		{"GradScratch overflow", badScratchLen, func(Impl) { GradScratch(math.MaxInt) }},
		{"GradScratch overflowing bytes", badScratchLen, func(Impl) { GradScratch(maxLen / gradRows) }},
		{"GradScratch overflowing product", badScratchLen, func(Impl) { GradScratch(huge / 32) }},
		{"View short", badMatrix, func(Impl) { View(x3, 2, 2) }},
		{"View overflow", badMatrix, func(Impl) { View(nil, root, root) }},
		{"View negative rows", badMatrix, func(Impl) { View(x3, -1, 2) }},
		{"View negative columns", badMatrix, func(Impl) { View(x3, 1, -2) }},
		{"Slice below", badRows, func(Impl) { m.Slice(-1, 1) }},
		{"Slice reversed", badRows, func(Impl) { m.Slice(2, 1) }},
		{"Slice beyond", badRows, func(Impl) { m.Slice(0, 3) }},
		{"Columns below", badColumns, func(Impl) { m.Columns(-1, 1) }},
		{"Columns reversed", badColumns, func(Impl) { m.Columns(2, 1) }},
		{"Columns beyond", badColumns, func(Impl) { m.Columns(0, 4) }},
	}
	square := zeroPacked(3, 3)
	for _, act := range []Activation{Identity - 1, ReLU + 1} {
		list = append(list,
			panicCase{"Gemm activation", badActivation, func(k Impl) { k.Gemm(m, square, m, nil, act) }},
			panicCase{"GemmAdd activation", badActivation, func(k Impl) { k.gemmAdd(m, square, m, act) }},
			panicCase{"Gemv activation", badActivation, func(k Impl) { k.Gemv(x3, square, x3, nil, act) }},
			panicCase{"GemvAdd activation", badActivation, func(k Impl) { k.gemvAdd(x3, square, x3, act) }},
		)
	}
	return list
}

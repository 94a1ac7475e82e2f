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
	{"Exp", "kernels: Exp: len(dst) != len(src)", 2, func(k Impl, v [][]float32) { k.Exp(v[0], v[1]) }},
	{"Tanh", "kernels: Tanh: len(dst) != len(src)", 2, func(k Impl, v [][]float32) { k.Tanh(v[0], v[1]) }},
	{"Sigmoid", "kernels: Sigmoid: len(dst) != len(src)", 2, func(k Impl, v [][]float32) { k.Sigmoid(v[0], v[1]) }},
	{"ReLU", "kernels: ReLU: len(dst) != len(src)", 2, func(k Impl, v [][]float32) { k.ReLU(v[0], v[1]) }},
	{"Dot", "kernels: Dot: len(x) != len(y)", 2, func(k Impl, v [][]float32) { k.Dot(v[0], v[1]) }},
	{"TopK", "kernels: TopK: len(values) != len(indices), or len(x) overflows int32", 2, func(k Impl, v [][]float32) { k.TopK(v[0], make([]int32, len(v[1])), nil) }},
	{"Mul", "kernels: Mul: lengths differ", 3, func(k Impl, v [][]float32) { k.Mul(v[0], v[1], v[2]) }},
	{"TanhBackward", "kernels: TanhBackward: lengths differ", 3, func(k Impl, v [][]float32) { k.TanhBackward(v[0], v[1], v[2]) }},
	{"Softmax", "kernels: Softmax: len(dst) != len(src)", 2, func(k Impl, v [][]float32) { k.Softmax(v[0], v[1]) }},
	{"SoftmaxBackward", "kernels: SoftmaxBackward: lengths differ", 3, func(k Impl, v [][]float32) { k.SoftmaxBackward(v[0], v[1], v[2]) }},
	{"UpdateAdadelta", "kernels: UpdateAdadelta: lengths differ", 4, func(k Impl, v [][]float32) { k.UpdateAdadelta(settings, v[0], v[1], v[2], v[3]) }},
	{"UpdateAdam", "kernels: UpdateAdam: lengths differ", 4, func(k Impl, v [][]float32) { k.UpdateAdam(adamSettings, v[0], v[1], v[2], v[3]) }},
	{"MovingAverage", "kernels: MovingAverage: len(average) != len(x)", 2, func(k Impl, v [][]float32) { k.MovingAverage(v[0], v[1], 0.3) }},
	{"Sub", "kernels: Sub: len(dst) != len(src)", 2, func(k Impl, v [][]float32) { k.Sub(v[0], v[1]) }},
	{"AddScaled", "kernels: AddScaled: len(dst) != len(src)", 2, func(k Impl, v [][]float32) { k.AddScaled(v[0], 2, v[1]) }},
	{"Add", "kernels: Add: len(dst) != len(src)", 2, func(k Impl, v [][]float32) { k.Add(v[0], v[1]) }},
	{"Scores", "kernels: Scores: shapes of e, q, keys and v do not agree", 3, func(k Impl, v [][]float32) { k.Scores(v[0], v[1], zeroMatrix(3, 3), v[2]) }},
	{"ScoresBackward", "kernels: ScoresBackward: shapes do not agree", 5, func(k Impl, v [][]float32) {
		k.ScoresBackward(v[0], zeroMatrix(3, 3), v[1], v[2], zeroMatrix(3, 3), v[3], v[4])
	}},
	{"WeightedSum", "kernels: WeightedSum: len(dst) != rows.Cols or len(a) != rows.Rows", 2, func(k Impl, v [][]float32) { k.WeightedSum(v[0], v[1], zeroMatrix(3, 3)) }},
	{"WeightedSumAdd", "kernels: WeightedSum: len(dst) != rows.Cols or len(a) != rows.Rows", 2, func(k Impl, v [][]float32) { k.WeightedSumAdd(v[0], v[1], zeroMatrix(3, 3)) }},
	{"RowDots", "kernels: RowDots: len(dst) != rows.Rows or len(x) != rows.Cols", 2, func(k Impl, v [][]float32) { k.RowDots(v[0], zeroMatrix(3, 3), v[1]) }},
	{"SumRows", "kernels: SumRows: len(dst) != src.Cols", 1, func(k Impl, v [][]float32) { k.SumRows(v[0], zeroMatrix(2, 3)) }},
	{"Gemv y", "kernels: y and w of a product differ in outputs", 1, func(k Impl, v [][]float32) { k.Gemv(v[0], zeroPacked(3, 2), zeros[:2], nil, Identity) }},
	{"Gemv x", "kernels: x and w of a product differ in inputs", 1, func(k Impl, v [][]float32) { k.Gemv(make([]float32, 2), zeroPacked(2, 3), v[0], nil, Identity) }},
	{"Gemv bias", "kernels: bias and w of a product differ in outputs", 1, func(k Impl, v [][]float32) { k.Gemv(make([]float32, 3), zeroPacked(3, 2), zeros[:2], v[0], Identity) }},
	{"GemvAdd y", "kernels: y and w of a product differ in outputs", 1, func(k Impl, v [][]float32) { k.gemvAdd(v[0], zeroPacked(3, 2), zeros[:2], Identity) }},
	{"GemvAdd x", "kernels: x and w of a product differ in inputs", 1, func(k Impl, v [][]float32) { k.gemvAdd(make([]float32, 2), zeroPacked(2, 3), v[0], Identity) }},
	{"Gemm bias", "kernels: bias and w of a product differ in outputs", 1, func(k Impl, v [][]float32) {
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
		{"GemmGrad", "", func(k Impl, a, b Matrix) { k.gemmGrad(w, a, b, scratch) }, true},
		{"ScoresBackward", "kernels: ScoresBackward: shapes do not agree", func(k Impl, a, b Matrix) { k.ScoresBackward(x3, a, x3, x3, b, x3, x2) }, true},
		{"Scores", "kernels: Scores: shapes of e, q, keys and v do not agree", func(k Impl, a, _ Matrix) { k.Scores(x2, x3, a, x3) }, false},
		{"AddRows", "kernels: AddRows: shapes of dst and src differ", func(k Impl, a, b Matrix) { k.AddRows(a, b) }, true},
		{"SoftmaxRows", "kernels: SoftmaxRows: shapes of dst and src differ", func(k Impl, a, b Matrix) { k.SoftmaxRows(a, b) }, true},
		{"MaxoutRows", "kernels: MaxoutRows: dst is not rows×n for src rows×2n", func(k Impl, a, _ Matrix) { k.MaxoutRows(a, six) }, false},
		{"MaxoutBackwardRows", "kernels: MaxoutBackwardRows: ddst is not rows×n for src rows×2n", func(k Impl, a, _ Matrix) { k.MaxoutBackwardRows(six, a) }, false},
		{"GatherRows", "kernels: GatherRows: shapes do not agree, or row out of range", func(k Impl, a, b Matrix) { k.GatherRows(a, b, index) }, false},
		{"ScatterRows", "kernels: ScatterRows: shapes do not agree, or row out of range", func(k Impl, a, b Matrix) { k.ScatterRows(b, a, index) }, false},
		{"GRUGatesRows", "kernels: GRUGatesRows: shapes do not agree", func(k Impl, a, b Matrix) { k.GRUGatesRows(nine, a, b) }, false},
		{"GRUStateRows", "kernels: GRUStateRows: shapes do not agree", func(k Impl, a, b Matrix) { k.GRUStateRows(a, nine, b) }, false},
		{"GRUStateBackwardRows", "kernels: GRUStateBackwardRows: shapes do not agree", func(k Impl, a, b Matrix) { k.GRUStateBackwardRows(a, nine, good, b) }, true},
		{"GRUResetAfterRows", "kernels: GRUResetAfterRows: shapes do not agree", func(k Impl, a, b Matrix) { k.GRUResetAfterRows(a, twelve, b) }, false},
		{"LSTMStateRows", "kernels: LSTMStateRows: shapes do not agree", func(k Impl, a, b Matrix) { k.LSTMStateRows(a, b, twelve, good) }, true},
		{"LayerNormRows", "kernels: LayerNormRows: shapes do not agree", func(k Impl, a, b Matrix) { k.LayerNormRows(a, b, nil, nil, 1) }, true},
		{"WeightedSum", "kernels: WeightedSum: len(dst) != rows.Cols or len(a) != rows.Rows", func(k Impl, a, _ Matrix) { k.WeightedSum(x3, x2, a) }, false},
		{"WeightedSumAdd", "kernels: WeightedSum: len(dst) != rows.Cols or len(a) != rows.Rows", func(k Impl, a, _ Matrix) { k.WeightedSumAdd(x3, x2, a) }, false},
		{"RowDots", "kernels: RowDots: len(dst) != rows.Rows or len(x) != rows.Cols", func(k Impl, a, _ Matrix) { k.RowDots(x2, a, x3) }, false},
	} {
		list = append(list, panicCase{c.name + " of 2×3", nil, func(k Impl) { c.run(k, good, good) }})
		for what, m := range bad {
			overlaps := what == "narrow stride" && strings.HasPrefix(c.name, "Gemm") // inputs may: see TestOverlappingRows
			first, second := c.want, c.want
			if c.want == "" {
				first, second = productPanic("y", m), productPanic("x", m)
			}
			if c.name == "GemmGrad" {
				first, second = gradPanic("dy", "outputs", m), gradPanic("x", "inputs", m)
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

// productPanic returns the panic of a product of two rows of three values, whose operand y or x is m.
func productPanic(operand string, m Matrix) string {
	switch {
	case !m.valid() && operand == "y":
		return "kernels: y of a product is shorter than its shape, or its rows overlap"
	case !m.valid():
		return "kernels: x of a product is shorter than its shape"
	case m.Rows != 2:
		return "kernels: y and x of a product differ in rows"
	case operand == "y":
		return "kernels: y and w of a product differ in outputs"
	}
	return "kernels: x and w of a product differ in inputs"
}

// gradPanic returns the panic of a gradient of such a product, whose operand has that many columns and is m.
func gradPanic(operand, columns string, m Matrix) string {
	switch {
	case !m.readable():
		return "kernels: LinearGrad: dy or x is shorter than its shape"
	case m.Rows != 2:
		return "kernels: LinearGrad: dy and x differ in rows"
	}
	return "kernels: LinearGrad: " + operand + " and dw differ in " + columns
}

func otherPanics() []panicCase {
	const huge, root = math.MaxInt/8 + 1, 1 << (bits.UintSize / 2) // 16·huge = root² = 0
	m, w := zeroMatrix(2, 3), zeroPacked(20, 3)
	wideStride := Matrix{2, 3, 4, make([]float32, 7)}
	x2, x3 := make([]float32, 2), make([]float32, 3)
	list := []panicCase{
		{"Decay steps", "kernels: Decay: steps < 0", func(k Impl) { k.Decay(x3, settings.Rho, -1) }},
		{"CrossEntropy below", "kernels: CrossEntropy: target out of range", func(k Impl) { k.CrossEntropy(x3, -1) }},
		{"CrossEntropy above", "kernels: CrossEntropy: target out of range", func(k Impl) { k.CrossEntropy(x3, 3) }},
		{"CrossEntropy of nothing", "kernels: CrossEntropy: target out of range", func(k Impl) { k.CrossEntropy(nil, 0) }},
		{"CrossEntropyRows losses", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x3, m, []int32{0, 0}) }},
		{"CrossEntropyRows targets", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x2, m, []int32{0}) }},
		{"CrossEntropyRows below", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x2, m, []int32{0, -1}) }},
		{"CrossEntropyRows above", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x2, m, []int32{3, 0}) }},
		{"CrossEntropyRows short", badCrossEntropyRows, func(k Impl) { k.CrossEntropyRows(x2, Matrix{2, 3, 3, x3}, []int32{0, 0}) }},
		{"GRUGatesBackwardRows gates", "kernels: GRUGatesBackwardRows: shapes do not agree", func(k Impl) { k.GRUGatesBackwardRows(m, zeroMatrix(2, 8), m, m) }},
		{"GRUGatesBackwardRows few gates", "kernels: GRUGatesBackwardRows: shapes do not agree", func(k Impl) { k.GRUGatesBackwardRows(m, zeroMatrix(1, 9), m, m) }},
		{"GRUGatesBackwardRows few dh", "kernels: GRUGatesBackwardRows: shapes do not agree", func(k Impl) { k.GRUGatesBackwardRows(zeroMatrix(1, 3), zeroMatrix(2, 9), m, m) }},
		{"GRUGatesBackwardRows few drh", "kernels: GRUGatesBackwardRows: shapes do not agree", func(k Impl) { k.GRUGatesBackwardRows(m, zeroMatrix(2, 9), zeroMatrix(1, 3), m) }},
		{"GRUGatesBackwardRows short", "kernels: GRUGatesBackwardRows: shapes do not agree", func(k Impl) { k.GRUGatesBackwardRows(m, zeroMatrix(2, 9), m, Matrix{2, 3, 3, x3}) }},
		{"GRUResetAfterRows gates", "kernels: GRUResetAfterRows: shapes do not agree", func(k Impl) { k.GRUResetAfterRows(m, zeroMatrix(2, 11), m) }},
		{"GRUResetAfterRows few gates", "kernels: GRUResetAfterRows: shapes do not agree", func(k Impl) { k.GRUResetAfterRows(m, zeroMatrix(1, 12), m) }},
		{"GRUResetAfterRows more states", "kernels: GRUResetAfterRows: shapes do not agree", func(k Impl) { k.GRUResetAfterRows(m, zeroMatrix(2, 12), zeroMatrix(3, 3)) }},
		{"GRUResetAfterRows columns", "kernels: GRUResetAfterRows: shapes do not agree", func(k Impl) { k.GRUResetAfterRows(m, zeroMatrix(2, 12), zeroMatrix(2, 2)) }},
		{"LSTMStateRows gates", "kernels: LSTMStateRows: shapes do not agree", func(k Impl) { k.LSTMStateRows(m, m, zeroMatrix(2, 11), m) }},
		{"LSTMStateRows more states", "kernels: LSTMStateRows: shapes do not agree", func(k Impl) { k.LSTMStateRows(m, m, zeroMatrix(2, 12), zeroMatrix(3, 3)) }},
		{"LSTMStateRows columns", "kernels: LSTMStateRows: shapes do not agree", func(k Impl) { k.LSTMStateRows(m, m, zeroMatrix(2, 12), zeroMatrix(2, 2)) }},
		{"LayerNormRows weight", "kernels: LayerNormRows: shapes do not agree", func(k Impl) { k.LayerNormRows(m, m, x2, x3, 1) }},
		{"LayerNormRows bias", "kernels: LayerNormRows: shapes do not agree", func(k Impl) { k.LayerNormRows(m, m, x3, x2, 1) }},
		{"GatherRows rows", "kernels: GatherRows: shapes do not agree, or row out of range", func(k Impl) { k.GatherRows(m, m, []int32{0}) }},
		{"GatherRows below", "kernels: GatherRows: shapes do not agree, or row out of range", func(k Impl) { k.GatherRows(m, m, []int32{0, -2}) }},
		{"GatherRows above", "kernels: GatherRows: shapes do not agree, or row out of range", func(k Impl) { k.GatherRows(m, m, []int32{2, 0}) }},
		{"ScatterRows rows", "kernels: ScatterRows: shapes do not agree, or row out of range", func(k Impl) { k.ScatterRows(m, m, []int32{0}) }},
		{"ScatterRows below", "kernels: ScatterRows: shapes do not agree, or row out of range", func(k Impl) { k.ScatterRows(m, m, []int32{0, -2}) }},
		{"ScatterRows above", "kernels: ScatterRows: shapes do not agree, or row out of range", func(k Impl) { k.ScatterRows(m, m, []int32{2, 0}) }},
		{"GRUGatesRows no columns", "kernels: GRUGatesRows: shapes do not agree", func(k Impl) { k.GRUGatesRows(zeroMatrix(2, 9), m, Matrix{}) }},
		{"GRUGatesRows gates", "kernels: GRUGatesRows: shapes do not agree", func(k Impl) { k.GRUGatesRows(zeroMatrix(2, 8), m, m) }},
		{"GRUGatesRows more states", "kernels: GRUGatesRows: shapes do not agree", func(k Impl) { k.GRUGatesRows(zeroMatrix(2, 9), m, zeroMatrix(3, 3)) }},
		{"ScoresBackward strides", "kernels: ScoresBackward: shapes do not agree", func(k Impl) { k.ScoresBackward(x3, wideStride, x3, x3, m, x3, x2) }},
		{"SumRows columns", "kernels: SumRows: len(dst) != src.Cols", func(k Impl) { k.SumRows(x3, zeroMatrix(2, 2)) }},
		{"SumRows short", "kernels: SumRows: len(dst) != src.Cols", func(k Impl) { k.SumRows(x3, Matrix{2, 3, 3, x3}) }},
		{"GemmGrad scratch", "kernels: LinearGrad: the scratch's Grad is shorter than GradScratch(In)", func(k Impl) {
			k.gemmGrad(zeroPacked(3, 3), m, m, make([]float32, GradScratch(3)-1))
		}},
		{"GemmGrad Out", gradPanic("dy", "outputs", m), func(k Impl) { k.gemmGrad(zeroPacked(4, 3), m, m, make([]float32, GradScratch(3))) }},
		{"Transpose Out", "kernels: LinearTranspose: dst is not In×Out", func(k Impl) { k.transposePacked(zeroPacked(4, 20), w) }},
		{"Transpose In", "kernels: LinearTranspose: dst is not In×Out", func(k Impl) { k.transposePacked(zeroPacked(3, 19), w) }},
		{"PackRows columns", "kernels: PackRows: src.Cols != In, or no such rows", func(k Impl) { k.PackRows(w, 0, zeroMatrix(2, 2)) }},
		{"PackRows below", "kernels: PackRows: src.Cols != In, or no such rows", func(k Impl) { k.PackRows(w, -1, m) }},
		{"PackRows beyond", "kernels: PackRows: src.Cols != In, or no such rows", func(k Impl) { k.PackRows(w, 19, m) }},
		{"PackRows row overflow", "kernels: PackRows: src.Cols != In, or no such rows", func(k Impl) { k.PackRows(w, math.MaxInt, m) }},
		{"PackRows short", "kernels: PackRows: src.Cols != In, or no such rows", func(k Impl) { k.PackRows(w, 0, Matrix{2, 3, 3, x3}) }},
		{"Pack short", badPack, func(k Impl) { k.Pack(Matrix{2, 3, 3, x3}) }},
		{"Unpack columns", "kernels: Unpack: dst.Cols != In, or no such rows", func(Impl) { w.Unpack(zeroMatrix(2, 2), 0) }},
		{"Unpack below", "kernels: Unpack: dst.Cols != In, or no such rows", func(Impl) { w.Unpack(m, -1) }},
		{"Unpack beyond", "kernels: Unpack: dst.Cols != In, or no such rows", func(Impl) { w.Unpack(m, 19) }},
		{"Unpack row overflow", "kernels: Unpack: dst.Cols != In, or no such rows", func(Impl) { w.Unpack(m, math.MaxInt) }},
		{"Unpack short", "kernels: Unpack: dst.Cols != In, or no such rows", func(Impl) { w.Unpack(Matrix{2, 3, 3, x3}, 0) }},
		{"NewPacked negative Out", "kernels: NewPacked: negative or overflowing shape", func(Impl) { NewPacked(-1, 3) }},
		{"NewPacked negative In", "kernels: NewPacked: negative or overflowing shape", func(Impl) { NewPacked(3, -1) }},
		{"NewPacked overflowing Out", "kernels: NewPacked: negative or overflowing shape", func(Impl) { NewPacked(math.MaxInt, 0) }},
		{"NewPacked overflowing In", "kernels: NewPacked: negative or overflowing shape", func(Impl) { NewPacked(16, huge) }},
		{"NewPacked overflowing product", "kernels: NewPacked: negative or overflowing shape", func(Impl) { NewPacked(root, root) }},
		{"NewPacked overflowing bytes", "kernels: NewPacked: negative or overflowing shape", func(Impl) { NewPacked(16, maxLen/16) }},
		{"NewPacked beyond memory", badAlloc, func(Impl) { NewPacked(largestOut(), largestIn) }},
		{"ViewPacked negative", "kernels: Packed: negative shape or len(Data) != PackedLen(Out, In)", func(Impl) { ViewPacked(nil, -1, -1) }},
		{"ViewPacked overflow", "kernels: Packed: negative shape or len(Data) != PackedLen(Out, In)", func(Impl) { ViewPacked(nil, root, root) }},
		{"ViewPacked overflowing bytes", "kernels: Packed: negative shape or len(Data) != PackedLen(Out, In)", func(Impl) { ViewPacked(nil, 16, maxLen/16) }},
		{"NewMatrix negative rows", "kernels: NewMatrix: negative or overflowing shape", func(Impl) { NewMatrix(-1, 3) }},
		{"NewMatrix negative columns", "kernels: NewMatrix: negative or overflowing shape", func(Impl) { NewMatrix(3, -1) }},
		{"NewMatrix overflow", "kernels: NewMatrix: negative or overflowing shape", func(Impl) { NewMatrix(root, root) }},
		{"NewMatrix overflowing bytes", "kernels: NewMatrix: negative or overflowing shape", func(Impl) { NewMatrix(math.MaxInt/4+1, 1) }},
		{"NewMatrix beyond memory", badAlloc, func(Impl) { NewMatrix(maxLen, 1) }},
		{"Alloc negative", badAlloc, func(Impl) { Alloc(-1) }},
		{"Alloc smallest", badAlloc, func(Impl) { Alloc(math.MinInt) }},
		{"Alloc overflowing bytes", badAlloc, func(Impl) { Alloc(math.MaxInt/4 + 1) }},
		{"Alloc overflow", badAlloc, func(Impl) { Alloc(math.MaxInt) }},
		{"Alloc beyond memory", badAlloc, func(Impl) { Alloc(maxLen) }},
		{"GradScratch negative", "kernels: GradScratch: negative or overflowing size", func(Impl) { GradScratch(-1) }},
		{"GradScratch overflow", "kernels: GradScratch: negative or overflowing size", func(Impl) { GradScratch(math.MaxInt) }},
		{"GradScratch overflowing bytes", "kernels: GradScratch: negative or overflowing size", func(Impl) { GradScratch(maxLen / gradRows) }},
		{"GradScratch overflowing product", "kernels: GradScratch: negative or overflowing size", func(Impl) { GradScratch(huge / 32) }},
		{"View short", "kernels: View: data is shorter than rows*cols, or the shape is negative", func(Impl) { View(x3, 2, 2) }},
		{"View overflow", "kernels: View: data is shorter than rows*cols, or the shape is negative", func(Impl) { View(nil, root, root) }},
		{"View negative rows", "kernels: View: data is shorter than rows*cols, or the shape is negative", func(Impl) { View(x3, -1, 2) }},
		{"View negative columns", "kernels: View: data is shorter than rows*cols, or the shape is negative", func(Impl) { View(x3, 1, -2) }},
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
			panicCase{"Gemm activation", "kernels: unknown activation", func(k Impl) { k.Gemm(m, square, m, nil, act) }},
			panicCase{"GemmAdd activation", "kernels: unknown activation", func(k Impl) { k.gemmAdd(m, square, m, act) }},
			panicCase{"Gemv activation", "kernels: unknown activation", func(k Impl) { k.Gemv(x3, square, x3, nil, act) }},
			panicCase{"GemvAdd activation", "kernels: unknown activation", func(k Impl) { k.gemvAdd(x3, square, x3, act) }},
		)
	}
	return list
}

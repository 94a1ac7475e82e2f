package kernels

import (
	"reflect"
	"testing"
)

// panics returns what f panics with, nil if it does not.
func panics(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// vectors returns n operands of length 3, the odd-th of them of the given length.
func vectors(n, odd, length int) [][]float32 {
	v := make([][]float32, n)
	for i := range v {
		v[i] = make([]float32, 3)
	}
	v[odd] = make([]float32, length)
	return v
}

func zeroMatrix(rows, cols int) Matrix { return View(make([]float32, rows*cols), rows, cols) }

func zeroPacked(rows, cols int) Packed {
	return NewPacked(make([]float32, PackedLen(rows, cols)), rows, cols)
}

// TestPanicsVectors gives every operand of every kernel over vectors a wrong length in turn.
func TestPanicsVectors(t *testing.T) {
	cases := []struct {
		name, want string
		n          int
		run        func(k Impl, v [][]float32)
	}{
		{"Exp", badExp, 2, func(k Impl, v [][]float32) { k.Exp(v[0], v[1]) }},
		{"Tanh", badTanh, 2, func(k Impl, v [][]float32) { k.Tanh(v[0], v[1]) }},
		{"Sigmoid", badSigmoid, 2, func(k Impl, v [][]float32) { k.Sigmoid(v[0], v[1]) }},
		{"TanhBackward", badTanhBackward, 3, func(k Impl, v [][]float32) { k.TanhBackward(v[0], v[1], v[2]) }},
		{"Softmax", badSoftmax, 2, func(k Impl, v [][]float32) { k.Softmax(v[0], v[1]) }},
		{"SoftmaxBackward", badSoftmaxBackward, 3, func(k Impl, v [][]float32) { k.SoftmaxBackward(v[0], v[1], v[2]) }},
		{"GRUGates", badGRUGates, 4, func(k Impl, v [][]float32) { k.GRUGates(v[0], v[1], v[2], v[3]) }},
		{"GRUState", badGRUState, 4, func(k Impl, v [][]float32) { k.GRUState(v[0], v[1], v[2], v[3]) }},
		{"GRUStateBackward", badGRUStateBackward, 5, func(k Impl, v [][]float32) { k.GRUStateBackward(v[0], v[1], v[2], v[3], v[4]) }},
		{"GRUGatesBackward", badGRUGatesBackward, 4, func(k Impl, v [][]float32) { k.GRUGatesBackward(v[0], v[1], v[2], v[3]) }},
		{"Update", badAdadelta, 4, func(k Impl, v [][]float32) { k.Update(settings, v[0], v[1], v[2], v[3]) }},
		{"Add", badAdd, 2, func(k Impl, v [][]float32) { k.Add(v[0], v[1]) }},
		{"Maxout", badMaxout, 2, func(k Impl, v [][]float32) { k.Maxout(v[0], append(v[1], v[1]...)) }},
		{"MaxoutBackward", badMaxoutBackward, 2, func(k Impl, v [][]float32) { k.MaxoutBackward(append(v[0], v[0]...), v[1]) }},
		{"Scores", badScores, 3, func(k Impl, v [][]float32) { k.Scores(v[0], v[1], zeroMatrix(3, 3), v[2]) }},
		{"ScoresBackward", badScoresBackward, 5, func(k Impl, v [][]float32) {
			k.ScoresBackward(v[0], zeroMatrix(3, 3), v[1], v[2], zeroMatrix(3, 3), v[3], v[4])
		}},
		{"WeightedSum", badWeightedSum, 2, func(k Impl, v [][]float32) { k.WeightedSum(v[0], v[1], zeroMatrix(3, 3)) }},
		{"ContextBackward", badContextBackward, 3, func(k Impl, v [][]float32) {
			k.ContextBackward(v[0], zeroMatrix(3, 3), v[1], zeroMatrix(3, 3), v[2])
		}},
		{"SumRows", badSumRows, 1, func(k Impl, v [][]float32) { k.SumRows(v[0], zeroMatrix(2, 3)) }},
		{"Gemv", badGemv, 3, func(k Impl, v [][]float32) { k.Gemv(v[0], zeroPacked(3, 3), v[1], v[2], Identity) }},
		{"GemvAdd", badGemv, 2, func(k Impl, v [][]float32) { k.GemvAdd(v[0], zeroPacked(3, 3), v[1], Identity) }},
		{"Gemm bias", badGemm, 1, func(k Impl, v [][]float32) {
			k.Gemm(zeroMatrix(2, 3), zeroPacked(3, 3), zeroMatrix(2, 3), v[0], Identity)
		}},
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range cases {
			if got := panics(func() { c.run(k, vectors(c.n, 0, 3)) }); got != nil {
				t.Errorf("%s %s: panic %v on agreeing lengths", k, c.name, got)
			}
			for odd := range c.n {
				for _, length := range []int{0, 2, 4} {
					if got := panics(func() { c.run(k, vectors(c.n, odd, length)) }); got != c.want {
						t.Errorf("%s %s: operand %d of length %d, not 3: panic %v, want %q", k, c.name, odd, length, got, c.want)
					}
				}
			}
		}
	})
}

// TestPanicsMatrices has matrices of wrong shapes, whose data is too short, and whose
// stride is less than their columns.
func TestPanicsMatrices(t *testing.T) {
	good := zeroMatrix(2, 3)
	bad := map[string]Matrix{
		"1×3": zeroMatrix(1, 3), "3×3": zeroMatrix(3, 3), "2×2": zeroMatrix(2, 2), "2×4": zeroMatrix(2, 4),
		"short": {2, 3, 3, make([]float32, 5)}, "narrow stride": {2, 3, 2, make([]float32, 6)},
		"negative rows": {-1, 3, 3, make([]float32, 6)}, "negative columns": {2, -3, 3, make([]float32, 6)},
	}
	w, x2, x3 := zeroPacked(3, 3), make([]float32, 2), make([]float32, 3)
	scratch := make([]float32, GradScratch(3))
	cases := []struct {
		name, want string
		run        func(k Impl, a, b Matrix)
		two        bool // b is an operand too
	}{
		{"Gemm", badGemm, func(k Impl, a, b Matrix) { k.Gemm(a, w, b, nil, Identity) }, true},
		{"GemmAdd", badGemm, func(k Impl, a, b Matrix) { k.GemmAdd(a, w, b, Identity) }, true},
		{"GemmGrad", badGrad, func(k Impl, a, b Matrix) { k.GemmGrad(w, a, b, scratch) }, true},
		{"ScoresBackward", badScoresBackward, func(k Impl, a, b Matrix) { k.ScoresBackward(x3, a, x3, x3, b, x3, x2) }, true},
		{"ContextBackward", badContextBackward, func(k Impl, a, b Matrix) { k.ContextBackward(x2, a, x2, b, x3) }, true},
		{"Scores", badScores, func(k Impl, a, _ Matrix) { k.Scores(x2, x3, a, x3) }, false},
		{"WeightedSum", badWeightedSum, func(k Impl, a, _ Matrix) { k.WeightedSum(x3, x2, a) }, false},
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, c := range cases {
			if got := panics(func() { c.run(k, good, good) }); got != nil {
				t.Errorf("%s %s: panic %v on agreeing shapes", k, c.name, got)
			}
			for what, m := range bad {
				if got := panics(func() { c.run(k, m, good) }); got != c.want {
					t.Errorf("%s %s: first matrix %s, not 2×3: panic %v, want %q", k, c.name, what, got, c.want)
				}
				if got := panics(func() { c.run(k, good, m) }); c.two && got != c.want {
					t.Errorf("%s %s: second matrix %s, not 2×3: panic %v, want %q", k, c.name, what, got, c.want)
				}
			}
		}
	})
}

func TestPanics(t *testing.T) {
	m, w := zeroMatrix(2, 3), zeroPacked(20, 3)
	wideStride := Matrix{2, 3, 4, make([]float32, 7)}
	x2, x3 := make([]float32, 2), make([]float32, 3)
	for _, k := range Available() {
		cases := []struct {
			name, want string
			run        func()
		}{
			{"CrossEntropy below", badCrossEntropy, func() { k.CrossEntropy(x3, -1) }},
			{"CrossEntropy above", badCrossEntropy, func() { k.CrossEntropy(x3, 3) }},
			{"CrossEntropy of nothing", badCrossEntropy, func() { k.CrossEntropy(nil, 0) }},
			{"ScoresBackward strides", badScoresBackward, func() { k.ScoresBackward(x3, wideStride, x3, x3, m, x3, x2) }},
			{"ContextBackward strides", badContextBackward, func() { k.ContextBackward(x2, wideStride, x2, m, x3) }},
			{"SumRows columns", badSumRows, func() { k.SumRows(x3, zeroMatrix(2, 2)) }},
			{"SumRows short", badSumRows, func() { k.SumRows(x3, Matrix{2, 3, 3, x3}) }},
			{"GemmGrad scratch", badGradScratch, func() {
				k.GemmGrad(zeroPacked(3, 3), m, m, make([]float32, GradScratch(3)-1))
			}},
			{"GemmGrad Out", badGrad, func() { k.GemmGrad(zeroPacked(4, 3), m, m, make([]float32, GradScratch(3))) }},
			{"Transpose Out", badPackedShape, func() { k.Transpose(zeroPacked(4, 20), w) }},
			{"Transpose In", badPackedShape, func() { k.Transpose(zeroPacked(3, 19), w) }},
			{"Pack columns", badPack, func() { k.Pack(w, 0, zeroMatrix(2, 2)) }},
			{"Pack below", badPack, func() { k.Pack(w, -1, m) }},
			{"Pack beyond", badPack, func() { k.Pack(w, 19, m) }},
			{"Pack short", badPack, func() { k.Pack(w, 0, Matrix{2, 3, 3, x3}) }},
			{"Unpack columns", badUnpack, func() { w.Unpack(zeroMatrix(2, 2), 0) }},
			{"Unpack below", badUnpack, func() { w.Unpack(m, -1) }},
			{"Unpack beyond", badUnpack, func() { w.Unpack(m, 19) }},
			{"Unpack short", badUnpack, func() { w.Unpack(Matrix{2, 3, 3, x3}, 0) }},
			{"NewPacked length", badPacked, func() { NewPacked(x3, 3, 3) }},
			{"NewPacked negative Out", badPacked, func() { NewPacked(nil, -1, 3) }},
			{"NewPacked negative In", badPacked, func() { NewPacked(nil, 3, -1) }},
			{"View short", badMatrix, func() { View(x3, 2, 2) }},
			{"View negative rows", badMatrix, func() { View(x3, -1, 2) }},
			{"View negative columns", badMatrix, func() { View(x3, 1, -2) }},
			{"Slice below", badRows, func() { m.Slice(-1, 1) }},
			{"Slice reversed", badRows, func() { m.Slice(2, 1) }},
			{"Slice beyond", badRows, func() { m.Slice(0, 3) }},
			{"Columns below", badColumns, func() { m.Columns(-1, 1) }},
			{"Columns reversed", badColumns, func() { m.Columns(2, 1) }},
			{"Columns beyond", badColumns, func() { m.Columns(0, 4) }},
		}
		for _, c := range cases {
			if got := panics(c.run); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s %s: panic %v, want %q", k, c.name, got, c.want)
			}
		}
	}
}

// TestZeroShapes: shapes of 0 are legal, and a product without terms is its start.
func TestZeroShapes(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		list := vectorKernels(0)
		for _, s := range [][3]int{{0, 0, 0}, {0, 3, 3}, {3, 0, 3}, {3, 3, 0}, {1, 0, 3}, {1, 3, 0}, {1, 0, 0}} {
			list = append(list, productKernels(s[0], s[1], s[2])...)
			list = append(list, attentionKernels(s[0], s[1], s[1])...)
		}
		for _, kn := range list {
			values := operands(kn, fills[0], 1)
			if got := panics(func() { kn.run(k, values) }); got != nil {
				t.Errorf("%s %s %s: panic %v", k, kn.name, kn.shape, got)
			}
		}
		y := []float32{5, 5, 5}
		k.Gemm(View(y, 1, 3), zeroPacked(3, 0), zeroMatrix(1, 0), []float32{1, 2, 3}, Identity)
		k.GemmAdd(View(y, 1, 3), zeroPacked(3, 0), zeroMatrix(1, 0), Identity)
		if y[0] != 1 || y[1] != 2 || y[2] != 3 {
			t.Errorf("%s Gemm In=0 = %g, want the bias 1, 2, 3", k, y)
		}
		e := []float32{7, 7}
		k.Scores(e, nil, zeroMatrix(2, 0), nil)
		if e[0] != 0 || e[1] != 0 {
			t.Errorf("%s Scores cols=0 = %g, want 0", k, e)
		}
	})
}

func TestUnknownActivationPanics(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, act := range []Activation{-1, 3} {
			run := func() { k.Gemm(zeroMatrix(2, 3), zeroPacked(3, 3), zeroMatrix(2, 3), nil, act) }
			if got := panics(run); got != badActivation {
				t.Errorf("%s: activation %d: panic %v, want %q", k, act, got, badActivation)
			}
		}
	})
}

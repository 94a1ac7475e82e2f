package kernels

import (
	"math"
	"slices"
	"testing"
)

// TestLinear compares Linear and Lookup with the kernels that they choose.
func TestLinear(t *testing.T) {
	const rows, in, out = 5, 19, 23
	eachImpl(t, func(t *testing.T, k Impl) {
		r := newRand(1)
		m, x, bias := View(random(r, out*in), out, in), View(random(r, rows*in), rows, in), random(r, out)
		float, int8 := Weights{Float32: k.Packed(m)}, Weights{Int8: k.PackedInt8(m)}
		q, scratch := NewRowsInt8(rows, in), NewRowsInt8(rows+2, in+30)
		k.Quantize(q, x)
		for _, test := range []struct {
			w    Weights
			s    RowsInt8
			gemm func(y Matrix, bias []float32)
			add  func(y Matrix)
		}{
			{float, RowsInt8{}, func(y Matrix, bias []float32) { k.Gemm(y, float.Float32, x, bias, Tanh) },
				func(y Matrix) { k.GemmAdd(y, float.Float32, x, ReLU) }},
			{int8, scratch, func(y Matrix, bias []float32) { k.GemmInt8(y, int8.Int8, q, bias, Tanh) },
				func(y Matrix) { k.GemmAddInt8(y, int8.Int8, q, ReLU) }},
		} {
			if test.w.Out() != out || test.w.In() != in || !test.w.Valid() || test.w.IsInt8() != (test.s.Rows > 0) {
				t.Errorf("weights of %d×%d, valid %t, int8 %t", test.w.Out(), test.w.In(), test.w.Valid(), test.w.IsInt8())
			}
			for _, b := range [][]float32{bias, nil} {
				want, got := NewMatrix(rows, out), NewMatrix(rows, out)
				test.gemm(want, b)
				k.Linear(got, test.w, x, b, Tanh, test.s)
				if i := differs(got.Data, want.Data); i >= 0 {
					t.Errorf("%s: Linear, int8 %t: element %d is %v, want %v", k, test.w.IsInt8(), i, got.Data[i], want.Data[i])
				}
				test.add(want)
				k.LinearAdd(got, test.w, x, ReLU, test.s)
				if i := differs(got.Data, want.Data); i >= 0 {
					t.Errorf("%s: LinearAdd, int8 %t: element %d is %v, want %v", k, test.w.IsInt8(), i, got.Data[i], want.Data[i])
				}
			}
		}
		index := []int32{4, -1, 0, 4}
		for _, table := range []Table{{Float32: x}, {Int8: q}} {
			want, got := NewMatrix(len(index), in), NewMatrix(len(index), in)
			if table.IsInt8() {
				k.GatherRowsInt8(want, q, index)
			} else {
				k.GatherRows(want, x, index)
			}
			k.Lookup(got, table, index)
			if i := differs(got.Data, want.Data); i >= 0 || table.Rows() != rows || table.Cols() != in || !table.Valid() {
				t.Errorf("%s: Lookup in a table of %d×%d, int8 %t: element %d differs", k, table.Rows(), table.Cols(), table.IsInt8(), i)
			}
		}
	})
}

// TestValid: weights and tables whose values are not as many as their shape says are not valid.
func TestValid(t *testing.T) {
	float, int8 := NewPacked(3, 5), NewPackedInt8(3, 5)
	short, wide := int8, int8
	short.Scales = short.Scales[1:]
	wide.In = MaxInt8Inputs + 1
	for name, w := range map[string]Weights{
		"both":               {float, int8},
		"float32 of no data": {Float32: Packed{Out: 3, In: 5}},
		"int8 of no data":    {Int8: PackedInt8{Out: 3, In: 5}},
		"a scale short":      {Int8: short},
		"too many inputs":    {Int8: wide},
	} {
		if w.Valid() {
			t.Errorf("%s: valid, want not", name)
		}
	}
	rows := NewRowsInt8(3, 5)
	other := rows
	other.Rows++
	for name, table := range map[string]Table{
		"both":               {NewMatrix(3, 5), rows},
		"float32 of no data": {Float32: Matrix{3, 5, 5, nil}},
		"int8 of no data":    {Int8: RowsInt8{Rows: 3, Cols: 5}},
		"a row more":         {Int8: other},
	} {
		if table.Valid() {
			t.Errorf("%s: valid, want not", name)
		}
	}
	if !(Weights{}).Valid() || !(Table{}).Valid() {
		t.Error("the zero value is not valid, want no values to be")
	}
}

// TestRowsInt8View: a view is as a matrix of its own, in the memory of another one.
func TestRowsInt8View(t *testing.T) {
	k, scratch := Best(), NewRowsInt8(4, 40)
	for _, shape := range [][2]int{{4, 40}, {4, 33}, {1, 3}, {2, 64}, {0, 100}, {4, 0}} {
		x := View(random(newRand(2), shape[0]*shape[1]), shape[0], shape[1])
		got, want := scratch.View(shape[0], shape[1]), NewRowsInt8(shape[0], shape[1])
		k.Quantize(got, x)
		k.Quantize(want, x)
		for i := range shape[0] {
			if got.Scale(i) != want.Scale(i) || !slices.Equal(got.Row(i), want.Row(i)) {
				t.Errorf("row %d of %v: got %v times %v, want %v times %v", i, shape, got.Scale(i), got.Row(i), want.Scale(i), want.Row(i))
			}
		}
	}
	for _, shape := range [][2]int{{5, 1}, {-1, 3}, {3, -1}, {4, 49}, {1, MaxInt8Inputs + 1}, {1, math.MaxInt}} {
		if got := panics(func() { scratch.View(shape[0], shape[1]) }); got != badViewInt8 {
			t.Errorf("view of %v: panic %v, want %q", shape, got, badViewInt8)
		}
	}
}

func weightsPanics() (list []panicCase) {
	add := func(name, want string, run func(k Impl)) { list = append(list, panicCase{name, want, run}) }
	x, y, scratch := zeroMatrix(2, 5), zeroMatrix(2, 3), NewRowsInt8(2, 5)
	float, int8 := Weights{Float32: NewPacked(3, 5)}, Weights{Int8: NewPackedInt8(3, 5)}
	add("Linear float32", badGemm, func(k Impl) { k.Linear(x, float, x, nil, Identity, scratch) })
	add("LinearAdd float32", badGemm, func(k Impl) { k.LinearAdd(x, float, x, Identity, scratch) })
	add("Linear int8", badGemmInt8, func(k Impl) { k.Linear(x, int8, x, nil, Identity, scratch) })
	add("LinearAdd int8", badGemmInt8, func(k Impl) { k.LinearAdd(x, int8, x, Identity, scratch) })
	for _, small := range []RowsInt8{{}, NewRowsInt8(1, 90), scratch.View(2, 0)} {
		add("Linear scratch", badViewInt8, func(k Impl) { k.Linear(y, int8, x, nil, Identity, small) })
		add("LinearAdd scratch", badViewInt8, func(k Impl) { k.LinearAdd(y, int8, x, Identity, small) })
	}
	add("Linear short", badQuantize, func(k Impl) { k.Linear(y, int8, Matrix{2, 5, 5, y.Data}, nil, Identity, scratch) })
	add("Lookup float32", badGatherRows, func(k Impl) { k.Lookup(y, Table{Float32: x}, []int32{0, 1}) })
	add("Lookup int8", badGatherInt8, func(k Impl) { k.Lookup(y, Table{Int8: scratch}, []int32{0, 1}) })
	return list
}

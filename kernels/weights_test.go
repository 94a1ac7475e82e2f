package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// usingOf returns Using with room in one Scratch: one for each call would be an allocation.
func usingOf() func(k Impl, room Scratch) Impl {
	s := new(Scratch)
	return func(k Impl, room Scratch) Impl {
		*s = room
		return k.Using(s)
	}
}

// TestLinear compares Linear and Embed with the kernels that they choose.
func TestLinear(t *testing.T) {
	const rows, in, out = 5, 19, 23
	eachImpl(t, func(t *testing.T, k Impl) {
		r := newRand(1)
		m, x, bias := View(random(r, out*in), out, in), View(random(r, rows*in), rows, in), random(r, out)
		float, int8, bf16 := Weights{Float32: k.Pack(m)}, Weights{Int8: k.PackInt8(m)}, Weights{BF16: NewPackedBF16(out, in)}
		k.RoundPackedBF16(bf16.BF16, float.Float32)
		q, rounded := NewRowsInt8(rows, in), NewRowsBF16(rows, in)
		k.Quantize(q, x)
		k.roundRowsBF16(rounded, x)
		for _, test := range []struct {
			w    Weights
			s    *Scratch
			gemm func(y Matrix, bias []float32)
			add  func(y Matrix)
		}{
			{float, nil, func(y Matrix, bias []float32) { k.Gemm(y, float.Float32, x, bias, Tanh) },
				func(y Matrix) { k.gemmAdd(y, float.Float32, x, ReLU) }},
			{int8, &Scratch{Int8: NewRowsInt8(rows+2, in+30)}, func(y Matrix, bias []float32) { k.gemmInt8(y, int8.Int8, q, bias, Tanh) },
				func(y Matrix) { k.gemmAddInt8(y, int8.Int8, q, ReLU) }},
			{bf16, &Scratch{BF16: NewRowsBF16(1, 400)}, func(y Matrix, bias []float32) { k.gemmBF16(y, bf16.BF16, rounded, bias, Tanh) },
				func(y Matrix) { k.gemmAddBF16(y, bf16.BF16, rounded, ReLU) }},
		} {
			what := fmt.Sprintf("%s, int8 %t, bf16 %t", k, test.w.IsInt8(), test.w.isBF16())
			if test.w.Out() != out || test.w.In() != in || !test.w.Valid() {
				t.Errorf("%s: weights of %d×%d, valid %t", what, test.w.Out(), test.w.In(), test.w.Valid())
			}
			for _, b := range [][]float32{bias, nil} {
				want, got := NewMatrix(rows, out), NewMatrix(rows, out)
				test.gemm(want, b)
				k.Using(test.s).Linear(got, test.w, x, b, Tanh)
				if i := differs(got.Data, want.Data); i >= 0 {
					t.Errorf("%s: Linear: element %d is %v, want %v", what, i, got.Data[i], want.Data[i])
				}
				test.add(want)
				k.Using(test.s).LinearAdd(got, test.w, x, ReLU)
				if i := differs(got.Data, want.Data); i >= 0 {
					t.Errorf("%s: LinearAdd: element %d is %v, want %v", what, i, got.Data[i], want.Data[i])
				}
			}
		}
		index := []int32{4, -1, 0, 4}
		for _, table := range []Table{{Float32: x}, {Int8: q}} {
			want, got := NewMatrix(len(index), in), NewMatrix(len(index), in)
			if table.IsInt8() {
				k.gatherRowsInt8(want, q, index)
			} else {
				k.GatherRows(want, x, index)
			}
			k.Embed(got, table, index)
			if i := differs(got.Data, want.Data); i >= 0 || table.Rows() != rows || table.Cols() != in || !table.Valid() {
				t.Errorf("%s: Embed in a table of %d×%d, int8 %t: element %d differs", k, table.Rows(), table.Cols(), table.IsInt8(), i)
			}
		}
	})
}

// TestLinearGrad compares LinearGrad and LinearTranspose with the kernels that they choose.
func TestLinearGrad(t *testing.T) {
	const rows, in, out = 37, 19, 23
	eachImpl(t, func(t *testing.T, k Impl) {
		r := newRand(1)
		dy, x := View(random(r, rows*out), rows, out), View(random(r, rows*in), rows, in)
		scratch := make([]float32, max(GradScratch(in), lengthOf(PackedLen(in, out))))
		dyRounded, xRounded := NewRowsBF16(rows, out), NewRowsBF16(rows, in)
		k.roundRowsBF16(dyRounded, dy)
		k.roundRowsBF16(xRounded, x)
		float, bf16 := NewPacked(out, in), NewPacked(out, in)
		k.gemmGrad(float, dy, x, scratch)
		k.gemmGradBF16(bf16, dyRounded, xRounded, scratch)
		for _, test := range []struct {
			s    *Scratch
			want Packed
		}{
			{&Scratch{Grad: scratch}, float},
			{&Scratch{BF16: NewRowsBF16(1, 2000), DYBF16: NewRowsBF16(1, 2000), Grad: scratch}, bf16},
		} {
			got := NewPacked(out, in)
			k.Using(test.s).LinearGrad(got, dy, x)
			if i := differs(got.Data, test.want.Data); i >= 0 {
				t.Errorf("%s: LinearGrad: element %d is %v, want %v", k, i, got.Data[i], test.want.Data[i])
			}
		}
		transposed, rounded := NewPacked(in, out), NewPackedBF16(in, out)
		k.transposePacked(transposed, float)
		k.RoundPackedBF16(rounded, transposed)
		exact, got := Weights{Float32: NewPacked(in, out)}, Weights{BF16: NewPackedBF16(in, out)}
		k.LinearTranspose(exact, float)
		k.Using(&Scratch{Grad: scratch}).LinearTranspose(got, float)
		if i := differs(exact.Float32.Data, transposed.Data); i >= 0 || !slices.Equal(got.BF16.data, rounded.data) {
			t.Errorf("%s: LinearTranspose: element %d of float32, or one of bfloat16, differs", k, i)
		}
	})
}

// TestValid: weights and tables are not valid if their shape asks for another number of values.
func TestValid(t *testing.T) {
	float, int8 := NewPacked(3, 5), NewPackedInt8(3, 5)
	short, wide := int8, int8
	short.Scales = short.Scales[1:]
	wide.In = MaxInt8Inputs + 1
	for name, w := range map[string]Weights{
		"both":               {Float32: float, Int8: int8},
		"float32 and bf16":   {Float32: float, BF16: NewPackedBF16(3, 5)},
		"bf16 of no data":    {BF16: PackedBF16{Out: 3, In: 5}},
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
		if got := panics(func() { scratch.View(shape[0], shape[1]) }); got != "kernels: RowsInt8.View: negative shape, or more rows or values than x has room for" {
			t.Errorf("view of %v: panic %v, want %q", shape, got, "kernels: RowsInt8.View: negative shape, or more rows or values than x has room for")
		}
	}
}

// TestRowsBF16View: a view is as a matrix of its own, in the memory of another one.
func TestRowsBF16View(t *testing.T) {
	k, scratch := Best(), NewRowsBF16(2, 64)
	for _, shape := range [][2]int{{2, 64}, {4, 32}, {4, 3}, {1, 128}, {0, 900}, {9, 0}} {
		x := View(random(newRand(2), shape[0]*shape[1]), shape[0], shape[1])
		got, want := scratch.View(shape[0], shape[1]), NewRowsBF16(shape[0], shape[1])
		k.roundRowsBF16(got, x)
		k.roundRowsBF16(want, x)
		if !slices.Equal(got.data, want.data) {
			t.Errorf("view of %v differs", shape)
		}
	}
	for _, shape := range [][2]int{{5, 1}, {-1, 3}, {3, -1}, {1, 129}, {1, math.MaxInt}} {
		if got := panics(func() { scratch.View(shape[0], shape[1]) }); got != "kernels: RowsBF16.View: negative shape, or more values than x has room for" {
			t.Errorf("view of %v: panic %v, want %q", shape, got, "kernels: RowsBF16.View: negative shape, or more values than x has room for")
		}
	}
}

func weightsPanics() (list []panicCase) {
	add := func(name, want string, run func(k Impl)) { list = append(list, panicCase{name, want, run}) }
	x, y := zeroMatrix(2, 5), zeroMatrix(2, 3)
	s := &Scratch{Int8: NewRowsInt8(2, 5), BF16: NewRowsBF16(2, 5), DYBF16: NewRowsBF16(2, 5), Grad: make([]float32, GradScratch(5))}
	small := []*Scratch{nil, {}, {Int8: NewRowsInt8(1, 90), BF16: NewRowsBF16(1, 32)}, {Int8: s.Int8.View(2, 0), BF16: s.BF16.View(2, 0)}}
	for _, w := range []struct {
		name string
		w    Weights
		room string
	}{
		{"float32", Weights{Float32: NewPacked(3, 5)}, ""},
		{"int8", Weights{Int8: NewPackedInt8(3, 5)}, "kernels: RowsInt8.View: negative shape, or more rows or values than x has room for"},
		{"bf16", Weights{BF16: NewPackedBF16(3, 5)}, "kernels: RowsBF16.View: negative shape, or more values than x has room for"},
	} {
		add("Linear "+w.name, "kernels: y and w of a product differ in outputs", func(k Impl) { k.Using(s).Linear(x, w.w, x, nil, Identity) })
		add("LinearAdd "+w.name, "kernels: y and w of a product differ in outputs", func(k Impl) { k.Using(s).LinearAdd(x, w.w, x, Identity) })
		for _, s := range small {
			if w.room != "" {
				add("Linear scratch "+w.name, w.room, func(k Impl) { k.Using(s).Linear(y, w.w, x, nil, Identity) })
				add("LinearAdd scratch "+w.name, w.room, func(k Impl) { k.Using(s).LinearAdd(y, w.w, x, Identity) })
			}
		}
	}
	short := Matrix{2, 5, 5, y.Data}
	add("Linear short int8", "kernels: Quantize: shapes of dst and src differ", func(k Impl) { k.Using(s).Linear(y, Weights{Int8: NewPackedInt8(3, 5)}, short, nil, Identity) })
	add("Linear short bf16", "kernels: shapes of values to round to bfloat16 differ", func(k Impl) { k.Using(s).Linear(y, Weights{BF16: NewPackedBF16(3, 5)}, short, nil, Identity) })
	add("LinearGrad float32", gradPanic("x", "inputs", x), func(k Impl) { k.Using(&Scratch{Grad: s.Grad}).LinearGrad(NewPacked(3, 4), y, x) })
	add("LinearGrad bf16", gradPanic("x", "inputs", x), func(k Impl) { k.Using(s).LinearGrad(NewPacked(3, 4), y, x) })
	add("LinearGrad dy", "kernels: RowsBF16.View: negative shape, or more values than x has room for", func(k Impl) { k.Using(&Scratch{BF16: s.BF16, Grad: s.Grad}).LinearGrad(NewPacked(3, 5), y, x) })
	add("LinearGrad scratch", "kernels: LinearGrad: the scratch's Grad is shorter than GradScratch(In)", func(k Impl) { k.Using(&Scratch{}).LinearGrad(NewPacked(3, 5), y, x) })
	add("LinearTranspose float32", "kernels: LinearTranspose: dst is not In×Out", func(k Impl) { k.LinearTranspose(Weights{Float32: NewPacked(3, 5)}, NewPacked(3, 5)) })
	add("LinearTranspose bf16", "kernels: RoundPackedBF16: shapes of dst and src differ", func(k Impl) { k.Using(s).LinearTranspose(Weights{BF16: NewPackedBF16(3, 5)}, NewPacked(3, 5)) })
	add("Embed float32", "kernels: GatherRows: shapes do not agree, or row out of range", func(k Impl) { k.Embed(y, Table{Float32: x}, []int32{0, 1}) })
	add("Embed int8", "kernels: Embed: shapes do not agree, or row out of range", func(k Impl) { k.Embed(y, Table{Int8: s.Int8}, []int32{0, 1}) })
	return list
}

// TestRowBytes compares the bytes of a row with what the constructors allocate.
func TestRowBytes(t *testing.T) {
	for cols := range 100 {
		x := NewRowsInt8(3, cols)
		if got, want := RowInt8Bytes(cols), (len(x.data)+4*len(x.scales)+4*len(x.starts))/3; got != want {
			t.Errorf("RowInt8Bytes(%d) = %d, want %d", cols, got, want)
		}
		if got, want := RowBF16Bytes(cols), 4*len(NewRowsBF16(3, cols).data)/3; got != want {
			t.Errorf("RowBF16Bytes(%d) = %d, want %d", cols, got, want)
		}
	}
}

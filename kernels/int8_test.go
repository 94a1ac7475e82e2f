package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

func bytesOf(v []float32) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

func integersOf(v []float32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}

// rowsWords returns the number of words of memory that rowsIn needs.
func rowsWords(m, cols int) int { return m * (int8RowLen(cols)/4 + 2) }

func rowsIn(v []float32, m, cols int) RowsInt8 {
	n := m * int8RowLen(cols) / 4
	return RowsInt8{m, cols, bytesOf(v[:n]), v[n : n+m], integersOf(v[n+m : n+2*m])}
}

// int8Kernels returns all kernels on rows×cols weights of int8, for m rows of x. Operands that are not
// float32 are words of their memory.
func int8Kernels(m, rows, cols int) []kernel {
	act := Activation((m + rows + cols) % 4)
	x, y := mat(in("x", 0), m, cols, cols+2), mat(out("y", 0), m, rows, rows+3)
	w, scales, bias := in("w", lengthOf(PackedInt8Len(rows, cols))/4), in("scales", rows), in("bias", rows)
	rowData := working("rows", rowsWords(m, cols))
	xs := func(v []float32) Matrix { return Matrix{m, cols, cols + 2, v} }
	ys := func(v []float32) Matrix { return Matrix{m, rows, rows + 3, v} }
	ws := func(v [][]float32) PackedInt8 { return PackedInt8{rows, cols, bytesOf(v[1]), v[2]} }
	written := rowData
	written.use = output
	using := usingOf()
	list := []kernel{
		{name: "Quantize", args: []arg{written, x},
			run: func(k Impl, v [][]float32) { k.Quantize(rowsIn(v[0], m, cols), xs(v[1])) }},
		{name: "Linear", args: []arg{y, w, scales, x, rowData, bias},
			run: func(k Impl, v [][]float32) {
				using(k, Scratch{Int8: rowsIn(v[4], m, cols)}).Linear(ys(v[0]), Weights{Int8: ws(v)}, xs(v[3]), v[5], act)
			}},
		{name: "Linear", args: []arg{y, w, scales, x, rowData},
			run: func(k Impl, v [][]float32) {
				using(k, Scratch{Int8: rowsIn(v[4], m, cols)}).Linear(ys(v[0]), Weights{Int8: ws(v)}, xs(v[3]), nil, act)
			}},
		{name: "LinearAdd", args: []arg{y, w, scales, x, rowData},
			run: func(k Impl, v [][]float32) {
				using(k, Scratch{Int8: rowsIn(v[4], m, cols)}).LinearAdd(ys(v[0]), Weights{Int8: ws(v)}, xs(v[3]), act)
			}},
		{name: "PackRowsInt8", args: []arg{out("w", w.n), out("scales", rows), mat(in("src", 0), rows-rows/2, cols, cols+2)},
			run: func(k Impl, v [][]float32) {
				k.PackRowsInt8(PackedInt8{rows, cols, bytesOf(v[0]), v[1]}, rows/2, Matrix{rows - rows/2, cols, cols + 2, v[2]})
			}},
		{name: "SetRowsInt8", args: []arg{out("w", w.n), out("scales", rows), in("values", ((rows-rows/2)*cols+3)/4), in("their scales", rows-rows/2)},
			run: func(k Impl, v [][]float32) {
				k.SetRowsInt8(PackedInt8{rows, cols, bytesOf(v[0]), v[1]}, rows/2, bytesOf(v[2])[:(rows-rows/2)*cols], v[3])
			}},
	}
	ids := make([]int32, m+7)
	for i := range ids {
		ids[i] = int32((7*i+cols)%(rows+1)) - 1
	}
	table := in("table", rowsWords(rows, cols))
	list = append(list, kernel{name: "Embed", args: []arg{mat(out("dst", 0), len(ids), cols, cols+2), table},
		run: func(k Impl, v [][]float32) {
			k.Embed(Matrix{len(ids), cols, cols + 2, v[0]}, Table{Int8: rowsIn(v[1], rows, cols)}, ids)
		}})
	for i := range list {
		list[i].shape = fmt.Sprintf("M=%d Out=%d In=%d act=%d", m, rows, cols, act)
	}
	return list
}

// int8Kinds are the values that products of integers have to deal with.
var int8Kinds = []struct {
	name  string
	value func(r *rand.Rand) int8
}{
	{"any", func(r *rand.Rand) int8 { return int8(r.Uint32()) }},
	{"±127", func(r *rand.Rand) int8 { return int8(127 - 254*r.IntN(2)) }},
	{"127", func(*rand.Rand) int8 { return 127 }},
	{"-127", func(*rand.Rand) int8 { return -127 }},
	{"-128", func(*rand.Rand) int8 { return -128 }},
	{"-128 or 127", func(r *rand.Rand) int8 { return int8(127 + r.IntN(2)) }},
}

func int8s(r *rand.Rand, n, kind int) []int8 {
	x := make([]int8, n)
	for i := range x {
		x[i] = int8Kinds[kind].value(r)
	}
	return x
}

func dot64(x, y []int8) (sum int64) {
	for i, v := range x {
		sum += int64(v) * int64(y[i])
	}
	return sum
}

// An int8Product is row-major integers and scales.
type int8Product struct {
	m, out, in   int
	x, w         [][]int8
	sx, sw, bias []float32
}

func newInt8Product(r *rand.Rand, m, out, in, kindX, kindW int) int8Product {
	p := int8Product{m: m, out: out, in: in, sx: random(r, m), sw: random(r, out), bias: random(r, out)}
	for range m {
		p.x = append(p.x, int8s(r, in, kindX))
	}
	for range out {
		p.w = append(p.w, int8s(r, in, kindW))
	}
	for i := range p.sx { // keep the activations from saturating
		p.sx[i] /= 128 * 128 * float32(math.Sqrt(float64(in+1)))
	}
	return p
}

func (p int8Product) operands() (w PackedInt8, x RowsInt8) {
	w, x = NewPackedInt8(p.out, p.in), NewRowsInt8(p.m, p.in)
	Best().SetRowsInt8(w, 0, slices.Concat(p.w...), p.sw)
	for i, row := range p.x {
		x.SetRow(i, row, p.sx[i])
	}
	return w, x
}

// want returns element (i, n) of the result, from the sum in int64 and the fma in exact arithmetic.
func (p int8Product) want(t *testing.T, i, n int, start float32) (sum int32, y float32) {
	t.Helper()
	s := dot64(p.x[i], p.w[n])
	if s != int64(int32(s)) {
		t.Fatalf("In=%d: sum %d leaves int32", p.in, s)
	}
	return int32(s), exactFMA(float32(s), p.sx[i]*p.sw[n], start)
}

// int8Shapes has outputs and inputs with every remainder, rows on both sides of those of tiles, and
// depths on both sides of those of calls and of partial sums.
func int8Shapes() (list [][3]int) {
	for m := range 20 {
		for _, out := range []int{1, 15, 16, 17, 33, 48, 49, 97} {
			list = append(list, [3]int{m, out, 1 + (7*m+out)%37})
		}
	}
	for in := range 70 {
		list = append(list, [3]int{1, 17, in}, [3]int{3, 17, in})
	}
	deep := 4 * int8TileQuads(maxTilePanels)
	for _, in := range []int{deep - 1, deep, deep + 1, 2*deep + 3, 3*deep + 1, 4*int8TileQuads(1) + 2} {
		list = append(list, [3]int{5, 49, in})
	}
	for _, in := range []int{255, 256, 257, 272, 508, 509, 513, 1016, 1017} { // 64 and 127 groups of four
		for m := range 10 {
			list = append(list, [3]int{m, 49, in})
		}
	}
	return append(list, [3]int{int8Rows, 17, 5}, [3]int{int8Rows + 1, 49, 9}, [3]int{2*int8Rows + 5, 16, 12},
		[3]int{1, 16*int8Panels + 3, 8}, [3]int{1, 600, 257}, [3]int{1, 33, int8Depth}, [3]int{1, 33, int8Depth + 1},
		[3]int{1, 100, 2*int8Depth + 70})
}

func TestGemmInt8(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for i, s := range int8Shapes() {
			if !full() && i%3 != 0 {
				continue
			}
			r := newRand(uint64(i))
			p := newInt8Product(r, s[0], s[1], s[2], i%len(int8Kinds), i/3%len(int8Kinds))
			p.check(t, k, Activation(i%4))
		}
	})
}

func (p int8Product) check(t *testing.T, k Impl, act Activation) {
	t.Helper()
	w, x := p.operands()
	before := random(newRand(9), p.m*p.out)
	set, bare, added := NewMatrix(p.m, p.out), NewMatrix(p.m, p.out), View(slices.Clone(before), p.m, p.out)
	k.gemmInt8(set, w, x, p.bias, act)
	k.gemmInt8(bare, w, x, nil, act)
	k.gemmAddInt8(added, w, x, act)
	results := map[string]Matrix{"GemmInt8": set, "GemmInt8 without bias": bare, "GemmAddInt8": added}
	for name, y := range results {
		want := NewMatrix(p.m, p.out)
		for i := range p.m {
			for n := range p.out {
				start := float32(0)
				switch name {
				case "GemmInt8":
					start = p.bias[n]
				case "GemmAddInt8":
					start = before[i*p.out+n]
				}
				_, want.Row(i)[n] = p.want(t, i, n, start)
			}
			activateGo(want.Row(i), act)
		}
		if at := differs(y.Data, want.Data); at >= 0 {
			t.Fatalf("%s %s M=%d Out=%d In=%d act=%d: [%d][%d] = %b, want %b",
				k, name, p.m, p.out, p.in, act, at/p.out, at%p.out, y.Data[at], want.Data[at])
		}
	}
}

// TestInt8Extremes has the largest sums: MaxInt8Inputs products of (-128)².
func TestInt8Extremes(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		r := newRand(3)
		for kx := range int8Kinds {
			for kw := range int8Kinds {
				if !full() && (kx+kw)%2 != 0 {
					continue
				}
				p := newInt8Product(r, 1, 3, MaxInt8Inputs, kx, kw)
				p.check(t, k, Identity)
			}
		}
		p := newInt8Product(r, 3, 2, MaxInt8Inputs, 4, 4)
		p.check(t, k, Identity)
		if sum, _ := p.want(t, 0, 0, 0); sum != 16384*MaxInt8Inputs {
			t.Errorf("the largest sum is %d, want %d", sum, 16384*MaxInt8Inputs)
		}
	})
}

// quantized64 returns the scale and the integers of x by their definition. A quotient of two float32 in
// float64 rounds to float32 as if it were exact.
func quantized64(x []float32) (q []int8, scale float32) {
	q = make([]int8, len(x))
	top := 0.0
	for _, v := range x {
		if a := math.Abs(float64(v)); a > top || a != a {
			top = a
		}
		if math.IsNaN(top) {
			break
		}
	}
	if math.IsNaN(top) || math.IsInf(top, 0) {
		return q, nan
	}
	scale = float32(top / 127)
	for i, v := range x {
		if scale > 0 {
			q[i] = int8(max(-127, min(127, math.RoundToEven(float64(float32(float64(v)/float64(scale)))))))
		}
	}
	return q, scale
}

func TestQuantize(t *testing.T) {
	halves := []float32{127, 0.5, 1.5, -2.5, 3.5, -0.5, 126.5, -126.5, 0.49999997, -127, 0, negZero}
	small := []float32{190 * math.SmallestNonzeroFloat32, -64 * math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat32}
	inputs := [][]float32{
		nil, {0}, {negZero, 0}, halves, small, small[1:], small[2:], {1, nan, 2}, {nan}, {1, inf}, {-inf, 3}, {inf, -inf, nan},
		{math.MaxFloat32, -math.MaxFloat32, 1e38, 1}, {0x1p-126, 0x1p-127, 3}, {1e-37, -2e-37, 3e-38},
	}
	r := newRand(5)
	for n := range 100 {
		for _, f := range fills {
			x := make([]float32, n)
			f.set(r, x)
			inputs = append(inputs, x)
		}
	}
	for _, n := range []int{quantizeBlock - 1, quantizeBlock, quantizeBlock + 1, 2*quantizeBlock + 17} {
		inputs = append(inputs, random(r, n))
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, x := range inputs {
			q, scale := quantized64(x)
			dst, w := NewRowsInt8(2, len(x)), NewPackedInt8(3, len(x))
			for i := range dst.data {
				dst.data[i] = 55
			}
			k.Quantize(dst.Slice(1, 2), View(x, 1, len(x)))
			k.PackRowsInt8(w, 1, View(x, 1, len(x)))
			got := make([]int8, len(x))
			if s := w.Row(got, 1); !slices.Equal(got, q) || !same(s, scale) {
				t.Fatalf("%s PackInt8 of %g: %d·%g, want %d·%g", k, x, got, s, q, scale)
			}
			if got := dst.Row(1); !slices.Equal(got, q) || !same(dst.Scale(1), scale) || dst.starts[1] != startOf(q) {
				t.Fatalf("%s Quantize of %g: %d·%g, start %d, want %d·%g, start %d", k, x, got, dst.Scale(1), dst.starts[1], q, scale, startOf(q))
			}
			if slices.ContainsFunc(dst.data[int8RowLen(len(x))+len(x):], func(v int8) bool { return v != 0 }) {
				t.Fatalf("%s Quantize of %d values does not pad them with zeros", k, len(x))
			}
		}
	})
}

// TestGatherRowsInt8 looks up every integer with every kind of scale, and places without a row.
func TestGatherRowsInt8(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		scales := []float32{0, 1, 1.0 / 3, -0.1, nan, inf, 3e36, math.SmallestNonzeroFloat32, 0x1.234566p-130}
		for _, cols := range []int{0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 256, 300, quantizeBlock + 5} {
			table := NewRowsInt8(len(scales), cols)
			var ids []int32
			for i, scale := range scales {
				values := make([]int8, cols)
				for j := range values {
					values[j] = int8(j + i)
				}
				table.SetRow(i, values, scale)
				ids = append(ids, int32(len(scales)-1-i), -1, int32(i))
			}
			dst := Matrix{len(ids), cols, cols + 3, random(newRand(8), len(ids)*(cols+3))}
			want := slices.Clone(dst.Data)
			for i, id := range ids {
				for j := range cols {
					want[i*dst.Stride+j] = 0
					if id >= 0 {
						want[i*dst.Stride+j] = float32(table.Row(int(id))[j]) * table.Scale(int(id))
					}
				}
			}
			k.gatherRowsInt8(dst, table, ids)
			if at := differs(dst.Data, want); at >= 0 {
				t.Fatalf("%s cols=%d: Data[%d] = %b, want %b", k, cols, at, dst.Data[at], want[at])
			}
		}
	})
}

// TestInt8NaN: a NaN or an infinity in a row of x or of the weights makes its results NaN, and no
// others.
func TestInt8NaN(t *testing.T) {
	const m, out, in = 3, 20, 9
	for _, odd := range []float32{nan, inf, -inf} {
		eachImpl(t, func(t *testing.T, k Impl) {
			r := newRand(6)
			weights, source := View(random(r, out*in), out, in), View(random(r, m*in), m, in)
			weights.Row(17)[3], source.Row(1)[8] = odd, odd
			x, y := NewRowsInt8(m, in), NewMatrix(m, out)
			k.Quantize(x, source)
			for act := Identity; act <= ReLU; act++ {
				k.gemmInt8(y, k.PackInt8(weights), x, nil, act)
				for i := range m {
					for n, v := range y.Row(i) {
						if isNaN := v != v; isNaN != (i == 1 || n == 17) {
							t.Errorf("%s, %g in row 1 of x and output 17, act %d: [%d][%d] = %g", k, odd, act, i, n, v)
						}
					}
				}
			}
		})
	}
}

// TestPackedInt8 reads back what it set, in two parts at any address, and compares the layout with its documentation.
func TestPackedInt8(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, s := range [][2]int{{1, 1}, {17, 5}, {16, 64}, {40, 130}, {33, 1024}, {70, 132}, {5, 0}, {0, 5}} {
			for first := range min(3, s[0]+1) {
				testPackedInt8(t, k, s[0], s[1], first)
			}
		}
	})
}

// testPackedInt8 sets the first outputs, and then the others.
func testPackedInt8(t *testing.T, k Impl, out, in, first int) {
	r := newRand(7)
	w := NewPackedInt8(out, in)
	stride := 16 * ((in + 3) / 4 * 4)
	if stride%4096 == 0 {
		stride += 64
	}
	if want := (out + 15) / 16 * stride; len(w.Data) != want {
		t.Errorf("%d×%d: %d bytes, want %d", out, in, len(w.Data), want)
	}
	values, scales := int8s(r, first+out*in, 0)[first:], make([]float32, out)
	for n := range scales {
		scales[n] = float32(n) + 0.5
	}
	k.SetRowsInt8(w, 0, values[:first*in], scales[:first])
	k.SetRowsInt8(w, first, values[first*in:], scales[first:])
	left := slices.Clone(w.Data)
	got := make([]int8, in)
	for n := range out {
		want := values[n*in:][:in]
		if scale := w.Row(got, n); scale != float32(n)+0.5 || !slices.Equal(got, want) {
			t.Errorf("%d×%d: row %d reads back as %d·%g", out, in, n, got, scale)
		}
		for k, q := range want {
			at := n/16*stride + k/4*64 + n%16*4 + k%4
			if left[at] != q {
				t.Fatalf("%d×%d: Data[%d] = %d, want element (%d, %d) = %d", out, in, at, left[at], n, k, q)
			}
			left[at] = 0
		}
	}
	if slices.ContainsFunc(left, func(v int8) bool { return v != 0 }) {
		t.Errorf("%d×%d: padding is not zeros", out, in)
	}
}

// TestStartOf compares sums with those of one value at a time.
func TestStartOf(t *testing.T) {
	r := newRand(3)
	for kind := range int8Kinds {
		for _, n := range []int{0, 1, 7, 8, 9, 620, 1023, 1024, 1025, 3001} {
			x := int8s(r, n+1, kind)[1:]
			want := int32(0)
			for _, v := range x {
				want -= 128 * int32(v)
			}
			if got := startOf(x); got != want {
				t.Errorf("%d values of kind %s: %d, want %d", n, int8Kinds[kind].name, got, want)
			}
		}
	}
}

func TestAllocInt8(t *testing.T) {
	for _, c := range []struct {
		n     int
		align uintptr
	}{{0, 1}, {1, cacheLine}, {63, cacheLine}, {2*hugePage - 4, cacheLine}, {2 * hugePage, hugePage}, {2*hugePage + 3, hugePage}} {
		x := AllocInt8(c.n)
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(x))); len(x) != c.n || at%c.align != 0 {
			t.Errorf("AllocInt8(%d) has length %d and starts at %#x, want a multiple of %d", c.n, len(x), at, c.align)
		}
		if slices.ContainsFunc(x, func(v int8) bool { return v != 0 }) {
			t.Errorf("AllocInt8(%d) is not zeros", c.n)
		}
	}
}

func TestInt8Bits(t *testing.T) {
	kinds, step := 3, 1
	if !full() {
		kinds, step = 1, 4
	}
	for m := range 14 {
		for i, rows := range []int{0, 1, 15, 16, 17, 33, 48, 49, 64, 97} {
			for j, cols := range []int{0, 1, 2, 3, 4, 5, 15, 16, 17, 33, 66} {
				if (m+i+j)%step == 0 {
					checkAll(t, int8Kernels(m, rows, cols), some(m+i+j, kinds), uint64(10000*m+100*rows+cols), (m+i+cols)%offsets)
				}
			}
		}
	}
	for i, s := range int8Shapes() {
		if (s[0] >= int8Rows || s[2] > 100) && i%step == 0 {
			checkAll(t, int8Kernels(s[0], s[1], s[2]), some(i, 1), uint64(i), i%offsets)
		}
	}
}

// TestInt8Stack: small results of kernels that a team does not divide stay on the caller's stack.
func TestInt8Stack(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		x := NewRowsInt8(2, 40)
		if n := testing.AllocsPerRun(10, func() {
			var values [80]float32
			k.Quantize(x, View(values[:], 2, 40))
		}); n != 0 {
			t.Errorf("%s: %g allocations, want none", k, n)
		}
	})
}

func int8Panics() (list []panicCase) {
	add := func(name, want string, run func(k Impl)) { list = append(list, panicCase{name, want, run}) }
	w, x := NewPackedInt8(3, 5), NewRowsInt8(2, 5)
	y, row := zeroMatrix(2, 3), make([]float32, 3)
	for what, w := range map[string]PackedInt8{
		"empty": {3, 5, nil, row}, "short": {3, 5, make([]int8, 127), row}, "long": {3, 5, make([]int8, 129), row},
		"one panel short": {17, 5, make([]int8, 128), make([]float32, 17)}, "few scales": {3, 5, w.Data, row[:2]},
		"more scales": {3, 5, w.Data, make([]float32, 4)}, "negative Out": {-3, 5, nil, nil}, "negative In": {3, -5, nil, row},
		"overflowing Out": {math.MaxInt, 0, nil, nil}, "too many inputs": {3, MaxInt8Inputs + 1, make([]int8, 16*(MaxInt8Inputs+1)), row},
	} {
		const badShape = "kernels: PackedInt8: In above MaxInt8Inputs, or lengths of Data and Scales do not agree with the shape"
		add("GemmInt8 "+what, badShape, func(k Impl) { k.gemmInt8(y, w, x, nil, Identity) })
		add("PackRowsInt8 "+what, badShape, func(k Impl) { k.PackRowsInt8(w, 0, zeroMatrix(1, 5)) })
		add("SetRowsInt8 "+what, badShape, func(k Impl) { k.SetRowsInt8(w, 0, make([]int8, 5), row[:1]) })
		add("Row "+what, badShape, func(Impl) { w.Row(make([]int8, 5), 0) })
	}
	changed := map[string]RowsInt8{"more rows": x, "fewer rows": x, "negative rows": x, "more columns": x, "negative columns": x, "empty": {Rows: 2, Cols: 5}}
	for what, set := range map[string]func(x *RowsInt8){
		"more rows": func(x *RowsInt8) { x.Rows = 3 }, "fewer rows": func(x *RowsInt8) { x.Rows = 1 },
		"negative rows": func(x *RowsInt8) { x.Rows = -2 }, "more columns": func(x *RowsInt8) { x.Cols = 17 },
		"negative columns": func(x *RowsInt8) { x.Cols = -5 },
	} {
		x := changed[what]
		set(&x)
		changed[what] = x
	}
	for what, x := range changed {
		add("GemmInt8 "+what, "kernels: RowsInt8: Rows or Cols is not what NewRowsInt8 or Slice made it", func(k Impl) { k.gemmInt8(y, w, x, nil, Identity) })
		add("Quantize "+what, "kernels: RowsInt8: Rows or Cols is not what NewRowsInt8 or Slice made it", func(k Impl) { k.Quantize(x, zeroMatrix(2, 5)) })
		add("GatherRowsInt8 "+what, "kernels: RowsInt8: Rows or Cols is not what NewRowsInt8 or Slice made it", func(k Impl) { k.gatherRowsInt8(zeroMatrix(2, 5), x, []int32{0, 0}) })
		add("Slice "+what, "kernels: RowsInt8: Rows or Cols is not what NewRowsInt8 or Slice made it", func(Impl) { x.Slice(0, 1) })
		add("Row "+what, "kernels: RowsInt8: Rows or Cols is not what NewRowsInt8 or Slice made it", func(Impl) { x.Row(0) })
		add("Scale "+what, "kernels: RowsInt8: Rows or Cols is not what NewRowsInt8 or Slice made it", func(Impl) { x.Scale(0) })
		add("SetRow "+what, "kernels: RowsInt8: Rows or Cols is not what NewRowsInt8 or Slice made it", func(Impl) { x.SetRow(0, make([]int8, 5), 1) })
	}
	for what, y := range map[string]Matrix{
		"1×3": zeroMatrix(1, 3), "3×3": zeroMatrix(3, 3), "2×2": zeroMatrix(2, 2), "2×4": zeroMatrix(2, 4),
		"short": {2, 3, 3, make([]float32, 5)}, "narrow stride": {2, 3, 2, make([]float32, 6)}, "negative rows": {-1, 3, 3, nil},
	} {
		add("GemmInt8 y "+what, productPanic("y", y), func(k Impl) { k.gemmInt8(y, w, x, nil, Identity) })
	}
	narrow, long := NewRowsInt8(2, 4), make([]float32, 4)
	for _, b := range [][]float32{{}, row[:2], long} {
		add("GemmInt8 bias", "kernels: bias and w of a product differ in outputs", func(k Impl) { k.gemmInt8(y, w, x, b, Identity) })
	}
	add("GemmInt8 columns", "kernels: x and w of a product differ in inputs", func(k Impl) { k.gemmInt8(y, w, narrow, nil, Identity) })
	for _, act := range []Activation{Identity - 1, ReLU + 1} {
		add("GemmInt8 activation", "kernels: unknown activation", func(k Impl) { k.gemmInt8(y, w, x, nil, act) })
	}
	for _, src := range []Matrix{zeroMatrix(1, 5), zeroMatrix(2, 4), {2, 5, 5, row}} {
		add("Quantize shapes", "kernels: Quantize: shapes of dst and src differ", func(k Impl) { k.Quantize(x, src) })
	}
	for _, ids := range [][]int32{{}, {0}, {0, 1, 0}, {0, -2}, {2, 0}} {
		add("GatherRowsInt8 rows", "kernels: Embed: shapes do not agree, or row out of range", func(k Impl) { k.gatherRowsInt8(zeroMatrix(2, 5), x, ids) })
	}
	for _, dst := range []Matrix{zeroMatrix(1, 5), zeroMatrix(2, 4), {2, 5, 5, row}} {
		add("GatherRowsInt8 shapes", "kernels: Embed: shapes do not agree, or row out of range", func(k Impl) { k.gatherRowsInt8(dst, x, []int32{0, -1}) })
	}
	add("PackRowsInt8 columns", "kernels: PackRowsInt8: src.Cols != In, or no such rows", func(k Impl) { k.PackRowsInt8(w, 0, zeroMatrix(2, 4)) })
	add("PackRowsInt8 below", "kernels: PackRowsInt8: src.Cols != In, or no such rows", func(k Impl) { k.PackRowsInt8(w, -1, zeroMatrix(2, 5)) })
	add("PackRowsInt8 beyond", "kernels: PackRowsInt8: src.Cols != In, or no such rows", func(k Impl) { k.PackRowsInt8(w, 2, zeroMatrix(2, 5)) })
	add("PackRowsInt8 overflow", "kernels: PackRowsInt8: src.Cols != In, or no such rows", func(k Impl) { k.PackRowsInt8(w, math.MaxInt, zeroMatrix(2, 5)) })
	add("PackRowsInt8 short", "kernels: PackRowsInt8: src.Cols != In, or no such rows", func(k Impl) { k.PackRowsInt8(w, 0, Matrix{2, 5, 5, row}) })
	add("PackInt8 short", badPack, func(k Impl) { k.PackInt8(Matrix{2, 5, 5, row}) })
	add("PackInt8 inputs", "kernels: NewPackedInt8: negative or overflowing shape, or in above MaxInt8Inputs", func(k Impl) { k.PackInt8(Matrix{0, MaxInt8Inputs + 1, MaxInt8Inputs + 1, nil}) })
	for _, n := range []int{-1, 3} {
		add("SetRowsInt8 row", "kernels: SetRowsInt8: len(values) != len(scales)·In, or no such rows", func(k Impl) { k.SetRowsInt8(w, n, make([]int8, 5), row[:1]) })
		add("PackedInt8.Row row", "kernels: PackedInt8.Row: len(dst) != In, or no such row", func(Impl) { w.Row(make([]int8, 5), n) })
		add("RowsInt8.SetRow row", "kernels: RowsInt8.SetRow: len(values) != Cols, or no such row", func(Impl) { x.SetRow(n, make([]int8, 5), 1) })
		add("RowsInt8.Row row", badRowsRow, func(Impl) { x.Row(n) })
		add("RowsInt8.Scale row", badRowsRow, func(Impl) { x.Scale(n) })
		add("RowsInt8.Slice", badRows, func(Impl) { x.Slice(min(n, 0), max(n, 0)) })
	}
	for _, n := range []int{-1, math.MinInt, math.MaxInt} {
		add("AllocInt8", badAlloc, func(Impl) { AllocInt8(n) })
		add("RowInt8Bytes", badNewRows, func(Impl) { RowInt8Bytes(n) })
		add("RowBF16Bytes", badNewRowsBF16, func(Impl) { RowBF16Bytes(n) })
	}
	add("RowsInt8.Slice reversed", badRows, func(Impl) { x.Slice(2, 1) })
	for _, n := range []int{4, 6} {
		add("SetRowsInt8 length", "kernels: SetRowsInt8: len(values) != len(scales)·In, or no such rows", func(k Impl) { k.SetRowsInt8(w, 0, make([]int8, n), row[:1]) })
		add("PackedInt8.Row length", "kernels: PackedInt8.Row: len(dst) != In, or no such row", func(Impl) { w.Row(make([]int8, n), 0) })
		add("RowsInt8.SetRow length", "kernels: RowsInt8.SetRow: len(values) != Cols, or no such row", func(Impl) { x.SetRow(0, make([]int8, n), 1) })
	}
	for _, s := range [][2]int{{-1, 3}, {3, -1}, {3, MaxInt8Inputs + 1}, {math.MaxInt, 0}, {math.MaxInt / 4, 4}} {
		add("NewPackedInt8", "kernels: NewPackedInt8: negative or overflowing shape, or in above MaxInt8Inputs", func(Impl) { NewPackedInt8(s[0], s[1]) })
	}
	for _, s := range [][2]int{{-1, 3}, {3, -1}, {3, MaxInt8Inputs + 1}, {math.MaxInt, 4}} {
		add("NewRowsInt8", badNewRows, func(Impl) { NewRowsInt8(s[0], s[1]) })
	}
	return list
}

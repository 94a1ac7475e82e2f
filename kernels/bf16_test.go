package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// rowsBF16In returns m rows in the memory of v, which rowsBF16Len sizes.
func rowsBF16In(v []float32, m, cols int) RowsBF16 { return RowsBF16{m, cols, words(v)} }

func rowsBF16Len(m, cols int) int { return m * bf16RowLen(cols) }

func packedBF16Words(out, in int) int { return panels(out) * bf16Stride(in) }

// bf16Kernels returns all kernels on rows×cols weights in bfloat16, for m rows of x. Operands that are not
// float32 are words of their memory.
func bf16Kernels(m, rows, cols int) []kernel {
	act := Activation((m + rows + cols) % 4)
	x, y := mat(in("x", 0), m, cols, cols+2), mat(out("y", 0), m, rows, rows+3)
	w, src, bias := working("w", packedBF16Words(rows, cols)), in("src", lengthOf(PackedLen(rows, cols))), in("bias", rows)
	xRows := working("rows", rowsBF16Len(m, cols))
	xs := func(v []float32) Matrix { return Matrix{m, cols, cols + 2, v} }
	ys := func(v []float32) Matrix { return Matrix{m, rows, rows + 3, v} }
	weights := func(k Impl, v [][]float32) PackedBF16 {
		w := PackedBF16{rows, cols, words(v[1])}
		k.RoundPackedBF16(w, ViewPacked(v[4], rows, cols))
		return w
	}
	using := usingOf()
	list := []kernel{
		{name: "RoundRowsBF16", args: []arg{out("rows", rowsBF16Len(m, cols)), x},
			run: func(k Impl, v [][]float32) { k.roundRowsBF16(rowsBF16In(v[0], m, cols), xs(v[1])) }},
		{name: "RoundPackedBF16", args: []arg{out("w", w.n), src},
			run: func(k Impl, v [][]float32) {
				k.RoundPackedBF16(PackedBF16{rows, cols, words(v[0])}, ViewPacked(v[1], rows, cols))
			}},
		{name: "Linear", args: []arg{y, w, x, xRows, src, bias},
			run: func(k Impl, v [][]float32) {
				using(k, Scratch{BF16: rowsBF16In(v[3], m, cols)}).Linear(ys(v[0]), Weights{BF16: weights(k, v)}, xs(v[2]), v[5], act)
			}},
		{name: "Linear", args: []arg{y, w, x, xRows, src},
			run: func(k Impl, v [][]float32) {
				using(k, Scratch{BF16: rowsBF16In(v[3], m, cols)}).Linear(ys(v[0]), Weights{BF16: weights(k, v)}, xs(v[2]), nil, act)
			}},
		{name: "LinearAdd", args: []arg{y, w, x, xRows, src},
			run: func(k Impl, v [][]float32) {
				using(k, Scratch{BF16: rowsBF16In(v[3], m, cols)}).LinearAdd(ys(v[0]), Weights{BF16: weights(k, v)}, xs(v[2]), act)
			}},
		{name: "LinearGrad", args: []arg{
			out("dw", lengthOf(PackedLen(rows, cols))), mat(in("dy", 0), m, rows, rows+3), x, xRows,
			working("dyRows", rowsBF16Len(m, rows)), working("scratch", GradScratch(cols)),
		}, run: func(k Impl, v [][]float32) {
			s := Scratch{BF16: rowsBF16In(v[3], m, cols), DYBF16: rowsBF16In(v[4], m, rows), Grad: v[5]}
			using(k, s).LinearGrad(ViewPacked(v[0], rows, cols), ys(v[1]), xs(v[2]))
		}},
		{name: "LinearTranspose", args: []arg{out("w", packedBF16Words(cols, rows)), src, working("scratch", lengthOf(PackedLen(cols, rows)))},
			run: func(k Impl, v [][]float32) {
				using(k, Scratch{Grad: v[2]}).LinearTranspose(Weights{BF16: PackedBF16{cols, rows, words(v[0])}}, ViewPacked(v[1], rows, cols))
			}},
	}
	for i := range list {
		list[i].shape = fmt.Sprintf("M=%d Out=%d In=%d act=%d", m, rows, cols, act)
	}
	return list
}

// nearestBF16 returns v rounded to bfloat16 by way of all its neighbors.
func nearestBF16(v float32) float32 {
	switch a := math.Abs(float64(v)); {
	case v != v || a > math.MaxFloat32:
		return v
	case a < 0x1p-56:
		return 0
	}
	down := math.Float32bits(v) &^ 0xffff
	low, high := float64(math.Float32frombits(down)), float64(math.Float32frombits(down+0x10000))
	if math.IsInf(high, 0) {
		high = math.Copysign(0x1p128, high)
	}
	below, above := math.Abs(float64(v)-low), math.Abs(float64(v)-high)
	if below < above || below == above && down&0x10000 == 0 {
		return float32(low)
	}
	return float32(high)
}

// referenceFMA returns fma(x, w, s) of bfloat16 x and w from exact arithmetic.
func referenceFMA(x, w, s float32) float32 {
	for _, v := range []float32{x, w, s} {
		if v-v != 0 {
			return float32(float64(x)*float64(w) + float64(s)) // an infinity or NaN, whatever the rounding
		}
	}
	return exactFMA(x, w, s)
}

// referenceBF16 returns start plus the sum of x[i]·w[i] in the documented order.
func referenceBF16(start float32, x, w []float32) float32 {
	for from := 0; from < len(x); from += 32 {
		var even, odd float32
		for i := from; i < min(from+32, len(x)); i += 2 {
			even = referenceFMA(x[i], w[i], even)
		}
		for i := from + 1; i < min(from+32, len(x)); i += 2 {
			odd = referenceFMA(x[i], w[i], odd)
		}
		start += even + odd
	}
	return start
}

func roundedAll(x []float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = nearestBF16(v)
	}
	return y
}

// extreme returns values whose products overflow, are the smallest, or cancel.
func extreme(r *rand.Rand) float32 {
	v := float32(1 + float64(r.IntN(256))/128)
	if r.IntN(2) == 0 {
		v = -v
	}
	exponents := []int{-56, -57, -40, 0, 1, 62, 63, 64, 65, 100, 126}
	return float32(math.Ldexp(float64(v), exponents[r.IntN(len(exponents))]))
}

// edge returns values on both sides of 2⁶⁴, so that chains pass the largest float32 in both directions.
func edge(r *rand.Rand) float32 {
	return float32(math.Ldexp(float64(1+r.IntN(2))*(1+float64(r.IntN(8))/8), 62+r.IntN(2))) * float32(1-2*r.IntN(2))
}

var bf16Fills = append(slices.Clone(fills), fill{"extreme", each(extreme)}, fill{"edge", each(edge)},
	fill{"ties", each(func(r *rand.Rand) float32 {
		return math.Float32frombits(r.Uint32()&0x807f0000 | uint32(100+r.IntN(50))<<23 | []uint32{0x7fff, 0x8000, 0x8001, 0, 0xffff}[r.IntN(5)])
	})})

func TestRoundBF16(t *testing.T) {
	values := []float32{0, negZero, 1, 0x1.01p0, 0x1.03p0, -0x1.01p0, 0x1.010002p0, 0x1.00fffep0,
		0x1p-56, 0x1.fffffep-57, -0x1p-56, -0x1.fffffep-57, 0x1.fep127, 0x1.fefffep127, 0x1.ffp127, -0x1.ffp127, math.MaxFloat32, inf, -inf,
		nan, math.Float32frombits(0x7f800001), math.Float32frombits(0xffffffff), math.Float32frombits(0x7fffffff)}
	values = append(values, specials...)
	r := newRand(1)
	for _, f := range bf16Fills {
		x := make([]float32, 4000)
		f.set(r, x)
		values = append(values, x...)
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for n := range 140 {
			for from := n; from+n <= len(values); from += 7*n + 301 {
				checkRounded(t, k, values[from:from+n])
			}
		}
		checkRounded(t, k, values)
	})
}

func checkRounded(t *testing.T, k Impl, x []float32) {
	t.Helper()
	want, got := roundedAll(x), make([]float32, len(x))
	rows := NewRowsBF16(3, len(x))
	for i := range rows.data {
		rows.data[i] = 0x12345678
	}
	k.roundRowsBF16(rows.Slice(1, 2), View(x, 1, len(x)))
	rows.Row(got, 1)
	if at := differs(got, want); at >= 0 {
		t.Fatalf("%s RoundRowsBF16 of %d values: %b becomes %b, want %b", k, len(x), x[at], got[at], want[at])
	}
	n := bf16RowLen(len(x))
	for i, word := range rows.data {
		row, at := i/max(n, 1), i%max(n, 1)
		if row != 1 && word != 0x12345678 {
			t.Fatalf("%s RoundRowsBF16 of %d values writes word %d of row %d", k, len(x), at, row)
		}
		first := at/2*4 + at%2
		if row == 1 && (first >= len(x) && word != 0 || first+2 >= len(x) && word&0xffff != 0) {
			t.Fatalf("%s RoundRowsBF16 of %d values: word %d is %#x, want padding of zeros", k, len(x), at, word)
		}
	}
	out := 19
	src := NewPacked(out, len(x))
	k.PackRows(src, 17, View(x, 1, len(x)))
	w := NewPackedBF16(out, len(x))
	for i := range w.data {
		w.data[i] = 0x12345678
	}
	k.RoundPackedBF16(w, src)
	w.Row(got, 17)
	if at := differs(got, want); at >= 0 {
		t.Fatalf("%s RoundPackedBF16 of %d values: %b becomes %b, want %b", k, len(x), x[at], got[at], want[at])
	}
	for p := range panels(out) {
		for i, word := range w.panel(p) {
			at, lane := i/panel, i%panel
			first := at/2*4 + at%2
			if p*panel+lane != 17 && word != 0 || first >= len(x) && word != 0 || first+2 >= len(x) && word&0xffff != 0 {
				t.Fatalf("%s RoundPackedBF16 of %d values: word %d of output %d is %#x, want 0", k, len(x), at, p*panel+lane, word)
			}
		}
	}
}

// TestPackedBF16 compares the layout with formulas of its own.
func TestPackedBF16(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {17, 5}, {16, 64}, {40, 130}, {33, 1024}, {5, 0}, {0, 5}} {
		out, in := s[0], s[1]
		stride := 8 * ((in + 31) / 32 * 32)
		if stride*4%4096 == 0 {
			stride += 16
		}
		src, w := NewPacked(out, in), NewPackedBF16(out, in)
		if got, want := len(w.data), (out+15)/16*stride; got != want {
			t.Errorf("%d×%d: %d words, want %d", out, in, got, want)
		}
		for n := range out {
			for k := range in {
				src.Data[src.at(n, k)] = float32(1 + (n*in+k)%251)
			}
		}
		Impl{}.RoundPackedBF16(w, src)
		row := make([]float32, in)
		for n := range out {
			w.Row(row, n)
			for k, v := range row {
				word := w.data[n/16*stride+k/4*32+k%2*16+n%16]
				if k%4 >= 2 {
					word <<= 16
				}
				want := float32(1 + (n*in+k)%251)
				if got := math.Float32frombits(word &^ 0xffff); got != want || v != want {
					t.Fatalf("%d×%d: element (%d, %d) is %g by the layout, %g by Row, want %g", out, in, n, k, got, v, want)
				}
			}
		}
	}
}

// bf16Shapes has outputs and inputs with every remainder, rows on both sides of those of tiles, and depths
// on both sides of those of calls.
func bf16Shapes() (list [][3]int) {
	for m := range 20 {
		for _, out := range []int{1, 15, 16, 17, 33, 48, 49, 97} {
			list = append(list, [3]int{m, out, 1 + (7*m+out)%67})
		}
	}
	for in := range 70 {
		list = append(list, [3]int{1, 17, in}, [3]int{3, 17, in})
	}
	deep := bf16Block * (tileDepth(maxTilePanels) / bf16Block)
	for _, in := range []int{deep - 1, deep, deep + 1, 2*deep + 3, 3*deep + 33, bf16Block*(tileDepth(1)/bf16Block) + 2} {
		list = append(list, [3]int{5, 49, in})
	}
	return append(list, [3]int{gemmRows, 17, 5}, [3]int{gemmRows + 1, 49, 9}, [3]int{2*gemmRows + 5, 16, 12},
		[3]int{gemmRows, 1, bf16Values/gemmRows + 31})
}

func TestGemmBF16(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for i, s := range bf16Shapes() {
			if !full() && (i%3 != 0 || s[0]*s[1]*s[2] > 30_000) {
				continue
			}
			xs, ws := bf16Fills[i%len(bf16Fills)], bf16Fills[i/3%len(bf16Fills)]
			if s[2] > 300 { // no sum of so many special values is a number
				xs, ws = fills[0], fills[i%2]
			}
			checkGemmBF16(t, k, i, s, xs, ws)
		}
	})
}

func checkGemmBF16(t *testing.T, k Impl, seed int, s [3]int, xs, ws fill) {
	t.Helper()
	m, out, in := s[0], s[1], s[2]
	r, act := newRand(uint64(seed)), Activation(seed%4)
	x, w, bias, before := NewMatrix(m, in), NewMatrix(out, in), make([]float32, out), NewMatrix(m, out)
	xs.set(r, x.Data)
	ws.set(r, w.Data)
	ws.set(r, before.Data)
	xs.set(r, bias)
	rows, weights := NewRowsBF16(m, in), NewPackedBF16(out, in)
	k.roundRowsBF16(rows, x)
	k.RoundPackedBF16(weights, k.Pack(w))
	set, bare, added := NewMatrix(m, out), NewMatrix(m, out), View(slices.Clone(before.Data), m, out)
	k.gemmBF16(set, weights, rows, bias, act)
	k.gemmBF16(bare, weights, rows, nil, act)
	k.gemmAddBF16(added, weights, rows, act)
	wr := make([][]float32, out)
	for n := range wr {
		wr[n] = roundedAll(w.Row(n))
	}
	for i := range m {
		xr := roundedAll(x.Row(i))
		want, wantBare, wantAdded := make([]float32, out), make([]float32, out), make([]float32, out)
		for n := range out {
			sum := referenceBF16(0, xr, wr[n])
			want[n], wantBare[n], wantAdded[n] = sum+bias[n], sum, referenceBF16(before.Row(i)[n], xr, wr[n])
		}
		for _, c := range []struct {
			name      string
			got, want []float32
		}{{"GemmBF16", set.Row(i), want}, {"GemmBF16 without bias", bare.Row(i), wantBare}, {"GemmAddBF16", added.Row(i), wantAdded}} {
			activateGo(c.want, act)
			if at := differs(c.got, c.want); at >= 0 {
				t.Fatalf("%s %s M=%d Out=%d In=%d act=%d, x %s, w %s: [%d][%d] = %b, want %b", k, c.name, m, out, in, act, xs.name, ws.name,
					i, at, c.got[at], c.want[at])
			}
		}
	}
}

// TestBF16Overflow: an fma whose product overflows float32 and whose result does not is finite.
func TestBF16Overflow(t *testing.T) {
	x := []float32{0x1p64, 0, 0x1p64, 0, -0x1p64, 0, -0x1p64}
	w := []float32{-0x1.8p63, 0, 0x1p64, 0, 0x1p63, 0, 0x1p60}
	const want = -0x1.8p127 + 0x1p128 - 0x1p127 - 0x1p124
	eachImpl(t, func(t *testing.T, k Impl) {
		rows, weights, y := NewRowsBF16(1, len(x)), NewPackedBF16(1, len(x)), NewMatrix(1, 1)
		k.roundRowsBF16(rows, View(x, 1, len(x)))
		k.RoundPackedBF16(weights, k.Pack(View(w, 1, len(w))))
		k.gemmBF16(y, weights, rows, nil, Identity)
		if y.Data[0] != want {
			t.Errorf("%s: %b, want %b", k, y.Data[0], float32(want))
		}
	})
}

// TestFMABF16 compares the emulation with exact arithmetic.
func TestFMABF16(t *testing.T) {
	r := newRand(2)
	for range 200_000 {
		x, w := nearestBF16(edge(r)), nearestBF16(edge(r))
		s := edge(r) * edge(r)
		if r.IntN(3) == 0 {
			s = float32(math.Ldexp(r.NormFloat64(), r.IntN(256)-128))
		}
		if s-s != 0 {
			continue
		}
		exact := new(big.Float).SetPrec(2000).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(w)))
		exact.Add(exact, big.NewFloat(float64(s)))
		if want, _ := exact.Float32(); fmaBF16(x, w, s) != want {
			t.Fatalf("fma(%b, %b, %b) = %b, want %b", x, w, s, fmaBF16(x, w, s), want)
		}
	}
}

func TestGemmGradBF16(t *testing.T) {
	shapes := [][3]int{{0, 3, 3}, {1, 1, 1}, {7, 16, 16}, {5, 17, 33}, {33, 49, 20}, {4, 0, 3}, {4, 3, 0}, {64, 97, 50},
		{gradRows, 3, 20}, {gradRows + 44, 20, 3}, {2*gradRows + 1, 5, 18}, {9, 50, 33}}
	for m := range 70 {
		shapes = append(shapes, [3]int{m, 17 + m%40, 5 + m%13})
	}
	eachImpl(t, func(t *testing.T, k Impl) {
		for i, s := range shapes {
			if !full() && i%3 != 0 {
				continue
			}
			m, out, in := s[0], s[1], s[2]
			r := newRand(uint64(i))
			dy, x, before := NewMatrix(m, out), NewMatrix(m, in), NewMatrix(out, in)
			bf16Fills[i%len(bf16Fills)].set(r, dy.Data)
			bf16Fills[i/3%len(bf16Fills)].set(r, x.Data)
			bf16Fills[i%len(bf16Fills)].set(r, before.Data)
			dw, dyRows, xRows := k.Pack(before), NewRowsBF16(m, out), NewRowsBF16(m, in)
			k.roundRowsBF16(dyRows, dy)
			k.roundRowsBF16(xRows, x)
			scratch := slices.Repeat([]float32{nan}, GradScratch(in))
			k.gemmGradBF16(dw, dyRows, xRows, scratch)
			got, column, factor := NewMatrix(out, in), make([]float32, m), make([]float32, m)
			dw.Unpack(got, 0)
			for n := range out {
				for c := range in {
					for j := range m {
						column[j], factor[j] = nearestBF16(dy.Row(j)[n]), nearestBF16(x.Row(j)[c])
					}
					want := referenceBF16(before.Row(n)[c], column, factor)
					if !same(got.Row(n)[c], want) {
						t.Fatalf("%s M=%d Out=%d In=%d dw[%d][%d] = %b, want %b", k, m, out, in, n, c, got.Row(n)[c], want)
					}
				}
			}
		}
	})
}

func TestBF16Bits(t *testing.T) {
	kinds, step := 3, 1
	if !full() {
		kinds, step = 1, 4
	}
	for m := range 14 {
		for i, rows := range []int{0, 1, 15, 16, 17, 33, 48, 49, 64, 97} {
			for j, cols := range []int{0, 1, 2, 3, 5, 16, 17, 31, 32, 33, 66} {
				if (m+i+j)%step != 0 {
					continue
				}
				for n := range kinds {
					f := bf16Fills[((m+i+j)*kinds+n)%len(bf16Fills)]
					checkAll(t, bf16Kernels(m, rows, cols), []fill{f}, uint64(10000*m+100*rows+cols), (m+i+cols)%offsets)
				}
			}
		}
	}
	for i, s := range bf16Shapes() {
		if (s[0] >= gemmRows || s[2] > 100) && i%step == 0 {
			checkAll(t, bf16Kernels(s[0], s[1], s[2]), some(i, 1), uint64(i), i%offsets)
		}
	}
}

// bf16Panics are calls with operands that do not agree.
func bf16Panics() (list []panicCase) {
	add := func(name string, want any, run func(k Impl)) { list = append(list, panicCase{name, want, run}) }
	w, x, y := NewPackedBF16(3, 5), NewRowsBF16(2, 5), NewMatrix(2, 3)
	dw, dy, scratch := NewPacked(3, 5), NewRowsBF16(2, 3), make([]float32, GradScratch(5))
	for what, bad := range map[string]PackedBF16{
		"short": {3, 5, w.data[:1]}, "long": {3, 5, make([]uint32, len(w.data)+1)}, "negative": {-3, 5, nil}, "overflow": {math.MaxInt, math.MaxInt, nil},
	} {
		add("GemmBF16 w "+what, "kernels: PackedBF16: Out or In is not what NewPackedBF16 made it", func(k Impl) { k.gemmBF16(y, bad, x, nil, Identity) })
		add("RoundPackedBF16 "+what, "kernels: PackedBF16: Out or In is not what NewPackedBF16 made it", func(k Impl) { k.RoundPackedBF16(bad, dw) })
		add("PackedBF16.Row "+what, "kernels: PackedBF16: Out or In is not what NewPackedBF16 made it", func(Impl) { bad.Row(make([]float32, 5), 0) })
	}
	for what, bad := range map[string]RowsBF16{
		"rows": {3, 5, x.data}, "cols": {2, 50, x.data}, "negative rows": {-1, 5, nil}, "negative cols": {2, -5, x.data}, "overflow": {2, math.MaxInt, x.data},
	} {
		add("GemmBF16 x "+what, badRowsBF16, func(k Impl) { k.gemmBF16(y, w, bad, nil, Identity) })
		add("RoundRowsBF16 "+what, badRowsBF16, func(k Impl) { k.roundRowsBF16(bad, NewMatrix(2, 5)) })
		add("GemmGradBF16 x "+what, badRowsBF16, func(k Impl) { k.gemmGradBF16(dw, dy, bad, scratch) })
		add("GemmGradBF16 dy "+what, badRowsBF16, func(k Impl) { k.gemmGradBF16(dw, bad, x, scratch) })
		add("RowsBF16.Slice "+what, badRowsBF16, func(Impl) { bad.Slice(0, 0) })
		add("RowsBF16.Row "+what, badRowsBF16, func(Impl) { bad.Row(make([]float32, 5), 0) })
	}
	for what, bad := range map[string]Matrix{"rows": zeroMatrix(3, 3), "cols": zeroMatrix(2, 4), "short": {2, 3, 3, make([]float32, 5)}} {
		add("GemmBF16 y "+what, productPanic("y", bad), func(k Impl) { k.gemmBF16(bad, w, x, nil, Identity) })
	}
	for _, n := range []int{0, 2, 4} {
		add("GemmBF16 bias", "kernels: bias and w of a product differ in outputs", func(k Impl) { k.gemmBF16(y, w, x, make([]float32, n), Identity) })
	}
	for _, act := range []Activation{-1, ReLU + 1} {
		add("GemmBF16 activation", "kernels: unknown activation", func(k Impl) { k.gemmBF16(y, w, x, nil, act) })
	}
	add("GemmBF16 In", "kernels: x and w of a product differ in inputs", func(k Impl) { k.gemmBF16(y, w, NewRowsBF16(2, 4), nil, Identity) })
	add("GemmGradBF16 rows", gradPanic("dy", "rows", zeroMatrix(3, 3)), func(k Impl) { k.gemmGradBF16(dw, NewRowsBF16(3, 3), x, scratch) })
	add("GemmGradBF16 Out", gradPanic("dy", "outputs", y), func(k Impl) { k.gemmGradBF16(dw, NewRowsBF16(2, 4), x, scratch) })
	add("GemmGradBF16 In", gradPanic("x", "inputs", y), func(k Impl) { k.gemmGradBF16(dw, dy, NewRowsBF16(2, 4), scratch) })
	add("GemmGradBF16 dw", "kernels: Packed: negative shape or len(Data) != PackedLen(Out, In)", func(k Impl) { k.gemmGradBF16(Packed{3, 5, nil}, dy, x, scratch) })
	add("GemmGradBF16 scratch", "kernels: LinearGrad: the scratch's Grad is shorter than GradScratch(In)", func(k Impl) { k.gemmGradBF16(dw, dy, x, scratch[1:]) })
	add("RoundPackedBF16 Out", "kernels: RoundPackedBF16: shapes of dst and src differ", func(k Impl) { k.RoundPackedBF16(NewPackedBF16(4, 5), dw) })
	add("RoundPackedBF16 In", "kernels: RoundPackedBF16: shapes of dst and src differ", func(k Impl) { k.RoundPackedBF16(NewPackedBF16(3, 6), dw) })
	add("RoundPackedBF16 src", "kernels: Packed: negative shape or len(Data) != PackedLen(Out, In)", func(k Impl) { k.RoundPackedBF16(w, Packed{3, 5, nil}) })
	add("RoundRowsBF16 rows", "kernels: shapes of values to round to bfloat16 differ", func(k Impl) { k.roundRowsBF16(x, zeroMatrix(3, 5)) })
	add("RoundRowsBF16 cols", "kernels: shapes of values to round to bfloat16 differ", func(k Impl) { k.roundRowsBF16(x, zeroMatrix(2, 4)) })
	add("RoundRowsBF16 short", "kernels: shapes of values to round to bfloat16 differ", func(k Impl) { k.roundRowsBF16(x, Matrix{2, 5, 5, make([]float32, 9)}) })
	for _, n := range []int{-1, 3} {
		add("RowsBF16.Row row", "kernels: RowsBF16.Row: len(dst) != Cols, or no such row", func(Impl) { x.Row(make([]float32, 5), n) })
		add("PackedBF16.Row row", "kernels: PackedBF16.Row: len(dst) != In, or no such row", func(Impl) { w.Row(make([]float32, 5), n) })
	}
	add("RowsBF16.Row length", "kernels: RowsBF16.Row: len(dst) != Cols, or no such row", func(Impl) { x.Row(make([]float32, 4), 0) })
	add("PackedBF16.Row length", "kernels: PackedBF16.Row: len(dst) != In, or no such row", func(Impl) { w.Row(make([]float32, 4), 0) })
	add("RowsBF16.Slice below", badRows, func(Impl) { x.Slice(-1, 1) })
	add("RowsBF16.Slice beyond", badRows, func(Impl) { x.Slice(0, 3) })
	add("RowsBF16.Slice reversed", badRows, func(Impl) { x.Slice(2, 1) })
	for _, s := range [][2]int{{-1, 3}, {3, -1}, {math.MaxInt, 4}, {3, math.MaxInt}, {math.MaxInt / 32, 5}} {
		add("NewRowsBF16", badNewRowsBF16, func(Impl) { NewRowsBF16(s[0], s[1]) })
		add("NewPackedBF16", "kernels: NewPackedBF16: negative or overflowing shape", func(Impl) { NewPackedBF16(s[0], s[1]) })
	}
	return list
}

// TestWidenBF16 compares what rows and gathered columns become for products that widen with the values
// themselves.
func TestWidenBF16(t *testing.T) {
	const rows, cols = bf16Block, 3 * bf16Block
	eachImpl(t, func(t *testing.T, k Impl) {
		x, value := NewRowsBF16(rows, cols), make([]float32, cols)
		k.roundRowsBF16(x, View(random(newRand(1), rows*cols), rows, cols))
		row, column := make([]uint32, cols), make([]uint32, rows*panel)
		k.gatherWidened(column, x.data[panel/2:], bf16RowLen(cols), rows)
		for i := range rows {
			x.Row(value, i)
			k.widenBF16(row, x.data[i*bf16RowLen(cols):][:bf16RowLen(cols)])
			for j, v := range value {
				at := j/bf16Block*bf16Block + j%2*bf16Words + j%bf16Block/2
				if want := math.Float32bits(v); row[at] != want {
					t.Fatalf("%s: row %d, input %d: %#x at %d, want %#x", k, i, j, row[at], at, want)
				}
			}
			for j, got := range column[i*panel:][:panel] {
				if want := math.Float32bits(value[panel+j]); got != want {
					t.Fatalf("%s: row %d, column %d: %#x, want %#x", k, i, panel+j, got, want)
				}
			}
		}
	})
}

// TestBF16StackGrowth calls products at many depths of small stacks, so that assembly finds too little room
// for its variables at some of them.
func TestBF16StackGrowth(t *testing.T) { eachImpl(t, checkStackGrowth) }

func checkStackGrowth(t *testing.T, k Impl) {
	const m, out, in = 33, 48, 17
	r := newRand(1)
	dy, x := NewRowsBF16(m, out), NewRowsBF16(m, in)
	k.roundRowsBF16(dy, View(random(r, m*out), m, out))
	k.roundRowsBF16(x, View(random(r, m*in), m, in))
	scratch, want := make([]float32, GradScratch(in)), NewPacked(out, in)
	k.gemmGradBF16(want, dy, x, scratch)
	for depth := range 600 {
		dw, done := NewPacked(out, in), make(chan bool)
		go func() {
			below(depth, func() { k.gemmGradBF16(dw, dy, x, scratch) })
			close(done)
		}()
		<-done
		if i := differs(dw.Data, want.Data); i >= 0 {
			t.Fatalf("%s at depth %d: Data[%d] = %g, want %g", k, depth, i, dw.Data[i], want.Data[i])
		}
	}
}

// below calls f with about 100 bytes of the stack in use for each unit of depth.
//
//go:noinline
func below(depth int, f func()) byte {
	var room [64]byte
	if depth == 0 {
		f()
		return 0
	}
	room[depth%len(room)] = below(depth-1, f)
	return room[0]
}

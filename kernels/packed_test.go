package kernels

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"
)

// checkUnpack packs a random matrix, whole and in two parts split at the given row, and unpacks it.
func checkUnpack(t *testing.T, what string, rows, cols, split int) {
	t.Helper()
	src := Matrix{rows, cols, cols + 1, random(newRand(uint64(rows*1000+cols)), rows*(cols+1))}
	for _, k := range Available() {
		w := NewPacked(rows, cols)
		k.PackRows(w, 0, src)
		parts := NewPacked(rows, cols)
		k.PackRows(parts, split, src.Slice(split, rows))
		k.PackRows(parts, 0, src.Slice(0, split))
		if i := differs(parts.Data, w.Data); i >= 0 {
			t.Fatalf("%s %s Out=%d In=%d split at %d: Data[%d] = %g, want %g", k, what, rows, cols, split, i, parts.Data[i], w.Data[i])
		}
		for n := range rows {
			for c, v := range src.Row(n) {
				if got := w.Data[n/16*panelStride(cols)+c*16+n%16]; got != v {
					t.Fatalf("%s %s Out=%d In=%d element (%d, %d) = %g, want %g", k, what, rows, cols, n, c, got, v)
				}
			}
		}
		checkPadding(t, k, w)
		dst := Matrix{rows - split, cols, cols + 2, slices.Repeat([]float32{nan}, (rows-split)*(cols+2))}
		w.Unpack(dst, split)
		for n := range dst.Rows {
			if i := differs(dst.Row(n), src.Row(split+n)); i >= 0 {
				t.Fatalf("%s %s Unpack Out=%d In=%d from row %d: [%d][%d] = %g, want %g",
					k, what, rows, cols, split, n, i, dst.Row(n)[i], src.Row(split + n)[i])
			}
			if dst.Data[n*(cols+2)+cols] == dst.Data[n*(cols+2)+cols] {
				t.Fatalf("%s %s Unpack Out=%d In=%d writes between rows %d and %d", k, what, rows, cols, n, n+1)
			}
		}
	}
}

// checkPadding fails if the padding of w is not zero.
func checkPadding(t *testing.T, k Impl, w Packed) {
	t.Helper()
	element := make([]bool, len(w.Data))
	for n := range w.Out {
		for c := range w.In {
			element[w.at(n, c)] = true
		}
	}
	for i, v := range w.Data {
		if !element[i] && v != 0 {
			t.Fatalf("%s Out=%d In=%d: padding Data[%d] = %g, want 0", k, w.Out, w.In, i, v)
		}
	}
}

func TestPackRows(t *testing.T) {
	for _, rows := range []int{0, 1, 15, 16, 17, 32, 50} {
		for _, cols := range []int{0, 1, 15, 16, 17, 33, 64, 65} {
			for _, split := range []int{0, 1, rows / 2, 16, 17} {
				checkUnpack(t, "PackRows", rows, cols, min(split, rows))
			}
		}
	}
}

// TestPack: Pack is PackRows into new weights.
func TestPack(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, rows := range []int{0, 1, 16, 35} {
			for _, cols := range []int{0, 1, 17, 64} {
				m := Matrix{rows, cols, cols + 3, random(newRand(1), rows*(cols+3))}
				got, want := k.Pack(m), NewPacked(rows, cols)
				k.PackRows(want, 0, m)
				if got.Out != rows || got.In != cols || len(got.Data) != len(want.Data) || differs(got.Data, want.Data) >= 0 {
					t.Errorf("%s Pack of %d×%d: %d×%d of %g, want %g", k, rows, cols, got.Out, got.In, got.Data, want.Data)
				}
			}
		}
	})
}

func TestTranspose(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, rows := range []int{0, 1, 15, 16, 17, 32, 47, 64} {
			for _, cols := range []int{0, 1, 15, 16, 17, 32, 47, 64} {
				plain, w := packed(k, uint64(100*rows+cols), rows, cols)
				dst := NewPacked(cols, rows)
				// The padding must become zero whatever the panels hold.
				for p := range panels(cols) {
					for i := range dst.panel(p) {
						dst.panel(p)[i] = nan
					}
				}
				k.transposePacked(dst, w)
				for n := range rows {
					for c := range cols {
						if got := dst.Data[dst.at(c, n)]; got != plain.Row(n)[c] {
							t.Fatalf("%s Out=%d In=%d element (%d, %d) = %g, want %g", k, rows, cols, c, n, got, plain.Row(n)[c])
						}
					}
				}
				checkPadding(t, k, dst)
			}
		}
	})
}

// TestPadding takes training steps with a matrix: its padding stays zero.
func TestPadding(t *testing.T) {
	const m, rows, cols = 300, 21, 64
	eachImpl(t, func(t *testing.T, k Impl) {
		_, w := packed(k, 1, rows, cols)
		zeros := func() Packed { return NewPacked(rows, cols) }
		dw, g2, dx2 := zeros(), zeros(), zeros()
		r := newRand(2)
		for range 2 {
			dy, x := View(random(r, m*rows), m, rows), View(random(r, m*cols), m, cols)
			k.gemmGrad(dw, dy, x, make([]float32, GradScratch(cols)))
			k.UpdateAdadelta(settings, w.Data, dw.Data, g2.Data, dx2.Data)
		}
		for _, p := range []Packed{w, dw, g2, dx2} {
			checkPadding(t, k, p)
		}
	})
}

func TestPanelStride(t *testing.T) {
	for cols := range 5000 {
		s := panelStride(cols)
		if s%1024 == 0 || s%16 != 0 || s < 16*cols || s > 16*cols+16 {
			t.Fatalf("panelStride(%d) = %d: want a multiple of 16, not of 1024, from %d to %d", cols, s, 16*cols, 16*cols+16)
		}
		if got, ok := PackedLen(33, cols); !ok || got != 3*s {
			t.Fatalf("PackedLen(33, %d) = %d, %t, want %d", cols, got, ok, 3*s)
		}
	}
}

// packedPanics has weights with too much or too little data for their shape. The other operands have
// the shapes that the weights call for.
func packedPanics() (list []panicCase) {
	const huge = math.MaxInt/8 + 1 // 16 times that is 0
	scratch := make([]float32, GradScratch(3))
	for what, w := range map[string]Packed{
		"empty": {3, 3, nil}, "short": {3, 3, make([]float32, 47)}, "long": {3, 3, make([]float32, 49)},
		"one panel short": {17, 3, make([]float32, 48)}, "negative Out": {-3, 3, nil}, "negative In": {3, -3, nil},
		"overflowing In": {16, huge, make([]float32, 16)}, "overflowing Out": {math.MaxInt, 0, nil},
	} {
		out, in := w.Out, w.In
		if min(out, in) < 0 || max(out, in) >= huge {
			out, in = 3, 3
		}
		x, y := zeroMatrix(2, in), zeroMatrix(2, out)
		transposed := zeroPacked(in, out)
		for name, run := range map[string]func(k Impl){
			"Gemm":           func(k Impl) { k.Gemm(y, w, x, nil, Identity) },
			"GemmAdd":        func(k Impl) { k.gemmAdd(y, w, x, Identity) },
			"Gemv":           func(k Impl) { k.Gemv(y.Row(0), w, x.Row(0), nil, Identity) },
			"GemvAdd":        func(k Impl) { k.gemvAdd(y.Row(0), w, x.Row(0), Identity) },
			"GemmGrad":       func(k Impl) { k.gemmGrad(w, y, x, scratch) },
			"Transpose to":   func(k Impl) { k.transposePacked(w, transposed) },
			"Transpose from": func(k Impl) { k.transposePacked(transposed, w) },
			"PackRows":       func(k Impl) { k.PackRows(w, 0, x) },
			"Unpack":         func(Impl) { w.Unpack(x, 0) },
			"NewPacked":      func(Impl) { ViewPacked(w.Data, w.Out, w.In) },
		} {
			list = append(list, panicCase{name + " weights " + what, "kernels: Packed: negative shape or len(Data) != PackedLen(Out, In)", run})
		}
	}
	return list
}

// largestOut returns the largest number of outputs of a packed matrix with largestIn inputs.
func largestOut() int { return maxLen / panelStride(largestIn) * panel }

const largestIn = 1000

// TestPackedLen compares with exact arithmetic, at and around the sizes where int overflows.
func TestPackedLen(t *testing.T) {
	sizes := []int{-1, 0, 1, 15, 16, 17, 1000, 1024, 1 << 24, math.MinInt, math.MaxInt, math.MaxInt - 15, math.MaxInt / 2}
	for shift := range bits.UintSize - 1 {
		sizes = append(sizes, 1<<shift-1, 1<<shift, 1<<shift+1)
	}
	exact := func(out, in int) *big.Int {
		stride := new(big.Int).Mul(big.NewInt(int64(in)), big.NewInt(panel))
		if in%(4096/4/panel) == 0 {
			stride.Add(stride, big.NewInt(panel))
		}
		rows := new(big.Int).Add(big.NewInt(int64(out)), big.NewInt(panel-1))
		return stride.Mul(stride, rows.Quo(rows, big.NewInt(panel)))
	}
	for _, out := range sizes {
		for _, in := range sizes {
			n := exact(out, in)
			fits := new(big.Int).Lsh(n, 2).Cmp(big.NewInt(math.MaxInt)) <= 0
			length, ok := PackedLen(out, in)
			if ok && n.Cmp(big.NewInt(int64(length))) != 0 {
				t.Errorf("PackedLen(%d, %d) = %d, want %v", out, in, length, n)
			}
			if length, ok := PackedInt8Len(out, in); length < 0 || ok && (out < 0 || in < 0 || in > MaxInt8Inputs) {
				t.Errorf("PackedInt8Len(%d, %d) = %d, %t", out, in, length, ok)
			}
			// Sizes of which one is 0 and the other is absurd may be rejected.
			if want := out >= 0 && in >= 0 && fits; ok && !want || want && !ok && min(out, in) > 0 && max(out, in) < maxLen/(2*panel) {
				t.Errorf("PackedLen(%d, %d) returns %t, %v values", out, in, ok, n)
			}
			if _, wide := PackedLen(512, in); ok && wide && panics(func() { GradScratch(in) }) != nil {
				t.Errorf("GradScratch(%d) panics", in)
			}
		}
	}
}

// TestShare compares with exact arithmetic for up to MaxInt items.
func TestShare(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 1000, math.MaxInt/7 + 1, math.MaxInt / 2, math.MaxInt - 1, math.MaxInt} {
		for _, parts := range []int{1, 2, 3, 7, 8, 100, maxThreads, 5_000_000} {
			for _, part := range []int{0, parts / 3, parts / 2, parts - 1} {
				from, to := share(n, part, parts)
				for i, got := range []int{from, to} {
					want := new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(int64(part+i)))
					if want.Quo(want, big.NewInt(int64(parts))); want.Cmp(big.NewInt(int64(got))) != 0 {
						t.Errorf("share(%d, %d, %d) = %d, %d", n, part, parts, from, to)
					}
				}
			}
		}
	}
}

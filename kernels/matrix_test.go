package kernels

import (
	"math"
	"slices"
	"testing"
	"unsafe"
)

func TestMatrix(t *testing.T) {
	const rows, cols, stride = 5, 4, 7
	m := Matrix{rows, cols, stride, make([]float32, (rows-1)*stride+cols)}
	for i := range m.Data {
		m.Data[i] = float32(i)
	}
	for from := range rows + 1 {
		for to := from; to <= rows; to++ {
			for left := range cols + 1 {
				for right := left; right <= cols; right++ {
					for name, part := range map[string]Matrix{
						"Slice then Columns": m.Slice(from, to).Columns(left, right),
						"Columns then Slice": m.Columns(left, right).Slice(from, to),
					} {
						if part.Rows != to-from || part.Cols != right-left || !part.valid() {
							t.Fatalf("%s rows %d:%d columns %d:%d: shape %d×%d", name, from, to, left, right, part.Rows, part.Cols)
						}
						for i := range part.Rows {
							want := m.Data[(from+i)*stride+left : (from+i)*stride+right]
							if got := part.Row(i); !slices.Equal(got, want) {
								t.Fatalf("%s rows %d:%d columns %d:%d: row %d = %g, want %g", name, from, to, left, right, i, got, want)
							}
						}
					}
				}
			}
		}
	}
	v := View(m.Data, 3, 8)
	if v.Stride != 8 || v.Row(2)[7] != 23 || len(v.Data) != 24 {
		t.Errorf("View(data, 3, 8) = %v", v)
	}
}

// TestMatrixValid has shapes that just fit their data and shapes that just do not, some with a last
// index that overflows.
func TestMatrixValid(t *testing.T) {
	const stride = math.MaxInt/4 + 1 // 8 times that is 0
	data := make([]float32, 16)
	for _, c := range []struct {
		m    Matrix
		want bool
	}{
		{Matrix{}, true}, {Matrix{0, 3, 3, nil}, true}, {Matrix{3, 0, 0, nil}, true}, {Matrix{math.MaxInt, 0, 0, nil}, true},
		{Matrix{1, 16, 16, data}, true}, {Matrix{1, 16, math.MaxInt, data}, true}, {Matrix{1, 17, 17, data}, false},
		{Matrix{3, 4, 6, data}, true}, {Matrix{3, 5, 6, data}, false}, {Matrix{4, 4, 4, data}, true}, {Matrix{5, 4, 4, data}, false},
		{Matrix{9, 16, stride, data}, false}, {Matrix{2, 16, math.MaxInt, data}, false}, {Matrix{math.MaxInt, 1, 2, data}, false},
		{Matrix{-1, 3, 3, data}, false}, {Matrix{2, -1, 3, data}, false}, {Matrix{2, 3, 2, data}, false},
	} {
		if got := c.m.valid(); got != c.want {
			t.Errorf("%d×%d, stride %d, of %d values: valid %t", c.m.Rows, c.m.Cols, c.m.Stride, len(c.m.Data), got)
		}
	}
}

// TestOverlappingRows compares products and gradients of rows that overlap, of every precision, with those of copies.
func TestOverlappingRows(t *testing.T) {
	const out = 37
	eachImpl(t, func(t *testing.T, k Impl) {
		for _, shape := range [][3]int{{1, 9, 3}, {2, 9, 3}, {7, 48, 16}, {40, 21, 1}, {5, 6, 0}, {300, 70, 35}} {
			rows, cols, stride := shape[0], shape[1], shape[2]
			r := newRand(uint64(rows))
			overlapping := func(cols int) (m, copied Matrix) {
				m, copied = Matrix{rows, cols, stride, random(r, (rows-1)*stride+cols)}, NewMatrix(rows, cols)
				for i := range rows {
					copy(copied.Row(i), m.Row(i))
				}
				return m, copied
			}
			x, copied := overlapping(cols)
			dy, dyCopied := overlapping(out)
			m, bias := View(random(r, out*cols), out, cols), random(r, out)
			bf16 := NewPackedBF16(out, cols)
			k.RoundPackedBF16(bf16, k.Pack(m))
			k := k.Using(&Scratch{Int8: NewRowsInt8(rows, cols), BF16: NewRowsBF16(rows, cols)})
			for name, w := range map[string]Weights{"float32": {Float32: k.Pack(m)}, "int8": {Int8: k.PackInt8(m)}, "bfloat16": {BF16: bf16}} {
				got, want := NewMatrix(rows, out), NewMatrix(rows, out)
				k.Linear(got, w, x, bias, Identity)
				k.Linear(want, w, copied, bias, Identity)
				if i := differs(got.Data, want.Data); i >= 0 {
					t.Errorf("%s %s %v: [%d] = %g, of copied rows %g", k, name, shape, i, got.Data[i], want.Data[i])
				}
			}
			for name, s := range map[string]Scratch{"float32": {}, "bfloat16": {BF16: NewRowsBF16(rows, cols), DYBF16: NewRowsBF16(rows, out)}} {
				s.Grad = make([]float32, GradScratch(cols))
				got, want := NewPacked(out, cols), NewPacked(out, cols)
				k.Using(&s).LinearGrad(got, dy, x)
				k.Using(&s).LinearGrad(want, dyCopied, copied)
				if i := differs(got.Data, want.Data); i >= 0 {
					t.Errorf("%s %s %v: gradient [%d] = %g, of copied rows %g", k, name, shape, i, got.Data[i], want.Data[i])
				}
			}
		}
	})
}

func TestAlloc(t *testing.T) {
	const huge = hugePage / 4
	for _, c := range []struct {
		n     int
		align uintptr
	}{
		{0, 1}, {1, cacheLine}, {15, cacheLine}, {16, cacheLine}, {1003, cacheLine},
		{2*huge - 1, cacheLine}, {2 * huge, hugePage}, {2*huge + 7, hugePage},
	} {
		for range 3 {
			x := Alloc(c.n)
			if len(x) != c.n || cap(x) != c.n {
				t.Fatalf("Alloc(%d) has length %d and capacity %d", c.n, len(x), cap(x))
			}
			if at := uintptr(unsafe.Pointer(unsafe.SliceData(x))); at%c.align != 0 {
				t.Errorf("Alloc(%d) starts at %#x, want a multiple of %d", c.n, at, c.align)
			}
			for i := range x {
				if x[i] != 0 {
					t.Fatalf("Alloc(%d)[%d] = %g, want 0", c.n, i, x[i])
				}
				x[i] = 1
			}
		}
	}
}

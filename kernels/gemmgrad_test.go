package kernels

import "testing"

func TestGemmGrad(t *testing.T) {
	shapes := [][3]int{{0, 3, 3}, {1, 1, 1}, {7, 16, 16}, {5, 17, 33}, {gradRows, 3, 20}, {gradRows + 44, 20, 3}, {2*gradRows + 1, 5, 18}, {9, 50, 33}, {4, 0, 3}, {4, 3, 0}}
	eachImpl(t, func(t *testing.T, k Impl) {
		for i, s := range shapes {
			m, rows, cols := s[0], s[1], s[2]
			r := newRand(uint64(i))
			before, dw := packed(k, uint64(i), rows, cols)
			dy, x := View(random(r, m*rows), m, rows), View(random(r, m*cols), m, cols)
			k.gemmGrad(dw, dy, x, make([]float32, GradScratch(cols)))
			got := NewMatrix(rows, cols)
			dw.Unpack(got, 0)
			for n := range rows {
				for c := range cols {
					column, factor := make([]float32, m), make([]float32, m)
					for j := range m {
						column[j], factor[j] = dy.Row(j)[n], x.Row(j)[c]
					}
					if want := chain(before.Row(n)[c], column, factor, Identity); !same(got.Row(n)[c], want) {
						t.Fatalf("%s M=%d Out=%d In=%d dw[%d][%d] = %b, want %b", k, m, rows, cols, n, c, got.Row(n)[c], want)
					}
				}
			}
		}
	})
}

// TestGemmGradChain splits the rows of a batch: the second call continues the chains of the first.
func TestGemmGradChain(t *testing.T) {
	const m, rows, cols = 2*gradRows + 18, 18, 20
	eachImpl(t, func(t *testing.T, k Impl) {
		r := newRand(1)
		_, whole := packed(k, 2, rows, cols)
		dy, x := View(random(r, m*rows), m, rows), View(random(r, m*cols), m, cols)
		scratch := make([]float32, GradScratch(cols))
		k.gemmGrad(whole, dy, x, scratch)
		for _, at := range []int{0, 1, 100, gradRows - 1, gradRows, gradRows + 1, m - 1, m} {
			_, dw := packed(k, 2, rows, cols)
			k.gemmGrad(dw, dy.Slice(0, at), x.Slice(0, at), scratch)
			k.gemmGrad(dw, dy.Slice(at, m), x.Slice(at, m), scratch)
			if i := differs(dw.Data, whole.Data); i >= 0 {
				t.Fatalf("%s M=%d split at %d: Data[%d] = %g, want %g", k, m, at, i, dw.Data[i], whole.Data[i])
			}
		}
		rounded := k.Using(&Scratch{BF16: NewRowsBF16(m, cols), DYBF16: NewRowsBF16(m, rows), Grad: scratch})
		_, wholeBF16 := packed(k, 2, rows, cols)
		rounded.LinearGrad(wholeBF16, dy, x)
		for at := 0; at < m; at += bf16Block {
			_, dw := packed(k, 2, rows, cols)
			rounded.LinearGrad(dw, dy.Slice(0, at), x.Slice(0, at))
			rounded.LinearGrad(dw, dy.Slice(at, m), x.Slice(at, m))
			if i := differs(dw.Data, wholeBF16.Data); i >= 0 {
				t.Fatalf("%s bfloat16 M=%d split at %d: Data[%d] = %g, want %g", k, m, at, i, dw.Data[i], wholeBF16.Data[i])
			}
		}
	})
}

package kernels

import (
	"math"
	"slices"
	"testing"
)

// A batch is the shape of a product and the numbers of rows that are computed together.
type batch struct {
	out, in int
	rows    []int
}

// batches has outputs on both sides of 16 and 48, the panels of a tile, with every number of
// rows that a tile leaves over; depths on both sides of tileDepth; and products of rows and
// depth on both sides of gemmValues, where the depth is divided first.
func batches() (list []batch) {
	var rows []int
	for m := 1; m <= 20; m++ {
		rows = append(rows, m)
	}
	rows = append(rows, gemmRows, gemmRows+1, 2*gemmRows+8)
	for _, out := range []int{1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 79, 80, 81, 95, 96, 97, 100} {
		list = append(list, batch{out, 5, rows})
	}
	few := []int{2, 9, 20, gemmRows + 1}
	superblock := (gemmValues + gemmRows - 1) / gemmRows
	wide, narrow := tileDepth(maxTilePanels), tileDepth(1)
	list = append(list, batch{49, wide + 1, few}, batch{49, superblock, []int{gemmRows}})
	if testing.Short() {
		return list
	}
	for _, in := range []int{wide - 1, wide, 2 * wide, 2*wide + 1, narrow, narrow + 1} {
		for _, out := range []int{16, 49, 100} {
			list = append(list, batch{out, in, few})
		}
	}
	return append(list, batch{48, superblock - 1, []int{gemmRows}}, batch{17, 2 * superblock, []int{gemmRows + 1, 2*gemmRows + 8}})
}

// TestBatch compares every row of a product with the row alone.
func TestBatch(t *testing.T) {
	eachImpl(t, func(t *testing.T, k Impl) {
		for i, b := range batches() {
			b.check(t, k, uint64(i), Identity)
			b.check(t, k, uint64(i), Activation(1+i%4))
		}
	})
}

func (b batch) check(t *testing.T, k Impl, seed uint64, act Activation) {
	t.Helper()
	most := slices.Max(b.rows)
	_, w := packed(k, seed, b.out, b.in)
	r := newRand(seed)
	x, bias, start := View(random(r, most*b.in), most, b.in), random(r, b.out), random(r, most*b.out)
	for i := range x.Data { // so that the activations do not saturate
		x.Data[i] /= float32(math.Sqrt(float64(b.in)))
	}
	set, added := NewMatrix(most, b.out), View(slices.Clone(start), most, b.out)
	for i := range most {
		k.Gemv(set.Row(i), w, x.Row(i), bias, act)
		k.GemvAdd(added.Row(i), w, x.Row(i), act)
	}
	for _, m := range b.rows {
		from := (most - m) / 2
		y := NewMatrix(m, b.out)
		for _, c := range []struct {
			name  string
			run   func()
			alone Matrix
		}{
			{"Gemm", func() { k.Gemm(y, w, x.Slice(from, from+m), bias, act) }, set},
			{"GemmAdd", func() { copy(y.Data, start[from*b.out:]); k.GemmAdd(y, w, x.Slice(from, from+m), act) }, added},
		} {
			c.run()
			if i := differs(y.Data, c.alone.Slice(from, from+m).Data); i >= 0 {
				t.Fatalf("%s %s M=%d Out=%d In=%d act=%d: row %d [%d] = %g, alone %g",
					k, c.name, m, b.out, b.in, act, i/b.out, i%b.out, y.Data[i], c.alone.Row(from + i/b.out)[i%b.out])
			}
		}
	}
}

//go:build race

package kernels

import "runtime"

// readsWords announces a read of every element of x.
//
//go:noinline
func readsWords(x []uint32) {
	if len(x) > 0 {
		runtime.RaceReadRange(address(x), 4*len(x))
	}
}

// writesWords announces a write of every element of x.
//
//go:noinline
func writesWords(x []uint32) {
	if len(x) > 0 {
		runtime.RaceWriteRange(address(x), 4*len(x))
	}
}

// readsRowsBF16 announces a read of panel p of the columns of x.
//
//go:noinline
func readsRowsBF16(x RowsBF16, p int) {
	n := bf16RowLen(x.Cols)
	for i := range x.Rows {
		readsWords(x.data[i*n+p*panel/2:][:panel/2])
	}
}

// announce announces the operands of a tile.
//
//go:noinline
func (t *tileBF16) announce() {
	for i := range t.rows {
		for p := range t.panels {
			writesVector(t.c[i*t.ldc+p*t.next:][:panel])
		}
	}
	readsVector(t.bias)
	if t.blocks == 0 {
		return
	}
	if t.xCol == 1 {
		for i := range t.rows {
			readsWords(t.x[i*t.xRow:][:t.blocks*bf16Words])
		}
	} else {
		for w := range t.blocks * bf16Words {
			readsWords(t.x[w*t.xCol:][:t.rows])
		}
	}
	for p := range t.panels {
		readsWords(t.w[p*t.stride:][:t.blocks*bf16Words*panel])
	}
}

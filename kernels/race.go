//go:build race

package kernels

import (
	"runtime"
	"unsafe"
)

// The race detector does not see what assembly reads and writes, nor what the builtin clear writes. In
// builds with -race, kernels announce it with the functions below, which change no memory. They are
// not inlined because a report names one function for each call.

// address returns the address of x without letting x escape, which would move the buffers that
// kernels have on the stack to the heap. The detector keeps no pointer.
//
//go:nocheckptr
func address[T any](x []T) unsafe.Pointer {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	return unsafe.Pointer(address ^ 0)
}

// readsVector announces a read of every element of x.
//
//go:noinline
func readsVector(x []float32) {
	if len(x) > 0 {
		runtime.RaceReadRange(address(x), 4*len(x))
	}
}

// writesVector announces a write of every element of x.
//
//go:noinline
func writesVector(x []float32) {
	if len(x) > 0 {
		runtime.RaceWriteRange(address(x), 4*len(x))
	}
}

// readsInt8 announces a read of every element of x.
//
//go:noinline
func readsInt8(x []int8) {
	if len(x) > 0 {
		runtime.RaceReadRange(address(x), len(x))
	}
}

// writesInt8 announces a write of every element of x.
//
//go:noinline
func writesInt8(x []int8) {
	if len(x) > 0 {
		runtime.RaceWriteRange(address(x), len(x))
	}
}

// writesPrefix announces a write of the first n elements of x.
//
//go:noinline
func writesPrefix(x []float32, n int) { writesVector(x[:n]) }

// readsMatrix announces a read of every element of m, but not of what lies between two rows.
//
//go:noinline
func readsMatrix(m Matrix) {
	for i := range m.Rows {
		readsVector(m.Row(i))
	}
}

// readsColumns announces a read of the n columns of m that start at column from.
//
//go:noinline
func readsColumns(m Matrix, from, n int) { readsMatrix(m.Columns(from, from+n)) }

// writesMatrix announces a write of every element of m, but not of what lies between two rows.
//
//go:noinline
func writesMatrix(m Matrix) {
	for i := range m.Rows {
		writesVector(m.Row(i))
	}
}

// announce announces the operands of one row of a product.
//
//go:noinline
func (v *vector) announce() {
	writesVector(v.y)
	readsVector(v.x)
	readsVector(v.bias)
	readsMatrix(Matrix{v.panels, len(v.x) * panel, v.stride, v.w})
}

// announce announces the operands of a tile, but for its sums, which are on the stack.
//
//go:noinline
func (t *tileInt8) announce() {
	for i := range t.rows {
		readsInt8(t.x[i*t.xStride:][:t.quads*quad])
	}
	for p := range t.panels {
		readsInt8(t.w[p*t.stride:][:t.quads*quadBytes])
	}
	if t.starts != nil {
		runtime.RaceReadRange(address(t.starts), 4*t.rows)
	}
}

// announce announces the operands of one row of a product, but for its sums.
//
//go:noinline
func (v *vectorInt8) announce() {
	readsInt8(v.x[:v.quads*quad])
	for p := range v.panels {
		readsInt8(v.w[p*v.stride:][:v.quads*quadBytes])
	}
}

// announce announces the operands, but for the sums.
//
//go:noinline
func (d *dequantization) announce() {
	readsVector(d.rowScales[:d.rows])
	readsVector(d.scales)
	for i := range d.rows {
		readsVector(d.start[i*d.startStride:][:d.cols])
		writesVector(d.y[i*d.stride:][:d.cols])
	}
}

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
func (t *tile) announce() {
	for i := range t.rows {
		for p := range t.panels {
			writesVector(t.c[i*t.ldc+p*t.next:][:panel])
		}
	}
	readsVector(t.bias)
	if t.depth == 0 {
		return
	}
	depth, rows := t.depth, t.depth // of x in words, and of a panel in rows of 16 words
	if t.bf16 {
		depth, rows = t.depth*bf16Words, t.depth*bf16Words
	}
	if t.wide {
		depth = t.depth * bf16Block
	}
	if t.xCol == 1 {
		for i := range t.rows {
			readsWords(t.x[i*t.xRow:][:depth])
		}
	} else {
		for w := range depth {
			readsWords(t.x[w*t.xCol:][:t.rows])
		}
	}
	for p := range t.panels {
		readsWords(t.w[p*t.stride:][:rows*panel])
	}
}

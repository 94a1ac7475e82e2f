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

// reads announces a read of every element of x.
//
//go:noinline
func reads[T float32 | int8 | int32 | uint32](x []T) {
	if len(x) > 0 {
		runtime.RaceReadRange(address(x), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

// writes announces a write of every element of x.
//
//go:noinline
func writes[T float32 | int8 | uint32](x []T) {
	if len(x) > 0 {
		runtime.RaceWriteRange(address(x), len(x)*int(unsafe.Sizeof(x[0])))
	}
}

// writesPrefix announces a write of the first n elements of x.
//
//go:noinline
func writesPrefix(x []float32, n int) { writes(x[:n]) }

// readsMatrix announces a read of every element of m, but not of what lies between two rows.
//
//go:noinline
func readsMatrix(m Matrix) {
	for i := range m.Rows {
		reads(m.Row(i))
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
		writes(m.Row(i))
	}
}

// announce announces the operands of one row of a product.
//
//go:noinline
func (v *vector) announce() {
	writes(v.y)
	reads(v.x)
	reads(v.bias)
	readsMatrix(Matrix{v.panels, len(v.x) * panel, v.stride, v.w})
}

// announce announces the operands of a tile, but for its sums, which are on the stack.
//
//go:noinline
func (t *tileInt8) announce() {
	for i := range t.rows {
		reads(t.x[i*t.xStride:][:t.quads*quad])
	}
	for p := range t.panels {
		reads(t.w[p*t.stride:][:t.quads*quadBytes])
	}
	if t.starts != nil {
		reads(t.starts[:t.rows])
	}
}

// announce announces the operands of one row of a product, but for its sums.
//
//go:noinline
func (v *vectorInt8) announce() {
	reads(v.x[:v.quads*quad])
	for p := range v.panels {
		reads(v.w[p*v.stride:][:v.quads*quadBytes])
	}
}

// announce announces the operands, but for the sums.
//
//go:noinline
func (d *dequantization) announce() {
	reads(d.rowScales[:d.rows])
	reads(d.scales)
	for i := range d.rows {
		reads(d.start[i*d.startStride:][:d.cols])
		writes(d.y[i*d.stride:][:d.cols])
	}
}

// readsRowsBF16 announces a read of panel p of the columns of x.
//
//go:noinline
func readsRowsBF16(x RowsBF16, p int) {
	n := bf16RowLen(x.Cols)
	for i := range x.Rows {
		reads(x.data[i*n+p*panel/2:][:panel/2])
	}
}

// announce announces the operands of a tile.
//
//go:noinline
func (t *tile) announce() {
	for i := range t.rows {
		for p := range t.panels {
			writes(t.c[i*t.ldc+p*t.next:][:panel])
		}
	}
	reads(t.bias)
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
			reads(t.x[i*t.xRow:][:depth])
		}
	} else {
		for w := range depth {
			reads(t.x[w*t.xCol:][:t.rows])
		}
	}
	for p := range t.panels {
		reads(t.w[p*t.stride:][:rows*panel])
	}
}

package kernels

import (
	"math"
	"math/bits"

	"github.com/softsearch-go/softsearch/asm"
)

const panel = asm.Panel

const (
	badShape   = "kernels: Matrix: negative or overflowing shape"
	badMatrix  = "kernels: Matrix: data shorter than rows, columns and stride need"
	badRows    = "kernels: Matrix: rows out of range"
	badColumns = "kernels: Matrix: columns out of range"
)

// A Matrix is a row-major view: element (i, j) is Data[i*Stride+j].
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float32
}

// NewMatrix returns a rows×cols matrix of zeros without gaps, allocated with [Alloc]. It panics
// if rows or cols is negative or the length overflows int.
func NewMatrix(rows, cols int) Matrix {
	if rows < 0 || cols < 0 || !within(rows, cols, math.MaxInt) {
		panic(badShape)
	}
	return Matrix{rows, cols, cols, Alloc(rows * cols)}
}

// View returns data as a rows×cols matrix without gaps. It panics if data is too short.
func View(data []float32, rows, cols int) Matrix {
	if rows < 0 || cols < 0 || !within(rows, cols, len(data)) {
		panic(badMatrix)
	}
	return Matrix{rows, cols, cols, data[:rows*cols]}
}

// Row returns row i.
func (m Matrix) Row(i int) []float32 {
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// Slice returns rows from to to-1 as a view.
func (m Matrix) Slice(from, to int) Matrix {
	if from < 0 || to < from || to > m.Rows {
		panic(badRows)
	}
	if from == to {
		return Matrix{0, m.Cols, m.Stride, nil}
	}
	return Matrix{to - from, m.Cols, m.Stride, m.Data[from*m.Stride : (to-1)*m.Stride+m.Cols]}
}

// Columns returns columns from to to-1 as a view.
func (m Matrix) Columns(from, to int) Matrix {
	if from < 0 || to < from || to > m.Cols {
		panic(badColumns)
	}
	if m.Rows == 0 {
		return Matrix{0, to - from, m.Stride, nil}
	}
	return Matrix{m.Rows, to - from, m.Stride, m.Data[from : (m.Rows-1)*m.Stride+to]}
}

// valid reports whether every element that the shape names lies in Data.
func (m Matrix) valid() bool {
	return m.Rows >= 0 && m.Cols >= 0 && m.Stride >= m.Cols &&
		(m.Rows == 0 || m.Cols <= len(m.Data) && within(m.Rows-1, m.Stride, len(m.Data)-m.Cols))
}

// is reports whether m is a valid matrix of that shape.
func (m Matrix) is(rows, cols int) bool {
	return m.valid() && m.Rows == rows && m.Cols == cols
}

// within reports whether a·b ≤ n, for a, b, n ≥ 0 whose product may overflow.
func within(a, b, n int) bool {
	high, low := bits.Mul(uint(a), uint(b))
	return high == 0 && low <= uint(n)
}

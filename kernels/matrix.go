package kernels

import (
	"math"
	"math/bits"
	"unsafe"
)

const (
	badShape   = "kernels: NewMatrix: negative or overflowing shape"
	badAlloc   = "kernels: Alloc: n < 0, or more values than an address space holds"
	badMatrix  = "kernels: View: data is shorter than rows*cols, or the shape is negative"
	badRow     = "kernels: Row: row out of range, or Data is too short"
	badRows    = "kernels: Slice: rows out of range, or Data is too short"
	badColumns = "kernels: Columns: columns out of range, or Data is too short"
)

// A Matrix is a row-major view of Data: element (i, j) is Data[i*Stride+j]. Copies of a Matrix
// share their elements. Stride is at least Cols, except for the inputs of a product, of [Impl.LinearGrad] and
// of [Impl.Quantize], whose rows may overlap. So a convolution over time is a product: from frames of n channels
// in Data, with Cols = width·n and Stride = step·n.
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float32
}

// NewMatrix returns a rows×cols matrix of zeros with Stride = cols, allocated with [Alloc]. It
// panics if rows or cols is negative or the size in bytes overflows int.
func NewMatrix(rows, cols int) Matrix {
	if rows < 0 || cols < 0 || !fits(rows, cols, maxLen) {
		panic(badShape)
	}
	return Matrix{rows, cols, cols, Alloc(rows * cols)}
}

// View returns the first rows*cols elements of data as a rows×cols matrix with Stride = cols. It
// panics if data is too short or the shape is negative.
func View(data []float32, rows, cols int) Matrix {
	if rows < 0 || cols < 0 || !fits(rows, cols, len(data)) {
		panic(badMatrix)
	}
	return Matrix{rows, cols, cols, data[:rows*cols]}
}

// Row returns row i. It panics if there is no such row, or Data is too short for it.
func (m Matrix) Row(i int) []float32 {
	from := i * m.Stride
	if to := from + m.Cols; uint(i) < uint(m.Rows) && uint(from) <= uint(to) && uint(to) <= uint(len(m.Data)) {
		return m.Data[from:to]
	}
	panic(badRow)
}

// row is Row for a row of a valid matrix.
func (m Matrix) row(i int) []float32 { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

// Slice returns rows from to to-1 as a view. It panics if there are no such rows, or Data is too short for
// them.
func (m Matrix) Slice(from, to int) Matrix {
	first, end := from*m.Stride, (to-1)*m.Stride+m.Cols
	if from == to {
		first, end = 0, 0
	}
	if uint(from) > uint(to) || uint(to) > uint(m.Rows) || uint(first) > uint(end) || uint(end) > uint(len(m.Data)) {
		panic(badRows)
	}
	return Matrix{to - from, m.Cols, m.Stride, m.Data[first:end]}
}

// Columns returns columns from to to-1 as a view. It panics if there are no such columns, or Data is too
// short for them.
func (m Matrix) Columns(from, to int) Matrix {
	if from < 0 || to < from || to > m.Cols {
		panic(badColumns)
	}
	if m.Rows == 0 {
		return Matrix{0, to - from, m.Stride, nil}
	}
	end := (m.Rows-1)*m.Stride + to
	if end < from || end > len(m.Data) {
		panic(badColumns)
	}
	return Matrix{m.Rows, to - from, m.Stride, m.Data[from:end]}
}

// valid reports whether Data holds every element of m, and rows do not overlap.
func (m Matrix) valid() bool { return m.Stride >= m.Cols && m.readable() }

// readable reports whether Data holds every element of m.
func (m Matrix) readable() bool {
	return m.Rows >= 0 && m.Cols >= 0 && m.Stride >= 0 &&
		(m.Rows == 0 || m.Cols <= len(m.Data) && fits(m.Rows-1, m.Stride, len(m.Data)-m.Cols))
}

// hasShape reports whether m is a valid rows×cols matrix.
func (m Matrix) hasShape(rows, cols int) bool {
	return m.valid() && m.Rows == rows && m.Cols == cols
}

// maxLen is the maximum length of a []float32, whose size in bytes fits int.
const maxLen = math.MaxInt / 4

// fits reports whether a*b ≤ n, for a, b, n ≥ 0; the product may overflow int.
func fits(a, b, n int) bool {
	high, low := bits.Mul(uint(a), uint(b))
	return high == 0 && low <= uint(n)
}

const (
	cacheLine = 64
	hugePage  = 2 << 20
)

// Alloc returns n zeros that start on a cache line. Slices of two huge pages or more start on a
// huge page boundary, and the operating system is asked to back them with huge pages where it
// can. Kernels take any slice; aligned ones are faster. It panics if n is negative or the address
// space has no room for n values; less memory than address space ends the program, as with make.
func Alloc(n int) []float32 {
	if n < 0 || n > maxLen-hugePage/4 {
		panic(badAlloc)
	}
	align := cacheLine
	if n >= 2*hugePage/4 {
		align = hugePage
	}
	data := aligned(makeZeros(n+align/4), align)[:n:n]
	if align == hugePage {
		adviseHuge(data)
	}
	return data
}

// makeZeros returns n zeros. How many make refuses differs between systems.
func makeZeros(n int) []float32 {
	defer func() {
		if recover() != nil {
			panic(badAlloc)
		}
	}()
	return make([]float32, n)
}

// aligned returns x without the elements before the first address that is a multiple of align
// bytes.
func aligned[T int16 | uint32 | float32](x []T, align int) []T {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	return x[-address%uintptr(align)/unsafe.Sizeof(x[0]):]
}

package kernels

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/softsearch-go/softsearch/asm"
)

const (
	badAlloc   = "kernels: Alloc: n < 0, or more values than an address space holds"
	badRows    = "kernels: Slice: rows out of range, or Data is too short"
	badColumns = "kernels: Columns: columns out of range, or Data is too short"

	badPack = "kernels: Pack: data is shorter than the shape of m needs"
)

// panel is the number of outputs in a panel.
const panel = asm.Panel

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
		panic("kernels: NewMatrix: negative or overflowing shape")
	}
	return Matrix{rows, cols, cols, Alloc(rows * cols)}
}

// View returns the first rows*cols elements of data as a rows×cols matrix with Stride = cols. It
// panics if data is too short or the shape is negative.
func View(data []float32, rows, cols int) Matrix {
	if rows < 0 || cols < 0 || !fits(rows, cols, len(data)) {
		panic("kernels: View: data is shorter than rows*cols, or the shape is negative")
	}
	return Matrix{rows, cols, cols, data[:rows*cols]}
}

// Row returns row i. It panics if there is no such row, or Data is too short for it.
func (m Matrix) Row(i int) []float32 {
	from := i * m.Stride
	if to := from + m.Cols; uint(i) < uint(m.Rows) && uint(from) <= uint(to) && uint(to) <= uint(len(m.Data)) {
		return m.Data[from:to]
	}
	panic("kernels: Row: row out of range, or Data is too short")
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

// Packed is an Out×In weight matrix in the layout that products read: panels of 16 outputs,
// in which element (n, k) is Data[(n/16)*stride + k*16 + n%16]. Zeros pad the last panel to 16
// outputs. The stride is 16*In values, 16 more where that is a multiple of 4096 bytes. Kernels
// that take a Packed panic if len(Data) is not PackedLen(Out, In).
type Packed struct {
	Out, In int
	Data    []float32
}

// PackedLen returns the number of values in a packed out×in matrix, or false if a size is negative or the size in
// bytes overflows int. A caller can check with it what a file says. The length may still be more than there is
// memory for.
func PackedLen(out, in int) (n int, ok bool) {
	return panelsLen(out, in, panelStride, maxLen)
}

// panelsLen returns the length of packed out×in weights, given the distance between panels, or false if a size
// is negative or the length above limit.
func panelsLen(out, in int, stride func(in int) int, limit int) (n int, ok bool) {
	const most = maxLen / (2 * panel) // panels and strides do not overflow up to here
	if out < 0 || in < 0 || out > most || in > most || !fits(panels(out), stride(in), limit) {
		return 0, false
	}
	return panels(out) * stride(in), true
}

// Pack returns m packed, in memory of its own allocated with [Alloc]. It panics if Data does not
// hold every element of m. PackRows fills a Packed that exists, such as a stack of matrices that read
// the same input.
func (k Impl) Pack(m Matrix) Packed {
	if !m.valid() {
		panic(badPack)
	}
	w := NewPacked(m.Rows, m.Cols)
	k.PackRows(w, 0, m)
	return w
}

// NewPacked returns a packed out×in matrix of zeros, allocated with [Alloc]. It panics if out or
// in is negative or the size in bytes overflows int.
func NewPacked(out, in int) Packed {
	n, ok := PackedLen(out, in)
	if !ok {
		panic("kernels: NewPacked: negative or overflowing shape")
	}
	return Packed{out, in, Alloc(n)}
}

// ViewPacked returns data as a packed out×in matrix, without copying it. It panics if len(data) is
// not PackedLen(out, in).
func ViewPacked(data []float32, out, in int) Packed {
	w := Packed{out, in, data}
	w.check()
	return w
}

// check panics unless len(w.Data) agrees with the shape: callers can build w from its fields.
func (w Packed) check() {
	if !w.valid() {
		panic("kernels: Packed: negative shape or len(Data) != PackedLen(Out, In)")
	}
}

func (w Packed) valid() bool {
	n, ok := PackedLen(w.Out, w.In)
	return ok && n == len(w.Data)
}

func panels(out int) int { return (out + panel - 1) / panel }

func panelStride(in int) int { return offPage(in*panel, 4) }

// offPage returns n, the number of values of size bytes in a panel, or a cache line more where they fill pages:
// panels a multiple of 4096 bytes apart would share the sets of a first-level cache.
func offPage(n, size int) int {
	const page = 4096
	if n%(page/size) == 0 {
		n += cacheLine / size
	}
	return n
}

// panel returns the weights of outputs 16p to 16p+15.
func (w Packed) panel(p int) []float32 {
	s := panelStride(w.In)
	return w.Data[p*s : p*s+w.In*panel]
}

func (w Packed) at(n, k int) int {
	return n/panel*panelStride(w.In) + k*panel + n%panel
}

// PackRows sets rows row to row+src.Rows-1 of w to src, a row-major matrix. It panics if
// src.Cols != w.In or w has no such rows.
func (k Impl) PackRows(w Packed, row int, src Matrix) {
	w.check()
	if !src.valid() || src.Cols != w.In || row < 0 || row > w.Out-src.Rows {
		panic("kernels: PackRows: src.Cols != In, or no such rows")
	}
	for i := 0; i < src.Rows; {
		n := row + i
		if n%panel == 0 && i+panel <= src.Rows {
			k.packPanel(w.panel(n/panel), src, i)
			i += panel
			continue
		}
		to := w.Data[w.at(n, 0):]
		for c, v := range src.Row(i) {
			to[c*panel] = v
		}
		i++
	}
}

// packPanel packs rows row to row+15 of src, a whole panel.
func (k Impl) packPanel(dst []float32, src Matrix, row int) {
	c := 0
	for ; c+panel <= src.Cols; c += panel {
		k.transpose(dst[c*panel:], panel, src.Data[row*src.Stride+c:], src.Stride)
	}
	for ; c < src.Cols; c++ {
		for j := range panel {
			dst[c*panel+j] = src.Data[(row+j)*src.Stride+c]
		}
	}
}

// Unpack copies rows row to row+dst.Rows-1 of w to dst, a row-major matrix. It panics if
// dst.Cols != w.In or w has no such rows.
func (w Packed) Unpack(dst Matrix, row int) {
	w.check()
	if !dst.valid() || dst.Cols != w.In || row < 0 || row > w.Out-dst.Rows {
		panic("kernels: Unpack: dst.Cols != In, or no such rows")
	}
	for i := range dst.Rows {
		from := w.Data[w.at(row+i, 0):]
		to := dst.Row(i)
		for c := range to {
			to[c] = from[c*panel]
		}
	}
}

// transposePacked sets dst, padding included, to the transpose of w.
func (k Impl) transposePacked(dst, w Packed) {
	dst.check()
	w.check()
	if dst.Out != w.In || dst.In != w.Out {
		panic("kernels: LinearTranspose: dst is not In×Out")
	}
	t, n := transposeTask{dst, w}, panels(w.Out)
	if !divided(k, t, CostMove*int64(w.Out*w.In), n) {
		t.Run(k, 0, n)
	}
}

// A transposeTask divides the panels of w.
type transposeTask struct{ dst, w Packed }

func (t *transposeTask) Run(k Impl, first, end int) {
	dst, w := t.dst, t.w
	for p := first; p < end; p++ {
		src := w.panel(p)
		cols := min(panel, w.Out-p*panel)
		for q := range panels(w.In) {
			to := dst.panel(q)[p*panel*panel:]
			rows := min(panel, w.In-q*panel)
			if cols == panel && rows == panel {
				k.transpose(to, panel, src[q*panel*panel:], panel)
				continue
			}
			transposeEdge(to, src[q*panel*panel:], rows, cols)
		}
	}
}

// transposeEdge transposes a rows×cols corner of a 16×16 block and pads each of the cols result
// rows with zeros.
func transposeEdge(dst, src []float32, rows, cols int) {
	for j := range cols {
		to := dst[j*panel : j*panel+panel]
		for i := range to {
			to[i] = 0
			if i < rows {
				to[i] = src[i*panel+j]
			}
		}
	}
}

// transposeGo sets dst[j*dstStride+i] = src[i*srcStride+j] for i, j < 16.
func transposeGo(dst []float32, dstStride int, src []float32, srcStride int) {
	for i := range panel {
		row := src[i*srcStride : i*srcStride+panel]
		for j, v := range row {
			dst[j*dstStride+i] = v
		}
	}
}

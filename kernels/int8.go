package kernels

import (
	"encoding/binary"
	"math"
	"unsafe"
)

const (
	badNewRows = "kernels: NewRowsInt8: negative or overflowing shape, or cols above MaxInt8Inputs"
	badRowsRow = "kernels: RowsInt8: no such row"
)

// RowsInt8 is a Rows×Cols matrix of 8-bit integers with one scale per row, the input of int8 products:
// element (i, j) is Scale(i)·Row(i)[j]. Several products can share it. Copies share their elements.
type RowsInt8 struct {
	Rows, Cols int
	data       []int8    // rows of int8RowLen(Cols) values, zeros after the first Cols
	scales     []float32 // of each row
	starts     []int32   // -128·Σ_j of each row: see tileInt8
}

// NewRowsInt8 returns rows of zeros with scales of 0. It panics if rows or cols is negative, cols is
// above MaxInt8Inputs or the size overflows int.
func NewRowsInt8(rows, cols int) RowsInt8 {
	if rows < 0 || cols < 0 || cols > MaxInt8Inputs || !fits(rows, max(lanes, int8RowLen(cols)), math.MaxInt) {
		panic(badNewRows)
	}
	return RowsInt8{rows, cols, AllocInt8(rows * int8RowLen(cols)), Alloc(rows), make([]int32, rows)}
}

// RowInt8Bytes returns the number of bytes that a row of RowsInt8 takes, its scale included. It panics if cols
// is negative or the number overflows int.
func RowInt8Bytes(cols int) int {
	if cols < 0 || cols > math.MaxInt-2*lanes {
		panic(badNewRows)
	}
	return int8RowLen(cols) + 4 + 4 // the scale and the start
}

// int8RowLen returns the distance between two rows: cols rounded up to a multiple of 16, since
// quantization stores up to 16 values at a time.
func int8RowLen(cols int) int { return (cols + lanes - 1) / lanes * lanes }

// check panics if Rows or Cols was set to another value. Every method calls it.
func (x RowsInt8) check() {
	if !x.valid() {
		panic("kernels: RowsInt8: Rows or Cols is not what NewRowsInt8 or Slice made it")
	}
}

func (x RowsInt8) valid() bool {
	n := int8RowLen(x.Cols)
	return x.Rows >= 0 && x.Cols >= 0 && x.Cols <= MaxInt8Inputs && fits(x.Rows, n, len(x.data)) && x.Rows*n == len(x.data) &&
		len(x.scales) == x.Rows && len(x.starts) == x.Rows
}

// Slice returns rows from to to-1 as a view. It panics if there are no such rows.
func (x RowsInt8) Slice(from, to int) RowsInt8 {
	x.check()
	if from < 0 || to < from || to > x.Rows {
		panic(badRows)
	}
	n := int8RowLen(x.Cols)
	return RowsInt8{to - from, x.Cols, x.data[from*n : to*n], x.scales[from:to], x.starts[from:to]}
}

// View returns a rows×cols matrix in the memory of x, whose elements it shares: a scratch for matrices of
// several shapes. It panics if the shape is negative or x has not as much memory or as many rows.
func (x RowsInt8) View(rows, cols int) RowsInt8 {
	x.check()
	if rows < 0 || cols < 0 || rows > x.Rows || cols > MaxInt8Inputs || !fits(rows, int8RowLen(cols), len(x.data)) {
		panic("kernels: RowsInt8.View: negative shape, or more rows or values than x has room for")
	}
	return RowsInt8{rows, cols, x.data[:rows*int8RowLen(cols)], x.scales[:rows], x.starts[:rows]}
}

// Row returns the quantized values of row i, which the caller must not change: use SetRow. It panics if
// there is no such row.
func (x RowsInt8) Row(i int) []int8 {
	x.check()
	if i < 0 || i >= x.Rows {
		panic(badRowsRow)
	}
	return x.data[i*int8RowLen(x.Cols):][:x.Cols:x.Cols]
}

// Scale returns the scale of row i. It panics if there is no such row.
func (x RowsInt8) Scale(i int) float32 {
	x.check()
	if i < 0 || i >= x.Rows {
		panic(badRowsRow)
	}
	return x.scales[i]
}

// SetRow sets row i to values that are quantized: element (i, j) is scale·values[j]. It panics if
// len(values) != x.Cols or there is no such row.
func (x RowsInt8) SetRow(i int, values []int8, scale float32) {
	x.check()
	if i < 0 || i >= x.Rows || len(values) != x.Cols {
		panic("kernels: RowsInt8.SetRow: len(values) != Cols, or no such row")
	}
	copy(x.Row(i), values)
	x.scales[i], x.starts[i] = scale, startOf(values)
}

// startOf returns -128·Σ x[j]. It adds eight values at a time, each increased by 128: pairs of bytes of a word,
// whose sums of 128 words fit into 16 bits each.
func startOf(x []int8) int32 {
	const words, low, signs = 128, 0x00ff00ff00ff00ff, 0x8080808080808080
	var sum int32
	for len(x) >= 8 {
		n := min(len(x)/8, words)
		var pairs uint64
		for raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*n); len(raw) > 0; raw = raw[8:] {
			w := binary.NativeEndian.Uint64(raw) ^ signs
			pairs += w&low + w>>8&low
		}
		for ; pairs > 0; pairs >>= 16 {
			sum += int32(pairs & 0xffff)
		}
		sum -= int32(8 * n * weightOffset)
		x = x[8*n:]
	}
	for _, v := range x {
		sum += int32(v)
	}
	return -weightOffset * sum
}

// Quantize sets every row of dst to the row of src, with a scale of its own:
//
//	scale[i] = max_j |src[i][j]| / 127
//	q[i][j] = src[i][j] / scale[i], rounded to the nearest integer, ties to even
//
// Both divisions round to float32, and q lies in [-127, 127]. A row of zeros, or of values so small that
// the scale rounds to 0, has scale 0 and q = 0. A row with a NaN or an infinity has scale NaN and
// q = 0, so that every product of it is NaN. It panics if the shapes differ.
func (k Impl) Quantize(dst RowsInt8, src Matrix) {
	dst.check()
	if !src.readable() || src.Rows != dst.Rows || src.Cols != dst.Cols {
		panic("kernels: Quantize: shapes of dst and src differ")
	}
	n := int8RowLen(dst.Cols)
	for i := range dst.Rows {
		x, to := src.Row(i), dst.data[i*n:(i+1)*n]
		scale, sum := int8Scale(k.maxAbsBits(x)), int32(0)
		for from := 0; from < len(x); from += quantizeBlock {
			end := min(from+quantizeBlock, len(x))
			sum += k.quantizePart(to[from:], x[from:end], scale)
		}
		dst.scales[i], dst.starts[i] = scale, -weightOffset*sum
	}
}

// quantizePart sets q to at least one value x/scale, or to 0 if scale is 0 or NaN, and returns the sum.
// It pads q with zeros to a multiple of 16.
func (k Impl) quantizePart(q []int8, x []float32, scale float32) (sum int32) {
	padded := q[:int8RowLen(len(x))]
	if !(scale > 0) {
		clear(padded)
		return 0
	}
	clear(padded[len(padded)-lanes:])
	return k.quantize(padded, x, scale)
}

// quantizeBlock is the maximum number of values in one call of assembly.
const quantizeBlock = block

// int8Scale returns the scale for values of which bits has the largest magnitude.
func int8Scale(bits uint32) float32 {
	const infinity = 0x7f800000
	if bits >= infinity {
		return float32(math.NaN())
	}
	return math.Float32frombits(bits) / 127
}

// maxAbsBits returns the bits of the largest |x[i]|, where NaN is larger than infinity, or 0.
func (k Impl) maxAbsBits(x []float32) uint32 {
	var m uint32
	for len(x) > 0 {
		n := min(len(x), quantizeBlock)
		m = max(m, uint32(k.maxBits(x[:n])))
		x = x[n:]
	}
	return m
}

func maxBitsGo(x []float32) int32 {
	var m int32
	for _, v := range x {
		m = max(m, int32(math.Float32bits(v)&^(1<<31)))
	}
	return m
}

// quantizeGo sets q[i] = x[i]/scale rounded to the nearest integer, ties to even, and clamped to
// [-127, 127], and returns the sum. It leaves what pads q to a multiple of 16; others write zeros there.
// The clamp is for subnormal scales, whose relative rounding error is large.
//
// The sum with magic rounds a value of up to 2²² to an integer, and has that in its low bits.
func quantizeGo(q []int8, x []float32, scale float32) (sum int32) {
	const magic = 0x1.8p23
	for i, v := range x {
		d := min(max(v/scale, -127), 127)
		n := int32(math.Float32bits(d+magic)) - int32(math.Float32bits(magic))
		q[i] = int8(n)
		sum += n
	}
	return sum
}

// MaxInt8Inputs is the largest number of inputs of an int8 product: 2¹⁷-1. No sum of as many products
// of two int8 leaves the range of int32, since (-128)²·(2¹⁷-1) < 2³¹.
const MaxInt8Inputs = 1<<17 - 1

// quad is the number of inputs whose weights for one output are adjacent in a PackedInt8.
const quad = 4

// PackedInt8 is an Out×In weight matrix of 8-bit integers with one scale per output: weight (n, k) is
// Scales[n]·q, where q is
//
//	Data[(n/16)*stride + (k/4)*64 + (n%16)*4 + k%4]
//
// Zeros pad the last panel to 16 outputs and the inputs to a multiple of 4. The stride is 16 times the
// padded inputs, 64 more where that is a multiple of 4096. q may be any int8; PackRowsInt8 never makes it
// -128. Kernels that take a PackedInt8 panic unless len(Data) is PackedInt8Len(Out, In) and
// len(Scales) is Out.
type PackedInt8 struct {
	Out, In int
	Data    []int8
	Scales  []float32
}

// PackedInt8Len returns the length of Data of a packed out×in matrix, in bytes, or false if a size is negative, in
// is above MaxInt8Inputs or the length overflows int. A caller can check with it what a file says.
func PackedInt8Len(out, in int) (n int, ok bool) {
	if in > MaxInt8Inputs {
		return 0, false
	}
	return panelsLen(out, in, int8Stride, math.MaxInt)
}

func quads(in int) int { return (in + quad - 1) / quad }

// quadBytes is the size of the weights of a panel for four inputs.
const quadBytes = panel * quad

// int8Stride returns the distance between two panels in bytes.
func int8Stride(in int) int { return offPage(quads(in)*quadBytes, 1) }

// NewPackedInt8 returns a packed out×in matrix of zeros with scales of 0. Data is aligned as [Alloc]
// aligns float32. It panics where PackedInt8Len returns false.
func NewPackedInt8(out, in int) PackedInt8 {
	n, ok := PackedInt8Len(out, in)
	if !ok {
		panic("kernels: NewPackedInt8: negative or overflowing shape, or in above MaxInt8Inputs")
	}
	return PackedInt8{out, in, AllocInt8(n), Alloc(out)}
}

// AllocInt8 is [Alloc] for int8. Matrices of a few megabytes that are parts of one slice, each from a
// multiple of 64 on, share its huge pages, which a matrix of its own does not get below 4 MB. It panics
// where Alloc(n/4) does.
func AllocInt8(n int) []int8 {
	if n < 0 {
		panic(badAlloc)
	}
	words := Alloc((n + 3) / 4)
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// PackInt8 returns m quantized and packed, in new memory. It panics if Data does not hold every
// element of m, or m.Cols is above MaxInt8Inputs. See PackRowsInt8.
func (k Impl) PackInt8(m Matrix) PackedInt8 {
	if !m.valid() {
		panic(badPack)
	}
	w := NewPackedInt8(m.Rows, m.Cols)
	k.PackRowsInt8(w, 0, m)
	return w
}

// PackRowsInt8 sets rows row to row+src.Rows-1 of w to src, quantized like the rows of [Impl.Quantize]:
//
//	w.Scales[row+i] = max_j |src[i][j]| / 127
//	q[row+i][j] = src[i][j] / w.Scales[row+i], rounded to the nearest integer, ties to even
//
// It panics if src.Cols != w.In or w has no such rows.
func (k Impl) PackRowsInt8(w PackedInt8, row int, src Matrix) {
	w.check()
	if !src.valid() || src.Cols != w.In || row < 0 || row > w.Out-src.Rows {
		panic("kernels: PackRowsInt8: src.Cols != In, or no such rows")
	}
	var q [quantizeBlock]int8
	for i := range src.Rows {
		x := src.Row(i)
		scale := int8Scale(k.maxAbsBits(x))
		w.Scales[row+i] = scale
		for from := 0; from < len(x); from += len(q) {
			part := x[from:min(from+len(q), len(x))]
			k.quantizePart(q[:], part, scale)
			w.set(row+i, from, q[:len(part)])
		}
	}
}

// SetRowsInt8 sets outputs row to row+len(scales)-1 of w to values that are quantized, row-major: weight
// (row+i, k) is scales[i]·values[i·w.In+k]. It panics if len(values) != len(scales)·w.In or w has no such outputs.
func (k Impl) SetRowsInt8(w PackedInt8, row int, values []int8, scales []float32) {
	w.check()
	if row < 0 || row > w.Out-len(scales) || !fits(len(scales), w.In, len(values)) || len(values) != len(scales)*w.In {
		panic("kernels: SetRowsInt8: len(values) != len(scales)·In, or no such rows")
	}
	copy(w.Scales[row:], scales)
	to, aligned := wordsOf(w.Data)
	words, whole := wordsOf(values)
	whole = whole && aligned && w.In%quad == 0
	for i := 0; i < len(scales); {
		n := row + i
		if whole && n%panel == 0 && i+panel <= len(scales) { // words of four weights, packed like float32
			k.packPanel(to[w.at(n, 0)/quad:][:w.In/quad*panel], View(words, len(scales), w.In/quad), i)
			i += panel
			continue
		}
		w.set(n, 0, values[i*w.In:][:w.In])
		i++
	}
}

// wordsOf returns x as values of float32 with the same bits, and whether its memory allows that.
func wordsOf(x []int8) ([]float32, bool) {
	p := unsafe.Pointer(unsafe.SliceData(x))
	if uintptr(p)%4 != 0 || len(x)%4 != 0 {
		return nil, false
	}
	return unsafe.Slice((*float32)(p), len(x)/4), true
}

// Row copies the quantized weights of output n to dst and returns their scale. It panics if
// len(dst) != w.In or w has no such output.
func (w PackedInt8) Row(dst []int8, n int) (scale float32) {
	w.check()
	if n < 0 || n >= w.Out || len(dst) != w.In {
		panic("kernels: PackedInt8.Row: len(dst) != In, or no such row")
	}
	for i := range dst {
		dst[i] = w.Data[w.at(n, i)]
	}
	return w.Scales[n]
}

// set sets the weights of output n from input from on, which is a multiple of 4.
func (w PackedInt8) set(n, from int, values []int8) {
	i := 0
	for at := w.at(n, from); i+quad <= len(values); at += quadBytes {
		*(*[quad]int8)(w.Data[at:]) = [quad]int8(values[i:])
		i += quad
	}
	for ; i < len(values); i++ {
		w.Data[w.at(n, from+i)] = values[i]
	}
}

func (w PackedInt8) at(n, k int) int {
	return n/panel*int8Stride(w.In) + k/quad*quadBytes + n%panel*quad + k%quad
}

// check panics unless Data and Scales agree with the shape.
func (w PackedInt8) check() {
	if !w.valid() {
		panic("kernels: PackedInt8: In above MaxInt8Inputs, or lengths of Data and Scales do not agree with the shape")
	}
}

func (w PackedInt8) valid() bool {
	n, ok := PackedInt8Len(w.Out, w.In)
	return ok && n == len(w.Data) && len(w.Scales) == w.Out
}

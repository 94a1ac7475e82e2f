package kernels

import "math"

const (
	badNewRows  = "kernels: NewRowsInt8: negative or overflowing shape, or cols above MaxInt8Inputs"
	badQuantize = "kernels: Quantize: shapes of dst and src differ"
	badSetRow   = "kernels: RowsInt8.SetRow: len(values) != Cols, or no such row"
	badViewInt8 = "kernels: RowsInt8.View: negative shape, or more rows or values than x has room for"
	badRowsRow  = "kernels: RowsInt8: no such row"
	badRowsInt8 = "kernels: RowsInt8: Rows or Cols is not what NewRowsInt8 or Slice made it"
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

// int8RowLen returns the distance between two rows: cols rounded up to a multiple of 16, since
// quantization stores up to 16 values at a time.
func int8RowLen(cols int) int { return (cols + lanes - 1) / lanes * lanes }

// check panics if Rows or Cols was set to another value. Every method calls it.
func (x RowsInt8) check() {
	if !x.valid() {
		panic(badRowsInt8)
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
		panic(badViewInt8)
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
		panic(badSetRow)
	}
	copy(x.Row(i), values)
	x.scales[i], x.starts[i] = scale, startOf(values)
}

// startOf returns -128·Σ x[j].
func startOf(x []int8) int32 {
	var sum int32
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
	if !src.hasShape(dst.Rows, dst.Cols) {
		panic(badQuantize)
	}
	n := int8RowLen(dst.Cols)
	for i := range dst.Rows {
		x, to := src.Row(i), dst.data[i*n:(i+1)*n]
		readsVector(x)
		writesInt8(to)
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

package kernels

import (
	"math"
	"unsafe"
)

const (
	badPackedInt8    = "kernels: PackedInt8: In above MaxInt8Inputs, or lengths of Data and Scales do not agree with the shape"
	badPackedInt8Len = "kernels: PackedInt8Len: negative or overflowing shape, or in above MaxInt8Inputs"
	badPackInt8      = "kernels: PackInt8: src.Cols != In, or no such rows"
	badSetInt8       = "kernels: PackedInt8.SetRow: len(values) != In, or no such row"
	badRowInt8       = "kernels: PackedInt8.Row: len(dst) != In, or no such row"
)

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
// padded inputs, 64 more where that is a multiple of 4096. q may be any int8; PackInt8 never makes it
// -128. Kernels that take a PackedInt8 panic unless len(Data) is PackedInt8Len(Out, In) and
// len(Scales) is Out.
type PackedInt8 struct {
	Out, In int
	Data    []int8
	Scales  []float32
}

// PackedInt8LenOK reports whether PackedInt8Len(out, in) returns. Check with it what comes from a file.
func PackedInt8LenOK(out, in int) bool {
	_, ok := packedInt8Len(out, in)
	return ok
}

// PackedInt8Len returns the length of Data of a packed out×in matrix, in bytes. It panics if out or in
// is negative, in is above MaxInt8Inputs or the length overflows int.
func PackedInt8Len(out, in int) int {
	n, ok := packedInt8Len(out, in)
	if !ok {
		panic(badPackedInt8Len)
	}
	return n
}

func packedInt8Len(out, in int) (n int, ok bool) {
	const limit = math.MaxInt - panel // panels does not overflow up to here
	if out < 0 || in < 0 || out > limit || in > MaxInt8Inputs || !fits(panels(out), int8Stride(in), math.MaxInt) {
		return 0, false
	}
	return panels(out) * int8Stride(in), true
}

// quads returns the number of groups of four inputs.
func quads(in int) int { return (in + quad - 1) / quad }

// quadBytes is the size of the weights of a panel for four inputs.
const quadBytes = panel * quad

// int8Stride returns the distance between two panels in bytes.
func int8Stride(in int) int {
	const page = 4096
	n := quads(in) * quadBytes
	if n%page == 0 {
		n += quadBytes
	}
	return n
}

// NewPackedInt8 returns a packed out×in matrix of zeros with scales of 0. Data is aligned as [Alloc]
// aligns float32. It panics where PackedInt8Len does.
func NewPackedInt8(out, in int) PackedInt8 {
	return PackedInt8{out, in, AllocInt8(PackedInt8Len(out, in)), Alloc(out)}
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

// PackedInt8 returns m quantized and packed, in new memory. It panics if Data does not hold every
// element of m, or m.Cols is above MaxInt8Inputs. See PackInt8.
func (k Impl) PackedInt8(m Matrix) PackedInt8 {
	if !m.valid() {
		panic(badPackedFrom)
	}
	w := NewPackedInt8(m.Rows, m.Cols)
	k.PackInt8(w, 0, m)
	return w
}

// PackInt8 sets rows row to row+src.Rows-1 of w to src, quantized like the rows of [Impl.Quantize]:
//
//	w.Scales[row+i] = max_j |src[i][j]| / 127
//	q[row+i][j] = src[i][j] / w.Scales[row+i], rounded to the nearest integer, ties to even
//
// It panics if src.Cols != w.In or w has no such rows.
func (k Impl) PackInt8(w PackedInt8, row int, src Matrix) {
	w.check()
	if !src.valid() || src.Cols != w.In || row < 0 || row > w.Out-src.Rows {
		panic(badPackInt8)
	}
	var q [quantizeBlock]int8
	for i := range src.Rows {
		x := src.Row(i)
		readsVector(x)
		scale := int8Scale(k.maxAbsBits(x))
		w.Scales[row+i] = scale
		for from := 0; from < len(x); from += len(q) {
			part := x[from:min(from+len(q), len(x))]
			k.quantizePart(q[:], part, scale)
			w.set(row+i, from, q[:len(part)])
		}
	}
}

// SetRow sets output n of w to values that are quantized: weight (n, k) is scale·values[k]. It panics
// if len(values) != w.In or w has no such output.
func (w PackedInt8) SetRow(n int, values []int8, scale float32) {
	w.check()
	if n < 0 || n >= w.Out || len(values) != w.In {
		panic(badSetInt8)
	}
	w.Scales[n] = scale
	w.set(n, 0, values)
}

// Row copies the quantized weights of output n to dst and returns their scale. It panics if
// len(dst) != w.In or w has no such output.
func (w PackedInt8) Row(dst []int8, n int) (scale float32) {
	w.check()
	if n < 0 || n >= w.Out || len(dst) != w.In {
		panic(badRowInt8)
	}
	for i := range dst {
		dst[i] = w.Data[w.at(n, i)]
	}
	return w.Scales[n]
}

// set sets the weights of output n from input from on, which is a multiple of 4.
func (w PackedInt8) set(n, from int, values []int8) {
	for i, v := range values {
		w.Data[w.at(n, from+i)] = v
	}
}

// at returns the index of element (n, k) in Data.
func (w PackedInt8) at(n, k int) int {
	return n/panel*int8Stride(w.In) + k/quad*quadBytes + n%panel*quad + k%quad
}

// check panics unless Data and Scales agree with the shape.
func (w PackedInt8) check() {
	if !w.valid() {
		panic(badPackedInt8)
	}
}

func (w PackedInt8) valid() bool {
	n, ok := packedInt8Len(w.Out, w.In)
	return ok && n == len(w.Data) && len(w.Scales) == w.Out
}

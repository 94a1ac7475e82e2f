package kernels

import "math"

const (
	badNewRowsBF16 = "kernels: NewRowsBF16: negative or overflowing shape"
	badRowsBF16    = "kernels: RowsBF16: Rows or Cols is not what NewRowsBF16 or Slice made it"
)

// RowsBF16 is a Rows×Cols matrix of bfloat16 values, which are float32 whose lower 16 bits are zeros: an
// input of bfloat16 products. Several products can share it. Copies share their elements.
type RowsBF16 struct {
	Rows, Cols int      // must not be changed
	data       []uint32 // rows of bf16RowLen(Cols) words: see bf16Block
}

// NewRowsBF16 returns rows of zeros. It panics if rows or cols is negative or the size in bytes overflows
// int.
func NewRowsBF16(rows, cols int) RowsBF16 {
	if rows < 0 || cols < 0 || cols > math.MaxInt-bf16Block || !fits(rows, bf16RowLen(cols), maxLen) {
		panic(badNewRowsBF16)
	}
	return RowsBF16{rows, cols, words(Alloc(rows * bf16RowLen(cols)))}
}

// RowBF16Bytes returns the number of bytes that a row of RowsBF16 takes. It panics if cols is negative or the
// number overflows int.
func RowBF16Bytes(cols int) int {
	if cols < 0 || cols > math.MaxInt/2-bf16Block {
		panic(badNewRowsBF16)
	}
	return 4 * bf16RowLen(cols)
}

// bf16Block is the number of inputs that a product sums at a time, in 16 words of two. Word 2q holds
// inputs 4q, in the upper half, and 4q+2; word 2q+1 holds inputs 4q+1 and 4q+3. So a chain of even
// inputs reads every second word, the upper half first. Zeros pad the inputs to a multiple of 32.
const (
	bf16Block = 32
	bf16Words = bf16Block / 2 // of a block
)

// bf16Blocks returns the number of blocks of n inputs.
func bf16Blocks(n int) int { return (n + bf16Block - 1) / bf16Block }

// bf16RowLen returns the number of words of a row.
func bf16RowLen(cols int) int { return bf16Blocks(cols) * bf16Words }

// bf16Word returns the word that holds input k, and the shift of its upper half there.
func bf16Word(k int) (word, shift int) { return k/4*2 + k%2, 16 * (1 - k/2%2) }

// bf16At returns input k, where words of it lie step apart.
func bf16At(x []uint32, k, step int) float32 {
	word, shift := bf16Word(k)
	return math.Float32frombits(x[word*step] >> shift << 16)
}

// check panics if Rows or Cols was set to another value. Every method calls it.
func (x RowsBF16) check() {
	if x.Rows < 0 || x.Cols < 0 || x.Cols > math.MaxInt-bf16Block {
		panic(badRowsBF16)
	}
	if n := bf16RowLen(x.Cols); !fits(x.Rows, n, len(x.data)) || x.Rows*n != len(x.data) {
		panic(badRowsBF16)
	}
}

// Slice returns rows from to to-1 as a view. It panics if there are no such rows.
func (x RowsBF16) Slice(from, to int) RowsBF16 {
	x.check()
	if from < 0 || to < from || to > x.Rows {
		panic(badRows)
	}
	n := bf16RowLen(x.Cols)
	return RowsBF16{to - from, x.Cols, x.data[from*n : to*n]}
}

// View returns a rows×cols matrix in the memory of x, whose elements it shares: a scratch for matrices of
// several shapes. It panics if the shape is negative or x has not as much memory.
func (x RowsBF16) View(rows, cols int) RowsBF16 {
	x.check()
	if rows < 0 || cols < 0 || cols > math.MaxInt-bf16Block || !fits(rows, bf16RowLen(cols), len(x.data)) {
		panic("kernels: RowsBF16.View: negative shape, or more values than x has room for")
	}
	return RowsBF16{rows, cols, x.data[:rows*bf16RowLen(cols)]}
}

// Row copies row i to dst. It panics if len(dst) != x.Cols or there is no such row.
func (x RowsBF16) Row(dst []float32, i int) {
	x.check()
	if i < 0 || i >= x.Rows || len(dst) != x.Cols {
		panic("kernels: RowsBF16.Row: len(dst) != Cols, or no such row")
	}
	for j := range dst {
		dst[j] = bf16At(x.data[i*bf16RowLen(x.Cols):], j, 1)
	}
}

// roundRowsBF16 sets dst to src, rounded as in Linear. dst must not overlap src.
func (k Impl) roundRowsBF16(dst RowsBF16, src Matrix) {
	dst.check()
	if !src.readable() || src.Rows != dst.Rows || src.Cols != dst.Cols {
		panic("kernels: shapes of values to round to bfloat16 differ")
	}
	k.eachRow(eachRowTask{op: rowRound, a: src, bf16: dst}, src.Rows, CostMove*src.Cols)
}

// roundRowBF16 sets the words of dst, a whole row, to x.
func (k Impl) roundRowBF16(dst []uint32, x []float32) {
	whole := len(x) / bf16Block * bf16Block
	for from := 0; from < whole; from += roundBlock {
		end := min(from+roundBlock, whole)
		k.roundBF16(dst[from/2:end/2], x[from:end])
	}
	if whole < len(x) {
		var rest [bf16Block]float32
		copy(rest[:], x[whole:])
		k.roundBF16(dst[whole/2:], rest[:])
	}
}

// roundBlock is the maximum number of values in one call of assembly, a multiple of bf16Block.
const roundBlock = 2048

// roundBF16Go sets the words of dst to src, whole blocks.
func roundBF16Go(dst []uint32, src []float32) {
	for w := 0; w < len(dst); w += 2 {
		x := (*[4]float32)(src[2*w:])
		dst[w] = pairBF16(x[0], x[2])
		dst[w+1] = pairBF16(x[1], x[3])
	}
}

// pairBF16 returns the word of two values.
func pairBF16(upper, lower float32) uint32 { return toBF16(upper) | toBF16(lower)>>16 }

// toBF16 returns the bits of v rounded to bfloat16. The sum of its bits with almost half of the last place
// that remains, and with that place itself, carries where v is to be rounded up.
func toBF16(v float32) uint32 {
	const half, quiet = 0x8000, 0x7fc00000
	bits := math.Float32bits(v)
	switch {
	case v != v:
		return quiet
	case v > -bf16Least && v < bf16Least:
		return 0
	}
	return (bits + half - 1 + bits>>16&1) &^ 0xffff
}

// bf16Least is the smallest magnitude that is not rounded to 0. Then every product is a multiple of
// 2⁻¹²⁶, and so is every sum of products: none of them is subnormal, and instructions that replace
// subnormal values by 0 compute the same.
const bf16Least = 0x1p-56

// widenBF16Go sets dst to the bits of the values in the blocks of src: of each block the even inputs, then
// the odd ones.
func widenBF16Go(dst, src []uint32) {
	for w, word := range src {
		to := dst[w/bf16Words*bf16Block+w%2*bf16Words+w%bf16Words/2*2:]
		to[0], to[1] = word&^0xffff, word<<16
	}
}

// PackedBF16 is an Out×In weight matrix of bfloat16 values, in the layout that bfloat16 products read. Copies
// share their elements.
type PackedBF16 struct {
	Out, In int      // must not be changed
	data    []uint32 // panels of 16 outputs, bf16Stride(In) words apart: see panel
}

// NewPackedBF16 returns a packed out×in matrix of zeros. It panics if out or in is negative or the size in
// bytes overflows int.
func NewPackedBF16(out, in int) PackedBF16 {
	n, ok := PackedBF16Len(out, in)
	if !ok {
		panic("kernels: NewPackedBF16: negative or overflowing shape")
	}
	return PackedBF16{out, in, words(Alloc(n))}
}

// PackedBF16Len returns the number of words of 4 bytes in a packed out×in matrix, or false if a size is negative
// or the size in bytes overflows int.
func PackedBF16Len(out, in int) (n int, ok bool) {
	return panelsLen(out, in, bf16Stride, maxLen)
}

// bf16Stride returns the distance between two panels in words.
func bf16Stride(in int) int { return offPage(bf16RowLen(in)*panel, 4) }

// check panics if Out or In was set to another value. Every method calls it.
func (w PackedBF16) check() {
	if !w.valid() {
		panic("kernels: PackedBF16: Out or In is not what NewPackedBF16 made it")
	}
}

func (w PackedBF16) valid() bool {
	n, ok := PackedBF16Len(w.Out, w.In)
	return ok && n == len(w.data)
}

// panel returns the words of outputs 16p to 16p+15: word t of the inputs (see bf16Block) of output n is element
// 16t+n%16. Zeros pad the last panel to 16 outputs and the inputs to whole blocks.
func (w PackedBF16) panel(p int) []uint32 {
	s := bf16Stride(w.In)
	return w.data[p*s : p*s+bf16Blocks(w.In)*bf16Words*panel]
}

// Row copies the weights of output n to dst. It panics if len(dst) != w.In or w has no such output.
func (w PackedBF16) Row(dst []float32, n int) {
	w.check()
	if n < 0 || n >= w.Out || len(dst) != w.In {
		panic("kernels: PackedBF16.Row: len(dst) != In, or no such row")
	}
	for i := range dst {
		dst[i] = bf16At(w.panel(n / panel)[n%panel:], i, panel)
	}
}

// RoundPackedBF16 sets dst, padding included, to src, rounded as the inputs of [Impl.Linear]. A team
// divides the panels. They must not overlap. It panics if the shapes differ.
func (k Impl) RoundPackedBF16(dst PackedBF16, src Packed) {
	dst.check()
	src.check()
	if dst.Out != src.Out || dst.In != src.In {
		panic("kernels: RoundPackedBF16: shapes of dst and src differ")
	}
	r, n := roundPackedTask{dst, src}, panels(src.Out)
	if !divided(k, r, CostMove*int64(src.Out*src.In), n) {
		r.Run(k, 0, n)
	}
}

// A roundPackedTask divides the panels of src.
type roundPackedTask struct {
	dst PackedBF16
	src Packed
}

func (r *roundPackedTask) Run(k Impl, first, end int) {
	const group = 4 * panel // values of four inputs
	whole := r.src.In * panel / group * group
	for p := first; p < end; p++ {
		w, to := r.src.panel(p), r.dst.panel(p)
		for from := 0; from < whole; from += roundBlock {
			until := min(from+roundBlock, whole)
			k.roundPanelBF16(to[from/2:until/2], w[from:until])
		}
		to = to[whole/2:]
		if whole < len(w) {
			var rest [group]float32
			copy(rest[:], w[whole:])
			k.roundPanelBF16(to[:group/2], rest[:])
			to = to[group/2:]
		}
		clear(to)
	}
}

// roundPanelBF16Go sets the words of dst to the inputs of a panel in src, whole groups of four.
func roundPanelBF16Go(dst []uint32, src []float32) {
	for w := 0; w < len(dst); w += 2 * panel {
		x := (*[4 * panel]float32)(src[2*w:])
		to := (*[2 * panel]uint32)(dst[w:])
		for j := range panel {
			to[j] = pairBF16(x[j], x[2*panel+j])
			to[panel+j] = pairBF16(x[panel+j], x[3*panel+j])
		}
	}
}

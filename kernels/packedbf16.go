package kernels

const (
	badPackedBF16    = "kernels: PackedBF16: Out or In is not what NewPackedBF16 made it"
	badNewPackedBF16 = "kernels: NewPackedBF16: negative or overflowing shape"
	badRowPackedBF16 = "kernels: PackedBF16.Row: len(dst) != In, or no such row"
	badRoundPacked   = "kernels: RoundPackedBF16: shapes of dst and src differ"
)

// PackedBF16 is an Out×In weight matrix of bfloat16 values, in the layout that bfloat16 products read. Copies
// share their elements.
type PackedBF16 struct {
	Out, In int      // must not be changed
	data    []uint32 // panels of 16 outputs, bf16Stride(In) words apart: see panel
}

// NewPackedBF16 returns a packed out×in matrix of zeros. It panics if out or in is negative or the size in
// bytes overflows int.
func NewPackedBF16(out, in int) PackedBF16 {
	n, ok := packedBF16Len(out, in)
	if !ok {
		panic(badNewPackedBF16)
	}
	return PackedBF16{out, in, words(Alloc(n))}
}

// PackedBF16LenOK reports whether PackedBF16Len(out, in) returns.
func PackedBF16LenOK(out, in int) bool {
	_, ok := packedBF16Len(out, in)
	return ok
}

// PackedBF16Len returns the number of words of 4 bytes that a packed out×in matrix takes. It panics
// where NewPackedBF16 does.
func PackedBF16Len(out, in int) int {
	n, ok := packedBF16Len(out, in)
	if !ok {
		panic(badNewPackedBF16)
	}
	return n
}

// packedBF16Len returns the number of words, or false if the shape is negative or the size overflows.
func packedBF16Len(out, in int) (n int, ok bool) {
	const limit = maxLen / (2 * panel) // panels and bf16Stride do not overflow up to here
	if out < 0 || in < 0 || out > limit || in > limit || !fits(panels(out), bf16Stride(in), maxLen) {
		return 0, false
	}
	return panels(out) * bf16Stride(in), true
}

// bf16Stride returns the distance between two panels in words.
func bf16Stride(in int) int {
	const page = 4096 / 4
	n := bf16Blocks(in) * bf16Words * panel
	if n%page == 0 {
		n += panel
	}
	return n
}

// check panics if Out or In was set to another value. Every method calls it.
func (w PackedBF16) check() {
	if !w.valid() {
		panic(badPackedBF16)
	}
}

func (w PackedBF16) valid() bool {
	n, ok := packedBF16Len(w.Out, w.In)
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
		panic(badRowPackedBF16)
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
		panic(badRoundPacked)
	}
	r, n := roundPackedTask{dst, src}, panels(src.Out)
	if k.team.divides(CostMove*src.Out*src.In, n) {
		divide(k, r, n)
	} else {
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
		readsVector(w)
		writesWords(to)
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

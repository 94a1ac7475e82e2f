package kernels

import "math"

const (
	badPacked      = "kernels: Packed: negative shape or len(Data) != PackedLen(Out, In)"
	badPackedLen   = "kernels: PackedLen: negative or overflowing shape"
	badPack        = "kernels: Pack: src does not fit the rows of the packed matrix"
	badUnpack      = "kernels: Unpack: dst does not fit the rows of the packed matrix"
	badPackedShape = "kernels: Transpose: dst is not in×out"
)

// Packed is an Out×In weight matrix stored in column panels of 16 outputs:
// element (n, k) is Data[(n/16)*stride + k*16 + n%16]. Outputs that fill up the last panel
// are zero. The stride of a panel is never a multiple of 4096 bytes. Every kernel that takes
// a Packed panics if len(Data) is not PackedLen(Out, In).
type Packed struct {
	Out, In int
	Data    []float32
}

// PackedLen returns the number of values that an out×in matrix takes when packed. It panics
// if out or in is negative or that number is no int.
func PackedLen(out, in int) int {
	n, ok := packedLen(out, in)
	if !ok {
		panic(badPackedLen)
	}
	return n
}

// packedLen returns PackedLen(out, in), and false where that panics.
func packedLen(out, in int) (n int, ok bool) {
	const most = math.MaxInt / (2 * panel) // up to which panels and panelStride do not overflow
	if out < 0 || in < 0 || out > most || in > most || !within(panels(out), panelStride(in), math.MaxInt) {
		return 0, false
	}
	return panels(out) * panelStride(in), true
}

// NewPacked returns an out×in packed matrix of zeros, allocated with [Alloc]. It panics if out
// or in is negative or the length overflows int.
func NewPacked(out, in int) Packed {
	return Packed{out, in, Alloc(PackedLen(out, in))}
}

// PackedOf returns data as an out×in packed matrix. It panics if len(data) is not
// PackedLen(out, in).
func PackedOf(data []float32, out, in int) Packed {
	w := Packed{out, in, data}
	w.check()
	return w
}

// check panics unless w has the values that its shape names. Every method that takes a
// Packed calls it, since not all come from NewPacked or PackedOf.
func (w Packed) check() {
	if n, ok := packedLen(w.Out, w.In); !ok || n != len(w.Data) {
		panic(badPacked)
	}
}

func panels(out int) int { return (out + panel - 1) / panel }

func panelStride(in int) int {
	const page = 4096 / 4
	n := in * panel
	if n%page == 0 {
		n += panel
	}
	return n
}

// panel returns the weights of outputs 16p to 16p+15.
func (w Packed) panel(p int) []float32 {
	s := panelStride(w.In)
	return w.Data[p*s : p*s+w.In*panel]
}

// at returns the index of element (n, k) in Data.
func (w Packed) at(n, k int) int {
	return n/panel*panelStride(w.In) + k*panel + n%panel
}

// Pack sets rows row to row+src.Rows-1 of w to src. It panics if src.Cols != w.In or the
// rows do not exist.
func (k Impl) Pack(w Packed, row int, src Matrix) {
	w.check()
	if !src.valid() || src.Cols != w.In || row < 0 || row > w.Out-src.Rows {
		panic(badPack)
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

// packPanel sets one whole panel to rows row to row+15 of src.
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

// Unpack sets dst to rows row to row+dst.Rows-1 of w. It panics if dst.Cols != w.In or the
// rows do not exist.
func (w Packed) Unpack(dst Matrix, row int) {
	w.check()
	if !dst.valid() || dst.Cols != w.In || row < 0 || row > w.Out-dst.Rows {
		panic(badUnpack)
	}
	for i := range dst.Rows {
		from := w.Data[w.at(row+i, 0):]
		to := dst.Row(i)
		for c := range to {
			to[c] = from[c*panel]
		}
	}
}

// Transpose sets dst to the transpose of w, zeros where it fills up its last panel
// included. It panics if dst is not w.In×w.Out. dst must not overlap w.
func (k Impl) Transpose(dst, w Packed) {
	dst.check()
	w.check()
	if dst.Out != w.In || dst.In != w.Out {
		panic(badPackedShape)
	}
	t, n := k.team, panels(w.Out)
	if !t.divides(CostMove*w.Out*w.In, n) {
		k.transposePanels(dst, w, 0, n)
		return
	}
	t.turning = transposition{dst, w}
	t.do(k, &t.turning, n)
}

// A transposition is the operands of transposePanels.
type transposition struct{ dst, w Packed }

func (t *transposition) Run(k Impl, from, to int) { k.transposePanels(t.dst, t.w, from, to) }

// transposePanels transposes panels first to end-1 of w.
func (k Impl) transposePanels(dst, w Packed, first, end int) {
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

// transposeEdge transposes a rows×cols corner of a 16×16 block and fills each of its cols
// result rows up with zeros.
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

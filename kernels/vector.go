package kernels

import (
	"math"

	"github.com/softsearch-go/softsearch/asm"
)

// block is the maximum number of elements in one call of assembly, and the length over which
// reductions sum in float32 before they add to a float64 total.
const block = 4096

func blocks(n int) int { return (n + block - 1) / block }

// Add sets dst[i] += src[i]. It panics if the lengths differ.
func (k Impl) Add(dst, src []float32) {
	k.pointwise(opAdd, dst, src, src, "kernels: Add: len(dst) != len(src)")
}

// Sub sets dst[i] -= src[i]. It panics if the lengths differ.
func (k Impl) Sub(dst, src []float32) {
	k.addScaled(dst, -1, src, "kernels: Sub: len(dst) != len(src)")
}

// AddScaled sets dst[i] = fma(a, src[i], dst[i]). It panics if the lengths differ.
func (k Impl) AddScaled(dst []float32, a float32, src []float32) {
	k.addScaled(dst, a, src, "kernels: AddScaled: len(dst) != len(src)")
}

// addScaled takes src as the one row of a weighted sum. It panics with message if the lengths differ.
func (k Impl) addScaled(dst []float32, a float32, src []float32, message string) {
	if len(dst) != len(src) {
		panic(message)
	}
	factor := [1]float32{a}
	k.addWeighted(dst, factor[:], row(src))
}

// Mul sets dst[i] = x[i]·y[i].
// dst may be x or y, and must not overlap them otherwise. It panics if the lengths differ.
func (k Impl) Mul(dst, x, y []float32) { k.pointwise(opMul, dst, x, y, "kernels: Mul: lengths differ") }

// Scale sets x[i] = a·x[i].
func (k Impl) Scale(x []float32, a float32) {
	for len(x) > 0 {
		n := min(len(x), block)
		k.scale(x[:n], a)
		x = x[n:]
	}
}

// Clear sets x[i] = 0.
func (k Impl) Clear(x []float32) {
	if !divided(k, clearTask{x}, CostMove*int64(len(x)), blocks(len(x))) {
		clear(x)
	}
}

// A clearTask divides blocks.
type clearTask struct{ x []float32 }

func (c *clearTask) Run(_ Impl, from, to int) {
	clear(c.x[from*block : min(to*block, len(c.x))])
}

// A reduction has lanes: element i goes to lane i mod 16, or i mod 64 in a sum of products, i ascending. Then
// lane l of the upper half is combined with lane l of the lower half, until one is left.
const (
	lanes    = asm.Lanes
	dotLanes = asm.DotLanes
)

// Dot returns Σ_i x[i]·y[i], summed in 64 lanes within each block of 4096 elements and in float64
// over the blocks. It panics if the lengths differ.
func (k Impl) Dot(x, y []float32) float32 {
	if len(x) != len(y) {
		panic("kernels: Dot: len(x) != len(y)")
	}
	if 0 < len(x) && len(x) <= block {
		return k.dot(x, y) + 0 // -0 + 0 is +0
	}
	return float32(k.blockDots(x, y))
}

// blockDots returns Σ_i x[i]·y[i]: 64 lanes within each block, the blocks in float64 in ascending
// order. The sum starts from +0, so -0 from dot becomes +0.
func (k Impl) blockDots(x, y []float32) float64 {
	sum := 0.0
	for len(x) > 0 {
		n := min(len(x), block)
		sum += float64(k.dot(x[:n], y[:n]))
		x, y = x[n:], y[n:]
	}
	return sum
}

// Norm returns the Euclidean norm √(Σ_i x[i]²), summed as in SumSquares. It does not rescale: a
// sum of squares above the float32 range gives +Inf, and squares below it count as 0.
func (k Impl) Norm(x []float32) float32 {
	return float32(math.Sqrt(k.blockDots(x, x)))
}

// SumSquares returns Σ_i x[i]², summed as in Dot, before its rounding to float32.
func (k Impl) SumSquares(x []float32) float64 {
	t := k.team
	if !t.divides(CostMove*int64(len(x)), blocks(len(x))) {
		return k.blockDots(x, x)
	}
	t.begin()
	slot, sum := slotOf[sumSquaresTask](t), 0.0
	defer func() {
		slot.x = nil
		t.end()
	}()
	for len(x) > 0 {
		part := x[:min(len(x), sumBlocks*block)]
		n := blocks(len(part))
		slot.x = part
		t.run(k, slot, n)
		for _, s := range slot.sums[:n] {
			sum += float64(s)
		}
		x = x[len(part):]
	}
	return sum
}

// sumBlocks is the number of blocks whose sums a sumSquaresTask holds.
const sumBlocks = 1024

// A sumSquaresTask divides blocks and holds their sums, which the caller adds in order.
type sumSquaresTask struct {
	x    []float32
	sums [sumBlocks]float32
}

func (s *sumSquaresTask) Run(k Impl, from, to int) {
	for b := from; b < to; b++ {
		part := s.x[b*block : min((b+1)*block, len(s.x))]
		s.sums[b] = k.dot(part, part)
	}
}

// Max returns the largest element, or -Inf if there is none. If x contains NaN, the result is some
// element of x, which may differ between implementations.
func (k Impl) Max(x []float32) float32 {
	m := float32(math.Inf(-1))
	for len(x) > 0 {
		n := min(len(x), block)
		m = larger(m, k.max(x[:n]))
		x = x[n:]
	}
	return m
}

func larger(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}

func addGo(dst, src []float32) {
	for i, v := range src {
		dst[i] += v
	}
}

func mulGo(dst, x, y []float32) {
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

func scaleGo(x []float32, a float32) {
	for i, v := range x {
		x[i] = a * v
	}
}

func dotGo(x, y []float32) float32 {
	var lane [dotLanes]float32
	addProducts(&lane, x, y)
	return treeSum(lane[:])
}

func rowDotsGo(dst []float32, rows Matrix, x []float32) {
	for j := range dst {
		dst[j] = dotGo(rows.row(j), x) + 0 // -0 + 0 is +0
	}
}

// treeSum adds the lanes in the order that the comment on lanes gives.
func treeSum(lane []float32) float32 {
	for w := len(lane) / 2; w > 0; w /= 2 {
		for l := range w {
			lane[l] += lane[l+w]
		}
	}
	return lane[0]
}

func maxGo(x []float32) float32 {
	var lane [lanes]float32
	for l := range lane {
		lane[l] = float32(math.Inf(-1))
	}
	for i, v := range x {
		lane[i%lanes] = larger(lane[i%lanes], v)
	}
	for w := lanes / 2; w > 0; w /= 2 {
		for l := range w {
			lane[l] = larger(lane[l], lane[l+w])
		}
	}
	return lane[0]
}

// topKBlock is the number of elements that TopK skips at once if none of them belongs to the
// result.
const topKBlock = 256

// TopK finds the k = len(values) largest elements of x: values receives them, the largest first,
// and indices their positions in x. Equal elements are in the order of their positions, -0 and +0
// being equal. NaN is left out. TopK returns the number of elements found: k, or fewer if x has fewer.
// The contents of values and indices after them are not defined.
//
// It takes O(n log k) steps, and allocates nothing. It panics if the lengths of values and indices
// differ or an index would overflow int32.
func (k Impl) TopK(values []float32, indices []int32, x []float32) int {
	if len(values) != len(indices) || len(x) > math.MaxInt32 {
		panic("kernels: TopK: len(values) != len(indices), or len(x) overflows int32")
	}
	if len(values) == 0 {
		return 0
	}
	t := topK{values, indices, 0}
	for from := 0; from < len(x); from += topKBlock {
		part := x[from:min(from+topKBlock, len(x))]
		if t.n == len(values) && k.noneAbove(part, values[0]) {
			continue
		}
		for i, v := range part {
			if t.n < len(values) {
				if v == v {
					t.push(v, int32(from+i))
				}
			} else if v > values[0] {
				values[0], indices[0] = v, int32(from+i)
				t.siftDown(t.n)
			}
		}
	}
	t.sort()
	return t.n
}

// noneAbove reports whether vector kernels show that no element of x exceeds bar. Max may miss the
// largest element if another is NaN, and the sum of squares is NaN if and only if an element is.
func (k Impl) noneAbove(x []float32, bar float32) bool {
	if k.isa == isaGo || k.max(x) > bar { // in portable Go, a scan is as fast
		return false
	}
	squares := k.dot(x, x)
	return squares == squares
}

// A topK is a binary heap of n elements whose root is the last of them in the order of TopK.
type topK struct {
	values  []float32
	indices []int32
	n       int
}

// after reports whether element i comes after element j in the order of TopK.
func (t *topK) after(i, j int) bool {
	return t.values[i] < t.values[j] || t.values[i] == t.values[j] && t.indices[i] > t.indices[j]
}

func (t *topK) swap(i, j int) {
	t.values[i], t.values[j] = t.values[j], t.values[i]
	t.indices[i], t.indices[j] = t.indices[j], t.indices[i]
}

func (t *topK) push(v float32, index int32) {
	i := t.n
	t.values[i], t.indices[i] = v, index
	t.n++
	for ; i > 0 && t.after(i, (i-1)/2); i = (i - 1) / 2 {
		t.swap(i, (i-1)/2)
	}
}

// siftDown moves the root down to its place among the first n elements.
func (t *topK) siftDown(n int) {
	i := 0
	for child := 1; child < n; child = 2*i + 1 {
		if child+1 < n && t.after(child+1, child) {
			child++
		}
		if !t.after(child, i) {
			return
		}
		t.swap(i, child)
		i = child
	}
}

// sort puts the heap into the order of TopK.
func (t *topK) sort() {
	for n := t.n - 1; n > 0; n-- {
		t.swap(0, n)
		t.siftDown(n)
	}
}

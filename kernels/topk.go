package kernels

import "math"

const badTopK = "kernels: TopK: len(values) != len(indices), or len(x) overflows int32"

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
		panic(badTopK)
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

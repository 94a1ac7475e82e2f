// Package bounds measures what the processor can do at most: reading memory, and multiply-adds of
// float32 and of bfloat16. Its loops are C; without cgo there are none.
package bounds

// Loops are the bounds in vectors of one instruction set.
type Loops struct {
	Name string // of the instruction set, as the kernels name it
	// Read reads x n times, in sequence or, apart, its eighths at the same time. The one is
	// faster from some caches, the other from memory, as it has more on the way.
	Read func(n int, x []float32, apart bool)
	// MultiplyAdd does at least n fused multiply-adds.
	MultiplyAdd func(n int)
	// MultiplyAddBF16 does at least n multiply-adds with factors of bfloat16. Where the processor has no
	// instruction for them, products widen their factors, and it is MultiplyAdd.
	MultiplyAddBF16 func(n int)
}

// For returns the loops for an implementation of the kernels: those of its name, or else those
// of the widest vectors. It reports whether there are any.
func For(name string) (Loops, bool) {
	list := All()
	for _, l := range list {
		if l.Name == name {
			return l, true
		}
	}
	if len(list) == 0 {
		return Loops{}, false
	}
	return list[0], true
}

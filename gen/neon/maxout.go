package neon

import (
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
)

// Maxout generates maxout over adjacent pairs and its backward pass.
func Maxout(file *a64.File) {
	e := newEmitter(file)
	e.maxout()
	e.maxoutBackward()
}

func (e *emitter) maxout() {
	e.function(decl.Maxout)
	dst, src, n := e.Arg("dst"), e.Arg("src"), e.Arg("n")
	e.pairs(n, src, dst, func(disp int) {
		first, second := e.evenOdd(src, 2*disp)
		e.Comment("the larger of each pair")
		larger := e.larger(second, first)
		e.VBIT(larger, second, first)
		e.STQ(first, dst, disp)
	})
	e.RET()
}

func (e *emitter) maxoutBackward() {
	e.function(decl.MaxoutBackward)
	src, ddst, n := e.Arg("src"), e.Arg("ddst"), e.Arg("n")
	e.pairs(n, src, ddst, func(disp int) {
		first, second := e.evenOdd(src, 2*disp)
		e.Comment("ddst goes to second where that is larger, else to first; 0 to the other")
		larger, d := e.larger(second, first), e.at(ddst, disp)
		e.VAND(larger, d, second)
		e.VEOR(second, d, first)
		e.Comment("pairs again")
		a, b := e.Vector(), e.Vector()
		e.VZIP1(second, first, a)
		e.VZIP2(second, first, b)
		e.FSTPQ(a, b, src, 2*disp)
	})
	e.RET()
}

// pairs emits a loop over n pairs, n a multiple of 16, that interleaves body for two vectors of
// results and advances the operands.
func (e *emitter) pairs(n, pairs, results a64.R, body func(disp int)) {
	const vectors = 2
	done := e.NewLabel("done")
	e.CBZ(n, done)
	loop := e.NewLabel("loop")
	e.Label(loop)
	e.interleave(vectors, func(i int) { body(i * vectorBytes) })
	e.ADDI(2*vectors*vectorBytes, pairs, pairs)
	e.ADDI(vectors*vectorBytes, results, results)
	e.SUBSI(vectors*lanes, n, n)
	e.BNE(loop)
	e.Label(done)
}

// evenOdd returns the elements of even and of odd index of two vectors at base+disp.
func (e *emitter) evenOdd(base a64.R, disp int) (even, odd a64.V) {
	e.Comment("first and second of each pair")
	a, b := e.Vector(), e.Vector()
	e.FLDPQ(base, disp, a, b)
	even, odd = e.Vector(), e.Vector()
	e.VUZP1(b, a, even)
	e.VUZP2(b, a, odd)
	return even, odd
}

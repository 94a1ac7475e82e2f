package avx

import (
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// Maxout writes maxout over adjacent pairs and its backward pass.
func Maxout(c *build.Context, isa ISA) {
	e := newEmitter(c, isa)
	e.maxout()
	e.maxoutBackward()
}

func (e *emitter) maxout() {
	e.function(decl.Maxout)
	dst, src, n := e.arg("dst"), e.arg("src"), e.arg("n")
	e.pairs(n, func() {
		first, second := e.evenOdd(e.loaded(at(src, 0)), e.loaded(at(src, e.bytes)))
		e.VMAXPS(first, second, first)
		e.VMOVUPS(e.permuted("inOrder", [8]uint32{0, 2, 4, 6, 1, 3, 5, 7}, first), at(dst, 0))
		e.ADDQ(operand.U32(2*e.bytes), src)
		e.ADDQ(operand.U32(e.bytes), dst)
	})
	e.end()
}

func (e *emitter) maxoutBackward() {
	e.function(decl.MaxoutBackward)
	src, ddst, n := e.arg("src"), e.arg("ddst"), e.arg("n")
	e.pairs(n, func() {
		first, second := e.evenOdd(e.loaded(at(src, 0)), e.loaded(at(src, e.bytes)))
		d := e.permuted("evenOdd", [8]uint32{0, 4, 1, 5, 2, 6, 3, 7}, e.loaded(at(ddst, 0)))
		zero := e.zero()
		larger := e.compare(greaterThan, second, first)
		first, second = e.choose(larger, zero, d), e.choose(larger, d, zero)
		a, b := e.vec(), e.vec()
		e.VUNPCKLPS(second, first, a)
		e.VUNPCKHPS(second, first, b)
		e.VMOVUPS(a, at(src, 0))
		e.VMOVUPS(b, at(src, e.bytes))
		e.ADDQ(operand.U32(2*e.bytes), src)
		e.ADDQ(operand.U32(e.bytes), ddst)
	})
	e.end()
}

// pairs emits a loop over n pairs, n a multiple of 16, for one vector of results at a time.
func (e *emitter) pairs(n reg.GPVirtual, body func()) {
	done := e.label("done")
	e.SHRQ(operand.U8(bits.TrailingZeros(uint(e.lanes))), n)
	e.JZ(operand.LabelRef(done))
	e.times(n, body)
	e.Label(done)
}

// evenOdd returns the elements of even and of odd index in the vectors a and b: 64 bits of
// a, then the same of b, and so on.
func (e *emitter) evenOdd(a, b reg.VecVirtual) (even, odd reg.VecVirtual) {
	const evenLanes, oddLanes = 0x88, 0xdd
	even, odd = e.vec(), e.vec()
	e.VSHUFPS(operand.U8(evenLanes), b, a, even)
	e.VSHUFPS(operand.U8(oddLanes), b, a, odd)
	return even, odd
}

// permuted returns the 64-bit parts of v in the given order. A vector of four parts has one
// order between that of evenOdd and the natural one, in both directions.
func (e *emitter) permuted(name string, order [8]uint32, v reg.VecVirtual) reg.VecVirtual {
	if !e.wide() {
		const swapMiddle = 0xd8
		e.VPERMPD(operand.U8(swapMiddle), v, v)
		return v
	}
	var words []uint32
	for _, part := range order {
		words = append(words, part, 0)
	}
	e.VPERMPD(v, e.loop.pin(e.words(name, words), e.vec), v)
	return v
}

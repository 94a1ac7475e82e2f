package avx

import (
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/gen/decl"
)

// Maxout generates maxout over adjacent pairs and its backward pass.
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
		e.Comment("the larger of each pair, in order")
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
		e.Comment("ddst goes to second where that is larger, else to first; 0 to the other")
		d := e.permuted("evenOdd", [8]uint32{0, 4, 1, 5, 2, 6, 3, 7}, e.loaded(at(ddst, 0)))
		zero := e.zero()
		larger := e.compare(greaterThan, second, first)
		first, second = e.choose(larger, zero, d), e.choose(larger, d, zero)
		e.Comment("pairs again")
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

// pairs emits a loop over n pairs, n a multiple of 16, that runs body once per vector of results.
func (e *emitter) pairs(n reg.GPVirtual, body func()) {
	done := e.label("done")
	e.SHRQ(operand.U8(bits.TrailingZeros(uint(e.lanes))), n)
	e.JZ(operand.LabelRef(done))
	e.times(n, body)
	e.Label(done)
}

// evenOdd returns the elements of even and of odd index in the vectors a and b. Each 128-bit part
// of a result has two elements from that part of a, then two from that part of b.
func (e *emitter) evenOdd(a, b reg.VecVirtual) (even, odd reg.VecVirtual) {
	e.Comment("first and second of each pair, two from either vector in turn")
	const evenLanes, oddLanes = 0x88, 0xdd
	even, odd = e.vec(), e.vec()
	e.VSHUFPS(operand.U8(evenLanes), b, a, even)
	e.VSHUFPS(operand.U8(oddLanes), b, a, odd)
	return even, odd
}

// permuted returns the 64-bit parts of v in the given order. Four parts, as AVX2 has, change
// between the order of evenOdd and the natural one in either direction by swapping the two in
// the middle.
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

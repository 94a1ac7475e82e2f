package avx

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// A target emits the kernels that package elementwise describes.
type target struct{ e *emitter }

type (
	general = reg.GPVirtual
	vec     = reg.VecVirtual
)

// Elementwise returns the program that emits what describe describes.
func Elementwise(describe func(t elementwise.Target[general, vec])) func(c *build.Context, isa ISA) {
	return func(c *build.Context, isa ISA) { describe(target{newEmitter(c, isa)}) }
}

func (t target) Begin(d decl.Func)              { t.e.function(d) }
func (t target) End()                           { t.e.end() }
func (t target) Return(v vec)                   { t.e.VMOVSS(v.AsX(), address(t.e.ReturnIndex(0))) }
func (t target) Comment(text string)            { t.e.Comment(text) }
func (t target) Arg(name string) general        { return t.e.arg(name) }
func (t target) InBytes(name string) general    { return t.e.inBytes(name) }
func (t target) Broadcast(name string) vec      { return t.e.broadcastArg(name) }
func (t target) New(c elementwise.Constant) vec { return t.e.loaded(t.e.constant(c)) }
func (t target) Vector() vec                    { return t.e.vec() }
func (t target) Copy(v vec) vec                 { return t.e.loaded(v) }
func (t target) Advance(bytes int, p general)   { t.e.ADDQ(operand.I8(bytes), p) }
func (t target) AdvanceBy(bytes, p general)     { t.e.ADDQ(bytes, p) }
func (t target) Times(n general, body func())   { t.e.times(n, body) }

func (t target) BroadcastAt(p general) vec {
	v := t.e.vec()
	t.e.VBROADCASTSS(at(p, 0), v)
	return v
}

func (t target) Each(n general, body func(s elementwise.Span[general, vec])) {
	t.e.each(n, func(s span) { body(s) })
}

func (t target) EachInFlight(n general, body func(s elementwise.Span[general, vec])) {
	t.e.eachInFlight(n, func(s span) { body(s) })
}

func (t target) Reduce(n general, results, lanes int, start elementwise.Constant, body func(s elementwise.Span[general, vec], lanes []vec)) (acc [][]vec) {
	for range results {
		acc = append(acc, t.e.accumulators(lanes))
		for _, v := range acc[len(acc)-1] {
			if start.Value != 0 {
				t.e.VMOVUPS(t.e.constant(start), v)
			}
		}
	}
	t.e.reduce(n, lanes/t.e.lanes, func(s span, part int) {
		var vectors []vec
		for _, result := range acc {
			vectors = append(vectors, result[part])
		}
		body(s, vectors)
	})
	return acc
}

// Tiles takes four rows at a time where there are registers for their sums.
func (t target) Tiles(n general, body func(rows int)) {
	if t.e.wide() {
		t.e.tiles(n, 4, body)
	}
	t.e.tiles(n, 1, body)
}

func (t target) Rows(p, stride general, n int) (list []general) {
	for i := range n {
		list = append(list, p)
		if i < n-1 {
			next := t.e.GP64()
			t.e.LEAQ(indexed(p, stride, 1), next)
			p = next
		}
	}
	return list
}

func (t target) AdvanceRows(p, stride general, n int) { t.e.LEAQ(indexed(p, stride, uint8(n)), p) }

func (t target) Sum(n general, lanes []vec) vec {
	return t.e.tree(t.halve(n, [][]vec{lanes})[0], func(b, a, d operand.Op) { t.e.VADDPS(b, a, d) })
}

// halve adds the upper half of the lanes of each sum to the lower one until 16 are left.
func (t target) halve(n general, sums [][]vec) [][]vec {
	for len(sums[0])*t.e.lanes > asm.Lanes {
		half, skip := len(sums[0])/2, t.e.label("halved")
		t.Comment(fmt.Sprintf("combine lanes l and l+%d", half*t.e.lanes))
		t.e.CMPQ(n, operand.I8(half*t.e.lanes))
		t.e.JLE(operand.LabelRef(skip))
		for _, lanes := range sums {
			for i := range half {
				t.e.VADDPS(lanes[half+i], lanes[i], lanes[i])
			}
		}
		t.e.Label(skip)
		for i := range sums {
			sums[i] = sums[i][:half]
		}
	}
	return sums
}

// StoreSums combines the lanes of four sums in AVX-512 together.
func (t target) StoreSums(n general, sums [][]vec, p general) {
	e, zero := t.e, t.e.repeated("zero", 0)
	if len(sums) != 4 {
		for _, lanes := range sums {
			sum := t.Sum(n, lanes)
			e.VADDSS(zero, sum, sum)
			e.VMOVSS(sum, at(p, 0))
			e.ADDQ(operand.I8(4), p)
		}
		return
	}
	t.halve(n, sums)
	added := func(x, y vec, low, high operand.U8) vec {
		a, b := e.vec(), e.vec()
		e.VSHUFF32X4(low, y, x, a)
		e.VSHUFF32X4(high, y, x, b)
		e.VADDPS(b, a, a)
		return a
	}
	t.Comment("combine lanes l and l+8 of two sums, l and l+4 of all, l+2, l+1")
	const lower, upper, even, odd = 0x44, 0xee, 0x88, 0xdd // of the four parts of each vector
	all := added(added(sums[0][0], sums[1][0], lower, upper), added(sums[2][0], sums[3][0], lower, upper), even, odd)
	other := e.vec()
	e.VPERMILPD(operand.U8(0x55), all, other)
	e.VADDPS(other, all, all)
	e.VMOVSHDUP(all, other)
	e.VADDPS(other, all, all)
	e.VADDPS(zero, all, all)
	first := e.loaded(e.words("first", []uint32{0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12}))
	e.VPERMPS(all, first, all)
	e.VMOVUPS(all.AsX(), at(p, 0))
	e.ADDQ(operand.I8(16), p)
}

func (t target) Largest(lanes []vec) vec {
	return t.e.tree(lanes, func(b, a, d operand.Op) { t.e.VMAXPS(b, a, d) })
}

func (t target) Add(b, a, d vec)    { t.e.VADDPS(b, a, d) }
func (t target) Sub(b, a, d vec)    { t.e.VSUBPS(b, a, d) }
func (t target) Mul(b, a, d vec)    { t.e.VMULPS(b, a, d) }
func (t target) Div(b, a, d vec)    { t.e.VDIVPS(b, a, d) }
func (t target) Sqrt(a, d vec)      { t.e.VSQRTPS(a, d) }
func (t target) Max(b, a, d vec)    { t.e.VMAXPS(b, a, d) }
func (t target) MulAdd(b, a, d vec) { t.e.VFMADD231PS(b, a, d) }
func (t target) MulSub(b, a, d vec) { t.e.VFNMADD231PS(b, a, d) }
func (t target) ToFloat(a, d vec)   { t.e.VCVTDQ2PS(a, d) }

func (t target) Abs(a vec) vec {
	d := t.e.vec()
	t.e.VANDPS(t.e.bits("absBits", ^uint32(asm.SignBit)), a, d)
	return d
}

func (t target) CopySign(a, d vec) {
	t.e.VANDPS(t.e.bits("signBit", asm.SignBit), a, a)
	t.e.VORPS(a, d, d)
}

func (e *emitter) constant(c elementwise.Constant) operand.Op { return e.float(c.Name, c.Value) }

func (t target) Fused(a, b, c vec) vec {
	t.e.VFMADD213PS(c, b, a)
	return a
}

func (t target) Affine(a vec, b, c elementwise.Constant) vec {
	addend := t.e.constant(c)
	d := t.New(b)
	t.e.VFMADD213PS(addend, a, d)
	return d
}

func (t target) Horner(a vec, c []elementwise.Constant) vec {
	q := t.New(c[0])
	for _, next := range c[1:] {
		t.e.VFMADD213PS(t.e.constant(next), a, q)
	}
	return q
}

func (t target) AddConstant(c elementwise.Constant, a, d vec) { t.e.VADDPS(t.e.constant(c), a, d) }
func (t target) SubConstant(c elementwise.Constant, a, d vec) { t.e.VSUBPS(t.e.constant(c), a, d) }
func (t target) MulSubConstant(c elementwise.Constant, a, d vec) {
	t.e.VFNMADD231PS(t.e.constant(c), a, d)
}
func (t target) NegMulSubConstant(c elementwise.Constant, a, d vec) {
	t.e.VFNMSUB231PS(t.e.constant(c), a, d)
}

func (t target) SubFrom(c elementwise.Constant, a vec) vec {
	d := t.New(c)
	t.e.VSUBPS(a, d, d)
	return d
}

func (t target) Quotient(c elementwise.Constant, a vec) vec {
	d := t.New(c)
	t.e.VDIVPS(a, d, d)
	return d
}

// Of a number and NaN, VMINPS and VMAXPS return their first operand.
func (t target) AtMost(c elementwise.Constant, a vec)  { t.e.VMINPS(a, t.held(c), a) }
func (t target) AtLeast(c elementwise.Constant, a vec) { t.e.VMAXPS(a, t.held(c), a) }

// held returns a register with c, which must not change: one that holds c throughout the loop, if any.
func (t target) held(c elementwise.Constant) reg.Register {
	if r, ok := t.e.constant(c).(reg.Register); ok {
		return r
	}
	return t.New(c)
}

func (t target) ZeroBelow(a vec, bound elementwise.Constant, f func() vec) vec {
	kept := t.e.compare(notLessThan, a, t.e.constant(bound))
	d := f()
	t.e.clip(kept, d)
	return d
}

func (t target) Choose(a vec, bound elementwise.Constant, below, otherwise func() vec) vec {
	m := t.e.compare(lessThan, a, t.e.constant(bound))
	yes := below()
	return t.e.choose(m, yes, otherwise())
}

func (t target) ShiftLeft(bits uint8, a, d vec) { t.e.VPSLLD(operand.U8(bits), a, d) }
func (t target) SubInt(b, a, d vec)             { t.e.VPSUBD(b, a, d) }
func (t target) AndBits(name string, word uint32, a, d vec) {
	t.e.VANDPS(t.e.bits(name, word), a, d)
}

func (t target) Activate(loop func(f func(a vec) vec)) { t.e.activation(loop) }

// ReLU returns a where a > 0 or a is NaN, and +0 elsewhere. VMAXPS would not do: of two zeros, or of a number
// and NaN, it returns one of its operands by its place.
func (t target) ReLU(a vec) vec {
	t.Comment("ReLU(x): 0 where x ≤ 0")
	t.e.clip(t.e.compare(notLessEqual, a, t.e.float("zero", 0)), a)
	return a
}

// sumBlock is the number of vectors of sums that SumBlocks keeps in registers.
const sumBlock = 8

func (t target) SumBlocks(dst, n, rows, stride general) {
	t.e.Label("blocks")
	t.Comment(fmt.Sprintf("dst += Σ_j a[j]·rows[j], %d columns at a time", sumBlock*t.e.lanes))
	t.e.CMPQ(n, operand.U32(sumBlock*t.e.lanes))
	t.e.JLT(operand.LabelRef("vectors"))
	var acc [sumBlock]reg.VecVirtual
	for i := range acc {
		acc[i] = t.e.loaded(at(dst, i*t.e.bytes))
	}
	a, count, p := t.e.arg("a"), t.e.arg("count"), t.e.GP64()
	t.e.MOVQ(rows, p)
	t.e.times(count, func() {
		w := t.e.vec()
		t.e.VBROADCASTSS(at(a, 0), w)
		for i := range acc {
			t.e.VFMADD231PS(at(p, i*t.e.bytes), w, acc[i])
		}
		t.e.ADDQ(operand.I8(4), a)
		t.e.ADDQ(stride, p)
	})
	for i := range acc {
		t.e.VMOVUPS(acc[i], at(dst, i*t.e.bytes))
	}
	t.e.ADDQ(operand.U32(sumBlock*t.e.bytes), dst)
	t.e.ADDQ(operand.U32(sumBlock*t.e.bytes), rows)
	t.e.SUBQ(operand.U32(sumBlock*t.e.lanes), n)
	t.e.JMP(operand.LabelRef("blocks"))

	t.e.Label("vectors")
}

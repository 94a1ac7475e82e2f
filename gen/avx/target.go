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
type target struct{ *emitter }

type (
	general = reg.GPVirtual
	vec     = reg.VecVirtual
)

// Elementwise returns the program that emits what describe describes.
func Elementwise(describe func(t elementwise.Target[general, vec])) func(c *build.Context, isa ISA) {
	return func(c *build.Context, isa ISA) { describe(target{newEmitter(c, isa)}) }
}

func (t target) Begin(d decl.Func)              { t.function(d) }
func (t target) End()                           { t.end() }
func (t target) Return(v vec)                   { t.emitter.Store(v.AsX(), t.ReturnIndex(0)) }
func (t target) Comment(text string)            { t.emitter.Comment(text) }
func (t target) Arg(name string) general        { return t.arg(name) }
func (t target) InBytes(name string) general    { return t.inBytes(name) }
func (t target) Broadcast(name string) vec      { return t.broadcastArg(name) }
func (t target) New(c elementwise.Constant) vec { return t.loaded(t.constant(c)) }
func (t target) Vector() vec                    { return t.vec() }
func (t target) Copy(v vec) vec                 { return t.loaded(v) }
func (t target) Advance(bytes int, p general)   { t.ADDQ(operand.I8(bytes), p) }
func (t target) AdvanceBy(bytes, p general)     { t.ADDQ(bytes, p) }
func (t target) Times(n general, body func())   { t.times(n, body) }

func (t target) BroadcastAt(p general) vec {
	v := t.vec()
	t.VBROADCASTSS(at(p, 0), v)
	return v
}

func (t target) Each(n general, body func(s elementwise.Span[general, vec])) {
	t.each(n, func(s span) { body(s) })
}

func (t target) EachInFlight(n general, body func(s elementwise.Span[general, vec])) {
	t.eachInFlight(n, func(s span) { body(s) })
}

func (t target) Reduce(n general, lanes int, start elementwise.Constant, body func(s elementwise.Span[general, vec], lanes vec)) []vec {
	acc := make([]vec, lanes/t.lanes)
	for i := range acc {
		if acc[i] = t.zero(); start.Value != 0 {
			t.VMOVUPS(t.constant(start), acc[i])
		}
	}
	t.reduce(n, acc, func(s span, part vec) { body(s, part) })
	return acc
}

func (t target) Sum(n general, lanes []vec) vec {
	for len(lanes)*t.lanes > asm.Lanes {
		half, skip := len(lanes)/2, t.label("halved")
		t.Comment(fmt.Sprintf("combine lanes l and l+%d", half*t.lanes))
		t.CMPQ(n, operand.I8(half*t.lanes))
		t.JLE(operand.LabelRef(skip))
		for i := range half {
			t.VADDPS(lanes[half+i], lanes[i], lanes[i])
		}
		t.Label(skip)
		lanes = lanes[:half]
	}
	return t.tree(lanes, func(b, a, d operand.Op) { t.VADDPS(b, a, d) })
}

func (t target) StoreSum(sum vec, p general) {
	t.VADDSS(t.repeated("zero", 0), sum, sum)
	t.VMOVSS(sum, at(p, 0))
	t.ADDQ(operand.I8(4), p)
}

func (t target) Largest(lanes []vec) vec {
	return t.tree(lanes, func(b, a, d operand.Op) { t.VMAXPS(b, a, d) })
}

func (t target) Add(b, a, d vec)    { t.VADDPS(b, a, d) }
func (t target) Sub(b, a, d vec)    { t.VSUBPS(b, a, d) }
func (t target) Mul(b, a, d vec)    { t.VMULPS(b, a, d) }
func (t target) Div(b, a, d vec)    { t.VDIVPS(b, a, d) }
func (t target) Sqrt(a, d vec)      { t.VSQRTPS(a, d) }
func (t target) Max(b, a, d vec)    { t.VMAXPS(b, a, d) }
func (t target) MulAdd(b, a, d vec) { t.VFMADD231PS(b, a, d) }
func (t target) MulSub(b, a, d vec) { t.VFNMADD231PS(b, a, d) }
func (t target) ToFloat(a, d vec)   { t.VCVTDQ2PS(a, d) }

func (t target) Abs(a vec) vec {
	d := t.vec()
	t.VANDPS(t.bits("absBits", ^uint32(asm.SignBit)), a, d)
	return d
}

func (t target) CopySign(a, d vec) {
	t.VANDPS(t.bits("signBit", asm.SignBit), a, a)
	t.VORPS(a, d, d)
}

func (e *emitter) constant(c elementwise.Constant) operand.Op { return e.float(c.Name, c.Value) }

func (t target) Fused(a, b, c vec) vec {
	t.VFMADD213PS(c, b, a)
	return a
}

func (t target) Affine(a vec, b, c elementwise.Constant) vec {
	addend := t.constant(c)
	d := t.New(b)
	t.VFMADD213PS(addend, a, d)
	return d
}

func (t target) Horner(a vec, c []elementwise.Constant) vec {
	q := t.New(c[0])
	for _, next := range c[1:] {
		t.VFMADD213PS(t.constant(next), a, q)
	}
	return q
}

func (t target) AddConstant(c elementwise.Constant, a, d vec)    { t.VADDPS(t.constant(c), a, d) }
func (t target) SubConstant(c elementwise.Constant, a, d vec)    { t.VSUBPS(t.constant(c), a, d) }
func (t target) MulSubConstant(c elementwise.Constant, a, d vec) { t.VFNMADD231PS(t.constant(c), a, d) }
func (t target) NegMulSubConstant(c elementwise.Constant, a, d vec) {
	t.VFNMSUB231PS(t.constant(c), a, d)
}

func (t target) SubFrom(c elementwise.Constant, a vec) vec {
	d := t.New(c)
	t.VSUBPS(a, d, d)
	return d
}

func (t target) Quotient(c elementwise.Constant, a vec) vec {
	d := t.New(c)
	t.VDIVPS(a, d, d)
	return d
}

// Of a number and NaN, VMINPS and VMAXPS return their first operand.
func (t target) AtMost(c elementwise.Constant, a vec)  { t.VMINPS(a, t.New(c), a) }
func (t target) AtLeast(c elementwise.Constant, a vec) { t.VMAXPS(a, t.New(c), a) }

func (t target) ZeroBelow(a vec, bound elementwise.Constant, f func() vec) vec {
	kept := t.compare(notLessThan, a, t.constant(bound))
	d := f()
	t.clip(kept, d)
	return d
}

func (t target) Choose(a vec, bound elementwise.Constant, below, otherwise func() vec) vec {
	m := t.compare(lessThan, a, t.constant(bound))
	yes := below()
	return t.choose(m, yes, otherwise())
}

func (t target) ShiftLeft(bits uint8, a, d vec) { t.VPSLLD(operand.U8(bits), a, d) }
func (t target) SubInt(b, a, d vec)             { t.VPSUBD(b, a, d) }
func (t target) AndBits(name string, word uint32, a, d vec) {
	t.VANDPS(t.bits(name, word), a, d)
}

func (t target) Activate(loop func(f func(a vec) vec)) { t.activation(loop) }

// ReLU returns a where a > 0 or a is NaN, and +0 elsewhere. VMAXPS would not do: of two zeros, or of a number
// and NaN, it returns one of its operands by its place.
func (t target) ReLU(a vec) vec {
	t.Comment("ReLU(x): 0 where x ≤ 0")
	t.clip(t.compare(notLessEqual, a, t.float("zero", 0)), a)
	return a
}

// sumBlock is the number of vectors of sums that SumBlocks keeps in registers.
const sumBlock = 8

func (t target) SumBlocks(dst, n, rows, stride general) {
	t.Label("blocks")
	t.Comment(fmt.Sprintf("dst += Σ_j a[j]·rows[j], %d columns at a time", sumBlock*t.lanes))
	t.CMPQ(n, operand.U32(sumBlock*t.lanes))
	t.JLT(operand.LabelRef("vectors"))
	var acc [sumBlock]reg.VecVirtual
	for i := range acc {
		acc[i] = t.loaded(at(dst, i*t.bytes))
	}
	a, count, p := t.arg("a"), t.arg("count"), t.GP64()
	t.MOVQ(rows, p)
	t.times(count, func() {
		w := t.vec()
		t.VBROADCASTSS(at(a, 0), w)
		for i := range acc {
			t.VFMADD231PS(at(p, i*t.bytes), w, acc[i])
		}
		t.ADDQ(operand.I8(4), a)
		t.ADDQ(stride, p)
	})
	for i := range acc {
		t.VMOVUPS(acc[i], at(dst, i*t.bytes))
	}
	t.ADDQ(operand.U32(sumBlock*t.bytes), dst)
	t.ADDQ(operand.U32(sumBlock*t.bytes), rows)
	t.SUBQ(operand.U32(sumBlock*t.lanes), n)
	t.JMP(operand.LabelRef("blocks"))

	t.Label("vectors")
}

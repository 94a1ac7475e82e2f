package neon

import (
	"fmt"

	"github.com/softsearch-go/softsearch/asm"
	"github.com/softsearch-go/softsearch/gen/a64"
	"github.com/softsearch-go/softsearch/gen/decl"
	"github.com/softsearch-go/softsearch/gen/elementwise"
)

// A target emits the kernels that package elementwise describes. All its loops over elements except in
// scoresBackward interleave vectors, for cores with a small reorder window.
type target struct{ *emitter }

// Elementwise returns the program that emits what describe describes.
func Elementwise(describe func(t elementwise.Target[a64.R, a64.V])) func(f *a64.File) {
	return func(f *a64.File) { describe(target{newEmitter(f)}) }
}

func (t target) Begin(d decl.Func)                { t.function(d) }
func (t target) End()                             { t.RET() }
func (t target) Comment(text string)              { t.emitter.Comment("%s", text) }
func (t target) InBytes(name string) a64.R        { return t.inBytes(name) }
func (t target) Broadcast(name string) a64.V      { return t.broadcastArg(name) }
func (t target) BroadcastAt(p a64.R) a64.V        { return t.broadcast(p) }
func (t target) New(c elementwise.Constant) a64.V { return t.loaded(c.Name, c.Value) }
func (t target) Advance(bytes int, p a64.R)       { t.ADDI(bytes, p, p) }
func (t target) AdvanceBy(bytes, p a64.R)         { t.ADD(bytes, p, p) }
func (t target) Times(n a64.R, body func())       { t.times(n, body) }

func (t target) Copy(v a64.V) a64.V {
	c := t.Vector()
	t.VMOV(v, c)
	return c
}

func (t target) Each(n a64.R, body func(s elementwise.Span[a64.R, a64.V])) { t.EachInFlight(n, body) }

func (t target) EachInFlight(n a64.R, body func(s elementwise.Span[a64.R, a64.V])) {
	t.eachInFlight(n, func(s span) { body(s) })
}

// Reduce has registers for one result.
func (t target) Reduce(n a64.R, _, count int, start elementwise.Constant, body func(s elementwise.Span[a64.R, a64.V], lanes []a64.V)) [][]a64.V {
	var acc []a64.V
	t.scope(func() {
		for range count / lanes {
			if start.Value == 0 {
				acc = append(acc, t.zero())
			} else {
				acc = append(acc, t.New(start))
			}
		}
		t.reduce(n, acc, func(s span, sum a64.V) { body(s, []a64.V{sum}) })
	})
	return [][]a64.V{acc}
}

func (t target) Tiles(n a64.R, body func(rows int))  { t.times(n, func() { body(1) }) }
func (t target) Rows(p, stride a64.R, n int) []a64.R { return []a64.R{p} }
func (t target) AdvanceRows(p, stride a64.R, n int)  { t.AdvanceBy(stride, p) }

func (t target) Sum(n a64.R, acc []a64.V) a64.V {
	for len(acc) > parts {
		half, skip := len(acc)/2, t.NewLabel("halved")
		t.emitter.Comment("combine lanes l and l+%d", half*lanes)
		t.CMPI(half*lanes, n)
		t.BLE(skip)
		for i := range half {
			t.VFADD(acc[half+i], acc[i], acc[i])
		}
		t.Label(skip)
		acc = acc[:half]
	}
	return t.tree(acc, t.VFADD)
}

func (t target) StoreSums(n a64.R, sums [][]a64.V, p a64.R) {
	for _, lanes := range sums {
		sum := t.Sum(n, lanes)
		t.VFADD(t.float("zero", 0), sum, sum)
		t.STS(sum, p, 0)
		t.ADDI(4, p, p)
	}
}

func (t target) Largest(acc []a64.V) a64.V { return t.tree(acc, t.VFMAX) }

func (t target) Add(b, a, d a64.V)    { t.VFADD(b, a, d) }
func (t target) Sub(b, a, d a64.V)    { t.VFSUB(b, a, d) }
func (t target) Mul(b, a, d a64.V)    { t.VFMUL(b, a, d) }
func (t target) Div(b, a, d a64.V)    { t.VFDIV(b, a, d) }
func (t target) Sqrt(a, d a64.V)      { t.VFSQRT(a, d) }
func (t target) Max(b, a, d a64.V)    { t.VFMAX(b, a, d) }
func (t target) MulAdd(b, a, d a64.V) { t.VFMLA(b, a, d) }
func (t target) MulSub(b, a, d a64.V) { t.VFMLS(b, a, d) }
func (t target) ToFloat(a, d a64.V)   { t.VSCVTF(a, d) }

func (t target) Abs(a a64.V) a64.V {
	d := t.Vector()
	t.VFABS(a, d)
	return d
}

func (t target) CopySign(a, d a64.V) { t.VBIT(t.bits("signBit", asm.SignBit), a, d) }

func (e *emitter) constant(c elementwise.Constant) a64.V { return e.float(c.Name, c.Value) }

func (t target) Fused(a, b, c a64.V) a64.V {
	t.VFMLA(a, b, c)
	return c
}

func (t target) Affine(a a64.V, b, c elementwise.Constant) a64.V {
	d := t.New(c)
	t.VFMLA(t.constant(b), a, d)
	return d
}

func (t target) Horner(a a64.V, c []elementwise.Constant) a64.V {
	q := t.constant(c[0])
	for _, next := range c[1:] {
		sum := t.New(next)
		t.VFMLA(q, a, sum)
		q = sum
	}
	return q
}

func (t target) AddConstant(c elementwise.Constant, a, d a64.V)    { t.VFADD(t.constant(c), a, d) }
func (t target) SubConstant(c elementwise.Constant, a, d a64.V)    { t.VFSUB(t.constant(c), a, d) }
func (t target) MulSubConstant(c elementwise.Constant, a, d a64.V) { t.VFMLS(t.constant(c), a, d) }
func (t target) NegMulSubConstant(c elementwise.Constant, a, d a64.V) {
	t.VFNEG(d, d)
	t.VFMLS(t.constant(c), a, d)
}

func (t target) SubFrom(c elementwise.Constant, a a64.V) a64.V {
	t.VFSUB(a, t.constant(c), a)
	return a
}

func (t target) Quotient(c elementwise.Constant, a a64.V) a64.V {
	t.VFDIV(a, t.constant(c), a)
	return a
}

func (t target) AtMost(c elementwise.Constant, a a64.V)  { t.VFMIN(t.constant(c), a, a) }
func (t target) AtLeast(c elementwise.Constant, a a64.V) { t.VFMAX(t.constant(c), a, a) }

func (t target) ZeroBelow(a a64.V, bound elementwise.Constant, f func() a64.V) a64.V {
	under := t.larger(t.constant(bound), a)
	d := f()
	t.clear(under, d)
	return d
}

func (t target) Choose(a a64.V, bound elementwise.Constant, below, otherwise func() a64.V) a64.V {
	d := otherwise()
	m := t.larger(t.constant(bound), a)
	t.VBIT(m, below(), d)
	return d
}

func (t target) ShiftLeft(bits uint8, a, d a64.V) { t.VSHL(int(bits), a, d) }
func (t target) SubInt(b, a, d a64.V)             { t.VSUB(b, a, d) }
func (t target) AndBits(name string, word uint32, a, d a64.V) {
	t.VAND(t.bits(name, word), a, d)
}

func (t target) Activate(loop func(f func(a a64.V) a64.V)) { t.activation(loop) }
func (t target) Exp(a a64.V) a64.V                         { return elementwise.Exp(t, a) }
func (t target) Tanh(a a64.V) a64.V                        { return elementwise.Tanh(t, a) }

// ReLU returns a where a > 0 or a is NaN, and +0 elsewhere: FMAX treats +0 as larger than -0.
func (t target) ReLU(a a64.V) a64.V {
	t.Comment("ReLU(x): 0 where x ≤ 0")
	t.VFMAX(t.float("zero", 0), a, a)
	return a
}

// sumBlock is the number of vectors of sums that SumBlocks keeps in registers.
const sumBlock = 16

func (t target) SumBlocks(dst, n, rows, stride a64.R) {
	t.Label("blocks")
	t.Comment(fmt.Sprintf("dst += Σ_j a[j]·rows[j], %d columns at a time", sumBlock*lanes))
	t.CMPI(sumBlock*lanes, n)
	t.BLT("vectors")
	acc := make([]a64.V, sumBlock)
	for i := range acc {
		acc[i] = t.at(dst, i*vectorBytes)
	}
	a, count, p := t.Arg("a"), t.Arg("count"), t.copied(rows)
	t.times(count, func() {
		w := t.Vector()
		t.FMOVSP(a, w)
		for i := 0; i < sumBlock; i += 2 {
			x, y := t.Vector(), t.Vector()
			t.FLDPQ(p, i*vectorBytes, x, y)
			t.VFMLALane(w, 0, x, acc[i])
			t.VFMLALane(w, 0, y, acc[i+1])
		}
		t.ADD(stride, p, p)
	})
	for i := range acc {
		t.STQ(acc[i], dst, i*vectorBytes)
	}
	t.ADDI(sumBlock*vectorBytes, dst, dst)
	t.ADDI(sumBlock*vectorBytes, rows, rows)
	t.SUBI(sumBlock*lanes, n, n)
	t.B("blocks")

	t.Label("vectors")
}

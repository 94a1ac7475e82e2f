// Package elementwise describes the kernels that take the same steps on every instruction set. gen/avx and
// gen/neon are its targets: they choose the instructions, and emit the loops around the steps. Kernels whose
// steps differ, such as products and permutations, stand in the packages of the targets.
package elementwise

import "github.com/softsearch-go/softsearch/gen/decl"

// A Target emits the instructions of one instruction set. R is one of its general registers, V a vector
// register. As in Go's assembler the destination comes last: Sub(b, a, d) sets d to a - b, and the
// destination may be an operand.
type Target[R, V any] interface {
	Begin(d decl.Func) // starts the function that d declares
	End()              // returns from it
	Return(v V)        // stores lane 0 as the result
	Comment(text string)

	Arg(name string) R       // a pointer or a count
	InBytes(name string) R   // a number of float32, in bytes
	Broadcast(name string) V // a float32 argument in every lane
	BroadcastAt(p R) V       // the float32 at p in every lane
	New(c Constant) V        // c in a register that may be overwritten
	Vector() V               // a new register
	Copy(v V) V              // a new register with the value of v
	Advance(bytes int, p R)
	AdvanceBy(bytes, p R)

	Each(n R, body func(s Span[R, V]))         // a loop over n elements
	EachInFlight(n R, body func(s Span[R, V])) // Each with interleaved vectors, for bodies of long latency
	Times(n R, body func())                    // a loop of n ≥ 1 rounds
	Tiles(n R, body func(rows int))            // loops over n rows, in the last a row at a time
	Rows(p, stride R, n int) []R               // registers with the addresses of n rows from p on
	AdvanceRows(p, stride R, n int)            // advances p past them

	// Reduce emits a loop over n elements for several results in so many lanes, which begin with start and are in several
	// vectors; body adds a span to the vector of its lanes in each. Sum and Largest combine them in the order of package
	// kernels. Sum leaves out the steps whose upper lanes none of n elements reached: these are 0.
	Reduce(n R, results, lanes int, start Constant, body func(s Span[R, V], lanes []V)) [][]V
	Sum(n R, lanes []V) V
	StoreSums(n R, sums [][]V, p R) // the Sum of each, +0 instead of -0, and advances p past them
	Largest(lanes []V) V

	// SumBlocks adds Σ_j a[j]·rows[j] to as many columns of dst as it can keep in registers, and while n has so many
	// advances dst and rows past them and takes them off n. a and count are arguments.
	SumBlocks(dst, n, rows, stride R)

	Add(b, a, d V)
	Sub(b, a, d V)
	Mul(b, a, d V)
	Div(b, a, d V)
	Sqrt(a, d V)
	Max(b, a, d V)
	MulAdd(b, a, d V) // d += a·b, rounded once
	MulSub(b, a, d V) // d -= a·b, rounded once
	Abs(a V) V
	CopySign(a, d V) // gives d, whose sign is +, the sign of a; may overwrite a
	ToFloat(a, d V)  // from int32

	Fused(a, b, c V) V              // a·b + c, rounded once; overwrites a or c
	Affine(a V, b, c Constant) V    // a·b + c, rounded once, in a new register
	Horner(a V, c []Constant) V     // the polynomial with coefficients c, highest power first
	AddConstant(c Constant, a, d V) // d = a + c
	SubConstant(c Constant, a, d V) // d = a - c
	MulSubConstant(c Constant, a, d V)
	NegMulSubConstant(c Constant, a, d V) // d = -d - a·c, rounded once
	SubFrom(c Constant, a V) V            // c - a; may overwrite a
	Quotient(c Constant, a V) V           // c / a; may overwrite a
	AtMost(c Constant, a V)               // a = min(a, c), NaN stays
	AtLeast(c Constant, a V)              // a = max(a, c), NaN stays

	// ZeroBelow returns f(), with zeros in the lanes where a < bound. NaN in a keeps the lane. f may overwrite a.
	ZeroBelow(a V, bound Constant, f func() V) V
	// Choose returns below() in the lanes where a < bound, and otherwise() elsewhere. below may overwrite a.
	Choose(a V, bound Constant, below, otherwise func() V) V

	ShiftLeft(bits uint8, a, d V) // of int32
	SubInt(b, a, d V)
	AndBits(name string, word uint32, a, d V)

	// Functions for which a target may have better steps than this package. They overwrite a.
	Exp(a V) V
	Tanh(a V) V
	ReLU(a V) V
	Activate(loop func(f func(a V) V)) // loops for the activations, of which the argument act selects one
}

// A Constant is a float32 in every lane, and its name in assembly.
type Constant struct {
	Name  string
	Value float32
}

// A Span is the elements that a vector covers.
type Span[R, V any] interface {
	Load(p R) V                  // of the operand at p, zeros past the end
	LoadOr(p R, past Constant) V // of the operand at p, past in the lanes past the end
	Store(v V, p R)              // to the operand at p
	MulAdd(p R, a, d V)          // in Reduce: d += a times the operand at p, as Load returns it, rounded once
	Rows(operands ...R) Row[R, V]
}

// A Row is a Span that moves through the rows of operands.
type Row[R, V any] interface {
	Span[R, V]
	Next(stride R) // in bytes
}

// Package elementwise describes the kernels that take the same steps on every instruction set. gen/avx and
// gen/neon are its targets: they choose the instructions, and emit the loops around the steps. Kernels whose
// steps differ, such as tanh with its masks, or that reduce, stand in the packages of the targets.
package elementwise

import "github.com/softsearch-go/softsearch/gen/decl"

// A Target emits the instructions of one instruction set. R is one of its general registers, V a vector
// register. As in Go's assembler the destination comes last: Sub(b, a, d) sets d to a - b, and the
// destination may be an operand.
type Target[R, V any] interface {
	Begin(d decl.Func) // starts the function that d declares
	End()              // returns from it
	Comment(text string)

	Arg(name string) R                     // a pointer or a count
	Broadcast(name string) V               // a float32 argument in every lane
	Constant(name string, value float32) V // in every lane of a register that may be overwritten
	Vector() V                             // a new register
	Copy(v V) V                            // a new register with the value of v

	Each(n R, body func(s Span[R, V]))         // a loop over n elements
	EachInFlight(n R, body func(s Span[R, V])) // Each with interleaved vectors, for bodies of long latency
	Times(n R, body func())                    // a loop of n ≥ 1 rounds

	Add(b, a, d V)
	Sub(b, a, d V)
	Mul(b, a, d V)
	Div(b, a, d V)
	Sqrt(a, d V)
	MulAdd(b, a, d V) // d += a·b, rounded once
	MulSub(b, a, d V) // d -= a·b, rounded once
	Abs(a V) V
	Tanh(a V) V    // overwrites a
	Sigmoid(a V) V // overwrites a

	// ZeroBelow sets the lanes of d to zero where a < bound. NaN in a keeps the lane.
	ZeroBelow(d, a V, name string, bound float32)
}

// A Span is the elements that a vector covers.
type Span[R, V any] interface {
	Load(p R) V     // of the operand at p
	Store(v V, p R) // to the operand at p
}

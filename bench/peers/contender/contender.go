// Package contender holds the kernels and what they are measured against.
//
// [Go] and [OpenBLAS] list contenders. Offers tells whether one takes part in a case; its Operations make
// the operands, and an [Operation] whose Run is timed and whose Result is compared.
package contender

import (
	"fmt"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
	"github.com/softsearch-go/softsearch/kernels"
)

// A Contender is one implementation of some operations.
type Contender struct {
	Name       string
	Operations Operations
	Small      bool // without SIMD: leaves the largest cases out
}

// Operations make the operands of a case in m, in the form that a contender prefers, by the name of the operation.
type Operations map[string]func(c suite.Case, m *suite.Memory) Operation

// scalarLimit is the largest product, in multiplications, that code without SIMD takes part
// in; one of them takes it half a second.
const scalarLimit = 500_000_000

// Offers reports whether the contender takes part in a case.
func (p Contender) Offers(c suite.Case) bool {
	largest := max(c.Multiplications(), c.Batch*c.Source*max(c.Vocabulary*c.Maxout, 8*c.Units*c.Units)) // of layers and updates, too
	return p.Operations[c.Op] != nil && !(p.Small && largest > scalarLimit)
}

// An Operation is a case ready to run.
type Operation struct {
	// Run does the operation n times.
	Run func(n int)
	// Result returns what it computed, row-major. It is nil where that says nothing.
	Result func() []float32
}

// once returns the operation of a function that computes y.
func once(y []float32, run func()) Operation {
	return Operation{
		Run: func(n int) {
			for range n {
				run()
			}
		},
		Result: func() []float32 { return y },
	}
}

// Go lists the contenders written in Go: the kernels in every implementation, naive Go and the
// libraries on the instruction set that they choose here.
func Go() []Contender {
	var list []Contender
	for _, k := range kernels.Available() {
		list = append(list, softsearch(k), softsearchInt8(k))
	}
	list = append(list, updates()...)
	list = append(list, naive(), gonum(), vek(), spago())
	return append(list, tphakala()...)
}

// elementwise returns the preparation of dst = f(src).
func elementwise(f func(dst, src []float32)) func(c suite.Case, m *suite.Memory) Operation {
	return func(c suite.Case, m *suite.Memory) Operation {
		src, dst := m.Source(c), m.Floats(c.N)
		return once(dst, func() { f(dst, src) })
	}
}

// must returns v. What contenders make of a case is valid, so an error is a mistake in them.
func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(fmt.Sprintf("contender: %v", err))
	}
}

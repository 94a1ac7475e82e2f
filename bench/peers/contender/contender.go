// Package contender holds the kernels and what they are measured against.
//
// [Go] and [OpenBLAS] list contenders. Offer tells whether one takes part in a case; what it returns
// makes the operands, and an [Operation] whose Run is timed and whose Result is compared.
package contender

import (
	"fmt"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
	"github.com/softsearch-go/softsearch/kernels"
)

// A Contender is one implementation of some operations.
type Contender struct {
	Name string
	// Offer returns how to prepare a case, or nil if the contender has no such operation.
	Offer func(c suite.Case) Prepare
}

// Prepare makes the operands of a case in m, in the form that the contender prefers.
type Prepare func(m *suite.Memory) Operation

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

// A table holds the operations of a contender by name.
type table map[string]func(c suite.Case, m *suite.Memory) Operation

func (t table) contender(name string) Contender {
	return Contender{name, func(c suite.Case) Prepare {
		prepare, ok := t[c.Op]
		if !ok {
			return nil
		}
		return func(m *suite.Memory) Operation { return prepare(c, m) }
	}}
}

// Go lists the contenders written in Go: the kernels in every implementation, naive Go and the
// libraries on the instruction set that they choose here.
func Go() []Contender {
	var list []Contender
	for _, k := range kernels.Available() {
		c := softsearch(k)
		if k.String() == "go" {
			c = small(c)
		}
		list = append(list, c, softsearchInt8(k))
	}
	list = append(list, updates()...)
	list = append(list, small(naive()), gonum(), vek(), small(spago()))
	return append(list, tphakala()...)
}

// scalarLimit is the largest product, in multiplications, that code without SIMD takes part
// in; one of them takes it half a second.
const scalarLimit = 500_000_000

// small leaves the largest products out, and layers and training updates that have some of these.
func small(c Contender) Contender {
	offer := c.Offer
	c.Offer = func(c suite.Case) Prepare {
		if max(c.Multiplications(), c.Batch*c.Source*max(c.Vocabulary*c.Maxout, 8*c.Units*c.Units)) > scalarLimit {
			return nil
		}
		return offer(c)
	}
	return c
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

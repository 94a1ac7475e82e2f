package contender

import (
	"github.com/softsearch-go/softsearch/bench/peers/suite"
	"github.com/softsearch-go/softsearch/kernels"
)

// All lists the contenders of this process: the kernels in every implementation, naive Go and
// the Go libraries on the instruction set that they choose here.
func All() []Contender {
	var list []Contender
	for _, k := range kernels.Available() {
		c := softsearch(k)
		if k.String() == portable {
			c = small(c)
		} else {
			list = append(list, tanhAlone(k))
		}
		list = append(list, c, softsearchInt8(k))
	}
	list = append(list, updates()...)
	list = append(list, small(naive()), gonum(), vek())
	list = append(list, tphakala()...)
	list = append(list, gomlx()...)
	list = append(list, archSIMD()...)
	return append(list, cycle())
}

// Lower lists the contenders of a process whose environment is LowerEnvironment.
func Lower() []Contender {
	return append(tphakala(), gomlx()...)
}

// LowerEnvironment keeps the libraries that read it from using AVX-512.
func LowerEnvironment() []string {
	return []string{"SIMD_DISABLE=avx512", "GOMLX_SIMD_AVX512=0"}
}

// cycle is a probe of the clock: one operation is a multiplication that waits for the one
// before it, three cycles on every amd64 processor since 2008. It joins the cases that are
// given in cycles.
func cycle() Contender {
	return Contender{"cycle", func(c suite.Case) Prepare {
		if c.Elements() == 0 {
			return nil
		}
		return func(*suite.Memory) Operation { return Operation{Run: multiplyChain} }
	}}
}

var chain uint64 = 3

func multiplyChain(n int) {
	x, factor := chain, chain
	for ; n >= 8; n -= 8 {
		x = x * factor * factor * factor * factor * factor * factor * factor * factor
	}
	for range n {
		x *= factor
	}
	chain = x | 3
}

package bounds

import (
	"github.com/softsearch-go/softsearch/bench/peers/contender"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// Contenders lists the bounds of a Gemv and of the other products: reading the
// weights once, and as many fused multiply-adds as the product has.
func Contenders() []contender.Contender {
	var list []contender.Contender
	for _, l := range All() {
		list = append(list, reading(l), peak(l))
	}
	return list
}

func reading(l Loops) contender.Contender {
	return contender.Contender{Name: "read-" + l.Name, Offer: func(c suite.Case) contender.Prepare {
		if c.Op != "Gemv" {
			return nil
		}
		return func(m *suite.Memory) contender.Operation {
			w := m.W(c)
			return contender.Operation{Run: func(n int) { l.Read(n, w, false) }}
		}
	}}
}

func peak(l Loops) contender.Contender {
	return contender.Contender{Name: "peak-" + l.Name, Offer: func(c suite.Case) contender.Prepare {
		if c.Op == "Gemv" || c.Multiplications() == 0 {
			return nil
		}
		return func(*suite.Memory) contender.Operation {
			return contender.Operation{Run: func(n int) { l.MultiplyAdd(n * c.Multiplications()) }}
		}
	}}
}

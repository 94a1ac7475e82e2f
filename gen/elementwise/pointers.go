package elementwise

// Pointers holds, for operands of a loop over elements, the register that advances through each. The register of the
// operand itself keeps its value.
type Pointers[R comparable] struct {
	New   func() R // allocates a register
	pairs [][2]R
}

// Of returns the register that advances through the operand at p.
func (s *Pointers[R]) Of(p R) R {
	for _, pair := range s.pairs {
		if pair[0] == p {
			return pair[1]
		}
	}
	moving := s.New()
	s.pairs = append(s.pairs, [2]R{p, moving})
	return moving
}

// Each calls f for every operand and its register, in the order in which a loop body first names them.
func (s *Pointers[R]) Each(f func(p, moving R)) {
	for _, pair := range s.pairs {
		f(pair[0], pair[1])
	}
}

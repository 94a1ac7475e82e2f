package bpe

// symbols numbers symbols from 0 without gaps.
type symbols struct {
	names []string
	ids   map[string]int32
}

// A pair is two neighbouring symbols.
type pair struct{ left, right int32 }

// id returns the number of a symbol, the next one if it has none.
func (s *symbols) id(name string) int32 {
	id, ok := s.ids[name]
	if !ok {
		if s.ids == nil {
			s.ids = make(map[string]int32)
		}
		id = int32(len(s.names))
		s.ids[name] = id
		s.names = append(s.names, name)
	}
	return id
}

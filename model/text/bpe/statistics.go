package bpe

import "container/heap"

// statistics counts the pairs of neighbouring symbols.
type statistics struct {
	candidates map[pair]*candidate
	queue      queue
	changed    []*candidate // since the last call of settle
}

// of returns the candidate of a pair that changes.
func (s *statistics) of(p pair, names []string) *candidate {
	c := s.candidates[p]
	if c == nil {
		c = &candidate{pair: p, Merge: Merge{names[p.left], names[p.right]}, place: -1}
		s.candidates[p] = c
	}
	s.touch(c)
	return c
}

// touch notes that c changes.
func (s *statistics) touch(c *candidate) {
	if !c.changed {
		c.changed = true
		s.changed = append(s.changed, c)
	}
}

// settle moves the candidates that changed to their places in the queue, one after the
// other, and drops those that do not occur.
func (s *statistics) settle() {
	for _, c := range s.changed {
		c.changed = false
		c.key = c.frequency
		switch queued := c.place >= 0; {
		case c.frequency > 0 && queued:
			heap.Fix(&s.queue, c.place)
		case c.frequency > 0:
			heap.Push(&s.queue, c)
		default:
			delete(s.candidates, c.pair)
			if queued {
				heap.Remove(&s.queue, c.place)
			}
		}
	}
	s.changed = s.changed[:0]
}

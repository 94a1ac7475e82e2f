package decode

import "github.com/softsearch-go/softsearch/kernels"

// An ending is the last word of a hypothesis.
type ending struct {
	step
	time           int
	logProb, score float64
}

// ending returns the end of a hypothesis at that time.
func (t *Beam) ending(s step, time int, logProb float64) ending {
	return ending{s, time, logProb, logProb / t.powers[time+1]}
}

// finish puts an ending into its place among the best, as long as there is room, the last of
// them giving way to a better one.
func (s *search) finish(e ending) {
	if len(s.best) < cap(s.best) {
		s.best = append(s.best, e)
	} else if !(e.score > s.best[len(s.best)-1].score) {
		return
	}
	i := len(s.best) - 1
	for ; i > 0 && s.best[i-1].score < e.score; i-- {
		s.best[i] = s.best[i-1]
	}
	s.best[i] = e
}

// fill puts the unfinished hypotheses, which are the rows from first on, after the finished
// ones where there is room.
func (t *Beam) fill(s *search, first, time int) {
	for row := first; row < len(t.words) && len(s.best) < cap(s.best); row++ {
		s.best = append(s.best, t.ending(t.history[t.place(time, row)], time, t.logProbs[row]))
	}
}

// decided reports whether no unfinished hypothesis can enter the best any more. The most
// probable of them has this log p, which is at most 0: more words only lower it, and its score
// rises the most by division by the power of the most words.
func (t *Beam) decided(s *search, logProb float64) bool {
	return len(s.best) == cap(s.best) && s.best[len(s.best)-1].score >= logProb/t.powers[s.length]
}

// trace follows the best hypotheses of sentence i back to their first words.
func (t *Beam) trace(i int) []Translation {
	n := len(t.searches[i].best)
	list := t.results[i*t.decoding.best():][:n:n]
	for rank, end := range t.searches[i].best {
		list[rank] = t.follow(end, i*t.decoding.best()+rank, len(t.sources[i]))
	}
	return list
}

// follow writes the hypothesis of that ending to that place of the results.
func (t *Beam) follow(end ending, place, source int) Translation {
	n, most := end.time+1, t.capacity.TargetLength
	r := Translation{IDs: t.output[place*most:][:n:n], LogProb: end.logProb, Score: end.score}
	if t.alpha != nil {
		r.Alignment = kernels.View(t.aligned[place*most*t.capacity.SourceLength:], n, source)
	}
	s := end.step
	for time := n - 1; ; time-- {
		r.IDs[time] = s.word
		if r.Alignment.Rows > 0 {
			copy(r.Alignment.Row(time), t.alpha[t.place(time, s.parent)*t.capacity.SourceLength:])
		}
		if time == 0 {
			return r
		}
		s = t.history[t.place(time-1, s.parent)]
	}
}

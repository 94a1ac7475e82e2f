package breakdown

import (
	"errors"
	"time"

	"github.com/google/pprof/profile"

	"github.com/softsearch-go/softsearch/bench/peers/bounds"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// slice is the time of a round, or more where one operation takes longer.
const slice = 500 * time.Millisecond

// Measure measures a work for about duration. m has weights of float32.
func Measure(name Name, k kernels.Impl, m *model.Model, duration time.Duration) (Work, error) {
	loops, ok := bounds.For(k.String())
	if !ok {
		return Work{}, errors.New("breakdown: no loops that measure the bounds, which need cgo and AVX2")
	}
	if name.Weights == model.Int8 {
		var err error
		if m, err = m.Quantize(); err != nil {
			return Work{}, err
		}
	}
	team := kernels.NewTeam(name.Threads)
	defer team.Close()
	o, err := prepare(name, k.With(team), m)
	if err != nil {
		return Work{}, err
	}
	limits := newLimits(loops, name, m)
	w := Work{Name: name, Implementation: k.String()}
	p, err := o.profile(func() error {
		w.Rounds, err = o.rounds(duration, limits.round)
		return err
	})
	if err != nil {
		return Work{}, err
	}
	w.Period = p.Period
	w.Parts, err = o.attribute(p)
	return w, err
}

// profile runs f, which runs the operation, under a CPU profile.
func (o operation) profile(f func() error) (*profile.Profile, error) {
	if err := o.run(); err != nil { // brings operands into memory
		return nil, err
	}
	var failed error
	p, err := underProfile(func() { failed = f() })
	return p, errors.Join(failed, err)
}

// attribute returns the parts of the operation.
func (o operation) attribute(p *profile.Profile) ([]Part, error) {
	counts, err := samples(p, o.root, o.rules)
	if err != nil {
		return nil, err
	}
	var list []Part
	for _, p := range o.parts {
		r := Part{Name: p.name, Samples: counts[p.name]}
		if p.flop != nil {
			r.FLOP = p.flop(o.sizes)
		}
		if p.bytes != nil {
			r.Bytes = p.bytes(o.sizes)
		}
		list = append(list, r)
	}
	return list, nil
}

// rounds runs the operation for about duration, a slice in each round, and bounds after it.
func (o operation) rounds(duration time.Duration, bounds func() (peak, read float64)) ([]Round, error) {
	var list []Round
	for start := time.Now(); len(list) == 0 || time.Since(start) < duration; {
		n, begin := 0, time.Now()
		for ; n == 0 || time.Since(begin) < slice; n++ {
			if err := o.run(); err != nil {
				return nil, err
			}
		}
		r := Round{Operations: n, Nanoseconds: float64(time.Since(begin).Nanoseconds()) / float64(n)}
		r.Peak, r.Read = bounds()
		list = append(list, r)
	}
	return list, nil
}

//go:build linux

package main

import (
	"encoding/binary"
	"runtime"
	"time"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/text"
)

// An imagined is the transport of the last rank of several machines of which only this one is real. All are
// equal and begin a message at once, so it takes the time of the link and brings what this rank sends.
type imagined struct {
	size int
	link collective.Link
	own  [][]byte // the length of what ranks compare, and this
	told int      // messages from rank 0 alone
}

func (t *imagined) Rank() int { return t.size - 1 }
func (t *imagined) Size() int { return t.size }

func (t *imagined) Exchange(_ int, send, receive []byte) error {
	start := time.Now()
	switch {
	case len(receive) == 0 && len(send) > 0: // for rank 0, to compare
		t.own = append(t.own, append([]byte(nil), send...))
	case len(send) == 0 && len(receive) > 0:
		t.told++
		if i := t.told - 1; i < 2*t.size { // of each rank
			copy(receive, t.own[i%2])
		} else if i == 2*t.size { // the number of updates: its length, and 0
			binary.LittleEndian.PutUint64(receive, 1)
		} else if i == 2*t.size+1 {
			receive[0] = '0'
		}
	default:
		copy(receive, send)
	}
	d := t.link.Delay
	if t.link.Bandwidth > 0 {
		d += time.Duration(float64(max(len(send), len(receive))) / t.link.Bandwidth * float64(time.Second))
	}
	time.Sleep(time.Until(start.Add(d)))
	return nil
}

// measureMachines measures updates of batches of so many pairs that machines divide, on one of them with that
// many threads, for each of the links. It returns the fastest of some.
func measureMachines(c model.Config, p model.Precision, threads, machines, pairs int, links []collective.Link) ([]rankUpdate, error) {
	const updates = 1 + 3 // the first one warms up
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads + 1))
	m, err := model.New(c, 1)
	if err != nil {
		return nil, err
	}
	team := kernels.NewTeam(threads)
	defer team.Close()
	rng := newRandom()
	var list [updates][]text.Example
	for i := range list {
		list[i] = batch(rng, c, pairs, bench.Words)
	}
	trainer, err := model.NewTrainer(kernels.Best().With(team), m, model.Recipe{Precision: p, Shards: machines}, model.CapacityOf(list[0], pairs))
	if err != nil {
		return nil, err
	}
	transport := &imagined{size: machines}
	g, err := collective.New(transport)
	if err == nil {
		err = trainer.Join(g)
	}
	fastest := make([]rankUpdate, len(links))
	for l, link := range links {
		transport.link = link
		for i, batch := range list {
			before, start := g.Traffic(), time.Now()
			if err == nil {
				_, err = trainer.Update(batch)
			}
			after := g.Traffic()
			u := rankUpdate{time.Since(start).Seconds(), (after.Time - before.Time).Seconds(), after.Sent - before.Sent}
			if i == 1 || i > 1 && u.Total < fastest[l].Total {
				fastest[l] = u
			}
		}
	}
	return fastest, err
}

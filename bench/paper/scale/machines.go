//go:build linux

package main

import (
	"encoding/binary"
	"runtime"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
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
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads + 1))
	m, err := model.New(c, 1)
	if err != nil {
		return nil, err
	}
	team := kernels.NewTeam(threads)
	defer team.Close()
	list := batches(c, 1+3, pairs)
	trainer, err := model.NewTrainer(kernels.Best().With(team), m, model.Recipe{Precision: p, Shards: machines}, model.CapacityOf(list[0], pairs))
	if err != nil {
		return nil, err
	}
	transport := &imagined{size: machines}
	g, err := collective.New(transport)
	if err == nil {
		err = trainer.Join(g)
	}
	fastest, start := make([]rankUpdate, len(links)), time.Now()
	for l, link := range links {
		transport.link = link
		if err == nil {
			fastest[l], err = fastestUpdate(trainer, g, list, func() float64 { return time.Since(start).Seconds() })
		}
	}
	return fastest, err
}

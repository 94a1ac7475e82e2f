//go:build linux

// Command scale measures what training on several machines costs, and writes bench/scale.md:
//
//	go run ./bench/scale > bench/scale.md
//
// It trains two ranks of one thread each, as goroutines of this process, over networks with a delay and
// a bandwidth, which package collective emulates. From the times of the parts of an update, measured
// without a network, it calculates the time on other numbers of machines. The time of an update is the
// processor time of a rank, which other programs hardly change, and its time in exchanges.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/text"
)

func main() {
	if err := write(os.Stdout, bench.Paper); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// A network is a link with a name.
type network struct {
	name string
	collective.Link
}

// newNetwork returns a network of a bandwidth in bits per second.
func newNetwork(gigabits float64, delay time.Duration) network {
	return network{fmt.Sprintf("%g Gbit/s, %v", gigabits, delay), collective.Link{Delay: delay, Bandwidth: gigabits / 8 * 1e9}}
}

// batches returns batches of random sentences of bench.Words words, whose frequencies follow Zipf's
// law.
func batches(c model.Config, n, sentences int) [][]text.Example {
	rng := rand.New(rand.NewPCG(1, 2))
	source := rand.NewZipf(rng, 1.1, 1, uint64(c.SourceVocab-1))
	target := rand.NewZipf(rng, 1.1, 1, uint64(c.TargetVocab-1))
	words := func(z *rand.Zipf) []int32 {
		ids := make([]int32, bench.Words)
		for i := range ids {
			ids[i] = int32(z.Uint64())
		}
		return ids
	}
	list := make([][]text.Example, n)
	for i := range list {
		for range sentences {
			list[i] = append(list[i], text.Example{Source: words(source), Target: words(target)})
		}
	}
	return list
}

// An update is what one update of rank 0 takes.
type update struct {
	total, exchange time.Duration // without waiting for the other rank to begin
	sent            int64         // bytes
}

// share returns the share of the time that ranks communicate.
func (u update) share() float64 { return u.exchange.Seconds() / u.total.Seconds() }

// measure trains on ranks with batches of that many sentences for each, after one update that warms
// up, and returns the fastest of the updates of rank 0.
func measure(c model.Config, ranks, sentences, updates int, link collective.Link) (update, error) {
	local := collective.NewLocal(ranks, link)
	defer local.Close()
	list := batches(c, updates+1, ranks*sentences)
	results := make([]update, 0, updates)
	errs := make([]error, ranks)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			if errs[rank] = train(c, local.Transport(rank), list, func(u update) {
				if rank == 0 {
					results = append(results, u)
				}
			}); errs[rank] != nil {
				local.Close()
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return update{}, err
		}
	}
	return slices.MinFunc(results[1:], func(a, b update) int { return int(a.total - b.total) }), nil
}

// train trains one rank of one thread and reports its updates.
func train(c model.Config, t collective.Transport, list [][]text.Example, report func(update)) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g, err := collective.New(t)
	if err != nil {
		return err
	}
	m, err := model.New(c, 1)
	if err != nil {
		return err
	}
	trainer, err := model.NewTrainer(kernels.Best(), m, model.Recipe{Shards: t.Size()}, model.CapacityOf(list[0], len(list[0])))
	if err != nil {
		return err
	}
	if err := trainer.Join(g); err != nil {
		return err
	}
	for _, batch := range list {
		before, start := g.Traffic(), processorTime()
		if _, err := trainer.Update(batch); err != nil {
			return err
		}
		now, worked := g.Traffic(), processorTime()-start
		exchange := now.Time - before.Time
		report(update{worked + exchange, exchange, now.Sent - before.Sent})
	}
	return nil
}

// processorTime returns that of this thread.
func processorTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// processor describes the machine.
func processor() string {
	return fmt.Sprintf("%s/%s, %d processors, %s kernels", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), kernels.Best())
}

//go:build linux

// Command scale measures what a training of the paper's size costs, from raw text to translations,
// calculates what it takes on several machines, and writes bench/scale.md:
//
//	go run ./bench/paper/scale > bench/scale.md
//
// Text is that of bench/corpus in three sizes. Package corpus prepares each of them in turn and reports
// its stages, so that cost per pair shows how it grows. Updates, validation and translation are those of
// a model of the paper's sizes and random sentences, because the vocabulary of the text is smaller than
// the paper's. Updates on several machines are measured on one of them, over imagined networks, and
// compared with those of ranks in this process, over networks that package collective emulates.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/text"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "usage: scale > bench/scale.md")
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// run measures in a temporary folder and writes the page to standard output.
func run() error {
	const pairs = 3_000_000 // of the largest text; each takes 500 bytes of disk
	folder, err := os.MkdirTemp("", "scale")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	interrupted, _ := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(interrupted, func() {
		os.RemoveAll(folder)
		os.Exit(130)
	})
	m, err := measureAll(folder, pairs, bench.Paper, bench.Small)
	if err != nil {
		return err
	}
	return m.write(os.Stdout)
}

// Kinds of models, in the order of the columns. Those of the first two train.
const (
	float32s = iota
	bf16s
	int8s
)

var (
	precisions = [...]model.Precision{model.Float32, model.BF16} // of those that train
	threads    = [...]int{1, runtime.NumCPU()}
	machines   = [...]int{1, 8, 64}
)

// measurements are all that the page needs.
type measurements struct {
	config, small model.Config
	corpora       []*textCosts
	models        [int8s + 1][len(threads)]costs
	updates       map[group]rankUpdate
	checks        []check
}

// A group is machines that update a kind of model with batches of so many pairs.
type group struct {
	kind, machines, pairs int
	link                  collective.Link
}

// A check compares an update on ranks of one thread with that on one of as many machines.
type check struct {
	Model          string
	Ranks, Pairs   int // pairs of each rank
	Link           collective.Link
	Real, Imagined rankUpdate
}

// measureAll measures in a folder, at the paper's sizes and at small ones.
func measureAll(folder string, pairs int, paper, small model.Config) (m *measurements, err error) {
	m = &measurements{config: paper, small: small, updates: map[group]rankUpdate{}}
	if m.corpora, err = measureText(folder, pairs); err != nil {
		return nil, err
	}
	for i, n := range threads {
		for kind := range m.models {
			m.models[kind][i] = costs{}
		}
		for kind, precision := range precisions {
			if err = m.models[kind][i].measureUpdates(folder, paper, precision, n, part(1), part(8), part(64)); err != nil {
				return nil, err
			}
		}
	}
	for kind, precision := range precisions {
		for _, n := range machines[1:] {
			for _, pairs := range []int{bench.Sentences, bench.Sentences * n} {
				list, err := measureMachines(paper, precision, threads[1], n, pairs, networks)
				if err != nil {
					return nil, err
				}
				for i, link := range networks {
					m.updates[group{kind, n, pairs, link}] = list[i]
				}
			}
		}
	}
	if err := m.translate(); err != nil {
		return nil, err
	}
	for _, link := range networks[:2] {
		err = errors.Join(err,
			m.check("small", small, 2, bench.Sentences, link), m.check("small", small, 4, bench.Sentences, link),
			m.check("the paper's", paper, 2, 2*bench.Sentences, link))
	}
	return m, err
}

// translate measures validation and translation. Translations have all the words that they may have.
func (m *measurements) translate() error {
	whole, err := model.New(m.config, 1)
	if err != nil {
		return err
	}
	whole.Parameters.B[text.EOS] = -100
	quantized, err := whole.Quantize()
	if err != nil {
		return err
	}
	for i, n := range threads {
		err = errors.Join(err, m.models[float32s][i].measureTranslation(whole, n), m.models[int8s][i].measureTranslation(quantized, n))
	}
	return err
}

// check adds a check of ranks that divide a batch.
func (m *measurements) check(name string, c model.Config, ranks, pairs int, link collective.Link) error {
	u, err := measureRanks(c, ranks, pairs, link)
	if err != nil {
		return err
	}
	imagined, err := measureMachines(c, model.Float32, 1, ranks, pairs, []collective.Link{link})
	if err == nil {
		m.checks = append(m.checks, check{name, ranks, pairs / ranks, link, u, imagined[0]})
	}
	return err
}

// A cost is what some work takes.
type cost struct {
	processor, elapsed float64 // seconds, of all threads together and by the clock
	peak               int64   // bytes of the resident memory of the process
}

// costs are the costs of works by name: of several rounds the lowest times and the highest peak.
type costs map[string]cost

// measure adds the cost of f in another round.
func (c costs) measure(name string, f func() error) error {
	stop, err := c.start(name)
	if err == nil {
		err = f()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return stop()
}

// start begins another round of some work, whose cost stop adds.
func (c costs) start(name string) (stop func() error, err error) {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak begins here
		return nil, err
	}
	start, processor := time.Now(), processorTime(syscall.RUSAGE_SELF)
	return func() error {
		took := cost{processor: processorTime(syscall.RUSAGE_SELF) - processor, elapsed: time.Since(start).Seconds()}
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return err
		}
		_, peak, _ := strings.Cut(string(status), "VmHWM:") // in kilobytes
		if _, err := fmt.Sscan(peak, &took.peak); err != nil {
			return fmt.Errorf("/proc/self/status: VmHWM: %w", err)
		}
		took.peak <<= 10
		c.add(name, took)
		return nil
	}, nil
}

func (c costs) add(name string, took cost) {
	if old, ok := c[name]; ok {
		took = cost{min(old.processor, took.processor), min(old.elapsed, took.elapsed), max(old.peak, took.peak)}
	}
	c[name] = took
}

// processorTime returns the seconds of this process or, with RUSAGE_THREAD, of this thread.
func processorTime(who int) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

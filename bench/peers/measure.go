package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/report"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// A set is what one file of results holds.
type set struct {
	file  string
	cases string // regular expression
	slice time.Duration
}

var sets = map[string]set{
	"kernels":  {"peers", `^(Gem|Tanh|Sigmoid|Exp|Softmax)`, 40 * time.Millisecond},
	"portable": {"portable", `^(Gemv/rows=(256|1000|3000)/cols=(256|1000)$|Gemm/batch=80/rows=768|Tanh|Sigmoid|Exp|Softmax/n=30000)`, 20 * time.Millisecond},
	"layers":   {"layer", "^(GRU|LSTM)Layer", 40 * time.Millisecond},
	"steps":    {"step", "^DecoderStep", 40 * time.Millisecond},
	"updates":  {"update", "^TrainingUpdate", 40 * time.Millisecond},
	"quick":    {"quick", "cols=256$|GemmInput|n=(50|1024)$|units=256", time.Millisecond}, // small sizes of every operation
}

// measure runs every case of a set and writes the results.
func measure(args []string, stderr io.Writer) error {
	f := flag.NewFlagSet("measure", flag.ContinueOnError)
	name := f.String("set", "kernels", "`name` of the cases: kernels, portable, layers, steps, updates or quick")
	output := f.String("o", "", "`file` of the results (default: that of the set in bench/results)")
	rounds := f.Int("rounds", 11, "`times` that every contender runs a case")
	slice := f.Duration("slice", 0, "`time` of each of these runs (default: that of the set)")
	pattern := f.String("run", "", "`regexp` of the cases to run, \"Gemv/rows=256\" for example")
	python := f.String("python", "/usr/bin/python3", "`interpreter` of PyTorch")
	processor := f.Int("cpu", -1, "`processor` that everything runs on, with those before it where a case\nhas threads; the last one if negative")
	if err := parse(f, args, stderr); err != nil {
		return err
	}
	cases, err := selected(*name, *pattern)
	if err != nil {
		return err
	}
	s := sets[*name]
	if *output == "" {
		*output = "bench/results/" + s.file + ".txt"
	}
	if *slice == 0 {
		*slice = s.slice
	}
	if *rounds < 1 || *slice < 0 {
		return errors.New("measure: -rounds and -slice must be positive")
	}
	facts := append(machineFacts(), "command: "+commandLine(f))
	m := measurement{rounds: *rounds, slice: *slice}
	defer func() { stopAll(m.workers) }()
	for i, c := range cases {
		if threads := c.Processors(); i == 0 || threads != cases[i-1].Processors() {
			if *processor, err = pin(*processor, threads); err != nil {
				return err
			}
			stopAll(m.workers)
			var skipped []string
			if m.workers, skipped, err = startAll(*python, threads); err != nil {
				return err
			}
			if i == 0 {
				m.header(append(facts, fmt.Sprintf("processor: %d", *processor), fmt.Sprintf("ghz: %.2f", clock())), skipped)
			}
		}
		fmt.Fprintln(stderr, c)
		m.run(c)
	}
	return os.WriteFile(*output, m.out.Bytes(), 0o666)
}

// selected returns the cases of a set whose name matches.
func selected(name, pattern string) ([]suite.Case, error) {
	s, ok := sets[name]
	if !ok {
		return nil, fmt.Errorf("measure: -set: no set %q", name)
	}
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("measure: -run: %w", err)
	}
	listed := regexp.MustCompile(s.cases)
	cases := slices.DeleteFunc(suite.All(), func(c suite.Case) bool {
		return !listed.MatchString(c.String()) || !match.MatchString(c.String())
	})
	if len(cases) == 0 {
		return nil, fmt.Errorf("measure: -run: no case of the set %s matches %q", name, pattern)
	}
	return cases, nil
}

// A measurement writes the times of workers.
type measurement struct {
	workers []*process
	rounds  int
	slice   time.Duration
	out     bytes.Buffer
}

// header writes the facts, and the workers that could not start.
func (m *measurement) header(facts, skipped []string) {
	for _, p := range m.workers {
		facts = append(facts, p.facts...)
	}
	for i, fact := range facts {
		if !slices.Contains(facts[:i], fact) {
			fmt.Fprintln(&m.out, fact)
		}
	}
	for _, text := range skipped {
		fmt.Fprintln(&m.out, "# skipped", text)
	}
	fmt.Fprintln(&m.out)
}

// run runs a case once per round for every contender, each in the first worker that has it.
func (m *measurement) run(c suite.Case) {
	type entry struct {
		*process
		contender string
	}
	var entries []entry
	skip := func(p *process, contender string, err error) {
		fmt.Fprintf(&m.out, "# skipped %s in %s: %s\n", contender, c, p.lastWords(err))
	}
	for _, p := range m.workers {
		names, err := p.Contenders(c)
		if err != nil {
			skip(p, p.name, err)
		}
		for _, name := range names {
			if !slices.ContainsFunc(entries, func(e entry) bool { return e.contender == name }) {
				entries = append(entries, entry{p, name})
			}
		}
	}
	for range m.rounds {
		entries = slices.DeleteFunc(entries, func(e entry) bool {
			n, took, err := e.Run(c, e.contender, m.slice)
			if err != nil {
				skip(e.process, e.contender, err)
				return true
			}
			fmt.Fprintln(&m.out, report.Line(c.String(), e.contender, n, float64(took)/float64(n)))
			return false
		})
	}
}

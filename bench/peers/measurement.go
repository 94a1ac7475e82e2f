package main

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/report"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// A measurement writes the times of workers.
type measurement struct {
	workers []*process
	rounds  int
	slice   time.Duration
	out     *bufio.Writer
}

// An entry is a contender of a worker.
type entry struct {
	*process
	contender string
}

// header writes the facts. The writer keeps its first error until Flush.
func (m *measurement) header(facts, skipped []string) error {
	ghz, err := m.clock()
	if err != nil {
		return err
	}
	facts = append(facts, fmt.Sprintf("ghz: %.2f", ghz))
	for _, p := range m.workers {
		facts = append(facts, p.facts...)
	}
	for i, fact := range facts {
		if !slices.Contains(facts[:i], fact) {
			fmt.Fprintln(m.out, fact)
		}
	}
	for _, text := range skipped {
		fmt.Fprintln(m.out, "# skipped", text)
	}
	fmt.Fprintln(m.out)
	return nil
}

// run runs a case once per round for every contender.
func (m *measurement) run(c suite.Case) {
	entries := m.entries(c)
	for range m.rounds {
		entries = slices.DeleteFunc(entries, func(e entry) bool {
			n, took, err := e.Run(c, e.contender, m.slice)
			if err != nil {
				fmt.Fprintf(m.out, "# skipped %s in %s: %s\n", e.contender, c, e.lastWords(err))
				return true
			}
			fmt.Fprintln(m.out, report.Line(c, e.contender, n, float64(took)/float64(n)))
			return false
		})
	}
}

// entries lists the contenders of a case, each once, in the first worker that has it.
func (m *measurement) entries(c suite.Case) []entry {
	var list []entry
	for _, p := range m.workers {
		names, err := p.Contenders(c)
		if err != nil {
			fmt.Fprintf(m.out, "# skipped %s in %s: %s\n", p.name, c, p.lastWords(err))
		}
		for _, name := range names {
			if !slices.ContainsFunc(list, func(e entry) bool { return e.contender == name }) {
				list = append(list, entry{p, name})
			}
		}
	}
	return list
}

// clock returns the frequency of the processor in GHz.
func (m *measurement) clock() (float64, error) {
	c := suite.Case{Op: "Tanh", N: 1}
	for _, e := range m.entries(c) {
		if e.contender == "cycle" {
			n, took, err := e.Run(c, e.contender, 100*time.Millisecond)
			return report.ProbeCycles * float64(n) / float64(took), err
		}
	}
	return 0, errors.New("measure: the worker with the kernels is not running")
}

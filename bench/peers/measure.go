package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// measure runs every case and writes the results.
func measure(args []string, _, stderr io.Writer) error {
	f := flags("measure", stderr)
	output := f.String("o", "bench/results/peers.txt", "`file` of the results")
	rounds := f.Int("rounds", 11, "`times` that every contender runs a case")
	slice := f.Duration("slice", 40*time.Millisecond, "`time` of each of these runs")
	pattern := f.String("run", "", "`regexp` of the cases to run, \"Gemv/rows=256\" for example")
	python := f.String("python", "/usr/bin/python3", "`interpreter` of PyTorch")
	processor := f.Int("cpu", -1, "`processor` that everything runs on, with those before it where a case\nhas threads; the last one if negative")
	if err := parse(f, args); err != nil {
		return err
	}
	cases, err := selected(*pattern)
	if err != nil {
		return err
	}
	if *rounds < 1 || *slice <= 0 {
		return errors.New("measure: -rounds and -slice must be positive")
	}
	facts := append(machineFacts(), "command: "+commandLine("measure", args))
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	plain, err := buildPlain(dir)
	if err != nil {
		return err
	}
	return create(*output, func(w io.Writer) error {
		m := measurement{rounds: *rounds, slice: *slice, out: bufio.NewWriter(w)}
		defer func() { stopAll(m.workers) }()
		for i, c := range cases {
			if threads := c.Processors(); i == 0 || threads != cases[i-1].Processors() {
				if *processor, err = pin(*processor, threads); err != nil {
					return err
				}
				stopAll(m.workers)
				var skipped []string
				if m.workers, skipped, err = startAll(*python, plain, threads); err != nil {
					return err
				}
				if i == 0 {
					facts = append(facts, fmt.Sprintf("processor: %d", *processor))
					if err := m.header(facts, skipped); err != nil {
						return err
					}
				}
			}
			fmt.Fprintln(stderr, c)
			m.run(c)
		}
		return m.out.Flush()
	})
}

// selected returns the cases whose name matches.
func selected(pattern string) ([]suite.Case, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("measure: -run: %w", err)
	}
	cases := slices.DeleteFunc(suite.All(), func(c suite.Case) bool { return !match.MatchString(c.String()) })
	if len(cases) == 0 {
		return nil, fmt.Errorf("measure: -run: no case matches %q", pattern)
	}
	return cases, nil
}

// startAll starts the workers with that many threads, and lists those that cannot start with the reason.
func startAll(python, plain string, threads int) (workers []*process, skipped []string, err error) {
	names, list, err := commands(python, plain, threads)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		p, err := start(name, list[name])
		if err != nil {
			skipped = append(skipped, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		workers = append(workers, p)
	}
	return workers, skipped, nil
}

func stopAll(workers []*process) {
	for _, p := range workers {
		p.stop()
	}
}

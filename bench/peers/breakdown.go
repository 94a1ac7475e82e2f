package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/breakdown"
	"github.com/softsearch-go/softsearch/bench/peers/report"
)

// memoryWork is the name by which -run selects the memory of an update.
const memoryWork = "memory/sizes=paper"

// breakDown profiles training updates and decoder steps, prints where their time goes and writes
// the results.
func breakDown(args []string, stdout, stderr io.Writer) error {
	f := flags("breakdown", stderr)
	output := f.String("o", "bench/results/breakdown.txt", "`file` of the results")
	duration := f.Duration("time", 10*time.Second, "`time` of each work")
	threads := f.String("threads", "1,2", "`numbers` of threads")
	pattern := f.String("run", "", "`regexp` of the works to measure, \"step/sizes=small\" for example")
	if err := parse(f, args); err != nil {
		return err
	}
	match, err := regexp.Compile(*pattern)
	if err != nil {
		return fmt.Errorf("breakdown: -run: %w", err)
	}
	requests, err := requestsFor(match, *threads, *duration)
	if err != nil {
		return err
	}
	facts := append(machineFacts(), "command: "+commandLine("breakdown", args))
	var works []breakdown.Work
	for _, r := range requests {
		err := r.measure(func(w breakdown.Work) error {
			works = append(works, w)
			return report.WriteWork(stdout, w)
		})
		if err != nil {
			return err
		}
	}
	if match.MatchString(memoryWork) {
		bytes, err := peakMemory()
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "training update, the paper's sizes, sentences of %d words: %d bytes of memory\n", breakdown.LongWords, bytes)
		facts = append(facts, fmt.Sprintf("memory: %d", bytes))
	}
	return create(*output, func(w io.Writer) error { return writeWorks(w, facts, works) })
}

func writeWorks(w io.Writer, facts []string, works []breakdown.Work) error {
	if _, err := fmt.Fprintln(w, strings.Join(facts, "\n")+"\n"); err != nil {
		return err
	}
	lines := json.NewEncoder(w)
	for _, work := range works {
		if err := lines.Encode(work); err != nil {
			return err
		}
	}
	return nil
}

// requestsFor returns what the workers measure, one for each of the sizes.
func requestsFor(match *regexp.Regexp, threads string, duration time.Duration) ([]request, error) {
	if duration <= 0 {
		return nil, errors.New("breakdown: -time must be positive")
	}
	var numbers []int
	for text := range strings.SplitSeq(threads, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("breakdown: -threads: %q is not a positive number", text)
		}
		numbers = append(numbers, n)
	}
	var list []request
	for _, sizes := range breakdown.Sizes {
		works := slices.DeleteFunc(breakdown.Names(sizes, numbers), func(n breakdown.Name) bool {
			return !match.MatchString(n.String())
		})
		if len(works) > 0 {
			list = append(list, request{sizes, works, duration})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("breakdown: -run: no work matches %q", match)
	}
	return list, nil
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/softsearch-go/softsearch/bench/peers/report"
)

// tables rewrites the tables of a document from results.
func tables(args []string, _, stderr io.Writer) error {
	f := flags("tables", stderr)
	readme := f.String("readme", "README.md", "`file` whose tables are rewritten")
	input := f.String("i", "bench/results/peers.txt", "`file` of the results, where a marker names no other")
	check := f.Bool("check", false, "change nothing, and fail if the tables differ")
	if err := parse(f, args); err != nil {
		return err
	}
	before, err := os.ReadFile(*readme)
	if err != nil {
		return err
	}
	after, err := report.Rewrite(string(before), func(name string) (*report.Results, error) {
		if name == "" {
			name = *input
		}
		return readResults(name)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", *readme, err)
	}
	if after == string(before) {
		return nil
	}
	if *check {
		return fmt.Errorf("%s: tables are not those of %s; go run ./bench/peers tables", *readme, *input)
	}
	return create(*readme, func(w io.Writer) error {
		_, err := io.WriteString(w, after)
		return err
	})
}

func readResults(name string) (results *report.Results, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if results, err = report.Parse(file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return results, nil
}

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/softsearch-go/softsearch/bench/markdown"
	"github.com/softsearch-go/softsearch/bench/peers/report"
)

// tables rewrites the tables of documents from results, and a document of all tables beside each file
// of results.
func tables(args []string, stderr io.Writer) error {
	f := flag.NewFlagSet("tables", flag.ContinueOnError)
	documents := f.String("documents", "README.md,bench/README.md", "`files` whose tables are rewritten, separated by commas")
	folder := f.String("results", "bench/results", "`folder` of the results")
	check := f.Bool("check", false, "change nothing, and fail if the tables differ")
	if err := parse(f, args, stderr); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(*folder, "*.txt"))
	if err != nil {
		return err
	}
	results := map[string]*report.Results{}
	for _, file := range files {
		r, err := readResults(file)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		results[name] = r
		text := fmt.Sprintf("# All results of [%s.txt](%[1]s.txt)\n\nMedian times; in brackets, how many times as long as ours takes on the same instruction set.\n\n%s", name, report.All(r))
		if err := markdown.Write(strings.TrimSuffix(file, ".txt")+".md", text, *check); err != nil {
			return err
		}
	}
	for file := range strings.SplitSeq(*documents, ",") {
		err := markdown.Update(file, "peers", *check, func(table, name string) (string, error) {
			if name == "" {
				name = "peers"
			}
			text, r := report.Tables[table], results[name]
			if text == nil || r == nil {
				return "", fmt.Errorf("no table %q or no results %q", table, name)
			}
			return text(r), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
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

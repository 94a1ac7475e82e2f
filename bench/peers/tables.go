package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/softsearch-go/softsearch/bench/peers/report"
)

// tables rewrites the tables of documents from results, and the pictures beside the results.
func tables(args []string, _, stderr io.Writer) error {
	f := flags("tables", stderr)
	documents := f.String("documents", "README.md,bench/README.md", "`files` whose tables are rewritten, separated by commas")
	input := f.String("i", "bench/results/peers.txt", "`file` of the results where a marker names none")
	check := f.Bool("check", false, "change nothing, and fail if the tables differ")
	if err := parse(f, args); err != nil {
		return err
	}
	files := map[string]string{}
	for _, name := range strings.Split(*documents, ",") {
		if err := rewrite(name, *input, files); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := update(name, text, *check); err != nil {
			return err
		}
	}
	return nil
}

// rewrite adds to files the document of that name with its tables rewritten, and the pictures of
// the results that its markers name.
func rewrite(document, input string, files map[string]string) error {
	before, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	after, err := report.Rewrite(string(before), func(name string) (*report.Results, error) {
		if name == "" {
			name = input
		}
		r, err := readResults(name)
		if err == nil && len(r.Works) > 0 {
			files[strings.TrimSuffix(name, filepath.Ext(name))+".svg"] = report.Picture(r)
		}
		return r, err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	files[document] = after
	return nil
}

// update makes text the content of a file, or fails if it is not and check is set.
func update(name, text string, check bool) error {
	before, err := os.ReadFile(name)
	switch {
	case err == nil && string(before) == text:
		return nil
	case check:
		return fmt.Errorf("%s is not what the results give; go run ./bench/peers tables", name)
	}
	return create(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
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

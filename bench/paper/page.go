package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// page updates the tables of a page from the results beside it.
func page(_ context.Context, args []string, _, stderr io.Writer) error {
	f := flag.NewFlagSet("page", flag.ContinueOnError)
	path := f.String("page", "bench/paper/README.md", "`file` whose tables to update, beside the folder results")
	check := f.Bool("check", false, "do not write, but fail if the tables are out of date")
	if err := parse(f, args, stderr); err != nil {
		return err
	}
	before, err := os.ReadFile(*path)
	if err != nil {
		return err
	}
	after, err := updateTables(string(before), filepath.Join(filepath.Dir(*path), "results"))
	if err != nil {
		return fmt.Errorf("%s: %w", *path, err)
	}
	switch {
	case after == string(before):
		return nil
	case *check:
		return fmt.Errorf("%s: tables out of date, run go run ./bench/paper page", *path)
	}
	return os.WriteFile(*path, []byte(after), 0o666)
}

// Markers around a table.
const (
	beginMarker = "<!-- paper:"
	endMarker   = "<!-- /paper -->"
)

// updateTables replaces the text between each pair of markers in document,
//
//	<!-- paper:TABLE FOLDER -->
//	…
//	<!-- /paper -->
//
// by the table of that name, made from that folder of results.
func updateTables(document, results string) (string, error) {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(document, beginMarker)
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		marker, after, _ := strings.Cut(after, " -->")
		name, folder, _ := strings.Cut(marker, " ")
		table := tables[name]
		old, rest, ok := strings.Cut(after, endMarker)
		if table == nil || !ok || strings.Contains(old, beginMarker) {
			return "", fmt.Errorf("marker %q: expected the name of a table, a folder, and an end marker", marker)
		}
		content, err := table(filepath.Join(results, folder))
		if err != nil {
			return "", err
		}
		b.WriteString(beginMarker + marker + " -->\n" + content + endMarker)
		document = rest
	}
}

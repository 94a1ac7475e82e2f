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

const (
	begin = "<!-- paper:"
	end   = "<!-- /paper -->"
)

// page rewrites the tables of a page from the results beside it.
func page(_ context.Context, args []string, _, stderr io.Writer) error {
	f := flag.NewFlagSet("page", flag.ContinueOnError)
	path := f.String("page", "bench/paper/README.md", "`file` whose tables are rewritten, beside the folder results")
	check := f.Bool("check", false, "change nothing, and fail if the tables differ")
	if err := parse(f, args, stderr); err != nil {
		return err
	}
	before, err := os.ReadFile(*path)
	if err != nil {
		return err
	}
	after, err := rewrite(string(before), filepath.Join(filepath.Dir(*path), "results"))
	if err != nil {
		return fmt.Errorf("%s: %w", *path, err)
	}
	switch {
	case after == string(before):
		return nil
	case *check:
		return fmt.Errorf("%s is not what the results give; go run ./bench/paper page", *path)
	}
	return os.WriteFile(*path, []byte(after), 0o666)
}

// rewrite returns document with the text between each pair of markers,
//
//	<!-- paper:TABLE FOLDER -->
//	…
//	<!-- /paper -->
//
// replaced by the table of that name of that folder of results.
func rewrite(document, results string) (string, error) {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(document, begin)
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		marker, after, _ := strings.Cut(after, " -->")
		name, folder, _ := strings.Cut(marker, " ")
		table := tables[name]
		old, rest, ok := strings.Cut(after, end)
		if table == nil || !ok || strings.Contains(old, begin) {
			return "", fmt.Errorf("marker %q: expected the name of a table, a folder, and an end of the table", marker)
		}
		content, err := table(filepath.Join(results, folder))
		if err != nil {
			return "", err
		}
		b.WriteString(begin + marker + " -->\n" + content + end)
		document = rest
	}
}

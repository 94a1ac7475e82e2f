// Command corpus writes parallel English and French text of any size, for trying what programs do
// with much text:
//
//	go run ./bench/corpus -pairs 3000000 big.en.gz big.fr.gz
//
// The sentences are those of package grammar, written as people write them: with a capital letter at
// the beginning, punctuation and elisions attached to words, commas, quotation marks, years,
// percentages, and now and then a web or mail address. Every third sentence names a person. The
// names are invented; the one of rank r has a frequency of about 1/r (Zipf's law), so a vocabulary
// grows with the text as that of a natural language does.
//
// Line n of one file is the translation of line n of the other. A file whose name ends in .gz is in
// gzip format. Neither file may exist. The text follows from -seed and -pairs alone, and takes
// constant memory to write: run draws pairs from the grammar, one at a time, and a writer makes lines
// of them.
package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/softsearch-go/softsearch/model/text/grammar"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "corpus: interrupted")
		os.Exit(130)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

const maxPairs = 1_000_000_000

// run writes the files that the command line args names. After an error neither file is there.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("corpus", flag.ContinueOnError)
	pairs := flags.Int("pairs", 100_000, "`number` of sentence pairs")
	seed := flags.Uint64("seed", 1, "`number` that determines the text")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: corpus [-pairs N] [-seed N] ENGLISH FRENCH")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	switch {
	case flags.NArg() != 2:
		return fmt.Errorf("%d files: expected one for English and one for French", flags.NArg())
	case *pairs < 1 || *pairs > maxPairs:
		return fmt.Errorf("-pairs %d: expected 1 to %d", *pairs, maxPairs)
	}
	return create(flags.Arg(0), func(english io.Writer) error {
		return create(flags.Arg(1), func(french io.Writer) error { return write(ctx, *pairs, *seed, english, french) })
	})
}

// write writes the lines of pairs of sentences.
func write(ctx context.Context, pairs int, seed uint64, english, french io.Writer) error {
	w := newWriter(seed)
	for p := range grammar.All(seed) {
		if pairs--; pairs < 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		source, target := w.write(p)
		if _, err := english.Write(append(source, '\n')); err != nil {
			return err
		}
		if _, err := french.Write(append(target, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// create writes a file that must not exist, compressed if its name says so. After an error it is not
// there.
func create(path string, content func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	const size = 1 << 16
	w, end := bufio.NewWriterSize(f, size), func() error { return nil }
	if strings.HasSuffix(path, ".gz") {
		zip := gzip.NewWriter(f)
		w, end = bufio.NewWriterSize(zip, size), zip.Close
	}
	if err = content(w); err == nil {
		err = errors.Join(w.Flush(), end())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}

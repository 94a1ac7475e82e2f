// Command corpus writes parallel English and French text of any size, for trying what programs do
// with much text:
//
//	go run ./bench/corpus -pairs 3000000 -bad 12 big.en.gz big.fr.gz
//
// The sentences are those of package grammar, written as people write them: with a capital letter at
// the beginning, punctuation and elisions attached to words, commas, quotation marks, years,
// percentages, and now and then a web or mail address. Every third sentence names a person. The
// names are invented; the one of rank r has a frequency of about 1/r (Zipf's law), so a vocabulary
// grows with the text as that of a natural language does.
//
// Line n of one file is the translation of line n of the other. A file whose name ends in .gz is in
// gzip format. Neither file may exist. The text follows from -seed, -pairs and -bad alone, and takes
// constant memory to write.
//
// With -bad N, N lines at equal distances cannot be used: in turn, an empty source line, a target
// line that is not UTF-8, a source line of more than 1 MiB, a target line of white space, a source
// line that is not UTF-8 and a target line of more than 1 MiB. The lines that they belong with are as
// usual. Standard output has a line for each of them: number, file and kind, separated by tabs.
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
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a closed standard output is an error, which removes the files
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "corpus: interrupted")
		os.Exit(130)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// maxPairs is the maximum of -pairs.
const maxPairs = 1_000_000_000

// run writes the files that the command line args names and the places of bad lines to stdout. After
// an error neither file is there.
func run(ctx context.Context, args []string, stdout io.Writer) (err error) {
	var c corpus
	flags := flag.NewFlagSet("corpus", flag.ContinueOnError)
	flags.IntVar(&c.pairs, "pairs", 100_000, "`number` of sentence pairs")
	flags.IntVar(&c.bad, "bad", 0, "`number` of pairs with a line that cannot be used")
	flags.Uint64Var(&c.seed, "seed", 1, "`number` that determines the text")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: corpus [-pairs N] [-bad N] [-seed N] ENGLISH FRENCH")
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
	case c.pairs < 1 || c.pairs > maxPairs:
		return fmt.Errorf("-pairs %d: expected 1 to %d", c.pairs, maxPairs)
	case c.bad < 0 || c.bad > c.pairs:
		return fmt.Errorf("-bad %d: expected 0 to %d, the number of pairs", c.bad, c.pairs)
	}
	english, err := create(flags.Arg(0))
	if err != nil {
		return err
	}
	defer func() { err = english.close(err) }()
	french, err := create(flags.Arg(1))
	if err != nil {
		return err
	}
	defer func() { err = french.close(err) }()
	return c.write(ctx, english, french, stdout)
}

// An output is a new text file, compressed if its name says so.
type output struct {
	*bufio.Writer
	zip  *gzip.Writer // nil for plain text
	file *os.File
}

// create creates a file that must not exist.
func create(path string) (*output, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	const size = 1 << 16
	o := &output{Writer: bufio.NewWriterSize(f, size), file: f}
	if strings.HasSuffix(path, ".gz") {
		o.zip = gzip.NewWriter(f)
		o.Writer = bufio.NewWriterSize(o.zip, size)
	}
	return o, nil
}

// close completes the file, or removes it if err or the error of completing it is not nil. It returns
// that error.
func (o *output) close(err error) error {
	if err == nil {
		err = o.Flush()
	}
	if err == nil && o.zip != nil {
		err = o.zip.Close()
	}
	if closeErr := o.file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(o.file.Name())
	}
	return err
}

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/translation"
)

// quantizeOptions are the flags of quantize.
type quantizeOptions struct {
	model               string
	output              string // empty to compare only
	overwrite           bool
	quiet               bool
	translation.Scoring // without files for no comparison
}

func newQuantize() *cobra.Command {
	var o quantizeOptions
	c := &cobra.Command{
		Use:   "quantize --model FILE --output FILE",
		Short: "Write a model with weights of int8",
		Long: `Write the int8 form of a model, in which a weight is an integer of 8 bits times
the scale of its row: a quarter of the memory, a multiple of the speed, and the
same translations on every processor, as with float32.

All commands but train take either form. Weights of int8 cannot be trained: to
train on, keep the float32 model, and quantize it again afterwards.

The translations of the two forms differ a little. --source and --target show
what that costs on parallel text, with or without --output: a table of the
log-probability per word that each form gives to the translations, as in score,
its perplexity, and the line whose log-probability per word changes the most.
To measure the cost in BLEU, translate with both models and compare by bleu
--baseline, which tells by paired bootstrap resampling if it is significant.

Text is of the kind the model was trained on, in UTF-8, and may be compressed
with gzip or zstd. A pair with an empty line, or with one that is not UTF-8 or
has more than 1 MiB or 10000 words, is left out, with a warning. At the end,
such pairs are an error: the exit code is 1. The output is complete all the
same.`,
		Example: trainExample + `
  go run ./model/cmd/rnnsearch quantize --model /tmp/model.safetensors \
    --output /tmp/int8.safetensors --source /tmp/train.en --target /tmp/train.fr
  for form in model int8; do
    go run ./model/cmd/rnnsearch translate --model /tmp/$form.safetensors \
      --input /tmp/train.en --output /tmp/$form.fr
  done
  go run ./model/cmd/rnnsearch bleu --reference /tmp/train.fr \
    --baseline /tmp/model.fr < /tmp/int8.fr`,
		Args:             cobra.NoArgs,
		PersistentPreRun: stopOnSignal,
		RunE: func(c *cobra.Command, _ []string) error {
			return o.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.model, "model", "", "`file` of the float32 model")
	f.StringVar(&o.output, "output", "", "`file` to write the int8 model to; it appears when it is complete")
	addOverwrite(c, &o.overwrite, files.Models)
	f.BoolVar(&o.quiet, "quiet", false, "show the table and warnings only: no progress, no summary")
	flagGroup(f, "Comparison", func(*pflag.FlagSet) {
		addPairs(c, &o.Source, &o.Target)
		addThreads(c, &o.Threads)
	})
	require(c, "model")
	together(c, "source", "target")
	return c
}

// check returns an error for the first flag that cannot be used.
func (o quantizeOptions) check() error {
	switch {
	case o.output == "" && o.overwrite:
		return errOverwriteNothing
	case o.output == "" && !o.compares():
		return usageError{"missing --output, or --source and --target"}
	}
	return checkNumbers(number{"threads", o.Threads, 1, maxThreads})
}

// compares reports whether there is text to compare the two forms of the model with.
func (o quantizeOptions) compares() bool { return o.Source != "" || o.Target != "" }

// run quantizes the model, and prints the comparison. Both are complete even if the error tells of
// bad pairs.
func (o quantizeOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	o.Bad = &terminal.Warnings{W: stderr, Treatment: "left out"}
	table, lines, err := o.quantize(ctx, stderr)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, table); err != nil {
		return err
	}
	return o.Bad.Failure(o.Source+", "+o.Target, lines)
}

// quantize writes the int8 model if there is an output, which appears last, and compares it with the
// float32 model if there is text: then it returns the table and the number of lines.
func (o quantizeOptions) quantize(ctx context.Context, stderr io.Writer) (table string, lines int, err error) {
	out := files.StandardOutput(io.Discard)
	if o.output != "" {
		if out, err = files.Models.Open(o.output, "", o.overwrite, o.model, o.Source, o.Target); err != nil {
			return "", 0, err
		}
		defer out.Close()
	}
	began := time.Now()
	f, err := terminal.UntilInterrupted(ctx, o.openForms)
	if err != nil {
		return "", 0, err
	}
	var written byteCounter
	if o.output != "" {
		if err := model.Write(io.MultiWriter(out, &written), f.int8); err != nil {
			return "", 0, err
		}
	}
	elapsed := time.Since(began)
	if o.compares() {
		if table, lines, err = o.compare(ctx, stderr, f); err != nil {
			return "", 0, err
		}
	}
	if err := out.Commit(); err != nil {
		return "", 0, err
	}
	if o.output != "" && !o.quiet {
		fmt.Fprintf(stderr, "rnnsearch: quantized %d bytes to %d bytes, ratio %.3f, in %.1f s\n",
			f.size, written, float64(written)/float64(f.size), elapsed.Seconds())
	}
	return table, lines, nil
}

// compare scores the text with both forms.
func (o quantizeOptions) compare(ctx context.Context, stderr io.Writer, f forms) (table string, lines int, err error) {
	pairs, err := o.Read(ctx, f.float32)
	if err != nil {
		return "", 0, err
	}
	var scores [2][]translation.ScoredPair
	for i, form := range []struct {
		name  string
		model *model.Model
	}{{"float32", f.float32}, {"int8", f.int8}} {
		start := func(title, unit string, total int) terminal.Progress {
			if o.quiet {
				return terminal.NoProgress{}
			}
			return terminal.ProgressOn(stderr)(title+" with "+form.name, unit, total)
		}
		if scores[i], err = o.Score(ctx, form.model, pairs, start); err != nil {
			return "", 0, err
		}
		for k, s := range scores[i] {
			pairs[k].Bad = s.Bad
		}
	}
	return translation.Comparison(scores[0], scores[1]), len(pairs), nil
}

// forms are a model with weights of float32 and its int8 form.
type forms struct {
	float32, int8 *model.Model
	size          int64 // of the file of the float32 model, in bytes
}

// openForms reads the float32 model, which must have vocabularies if text is to be scored, and
// quantizes it.
func (o quantizeOptions) openForms() (forms, error) {
	open := files.ReadModel
	if o.compares() {
		open = files.OpenModel
	}
	m, err := open(o.model)
	if err != nil {
		return forms{}, err
	}
	if m.Config.Weights != model.Float32 {
		return forms{}, fmt.Errorf("%s: is %s already, expected a model of float32", o.model, m.Config.Weights)
	}
	info, err := os.Stat(o.model)
	if err != nil {
		return forms{}, err
	}
	q, err := m.Quantize()
	if err != nil {
		return forms{}, fmt.Errorf("%s: %w", o.model, err)
	}
	return forms{m, q, info.Size()}, nil
}

// A byteCounter counts the bytes that are written to it.
type byteCounter int64

func (n *byteCounter) Write(p []byte) (int, error) {
	*n += byteCounter(len(p))
	return len(p), nil
}

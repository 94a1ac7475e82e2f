package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/moses"
)

// translateOptions are the flags of translate.
type translateOptions struct {
	models    []string
	input     string // empty for standard input
	output    textOutput
	resume    bool // continue the output of an earlier run
	quiet     bool
	sentences bool // split lines into sentences
	maxSource int
	decoding  decode.Options // without Ensemble
}

func newTranslate() *cobra.Command {
	var o translateOptions
	c := &cobra.Command{
		Use:   "translate --model FILE",
		Short: "Translate text, one sentence per line",
		Long: `Translate standard input to standard output, or --input to --output, one
sentence per line. Text is of the kind the model was trained on: plain text if
train was told the language, tokenized text otherwise. It is UTF-8, may be
compressed with gzip or zstd, and may have a byte-order mark and Windows line
ends. An empty line stays empty. A word outside the vocabulary is read as <unk>,
and translations may contain <unk>.

A translation depends on its line only. Lines that arrive together are
translated together on all threads, and written in order; no line waits for
lines after it.

A line that is not UTF-8, has more than 1 MiB or more than --max-source words,
or would take more than 2 GiB of memory is translated as an empty line, with a
warning. At the end, such lines are an error: the exit code is 1. Another
warning is for sentences with more than twice the words that the model has
learned from, 50 if the model does not say: they get poor translations, slowly.

Several models with the same vocabularies form an ensemble, which averages
their log-probabilities.

--split-sentences divides each line of plain text into sentences by the rules
of Moses, translates each, and joins the translations with spaces.

--best prints n-best lists in the format of Moses,

  line number from 0 ||| translation ||| logprob= log p ||| score

ranked by the score, log p / words^ALPHA with the ALPHA of --normalize. There is
no list for a line that cannot be used. A | of ||| in a translation is printed
as &#124;.

If standard error is a terminal and neither lines nor translations are typed or
shown there, a translation of more than a second shows its progress, and sums
up. With --output, it always sums up. An interrupted translation leaves no file
under the name of --output.

With --resume, the same command continues a translation that Ctrl-C, kill -9, a
full disk or a crash has ended, and writes what one run would have written.
Until then the lines stand in FILE.KEY.part, where FILE is --output, and KEY
depends on the models, the input, the options other than --threads and the
version of this program. While there is a part of another translation, the
command refuses to start.`,
		Example: trainExample + `
  echo 'the dog eats in the house' |
    go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors
  go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors \
    --beam 12 --threads 2 --input /tmp/train.en --output /tmp/translated.fr \
    --resume
  tail -n 1 /tmp/translated.fr
  echo 'the dog eats in the house' |
    go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors \
    --normalize 1 --best 2`,
		Args:             cobra.NoArgs,
		PersistentPreRun: stopOnSignal,
		RunE: func(c *cobra.Command, _ []string) error {
			return o.run(c.Context(), c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.models, "model", nil, "`file` of the model; repeat for an ensemble")
	f.StringVar(&o.input, "input", "", "`file` to translate instead of standard input")
	o.output.add(c)
	f.BoolVar(&o.resume, "resume", false, "continue where an interrupted run of the same command ended; expects --input and --output")
	f.BoolVar(&o.sentences, "split-sentences", false, "translate each sentence of a line of plain text by itself")
	f.IntVar(&o.maxSource, "max-source", maxSentence, "maximum number of `words` of a line or, with --split-sentences, of a sentence; a line with more cannot be used")
	f.BoolVar(&o.quiet, "quiet", false, "show warnings only: no progress, no summary")
	addThreads(c, &o.decoding.Threads)
	flagGroup(f, "Search", o.addSearch)
	require(c, "model")
	return c
}

// addSearch adds the flags of the search for translations.
func (o *translateOptions) addSearch(f *pflag.FlagSet) {
	d := &o.decoding
	f.IntVar(&d.Beam, "beam", 5, "beam size; 1 is greedy search")
	addNormalization(f, d)
	f.IntVar(&d.NBest, "best", 0, "print an n-best list of this `length` for each line, at most --beam (default: only the best translation, as text)")
	f.IntVar(&d.MinLength, "min-length", 0, "minimum number of `words` of a translation")
	f.IntVar(&d.MaxLength, "max-length", 0, "maximum number of `words` of a translation, the end of the sentence included (default: three times the source)")
	addUnknownWords(f, d)
}

// run translates the input to the output.
func (o translateOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	in := files.NewInput(standardInput, stdin)
	var keyboard io.Reader
	if o.input == "" {
		keyboard = stdin
	} else {
		opened, err := terminal.UntilInterrupted(ctx, func() (*files.Input, error) { return files.Open(o.input) })
		if err != nil {
			return err
		}
		in = opened
	}
	var key string
	if o.resume {
		var err error
		if key, err = terminal.UntilInterrupted(ctx, func() (string, error) { return o.key(in) }); err != nil {
			return err
		}
	}
	// Where /dev/stdin exists, it names the file that a shell has opened as standard input.
	out, err := o.output.open(stdout, key, append([]string{o.input, "/dev/stdin"}, o.models...)...)
	if err != nil {
		return err
	}
	defer out.Close()
	t, err := terminal.UntilInterrupted(ctx, o.open)
	if err != nil {
		return err
	}
	defer t.Close()
	if !o.quiet && terminal.Is(keyboard) && terminal.Is(stderr) {
		fmt.Fprintf(stderr, "rnnsearch: reads one sentence per line; %s ends\n", terminal.EndOfFileKey())
	}
	shown := stdout
	if o.output.file != "" {
		shown = nil
	}
	m := newMeter(keyboard, shown, stderr, in.Size(), o.quiet, o.output.file != "")
	translation := newTranslation(t, in, out, m, o.decoding.NBest > 0)
	if err := translation.resume(); err != nil {
		return err
	}
	if n := translation.earlier; n > 0 && !o.quiet {
		fmt.Fprintf(stderr, "rnnsearch: resuming after %s in %s\n", terminal.Plural(n, "line"), terminal.Quote(out.Name()))
	}
	return translation.run(ctx)
}

// open returns a translator with the models.
func (o translateOptions) open() (*translator, error) {
	var models []*model.Model
	for _, path := range o.models {
		m, err := files.OpenModel(path)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
		if !sameText(m, models[0]) {
			return nil, fmt.Errorf("%s: vocabularies or text settings differ from those of %s, expected the same in an ensemble", path, o.models[0])
		}
	}
	if o.decoding.ReplaceUNK && !slices.ContainsFunc(models, (*model.Model).HasAlignments) {
		return nil, fmt.Errorf("--replace-unk: models of kind %s have no alignments, expected at least one of kind %s", model.RNNencdec, model.RNNsearch)
	}
	language := models[0].SourceText.Language()
	if o.sentences && language == "" {
		return nil, fmt.Errorf("--split-sentences: %s is a model of tokenized text, expected one of plain text", o.models[0])
	}
	o.decoding.Ensemble = models[1:]
	o.decoding.NoAlignments = !o.decoding.ReplaceUNK
	t, err := newTranslator(models[0], o.decoding)
	if err != nil {
		return nil, err
	}
	t.maxSource = o.maxSource
	if o.sentences {
		t.split = func(line string) []string { return moses.Sentences(language, line) }
	}
	t.learned = longestSource(models)
	if err := t.Check([]int32{text.EOS}); err != nil {
		t.Close()
		return nil, fmt.Errorf("--beam, --max-length, --min-length: no line can be translated: %w", err)
	}
	return t, nil
}

// longestSource returns the number of words of the longest sentence that a model of an ensemble has
// learned from.
func longestSource(models []*model.Model) int {
	const unknown = 50 // the default of train --max-length
	longest := 0
	for _, m := range models {
		longest = max(longest, cmp.Or(m.LongestSource, unknown))
	}
	return longest
}

// check returns an error for the first flag that cannot be used.
func (o translateOptions) check() error {
	if o.resume && (o.input == "" || o.output.file == "") {
		return errors.New("--resume: expected with --input and --output")
	}
	const maxLength = 1 << 29
	d := o.decoding
	longest := maxLength
	if d.MaxLength > 0 {
		longest = d.MaxLength
	}
	err := checkNumbers(
		number{"beam", d.Beam, 1, maxBeam},
		number{"best", d.NBest, 0, d.Beam},
		number{"max-length", d.MaxLength, 0, maxLength},
		number{"min-length", d.MinLength, 0, longest - 1},
		number{"max-source", o.maxSource, 1, maxLength},
		number{"threads", d.Threads, 1, maxThreads},
	)
	if err != nil {
		return err
	}
	if o.sentences && d.NBest > 0 {
		return errors.New("--split-sentences: expected without --best")
	}
	return checkNormalization(d.Normalization)
}

// sameText reports whether two models have the same vocabularies and split lines into the same
// words.
func sameText(a, b *model.Model) bool {
	return slices.Equal(a.Source.Words(), b.Source.Words()) && slices.Equal(a.Target.Words(), b.Target.Words()) &&
		a.SourceText.Equal(b.SourceText) && a.TargetText.Equal(b.TargetText)
}

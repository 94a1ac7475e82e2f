package main

import (
	"context"
	"errors"
	"fmt"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
)

type translateOptions struct {
	translation.Options
	input  string // empty for standard input
	output textOutput
	resume bool // continue the output of an earlier run
	quiet  bool
}

func newTranslate() *cobra.Command {
	var o translateOptions
	c := &cobra.Command{
		Use:   "translate",
		Short: "Translate text, one sentence per line",
		Long: `Translate standard input to standard output, or --input to --output, one
sentence per line. Without --model, a model that is built in translates from
English to French; --model fr-en is the one for the way back.

Text is of the kind the model was trained on: plain text if train was told the
language, tokenized text otherwise. It is UTF-8, may be compressed with gzip or
zstd, and may have a byte-order mark and Windows line ends. An empty line stays
empty. A word outside the vocabulary is read as <unk>. Where the translation
would have <unk>, it has the word of the source with the largest attention
weight; --replace-unk=false keeps <unk>, and so do models without attention.

A model with byte-pair encoding reads a sentence of plain text in capitals as
if it were in lower case, which it knows better, and writes its translation in
capitals. Abbreviations alone are read as they stand. A word alone that begins
with a capital is read in lower case if it is a segment there. Of plain text,
marks of lists, such as - and 1., at the beginning of a line, emoji and smileys
at its ends, and lines without letters and digits stay as they are.

A translation depends on its line only. Lines that arrive together are
translated together on all threads, and written in order; no line waits for
lines after it.

A line that is not UTF-8, has more than 1 MiB or more than --max-source words,
or would take more than 2 GiB of memory is translated as an empty line, with a
warning. At the end, such lines are an error: the exit code is 1. Another
warning is for sentences with more than twice the words that the model has
learned from, 50 if the model does not say: they get poor translations, slowly.
Others name lines of plain text with several sentences, of which a model tends
to lose all but one, and lines whose translation repeated itself: up to four
words that stood more than three times side by side stay as often as in the
source; and sentences most of whose words a model without byte-pair encoding
does not know.

Several models with the same vocabularies form an ensemble, which averages
their log-probabilities.

--split-sentences divides each line of plain text into sentences by the rules
of Moses, translates each, and joins the translations with spaces. It is the
default of the models that are built in.

--format html or markdown translates a whole document. Each sentence is
translated once, with the elements inside it, such as links and bold words,
around the words that attended to theirs: bold words may become bold in two
places, a link stays one. Code, URLs, comments, tables and what HTML marks with
translate="no" or the class notranslate stay. A sentence that cannot be used
stays, too, with a warning.

--terms FILE says what words must become: each line has words of the source, a
tab and what stands for them in every translation, once for each time that they
are in a sentence, 64 at most. Case counts, but for a capital at the beginning
of a sentence, and for sentences in capitals. A line without a tab has words
that stay. A sentence without terms is translated as without the file.

--best prints n-best lists in the format of Moses,

  line number from 0 ||| translation ||| logprob= log p ||| score

ranked by the score, log p / words^ALPHA with the ALPHA of --normalize. There is
no list for a line that cannot be used. A | of ||| in a translation is printed
as &#124;.

--json prints one object a sentence, with the fields that the translations of
the server's /v1/translate have; its /openapi.json describes them:

  line       number from 0
  sentence   as it stands in the line
  source     tokens, and words: for each its text, and the range of its tokens
  best       --best translations: text, logprob, score; target, which is like
             source but has the logprob of each token; alignment, the attention
             of each target token to each source token

For a line that cannot be used, the object has line and error.

If standard error is a terminal and neither lines nor translations are typed or
shown there, a translation of more than a second shows its progress, and sums
up. With --output, it always sums up. An interrupted translation leaves no file
under the name of --output.

With --resume, the same command continues a translation that Ctrl-C, kill -9, a
full disk or a crash has ended, and writes what one run would have written.
Until then the lines stand in FILE.KEY.part, where FILE is --output, and KEY
depends on the models, the input, the options other than --threads and the
version of this program; FILE.KEY.part.sums has their checksums. Lines that
another program has changed are translated again. While there is a part of
another translation, the command refuses to start.`,
		Example: `  echo 'Hello, how are you? I would like to buy a cat.' |
    go run ./model/cmd/rnnsearch translate
  echo '<p>A man in a <b>red</b> shirt.</p>' |
    go run ./model/cmd/rnnsearch translate --format html

` + trainExample + `
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
			if o.OneSentence = c.Flags().Changed("split-sentences"); !o.OneSentence {
				o.SplitSentences = (o.Decoding.NBest == 0 || o.JSON) && !slices.ContainsFunc(o.Models, func(path string) bool { return models.BuiltIn(path) == "" })
			}
			o.AnyKind = !c.Flags().Changed("replace-unk")
			return o.run(c.Context(), c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.Models, "model", []string{builtInModels[0]}, modelUsage+"; repeat for an ensemble")
	f.StringVar(&o.input, "input", "", "`file` to translate instead of standard input")
	o.output.add(c)
	f.StringVar(&o.Format, "format", "text", "`format` of the input: "+strings.Join(translation.Formats(), ", "))
	completeValues(c, "format", translation.Formats()...)
	f.BoolVar(&o.resume, "resume", false, "continue where an interrupted run of the same command ended; expects --input and --output")
	f.BoolVar(&o.SplitSentences, "split-sentences", false, "translate each sentence of a line of plain text by itself")
	f.IntVar(&o.MaxSource, "max-source", translation.MaxSentence, "maximum number of `words` of a line or, with --split-sentences, of a sentence; a line with more cannot be used")
	f.BoolVar(&o.JSON, "json", false, "print what is known of each translation as JSON: scores, tokens, alignments")
	f.BoolVar(&o.quiet, "quiet", false, "show warnings only: no progress, no summary")
	addThreads(c, &o.Decoding.Threads)
	flagGroup(f, "Search", func(f *pflag.FlagSet) { o.addSearch(c, f) })
	return c
}

func (o *translateOptions) addSearch(c *cobra.Command, f *pflag.FlagSet) {
	d := &o.Decoding
	f.IntVar(&d.Beam, "beam", 5, "beam size; 1 is greedy search")
	addNormalization(f, d)
	f.IntVar(&d.NBest, "best", 0, "print an n-best list of this `length` for each line, at most --beam (default: only the best translation)")
	f.IntVar(&d.MinLength, "min-length", 0, "minimum number of `words` of a translation")
	f.IntVar(&d.MaxLength, "max-length", 0, "maximum number of `words` of a translation, the end of the sentence included (default: three times the source)")
	addUnknownWords(f, d, true)
	f.StringVar(&o.Terms, "terms", "", "`file` of words of the source and, after a tab, what they become")
}

func (o translateOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	console := translation.Console{Stdin: stdin, Stdout: stdout, Stderr: stderr, Quiet: o.quiet}
	if o.output.file != "" {
		console.Stdout = nil
	}
	in := files.NewInput(files.StandardInput, stdin)
	if o.input != "" {
		opened, err := terminal.UntilInterrupted(ctx, func() (*files.Input, error) { return files.Open(o.input) })
		if err != nil {
			return err
		}
		in, console.Stdin = opened, nil
	}
	var key string
	if o.resume {
		number, commit := build()
		var err error
		if key, err = terminal.UntilInterrupted(ctx, func() (string, error) { return o.Key(number+" "+commit, in) }); err != nil {
			return err
		}
	}
	// Where /dev/stdin exists, it names the file that a shell has opened as standard input.
	out, err := o.output.open(stdout, key, append([]string{o.input, "/dev/stdin"}, o.Models...)...)
	if err != nil {
		return err
	}
	defer out.Close()
	t, err := terminal.UntilInterrupted(ctx, o.Open)
	if err != nil {
		return err
	}
	defer t.Close()
	if o.Format != "text" {
		return t.RunDocument(ctx, in, out, console)
	}
	return t.Run(ctx, in, out, console, o.Decoding.NBest > 0)
}

func (o translateOptions) check() error {
	if o.resume && (o.input == "" || o.output.file == "") {
		return errors.New("--resume: expected with --input and --output")
	}
	const maxLength = 1 << 29
	d := o.Decoding
	longest := maxLength
	if d.MaxLength > 0 {
		longest = d.MaxLength
	}
	err := checkNumbers(
		number{"beam", d.Beam, 1, maxBeam},
		number{"best", d.NBest, 0, d.Beam},
		number{"max-length", d.MaxLength, 0, maxLength},
		number{"min-length", d.MinLength, 0, longest - 1},
		number{"max-source", o.MaxSource, 1, maxLength},
		number{"threads", d.Threads, 1, maxThreads},
	)
	if err != nil {
		return err
	}
	switch {
	case !slices.Contains(translation.Formats(), o.Format):
		return fmt.Errorf("--format %q: expected one of %s", o.Format, strings.Join(translation.Formats(), ", "))
	case o.Format != "text" && o.resume:
		return fmt.Errorf("--resume: expected without --format %s, which is translated as a whole", o.Format)
	case o.Format != "text" && d.NBest > 0:
		return fmt.Errorf("--best: expected without --format %s, which has one translation", o.Format)
	case o.Format != "text" && o.JSON:
		return fmt.Errorf("--json: expected without --format %s, which has no list of sentences", o.Format)
	}
	if o.SplitSentences && d.NBest > 0 && !o.JSON {
		return errors.New("--split-sentences: expected without --best, or with --json")
	}
	return checkNormalization(d.Normalization)
}

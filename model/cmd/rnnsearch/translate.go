package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// translateOptions are the flags of translate.
type translateOptions struct {
	models   []string
	decoding decode.Options // without Ensemble
}

func newTranslate() *cobra.Command {
	var o translateOptions
	c := &cobra.Command{
		Use:   "translate --model FILE",
		Short: "Translate standard input, one sentence per line",
		Long: `Translate standard input to standard output, one sentence per line. Both are
text of the kind the model was trained on: plain text if train was told the
language, tokenized text otherwise. An empty line stays empty. A word outside
the vocabulary is read as <unk>, and translations may contain <unk>.

A translation depends on its line only. Lines that arrive together are
translated together on all threads, and written in order; no line waits for
lines after it.

Tokenized text must be UTF-8; in plain text, invalid bytes are read as U+FFFD.

Several models with the same vocabularies form an ensemble, which averages
their log-probabilities.

--best prints n-best lists in the format of Moses,

  line number from 0 ||| translation ||| log p ||| score

ranked by the score, log p / words^ALPHA with the ALPHA of --normalize.`,
		Example: trainExample + `
  echo 'the dog eats in the house' | go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors
  go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors --beam 12 --threads 2 < /tmp/train.en | tail -n 1
  echo 'the dog eats in the house' | go run ./model/cmd/rnnsearch translate --model /tmp/model.safetensors --normalize 1 --best 2`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			t, err := o.open()
			if err != nil {
				return err
			}
			defer t.Close()
			return t.translate(c.Context(), c.OutOrStdout(), c.InOrStdin(), o.decoding.NBest > 0)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.models, "model", nil, "`file` of the model; repeat for an ensemble")
	f.IntVar(&o.decoding.Beam, "beam", 5, "beam size; 1 is greedy search")
	f.IntVar(&o.decoding.NBest, "best", 0, "print an n-best list of this `length` for each line, at most --beam (default: only the best translation, as text)")
	f.Float64Var(&o.decoding.Normalization, "normalize", 0, "rank translations by log p / words^`ALPHA`; larger values favor longer ones")
	f.IntVar(&o.decoding.MinLength, "min-length", 0, "minimum number of `words` of a translation")
	f.IntVar(&o.decoding.MaxLength, "max-length", 0, "maximum number of `words`, the end of the sentence included (default: three times the source)")
	f.BoolVar(&o.decoding.ForbidUNK, "forbid-unk", false, "never generate <unk>")
	f.BoolVar(&o.decoding.ReplaceUNK, "replace-unk", false, "replace each <unk> by the source word with the largest attention weight")
	addThreads(c, &o.decoding.Threads)
	require(c, "model")
	return c
}

// open checks the flags and returns a translator.
func (o translateOptions) open() (*translator, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var models []*model.Model
	for _, path := range o.models {
		m, err := openModel(path)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
		if !sameText(m, models[0]) {
			return nil, fmt.Errorf("%s: vocabularies or text settings differ from those of %s, expected the same in an ensemble", path, o.models[0])
		}
	}
	if o.decoding.ReplaceUNK && !slices.ContainsFunc(models, hasAlignments) {
		return nil, fmt.Errorf("--replace-unk: models of kind %s have no alignments, expected at least one of kind %s", model.RNNencdec, model.RNNsearch)
	}
	o.decoding.Ensemble = models[1:]
	o.decoding.NoAlignments = !o.decoding.ReplaceUNK
	return newTranslator(models[0], o.decoding)
}

// check returns an error for the first flag that cannot be used.
func (o translateOptions) check() error {
	const maxLength, maxAlpha = 1 << 29, 10
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
		number{"threads", d.Threads, 1, maxThreads},
	)
	if err != nil {
		return err
	}
	if alpha := d.Normalization; !(alpha >= 0 && alpha <= maxAlpha) {
		return fmt.Errorf("--normalize %v: expected 0 to %d", alpha, maxAlpha)
	}
	return nil
}

// sameText reports whether two models have the same vocabularies and split lines into the same
// words.
func sameText(a, b *model.Model) bool {
	return slices.Equal(a.Source.Words(), b.Source.Words()) && slices.Equal(a.Target.Words(), b.Target.Words()) &&
		a.SourceText.Equal(b.SourceText) && a.TargetText.Equal(b.TargetText)
}

// hasAlignments reports whether a model has attention weights.
func hasAlignments(m *model.Model) bool { return m.Config.Kind == model.RNNsearch }

// A translator translates lines of text in windows.
type translator struct {
	*decode.Translator
	model  *model.Model // the first of an ensemble
	window int          // lines translated before the first of them is written
}

func newTranslator(m *model.Model, o decode.Options) (*translator, error) {
	t, err := decode.New(m, o)
	if err != nil {
		return nil, err
	}
	const perThread = 256 // several batches: threads wait for each other at the end of a window
	return &translator{t, m, perThread * max(1, o.Threads)}, nil
}

// translate writes the best translation of each line of stdin as text, or its n-best list.
func (t *translator) translate(ctx context.Context, stdout io.Writer, stdin io.Reader, nBest bool) error {
	in := newLineReader(standardInput, stdin, t.model.SourceText)
	for written := 0; ; {
		lines, end := in.available(t.window)
		output := make([]string, len(lines))
		n, err := t.eachLine(ctx, lines, func(i int, best []decode.Translation) {
			if nBest {
				output[i] = t.nBestList(written+i, lines[i], best)
			} else {
				output[i] = t.Text(lines[i], best[0]) + "\n"
			}
		})
		for _, line := range output[:n] {
			if _, err := io.WriteString(stdout, line); err != nil {
				return lineError(standardInput, written+1, err)
			}
			written++
		}
		if err != nil {
			return lineError(standardInput, written+1, err)
		}
		if end == io.EOF {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// eachLine calls f with the translations of lines[i], in any order. A line without words has one
// translation without words. If lines fail, eachLine returns the number of lines before the first
// of them and its error; f may have been called for later lines, too.
func (t *translator) eachLine(ctx context.Context, lines []string, f func(i int, best []decode.Translation)) (n int, err error) {
	var sentences []decode.Sentence
	var indices []int // of the sentences in lines
	n = len(lines)
	for i, line := range lines {
		words := t.model.SourceText.Words(line)
		if len(words) == 0 {
			f(i, []decode.Translation{{}})
			continue
		}
		source := t.model.Source.Encode(words)
		if err = t.Check(source); err != nil {
			n = i
			break
		}
		sentences, indices = append(sentences, decode.Sentence{Source: source}), append(indices, i)
	}
	t.Each(ctx, sentences, func(i int, best []decode.Translation, failure error) {
		if failure == nil {
			f(indices[i], best)
		} else if indices[i] < n {
			n, err = indices[i], failure
		}
	})
	return n, err
}

// nBestList returns the translations of a line in the format of Moses.
func (t *translator) nBestList(number int, line string, best []decode.Translation) string {
	var b strings.Builder
	for _, r := range best {
		fmt.Fprintf(&b, "%d ||| %s ||| %.6f ||| %.6f\n", number, t.Text(line, r), r.LogProb, r.Score)
	}
	return b.String()
}

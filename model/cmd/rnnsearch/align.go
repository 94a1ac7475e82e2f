package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/figure"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// alignOptions are the flags of align.
type alignOptions struct {
	model, source, target string
	output                figureOptions
	beam, threads         int
}

// alignExample trains on numbers, digit by digit: such a small model learns alignments that show.
const alignExample = `  seq 1 7 99999 | sed 's/./& /g' > /tmp/digits
  sed 's/0/zero/g; s/1/one/g; s/2/two/g; s/3/three/g; s/4/four/g; s/5/five/g
    s/6/six/g; s/7/seven/g; s/8/eight/g; s/9/nine/g' \
    /tmp/digits > /tmp/digits.en
  sed 's/0/zéro/g; s/1/un/g; s/2/deux/g; s/3/trois/g; s/4/quatre/g; s/5/cinq/g
    s/6/six/g; s/7/sept/g; s/8/huit/g; s/9/neuf/g' \
    /tmp/digits > /tmp/digits.fr
  go run ./model/cmd/rnnsearch train --model /tmp/digits.safetensors \
    --source /tmp/digits.en --target /tmp/digits.fr \
    --embedding 16 --hidden 32 --alignment 16 --maxout 16 --batch 10 \
    --optimizer adam --learning-rate 0.005 --epochs 3
  echo 'seven one four two' |
    go run ./model/cmd/rnnsearch align --model /tmp/digits.safetensors --format map
  tail -n 4 /tmp/digits.en |
    go run ./model/cmd/rnnsearch align --model /tmp/digits.safetensors \
    --format svg > /tmp/digits.svg`

func newAlign() *cobra.Command {
	var o alignOptions
	c := &cobra.Command{
		Use:   "align --model FILE",
		Short: "Show what a model attends to for each word of a translation",
		Long: `Show which source words a model attends to when it predicts each target word:
for given pairs with --source and --target, otherwise for the translations of
standard input. Text is of the kind the model was trained on, and words are
those of the model, such as segments of byte-pair encoding. The formats are

  pharaoh  one line per sentence: a link i-j for each target word j and the
           source word i with the largest weight, both counted from 0; </s>
           has no links. Translations of standard input and ||| precede them.
  json     one object per line: source, target, weights (target×source) and
           log_prob of the target; the end of a sentence is <end>
  map      a heat map of characters for each sentence
  svg      one picture of all sentences, at most 64: source words across,
           target words down, cells from black for weight 0 to white for 1
  png      the same, with Latin, Greek and Cyrillic letters only

Text is UTF-8 and may be compressed by gzip or zstd. The alignment of an empty
line of standard input is empty. So is that of a line or pair that cannot be
used, such as one of more than 2047 words, with a warning, and an error in JSON;
pictures leave it out. At the end, such lines are an error: the exit code is 1.`,
		Example: alignExample,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return align(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), c.InOrStdin(), o)
		},
	}
	c.Flags().StringVar(&o.model, "model", "", "`file` of the model")
	addPairs(c, &o.source, &o.target)
	o.output.add(c, alignmentFormats)
	c.Flags().IntVar(&o.beam, "beam", 5, "`size` of the beam for translating standard input")
	addThreads(c, &o.threads)
	require(c, "model")
	together(c, "source", "target")
	exclusive(c, "beam", "source")
	return c
}

// align writes the alignments of the given pairs or of the translations of stdin.
func align(ctx context.Context, stdout, stderr io.Writer, stdin io.Reader, o alignOptions) error {
	if err := o.output.check(alignmentFormats, o.model, o.source, o.target); err != nil {
		return err
	}
	err := checkNumbers(number{"beam", o.beam, 1, maxBeam}, number{"threads", o.threads, 1, maxThreads})
	if err != nil {
		return err
	}
	m, err := files.OpenModel(o.model)
	if err != nil {
		return err
	}
	if !m.HasAlignments() {
		return fmt.Errorf("%s: model of kind %s has no alignments, expected %s", o.model, m.Config.Kind, model.RNNsearch)
	}
	t, err := newTranslator(m, decode.Options{Beam: o.beam, Threads: o.threads})
	if err != nil {
		return err
	}
	defer t.Close()
	a := newAligner(t, newAlignmentWriter(stdout, o.output, o.source == ""), &terminal.Warnings{W: stderr, Treatment: o.output.treatment()})
	if o.source != "" {
		return a.pairs(ctx, o.source, o.target)
	}
	in := files.NewInput(standardInput, stdin)
	defer in.Close()
	return a.translations(ctx, in)
}

// treatment says what happens to lines that cannot be used.
func (o *figureOptions) treatment() string {
	if o.isFigure() {
		return "left out of the picture"
	}
	return "aligned as an empty line"
}

// An aligner writes alignments of lines or pairs and warns of the bad ones.
type aligner struct {
	*translator
	out alignmentWriter
	bad *terminal.Warnings
}

func newAligner(t *translator, out alignmentWriter, bad *terminal.Warnings) *aligner {
	t.maxSource = maxWords - 1
	return &aligner{t, out, bad}
}

// pairs writes the alignments of the pairs of two files.
func (a *aligner) pairs(ctx context.Context, source, target string) error {
	pairs, err := readPairs(ctx, a.model, source, target)
	if err != nil {
		return err
	}
	for i := range pairs {
		pairs[i].bad = cmp.Or(pairs[i].bad, checkPair(pairs[i].Pair, source, target, i+1))
	}
	if err := a.out.plan(source, pairs); err != nil {
		return err
	}
	total := len(pairs)
	for number := 1; len(pairs) > 0; {
		n := window(pairs, func(p inputPair) int { return max(len(p.Source), len(p.Target)) })
		list, err := a.score(ctx, pairs[:n], source, number)
		if err != nil {
			return err
		}
		if err := a.write(source, number, list); err != nil {
			return err
		}
		pairs, number = pairs[n:], number+n
	}
	return a.finish(source+", "+target, total)
}

// checkPair returns an error, with a name and a number, if a sentence of a pair is too long to align.
func checkPair(p text.Pair, source, target string, number int) error {
	if err := checkLength(p.Source); err != nil {
		return lineError(source, number, err)
	}
	if err := checkLength(p.Target); err != nil {
		return lineError(target, number, err)
	}
	return nil
}

// score returns the alignments of a window of pairs, the first of which has that number.
func (a *aligner) score(ctx context.Context, pairs []inputPair, source string, number int) ([]alignment, error) {
	list := make([]alignment, len(pairs))
	var good []text.Pair
	var indices []int // of good in pairs
	for i, p := range pairs {
		if list[i].bad = p.bad; p.bad == nil {
			good, indices = append(good, p.Pair), append(indices, i)
		}
	}
	failed, err := a.scorePairs(ctx, good, func(i int, r decode.Translation, bad error) {
		if bad != nil {
			list[indices[i]].bad = lineError(source, number+indices[i], bad)
			return
		}
		list[indices[i]] = alignment{withEnd(good[i].Source), withEnd(good[i].Target), r.Alignment, r.LogProb, nil}
	})
	if err != nil {
		return nil, lineError(source, number+indices[failed], err)
	}
	return list, nil
}

// translations translates an input and writes the alignments.
func (a *aligner) translations(ctx context.Context, input *files.Input) error {
	in := newLineReader(input)
	for {
		lines, end := a.read(in)
		if errors.Is(end, figure.ErrSize) {
			return end
		}
		for len(lines) > 0 {
			n := window(lines, func(line inputLine) int { return len(a.model.SourceText.Words(line.text)) })
			list, err := a.translate(ctx, input.Name(), lines[:n])
			if err := a.write(input.Name(), lines[0].number, list); err != nil {
				return err
			}
			if err != nil {
				return lineError(input.Name(), lines[len(list)].number, err)
			}
			lines = lines[n:]
		}
		if end == io.EOF {
			return a.finish(input.Name(), in.Line())
		}
		if end != nil {
			return end
		}
	}
}

// read returns lines like available; for a picture, all lines, unless they are too many.
func (a *aligner) read(in *lineReader) (lines []inputLine, err error) {
	limit := a.out.limit()
	if limit == 0 {
		return in.available(maxWords)
	}
	var pairs []inputPair // without translations
	for sentences := 0; sentences <= limit; {
		line, err := in.next()
		if err == io.EOF {
			return lines, cmp.Or(a.out.plan(in.input.Name(), pairs), err)
		}
		if err != nil {
			return nil, err
		}
		p := inputPair{Pair: text.Pair{Source: a.model.SourceText.Words(line.text)}, bad: line.bad}
		switch {
		case p.bad != nil:
		case len(p.Source) == 0:
			p.bad = text.ErrEmptyLine
		default:
			sentences++
		}
		lines, pairs = append(lines, line), append(pairs, p)
	}
	return nil, lineError(in.input.Name(), in.Line(), fmt.Errorf("%w: more than %d sentences; %s", figure.ErrSize, limit, selectSome))
}

// translate translates a window of lines and returns their alignments. If it fails, it returns the
// alignments of the lines before one that fails, and the error.
func (a *aligner) translate(ctx context.Context, name string, lines []inputLine) ([]alignment, error) {
	sentences, list := make([]sentence, len(lines)), make([]alignment, len(lines))
	for i, line := range lines {
		if sentences[i] = a.sentence(line); sentences[i].bad != nil {
			list[i].bad = lineError(name, line.number, sentences[i].bad)
		}
	}
	n, err := a.each(ctx, sentences, func(i int, best []decode.Translation) {
		if len(best[0].IDs) > 0 {
			list[i] = newAlignment(a.model, a.model.SourceText.Words(lines[i].text), best[0])
		}
	})
	return list[:n], err
}

// write writes the alignments of consecutive sentences of a file, starting at line number.
func (a *aligner) write(name string, number int, list []alignment) error {
	for i, l := range list {
		if l.bad != nil {
			a.bad.Add(l.bad)
		}
		if err := a.out.write(l); err != nil {
			return lineError(name, number+i, err)
		}
	}
	return nil
}

// finish ends the output. It returns an error if some of the lines were bad.
func (a *aligner) finish(name string, lines int) error {
	if err := a.out.finish(); err != nil {
		return err
	}
	return a.bad.Failure(name, lines)
}

// maxWords is the maximum number of words in a sentence, and of all sentences whose weights are in
// memory together, EOS included.
const maxWords = 2048

// errTooLong is the error for a sentence of more than maxWords words.
var errTooLong = errors.New("sentence too long")

// checkLength returns an error if a sentence is too long to align.
func checkLength(words []string) error {
	if len(words)+1 > maxWords {
		return fmt.Errorf("%w: %d words, expected at most %d", errTooLong, len(words), maxWords-1)
	}
	return nil
}

// window returns how many of the sentences have at most maxWords words together, at least one.
func window[S any](sentences []S, words func(S) int) int {
	sum := 0
	for i, s := range sentences {
		if sum += words(s) + 1; i > 0 && sum > maxWords {
			return i
		}
	}
	return len(sentences)
}

// newAlignment returns the alignment of a translation.
func newAlignment(m *model.Model, source []string, t decode.Translation) alignment {
	target := make([]string, len(t.IDs))
	for i, id := range t.IDs {
		target[i] = m.Target.Word(id)
	}
	return alignment{withEnd(source), target, t.Alignment, t.LogProb, nil}
}

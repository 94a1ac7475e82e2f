// Package alignment shows which source words a model attends to when it predicts each target word: as
// links, as JSON, as a map of characters or as a picture. Models of both directions link more exactly where they agree.
//
// [Options.Run] takes given pairs or its own translations, window by window, to alignments, and hands
// each to the writer of the format.
package alignment

import (
	"cmp"
	"context"
	"io"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// Options say what to align and how to show it.
type Options struct {
	Models         []string // files: one, or with Agree some of the same direction
	Agree          []string // files of models of the other direction, which must agree on the links of given pairs
	Source, Target string   // files of pairs; empty to translate
	Input          string   // file to translate; empty for standard input
	Tokens         bool     // of given pairs, instead of their segments
	Beam, Threads  int
	Format         string // one of Formats
}

// Run writes the alignments of the given pairs or of the translations of stdin.
func (o Options) Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	treatment := "aligned as an empty line"
	if o.Format == "svg" {
		treatment = "left out of the picture"
	}
	if len(o.Agree) > 0 {
		return o.agreement(ctx, stdout, stderr, treatment)
	}
	m, err := openAligner(o.Models[0])
	if err != nil {
		return err
	}
	t, err := translation.NewTranslator(m, decode.Options{Beam: o.Beam, Threads: o.Threads})
	if err != nil {
		return err
	}
	defer t.Close()
	a := newAligner(t, o.newWriter(stdout), terminal.Warnings{W: stderr, Treatment: treatment})
	if o.Source != "" {
		a.tokens = o.Tokens
		return a.pairs(ctx, o.Source, o.Target)
	}
	in := files.NewInput(ctx, files.StandardInput, stdin)
	if o.Input != "" {
		if in, err = files.Open(ctx, o.Input); err != nil {
			return err
		}
	}
	defer in.Close()
	return a.translations(ctx, in)
}

// An aligner writes alignments of lines or pairs and warns about the bad ones.
type aligner struct {
	*translation.Translator
	out                 writer
	tokens              bool // see Options
	bad, several, loops terminal.Warnings
}

func newAligner(t *translation.Translator, out writer, bad terminal.Warnings) *aligner {
	t.MaxSource = maxWords - 1
	several := terminal.Warnings{W: bad.W, Treatment: "expect that some are lost or give each a line"}
	return &aligner{Translator: t, out: out, bad: bad, several: several, loops: terminal.Warnings{W: bad.W, Treatment: translation.LoopTreatment}}
}

func (a *aligner) pairs(ctx context.Context, source, target string) error {
	pairs, err := translation.ReadPairs(ctx, a.Model, source, target, translation.AsInTraining)
	if err != nil {
		return err
	}
	for i := range pairs {
		pairs[i].Bad = cmp.Or(pairs[i].Bad, checkPair(pairs[i].Pair, source, target, i+1))
	}
	total := len(pairs)
	for number := 1; len(pairs) > 0; {
		n := window(pairs, func(p translation.Pair) int { return max(len(p.Source), len(p.Target)) })
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
	if err := translation.CheckLength(p.Source, maxWords-1); err != nil {
		return files.LineError(source, number, err)
	}
	if err := translation.CheckLength(p.Target, maxWords-1); err != nil {
		return files.LineError(target, number, err)
	}
	return nil
}

// score returns the alignments of a window of pairs, the first of which has that number.
func (a *aligner) score(ctx context.Context, pairs []translation.Pair, source string, number int) ([]AttentionMap, error) {
	list := make([]AttentionMap, len(pairs))
	for i, p := range pairs {
		list[i].bad = p.Bad
	}
	err := a.ScorePairs(ctx, pairs, source, number, func(i int, r decode.Translation, bad error) {
		if list[i].bad = bad; bad == nil {
			list[i] = AttentionMap{translation.WithEnd(pairs[i].From.Shown()), translation.WithEnd(pairs[i].To.Shown()), r.Alignment, r.LogProb, 0, nil}
			if a.tokens {
				list[i] = list[i].between(pairs[i].From.Tokens, pairs[i].To.Tokens)
			}
		}
	})
	return list, err
}

func (a *aligner) translations(ctx context.Context, input *files.Input) error {
	in := files.NewLines(input)
	for {
		lines, end := in.Available(maxWords)
		for len(lines) > 0 {
			n := window(lines, func(line files.Line) int { return len(a.Model.SourceText.Read(line.Text, nil).Words) })
			list, err := a.translate(ctx, input.Name(), lines[:n])
			if err := a.write(input.Name(), lines[0].Number, list); err != nil {
				return err
			}
			if err != nil {
				return files.LineError(input.Name(), lines[len(list)].Number, err)
			}
			lines = lines[n:]
		}
		if end == io.EOF {
			return a.finish(input.Name(), in.Number())
		}
		if end != nil {
			return end
		}
	}
}

// translate translates a window of lines and returns their alignments. If it fails, it returns the
// alignments of the lines before one that fails, and the error.
func (a *aligner) translate(ctx context.Context, name string, lines []files.Line) ([]AttentionMap, error) {
	sentences, list := make([]translation.Sentence, len(lines)), make([]AttentionMap, len(lines))
	for i, line := range lines {
		if sentences[i] = a.Sentence(line); sentences[i].Bad != nil {
			list[i].bad = files.LineError(name, line.Number, sentences[i].Bad)
		}
		if err := a.CheckSentences(line); err != nil {
			a.several.Add(files.LineError(name, line.Number, err))
		}
	}
	looped := make([]bool, len(lines))
	n, err := a.EachSentence(ctx, sentences, func(i int, best []decode.Translation) {
		looped[i] = best[0].Trimmed
		if len(best[0].IDs) > 0 {
			list[i] = New(a.Model, sentences[i].Reading, best[0])
		}
	})
	for i, line := range lines[:n] {
		if looped[i] {
			a.loops.Add(files.LineError(name, line.Number, translation.ErrLoop))
		}
	}
	return list[:n], err
}

// write writes the alignments of consecutive sentences of a file, starting at line number.
func (a *aligner) write(name string, number int, list []AttentionMap) error {
	for i, l := range list {
		if l.bad != nil {
			a.bad.Add(l.bad)
		}
		if err := a.out.write(l); err != nil {
			return files.LineError(name, number+i, err)
		}
	}
	return nil
}

// finish ends the output. It returns an error if some of the lines were bad.
func (a *aligner) finish(name string, lines int) error {
	if err := a.out.finish(); err != nil {
		return err
	}
	a.several.Close(name)
	a.loops.Close(name)
	return a.bad.Failure(name, lines)
}

// maxWords is the maximum number of words in a sentence, and of all sentences whose weights are in
// memory together, EOS included.
const maxWords = 2048

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

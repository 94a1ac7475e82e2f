package translation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"

	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
)

// A translation is one run: it reads, translates and writes batches of lines. While one batch is
// translated, the next one is read.
type translation struct {
	*Translator
	name  string // of the input
	in    *files.Input
	lines *files.Lines
	out   *files.Output
	meter *meter
	nBest bool // write n-best lists
	warn  warnings
	noun  string                             // for a line
	read  func(send func(batch) error) error // reads all batches, and returns an error of send

	earlier int // lines that an earlier run has translated
	written int // lines that are in the output
}

// Run translates the lines of in, which it closes, to out, as text or, with nBest, as n-best lists, or as JSON. It
// continues what an earlier process has written to out. The output is complete even if the error
// tells of bad lines.
func (t *Translator) Run(ctx context.Context, in *files.Input, out *files.Output, c Console, nBest bool) error {
	if !c.Quiet && terminal.Is(c.Stdin) && terminal.Is(c.Stderr) {
		fmt.Fprintf(c.Stderr, "rnnsearch: reads one sentence per line; %s ends\n", terminal.EndOfFileKey())
	}
	r := t.newRun(in, out, newMeter(c, in.Size(), out.Path() != ""), nBest)
	r.announce(c)
	return r.run(ctx)
}

// announce says how much an earlier run has translated.
func (t *translation) announce(c Console) {
	if t.earlier > 0 && !c.Quiet {
		fmt.Fprintf(c.Stderr, "rnnsearch: resuming after %s of %s\n", terminal.Plural(t.earlier, t.noun), terminal.Quote(t.out.Path()))
	}
}

func (t *Translator) newRun(in *files.Input, out *files.Output, m *meter, nBest bool) *translation {
	warn := t.newWarnings(m, "line", func(number int, err error) error { return files.LineError(in.Name(), number, err) })
	switch {
	case t.json:
		warn.bad.Treatment = "written with the error"
	case nBest:
		warn.bad.Treatment = "left out of the n-best lists"
	default:
		warn.bad.Treatment = "translated as an empty line"
	}
	if !t.json && !nBest && t.split == nil && t.Model.SourceText.Language() != "" {
		const hint = " or try --split-sentences"
		warn.long.Treatment += hint
		warn.several.Treatment += hint
	}
	r := &translation{
		Translator: t, name: in.Name(), in: in, lines: files.NewLines(in), out: out, meter: m, nBest: nBest, warn: warn, noun: "line", earlier: out.Lines(),
	}
	r.read, r.lines.Joined = r.readLines, t.joinLines
	return r
}

func (t *translation) run(ctx context.Context) error {
	err := t.eachBatch(ctx, func(b batch) error { return t.write(ctx, b) })
	t.meter.stop()
	switch resume := t.out.ToResume(); {
	case ctx.Err() != nil && resume != "":
		return fmt.Errorf("%w after %s: %s", terminal.ErrInterrupted, terminal.Plural(max(t.earlier, t.written), t.noun), resume)
	case ctx.Err() != nil && t.out.Path() != "":
		return fmt.Errorf("%w after %s: --output %s is not written", terminal.ErrInterrupted, terminal.Plural(t.written, t.noun), t.out.Path())
	case ctx.Err() != nil:
		return fmt.Errorf("%w after %s", terminal.ErrInterrupted, terminal.Plural(t.written, t.noun))
	case errors.Is(err, syscall.EPIPE):
		// Where a closed pipe ends other commands quietly, this write does, without the bar.
		_, err = io.WriteString(t.out, "\n")
		return err
	case err != nil:
		return err
	}
	if err := t.out.Commit(); err != nil {
		return err
	}
	t.meter.sumUp()
	t.warn.close(t.name)
	return t.warn.bad.Failure(t.name, t.meter.lines)
}

type batch struct {
	lines    []batchLine
	from, to int64 // offsets in the input
	end      error // of the input after these lines, or nil
}

// A batchLine is a line of a batch. If a sentence of it cannot be used, the line has none, unless it is part of a document.
type batchLine struct {
	files.Line
	sentences []Sentence
	part      *markup.Document // or nil
}

// eachBatch calls f with the batches of the input until its end, the end of ctx or an error.
func (t *translation) eachBatch(ctx context.Context, f func(batch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches := make(chan batch)
	go func() {
		defer t.in.Close()
		t.read(func(b batch) error {
			select {
			case batches <- b:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for {
		select {
		case b := <-batches:
			err := f(b)
			switch {
			case err != nil:
				return err
			case b.end == io.EOF:
				return nil
			case b.end != nil:
				return b.end
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (t *translation) readLines(send func(batch) error) (err error) {
	for err == nil {
		b := batch{from: t.in.Offset()}
		var lines []files.Line
		lines, b.end = t.lines.Available(t.window)
		for _, line := range lines {
			if !line.Code {
				b.lines = append(b.lines, newBatchLine(line, t.sentences(line)))
			} else if !t.json && !t.nBest {
				b.lines = append(b.lines, batchLine{part: markup.Raw(line.Text + "\n")})
			}
		}
		b.to = t.in.Offset()
		err = cmp.Or(send(b), b.end)
	}
	return err
}

// newBatchLine returns a line that is bad if one of its sentences is.
func newBatchLine(line files.Line, sentences []Sentence) batchLine {
	for _, s := range sentences {
		line.Bad = cmp.Or(line.Bad, s.Bad)
	}
	if line.Bad != nil {
		sentences = nil
	}
	return batchLine{Line: line, sentences: sentences}
}

// size returns the numbers of lines, or sentences of a document, and of words.
func (b batchLine) size() (lines, words int) {
	for _, s := range b.sentences {
		words += len(s.Words)
	}
	if b.part != nil {
		return len(b.sentences), words
	}
	return 1, words
}

// write translates a batch and writes the translations that no earlier run wrote. If there is
// an error, it has written the lines before.
func (t *translation) write(ctx context.Context, b batch) error {
	for _, line := range b.lines {
		if line.part == nil {
			t.warn.addLine(line.Line, line.sentences)
			continue
		}
		for i, s := range line.sentences {
			t.warn.addLine(files.Line{Number: s.Number, Bad: s.Bad}, line.sentences[i:i+1])
		}
	}
	if b = t.skip(b); len(b.lines) == 0 {
		return nil
	}
	t.meter.begin()
	output, err := t.translate(ctx, b)
	if t.out.Quoted() {
		for i, text := range output {
			output[i] = api.Line(text)
		}
	}
	if text := strings.Join(output, ""); text != "" {
		if _, err := io.WriteString(t.out, text); err != nil {
			return err
		}
	}
	t.written += len(output)
	return err
}

// translate returns the output for each line of a batch, or for those before an error.
func (t *translation) translate(ctx context.Context, b batch) ([]string, error) {
	output, done := make([]string, len(b.lines)), 0
	finish := func(i int, best [][]decode.Translation) {
		output[i] = t.lineOf(b.lines[i], best)
		done++
		lines, words := b.lines[i].size()
		t.meter.add(lines, words, b.from+(b.to-b.from)*int64(done)/int64(len(b.lines)))
	}
	var sentences []Sentence
	type place struct{ line, sentence int }
	var places []place // of the sentences
	best, missing := make([][][]decode.Translation, len(b.lines)), make([]int, len(b.lines))
	for i, line := range b.lines {
		best[i] = make([][]decode.Translation, len(line.sentences))
		for k, s := range line.sentences {
			if s.Bad == nil {
				sentences, places = append(sentences, s), append(places, place{i, k})
				missing[i]++
			}
		}
		if missing[i] == 0 {
			finish(i, best[i])
		}
	}
	n, err := t.EachSentence(ctx, sentences, func(i int, translations []decode.Translation) {
		p := places[i]
		best[p.line][p.sentence] = translations
		if missing[p.line]--; missing[p.line] == 0 {
			finish(p.line, best[p.line])
		}
	})
	if err != nil {
		failed := places[n]
		return output[:failed.line], t.warn.at(b.lines[failed.line].sentences[failed.sentence].Number, err)
	}
	warned := map[error]int{}
	for i, p := range places {
		t.warn.addTranslation(sentences[i], best[p.line][p.sentence][0], warned)
	}
	return output, nil
}

// lineOf returns the output for a line, given the translations of its sentences: the best ones, or
// the n-best list of the only sentence, or JSON.
func (t *translation) lineOf(line batchLine, best [][]decode.Translation) string {
	if line.part != nil {
		return t.translated(line, best)
	}
	if t.json {
		return t.jsonLines(line, best)
	}
	if t.nBest {
		if line.Bad != nil {
			return ""
		}
		return t.nBestList(line.Number-1, line.sentences[0], best[0])
	}
	texts := make([]string, 0, len(best))
	for i, s := range line.sentences {
		if translated := s.Written(best[i][0], t.replaceUNK).Line; translated != "" {
			texts = append(texts, translated)
		}
	}
	return strings.Join(texts, " ") + "\n"
}

// jsonLines returns an object for each sentence of a line that has words, or for a line that cannot be
// used. It has the fields of split translations of /v1.
func (t *translation) jsonLines(line batchLine, best [][]decode.Translation) string {
	number := line.Number - 1
	if line.Bad != nil {
		return api.Line(struct {
			Line  int    `json:"line"`
			Error string `json:"error"`
		}{number, line.Bad.Error()})
	}
	var b strings.Builder
	for i, s := range line.sentences {
		if len(s.Words) == 0 && !s.Foreign {
			continue
		}
		list := make([]api.Translation, len(best[i]))
		for k, r := range best[i] {
			list[k] = s.Translation(r, t.replaceUNK, true)
		}
		b.WriteString(api.Line(struct {
			Line     int               `json:"line"` // from 0
			Sentence string            `json:"sentence"`
			Language string            `json:"language,omitempty"`
			Source   api.Side          `json:"source"`
			Best     []api.Translation `json:"best"`
		}{number, s.Line, s.Other(), s.Side(), list}))
	}
	return b.String()
}

const listSeparator = "|||"

// nBestList returns the translations of a line, number from 0, in the format of Moses.
func (t *Translator) nBestList(number int, s Sentence, best []decode.Translation) string {
	const escaped = "&#124;&#124;&#124;"
	var b strings.Builder
	for _, r := range best {
		line := s.Written(r, t.replaceUNK).Line
		fmt.Fprintf(&b, "%d ||| %s ||| logprob= %.6f ||| %.6f\n", number, strings.ReplaceAll(line, listSeparator, escaped), r.LogProb, r.Score)
	}
	return b.String()
}

// Part returns what lets a later process go on with the output of the file that in reads. Its key has the program's
// version, the models, the options and the file, but not the number of threads, which does not affect the output.
func (o Options) Part(ctx context.Context, version string, in *files.Input) (*files.Part, error) {
	d := o.Decoding
	alpha := "by default"
	if d.Normalization != nil {
		alpha = fmt.Sprint(*d.Normalization)
	}
	d.Threads, d.Normalization = 0, nil
	var err error
	if d.Terms, _, err = ReadTerms(ctx, o.Terms); err != nil {
		return nil, err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%+v, normalization %s, sentences %t, JSON %t, %d words, format %s\n", version, d, alpha, o.SplitSentences, o.JSON, o.MaxSource, o.Format)
	for _, path := range o.Models {
		digest, err := models.Digest(path)
		if err != nil {
			return nil, models.Explain(path, err)
		}
		fmt.Fprintln(hash, digest)
	}
	if err := in.CopyFile(hash); err != nil {
		return nil, fmt.Errorf("--resume: --input %w", err)
	}
	p := &files.Part{Key: hex.EncodeToString(hash.Sum(nil)[:8]), Quoted: !o.lines()}
	switch {
	case o.JSON:
		p.Line = func(output string) (int, error) {
			var object struct{ Line int }
			err := json.Unmarshal([]byte(output), &object)
			return object.Line, err
		}
	case d.NBest > 0:
		p.Line = func(output string) (int, error) {
			number, _, _ := strings.Cut(output, " ")
			return strconv.Atoi(number)
		}
	}
	return p, nil
}

// skip returns the lines of a batch after those that an earlier run has translated.
func (t *translation) skip(b batch) batch {
	n := min(len(b.lines), max(0, t.earlier-t.written))
	if n == 0 {
		return b
	}
	lines, words := 0, 0
	for _, line := range b.lines[:n] {
		l, w := line.size()
		lines, words = lines+l, words+w
	}
	b.from += (b.to - b.from) * int64(n) / int64(len(b.lines))
	b.lines = b.lines[n:]
	t.written += n
	t.meter.skip(lines, words, b.from)
	return b
}

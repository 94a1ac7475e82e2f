package translation

import (
	"context"
	"fmt"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"io"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A Shortlisting gives a model a shortlist that it learns from its translations of sentences.
type Shortlisting struct {
	Model   string // file, which is replaced
	Source  string // file of sentences
	Words   int    // most target words for a source word
	Common  int    // target words for any sentence
	Quiet   bool   // show warnings only
	Threads int
}

// Run learns the shortlist and replaces the file of the model, which out is, by one that has it. That is
// complete even if the error tells of bad lines, unless no line is good.
func (s Shortlisting) Run(ctx context.Context, out *files.Output, stderr io.Writer) error {
	began := time.Now()
	m, err := terminal.UntilInterrupted(ctx, func() (*model.Model, error) { return models.OpenModel(s.Model) })
	if err != nil {
		return err
	}
	if !m.HasAlignments() {
		return fmt.Errorf("%s: model of kind %s has no alignments, expected %s", s.Model, m.Config.Kind, model.RNNsearch)
	}
	bad := &terminal.Warnings{W: stderr, Treatment: "left out"}
	sources, numbers, lines, err := s.read(ctx, m, bad)
	if err != nil {
		return err
	}
	if m.Shortlist, err = s.learn(ctx, m, sources, numbers, bad, stderr); err != nil {
		return err
	}
	if bad.N == lines {
		return bad.Failure(s.Source, lines)
	}
	if n, all := distinct(sources), m.Config.SourceVocab; n < all/2 {
		fmt.Fprintf(stderr, "rnnsearch: warning: %s has %d of the %d source words, and translations of the others lack words\n", terminal.Quote(s.Source), n, all)
	}
	if err := model.Write(out, m); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if !s.Quiet {
		fmt.Fprintf(stderr, "rnnsearch: shortlist of %.1f words for each of %d source words, %d common ones, in %.1f s\n",
			m.Shortlist.PerWord(), len(m.Shortlist.Lexicon), m.Shortlist.Common, time.Since(began).Seconds())
	}
	return bad.Failure(s.Source, lines)
}

// distinct returns the number of different ids.
func distinct(sources [][]int32) int {
	ids := map[int32]bool{}
	for _, source := range sources {
		for _, id := range source {
			ids[id] = true
		}
	}
	return len(ids)
}

// read returns the ids of the good lines, their numbers, and the number of all lines, and warns about the others.
func (s Shortlisting) read(ctx context.Context, m *model.Model, bad *terminal.Warnings) (sources [][]int32, numbers []int, lines int, err error) {
	in, err := files.OpenContext(ctx, s.Source)
	if err != nil {
		return nil, nil, 0, err
	}
	defer in.Close()
	input := files.NewLines(in)
	for {
		line, err := input.Next()
		switch {
		case ctx.Err() != nil:
			return nil, nil, 0, terminal.ErrInterrupted
		case err == io.EOF:
			if lines = input.Number(); lines == 0 {
				return nil, nil, 0, input.Empty()
			}
			return sources, numbers, lines, nil
		case err != nil:
			return nil, nil, 0, err
		}
		kept := pipeline.KeptByPair(m.SourceText, m.SourceText, line.Text, line.Text) // as in training
		words, wrong := sentence(line, s.Source, m.SourceText, kept)
		if wrong != nil {
			bad.Add(wrong)
			continue
		}
		sources, numbers = append(sources, m.EncodeWords(words)), append(numbers, line.Number)
	}
}

// learn returns the shortlist of the sources, and warns about those that are too long for the memory.
func (s Shortlisting) learn(ctx context.Context, m *model.Model, sources [][]int32, numbers []int, bad *terminal.Warnings, stderr io.Writer) (*model.Shortlist, error) {
	t, err := decode.New(m, decode.Options{Threads: s.Threads})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	lexicon, err := t.NewLexicon()
	if err != nil {
		return nil, err
	}
	var p terminal.Progress = terminal.NoProgress{}
	if !s.Quiet {
		p = terminal.ProgressOn(stderr)("translating", "sentences", len(sources))
	}
	tooLong := make([]error, len(sources))
	lexicon.Count(ctx, sources, func(i int, err error) {
		tooLong[i] = err
		p.Add(1, "")
	})
	p.Done()
	if ctx.Err() != nil {
		return nil, terminal.ErrInterrupted
	}
	for i, err := range tooLong {
		if err != nil {
			bad.Add(files.LineError(s.Source, numbers[i], err))
		}
	}
	return lexicon.Shortlist(s.Words, s.Common), nil
}

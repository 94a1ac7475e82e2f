package translation

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

// A Shortlisting gives a model a shortlist that it learns from pairs.
type Shortlisting struct {
	Model  string // file, which is replaced
	Words  int    // most target words for a source word
	Common int    // target words for any sentence
	Quiet  bool   // show warnings only
	Scoring
}

// Run learns the shortlist and replaces the file of the model, which out is, by one that has it. That is
// complete even if the error tells of bad pairs.
func (s Shortlisting) Run(ctx context.Context, out *files.Output, stderr io.Writer) error {
	began := time.Now()
	m, err := terminal.UntilInterrupted(ctx, func() (*model.Model, error) { return files.OpenModel(s.Model) })
	if err != nil {
		return err
	}
	if !m.HasAlignments() {
		return fmt.Errorf("%s: model of kind %s has no alignments, expected %s", s.Model, m.Config.Kind, model.RNNsearch)
	}
	bad := &terminal.Warnings{W: stderr, Treatment: "left out"}
	pairs, err := s.read(ctx, m, bad)
	if err != nil {
		return err
	}
	start := func(title, unit string, total int) terminal.Progress { return terminal.NoProgress{} }
	if !s.Quiet {
		start = terminal.ProgressOn(stderr)
	}
	if m.Shortlist, err = s.learn(ctx, m, pairs, bad, start); err != nil {
		return err
	}
	if err := model.Write(out, m); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if !s.Quiet {
		fmt.Fprintf(stderr, "rnnsearch: shortlist of %.1f words for each of %d source words, %d common ones, in %.1f s\n",
			m.Shortlist.PerWord(), len(m.Shortlist.Lexicon), len(m.Shortlist.Common), time.Since(began).Seconds())
	}
	return bad.Failure(s.Source+", "+s.Target, len(pairs))
}

// learn returns the shortlist of the pairs, and warns about those that are too long for the memory.
func (s Shortlisting) learn(ctx context.Context, m *model.Model, pairs []Pair, bad *terminal.Warnings, start terminal.Start) (*model.Shortlist, error) {
	t, err := decode.New(m, decode.Options{Threads: s.Threads})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	lexicon, err := t.NewLexicon()
	if err != nil {
		return nil, err
	}
	var good []text.Pair
	var lines []int
	for i, p := range pairs {
		if p.Bad == nil {
			good, lines = append(good, p.Pair), append(lines, i+1)
		}
	}
	tooLong := make([]error, len(good))
	p := start("counting", "pairs", len(good))
	lexicon.Count(ctx, text.Examples(good, m.Source, m.Target), func(i int, err error) {
		tooLong[i] = err
		p.Add(1, "")
	})
	p.Done()
	if ctx.Err() != nil {
		return nil, terminal.ErrInterrupted
	}
	for i, err := range tooLong {
		if err != nil {
			bad.Add(files.LineError(s.Source, lines[i], err))
		}
	}
	return lexicon.Shortlist(s.Words, s.Common), nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/alignment"
	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
	"github.com/softsearch-go/softsearch/model/cmd/server"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/score"
	"github.com/softsearch-go/softsearch/model/text"
)

func newDemo() *cobra.Command {
	var (
		d      = defaultDemo
		serve  bool
		listen string
		output string
	)
	d.Program = program()
	c := &cobra.Command{
		Use: "demo",
		RunE: func(c *cobra.Command, _ []string) error {
			if output != "" {
				return d.write(output)
			}
			if serve {
				e := server.Endpoint{Address: listen, ReadHeader: defaultTimeout, Grace: defaultTimeout}
				return endpointError(e, d.Serve(c.Context(), e, c.OutOrStdout(), c.ErrOrStderr()))
			}
			_, err := d.Run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
			return err
		},
	}
	c.Flags().StringVar(&d.Model, "model", "demo.safetensors", "`file` of the model")
	addOverwrite(c, &d.Overwrite)
	c.Flags().BoolVar(&serve, "serve", false, "serve the model at the end, see the command serve")
	addListen(c.Flags(), &listen)
	c.Flags().StringVar(&output, "text", "", "`prefix` of files for the sentences, which are written instead of training")
	c.MarkFlagsMutuallyExclusive("text", "serve")
	addThreads(c, &d.Threads)
	return c
}

// defaultDemo are the settings of the demonstration. Starting with short sentences, the model learns
// to align in a fraction of the updates that long sentences would take. Long ones are few, and get a stage
// of their own.
var defaultDemo = demonstration{
	Sentences: 60_000, HeldOut: 200, Vocab: 1_000,
	Embedding: 32, Hidden: 64, Alignment: 32, Maxout: 32,
	Recipe: model.Hyperparameters{Adam: &model.Adam{Rate: 0.002, Warmup: 200, Decay: 4_000}, Average: 0.999},
	Stages: []demoStage{
		{Words: 10, Updates: 4_000}, {Words: 20, Updates: 3_000}, {Words: 36, Updates: 2_000},
		{From: 26, Words: 81, Updates: 9_000}, {Words: 81, Updates: 4_000},
	},
	Batch: 12, Beam: 5, Seed: 1,
	Shown: 8,
}

// A demonstration says how to train and what to show.
type demonstration struct {
	Sentences, HeldOut                   int // pairs to train on and to translate
	Vocab                                int
	Embedding, Hidden, Alignment, Maxout int
	Recipe                               model.Hyperparameters
	Stages                               []demoStage
	Batch, Beam                          int
	Seed                                 uint64
	Shown                                int // number of translations to print
	Threads                              int
	Model                                string // file to keep the model in, or empty
	Overwrite                            bool
	Program                              string // that runs the commands of the results
}

// A demoStage is a part of the training, on sources of From to Words words, EOS included.
type demoStage struct{ From, Words, Updates int }

// Run trains a model, unless an earlier demo has left it, translates with it and writes the results to
// stdout, progress to stderr.
func (d demonstration) Run(ctx context.Context, stdout, stderr io.Writer) (*model.Model, error) {
	start, stdout := terminal.ProgressOn(stderr), terminal.Prose(stdout)
	r, err := newReader(d.Seed)
	if err != nil {
		return nil, err
	}
	pairs, unseen := grammar.Pairs(d.Seed, d.Sentences, d.HeldOut)
	heldOut := r.sentences(unseen)
	train := make([]text.Pair, len(pairs))
	for i, s := range r.sentences(pairs) {
		train[i] = text.Pair{Source: s.source.Words, Target: s.target.Words}
	}
	m, err := d.newModel(r, train)
	if err != nil {
		return nil, err
	}
	earlier, err := d.earlier(m)
	if err != nil {
		return nil, fmt.Errorf("--model %w", err)
	}
	fmt.Fprintf(stdout, "%d pairs of generated sentences of 3 to 80 words, %d different words in English and %d in French\n%s\n",
		len(train), m.Source.Size(), m.Target.Size(), training.Description(m))
	if earlier != nil {
		m = earlier
		fmt.Fprintf(stdout, "%s has been trained by an earlier demo; --overwrite trains again\n\n", d.Model)
	} else if m, err = d.train(ctx, stdout, m, train, start); err != nil {
		return nil, err
	}
	example := sentence{source: r.source.Read(demoExamples[1], nil)}
	results, err := d.translate(ctx, m, append(heldOut, example), start("translating", "sentences", len(heldOut)+1))
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(stdout, d.report(results, terminal.Columns(stdout))+d.next())
	return m, err
}

// write writes the sentences to train on to PREFIX.en and PREFIX.fr, and the others to PREFIX-new.en and PREFIX-new.fr.
func (d demonstration) write(prefix string) error {
	r, err := newReader(d.Seed)
	if err != nil {
		return err
	}
	pairs, unseen := grammar.Pairs(d.Seed, d.Sentences, d.HeldOut)
	for _, part := range []struct {
		name  string
		pairs []text.Pair
	}{{"-new", unseen}, {"", pairs}} {
		var english, french strings.Builder
		for _, p := range part.pairs {
			source, target := r.write(p)
			english.WriteString(source + "\n")
			french.WriteString(target + "\n")
		}
		for language, lines := range map[string]string{"en": english.String(), "fr": french.String()} {
			if err := writeText(prefix+part.name+"."+language, lines, files.Options{Overwrite: d.Overwrite}); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeText(path, lines string, o files.Options) error {
	out, err := files.Create("text", path, nil, o)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.WriteString(out, lines); err != nil {
		return err
	}
	return out.Commit()
}

// earlier returns the model of an earlier demo in the file for the model, nil if there is none or it will be
// overwritten. An error says why no model can be written to the file.
func (d demonstration) earlier(untrained *model.Model) (*model.Model, error) {
	err := files.CheckOutput(d.Model, d.Overwrite)
	if errors.Is(err, files.ErrExists) {
		m, readErr := models.OpenModel(d.Model)
		if readErr == nil && m.Config == untrained.Config && m.SourceText.Equal(untrained.SourceText) && m.TargetText.Equal(untrained.TargetText) &&
			slices.Equal(m.Source.Words(), untrained.Source.Words()) && slices.Equal(m.Target.Words(), untrained.Target.Words()) {
			return m, nil
		}
	}
	return nil, err
}

// Serve is Run that then serves the model until ctx ends. It listens from the start, so that an
// address in use does not cost a training.
func (d demonstration) Serve(ctx context.Context, e server.Endpoint, stdout, stderr io.Writer) error {
	listener, err := e.Listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	m, err := d.Run(ctx, stdout, stderr)
	if err != nil {
		return err
	}
	handler, err := server.New(server.Options{
		Models: []server.Model{{
			Name: "en-fr", Source: "en", Target: "fr", Examples: demoExamples,
			Open: func() ([]*model.Model, error) { return []*model.Model{m}, nil },
		}},
		Decoding: decode.Options{Beam: d.Beam, Threads: d.Threads},
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nthe page is at %s, until Ctrl-C\n", e.URL(listener))
	warnings := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return e.Serve(ctx, listener, handler, warnings)
}

func (d demonstration) newModel(r *reader, train []text.Pair) (*model.Model, error) {
	source, err := text.NewVocabulary(text.Sources(train), d.Vocab)
	if err != nil {
		return nil, err
	}
	target, err := text.NewVocabulary(text.Targets(train), d.Vocab)
	if err != nil {
		return nil, err
	}
	c := corpus.Corpus{Source: source, Target: target, Summary: corpus.Summary{SourceText: r.source, TargetText: r.target}}
	return c.NewModel(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst,
		Embedding: d.Embedding, Hidden: d.Hidden, Alignment: d.Alignment, Maxout: d.Maxout,
	}, d.Seed)
}

// train trains m in stages, saves the average of its weights to the file for the model, if there is one, and
// returns that.
func (d demonstration) train(ctx context.Context, stdout io.Writer, m *model.Model, pairs []text.Pair, start terminal.Start) (*model.Model, error) {
	examples := text.Examples(pairs, m.Source, m.Target)
	capacity := model.CapacityOf(examples, d.Batch)
	m.LongestSource = capacity.SourceLength - 1
	t, err := training.NewTrainer(m, nil, capacity, d.Recipe, d.Threads)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	for _, s := range d.Stages {
		other := func(e text.Example) bool { return len(e.Source) > s.Words || len(e.Source) < s.From }
		t.Batcher = text.NewBatcher(slices.DeleteFunc(slices.Clone(examples), other), d.Batch, d.Seed)
		title := fmt.Sprintf("up to %d words", s.Words-1)
		if s.From > 0 {
			title = fmt.Sprintf("%d to %d words", s.From-1, s.Words-1)
		}
		done, err := t.UpdateTimes(ctx, s.Updates, start(title, "sentences", s.Updates*d.Batch))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(stdout, "%s: %d updates of %d sentences in %s, %.1f sentences/s, loss %.4f per word\n",
			title, s.Updates, d.Batch, done.Time.Round(100*time.Millisecond), done.Speed(), done.Loss)
	}
	fmt.Fprintln(stdout)
	out, err := files.Create("model", d.Model, nil, files.Options{Overwrite: d.Overwrite, IsModel: true})
	if err != nil {
		return nil, err
	}
	defer out.Close()
	if err := model.Write(out, t.Model()); err != nil {
		return nil, err
	}
	return t.Model(), out.Commit()
}

// A result is the translation of a sentence, as a line and as words.
type result struct {
	sentence
	line        string
	translation []string
	alignment   alignment.AttentionMap
}

func (d demonstration) translate(ctx context.Context, m *model.Model, list []sentence, p terminal.Progress) ([]result, error) {
	defer p.Done()
	t, err := decode.New(m, decode.Options{Beam: d.Beam, Threads: d.Threads})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	results, sources := make([]result, len(list)), make([]decode.Sentence, len(list))
	for i, s := range list {
		sources[i].Source = m.EncodeWords(s.source.Words)
	}
	t.Each(ctx, sources, func(i int, best []decode.Translation, failure error) {
		if failure != nil {
			err = failure
			return
		}
		s := list[i]
		words := best[0].ReplaceUNK(m.Target, s.source.Words)
		results[i] = result{s, m.TargetText.Write(words, s.source).Line, words, alignment.New(m, s.source, best[0])}
		p.Add(1, "sentences")
	})
	return results, err
}

// report returns some of the translations, the scores of all but the last, and the alignment of that, in that many
// columns.
func (d demonstration) report(results []result, columns int) string {
	var b strings.Builder
	example, results := results[len(results)-1], results[:len(results)-1]
	for _, r := range results[:min(d.Shown, len(results))] {
		fmt.Fprintf(&b, "source       %s\ntranslation  %s\nreference    %s\n\n", r.source.Line, r.line, r.target.Line)
	}
	var s score.BLEUStatistics
	exact := 0
	for _, r := range results {
		if s.Add(r.translation, r.target.Words); slices.Equal(r.translation, r.target.Words) {
			exact++
		}
	}
	fmt.Fprintf(&b, "%s\n%d of %d translations of held-out sentences equal the reference\n", &s, exact, len(results))
	fmt.Fprintf(&b, "\nattention to the words of the source (columns) for each word of the translation (rows):\n\n%s", example.alignment.HeatMap(columns))
	return b.String()
}

// next says what the model knows, and what to do next.
func (d demonstration) next() string {
	return "\nthe model knows these English words, and the plurals of beings and things:\n\n" + helpText("words") + fmt.Sprintf(`
the model is in %[1]s; to translate with it, one sentence per line:

  printf '%%s\n' '%[2]s' |
    %[3]s translate --model %[4]s

to see the words of the source that each word of a translation comes from:

  echo '%[5]s' |
    %[3]s align --model %[4]s --format map

to see that on a page in the browser:

  %[3]s serve --model en-fr=%[4]s

to train on your own text, line n of text.fr translates line n of text.en:

  %[3]s train --source text.en --target text.fr \
    --source-language en --target-language fr --recipe small \
    --model model.safetensors
`, d.Model, strings.Join(demoExamples, "' \\\n    '"), d.Program, terminal.ShellQuote(d.Model), demoExamples[1])
}

package training

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/text"
)

// quiet shows nothing.
func quiet(string, string, int) terminal.Progress { return terminal.NoProgress{} }

// tinyModel returns a small model after a few updates. It rarely predicts the end of a sentence.
func tinyModel(t *testing.T) *model.Model {
	t.Helper()
	pairs, _ := grammar.Pairs(1, 100, 0)
	source, err := text.NewVocabulary(text.Sources(pairs), 80)
	if err != nil {
		t.Fatal(err)
	}
	target, err := text.NewVocabulary(text.Targets(pairs), 80)
	if err != nil {
		t.Fatal(err)
	}
	c := corpus.Corpus{Source: source, Target: target}
	m, err := c.NewModel(model.Config{Kind: model.RNNsearch, Order: model.UpdateFirst, Embedding: 8, Hidden: 16, Alignment: 8, Maxout: 8}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainerOf(t, m, pairs).UpdateTimes(t.Context(), 10, terminal.NoProgress{}); err != nil {
		t.Fatal(err)
	}
	m.Parameters.B[text.EOS] = -1
	return m
}

// trainerOf returns a trainer with batches of 4 pairs.
func trainerOf(t *testing.T, m *model.Model, pairs []text.Pair) *Trainer {
	t.Helper()
	examples := text.Examples(pairs, m.Source, m.Target)
	l, err := NewTrainer(m, text.NewBatcher(examples, 4, 1), model.CapacityOf(examples, 4), model.Hyperparameters{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// english and french are parallel text that is not tokenized.
var (
	english = []string{"The cat sleeps.", "Isn’t the dog asleep?", "“The dogs sleep!”"}
	french  = []string{"Le chat dort.", "N’est-ce pas que l'ami dort\u00a0?", "« Les chiens dorment ! »"}
)

// smallOptions returns options of a training of 2 epochs on 20 copies of english and french, whose files are
// in a folder of its own.
func smallOptions(t *testing.T, log io.Writer) Options {
	t.Helper()
	dir := t.TempDir()
	file := func(name string, lines []string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	o := Options{
		Model: filepath.Join(dir, "m"), Checkpoint: filepath.Join(dir, "m.checkpoint"),
		Config: model.Config{Kind: model.RNNsearch, Order: model.UpdateFirst, Embedding: 4, Hidden: 4, Alignment: 4, Maxout: 4},
		Batch:  8, Seed: 1, Threads: 1, Limits: Limits{Epochs: 2}, BestBy: ByBLEU, ProgressUpdates: 100,
		Log:      NewLogWriter(log, JSONLog),
		Reporter: corpus.Reporter{Begin: quiet, Messages: io.Discard},
	}
	settings := corpus.Settings{
		Source: []string{file("en", slices.Repeat(english, 20))}, Target: []string{file("fr", slices.Repeat(french, 20))},
		ValidSource: file("valid.en", english), ValidTarget: file("valid.fr", french), VocabularySize: 100, MaxLength: 50,
		SourceLanguage: "en", TargetLanguage: "fr", Tokenizer: corpus.Moses, Lowercase: true, Merges: 12,
	}
	o.Prepare = func(ctx context.Context, _ Settings, _ bool) (*corpus.Corpus, Settings, error) {
		c, err := corpus.Prepare(ctx, settings, 1, o.Reporter)
		return c, Settings{}, err
	}
	return o
}

// ranksOf returns a rank of a network.
func rankOf(t *testing.T, network *collective.Local, rank int) *Ranks {
	t.Helper()
	r, err := connect(WithTransport(t.Context(), network.Transport(rank)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWaitingForRanks: rank 0 shows that it waits for the others, which may have text to prepare.
func TestWaitingForRanks(t *testing.T) {
	network := collective.NewLocal(2)
	var last [2]string
	var all sync.WaitGroup
	for rank := range last {
		r, o := rankOf(t, network, rank), smallOptions(t, io.Discard)
		o.Recipe.Shards = 2
		o.Reporter.Begin = func(title, _ string, _ int) terminal.Progress {
			last[rank] = title
			return terminal.NoProgress{}
		}
		all.Go(func() {
			tr, err := prepare(t.Context(), r, o)
			if err != nil {
				t.Error(err)
				return
			}
			tr.close()
		})
	}
	all.Wait()
	if want := "waiting for the other ranks"; last[0] != want {
		t.Errorf("last stage %q, want %q", last[0], want)
	}
}

// TestEndPreparing ends the context of a rank while the other one prepares text.
func TestEndPreparing(t *testing.T) {
	for waiting := range 2 {
		network := collective.NewLocal(2)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for rank := range 2 {
			r, o := rankOf(t, network, rank), smallOptions(t, io.Discard)
			o.Recipe.Shards = 2
			own := ctx
			if rank != waiting {
				prepare := o.Prepare
				own, o.Prepare = t.Context(), func(ctx context.Context, s Settings, inMemory bool) (*corpus.Corpus, Settings, error) {
					cancel()
					return prepare(ctx, s, inMemory)
				}
			}
			all.Go(func() {
				if _, err := prepare(own, r, o); !errors.Is(err, context.Canceled) {
					t.Errorf("rank %d, of which %d waits: error %v", rank, waiting, err)
				}
			})
		}
		all.Wait()
		cancel()
	}
}

// TestRun trains twice in a row: the second time resumes and is complete.
func TestRun(t *testing.T) {
	var log bytes.Buffer
	o := smallOptions(t, &log)
	for _, want := range []string{EventStart, EventResume} {
		log.Reset()
		if err := Run(t.Context(), nil, o); err != nil {
			t.Fatal(err)
		}
		records, err := ReadLog("log", &log)
		if err != nil {
			t.Fatal(err)
		}
		if first, last := records[0], records[len(records)-1]; first.Event != want || last.Reason != ReasonEpochs || last.Epoch != 2 {
			t.Errorf("log from %+v to %+v, want %s", first, last, want)
		}
	}
}

// TestSentencesLeft: a limit of words halves the batches of 8 sentences.
func TestSentencesLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(strings.Repeat("a b c d e f g h i\n", 100)), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Prepare(t.Context(), corpus.Settings{
		Source: []string{file}, Target: []string{file}, ValidSource: file, ValidTarget: file, VocabularySize: 100, MaxLength: 50,
	}, 1, corpus.Reporter{Begin: quiet, Messages: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ words, validUpdates, want int }{{0, 5, 40}, {0, 0, 100}, {40, 5, 20}, {40, 0, 100}} {
		tr := training{
			Options: Options{Batch: 8, ValidUpdates: test.validUpdates}, corpus: c,
			trainer: &Trainer{Trainer: new(model.Trainer), Batcher: text.NewCorpusBatcher(c.Train, 8, test.words, 1)},
		}
		if got := tr.sentencesLeft(); got != test.want {
			t.Errorf("%d words a batch, validation every %d updates: %d sentences left, want %d", test.words, test.validUpdates, got, test.want)
		}
	}
}

func TestNotFinite(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[2] = float32(math.NaN())
	pairs, _ := grammar.Pairs(1, 10, 0)
	_, err := trainerOf(t, m, pairs).UpdateTimes(t.Context(), 3, terminal.NoProgress{})
	if !errors.Is(err, model.ErrNotFinite) || !strings.HasPrefix(err.Error(), "update 1: ") {
		t.Errorf("got %v, want update 1: %v", err, model.ErrNotFinite)
	}
}

func TestUpdateTimes(t *testing.T) {
	m := tinyModel(t)
	pairs, _ := grammar.Pairs(1, 10, 0)
	l := trainerOf(t, m, pairs)
	for epoch := 1; epoch <= 2; epoch++ {
		got, err := l.UpdateTimes(t.Context(), l.Batcher.BatchesPerEpoch(), terminal.NoProgress{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Sentences != len(pairs) || l.Updates() != 3*epoch || got.Loss <= 0 || got.Time <= 0 {
			t.Errorf("epoch %d: %+v after %d updates", epoch, got, l.Updates())
		}
	}
}

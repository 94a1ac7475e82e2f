package corpus

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// rawEnglish and rawFrench are parallel text that is not tokenized.
var (
	rawEnglish = []string{"The cat sleeps.", "Isn’t the dog asleep?", "“The dogs sleep!”"}
	rawFrench  = []string{"Le chat dort.", "N’est-ce pas que l'ami dort\u00a0?", "« Les chiens dorment ! »"}
)

// rawSettings returns the settings of a corpus of n copies of rawEnglish and rawFrench, validated on one.
func rawSettings(t *testing.T, n int) Settings {
	dir := t.TempDir()
	file := func(name string, lines []string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return Settings{
		Source: []string{file("en", slices.Repeat(rawEnglish, n))}, Target: []string{file("fr", slices.Repeat(rawFrench, n))},
		ValidSource: file("valid.en", rawEnglish), ValidTarget: file("valid.fr", rawFrench), Cache: filepath.Join(dir, "cache"),
		VocabularySize: 100, MaxLength: 50, SourceLanguage: "en", TargetLanguage: "fr", Tokenizer: Moses, Lowercase: true, Merges: 12,
	}
}

// silent reports nothing.
var silent = Reporter{func(string, string, int) terminal.Progress { return terminal.NoProgress{} }, io.Discard}

// prepare prepares a corpus.
func prepare(t *testing.T, s Settings) *Corpus {
	t.Helper()
	c, err := Prepare(t.Context(), s, 2, silent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// trainPairs returns the training pairs of a corpus.
func trainPairs(t *testing.T, c *Corpus) (pairs []text.Pair) {
	t.Helper()
	for i := range c.Train.Len() {
		e, _, err := c.Train.Example(i, nil)
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, text.Pair{Source: c.Source.Decode(e.Source), Target: c.Target.Decode(e.Target)})
	}
	return pairs
}

// learned returns source and target with merges that package pipeline learns from the pairs.
func learned(t *testing.T, source, target pipeline.Pipeline, pairs []text.Pair, merges, threshold int) (_, _ pipeline.Pipeline) {
	t.Helper()
	sourceTokens, targetTokens := bpe.Frequencies{}, bpe.Frequencies{}
	for _, p := range pairs {
		sourceTokens.Add(p.Source)
		targetTokens.Add(p.Target)
	}
	all, err := pipeline.Merges(sourceTokens, targetTokens)
	if err != nil {
		t.Fatal(err)
	}
	codes := bpe.Codes(slices.Collect(all))
	if source, target, err = pipeline.WithCounts(source, target, codes[:merges], sourceTokens, targetTokens, threshold); err != nil {
		t.Fatal(err)
	}
	return source, target
}

// TestPrepare compares the words of a corpus with those of package pipeline.
func TestPrepare(t *testing.T) {
	o := rawSettings(t, 2)
	o.Threshold = 4
	c := prepare(t, o)
	train := trainPairs(t, c)
	english, err := pipeline.New(pipeline.Settings{Language: "en", Lowercase: true})
	if err != nil {
		t.Fatal(err)
	}
	french, err := pipeline.New(pipeline.Settings{Language: "fr", Lowercase: true})
	if err != nil {
		t.Fatal(err)
	}
	var pairs []text.Pair
	for i := range slices.Repeat(rawEnglish, 2) {
		i %= len(rawEnglish)
		pairs = append(pairs, text.Pair{Source: english.Tokenize(rawEnglish[i]), Target: french.Tokenize(rawFrench[i])})
	}
	english, french = learned(t, english, french, pairs, 12, 4)
	if len(train) != len(pairs) || len(c.Valid) != len(rawEnglish) {
		t.Fatalf("%d and %d pairs", len(train), len(c.Valid))
	}
	segments := 0
	for i, p := range append(train, c.Valid...) {
		i %= len(rawEnglish)
		source, target := english.Read(rawEnglish[i], nil).Words, french.Read(rawFrench[i], nil).Words
		if !slices.Equal(p.Source, source) || !slices.Equal(p.Target, target) {
			t.Errorf("pair %d: got %q, want %q and %q", i, p, source, target)
		}
		segments += strings.Count(strings.Join(source, " "), "@@")
	}
	if segments == 0 {
		t.Error("no token is segmented")
	}
}

// TestMaxLength checks that the maximum length counts segments.
func TestMaxLength(t *testing.T) {
	for _, test := range []struct{ merges, maxLength, dropped int }{
		{0, 7, 1}, // the French question has 8 tokens, the other lines at most 6
		{0, 8, 0},
		{1, 14, 2}, // "The cat sleeps." has 13 characters without spaces, the other lines at least 15
	} {
		o := rawSettings(t, 1)
		o.Merges, o.MaxLength = test.merges, test.maxLength
		c := prepare(t, o)
		if c.TooLong != test.dropped || c.Train.Len() != 3-test.dropped {
			t.Errorf("%d merges, up to %d words: %d pairs dropped, want %d", test.merges, test.maxLength, c.TooLong, test.dropped)
		}
	}
}

func TestHoldOut(t *testing.T) {
	for _, test := range []struct {
		pairs   int
		heldOut []int // the first of them
		number  int
	}{
		{10, []int{9}, 1}, {19, []int{9}, 1}, {25, []int{9, 19}, 2}, {10_000, []int{9, 19, 29}, 1000},
		{20_500, []int{19, 39, 59}, 1025}, {100_000, []int{99, 199}, 1000},
	} {
		s, err := newSplit(test.pairs)
		if err != nil {
			t.Fatal(err)
		}
		var heldOut []int
		for i := range test.pairs {
			if s.holdsOut(i) {
				heldOut = append(heldOut, i)
			}
		}
		if len(heldOut) != test.number || s.training()+len(heldOut) != test.pairs {
			t.Errorf("%d pairs: %d held out, %d left, want %d", test.pairs, len(heldOut), s.training(), test.number)
		}
		if first := heldOut[:len(test.heldOut)]; !slices.Equal(first, test.heldOut) {
			t.Errorf("%d pairs: pairs %d held out, want %d", test.pairs, first, test.heldOut)
		}
	}
}

// TestEnd ends the context of preparations in each of their stages. Nothing is left of them.
func TestEnd(t *testing.T) {
	s := rawSettings(t, 2)
	s.Threshold, s.KeepCache = 1, true
	var titles []string
	shown := Reporter{func(title, _ string, total int) terminal.Progress {
		titles = append(titles, title)
		if total == 0 {
			t.Errorf("%s: no total", title)
		}
		return terminal.NoProgress{}
	}, io.Discard}
	for range 2 {
		c, err := Prepare(t.Context(), s, 1, shown)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	build := []string{"reading training text", "counting tokens", "learning byte-pair encoding", "segmenting", "reading validation text", "counting words", "encoding"}
	read := []string{"checking the cache", "checking the text"}
	if want := slices.Concat(build, read[:1], read); !slices.Equal(titles, want) {
		t.Fatalf("stages %q, want %q", titles, want)
	}
	for _, at := range append(read, build...) {
		if slices.Contains(build, at) {
			os.Remove(s.Cache)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Prepare(ctx, s, 2, Reporter{func(title, _ string, _ int) terminal.Progress {
			if title == at {
				cancel()
			}
			return terminal.NoProgress{}
		}, io.Discard})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", at, err)
		}
		wantFiles(t, s, slices.Contains(read, at))
	}
}

// wantFiles fails unless there are the files of rawSettings, the cache if it is expected, and no other.
func wantFiles(t *testing.T, s Settings, cache bool) {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(s.Cache))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range list {
		got = append(got, entry.Name())
	}
	want := []string{"en", "fr", "valid.en", "valid.fr"}
	if cache {
		want = append([]string{"cache"}, want...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// TestKey: settings that change the examples change the key, and paths do not.
func TestKey(t *testing.T) {
	s := rawSettings(t, 1)
	same := rawSettings(t, 2)
	same.KeepCache = true
	if s.key() != same.key() {
		t.Errorf("%s with other paths, %s before", same.key(), s.key())
	}
	other := s
	other.LengthRatio = 2
	if s.key() == other.key() {
		t.Errorf("%s whatever the ratio of lengths", s.key())
	}
	words := s
	words.SourceLanguage, words.TargetLanguage = "", ""
	unused := words
	unused.Tokenizer = string(pipeline.Reversible)
	if words.key() != unused.key() {
		t.Errorf("%s with a tokenizer of no side, %s without", unused.key(), words.key())
	}
}

// TestForgedCache has a cache with a right checksum, and an id that is not of its vocabulary.
func TestForgedCache(t *testing.T) {
	s := rawSettings(t, 10)
	s.KeepCache = true
	prepare(t, s)
	forged, err := os.ReadFile(s.Cache)
	if err != nil {
		t.Fatal(err)
	}
	forged[len(magic)+2] = 127 // the first id, after the numbers of words
	if err := os.WriteFile(s.Cache, reseal(forged), 0o666); err != nil {
		t.Fatal(err)
	}
	c := prepare(t, s)
	if e, _, err := c.Train.Example(0, nil); !c.Cached || !errors.Is(err, ErrDamaged) {
		t.Errorf("cached: %t, pair %v, error %v", c.Cached, e, err)
	}
}

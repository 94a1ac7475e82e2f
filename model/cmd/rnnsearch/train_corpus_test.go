package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// rawEnglish and rawFrench are parallel text that is not tokenized.
var (
	rawEnglish = []string{"The cat sleeps.", "Isn’t the dog asleep?", "“The dogs sleep!”"}
	rawFrench  = []string{"Le chat dort.", "N’est-ce pas que l'ami dort\u00a0?", "« Les chiens dorment ! »"}
)

// rawOptions returns the options for a corpus of n copies of rawEnglish and rawFrench, validated on
// one.
func rawOptions(t *testing.T, n int) corpusOptions {
	return corpusOptions{
		source: paths{write(t, "en", slices.Repeat(rawEnglish, n)...)}, target: paths{write(t, "fr", slices.Repeat(rawFrench, n)...)},
		validSource: write(t, "valid.en", rawEnglish...), validTarget: write(t, "valid.fr", rawFrench...),
		vocab: 100, maxLength: 50,
		sourceLanguage: "en", targetLanguage: "fr", tokenizer: tokenizerMoses, lowercase: true, merges: 12,
	}
}

// rawArgs returns a command that trains a small model, dir/m, on the corpus of rawOptions.
func rawArgs(t *testing.T, dir string, n int, more ...string) []string {
	o := rawOptions(t, n)
	args := trainArgs(t, dir, "--source", o.source[0], "--target", o.target[0], "--valid-source", o.validSource, "--valid-target", o.validTarget)
	args = append(args, strings.Fields("--vocab 100 --max-length 50 --batch 3 --source-language en --target-language fr --lowercase --bpe 12")...)
	return append(args, more...)
}

// TestTrainRaw overfits three sentences of raw text with byte-pair encoding, and translates them and
// a line without words.
func TestTrainRaw(t *testing.T) {
	dir := t.TempDir()
	out := mustTrain(t, rawArgs(t, dir, 200, strings.Fields("--epochs 5 --embedding 16 --hidden 32 --alignment 16 --maxout 16")...))
	if !strings.Contains(out, "BLEU 100.00") {
		t.Errorf("got\n%swant a BLEU of 100", out)
	}
	stdin := strings.Join(rawEnglish, "\r\n") + "\n\x01\n"
	got, stderr, code := execute(stdin, "translate", "--model", dir+"/m")
	want := []string{"le chat dort.", `n'est-ce pas que l'ami dort ?`, "« les chiens dorment ! »", ""}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if code != 0 || !slices.Equal(lines, want) || strings.Contains(got, "@@") {
		t.Errorf("got %q, want %q, exit code %d %s", lines, want, code, stderr)
	}
}

// prepareCorpus reads and prepares a corpus.
func prepareCorpus(t *testing.T, o corpusOptions) *corpus {
	t.Helper()
	c, err := buildCorpus(o, 2, newPreparation(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.close() })
	return c
}

// trainPairs returns the training pairs of a corpus.
func trainPairs(t *testing.T, c *corpus) (pairs []text.Pair) {
	t.Helper()
	for i := range c.train.Len() {
		e, _, err := c.train.Example(i, nil)
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, text.Pair{Source: c.source.Decode(e.Source), Target: c.target.Decode(e.Target)})
	}
	return pairs
}

// TestReadCorpusRaw compares the words of a corpus with those of package pipeline.
func TestReadCorpusRaw(t *testing.T) {
	o := rawOptions(t, 2)
	o.threshold = 4
	c := prepareCorpus(t, o)
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
	english, french, err = pipeline.Learn(english, french, pairs, pipeline.LearnOptions{Merges: 12, Threshold: 4})
	if err != nil {
		t.Fatal(err)
	}
	if len(train) != len(pairs) || len(c.Valid) != len(rawEnglish) {
		t.Fatalf("%d and %d pairs", len(train), len(c.Valid))
	}
	segments := 0
	for i, p := range append(train, c.Valid...) {
		i %= len(rawEnglish)
		source, target := english.Words(rawEnglish[i]), french.Words(rawFrench[i])
		if !slices.Equal(p.Source, source) || !slices.Equal(p.Target, target) {
			t.Errorf("pair %d: got %q, want %q and %q", i, p, source, target)
		}
		segments += strings.Count(strings.Join(source, " "), "@@")
	}
	if segments == 0 {
		t.Error("no token is segmented")
	}
}

// TestReadCorpusDropped checks that the maximum length counts segments.
func TestReadCorpusDropped(t *testing.T) {
	for _, test := range []struct{ merges, maxLength, dropped int }{
		{0, 7, 1}, // the French question has 8 tokens, the other lines at most 6
		{0, 8, 0},
		{1, 14, 2}, // "The cat sleeps." has 13 characters without spaces, the other lines at least 15
	} {
		o := rawOptions(t, 1)
		o.merges, o.maxLength = test.merges, test.maxLength
		c := prepareCorpus(t, o)
		if c.TooLong != test.dropped || c.train.Len() != 3-test.dropped {
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
		s, err := newSplit(corpusOptions{}, test.pairs)
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

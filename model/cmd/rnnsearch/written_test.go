package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/bleu"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// rawEnglish and rawFrench translate each other line by line.
var (
	rawEnglish = []string{"The cat sleeps.", "Isn’t the dog asleep?", "“The dogs sleep!”"}
	rawFrench  = []string{"Le chat dort.", "N’est-ce pas que l'ami dort\u00a0?", "« Les chiens dorment ! »"}
)

// rawOptions returns the settings of a corpus of text as people write it, of n times the
// sentences.
func rawOptions(t *testing.T, n int) corpusOptions {
	return corpusOptions{
		source: write(t, "en", slices.Repeat(rawEnglish, n)...), target: write(t, "fr", slices.Repeat(rawFrench, n)...),
		validSource: write(t, "valid.en", rawEnglish...), validTarget: write(t, "valid.fr", rawFrench...),
		vocab: 100, maxLength: 50,
		sourceLanguage: "en", targetLanguage: "fr", lowercase: true, merges: 12,
	}
}

// rawArgs returns a command that trains a small model dir/m on that corpus.
func rawArgs(t *testing.T, dir string, n int, more ...string) []string {
	o := rawOptions(t, n)
	args := trainArgs(t, dir, "--source", o.source, "--target", o.target, "--valid-source", o.validSource, "--valid-target", o.validTarget)
	args = append(args, strings.Fields("--vocab 100 --max-length 50 --batch 3 --source-language en --target-language fr --lowercase --bpe 12")...)
	return append(args, more...)
}

// TestTrainWritten learns three sentences as people write them, in segments, and translates
// them and one that is no UTF-8.
func TestTrainWritten(t *testing.T) {
	dir := t.TempDir()
	out := trained(t, rawArgs(t, dir, 200, strings.Fields("--epochs 5 --embedding 16 --hidden 32 --alignment 16 --maxout 16")...))
	if !strings.Contains(out, "BLEU 100.00") {
		t.Errorf("got\n%swant a BLEU of 100", out)
	}
	stdin := strings.Join(rawEnglish, "\r\n") + "\n\x01\n\xffThe  cat sleeps."
	got, stderr, code := execute(stdin, "translate", "--model", dir+"/m")
	want := []string{"le chat dort.", `n'est-ce pas que l'ami dort ?`, `"les chiens dorment !"`, ""}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if code != 0 || len(lines) != len(want)+1 || !slices.Equal(lines[:len(want)], want) || strings.Contains(got, "@@") {
		t.Errorf("got %q, want %q and one more, exit code %d %s", lines, want, code, stderr)
	}
}

// TestReadCorpusWritten compares the words of a corpus with those of the packages that make
// them.
func TestReadCorpusWritten(t *testing.T) {
	o := rawOptions(t, 2)
	o.threshold = 4
	c, err := readCorpus(o)
	if err != nil {
		t.Fatal(err)
	}
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
	english, french, err = pipeline.Learn(english, french, pairs, 12, 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.train) != len(pairs) || len(c.valid) != len(rawEnglish) {
		t.Fatalf("%d and %d pairs", len(c.train), len(c.valid))
	}
	segments := 0
	for i, p := range append(c.train, c.valid...) {
		i %= len(rawEnglish)
		source, target := english.Words(rawEnglish[i]), french.Words(rawFrench[i])
		if !slices.Equal(p.Source, source) || !slices.Equal(p.Target, target) {
			t.Errorf("pair %d: got %q, want %q and %q", i, p, source, target)
		}
		segments += strings.Count(strings.Join(source, " "), "@@")
	}
	if segments == 0 {
		t.Error("no token is divided")
	}
}

// TestReadCorpusDropped: the length that counts is that in segments.
func TestReadCorpusDropped(t *testing.T) {
	for _, test := range []struct{ merges, maxLength, dropped int }{
		{0, 7, 1}, // The French question has 8 tokens, the other lines up to 6.
		{0, 8, 0},
		{1, 14, 2}, // "The cat sleeps." has 13 characters without spaces, the other lines 15 or more.
	} {
		o := rawOptions(t, 1)
		o.merges, o.maxLength = test.merges, test.maxLength
		c, err := readCorpus(o)
		if err != nil {
			t.Fatal(err)
		}
		if c.dropped != test.dropped || len(c.train) != 3-test.dropped {
			t.Errorf("%d merges, up to %d words: %d pairs dropped, want %d", test.merges, test.maxLength, c.dropped, test.dropped)
		}
	}
}

// TestValidateTokens compares the BLEU of a model of segments with that of its translations
// and the references in tokens.
func TestValidateTokens(t *testing.T) {
	dir := t.TempDir()
	trained(t, rawArgs(t, dir, 20))
	m, err := model.Open(dir + "/m")
	if err != nil {
		t.Fatal(err)
	}
	pairs := make([]text.Pair, len(rawEnglish))
	for i := range pairs {
		pairs[i] = text.Pair{Source: m.SourceText.Words(rawEnglish[i]), Target: m.TargetText.Words(rawFrench[i])}
	}
	v, err := newValidator(kernels.Best(), m, pairs, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := v.bleu(t.Context(), silent{})
	if err != nil {
		t.Fatal(err)
	}
	var want bleu.Statistics
	for i, r := range translations(t, v.translator, slices.Collect(text.Sources(pairs))...) {
		joined := strings.ReplaceAll(strings.Join(m.Target.Decode(r.IDs), " ")+" ", "@@ ", "")
		want.Add(strings.Fields(joined), m.TargetText.Tokenize(rawFrench[i]))
	}
	if got.String() != want.String() {
		t.Errorf("got %s, want %s", got, &want)
	}
}

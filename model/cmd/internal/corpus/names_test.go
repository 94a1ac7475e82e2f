package corpus

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// TestNames compares the words of training and validation pairs with those of [pipeline.ReadPair] by the pipelines of
// the corpus, for lines with names of either side or of both, initials, numbers, code and words.
func TestNames(t *testing.T) {
	others := strings.Fields("IPHONE iPhone J._K._Rowling J. tom the cat Le chat, 12 1,234 `f(x)` 🎂 PARIS Paris")
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	lines := func(n int) (source, target []string) {
		for range n {
			name := func() string { // rare ones
				return pick(strings.Fields("Olu Zan Kwa MBE Ann-Ndo")) + pick(strings.Fields("a e i o u")) + pick(strings.Fields("waseun ele me ki tura"))
			}
			parts := append(slices.Clone(others), name(), name(), name())
			words := []string{"we", pick(parts), pick(parts), pick(parts[len(others):]), pick(parts[len(others):])}
			shuffled := slices.Clone(words)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			shuffled[0] = pick(parts) // instead of another word, or once more
			source = append(source, strings.ReplaceAll(strings.Join(words, " "), "_", " "))
			target = append(target, strings.ReplaceAll(strings.Join(shuffled, " "), "_", " "))
		}
		return source, target
	}
	s := rawSettings(t, 1)
	s.Tokenizer, s.Lowercase, s.VocabularySize = string(pipeline.Reversible), false, 1000
	source, target := lines(600)
	validSource, validTarget := lines(200)
	for path, list := range map[string][]string{s.Source[0]: source, s.Target[0]: target, s.ValidSource: validSource, s.ValidTarget: validTarget} {
		if err := os.WriteFile(path, []byte(strings.Join(list, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := prepare(t, s)
	read := func(source, target []string, all bool) (pairs []text.Pair) {
		for i := range source {
			if a, b, err := pipeline.ReadPair(c.SourceText, c.TargetText, source[i], target[i]); all || err == nil {
				pairs = append(pairs, text.Pair{Source: a.Words, Target: b.Words})
			}
		}
		return pairs
	}
	want := read(source, target, false)
	equal := func(a, b text.Pair) bool { return slices.Equal(a.Source, b.Source) && slices.Equal(a.Target, b.Target) }
	got := trainPairs(t, c)
	for i, p := range got {
		if i >= len(want) || !equal(p, want[i]) {
			t.Fatalf("pair %d: %q, want %q", i, p, want[min(i, len(want)-1)])
		}
	}
	if len(got) != len(want) || c.Unlike != len(source)-len(want) || !strings.Contains(c.Description(), "pairs dropped with numbers or code on one side alone") || c.Bad > 0 {
		t.Errorf("%d pairs and %d unlike ones of %d, want %d; %s", len(got), c.Unlike, len(source), len(want), c.Description())
	}
	if !slices.EqualFunc(c.Valid, read(validSource, validTarget, true), equal) {
		t.Error("other pairs for validation")
	}
	for _, word := range c.SourceText.Reserved() {
		if c.Source.ID(word) == text.UNK || c.Target.ID(word) == text.UNK {
			t.Errorf("no %s in the vocabularies", word)
		}
	}
	if !slices.ContainsFunc(want, func(p text.Pair) bool {
		return slices.Contains(p.Source, "⟦@3⟧") && slices.Contains(p.Target, "⟦@3⟧")
	}) {
		t.Error("no pair with three names")
	}
}

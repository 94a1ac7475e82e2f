package decode

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// keptConfig has 20 words on each side, all placeholders and the marks of case.
var keptConfig = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 61, TargetVocab: 61, Embedding: 7, Hidden: 13, Alignment: 11, Maxout: 9,
}

// keptModel returns a random model of English and French. As many of its words as there are, in some order, are placeholders
// and marks of case; the others are wa, wb, … in English, and xa, xb, … in French.
func keptModel(t testing.TB, c model.Config, seed uint64, deviation float64) *model.Model {
	t.Helper()
	m := randomModel(t, c, seed, deviation)
	r := newRand(seed)
	known := make([]string, 20)
	for i := range known {
		known[i] = fmt.Sprintf("w%c", 'a'+i)
	}
	for _, side := range []struct {
		language string
		size     int
		text     *pipeline.Pipeline
		words    **text.Vocabulary
	}{{"en", c.SourceVocab, &m.SourceText, &m.Source}, {"fr", c.TargetVocab, &m.TargetText, &m.Target}} {
		s := pipeline.Defaults(side.language)
		s.Known = known
		var err error
		if *side.text, err = pipeline.New(s); err != nil {
			t.Fatal(err)
		}
		words := slices.Clone(known)
		if side.language == "fr" {
			for i := range words {
				words[i] = "x" + words[i][1:]
			}
		}
		words = slices.Concat(words[:4], side.text.Reserved(), words[4:])[:side.size-2]
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		if *side.words, err = text.VocabularyOf(append([]string{"</s>", "<unk>"}, words...)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// keptSource returns a source of that many placeholders, numbered by class as package pipeline does, among words.
func keptSource(r *rand.Rand, m *model.Model, placeholders int) []int32 {
	list := m.SourceText.Placeholders()
	classes := len(list) / pipeline.MaxPlaceholders
	only := r.IntN(2 * classes) // a class, or all of them
	counts := make([]int, classes)
	var source []int32
	for placeholders > 0 || r.IntN(4) > 0 || source == nil {
		if r.IntN(3) == 0 || placeholders == 0 {
			if id := int32(1 + r.IntN(m.Config.SourceVocab-1)); !slices.Contains(list, m.Source.Word(id)) {
				source = append(source, id)
			}
			continue
		}
		class := r.IntN(classes)
		if only < classes {
			class = only
		}
		source = append(source, m.Source.ID(list[class*pipeline.MaxPlaceholders+counts[class]%pipeline.MaxPlaceholders]))
		counts[class]++
		placeholders--
	}
	return append(source, text.EOS)
}

// placeholderCounts returns how often each placeholder is in ids.
func placeholderCounts(v *text.Vocabulary, ids []int32) map[string]int {
	counts := map[string]int{}
	for _, id := range ids {
		if word := v.Word(id); strings.HasPrefix(word, "⟦") {
			counts[word]++
		}
	}
	return counts
}

// keptSentences returns sentences of 0 to 30 placeholders, some with prefixes, and some for which the maximum length has
// room for all, for some or for exactly all placeholders.
func keptSentences(r *rand.Rand, m *model.Model, n int) []Sentence {
	list := make([]Sentence, n)
	for i := range list {
		placeholders := r.IntN(31)
		if i%4 == 0 {
			placeholders = 0
		}
		s := Sentence{Source: keptSource(r, m, placeholders), Beam: []int{1, 5, 12}[i%3]}
		s.NBest = 1 + r.IntN(min(s.Beam, 3))
		if r.IntN(4) == 0 {
			s.Prefix = sentenceOf(r, 2+r.IntN(4), m.Config.TargetVocab)
			s.Prefix = s.Prefix[:len(s.Prefix)-1]
		}
		switch r.IntN(3) {
		case 0:
			s.MaxLength = 1 + len(s.Prefix) + r.IntN(placeholders+3)
		case 1:
			s.MaxLength = 1 + len(s.Prefix) + placeholders
		}
		list[i] = s
	}
	return list
}

// checkKept fails unless a translation has the placeholders of its source.
func checkKept(t *testing.T, what string, m *model.Model, s Sentence, maxLength int, ids []int32) {
	t.Helper()
	left, prefix := placeholderCounts(m.Source, s.Source), placeholderCounts(m.Target, s.Prefix)
	missing := 0
	for word, n := range left {
		left[word] = max(0, n-prefix[word])
		missing += left[word]
	}
	rest := ids[len(s.Prefix):]
	got, written := placeholderCounts(m.Target, rest), 0
	for word, n := range got {
		if written += n; n > left[word] {
			t.Errorf("%s: translation %q has %s %d times, want %d", what, m.Target.Decode(ids), word, n, left[word])
		}
	}
	if want := min(missing, maxLength-len(s.Prefix)); written != want {
		t.Errorf("%s: translation %q has %d placeholders after its prefix, want %d", what, m.Target.Decode(ids), written, want)
	}
	if len(ids) < maxLength && ids[len(ids)-1] != text.EOS {
		t.Errorf("%s: translation %q without an end, of at most %d words", what, m.Target.Decode(ids), maxLength)
	}
}

// TestKept writes each placeholder as often as its source has it, whatever the weights, the beam and the prefix, or as
// many as there is room for, with the same bits alone and among others, on one thread and on several.
func TestKept(t *testing.T) {
	total, crowded := 0, 0
	for seed := range uint64(20) {
		m := keptModel(t, keptConfig, seed, []float64{0.1, 0.5, 2}[seed%3])
		setBias(m, int(text.EOS), []float32{-40, 0, 4, 40}[seed%4])
		setBias(m, int(m.Target.ID("⟦#1⟧")), []float32{0, 50, -50}[seed/4%3])
		list, k := keptSentences(newRand(seed), m, 50), portableGo()
		tr := newTranslator(t, Options{Threads: 3}, m)
		alone := newTranslator(t, Options{Threads: 1, Kernels: &k}, m)
		for i, best := range eachOf(t, tr, list) {
			maxLength := list[i].MaxLength
			if maxLength == 0 {
				maxLength = 3 * len(list[i].Source)
			}
			what := fmt.Sprintf("model %d, sentence %d", seed, i)
			for _, r := range best {
				checkKept(t, what, m, list[i], maxLength, r.IDs)
			}
			if i%5 == 0 {
				want, err := one(t, alone, list[i])
				if err != nil {
					t.Fatal(err)
				}
				sameList(t, what, best, want)
			}
			for word, n := range placeholderCounts(m.Source, list[i].Source) {
				if total++; n > 1 && word != "" {
					crowded++
				}
			}
		}
	}
	if total < 1000 || crowded < 100 {
		t.Errorf("%d placeholders, %d of them several times, want more", total, crowded)
	}
}

// TestKeptAsNaive compares with naiveSearch.
func TestKeptAsNaive(t *testing.T) {
	c, changed := keptConfig, 0
	c.SourceVocab, c.TargetVocab = 10, 11 // EOS, UNK, four words and placeholders
	for seed := range uint64(60) {
		r, models := newRand(seed), []*model.Model{keptModel(t, c, seed, 0.6)}
		if seed%3 == 0 {
			models = append(models, randomModel(t, c, seed+100, 0.6))
		}
		for _, m := range models {
			setBias(m, int(text.EOS), 2)
		}
		o, length := randomDecoding(seed, 3), 3+r.IntN(5)
		o.Threads = 1
		s := Sentence{Source: sentenceOf(r, 3+r.IntN(4), c.SourceVocab), MaxLength: length}
		k := kernels.Best()
		o.Kernels = &k
		got, err := one(t, newTranslator(t, o, models...), s)
		if err != nil {
			t.Fatal(err)
		}
		sameHypotheses(t, fmt.Sprintf("models %d, %+v, length %d", seed, o, length), got, naiveSearch(t, k, o, s.Source, length, models...))
		bare := *models[0]
		bare.Source = nil
		if free := naiveSearch(t, k, o, s.Source, length, append([]*model.Model{&bare}, models[1:]...)...); !slices.Equal(free[0].words, got[0].IDs) {
			changed++
		}
	}
	if changed < 20 {
		t.Errorf("%d translations are others without the constraint, want more", changed)
	}
}

// TestKeptLines has lines with numbers, names, code and terms: each is in the translation once for each time that it is
// in the line, in what Line returns and at the end of a stream, and a term as a name would be that its target is.
func TestKeptLines(t *testing.T) {
	terms := []pipeline.Term{{Source: "wc", Target: "Zorro"}, {Source: "wd we", Target: "un beau terme"}, {Source: "wf", Target: "wf"}}
	for seed := range uint64(8) {
		m, r := keptModel(t, keptConfig, seed, 0.5), newRand(seed)
		setBias(m, int(text.EOS), float32(seed%3))
		with := newTranslator(t, Options{Terms: terms, Threads: 1}, m)
		without := newTranslator(t, Options{Threads: 1}, m)
		for range 25 {
			var words, named []string
			for range 2 + r.IntN(20) {
				word := []string{"wa", "wb", "wg", "wh", "wc", "wc", "wd we", "wf", "1234", "`x+y`", "Quux"}[r.IntN(11)]
				words, named = append(words, word), append(named, strings.ReplaceAll(word, "wc", "Zorro"))
			}
			line := "wa " + strings.Join(words, " ")
			got, err := with.Line(t.Context(), line)
			if err != nil {
				t.Fatal(err)
			}
			for source, target := range map[string]string{"wc": "Zorro", "wd we": "un beau terme", "wf": "wf", "1234": "1234", "`x+y`": "`x+y`", "Quux": "Quux"} {
				if n, want := strings.Count(strings.ToLower(got), strings.ToLower(target)), strings.Count(line, source); n != want {
					t.Errorf("model %d: %q: %q has %q %d times, want %d", seed, line, got, target, n, want)
				}
			}
			if strings.Contains(got, "⟦") {
				t.Errorf("model %d: %q: %q has a placeholder", seed, line, got)
			}
			replaced := "wa " + strings.Join(named, " ")
			if r, err := without.Read(replaced); err == nil && !r.Foreign && !slices.Contains(words, "wf") && !slices.Contains(words, "wd we") {
				if other, err := without.Line(t.Context(), replaced); err != nil || other != got {
					t.Errorf("model %d: %q: got %q, and %q with the name for the term; error %v", seed, line, got, other, err)
				}
			}
			last := ""
			for last, err = range with.Stream(t.Context(), line) {
				if err != nil {
					t.Fatal(err)
				}
			}
			greedy := newTranslator(t, Options{Terms: terms, Threads: 1, Beam: 1}, m)
			if want, err := greedy.Line(t.Context(), line); err != nil || last != want {
				t.Errorf("model %d: %q: stream %q, want %q; error %v", seed, line, last, want, err)
			}
		}
	}
}

// TestTermErrors has terms that package pipeline rejects.
func TestTermErrors(t *testing.T) {
	m := keptModel(t, keptConfig, 1, 0.5)
	var rejected *pipeline.TermError
	if _, err := New(m, Options{Terms: []pipeline.Term{{Source: "wa", Target: "xa"}, {Source: " ", Target: "xb"}}}); !errors.As(err, &rejected) || rejected.Index != 1 {
		t.Errorf("got error %v, want one of the second term", err)
	}
}

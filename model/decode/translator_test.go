package decode

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
	"github.com/softsearch-go/softsearch/model/text"
)

// threadCounts are the numbers of threads to test.
var threadCounts = []int{1, 2, 3, 8}

// eachOf returns the translations of a list. It counts the calls of its function without a lock,
// so that the race detector finds any that overlap.
func eachOf(t testing.TB, tr *Translator, list []Sentence) [][]Translation {
	t.Helper()
	results, calls := make([][]Translation, len(list)), 0
	tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
		calls++
		if err != nil {
			t.Errorf("sentence %d: %v", i, err)
		}
		if results[i] != nil {
			t.Errorf("sentence %d: a second result", i)
		}
		results[i] = best
	})
	if calls != len(list) {
		t.Errorf("%d results for %d sentences", calls, len(list))
	}
	return results
}

// aloneOf returns the translations of each sentence by a beam of its own size.
func aloneOf(t testing.TB, k kernels.Impl, o Options, list []Sentence, models ...*model.Model) [][]Translation {
	t.Helper()
	results := make([][]Translation, len(list))
	for i, s := range list {
		if s.MaxLength == 0 {
			s.MaxLength = o.maxLength(len(s.Source))
		}
		results[i] = cloneAll(searcherOf(t, k, o, capacityFor(1, len(s.Source), s.MaxLength), models...).best(t, s.Source, s.MaxLength))
	}
	return results
}

// TestEachSameBits translates lists of all sizes on all numbers of threads, with models of float32 and of
// int8, in an ensemble of both, and from a file: the bits are those of portable Go and a beam for one sentence.
func TestEachSameBits(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		m, list := randomModel(t, c, 70, 0.6), sentencesOf(71, c, 17, 9, 8)
		list[3].MaxLength = 0
		q := quantized(t, m)
		back := read(t, written(t, q))
		for what, models := range map[string][2][]*model.Model{
			"float32":          {{m}, {m}},
			"int8":             {{q}, {back}},
			"int8 and float32": {{q, m}, {back, m}},
		} {
			for _, beam := range []int{1, 4} {
				o := Options{Beam: beam}
				want := aloneOf(t, portableGo(), o, list, models[0]...)
				eachImpl(t, func(t *testing.T, k kernels.Impl) {
					o.Kernels = &k
					for _, o.Threads = range threadCounts {
						tr := newTranslator(t, o, models[1]...)
						for _, n := range []int{len(list), 0, 1, 7, len(list)} {
							for i, best := range eachOf(t, tr, list[:n]) {
								sameList(t, fmt.Sprintf("%s: %s, beam %d, %d threads: sentence %d of %d", k, what, beam, o.Threads, i, n), best, want[i])
							}
						}
					}
				})
			}
		}
	})
}

// TestTeam gives a translator kernels with a team, which can serve only one caller at a time, at
// sizes where a team divides the products.
func TestTeam(t *testing.T) {
	team := kernels.NewTeam(2)
	defer team.Close()
	k := kernels.Best().With(team)
	m, list := randomModel(t, threadsConfig, 77, 0.3), sentencesOf(78, threadsConfig, 48, 9, 6)
	want := eachOf(t, newTranslator(t, Options{Beam: 12, Threads: 1}, m), list)
	for i, best := range eachOf(t, newTranslator(t, Options{Beam: 12, Threads: 3, Kernels: &k}, m), list) {
		sameList(t, fmt.Sprint("sentence ", i), best, want[i])
	}
}

// TestLines translates lines, some of them empty.
func TestLines(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	setBias(m, int(text.EOS), -1)
	tr := newTranslator(t, Options{Beam: 3, MinLength: 1}, m)
	lines := []string{"s3 s4", "", "s5 nothing s9", "  ", "s3"}
	got, err := tr.Lines(t.Context(), lines)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		want := ""
		if strings.TrimSpace(line) != "" {
			best, err := tr.Translate(t.Context(), m.Encode(line))
			if err != nil {
				t.Fatal(err)
			}
			want = m.Decode(best[0].IDs)
			if r, err := tr.Read(line); err != nil || tr.Write(r, best[0]).Line != want {
				t.Errorf("Write(%q): got %q, want %q; error %v", line, tr.Write(r, best[0]).Line, want, err)
			}
			if want == "" {
				t.Errorf("line %q has an empty translation, want one to compare", line)
			}
		}
		if one, err := tr.Line(t.Context(), line); err != nil || one != want || got[i] != want {
			t.Errorf("%q: got %q, alone %q and error %v, want %q", line, got[i], one, err, want)
		}
	}
	if got, err := tr.Lines(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("no lines: got %q and error %v", got, err)
	}
}

// TestLinesError translates lines, two of which are too long.
func TestLinesError(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	tr := newTranslator(t, Options{Beam: 3, Memory: 16 << 20}, m)
	lines := []string{"s3 s4", strings.Repeat("s5 ", 10_000), "s6", strings.Repeat("s7 ", 10_001)}
	got, err := tr.Lines(t.Context(), lines)
	checkError(t, "Lines", err, model.ErrCapacity, "line 2", "10001 words", "beam of 3", "16.0 MiB")
	for _, i := range []int{0, 2} {
		if want, err := tr.Line(t.Context(), lines[i]); got[i] != want || err != nil {
			t.Errorf("line %d: got %q, want %q, error %v", i, got[i], want, err)
		}
	}
	if got[1] != "" || got[3] != "" {
		t.Errorf("lines with errors: got %q", got)
	}
	checkError(t, "Check", tr.Check(m.Encode(lines[1])), model.ErrCapacity, "10001 words")
	if err := tr.Check(m.Encode(lines[0])); err != nil {
		t.Errorf("Check: %v", err)
	}
	ids := newTranslator(t, Options{}, randomModel(t, smallConfig, 1, 0.5))
	_, err = ids.Line(t.Context(), "s3")
	checkError(t, "no vocabularies", err, model.ErrConfig, "vocabularies")
}

// TestSentenceErrors mixes an invalid sentence with valid ones.
func TestSentenceErrors(t *testing.T) {
	m := randomModel(t, smallConfig, 75, 0.4)
	tr := newTranslator(t, Options{Beam: 3, Threads: 2, MaxLength: 5}, m)
	list := sentencesOf(76, smallConfig, 9, 4, 5)
	want := eachOf(t, tr, list)
	check := func(what string, bad Sentence, is error, says ...string) {
		t.Helper()
		failed := false
		tr.Each(t.Context(), append(list[:7:7], bad, list[8]), func(i int, best []Translation, err error) {
			if i == 7 {
				failed = true
				checkError(t, what, err, is, says...)
				return
			}
			if err != nil {
				t.Errorf("%s: sentence %d: %v", what, i, err)
			}
			sameList(t, fmt.Sprintf("%s: sentence %d", what, i), best, want[i])
		})
		if !failed {
			t.Errorf("%s: no result", what)
		}
	}
	for _, e := range badSources {
		if e.is != model.ErrExample {
			continue
		}
		check(e.name, Sentence{Source: e.source, MaxLength: 5}, e.is, e.says...)
	}
	check("length", Sentence{Source: []int32{1, 0}, MaxLength: -1}, model.ErrExample, "maximum length -1")
}

// TestSentenceNotFinite sets the embedding of one source word to NaN: only sentences with it fail.
func TestSentenceNotFinite(t *testing.T) {
	m := randomModel(t, smallConfig, 77, 0.4)
	m.Parameters.Source.Float32.Row(5)[0] = nan
	tr := newTranslator(t, Options{Beam: 3, Threads: 1, MaxLength: 9}, m)
	list := []Sentence{{Source: []int32{1, 2, 0}}, {Source: []int32{1, 5, 0}}, {Source: []int32{3, 0}}}
	want := aloneOf(t, kernels.Best(), Options{Beam: 3, MaxLength: 9}, []Sentence{list[0], list[0], list[2]}, m)
	tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
		if i == 1 {
			checkError(t, "NaN", err, model.ErrNotFinite, "after 0 words")
			return
		}
		if err != nil {
			t.Errorf("sentence %d: %v", i, err)
		}
		sameList(t, fmt.Sprint("sentence ", i), best, want[i])
	})
	_, err := tr.Score(t.Context(), list[1].Source, []int32{1, 0})
	checkError(t, "Score", err, model.ErrNotFinite)
}

func TestOptionsErrors(t *testing.T) {
	search, encdec := randomModel(t, tinyConfig, 85, 0.4), tinyConfig
	encdec.Kind = model.RNNencdec
	for _, test := range []struct {
		o    Options
		says string
	}{
		{Options{Beam: -1}, "beam of -1 hypotheses"},
		{Options{Prune: -1}, "prune -1, expected above 0"}, {Options{Prune: math.NaN()}, "prune NaN"},
		{Options{Beam: 2, NBest: 3}, "3 best translations, expected 1 to the beam of 2"},
		{Options{Beam: 2, NBest: -1}, "-1 best translations"},
		{Options{NBest: 6}, "the beam of 5"},
		{Options{Normalization: new(-0.1)}, "normalization -0.1, expected 0 to 10"},
		{Options{Normalization: new(10.5)}, "normalization 10.5"},
		{Options{Normalization: new(math.NaN())}, "normalization NaN"},
		{Options{MinLength: -1}, "minimum length -1"},
		{Options{MaxLength: -1}, "maximum length -1"},
		{Options{Waiting: -1}, "-1 waiting sentences"},
		{Options{Threads: -1}, "-1 threads"},
		{Options{Threads: math.MaxInt}, "expected 1 to 65536"},
		{Options{Memory: -1}, "-1 bytes"},
		{Options{Memory: 1 << 62}, "4611686018427387904 bytes"},
		{Options{Memory: math.MaxInt64}, "bytes of memory"},
	} {
		_, err := New(search, test.o)
		checkError(t, fmt.Sprintf("%+v", test.o), err, model.ErrConfig, test.says)
	}
	_, err := New(randomModel(t, encdec, 86, 0.4), Options{ReplaceUNK: true})
	checkError(t, "RNNencdec", err, model.ErrConfig, "encdec")
}

// TestModelSearch has a model that says how to search it: options that do not say search so, and translations, of streams,
// too, are unsure below its bound.
func TestModelSearch(t *testing.T) {
	m := randomModel(t, smallConfig, 88, 0.5)
	plain := *m
	list := sentencesOf(89, smallConfig, 40, 9, 12)
	wide := eachOf(t, newTranslator(t, Options{Beam: 3, NBest: 3, Normalization: new(1.0)}, &plain), list)
	var means []float64
	for _, best := range wide {
		for _, r := range best {
			if means = append(means, r.LogProb/float64(len(r.IDs))); r.Unsure {
				t.Errorf("unsure %+v, by a model without a bound", r)
			}
		}
	}
	slices.Sort(means)
	m.Search = model.Search{Beam: 3, Normalization: 1, Unsure: means[len(means)/3]}
	tr := newTranslator(t, Options{NBest: 3}, m)
	unsure := 0
	check := func(r Translation) {
		t.Helper()
		if r.Unsure != (r.LogProb/float64(len(r.IDs)) < m.Search.Unsure) {
			t.Errorf("unsure %t, the mean of %v is %v", r.Unsure, r.LogProbs, r.LogProb/float64(len(r.IDs)))
		}
	}
	for i, best := range eachOf(t, tr, list) {
		sameList(t, fmt.Sprint("sentence ", i), best, wide[i])
		for _, r := range best {
			if check(r); r.Unsure {
				unsure++
			}
		}
		for w, err := range tr.StreamWords(t.Context(), list[i]) {
			if err != nil {
				t.Fatal(err)
			}
			check(w.SoFar)
		}
	}
	if unsure != len(means)/3 {
		t.Errorf("%d of %d translations are unsure, want a third", unsure, len(means))
	}
	other := Options{Beam: 2, Normalization: new(0.0), NBest: 2}
	want := eachOf(t, newTranslator(t, other, &plain), list)
	for i, best := range eachOf(t, newTranslator(t, other, m), list) {
		sameList(t, fmt.Sprint("sentence ", i, " by options"), best, want[i])
	}
}

func TestReplaceUNK(t *testing.T) {
	v, err := text.VocabularyOf([]string{"</s>", "<unk>", "la", "ville"})
	if err != nil {
		t.Fatal(err)
	}
	alpha := []float32{
		0.1, 0.2, 0.6, 0.1,
		0.4, 0.1, 0.1, 0.4,
		0.0, 0.1, 0.2, 0.7, // the end of the sentence
		0.2, 0.3, 0.3, 0.2, // equals
		0.0, 0.0, 0.1, 0.9,
	}
	aligned := Translation{IDs: []int32{1, 2, 1, 1, 0}, Alignment: kernels.View(alpha, 5, 4)}
	unfinished := Translation{IDs: aligned.IDs[:1], Alignment: kernels.View(alpha, 1, 4)}
	for _, test := range []struct {
		name         string
		t            Translation
		source, want string
	}{
		{"largest weight", aligned, "city of Ghent", "Ghent la Ghent of"},
		{"without EOS", unfinished, "city of Ghent", "Ghent"},
		{"shorter source", aligned, "city of", "of la of of"},
		{"no source", aligned, "", "<unk> la <unk> <unk>"},
		{"no alignment", Translation{IDs: aligned.IDs}, "city of Ghent", "<unk> la <unk> <unk>"},
		{"no word", Translation{IDs: []int32{0}, Alignment: kernels.View(alpha, 1, 4)}, "city", ""},
	} {
		if got := test.t.ReplaceUNK(v, strings.Fields(test.source)); !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestHugeOptions has options that leave room for no search. A sentence gets an error, and what would
// hold its results is not allocated.
func TestHugeOptions(t *testing.T) {
	m := randomModel(t, smallConfig, 87, 0.4)
	for _, o := range []Options{
		{Beam: math.MaxInt}, {Beam: math.MaxInt, NBest: math.MaxInt}, {MaxLength: math.MaxInt}, {MinLength: math.MaxInt},
		{MaxLength: math.MaxInt, Memory: buffers.MaxBytes}, {Beam: math.MaxInt, Memory: buffers.MaxBytes}, {MinLength: math.MaxInt, NoAlignments: true},
	} {
		what, tr := fmt.Sprintf("%+v", o), newTranslator(t, o, m)
		_, err := tr.Translate(t.Context(), []int32{5, 0})
		checkError(t, what, err, model.ErrCapacity)
		if o.Beam == 0 {
			for _, err := range streamIDs(tr, t.Context(), []int32{5, 0}) {
				checkError(t, what+": stream", err, model.ErrCapacity)
			}
		}
	}
	tr := newTranslator(t, Options{}, m)
	tr.Each(t.Context(), []Sentence{{Source: []int32{5, 0}, MaxLength: math.MaxInt}}, func(_ int, _ []Translation, err error) {
		checkError(t, "sentence", err, model.ErrCapacity)
	})
}

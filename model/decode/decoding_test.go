package decode

import (
	"fmt"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// decodings cover every option, alone and together.
var decodings = []Options{
	{Beam: 4, NBest: 4},
	{Beam: 4, Normalization: new(0.7)},
	{Beam: 3, MinLength: 3, ForbidUNK: true},
	{Beam: 5, NBest: 2, Normalization: new(1.0), MinLength: 2, ForbidUNK: true},
}

// TestDecodingSameBits compares batches and translators on all implementations of the kernels with
// single sentences on portable Go, for one model and for three.
func TestDecodingSameBits(t *testing.T) {
	const source, length = 9, 8
	for _, n := range []int{1, 3} {
		models, list := ensembleOf(t, smallConfig, n, 80, 0.5), sentencesOf(81, smallConfig, 13, source, length)
		for _, d := range decodings {
			alone, want := searcherOf(t, portableGo(), d, capacityFor(1, source, length), models...), make([][]Translation, len(list))
			for i, s := range list {
				best := alone.best(t, s.Source, s.MaxLength)
				want[i] = cloneAll(best)
			}
			for _, k := range kernels.Available() {
				what := fmt.Sprintf("%s: %d models, %+v", k, n, d)
				got, err := searcherOf(t, k, d, capacityFor(len(list), source, length), models...).batch(t.Context(), list)
				if err != nil {
					t.Fatal(err)
				}
				for i := range list {
					sameList(t, fmt.Sprintf("%s: sentence %d of a batch", what, i), got[i], want[i])
				}
				checkTranslators(t, what, k, d, list, want, models)
			}
		}
	}
}

func checkTranslators(t *testing.T, what string, k kernels.Impl, o Options, list []Sentence, want [][]Translation, models []*model.Model) {
	t.Helper()
	for _, threads := range []int{1, 3} {
		o.Threads, o.Kernels = threads, &k
		newTranslator(t, o, models...).Each(t.Context(), list, func(i int, best []Translation, err error) {
			if err != nil {
				t.Fatal(err)
			}
			sameList(t, fmt.Sprintf("%s: sentence %d on %d threads", what, i, threads), best, want[i])
		})
	}
}

// TestDecodingLimits combines minimum and maximum lengths, also a maximum that is not above the
// minimum.
func TestDecodingLimits(t *testing.T) {
	m := randomModel(t, smallConfig, 82, 0.3)
	setBias(m, int(text.EOS), 60)
	setBias(m, int(text.UNK), 50)
	for _, test := range []struct {
		d      Options
		length int
		want   func(words []int32) bool
		says   string
	}{
		{Options{Beam: 2, MinLength: 3}, 6, func(w []int32) bool { return slices.Equal(w, []int32{1, 1, 1, 0}) }, "three times UNK and EOS"},
		{Options{Beam: 2, MinLength: 3}, 4, func(w []int32) bool { return slices.Equal(w, []int32{1, 1, 1, 0}) }, "three times UNK and EOS"},
		{Options{Beam: 2, MinLength: 3}, 3, func(w []int32) bool { return slices.Equal(w, []int32{1, 1, 1}) }, "three times UNK"},
		{Options{Beam: 2, MinLength: 9}, 2, func(w []int32) bool { return slices.Equal(w, []int32{1, 1}) }, "twice UNK"},
		{Options{Beam: 2, MinLength: 2, ForbidUNK: true}, 6, func(w []int32) bool {
			return len(w) == 3 && w[2] == text.EOS && w[0] > text.UNK && w[1] > text.UNK
		}, "two words and EOS"},
	} {
		best := searcherOf(t, kernels.Best(), test.d, capacityFor(1, 3, 6), m).best(t, []int32{5, 6, 0}, test.length)
		if !test.want(best[0].IDs) {
			t.Errorf("%+v, length %d: got %v, want %s", test.d, test.length, best[0].IDs, test.says)
		}
	}
}

// TestDecodingFewWords uses vocabularies in which only EOS is allowed.
func TestDecodingFewWords(t *testing.T) {
	for _, vocabulary := range []int{1, 2} {
		c := tinyConfig
		c.TargetVocab = vocabulary
		d := Options{Beam: 3, NBest: 3, MinLength: 2, ForbidUNK: true}
		tr := searcherOf(t, kernels.Best(), d, capacityFor(1, 2, 5), randomModel(t, c, 83, 1))
		best := tr.best(t, []int32{3, 0}, 5)
		if len(best) != 1 || !slices.Equal(best[0].IDs, []int32{text.EOS}) {
			t.Errorf("%d words: got %v, want EOS alone", vocabulary, best)
		}
	}
}

// TestDecodingNotFinite has NaN and infinite scores, and -Inf for all allowed words.
func TestDecodingNotFinite(t *testing.T) {
	m := randomModel(t, tinyConfig, 84, 0.3)
	tr := searcherOf(t, kernels.Best(), Options{Beam: 2, MinLength: 1}, capacityFor(2, 2, 5), m)
	check := func(what string, bias ...float32) {
		t.Helper()
		for w, b := range bias {
			setBias(m, w, b)
		}
		_, err := tr.batch(t.Context(), []Sentence{{Source: []int32{3, 0}, MaxLength: 5}, {Source: []int32{4, 0}, MaxLength: 5}})
		checkError(t, what, err, model.ErrNotFinite, "scores after 0 words")
	}
	check("infinite score", 0, 0, inf, 0)
	check("NaN", 0, 0, 0, nan)
	check("EOS alone", 0, -inf, -inf, -inf)
	setBias(m, 2, 0)
	if r := tr.one(t, []int32{3, 0}, 5); len(r.IDs) < 2 {
		t.Errorf("after the errors: got %v, want a word", r.IDs)
	}
}

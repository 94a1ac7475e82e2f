package decode

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// decodings have every setting, alone and together.
var decodings = []Options{
	{Beam: 4, NBest: 4},
	{Beam: 4, Normalization: 0.7},
	{Beam: 3, MinLength: 3, ForbidUNK: true},
	{Beam: 5, NBest: 2, Normalization: 1, MinLength: 2, ForbidUNK: true},
}

// TestDecodingSameBits compares batches and pools on all implementations with sentences alone on
// portable Go, of one model and of three.
func TestDecodingSameBits(t *testing.T) {
	const source, length = 9, 8
	for _, n := range []int{1, 3} {
		models, list := ensembleOf(t, smallConfig, n, 80, 0.5), sentencesOf(81, smallConfig, 13, source, length)
		for _, d := range decodings {
			alone, want := decoderOf(t, portable(), d, capacityFor(1, source, length), models...), make([][]Translation, len(list))
			for i, s := range list {
				best, err := alone.Translate(t.Context(), s.Source, s.MaxLength)
				if err != nil {
					t.Fatal(err)
				}
				want[i] = cloneAll(best)
			}
			for _, k := range kernels.Available() {
				what := fmt.Sprintf("%s: %d models, %+v", k, n, d)
				got, err := decoderOf(t, k, d, capacityFor(len(list), source, length), models...).TranslateBatch(t.Context(), list)
				if err != nil {
					t.Fatal(err)
				}
				for i := range list {
					sameList(t, fmt.Sprintf("%s: sentence %d of a batch", what, i), got[i], want[i])
				}
				checkPools(t, what, k, d, list, want, models)
			}
		}
	}
}

func checkPools(t *testing.T, what string, k kernels.Impl, d Options, list []Sentence, want [][]Translation, models []*model.Model) {
	t.Helper()
	for _, threads := range []int{1, 3} {
		p, err := NewPool(k, d, capacityFor(4, 9, 8), threads, models...)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Translate(t.Context(), list, func(i int, best []Translation) {
			sameList(t, fmt.Sprintf("%s: sentence %d on %d threads", what, i, threads), best, want[i])
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestDecodingLimits has a limit of words that does not exceed the fewest words.
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
		best, err := decoderOf(t, kernels.Best(), test.d, capacityFor(1, 3, 6), m).Translate(t.Context(), []int32{5, 6, 0}, test.length)
		if err != nil {
			t.Fatal(err)
		}
		if !test.want(best[0].IDs) {
			t.Errorf("%+v, length %d: got %v, want %s", test.d, test.length, best[0].IDs, test.says)
		}
	}
}

// TestDecodingFewWords has vocabularies without a word that may come instead of EOS.
func TestDecodingFewWords(t *testing.T) {
	for _, vocabulary := range []int{1, 2} {
		c := tinyConfig
		c.TargetVocab = vocabulary
		d := Options{Beam: 3, NBest: 3, MinLength: 2, ForbidUNK: true}
		tr := decoderOf(t, kernels.Best(), d, capacityFor(1, 2, 5), randomModel(t, c, 83, 1))
		best, err := tr.Translate(t.Context(), []int32{3, 0}, 5)
		if err != nil || len(best) != 1 || !slices.Equal(best[0].IDs, []int32{text.EOS}) {
			t.Errorf("%d words: got %v and error %v, want EOS alone", vocabulary, best, err)
		}
	}
}

// TestDecodingNotFinite has scores that are NaN, and words that may come whose scores are -Inf.
func TestDecodingNotFinite(t *testing.T) {
	m := randomModel(t, tinyConfig, 84, 0.3)
	tr := decoderOf(t, kernels.Best(), Options{Beam: 2, MinLength: 1}, capacityFor(2, 2, 5), m)
	check := func(what string, bias ...float32) {
		t.Helper()
		for w, b := range bias {
			setBias(m, w, b)
		}
		_, err := tr.TranslateBatch(t.Context(), []Sentence{{[]int32{3, 0}, 5}, {[]int32{4, 0}, 5}})
		checkError(t, what, err, model.ErrNotFinite, "scores after 0 words")
	}
	check("infinite score", 0, 0, inf, 0)
	check("NaN", 0, 0, 0, nan)
	check("EOS alone", 0, -inf, -inf, -inf)
	setBias(m, 2, 0)
	if r := translate(t, tr, []int32{3, 0}, 5); len(r.IDs) < 2 {
		t.Errorf("after the errors: got %v, want a word", r.IDs)
	}
}

func TestDecodingErrors(t *testing.T) {
	m := randomModel(t, tinyConfig, 85, 0.4)
	for _, test := range []struct {
		d    Options
		says string
	}{
		{Options{}, "beam of 0 hypotheses"},
		{Options{Beam: -1}, "beam of -1 hypotheses"},
		{Options{Beam: 2, NBest: 3}, "best 3 translations, expected at most the beam of 2"},
		{Options{Beam: 2, NBest: -1}, "best -1 translations"},
		{Options{Beam: 2, Normalization: -0.1}, "words^-0.1, expected 0 to 10"},
		{Options{Beam: 2, Normalization: 10.5}, "words^10.5"},
		{Options{Beam: 2, Normalization: math.NaN()}, "words^NaN"},
		{Options{Beam: 2, MinLength: -1}, "at least -1 words"},
	} {
		_, err := NewBeam(kernels.Best(), test.d, capacityFor(1, 2, 2), m)
		checkError(t, fmt.Sprintf("NewTranslator of %+v", test.d), err, model.ErrConfig, test.says)
		_, err = NewPool(kernels.Best(), test.d, capacityFor(1, 2, 2), 2, m)
		checkError(t, fmt.Sprintf("NewPool of %+v", test.d), err, model.ErrConfig, test.says)
	}
}

// TestPower compares with math.Pow and with exact powers.
func TestPower(t *testing.T) {
	r := newRand(86)
	for range 10_000 {
		x, alpha := float64(r.IntN(2000)), r.Float64()*[]float64{1, mostNormalization}[r.IntN(2)]
		got, want := power(x, alpha), math.Pow(x, alpha)
		if !(math.Abs(got-want) <= 0x1p-45*want) {
			t.Errorf("%v^%v: got %v, want %v", x, alpha, got, want)
		}
	}
	for _, p := range [][3]float64{{7, 0, 1}, {0, 0, 1}, {0, 0.5, 0}, {7, 1, 7}, {4, 1.5, 8}, {16, 0.75, 8}, {3, 10, 59049}, {2, 5e-324, 1}} {
		if got := power(p[0], p[1]); got != p[2] {
			t.Errorf("%v^%v: got %v, want %v", p[0], p[1], got, p[2])
		}
	}
}

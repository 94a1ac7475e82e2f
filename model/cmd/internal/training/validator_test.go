package training

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/score"
	"github.com/softsearch-go/softsearch/model/text"
)

// validatorOf returns a validator that is closed at the end of the test.
func validatorOf(t *testing.T, k kernels.Impl, m *model.Model, pairs []text.Pair, threads int) *validator {
	t.Helper()
	v, err := newValidator(k, m, pairs, threads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.close)
	return v
}

// greedy returns the words of the translation of sentence i.
func (v *validator) greedy(t *testing.T, i int) []string {
	t.Helper()
	best, err := v.translator.Translate(t.Context(), v.examples[i].Source)
	if err != nil {
		t.Fatal(err)
	}
	return v.model.Target.Decode(best[0].IDs)
}

// TestValidateBLEU compares with translating one sentence at a time.
func TestValidateBLEU(t *testing.T) {
	m := tinyModel(t)
	_, pairs := grammar.Pairs(1, 0, 40)
	v := validatorOf(t, kernels.Best(), m, pairs, 3)
	got, err := v.bleu(t.Context(), terminal.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	var want score.BLEUStatistics
	for i, p := range pairs {
		want.Add(v.greedy(t, i), p.Target)
	}
	if got.String() != want.String() {
		t.Errorf("got %s, want %s", got, &want)
	}
}

// TestValidate compares with computing the loss of one sentence at a time.
func TestValidate(t *testing.T) {
	m := tinyModel(t)
	_, pairs := grammar.Pairs(1, 0, 40)
	team := kernels.NewTeam(2)
	defer team.Close()
	v := validatorOf(t, kernels.Best().With(team), m, pairs, 2)
	got, err := v.validate(t.Context(), quiet, "")
	if err != nil {
		t.Fatal(err)
	}
	var want mean
	for _, e := range v.examples {
		loss, err := v.scorer.Loss([]text.Example{e})
		if err != nil {
			t.Fatal(err)
		}
		want.add(loss, len(e.Target))
	}
	if math.Abs(got.Loss-want.value()) > 1e-6*got.Loss || got.BLEU < 0 || got.BLEU > 100 {
		t.Errorf("got %+v, want a loss of %v", got, want.value())
	}
}

// TestValidateText checks that the BLEU of a model of text compares tokens, and that translations are judged as its
// users have them. A model of tokenized text is searched as before.
func TestValidateText(t *testing.T) {
	o := smallOptions(t, io.Discard)
	if err := Run(t.Context(), nil, o); err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(o.Model)
	if err != nil {
		t.Fatal(err)
	}
	pairs := make([]text.Pair, len(english))
	for i := range pairs {
		pairs[i] = text.Pair{Source: m.SourceText.Read(english[i], nil).Words, Target: m.TargetText.Read(french[i], nil).Words}
	}
	v := validatorOf(t, kernels.Best(), m, pairs, 1)
	got, err := v.bleu(t.Context(), terminal.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	var want score.BLEUStatistics
	for i := range pairs {
		joined := strings.ReplaceAll(strings.Join(v.greedy(t, i), " ")+" ", "@@ ", "")
		want.Add(strings.Fields(joined), m.TargetText.Tokenize(french[i]))
	}
	if got.String() != want.String() {
		t.Errorf("got %s, want %s", got, &want)
	}
	if s := m.Search; s.Beam != 5 || s.Normalization != 1 || v.judge(t.Context()) != nil {
		t.Errorf("search %+v", s)
	}
	asUsers, err := decode.New(m, decode.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer asUsers.Close()
	for _, e := range v.examples {
		best, err := asUsers.Translate(t.Context(), e.Source)
		if err != nil || !slices.ContainsFunc(v.judged, func(j judged) bool { return j.logProb == best[0].Score }) {
			t.Errorf("%+v are judged, users have %+v, error %v", v.judged, best, err)
		}
	}
	_, pairs = grammar.Pairs(1, 0, 40)
	v = validatorOf(t, kernels.Best(), tinyModel(t), pairs, 3)
	if _, err := v.validate(t.Context(), quiet, ""); err != nil || v.search() != (model.Search{}) {
		t.Errorf("search %+v of tokenized text, error %v", v.search(), err)
	}
}

// TestUnsure compares with the difference of the shares below each of the values.
func TestUnsure(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 500 {
		list := make([]judged, r.IntN(12))
		for i := range list {
			list[i] = judged{-float64(1+r.IntN(6)) / 2, r.IntN(3) > 0}
		}
		share := func(good bool, bound float64) float64 {
			n, below := 0, 0
			for _, j := range list {
				if j.good == good {
					if n++; j.logProb < bound {
						below++
					}
				}
			}
			return float64(below) / float64(max(1, n))
		}
		want, most := 0.0, 1e-9
		for bound := -3.0; bound < 0; bound += 0.5 {
			if d := share(false, bound) - share(true, bound); d > most+1e-9 {
				isValue := slices.ContainsFunc(list, func(j judged) bool { return j.logProb == bound })
				if isValue && share(true, 1) > 0 {
					want, most = bound, d
				}
			}
		}
		got := unsure(list)
		if got != want && math.Abs(share(false, got)-share(true, got)-most) > 1e-9 {
			t.Fatalf("%v: bound %v, want %v", list, got, want)
		}
		if got < 0 {
			found++
		}
	}
	if found < 100 || unsure([]judged{{-1, false}, {-2, false}}) != 0 {
		t.Errorf("%d bounds, want more, and none of bad translations alone", found)
	}
}

// TestAverage checks that the averaged weights are validated and saved, and that the checkpoint
// has both the averaged and the current weights.
func TestAverage(t *testing.T) {
	var log bytes.Buffer
	o := smallOptions(t, &log)
	o.Epochs, o.Recipe.Average = 1, 0.9
	if err := Run(t.Context(), nil, o); err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(o.Model)
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Load(o.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"weights.average": true, "weights": false} {
		part, ok := f.Tensor(name)
		if !ok || slices.Equal(part.Data, m.Parameters.Values) != want {
			t.Errorf("%s in the checkpoint: %t; want them to equal the model file: %t", name, ok, want)
		}
	}
	c, _, err := o.Prepare(t.Context(), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	v := validatorOf(t, kernels.Best(), m, c.Valid, 1)
	want, err := v.loss(t.Context(), terminal.NoProgress{})
	if err != nil {
		t.Fatal(err)
	}
	records, err := ReadLog("log", &log)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Event == EventValidation && *r.ValidationLoss != want {
			t.Errorf("validation loss %v, want that of the model file: %v", *r.ValidationLoss, want)
		}
	}
}

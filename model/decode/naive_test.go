package decode

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// A hypothesis of naiveSearch or scoredAll.
type hypothesis struct {
	words          []int32
	logProb, score float64
}

func (h hypothesis) finished() bool { return h.words[len(h.words)-1] == text.EOS }

// naiveSearch is the search that beam describes, without early termination: it continues until the
// beam is used up or the length limit is reached. It lists and sorts all continuations, and
// recomputes the log-probabilities of every hypothesis from its first word, model by model.
func naiveSearch(t *testing.T, k kernels.Impl, d Options, source []int32, length int, models ...*model.Model) []hypothesis {
	t.Helper()
	d.Beam, d.NBest = cmp.Or(d.Beam, defaultBeam), max(1, d.NBest)
	live, finished := []hypothesis{{}}, []hypothesis(nil)
	for time := 0; time < length && len(live) > 0; time++ {
		var all []hypothesis
		for _, h := range live {
			mean := naiveMean(t, k, source, h.words, models)
			allows := func(word int32) bool { return naiveAllows(d, word, time, models[0].Config.TargetVocab) }
			allows = naiveKeeps(models[0], source, h.words, length, mean, allows)
			for w, logProb := range mean {
				if allows(int32(w)) {
					all = append(all, hypothesis{append(slices.Clone(h.words), int32(w)), h.logProb + logProb, 0})
				}
			}
		}
		slices.SortStableFunc(all, func(a, b hypothesis) int { return cmp.Compare(b.logProb, a.logProb) })
		live = nil
		remain := d.NBest - len(finished)
		for i, h := range all[:min(d.Beam-len(finished), len(all))] {
			if i >= remain && d.Prune > 0 && h.logProb < all[0].logProb-d.Prune {
				break
			}
			h.score = h.logProb / math.Pow(float64(time+1), *d.Normalization)
			if h.finished() {
				finished = append(finished, h)
			} else {
				live = append(live, h)
			}
		}
	}
	slices.SortStableFunc(finished, func(a, b hypothesis) int { return cmp.Compare(b.score, a.score) })
	list := slices.Concat(finished, live)
	return list[:min(d.NBest, len(list))]
}

// naiveKeeps returns which of the words that are allowed otherwise can follow others, given their log-probabilities: no
// placeholder more often than in the source, EOS once none is missing, and missing ones alone where EOS is nearly the best
// word or there is no room for others.
func naiveKeeps(m *model.Model, source, words []int32, length int, logProbs []float64, allows func(int32) bool) func(int32) bool {
	if m.Source == nil || m.Target == nil {
		return allows
	}
	count := func(v *text.Vocabulary, ids []int32, word string) (n int) {
		for _, id := range ids {
			if v.Word(id) == word {
				n++
			}
		}
		return n
	}
	isPlaceholder := func(id int32) bool { return slices.Contains(m.TargetText.Placeholders(), m.Target.Word(id)) }
	lacks := func(id int32) int {
		return max(0, count(m.Source, source, m.Target.Word(id))-count(m.Target, words, m.Target.Word(id)))
	}
	missing, others := 0, math.Inf(-1)
	for id := range int32(len(logProbs)) {
		if isPlaceholder(id) {
			missing += lacks(id)
		}
		if id != text.EOS && allows(id) && (!isPlaceholder(id) || lacks(id) > 0) {
			others = max(others, logProbs[id])
		}
	}
	only := missing > 0 && (missing+1 >= length-len(words) || allows(text.EOS) && logProbs[text.EOS]+willing >= others)
	return func(id int32) bool {
		switch {
		case isPlaceholder(id):
			return lacks(id) > 0
		case id == text.EOS:
			return missing == 0 && allows(id)
		}
		return !only && allows(id)
	}
}

// naiveAllows reports whether a word is allowed at that time.
func naiveAllows(d Options, word int32, time, vocabulary int) bool {
	switch word {
	case text.EOS:
		return time >= d.MinLength || vocabulary == 1 || vocabulary == 2 && d.ForbidUNK
	case text.UNK:
		return !d.ForbidUNK
	}
	return true
}

// naiveMean returns the mean over the models of the log-probabilities of each next word.
func naiveMean(t *testing.T, k kernels.Impl, source, words []int32, models []*model.Model) []float64 {
	t.Helper()
	mean := make([]float64, models[0].Config.TargetVocab)
	for _, m := range models {
		s := newStepper(t, k, m, len(source))
		begin(t, s, source)
		scores := stepOn(t, s, -1).Row(0)
		for _, w := range words {
			scores = stepOn(t, s, w).Row(0)
		}
		sum := 0.0
		for _, v := range scores {
			sum += math.Exp(float64(v))
		}
		for w, v := range scores {
			mean[w] += (float64(v) - math.Log(sum)) / float64(len(models))
		}
	}
	return mean
}

// sameHypotheses compares translations with hypotheses. The weights of the models are so small that
// scores are below 100.
func sameHypotheses(t *testing.T, what string, got []Translation, want []hypothesis) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d translations, want %d", what, len(got), len(want))
		return
	}
	for i, r := range got {
		h := want[i]
		bound := sumBound(len(h.words), -h.logProb, 100)
		if !slices.Equal(r.IDs, h.words) || !(math.Abs(r.LogProb-h.logProb) <= bound) || !(math.Abs(r.Score-h.score) <= bound) {
			t.Errorf("%s: translation %d: got %v of %v, score %v, want %v of %v, score %v", what, i, r.IDs, r.LogProb, r.Score, h.words, h.logProb, h.score)
		}
	}
}

// randomDecoding returns random options for translations of up to length words.
func randomDecoding(seed uint64, length int) Options {
	r := newRand(seed)
	d := Options{Beam: 1 + r.IntN(7)}
	d.NBest = r.IntN(d.Beam + 1)
	d.Prune = []float64{0, 0.2, 1, 3}[r.IntN(4)]
	d.Normalization = new([]float64{0, 0.3, 1, 2.5}[r.IntN(4)])
	if r.IntN(2) == 0 {
		d.MinLength = r.IntN(length + 1)
	}
	d.ForbidUNK = r.IntN(2) == 0
	return d
}

// TestDecodingAsNaive compares with naiveSearch, with all options at once, for one model and for
// several.
func TestDecodingAsNaive(t *testing.T) {
	const source, length, trials = 4, 6, 18
	for _, c := range append(variants(tinyConfig), variants(smallConfig)...) {
		t.Run(fmt.Sprint(nameOf(c), "/", c.TargetVocab), func(t *testing.T) {
			k, unfinished, lists := kernels.Best(), 0, 0
			for seed := range uint64(trials) {
				d, models := randomDecoding(seed, length), ensembleOf(t, c, 1+int(seed)%3, seed, 0.6)
				for _, m := range models {
					setBias(m, int(text.EOS), 2)
				}
				tr := searcherOf(t, k, d, capacityFor(1, source, length), models...)
				words := randomWords(newRand(seed), source, c.SourceVocab)
				for _, n := range []int{1, 2, length} {
					got := tr.best(t, words, n)
					want := naiveSearch(t, k, d, words, n, models...)
					sameHypotheses(t, fmt.Sprintf("%d models from %d, %+v, length %d", len(models), seed, d, n), got, want)
					if !want[len(want)-1].finished() {
						unfinished++
					}
					if len(want) > 1 && want[1].finished() {
						lists++
					}
				}
			}
			if unfinished == 0 || lists == 0 {
				t.Errorf("%d lists with an unfinished translation and %d with several finished ones, want some of each", unfinished, lists)
			}
		})
	}
}

// TestDecodingExhaustive compares a beam wide enough to keep every hypothesis with all translations
// of up to 4 words. In some of the lists the order by score differs from that by log p.
func TestDecodingExhaustive(t *testing.T) {
	const length, source, best = 4, 5, 6
	eachVariant(t, tinyConfig, func(t *testing.T, c model.Config) {
		reordered := 0
		for seed := range uint64(12) {
			d := randomDecoding(seed, 2)
			d.Beam, d.Prune, d.NBest = 4*4*4*4, 0, best
			models := ensembleOf(t, c, 1+int(seed)%2, seed, 1)
			words := randomWords(newRand(seed), source, c.SourceVocab)
			got := searcherOf(t, kernels.Best(), d, capacityFor(1, source, length), models...).best(t, words, length)
			want := scoredAll(t, d, words, length, models)
			sameHypotheses(t, fmt.Sprintf("%d models from %d, %+v", len(models), seed, d), got, want[:min(best, len(want))])
			if !slices.IsSortedFunc(got, func(a, b Translation) int { return cmp.Compare(b.LogProb, a.LogProb) }) {
				reordered++
			}
		}
		if reordered == 0 {
			t.Error("all lists are sorted by log p, want some in another order")
		}
	})
}

// scoredAll returns all finished translations that d allows, best first, with the mean of the log p
// that scorers of the models give them.
func scoredAll(t *testing.T, d Options, source []int32, length int, models []*model.Model) []hypothesis {
	t.Helper()
	var list []hypothesis
	var batch []text.Example
	for _, words := range translations(models[0].Config.TargetVocab, length) {
		if len(words) <= d.MinLength || d.ForbidUNK && slices.Contains(words, text.UNK) {
			continue
		}
		list, batch = append(list, hypothesis{words: words}), append(batch, text.Example{Source: source, Target: words})
	}
	for _, m := range models {
		w := newScorerFor(t, kernels.Best(), m, batch)
		lossOf(t, w, batch)
		for i := range list {
			for _, p := range logProbabilities(t, w, i, len(list[i].words)) {
				list[i].logProb += float64(p) / float64(len(models))
			}
			list[i].score = list[i].logProb / math.Pow(float64(len(list[i].words)), *d.Normalization)
		}
	}
	slices.SortStableFunc(list, func(a, b hypothesis) int { return cmp.Compare(b.score, a.score) })
	return list
}

package training

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/score"
	"github.com/softsearch-go/softsearch/model/text"
)

// A validation is the result of measuring a model on the validation text.
type validation struct {
	Loss float64 // per target word, EOS included
	BLEU float64 // of greedy translations, in tokens
}

// A Criterion decides which of two validations is better.
type Criterion string

const (
	ByBLEU Criterion = "bleu" // the higher BLEU, then the lower loss
	ByLoss Criterion = "loss" // the lower loss, then the higher BLEU
)

func (v validation) better(other validation, by Criterion) bool {
	if by == ByLoss {
		return v.Loss < other.Loss || v.Loss == other.Loss && v.BLEU > other.BLEU
	}
	return v.BLEU > other.BLEU || v.BLEU == other.BLEU && v.Loss < other.Loss
}

// A validator measures a model on the validation text, whose sentences may have any length. The
// weights of the model may change between measurements.
type validator struct {
	model      *model.Model
	pairs      []text.Pair
	examples   []text.Example // of pairs
	scorer     *model.Scorer
	translator *decode.Translator // greedy
	searcher   *decode.Translator // as users search
	judged     []judged           // its last translations
}

// A judged translation is good or not.
type judged struct {
	logProb float64 // mean of an id
	good    bool
}

// validationBatch is the number of sentences whose loss is computed together.
const validationBatch = 16

// newValidator returns a validator that computes losses with the kernels k and translates on that
// many threads. It must be closed.
func newValidator(k kernels.Impl, m *model.Model, pairs []text.Pair, threads int) (*validator, error) {
	examples := text.Examples(pairs, m.Source, m.Target)
	scorer, err := model.NewScorer(k, m, model.CapacityOf(examples, min(validationBatch, len(examples))))
	if err != nil {
		return nil, err
	}
	translator, err := decode.New(m, decode.Options{Beam: 1, Normalization: new(1.0), NoAlignments: true, Threads: threads})
	if err != nil {
		return nil, err
	}
	searcher, err := decode.New(m, decode.Options{Beam: users.Beam, Prune: users.Prune, Normalization: &users.Normalization, NoAlignments: true, Threads: threads})
	if err != nil {
		return nil, err
	}
	return &validator{m, pairs, examples, scorer, translator, searcher, nil}, nil
}

func (v *validator) close() {
	v.translator.Close()
	v.searcher.Close()
}

func (v *validator) validate(ctx context.Context, start terminal.Start, title string) (validation, error) {
	loss, err := v.loss(ctx, start(title+", validation", "sentences", len(v.pairs)))
	if err != nil {
		return validation{}, fmt.Errorf("validation: %w", err)
	}
	s, err := v.bleu(ctx, start(title+", validation", "sentences", len(v.pairs)))
	if err != nil {
		return validation{}, fmt.Errorf("validation: %w", err)
	}
	if err := v.judge(ctx); err != nil {
		return validation{}, fmt.Errorf("validation: %w", err)
	}
	return validation{loss, s.BLEU()}, nil
}

func (v *validator) loss(ctx context.Context, p terminal.Progress) (float64, error) {
	defer p.Done()
	var m mean
	for _, batch := range text.SortedBatches(v.examples, validationBatch) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		loss, err := v.scorer.Loss(batch)
		if err != nil {
			return 0, err
		}
		m.add(loss, targetWords(batch))
		p.Add(len(batch), fmt.Sprintf("loss %.3f", m.value()))
	}
	return m.value(), nil
}

// bleu translates all sources greedily, and compares the tokens with the targets.
func (v *validator) bleu(ctx context.Context, p terminal.Progress) (*score.BLEUStatistics, error) {
	defer p.Done()
	var s score.BLEUStatistics
	err := v.translate(ctx, v.translator, 1, func(got, want []string, _ float64) {
		s.Add(got, want)
		p.Add(1, fmt.Sprintf("BLEU %.2f", s.BLEU()))
	})
	return &s, err
}

// goodChrF is the lowest chrF2 of a good translation of a sentence.
const goodChrF = 50

// maxJudged is the largest number of translations that are judged.
const maxJudged = 1000

// judge judges translations of text.
func (v *validator) judge(ctx context.Context) error {
	if v.model.TargetText.Language() == "" {
		return nil
	}
	v.judged = nil
	return v.translate(ctx, v.searcher, 1+(len(v.pairs)-1)/maxJudged, func(got, want []string, mean float64) {
		var c score.ChrFStatistics
		c.Add(strings.Join(got, " "), strings.Join(want, " "))
		v.judged = append(v.judged, judged{mean, c.ChrF2() >= goodChrF})
	})
}

// translate calls use with the tokens of the translation and of the target of every step-th sentence, and with
// the mean log p of an id.
func (v *validator) translate(ctx context.Context, t *decode.Translator, step int, use func(got, want []string, logProb float64)) error {
	var sentences []decode.Sentence
	for i := 0; i < len(v.examples); i += step {
		sentences = append(sentences, decode.Sentence{Source: v.examples[i].Source})
	}
	var failed error
	m := v.model
	t.Each(ctx, sentences, func(i int, best []decode.Translation, err error) {
		switch {
		case failed != nil:
		case err != nil:
			failed = fmt.Errorf("sentence %d: %w", i*step+1, err)
		default:
			use(m.TargetText.Join(m.Target.Decode(best[0].IDs)), m.TargetText.Join(v.pairs[i*step].Target), best[0].Score)
		}
	})
	return failed
}

// users is how users search a model for translations of text. Pruning trades a little BLEU for fewer steps. Experiments
// with tokenized text have their own ways.
var users = model.Search{Beam: 5, Prune: 1.5, Normalization: 1}

// search returns how to search the model, as far as that is known.
func (v *validator) search() model.Search {
	if v.judged == nil {
		return v.model.Search
	}
	search := users
	search.Unsure = unsure(v.judged)
	return search
}

// unsure returns the mean log p of an id below which most of the bad translations are, and few of the good ones: where
// the difference of their shares is largest, the lowest such bound. It is 0 if none tells them apart.
func unsure(list []judged) (bound float64) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b judged) int { return cmp.Compare(a.logProb, b.logProb) })
	var good, goodBelow, badBelow, most int64
	for _, j := range list {
		if j.good {
			good++
		}
	}
	for i, j := range list {
		if i > 0 && j.logProb > list[i-1].logProb {
			if difference := badBelow*good - goodBelow*(int64(len(list))-good); difference > most {
				bound, most = j.logProb, difference
			}
		}
		if j.good {
			goodBelow++
		} else {
			badBelow++
		}
	}
	return bound
}

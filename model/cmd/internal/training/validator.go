package training

import (
	"context"
	"fmt"

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
	translator, err := decode.New(m, decode.Options{Beam: 1, NoAlignments: true, Threads: threads})
	if err != nil {
		return nil, err
	}
	return &validator{m, pairs, examples, scorer, translator}, nil
}

func (v *validator) close() { v.translator.Close() }

func (v *validator) validate(ctx context.Context, start terminal.Start, title string) (validation, error) {
	loss, err := v.loss(ctx, start(title+", validation", "sentences", len(v.pairs)))
	if err != nil {
		return validation{}, fmt.Errorf("validation: %w", err)
	}
	s, err := v.bleu(ctx, start(title+", validation", "sentences", len(v.pairs)))
	if err != nil {
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

// bleu translates all sources greedily and compares the tokens with the targets.
func (v *validator) bleu(ctx context.Context, p terminal.Progress) (*score.BLEUStatistics, error) {
	defer p.Done()
	sentences := make([]decode.Sentence, len(v.examples))
	for i, e := range v.examples {
		sentences[i].Source = e.Source
	}
	var s score.BLEUStatistics
	var failed error
	m := v.model
	v.translator.Each(ctx, sentences, func(i int, best []decode.Translation, err error) {
		switch {
		case failed != nil:
		case err != nil:
			failed = fmt.Errorf("sentence %d: %w", i+1, err)
		default:
			s.Add(m.TargetText.Join(m.Target.Decode(best[0].IDs)), m.TargetText.Join(v.pairs[i].Target))
			p.Add(1, fmt.Sprintf("BLEU %.2f", s.BLEU()))
		}
	})
	if failed != nil {
		return nil, failed
	}
	return &s, nil
}

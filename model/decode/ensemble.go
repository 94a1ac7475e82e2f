package decode

import (
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// An ensemble decodes with one or more models. The log-probability of an id is the mean over the
// models, a log-linear combination with equal weights, and α is the mean of their α. Both are
// summed in the order of the models.
type ensemble struct {
	kernels   kernels.Impl
	steppers  []*model.Stepper
	attending []*model.Stepper // of RNNsearch models, which have α
	share     []float32        // 1/models, as a row for WeightedSum
	attention []float32        // 1/models with α
	scores    []float32        // hypotheses×V: the mean, for several models
	logSums   []float64        // hypotheses: the mean of log Σ exp(scores)
	scored    []float64        // hypotheses: the mean of log p of the target id
}

// newEnsemble returns an ensemble with the capacity of a beam.
func newEnsemble(l *ledger, k kernels.Impl, models []*model.Model, c capacity) *ensemble {
	e := &ensemble{
		kernels: k, share: []float32{1 / float32(len(models))},
		logSums: room[float64](l, c.rows), scored: room[float64](l, c.rows),
	}
	for _, m := range models {
		room := model.StepperCapacity{Sentences: c.sentences, Hypotheses: c.rows, Words: c.words, Joining: c.joining}
		if l != nil {
			l.bytes += float64(model.StepperBytes(m.Config, room))
			continue
		}
		stepper, err := model.NewStepper(k, m, room)
		if err != nil {
			panic(err) // New has checked the models, and capacityFor the sizes
		}
		e.steppers = append(e.steppers, stepper)
		if m.HasAlignments() {
			e.attending = append(e.attending, stepper)
		}
	}
	e.attention = []float32{1 / float32(len(e.attending))}
	if len(models) > 1 {
		e.scores = l.floats(c.rows, models[0].Config.TargetVocab)
	}
	return e
}

// checkModels returns an error unless all models pass their Check and have the same vocabularies,
// and those with vocabularies the same preparation of text.
func checkModels(models []*model.Model) error {
	for i, m := range models {
		if err := m.Check(); err != nil {
			return fmt.Errorf("model %d: %w", i+1, err)
		}
	}
	first := models[0]
	for i, m := range models[1:] {
		differs := ""
		switch {
		case !sameWords(m.Source, first.Source, m.Config.SourceVocab, first.Config.SourceVocab):
			differs = "source vocabulary"
		case !sameWords(m.Target, first.Target, m.Config.TargetVocab, first.Config.TargetVocab):
			differs = "target vocabulary"
		case m.Source != nil && first.Source != nil && !m.SourceText.Equal(first.SourceText):
			differs = "source text"
		case m.Target != nil && first.Target != nil && !m.TargetText.Equal(first.TargetText):
			differs = "target text"
		default:
			continue
		}
		return fmt.Errorf("%w: %s of model %d differs from that of the first", model.ErrConfig, differs, i+2)
	}
	return nil
}

// sameWords reports whether vocabularies of these sizes have the same words. A model that is used
// with ids alone has no words, and its size decides.
func sameWords(a, b *text.Vocabulary, m, n int) bool {
	return m == n && (a == nil || b == nil || slices.Equal(a.Words(), b.Words()))
}

// join is Stepper.Join of all models.
func (e *ensemble) join(sources [][]int32) error {
	for _, s := range e.steppers {
		if err := s.Join(sources...); err != nil {
			return err
		}
	}
	return nil
}

// step is Stepper.Step of all models. It returns the mean of their scores, and sets logSums to the
// mean of the logarithms to subtract from them. Where targets[row] is not -1, it sets scored to
// log p of that id instead, and the scores of the row are undefined.
func (e *ensemble) step(words, targets []int32) (kernels.Matrix, error) {
	clear(e.logSums)
	clear(e.scored)
	mean := kernels.Matrix{}
	for i, s := range e.steppers {
		scores, err := s.Step(words)
		if err != nil {
			return kernels.Matrix{}, err
		}
		e.normalize(scores, targets)
		if len(e.steppers) == 1 {
			return scores, nil
		}
		mean = kernels.View(e.scores, len(words), scores.Cols)
		for row := range words {
			if targets[row] < 0 {
				e.add(mean.Row(row), e.share, scores.Row(row), i == 0)
			}
		}
	}
	return mean, nil
}

// normalize adds the share of one model to logSums and scored.
func (e *ensemble) normalize(scores kernels.Matrix, targets []int32) {
	share, n := float64(e.share[0]), float64(len(e.steppers))
	for row, id := range targets {
		if id < 0 {
			e.logSums[row] += float64(share * float64(e.kernels.LogSumExp(scores.Row(row))))
		} else {
			e.scored[row] -= float64(e.kernels.CrossEntropy(scores.Row(row), int(id))) / n
		}
	}
}

// add adds a share of x to sum, or, for the first x, sets sum to it.
func (e *ensemble) add(sum, share, x []float32, first bool) {
	if row := kernels.View(x, 1, len(x)); first {
		e.kernels.WeightedSum(sum, share, row)
	} else {
		e.kernels.WeightedSumAdd(sum, share, row)
	}
}

// weights writes α of a hypothesis at the last step to dst, or nothing if no model has α.
func (e *ensemble) weights(dst []float32, row int) {
	for i, s := range e.attending {
		alpha := s.Weights(row)
		e.add(dst[:len(alpha)], e.attention, alpha, i == 0)
	}
}

// keep is Stepper.Keep of all models.
func (e *ensemble) keep(parents []int) error {
	for _, s := range e.steppers {
		if err := s.Keep(parents); err != nil {
			return err
		}
	}
	return nil
}

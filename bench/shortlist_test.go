package bench

import (
	"fmt"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

const (
	commonWords  = 1008 // of a shortlist
	lexiconWords = 20   // of a shortlist for a source word
)

// withShortlist returns m with a shortlist of random words, some 1,500 of them for a sentence: about as many as
// a small model learns for everyday ones.
func withShortlist(m *model.Model) *model.Model {
	r := newSource()
	with := *m
	with.Shortlist = &model.Shortlist{Common: commonWords}
	for range m.Config.SourceVocab {
		ids := make([]int32, lexiconWords)
		for i := range ids {
			ids[i] = int32(commonWords + r.rng.IntN(m.Config.TargetVocab-commonWords))
		}
		slices.Sort(ids)
		with.Shortlist.Lexicon = append(with.Shortlist.Lexicon, slices.Compact(ids))
	}
	return &with
}

// BenchmarkShortlistStep is BenchmarkDecoderStep of one hypothesis on one thread with all words and with a shortlist,
// with the normalization of the scores, and what gathering the words costs a sentence.
func BenchmarkShortlistStep(b *testing.B) {
	for _, s := range sizes() {
		for _, precision := range []string{"float32", "int8"} {
			for _, list := range []string{"all", "shortlist", "gather"} {
				name := fmt.Sprintf("words=%s/weights=%s/sizes=%s/threads=1/batch=1", list, precision, s.name)
				compare(b, translators(), name, perSecond(1, "steps"), func(c contender, r source) func() {
					m := s.weights(precision)
					sentence := r.sentence(s.config.SourceVocab)
					words := model.Candidates([]*model.Model{withShortlist(m)}, sentence)
					stepper := must(model.NewStepper(c.k, m, model.StepperCapacity{
						Sentences: 1, Hypotheses: 1, Words: Words, Joining: Words, Outputs: model.OutputsOf(words, m.Config.TargetVocab),
					}))
					switch list {
					case "gather":
						words := words[commonWords:]
						w := kernels.Weights{Float32: kernels.NewPacked(len(words), m.Config.Maxout)}
						if precision == "int8" {
							w = kernels.Weights{Int8: kernels.NewPackedInt8(len(words), m.Config.Maxout)}
						}
						return func() { w.Gather(m.Parameters.Wo, words) }
					case "all":
						words = nil
					}
					if err := stepper.JoinWords([][]int32{sentence}, []model.Words{words}); err != nil {
						b.Fatal(err)
					}
					next := []int32{sentence[0]}
					return func() { c.k.LogSumExp(must(stepper.Step(next)).Row(0)[:stepper.Summed(0)]) }
				})
			}
		}
	}
}

// BenchmarkShortlistTranslate is BenchmarkTranslate of int8 on one thread with all words and with a shortlist.
func BenchmarkShortlistTranslate(b *testing.B) {
	m := withShortlist(captionsInt8())
	for _, size := range []struct{ beam, batch int }{{1, 32}, {12, 8}} {
		for _, list := range []string{"all", "shortlist"} {
			name := fmt.Sprintf("words=%s/weights=int8/sizes=captions/beam=%d/batch=%d/threads=1", list, size.beam, size.batch)
			compare(b, translators(), name, perSecond(translated, "sentences"), func(c contender, r source) func() {
				t := must(decode.New(m, decode.Options{Beam: size.beam, Threads: 1, Kernels: &c.k, AllWords: list == "all"}))
				b.Cleanup(t.Close)
				run := translation(b, t, r.captions(), size.batch)
				run()
				return run
			})
		}
	}
}

package bench

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
)

const (
	translated = 64 // sentences
	shortest   = 7  // words of a sentence with its end
	longest    = 21
)

// captions is a model of the size for image captions. EOS is so improbable that every
// translation takes all the words that it may have.
var captions = sync.OnceValue(func() *model.Model {
	m := must(model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst,
		SourceVocab: 10000, TargetVocab: 10000, Embedding: 256, Hidden: 256, Alignment: 256, Maxout: 256,
	}, 1))
	m.Parameters.B[text.EOS] = -100
	return m
})

// captionsInt8 is captions with weights of int8.
var captionsInt8 = sync.OnceValue(func() *model.Model { return must(captions().Quantize()) })

// BenchmarkTranslate translates sentences of different lengths, a batch on each thread at a time.
func BenchmarkTranslate(b *testing.B) {
	for _, size := range []struct{ beam, batch, threads int }{
		{1, 1, 1}, {1, 8, 1}, {1, 16, 1}, {1, 32, 1}, {1, 32, 2}, {1, 64, 1},
		{5, 1, 1}, {5, 16, 1}, {5, 16, 2},
		{12, 1, 1}, {12, 4, 1}, {12, 8, 1}, {12, 8, 2},
	} {
		for _, weights := range []struct {
			name  string
			model func() *model.Model
		}{{"float32", captions}, {"int8", captionsInt8}} {
			name := fmt.Sprintf("weights=%s/sizes=captions/beam=%d/batch=%d/threads=%d", weights.name, size.beam, size.batch, size.threads)
			compare(b, translators(), name, perSecond(translated, "sentences"), func(c contender, r source) func() {
				t := must(decode.New(weights.model(), decode.Options{Beam: size.beam, Threads: size.threads, Kernels: &c.k}))
				b.Cleanup(t.Close)
				run := translation(b, t, r.captions(), size.batch*size.threads)
				run() // a Translator allocates at its first sentences
				return run
			})
		}
	}
}

// translation returns a function that translates the sentences, so many at a time.
func translation(b *testing.B, t *decode.Translator, list []decode.Sentence, together int) func() {
	return func() {
		for part := range slices.Chunk(list, together) {
			t.Each(b.Context(), part, func(_ int, _ []decode.Translation, err error) {
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// translators returns the implementations of the kernels but portable Go, which takes minutes.
func translators() []contender {
	return slices.DeleteFunc(contenders(), func(c contender) bool { return c.name == "go" })
}

// captions returns the sentences to translate, the longest first.
func (s source) captions() []decode.Sentence {
	list := make([]decode.Sentence, translated)
	for i := range list {
		n := shortest + s.rng.IntN(longest-shortest+1)
		ids := make([]int32, n)
		for j := range n - 1 {
			ids[j] = int32(text.UNK) + 1 + int32(s.rng.IntN(captions().Config.SourceVocab-2))
		}
		ids[n-1] = text.EOS
		list[i] = decode.Sentence{Source: ids, MaxLength: n}
	}
	slices.SortFunc(list, func(a, b decode.Sentence) int { return b.MaxLength - a.MaxLength })
	return list
}

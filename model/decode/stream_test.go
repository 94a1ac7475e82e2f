package decode

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// streamed returns the words of a stream.
func streamed(t *testing.T, tr *Beam, s Sentence) []int32 {
	t.Helper()
	var words []int32
	for w, err := range tr.Stream(t.Context(), s.Source, s.MaxLength) {
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, w)
	}
	return words
}

// TestStream compares with translations of a beam of 1, with streams that end early and
// translations of another beam in between.
func TestStream(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		finished, all := 0, sentencesOf(95, c, 30, 9, 8)
		for _, d := range []Options{{}, {MinLength: 4, ForbidUNK: true}} {
			models := ensembleOf(t, c, 2, 96, 0.6)
			setBias(models[0], int(text.EOS), 6)
			d.Beam = 1
			greedy := decoderOf(t, kernels.Best(), d, capacityFor(1, 9, 8), models...)
			d.Beam = 4
			wide := decoderOf(t, kernels.Best(), d, capacityFor(1, 9, 8), models...)
			for i, s := range all {
				for range wide.Stream(t.Context(), s.Source, s.MaxLength) {
					break
				}
				beam := clone(translate(t, wide, s.Source, s.MaxLength))
				want := slices.Clone(translate(t, greedy, s.Source, s.MaxLength).IDs)
				if want[len(want)-1] == text.EOS {
					want = want[:len(want)-1]
					finished++
				}
				if got := streamed(t, wide, s); !slices.Equal(got, want) {
					t.Errorf("%+v, sentence %d: got %v, want %v", d, i, got, want)
				}
				sameTranslation(t, fmt.Sprint("after a stream: sentence ", i), translate(t, wide, s.Source, s.MaxLength), beam)
			}
		}
		if finished == 0 || finished == 2*len(all) {
			t.Errorf("%d of %d streams end with EOS, want some", finished, 2*len(all))
		}
	})
}

func TestStreamErrors(t *testing.T) {
	m := randomModel(t, smallConfig, 97, 0.4)
	setBias(m, int(text.EOS), -60)
	tr := newTranslator(t, kernels.Best(), m, 3, 4, 5)
	last := func(ctx context.Context, source []int32, length int) (words int, err error) {
		for w, e := range tr.Stream(ctx, source, length) {
			if err != nil {
				t.Errorf("word %d after error %v", w, err)
			}
			if err = e; e == nil {
				words++
			}
		}
		return words, err
	}
	for _, e := range badSources {
		_, err := last(t.Context(), e.source, 5)
		checkError(t, e.name, err, e.is, e.says...)
	}
	_, err := last(t.Context(), []int32{1, 0}, 6)
	checkError(t, "length", err, model.ErrCapacity, "of 1 to 5")
	for looks := range 5 {
		words, err := last(&endingContext{t.Context(), looks, context.Canceled}, []int32{1, 0}, 5)
		checkError(t, fmt.Sprint("context after step ", looks), err, context.Canceled)
		if words != looks {
			t.Errorf("context after step %d: %d words", looks, words)
		}
	}
}

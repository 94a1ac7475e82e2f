package decode

import (
	"context"
	"iter"

	"github.com/softsearch-go/softsearch/model/text"
)

// Stream translates a sentence as Translate does with a beam of 1, whatever that of t, and
// yields each word as soon as it is decided. EOS ends the words and is not yielded. An error,
// of the kinds of Translate, is the last pair, beside no word. The loop may end early; while it
// runs, t has no other use.
func (t *Beam) Stream(ctx context.Context, source []int32, length int) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		if err := t.begin([]Sentence{{source, length}}, 1); err != nil {
			yield(0, err)
			return
		}
		for time := 0; len(t.words) > 0; time++ {
			if err := t.step(ctx, time); err != nil {
				yield(0, err)
				return
			}
			if word := t.ranking.best[0].word; word == text.EOS || !yield(word, nil) {
				return
			}
		}
	}
}

package decode

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// endingContext ends after so many looks at it.
type endingContext struct {
	context.Context
	looks int
	err   error
}

func (c *endingContext) Err() error {
	if c.looks--; c.looks < 0 {
		return c.err
	}
	return nil
}

// TestContext ends a translation before each of its steps.
func TestContext(t *testing.T) {
	const length = 7
	m, list := randomModel(t, smallConfig, 87, 0.5), sentencesOf(88, smallConfig, 5, 9, length)
	setBias(m, int(text.EOS), -60)
	list[0].MaxLength = length
	tr := decoderOf(t, kernels.Best(), Options{Beam: 3}, capacityFor(5, 9, length), m)
	want := translateBatch(t, tr, list)
	for _, is := range []error{context.Canceled, context.DeadlineExceeded} {
		for looks := range length {
			_, err := tr.TranslateBatch(&endingContext{t.Context(), looks, is}, list)
			checkError(t, fmt.Sprint("batch after step ", looks), err, is, fmt.Sprintf("after %d words", looks))
			p := newPool(t, kernels.Best(), m, 3, capacityFor(5, 9, length), 1)
			err = p.Translate(&endingContext{t.Context(), looks, is}, list, func(i int, _ []Translation) { t.Errorf("sentence %d", i) })
			checkError(t, fmt.Sprint("pool after step ", looks), err, is)
			for i, r := range translateBatch(t, tr, list) {
				sameTranslation(t, fmt.Sprint("after an error: sentence ", i), r, want[i])
			}
			for i, r := range translateList(t, p, list) {
				sameTranslation(t, fmt.Sprint("pool after an error: sentence ", i), r, want[i])
			}
		}
		if _, err := tr.TranslateBatch(&endingContext{t.Context(), length, is}, list); err != nil {
			t.Errorf("context that ends after the last step: %v", err)
		}
	}
}

// TestPoolContext ends a pool of several threads between its batches.
func TestPoolContext(t *testing.T) {
	m, list := randomModel(t, smallConfig, 89, 0.5), sentencesOf(90, smallConfig, 60, 9, 8)
	p := newPool(t, kernels.Best(), m, 3, capacityFor(2, 9, 8), 3)
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := p.Translate(ctx, list, func(int, []Translation) {
		calls++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || calls == 0 || calls > 6 {
		t.Errorf("%d translations and error %v, want those of the batches begun and %v", calls, err, context.Canceled)
	}
}

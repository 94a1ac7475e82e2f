package decode

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/softsearch-go/softsearch/model/text"
)

// Stream translates a line by greedy search, whatever Options.Beam is, and yields the text so far
// after each word. If there is an error, it is the last pair. A loop may be slow without blocking the
// workers, and leaving it ends the search.
func (t *Translator) Stream(ctx context.Context, line string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		source, err := t.words(line)
		if err != nil {
			yield("", err)
			return
		}
		if len(source) == 0 {
			return
		}
		m := t.models[0]
		var words []string
		t.stream(ctx, m.Source.Encode(source), func(s chosen, err error) bool {
			if err != nil {
				return yield("", err)
			}
			word := m.Target.Word(s.id)
			if s.id == text.UNK && t.options.ReplaceUNK {
				word = source[s.aligned]
			}
			words = append(words, word)
			return yield(m.TargetText.Line(words), nil)
		})
	}
}

// StreamIDs is Stream for ids, which end with EOS: it yields each id of the translation except EOS.
func (t *Translator) StreamIDs(ctx context.Context, source []int32) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		t.stream(ctx, source, func(s chosen, err error) bool { return yield(s.id, err) })
	}
}

// A chosen id of a greedy search.
type chosen struct {
	id      int32
	aligned int // index of the source word with the largest α, for UNK
}

// stream calls yield with each id of a greedy search, until it returns false.
func (t *Translator) stream(ctx context.Context, source []int32, yield func(chosen, error) bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	k, err := t.newStream(ctx, source)
	if err == nil && len(source) == 1 {
		_, err = t.wordless(ctx)
	}
	if err != nil {
		yield(chosen{}, err)
		return
	}
	if len(source) == 1 {
		return
	}
	ids := make(chan chosen, k.maxLength) // the worker never waits for the loop
	k.word = func(id int32, alpha []float32) {
		c := chosen{id: id}
		if id == text.UNK && len(alpha) > 1 {
			c.aligned = largest(alpha[:len(alpha)-1])
		}
		ids <- c
	}
	var failure error
	k.done = func(_ *task, err error) {
		failure = err
		close(ids)
	}
	if err := t.queue.add(newCall([]*task{k}, 1)); err != nil {
		yield(chosen{}, err)
		return
	}
	for {
		select {
		case c, ok := <-ids:
			if !ok {
				if failure != nil {
					yield(chosen{}, failure)
				}
				return
			}
			if !yield(c, nil) {
				return
			}
		case <-ctx.Done():
			yield(chosen{}, fmt.Errorf("decode: %w", ctx.Err()))
			return
		}
	}
}

// newStream returns the task of a greedy search.
func (t *Translator) newStream(ctx context.Context, source []int32) (*task, error) {
	if err := checkIDs("source", source, t.models[0].Config.SourceVocab); err != nil {
		return nil, err
	}
	s, err := t.shapeFor(1, len(source), t.options.maxLength(roundUp(len(source))))
	if err != nil {
		return nil, err
	}
	return &task{ctx: ctx, shape: s, source: slices.Clone(source), maxLength: t.options.maxLength(len(source))}, nil
}

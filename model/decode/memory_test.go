package decode

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// TestMemory sets a limit that allows for sources of up to 128 ids.
func TestMemory(t *testing.T) {
	m := randomModel(t, smallConfig, 112, 0.5)
	for _, o := range []Options{{Beam: 4, Threads: 3}, {Beam: 4, Threads: 3, NoAlignments: true}} {
		tr := newTranslator(t, o, m)
		limit := tr.bytes(need(4, 128, 3*128, !o.NoAlignments))
		o.Memory = int64(limit) + 1
		tr = newTranslator(t, o, m)
		list := sentencesOf(113, smallConfig, 20, 128, 1)
		for i := range list {
			list[i].MaxLength = 0
		}
		want := aloneOf(t, kernels.Best(), o, list, m)
		for i, best := range eachOf(t, tr, list) {
			if o.NoAlignments && best[0].Alignment.Rows != 0 {
				t.Errorf("sentence %d: %d rows of alignment, want none", i, best[0].Alignment.Rows)
			}
			sameList(t, fmt.Sprint("sentence ", i), best, want[i])
		}
		_, err := tr.Translate(t.Context(), sentenceOf(newRand(1), 129, smallConfig.SourceVocab))
		checkError(t, "129 words", err, model.ErrCapacity, "129 words", "beam of 4", "up to 387 words")
		if tr.beams.used > limit+1 {
			t.Errorf("beams take %v bytes, want at most %v", tr.beams.used, limit)
		}
	}
	// Alignments for unknown words alone do not make a sentence too long.
	optional := newTranslator(t, Options{Beam: 4, Threads: 1, NoAlignments: true, ReplaceUNK: true, Memory: int64(newTranslator(t, Options{}, m).bytes(need(4, 128, 3*128, false))) + 1}, m)
	for n, aligned := range map[int]bool{9: true, 128: false} {
		source := sentenceOf(newRand(2), n, smallConfig.SourceVocab)
		got, err := optional.Translate(t.Context(), source)
		if err != nil || (got[0].Alignment.Rows > 0) != aligned {
			t.Errorf("%d words: error %v, %d rows of alignment, want some: %t", n, err, got[0].Alignment.Rows, aligned)
			continue
		}
		want := aloneOf(t, kernels.Best(), Options{Beam: 4, NoAlignments: !aligned}, []Sentence{{Source: source}}, m)
		sameList(t, fmt.Sprint(n, " words"), got, want[0])
	}
	huge := newTranslator(t, Options{MaxLength: math.MaxInt}, m)
	checkError(t, "huge", huge.Check([]int32{1, 0}), model.ErrCapacity)
}

// TestStore checks that idle beams are reused and dropped for others, and that a large request is
// served before later, smaller ones.
func TestStore(t *testing.T) {
	s := &store{limit: 100}
	s.changed.L = &s.mutex
	small, large := capacity{words: 1}, capacity{words: 2}
	size := func(c capacity) float64 { return []float64{1: 30, 2: 90}[c.words] }
	lend := func(want capacity) *beam {
		b, _ := s.borrow(want, size, true)
		if b == nil {
			b = &beam{capacity: want, bytes: size(want)}
		}
		return b
	}
	first, second := lend(small), lend(small)
	s.restore(first, 2)
	if b := lend(small); b != first {
		t.Error("an idle beam is not reused")
	}
	order := make(chan string, 2)
	var wait sync.WaitGroup
	wait.Go(func() {
		b := lend(large)
		order <- "large"
		s.restore(b, 2)
	})
	for waits := false; !waits; runtime.Gosched() {
		s.mutex.Lock()
		waits = s.next > s.served
		s.mutex.Unlock()
	}
	if b, ok := s.borrow(small, size, false); ok {
		t.Errorf("beam %v before one that waits", b)
	}
	wait.Go(func() {
		lend(small)
		order <- "small"
	})
	s.restore(first, 2)
	s.restore(second, 2)
	wait.Wait()
	if got := <-order; got != "large" {
		t.Errorf("%s beam first, want the large one", got)
	}
	if s.used > s.limit || s.used != 30 {
		t.Errorf("%v bytes in use, want 30", s.used)
	}
}

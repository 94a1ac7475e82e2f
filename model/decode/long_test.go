package decode

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// allocated returns the number of bytes that f allocates, and everybody else meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLongSentence gives a sentence of 100,000 words to everything that takes one. It is refused
// before anything is allocated for it, and the sentences beside it are translated.
func TestLongSentence(t *testing.T) {
	const words = 100_000
	m := withVocabularies(t, smallConfig)
	tr := newTranslator(t, Options{Threads: 2, MinLength: 2}, m)
	long, line := sentenceOf(newRand(1), words+1, smallConfig.SourceVocab), strings.Repeat("s5 ", words)
	check := func(what string, err error) {
		t.Helper()
		checkError(t, what, err, model.ErrCapacity, "100001 words", "MiB")
	}
	n := allocated(func() {
		_, err := tr.Translate(t.Context(), long)
		check("Translate", err)
		check("Check", tr.Check(long))
		for _, err := range streamIDs(tr, t.Context(), long) {
			check("StreamIDs", err)
		}
		_, err = tr.Score(t.Context(), long, long)
		check("Score", err)
	})
	if n > 1<<16 {
		t.Errorf("%d bytes allocated to refuse a sentence", n)
	}
	if tr.beams.used != 0 || tr.beams.next != 0 {
		t.Errorf("%d beams of %v bytes for a sentence that is refused", tr.beams.next, tr.beams.used)
	}
	_, err := tr.Line(t.Context(), line)
	check("Line", err)
	for _, err := range tr.Stream(t.Context(), line) {
		check("Stream", err)
	}

	list := sentencesOf(2, smallConfig, 5, 9, 8)
	want := eachOf(t, tr, list)
	list = append(list[:2:2], append([]Sentence{{Source: long}}, list[2:]...)...)
	want = append(want[:2:2], append([][]Translation{nil}, want[2:]...)...)
	calls := 0
	tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
		if calls++; i == 2 {
			check("Each", err)
			return
		}
		if err != nil {
			t.Error(err)
		}
		sameList(t, fmt.Sprint("sentence ", i), best, want[i])
	})
	if calls != len(list) {
		t.Errorf("%d results for %d sentences", calls, len(list))
	}
	calls = 0
	pairs := []text.Example{{Source: []int32{3, 0}, Target: []int32{4, 0}}, {Source: long, Target: long}, {Source: []int32{3, 0}, Target: []int32{5, 0}}}
	tr.ScoreEach(t.Context(), pairs, func(i int, _ Translation, err error) {
		if calls++; i == 1 {
			check("ScoreEach", err)
		} else if err != nil {
			t.Error(err)
		}
	})
	lines := []string{"s3 s4", line, "s7"}
	got, err := tr.Lines(t.Context(), lines)
	checkError(t, "Lines", err, model.ErrCapacity, "line 2: ")
	for i, line := range lines {
		if i == 1 {
			continue
		}
		if want, err := tr.Line(t.Context(), line); err != nil || got[i] != want || want == "" {
			t.Errorf("line %d: got %q, error %v, want %q", i, got[i], err, want)
		}
	}
}

// TestBeamBytes compares the bytes that the store counts with what a beam allocates, which is
// rounded up to size classes.
func TestBeamBytes(t *testing.T) {
	const structs = 1 << 15
	for _, n := range []int{1, 3} {
		for _, o := range []Options{{Beam: 5}, {Beam: 4, NBest: 4, NoAlignments: true}} {
			tr := newTranslator(t, o, ensembleOf(t, smallConfig, n, 3, 0.4)...)
			for _, c := range []capacity{
				need(1, 64, 64, tr.aligns()), need(o.Beam, 64, 192, tr.aligns()), need(o.Beam, 1024, 3072, tr.aligns()), tr.ordinary,
			} {
				want := tr.bytes(c)
				got := float64(allocated(func() { newBeam(nil, tr.options, tr.models, c) }))
				if !(got <= want+want/8+structs && got >= want) {
					t.Errorf("%d models, %+v, %+v: %v bytes allocated, %v counted", n, o, c, got, want)
				}
			}
		}
	}
}

// TestMemoryOfLongLines translates lines of 5,000 words from 8 goroutines on 8 workers, with memory
// for 3 of them at a time, and measures what is in use whenever one is done.
func TestMemoryOfLongLines(t *testing.T) {
	if !fixture.Full() {
		t.Skip("sentences of 5,000 words")
	}
	const words, callers, length, slack = 5000, 8, 3, 2 << 20
	m := randomModel(t, smallConfig, 4, 0.4)
	k := kernels.Best()
	o := Options{Threads: callers, MaxLength: length, Kernels: &k}
	c := need(defaultBeam, roundUp(words+1), roundUp(length), true)
	o.Memory = int64(3.5 * newTranslator(t, o, m).bytes(c))
	tr := newTranslator(t, o, m)
	list := make([]Sentence, callers)
	for i := range list {
		list[i] = Sentence{Source: sentenceOf(newRand(uint64(i)), words+1, smallConfig.SourceVocab)}
	}
	want := aloneOf(t, kernels.Best(), Options{MaxLength: length}, list, m)
	runtime.GC()
	var base runtime.MemStats
	runtime.ReadMemStats(&base)
	var wait sync.WaitGroup
	var mutex sync.Mutex
	most := uint64(0)
	for i := range list {
		wait.Go(func() {
			tr.Each(t.Context(), []Sentence{list[i], list[i]}, func(_ int, best []Translation, err error) {
				if err != nil {
					t.Error(err)
				}
				sameList(t, fmt.Sprint("sentence ", i), best, want[i])
				mutex.Lock()
				defer mutex.Unlock()
				var now runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc-min(now.HeapAlloc, base.HeapAlloc))
			})
		})
	}
	wait.Wait()
	if limit := uint64(o.Memory) * 9 / 8; most > limit+slack {
		t.Errorf("%d bytes in use, want at most %d", most, limit)
	}
}

package decode

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

// TestStreamWords compares the words of a stream with the translation by a beam of 1, whatever the beam.
func TestStreamWords(t *testing.T) {
	for _, c := range variants(smallConfig) {
		models, all, finished := ensembleOf(t, c, 2, 98, 0.6), sentencesOf(99, c, 20, 9, 8), 0
		setBias(models[0], int(text.EOS), 3)
		for _, o := range []Options{{}, {Beam: 4, NBest: 2, Threads: 2, MinLength: 4, ForbidUNK: true}} {
			tr := newTranslator(t, o, models...)
			for i, s := range all {
				if s.Beam, s.NBest = 1, 1; i%4 == 0 {
					s.Prefix = []int32{7, 7}
				}
				s.MaxLength += 2
				want, err := one(t, tr, s)
				if err != nil {
					t.Fatal(err)
				}
				s.Beam, s.NBest = 5, 3
				var got Translation
				for w, err := range tr.StreamWords(t.Context(), s) {
					if err != nil {
						t.Fatal(err)
					}
					got.IDs, got.LogProbs = append(got.IDs, w.ID), append(got.LogProbs, w.LogProb)
					got.Alignment.Data = append(got.Alignment.Data, w.Alignment...)
				}
				what := fmt.Sprintf("%s, %+v: sentence %d", nameOf(c), o, i)
				if !slices.Equal(got.IDs, want[0].IDs) || !slices.Equal(got.LogProbs, want[0].LogProbs) {
					t.Errorf("%s: got %v of %v, want %v of %v", what, got.IDs, got.LogProbs, want[0].IDs, want[0].LogProbs)
				}
				sameBits(t, what+": α", got.Alignment.Data, want[0].Alignment.Data)
				if got.IDs[len(got.IDs)-1] == text.EOS {
					finished++
				}
			}
		}
		if finished == 0 || finished == 2*len(all) {
			t.Errorf("%s: %d of %d streams end with EOS, want some", nameOf(c), finished, 2*len(all))
		}
	}
}

// TestStreamText compares the text of a stream with the line that greedy search makes. Only where a loop is
// cut does the text have other words than those before and one more. Lines without words stay.
func TestStreamText(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	setBias(m, int(text.UNK), 1)
	for _, o := range []Options{{MaxLength: 8}, {MaxLength: 8, ReplaceUNK: true}} {
		wide := newTrimming(t, o, m)
		o.Beam = 1
		greedy, replaced := newTrimming(t, o, m), 0
		for _, line := range []string{"s3 s9", "unknown s3 words", "s5", "s8 s7 s6 s5 name", ""} {
			want, err := greedy.Line(t.Context(), line)
			if err != nil {
				t.Fatal(err)
			}
			got, words, looped := "", 0, false
			for s, err := range wide.Stream(t.Context(), line) {
				if err != nil {
					t.Fatal(err)
				}
				words++
				if looped = looped || words > mostCopies && len(strings.Fields(s)) < words; !looped && (len(strings.Fields(s)) != words || !strings.HasPrefix(s, got)) {
					t.Errorf("%q: %q after %q", line, s, got)
				}
				got = s
			}
			if got != want {
				t.Errorf("%q: got %q, want %q", line, got, want)
			}
			if !strings.Contains(got, "<unk>") && strings.Contains(got, "s") {
				replaced++
			}
		}
		if (replaced > 0) != o.ReplaceUNK {
			t.Errorf("%+v: source words in %d translations", o, replaced)
		}
	}
	plain := newTrimming(t, Options{}, keptModel(t, keptConfig, 1, 0.5))
	for line, want := range map[string][]string{"👍": {"👍"}, " - ...": {"- ..."}, "": nil, " ": nil} {
		var got []string
		for s, err := range plain.Stream(t.Context(), line) {
			if got = append(got, s); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
	for _, err := range newTrimming(t, Options{}, randomModel(t, smallConfig, 1, 1)).Stream(t.Context(), "s3") {
		if err == nil {
			t.Error("a stream of text by a model without vocabularies")
		}
	}
}

// TestStreamContext ends the context of a stream within the loop.
func TestStreamContext(t *testing.T) {
	m := randomModel(t, smallConfig, 97, 0.4)
	setBias(m, int(text.EOS), -60)
	tr := newTranslator(t, Options{Threads: 1, MaxLength: 5000, NoAlignments: true}, m)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ids, failure := 0, error(nil)
	for _, err := range streamIDs(tr, ctx, []int32{1, 2, 0}) {
		if failure != nil {
			t.Error("another pair after an error")
		}
		if failure = err; err == nil {
			ids++
		}
		if ids == 3 {
			cancel()
		}
	}
	checkError(t, fmt.Sprintf("after %d ids", ids), failure, context.Canceled)
	if ids < 3 || ids == 5000 {
		t.Errorf("%d ids before the error", ids)
	}
}

// TestStreamMemory has a stream whose maximum length is far above the words that it makes.
func TestStreamMemory(t *testing.T) {
	m := randomModel(t, smallConfig, 97, 0.4)
	tr := newTranslator(t, Options{Threads: 1, Memory: 64 << 20, NoAlignments: true}, m)
	tr.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, err := range tr.StreamWords(t.Context(), Sentence{Source: []int32{1, 2, 0}, MaxLength: 2_000_000}) {
		checkError(t, "closed", err, ErrClosed)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("a stream without words takes %d bytes", n)
	}
}

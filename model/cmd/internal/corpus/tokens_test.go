package corpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/grammar"
	"github.com/softsearch-go/softsearch/model/internal/atomic"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// reader returns a reader of pairs.
func reader(pairs []text.Pair) text.ParallelReader {
	var source, target strings.Builder
	for _, p := range pairs {
		fmt.Fprintln(&source, strings.Join(p.Source, " "))
		fmt.Fprintln(&target, strings.Join(p.Target, " "))
	}
	return text.ParallelReader{Source: strings.NewReader(source.String()), Target: strings.NewReader(target.String())}
}

// textOf reads pairs into a text that keeps up to that many bytes in memory.
func textOf(t *testing.T, pairs []text.Pair, dropDuplicates bool, memory, threads int) *tokenText {
	t.Helper()
	before := maxMemory
	maxMemory = memory
	t.Cleanup(func() { maxMemory = before })
	folder := t.TempDir()
	var earlier *pairSet
	if dropDuplicates {
		earlier = newPairSet()
	}
	all := newTokenText(func() (*atomic.File, error) { return atomic.Create(filepath.Join(folder, "x")) })
	t.Cleanup(func() {
		if err := all.close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%d files left, %v", len(left), err)
		}
	})
	if err := all.read(reader(pairs), threads, earlier, nil); err != nil {
		t.Fatal(err)
	}
	return all
}

// pairsOf returns the pairs of a text.
func pairsOf(t *testing.T, all *tokenText) (pairs []text.Pair) {
	t.Helper()
	err := all.each(func(i int, source, target, _ []uint32) error {
		if i != len(pairs) {
			t.Fatalf("pair %d, want %d", i, len(pairs))
		}
		pairs = append(pairs, text.Pair{Source: all.source.tokensOf(source), Target: all.target.tokensOf(target)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pairs
}

// TestText reads text on one and on several threads, into memory and into a file.
func TestText(t *testing.T) {
	want, _ := grammar.Pairs(3, 5000, 0)
	for _, test := range []struct{ memory, threads int }{{1 << 30, 1}, {1 << 30, 4}, {10_000, 1}, {10_000, 4}, {0, 3}} {
		all := textOf(t, want, false, test.memory, test.threads)
		if all.pairs != len(want) || all.isLarge() != (test.memory < 1<<30) {
			t.Errorf("%+v: %d pairs, large %t", test, all.pairs, all.isLarge())
		}
		for range 2 {
			if !reflect.DeepEqual(pairsOf(t, all), want) {
				t.Fatalf("%+v: other pairs", test)
			}
		}
	}
}

// TestDuplicates drops pairs that equal an earlier one on both sides.
func TestDuplicates(t *testing.T) {
	a, b, c := []string{"a"}, []string{"b"}, []string{"a", "b"}
	pairs := []text.Pair{{Source: a, Target: b}, {Source: a, Target: c}, {Source: a, Target: b}, {Source: c, Target: a}, {Source: b, Target: a}, {Source: a, Target: c}}
	want := []text.Pair{pairs[0], pairs[1], pairs[3], pairs[4]}
	all := textOf(t, pairs, true, 0, 2)
	if got := pairsOf(t, all); !reflect.DeepEqual(got, want) || all.pairs != 4 || all.duplicates != 2 {
		t.Errorf("got %q and %d duplicates, want %q and 2", got, all.duplicates, want)
	}
	if all := textOf(t, pairs, false, 0, 2); all.pairs != len(pairs) || all.duplicates != 0 {
		t.Errorf("%d pairs and %d duplicates, want all", all.pairs, all.duplicates)
	}
}

// TestPairSet compares a set with a map.
func TestPairSet(t *testing.T) {
	const pairs = 1 << 20
	s, added := newPairSet(), make(map[uint32]bool)
	r := rand.New(rand.NewPCG(1, 2))
	for range 2 * pairs {
		n := r.Uint32N(pairs)
		if isNew := s.add(binary.LittleEndian.AppendUint32(nil, n)); isNew == added[n] {
			t.Fatalf("pair %d is new: %t", n, isNew)
		}
		added[n] = true
	}
}

// TestWords compares the words of sides with those of package pipeline, and the ids and counts with
// those of package text.
func TestWords(t *testing.T) {
	pairs, _ := grammar.Pairs(5, 3000, 0)
	for _, merges := range []int{0, 40} {
		var source, target pipeline.Pipeline
		all := textOf(t, pairs, false, 5000, 2)
		sourceCounts := make([]int, all.source.size())
		err := all.each(func(_ int, source, _, _ []uint32) error {
			for _, token := range source {
				sourceCounts[token]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		tokens := make(bpe.Frequencies)
		for _, p := range pairs {
			tokens.Add(p.Source)
		}
		if got := frequencies(all.source.tokens, sourceCounts); !maps.Equal(got, tokens) {
			t.Error("other frequencies of tokens")
		}
		words := slices.Clone(pairs)
		if merges > 0 {
			source, target = learned(t, source, target, pairs, merges, 0)
		}
		done := 0
		err = all.source.segment(source, 3, func(n int) error { done += n; return nil })
		if err := errors.Join(err, all.target.segment(target, 3, func(int) error { return nil })); err != nil {
			t.Fatal(err)
		}
		if done != all.source.size() {
			t.Errorf("progress of %d of %d tokens", done, all.source.size())
		}
		for i, p := range words {
			words[i] = text.Pair{Source: source.Segment(p.Source), Target: target.Segment(p.Target)}
		}
		v, err := text.NewVocabulary(text.Sources(words), 60)
		if err != nil {
			t.Fatal(err)
		}
		got, err := text.VocabularyOfCounts(all.source.counts(sourceCounts), 60)
		if err != nil || !slices.Equal(got.Words(), v.Words()) {
			t.Errorf("%d merges: vocabulary %q, want %q, %v", merges, got.Words(), v.Words(), err)
		}
		vocabulary := all.source.ids(v)
		err = all.each(func(i int, tokens, _, _ []uint32) error {
			if ids, want := all.source.appendIDs(nil, vocabulary, tokens), v.Encode(words[i].Source); !slices.Equal(ids, want) || all.source.wordCount(tokens) != len(words[i].Source) {
				t.Errorf("%d merges, pair %d: ids %v, want %v", merges, i, ids, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

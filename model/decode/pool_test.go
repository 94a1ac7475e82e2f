package decode

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// poolThreads are the numbers of threads of the pools under test.
var poolThreads = []int{1, 2, 3, 8}

func newPool(t testing.TB, k kernels.Impl, m *model.Model, beam int, capacity model.Capacity, threads int) *Pool {
	t.Helper()
	p, err := NewPool(k, Options{Beam: beam}, capacity, threads, m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// translateList returns translations that outlive the next call. It counts the calls of its
// function without a lock, so that the race detector sees those that are not one at a time.
func translateList(t testing.TB, p *Pool, list []Sentence) []Translation {
	t.Helper()
	results, calls := make([]Translation, len(list)), 0
	err := p.Translate(t.Context(), list, func(i int, best []Translation) {
		calls++
		if results[i].IDs != nil {
			t.Errorf("sentence %d: a second translation", i)
		}
		results[i] = clone(best[0])
	})
	if err != nil {
		t.Fatal(err)
	}
	if calls != len(list) {
		t.Errorf("%d translations of %d sentences", calls, len(list))
	}
	return results
}

// TestPoolSameBits compares translations of lists of all sizes, on all numbers of threads and in
// batches of all sizes, with those of a translator of one sentence.
func TestPoolSameBits(t *testing.T) {
	const source, length = 9, 8
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			for _, beam := range []int{1, 4} {
				m, list := randomModel(t, c, 70, 0.6), sentencesOf(71, c, 29, source, length)
				want, alone := make([]Translation, len(list)), newTranslator(t, k, m, beam, source, length)
				for i, s := range list {
					want[i] = clone(translate(t, alone, s.Source, s.MaxLength))
				}
				for _, threads := range poolThreads {
					for _, batch := range []int{2, 16} {
						p := newPool(t, k, m, beam, capacityFor(batch, source, length), threads)
						for _, n := range []int{len(list), 0, 1, 7, len(list)} {
							for i, r := range translateList(t, p, list[:n]) {
								what := fmt.Sprintf("%s: beam %d, %d threads, batches of %d: sentence %d of %d", k, beam, threads, batch, i, n)
								sameTranslation(t, what, r, want[i])
							}
						}
					}
				}
			}
		})
	})
}

// TestPoolBatches holds that the batches of a list have each sentence once, that none is larger
// than the capacity or has a sentence longer than one of an earlier group, and that those of a
// group differ by at most one sentence and by at most the words of one.
func TestPoolBatches(t *testing.T) {
	const longest = 9
	m := randomModel(t, smallConfig, 72, 0.1)
	for _, threads := range poolThreads {
		for _, batch := range []int{1, 2, 5, 16} {
			p := newPool(t, kernels.Best(), m, 1, capacityFor(batch, longest, 1), threads)
			for n := 1; n < 70; n++ {
				list := sentencesOf(uint64(n), smallConfig, n, longest, 1)
				p.divide(list)
				checkBatches(t, fmt.Sprintf("%d sentences on %d threads, batches of %d", n, threads, batch), p)
			}
		}
	}
}

func checkBatches(t *testing.T, what string, p *Pool) {
	t.Helper()
	seen, w, shortest := make([]int, len(p.list)), p.workers[0], p.capacity.SourceLength
	for group := range p.groups {
		var sentences, words []int
		longest, before := 0, shortest
		for thread := range p.threads {
			p.take(w, group*p.threads+thread)
			sum := 0
			for _, place := range w.places {
				seen[place]++
				n := len(p.list[place].Source)
				sum, longest, shortest = sum+n, max(longest, n), min(shortest, n)
			}
			sentences, words = append(sentences, len(w.places)), append(words, sum)
		}
		most := slices.Max(sentences)
		if most > p.capacity.Sentences || most-slices.Min(sentences) > 1 || slices.Max(words)-slices.Min(words) > longest || longest > before {
			t.Errorf("%s: group %d: batches of %d sentences and %d words, the longest %d, after one of %d", what, group, sentences, words, longest, before)
		}
	}
	if p.take(w, p.groups*p.threads) {
		t.Errorf("%s: another batch of %d sentences", what, len(w.batch))
	}
	for place, times := range seen {
		if times != 1 {
			t.Errorf("%s: sentence %d is in %d batches", what, place, times)
		}
	}
}

// TestPoolGoroutines holds that a call leaves no goroutine behind.
func TestPoolGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	p := newPool(t, kernels.Best(), randomModel(t, smallConfig, 73, 0.4), 2, capacityFor(4, 9, 8), 8)
	translateList(t, p, sentencesOf(74, smallConfig, 50, 9, 8))
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines after a call, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func TestPoolErrors(t *testing.T) {
	k, m := kernels.Best(), randomModel(t, smallConfig, 75, 0.4)
	for _, threads := range []int{0, -1} {
		_, err := NewPool(k, Options{Beam: 2}, capacityFor(2, 4, 5), threads, m)
		checkError(t, fmt.Sprint(threads, " threads"), err, model.ErrConfig, fmt.Sprint(threads))
	}
	_, err := NewPool(k, Options{}, capacityFor(2, 4, 5), 2, m)
	checkError(t, "no beam", err, model.ErrConfig)
	p := newPool(t, k, m, 3, capacityFor(2, 4, 5), 2)
	list := sentencesOf(76, smallConfig, 9, 4, 5)
	want := translateList(t, p, list)
	check := func(what string, bad Sentence, is error, says ...string) {
		t.Helper()
		err := p.Translate(t.Context(), append(list[:7:7], bad, list[8]), func(i int, _ []Translation) {
			t.Errorf("%s: translation of sentence %d", what, i)
		})
		checkError(t, what, err, is, append(says, "sentence 7")...)
	}
	for _, e := range badSources {
		check(e.name, Sentence{e.source, 5}, e.is, e.says...)
	}
	for _, length := range []int{0, -1, 6} {
		check(fmt.Sprint("length ", length), Sentence{[]int32{1, 0}, length}, model.ErrCapacity, fmt.Sprint(length), "of 1 to 5")
	}
	for i, r := range translateList(t, p, list) {
		sameTranslation(t, fmt.Sprint("after errors: sentence ", i), r, want[i])
	}
}

// TestPoolOfTeam gives a pool kernels that work with a team, which serves one caller at a time,
// at sizes whose products a team divides.
func TestPoolOfTeam(t *testing.T) {
	team := kernels.NewTeam(2)
	defer team.Close()
	m, list := randomModel(t, threadsConfig, 77, 0.3), sentencesOf(78, threadsConfig, 48, 9, 1)
	for i := range list {
		list[i].MaxLength = 6
	}
	capacity := capacityFor(len(list), 9, 6)
	want := translateList(t, newPool(t, kernels.Best(), m, 12, capacity, 1), list)
	for i, r := range translateList(t, newPool(t, kernels.Best().With(team), m, 12, capacity, 3), list) {
		sameTranslation(t, fmt.Sprint("sentence ", i), r, want[i])
	}
}

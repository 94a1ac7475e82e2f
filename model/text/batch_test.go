package text

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/softsearch-go/softsearch/model/internal/portable"
)

// numbered returns n examples of 2 to 41 ids whose first source id is their index.
func numbered(n int) []Example {
	r := portable.NewGenerator(7, 0)
	examples := make([]Example, n)
	for i := range examples {
		examples[i] = Example{Source: make([]int32, 2+r.Below(40)), Target: make([]int32, 2+r.Below(40))}
		examples[i].Source[0] = int32(i)
	}
	return examples
}

// numbers returns the indices of the examples of a batch.
func numbers(batch []Example) []int {
	list := make([]int, len(batch))
	for i, e := range batch {
		list[i] = int(e.Source[0])
	}
	return list
}

// epoch returns the numbers of the batches of one epoch.
func epoch(b *Batcher) [][]int {
	list := make([][]int, b.BatchesPerEpoch())
	for i := range list {
		list[i] = numbers(b.Next())
	}
	return list
}

func TestBatcherCoverage(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 80, 81, 99, 100, 101, 205} {
		for _, batch := range []int{1, 2, 5, 80, 1000, int(^uint(0) >> 1)} {
			b := NewBatcher(numbered(n), batch, 1)
			for pass := range 3 {
				if b.Epoch() != pass {
					t.Fatalf("n %d, batch %d: epoch %d, want %d", n, batch, b.Epoch(), pass)
				}
				all := slices.Concat(epoch(b)...)
				slices.Sort(all)
				if !slices.Equal(all, ascending(make([]int, n))) {
					t.Fatalf("n %d, batch %d: pass %d covers %v", n, batch, pass, all)
				}
			}
		}
	}
}

// TestBatcherGroups: the batches of a group of 20 have disjoint ranges of lengths, and only the last
// batch of an epoch may be smaller.
func TestBatcherGroups(t *testing.T) {
	const batch = 4
	examples := numbered(2*groupBatches*batch + 6)
	b := NewBatcher(examples, batch, 1)
	if b.BatchesPerEpoch() != 2*groupBatches+2 {
		t.Fatalf("%d batches", b.BatchesPerEpoch())
	}
	batches := epoch(b)
	for group := range slices.Chunk(batches, groupBatches) {
		slices.SortFunc(group, func(x, y []int) int {
			return cmp.Or(
				cmp.Compare(examples[x[0]].length(), examples[y[0]].length()),
				cmp.Compare(examples[x[len(x)-1]].length(), examples[y[len(y)-1]].length()))
		})
		last := 0
		for _, list := range group {
			for _, i := range list {
				if length := examples[i].length(); length < last {
					t.Errorf("length %d after %d", length, last)
				} else {
					last = length
				}
			}
		}
	}
	small := 0
	for _, list := range batches {
		if len(list) != batch {
			small++
		}
	}
	if small != 1 {
		t.Errorf("%d small batches, want 1", small)
	}
}

// TestBatcherFixed has the first batches on every machine and with every release of Go.
func TestBatcherFixed(t *testing.T) {
	b := NewBatcher(numbered(50), 3, 42)
	got := [][]int{numbers(b.Next()), numbers(b.Next()), numbers(b.Next())}
	if want := [][]int{{6, 7, 24}, {47, 1, 27}, {36, 39, 4}}; !reflect.DeepEqual(got, want) {
		t.Errorf("batches %v, want %v", got, want)
	}
}

func TestBatcherSeed(t *testing.T) {
	examples := numbered(200)
	a, b, c := NewBatcher(examples, 5, 1), NewBatcher(examples, 5, 1), NewBatcher(examples, 5, 2)
	first := epoch(a)
	if !reflect.DeepEqual(first, epoch(b)) {
		t.Error("same seed, different batches")
	}
	if reflect.DeepEqual(first, epoch(c)) {
		t.Error("different seeds, same batches")
	}
	second := epoch(a)
	if reflect.DeepEqual(first, second) {
		t.Error("two epochs with the same batches")
	}
	if !reflect.DeepEqual(second, epoch(b)) {
		t.Error("same seed, different batches in the second epoch")
	}
}

func TestSeek(t *testing.T) {
	const batch = 3
	examples := numbered(2*groupBatches*batch + 7)
	whole := NewBatcher(examples, batch, 5)
	epochs := [][][]int{epoch(whole), epoch(whole), epoch(whole)}
	b := NewBatcher(examples, batch, 5)
	for _, at := range [][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 20}, {1, groupBatches}, {0, len(epochs[0]) - 1}, {1, 25}} {
		b.Seek(at[0], at[1])
		want := slices.Concat(epochs[at[0]][at[1]:], epochs[at[0]+1])
		for i, numbersWant := range want {
			if got := numbers(b.Next()); !slices.Equal(got, numbersWant) {
				t.Fatalf("Seek to batch %d of epoch %d: batch %d after it is %v, want %v", at[1], at[0], i, got, numbersWant)
			}
		}
		if got := b.Epoch(); got != at[0]+2 {
			t.Errorf("epoch %d two epochs after %d", got, at[0])
		}
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	b := NewBatcher(numbered(500), 4, 1)
	if n := testing.AllocsPerRun(1000, func() { b.Next() }); n != 0 {
		t.Errorf("%v allocations per batch", n)
	}
}

func TestBatcherPanics(t *testing.T) {
	for name, f := range map[string]func(){
		badExamples: func() { NewBatcher(nil, 80, 1) },
		badBatch:    func() { NewBatcher(numbered(1), 0, 1) },
		badWords:    func() { NewCorpusBatcher(inMemory(numbered(1)), 1, -1, 1) },
		badSeek:     func() { NewBatcher(numbered(4), 2, 1).Seek(0, 2) },
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("panic %v, want %q", got, name)
				}
			}()
			f()
		}()
	}
}

func TestSortedBatches(t *testing.T) {
	examples := numbered(50)
	before := numbers(examples)
	batches := SortedBatches(examples, 8)
	if !slices.Equal(numbers(examples), before) {
		t.Error("examples were modified")
	}
	if len(batches) != 7 || len(batches[6]) != 2 {
		t.Errorf("%d batches, the last of %d", len(batches), len(batches[len(batches)-1]))
	}
	all := slices.Concat(batches...)
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if a.length() > b.length() || a.length() == b.length() && a.Source[0] > b.Source[0] {
			t.Errorf("example %d of length %d before %d of %d", a.Source[0], a.length(), b.Source[0], b.length())
		}
	}
	list := numbers(all)
	slices.Sort(list)
	if !slices.Equal(list, before) {
		t.Errorf("covers %v", list)
	}
	if got := SortedBatches(nil, 8); len(got) != 0 {
		t.Errorf("%d batches without examples", len(got))
	}
}

func TestExamples(t *testing.T) {
	source, err := VocabularyOf([]string{"</s>", "<unk>", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	target, err := VocabularyOf([]string{"</s>", "<unk>", "c"})
	if err != nil {
		t.Fatal(err)
	}
	got := Examples([]Pair{{Tokens("b a"), Tokens("c d")}}, source, target)
	if want := []Example{{Source: []int32{3, 2, 0}, Target: []int32{2, 1, 0}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("examples %v, want %v", got, want)
	}
}

// onDisk is a corpus that appends ids to memory, and fails at one example.
type onDisk struct {
	inMemory
	bad int // -1 for none
}

var errDisk = errors.New("bad sector")

func (c onDisk) Example(i int, memory []int32) (Example, []int32, error) {
	if i == c.bad {
		return Example{}, memory, errDisk
	}
	e, first := c.inMemory[i], len(memory)
	memory = append(append(memory, e.Source...), e.Target...)
	middle := first + len(e.Source)
	return Example{Source: memory[first:middle], Target: memory[middle:]}, memory, nil
}

// TestCorpusBatcher has the batches of NewBatcher, and ends with the error of the corpus.
func TestCorpusBatcher(t *testing.T) {
	examples := numbered(777)
	want, got := NewBatcher(examples, 8, 3), NewCorpusBatcher(onDisk{examples, -1}, 8, 0, 3)
	for range 300 {
		if a, b := want.Next(), got.Next(); !reflect.DeepEqual(a, b) {
			t.Fatalf("batch %v, want %v", b, a)
		}
	}
	if n := testing.AllocsPerRun(1000, func() { got.Next() }); n != 0 {
		t.Errorf("%v allocations per batch", n)
	}
	bad := NewCorpusBatcher(onDisk{examples, 100}, 8, 0, 3)
	n := 0
	for bad.Next() != nil {
		n++
	}
	if n >= bad.BatchesPerEpoch() || bad.Err() != errDisk || bad.Next() != nil {
		t.Errorf("%d batches, error %v", n, bad.Err())
	}
}

// TestBatcherWords: a batch has up to the limit of sentences and of words, and would have more than
// that of words with the next longer example of its group; epochs have all examples.
func TestBatcherWords(t *testing.T) {
	examples := numbered(500)
	for _, test := range []struct{ batch, words int }{{8, 100}, {8, 40}, {500, 300}, {8, 1}, {8, 1_000_000}} {
		b := NewCorpusBatcher(inMemory(examples), test.batch, test.words, 1)
		if !b.Varies() {
			t.Error("the number of batches is said not to vary")
		}
		var epochs [][][]int
		for pass := range 3 {
			batches := epoch(b)
			epochs = append(epochs, batches)
			if b.Epoch() != pass+1 {
				t.Fatalf("%+v: epoch %d after %d", test, b.Epoch(), pass)
			}
			all := slices.Concat(batches...)
			slices.Sort(all)
			if !slices.Equal(all, ascending(make([]int, len(examples)))) {
				t.Fatalf("%+v: pass %d covers %v", test, pass, all)
			}
			small := 0
			for _, list := range batches {
				words := 0
				for _, i := range list {
					words += examples[i].length()
				}
				if len(list) > test.batch || words > test.words && len(list) > 1 {
					t.Errorf("%+v: batch of %d sentences and %d words", test, len(list), words)
				}
				if len(list) < test.batch && words+41 <= test.words {
					small++
				}
			}
			if groups := (len(examples)-1)/(groupBatches*min(test.batch, len(examples))) + 1; small > groups {
				t.Errorf("%+v: %d small batches in %d groups", test, small, groups)
			}
		}
		if test.words == 1_000_000 && !reflect.DeepEqual(epochs[0], epoch(NewBatcher(examples, test.batch, 1))) {
			t.Error("a limit that is never reached changes batches")
		}
		for at := range epochs[1] {
			b.Seek(1, at)
			if got := numbers(b.Next()); !slices.Equal(got, epochs[1][at]) {
				t.Fatalf("%+v: batch %d after Seek is %v, want %v", test, at, got, epochs[1][at])
			}
		}
	}
}

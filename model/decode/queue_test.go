package decode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestCallDivision checks that each task is in exactly one chunk of a call, that no chunk exceeds
// its shape or has a longer task than an earlier group, and that the chunks of a group differ by at
// most one task and by at most the words of one task.
func TestCallDivision(t *testing.T) {
	for _, workers := range threadCounts {
		for _, sentences := range []int{1, 2, 5, 16} {
			for n := 1; n < 70; n++ {
				r, tasks := newRand(uint64(n)), make([]*task, n)
				for i := range tasks {
					source := 1 + r.IntN(90)
					tasks[i] = &task{index: i, source: make([]int32, source), shape: shape{1, sentences, roundUp(source), 9}}
				}
				what := fmt.Sprintf("%d tasks for %d workers, batches of %d", n, workers, sentences)
				checkDivision(t, what, newCall(slices.Clone(tasks), workers), n, workers)
			}
		}
	}
}

func checkDivision(t *testing.T, what string, c *call, n, workers int) {
	t.Helper()
	seen, shortest, chunks := make([]int, n), math.MaxInt, c.chunks
	for len(chunks) > 0 {
		same := 1
		for same < len(chunks) && chunks[same].shape == chunks[0].shape {
			same++
		}
		total := 0
		for _, k := range chunks[:same] {
			total += len(k.tasks)
		}
		group := min(workers, total)
		for from := 0; from < same; from += group {
			var sizes, words []int
			longest, before := 0, shortest
			for _, k := range chunks[from:min(from+group, same)] {
				sum := 0
				for _, task := range k.tasks {
					seen[task.index]++
					n := len(task.source)
					sum, longest, shortest = sum+n, max(longest, n), min(shortest, n)
				}
				sizes, words = append(sizes, len(k.tasks)), append(words, sum)
			}
			most := slices.Max(sizes)
			if most > chunks[0].shape.sentences || most-slices.Min(sizes) > 1 || slices.Max(words)-slices.Min(words) > longest || longest > before {
				t.Errorf("%s: chunks of %v tasks and %v words, the longest %d, after one of %d", what, sizes, words, longest, before)
			}
		}
		chunks = chunks[same:]
	}
	for i, times := range seen {
		if times != 1 {
			t.Errorf("%s: task %d is in %d chunks", what, i, times)
		}
	}
}

// TestQueueTurns checks that calls take turns, that a batch includes chunks of other calls, and that
// it leaves some for waiting workers.
func TestQueueTurns(t *testing.T) {
	q := &queue{}
	q.filled.L = &q.mutex
	s := shape{1, 3, 64, 64}
	callOf := func(name string, s shape, sizes ...int) *call {
		c := &call{}
		for i, n := range sizes {
			k := chunk{shape: s}
			for range n {
				k.tasks = append(k.tasks, &task{index: i})
			}
			c.chunks = append(c.chunks, k)
		}
		if err := q.add(c, 0); err != nil {
			t.Fatal(name, err)
		}
		return c
	}
	large := callOf("large", s, 3, 3, 3)
	long := callOf("long", shape{1, 1, 128, 64}, 1, 1)
	small := callOf("small", s, 1)
	callOf("another", s, 1)
	var got []int
	take := func() { got = append(got, len(q.take().tasks)) }
	take() // 3 of large
	take() // 1 of long
	if len(large.chunks) != 2 || len(long.chunks) != 1 || len(small.chunks) != 1 {
		t.Errorf("after two turns: %d, %d and %d chunks left", len(large.chunks), len(long.chunks), len(small.chunks))
	}
	q.free = 1
	take() // small; a waiting worker takes others
	if got[2] > 2 {
		t.Errorf("a batch of %d tasks while a worker waits", got[2])
	}
	q.free = 0
	for q.tasks > 0 {
		take()
	}
	sum := 0
	for _, n := range got {
		sum += n
	}
	if sum != 13 || len(q.calls) != 0 {
		t.Errorf("batches of %v tasks, want 13 tasks in all; %d calls left", got, len(q.calls))
	}
}

// TestLoad compares the results of thousands of concurrent calls with those of each sentence alone.
// The lengths are mixed, some calls are lists, streams or scores, some are canceled, and the memory
// is too small for all threads at once.
func TestLoad(t *testing.T) {
	calls := 3000
	if testing.Short() {
		calls = 600
	}
	models := ensembleOf(t, tinyConfig, 2, 110, 0.8)
	o := Options{Beam: 3, NBest: 2, Threads: 4, MaxLength: 12}
	r := newRand(111)
	list := make([]Sentence, 40)
	for i := range list {
		list[i].Source = sentenceOf(r, 2+r.IntN(1+r.IntN(1+r.IntN(299))), tinyConfig.SourceVocab)
	}
	list[0].Source = sentenceOf(r, 300, tinyConfig.SourceVocab)
	want := aloneOf(t, kernels.Best(), o, list, models...)
	greedy := o
	greedy.Beam, greedy.NBest = 1, 1
	streams := aloneOf(t, kernels.Best(), greedy, list, models...)
	o.Memory = int64(1.5 * newTranslator(t, o, models...).bytes(shape{3, 1, roundUp(300), 12}))
	tr := newTranslator(t, o, models...)

	check := func(i int, best []Translation, err error) {
		if err != nil {
			t.Errorf("sentence %d: %v", i, err)
			return
		}
		sameList(t, fmt.Sprint("sentence ", i), best, want[i])
	}
	var wait sync.WaitGroup
	for g := range 30 {
		wait.Go(func() {
			r := newRand(uint64(200 + g))
			for range calls / 30 {
				i := r.IntN(len(list))
				switch r.IntN(6) {
				case 0:
					n := r.IntN(len(list) - i)
					tr.Each(t.Context(), list[i:i+n], func(j int, best []Translation, err error) { check(i+j, best, err) })
				case 1:
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(time.Duration(r.IntN(2000))*time.Microsecond, cancel)
					if best, err := tr.Translate(ctx, list[i].Source); !errors.Is(err, context.Canceled) {
						check(i, best, err)
					}
					cancel()
				case 2:
					checkStream(t, tr, list[i].Source, streams[i][0].IDs, r.IntN(8))
				case 3:
					ids := want[i][0].IDs
					r, err := tr.Score(t.Context(), list[i].Source, ids)
					if ids[len(ids)-1] != text.EOS {
						checkError(t, "score without an end", err, model.ErrExample)
						continue
					}
					if err != nil || !(math.Abs(r.LogProb-want[i][0].LogProb) <= 1e-4) {
						t.Errorf("sentence %d: score %v and error %v, want %v", i, r.LogProb, err, want[i][0].LogProb)
					}
					sameBits(t, fmt.Sprintf("alignment of sentence %d", i), r.Alignment.Data, want[i][0].Alignment.Data)
				case 4:
					if _, err := tr.Translate(t.Context(), []int32{1, 99, 0}); !errors.Is(err, model.ErrExample) {
						t.Errorf("bad id: got error %v", err)
					}
				default:
					best, err := tr.Translate(t.Context(), list[i].Source)
					check(i, best, err)
				}
			}
		})
	}
	wait.Wait()
	if tr.beams.used > tr.beams.limit {
		t.Errorf("beams take %v bytes, want at most %v", tr.beams.used, tr.beams.limit)
	}
}

// checkStream compares the first n ids of a stream, or all for 0.
func checkStream(t *testing.T, tr *Translator, source, want []int32, n int) {
	var got []int32
	for id, err := range tr.StreamIDs(t.Context(), source) {
		if err != nil {
			t.Error(err)
			return
		}
		if got = append(got, id); len(got) == n {
			break
		}
	}
	if want[len(want)-1] == text.EOS {
		want = want[:len(want)-1]
	}
	if n > 0 {
		want = want[:min(n, len(want))]
	}
	if !slices.Equal(got, want) {
		t.Errorf("stream: got %v, want %v", got, want)
	}
}

// endingContext ends after a number of calls of Err.
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

// TestBeamContext ends the context of one sentence before each step of its batch.
func TestBeamContext(t *testing.T) {
	const length = 7
	m, list := randomModel(t, smallConfig, 87, 0.5), sentencesOf(88, smallConfig, 5, 9, length)
	setBias(m, int(text.EOS), -60)
	list[2].MaxLength = length
	b := searcherOf(t, kernels.Best(), Options{Beam: 3}, capacityFor(5, 9, length), m)
	want := aloneOf(t, kernels.Best(), Options{Beam: 3}, list, m)
	for _, is := range []error{context.Canceled, context.DeadlineExceeded} {
		for steps := range length + 1 {
			errs := make(map[int]error)
			var batch []*task
			for i, s := range list {
				k := &task{ctx: t.Context(), index: i, source: s.Source, wanted: 1, maxLength: s.MaxLength}
				if i == 2 {
					k.ctx = &endingContext{t.Context(), steps, is}
				}
				k.done = func(k *task, err error) { errs[k.index] = err }
				batch = append(batch, k)
			}
			b.run(batch)
			for i, k := range batch {
				if err := errs[i]; i == 2 && steps < length {
					checkError(t, fmt.Sprint("after step ", steps), err, is, fmt.Sprintf("after %d words", steps))
				} else if err != nil {
					t.Errorf("sentence %d: %v", i, err)
				} else {
					sameList(t, fmt.Sprintf("sentence %d, context ended after %d steps", i, steps), k.results, want[i])
				}
			}
		}
	}
}

// slowModel returns a model and a sentence whose translation takes a while.
func slowModel(t *testing.T) (*model.Model, []int32) {
	c := threadsConfig
	m := randomModel(t, c, 89, 0.3)
	setBias(m, int(text.EOS), -90)
	return m, sentenceOf(newRand(90), 60, c.SourceVocab)
}

// TestContexts ends contexts in the queue and in a batch.
func TestContexts(t *testing.T) {
	m, source := slowModel(t)
	tr := newTranslator(t, Options{Beam: 12, Threads: 1, MaxLength: 2000, NoAlignments: true}, m)
	busy, stop := context.WithCancel(t.Context())
	started := make(chan error)
	go func() {
		_, err := tr.Translate(busy, source)
		started <- err
	}()
	for _, test := range []struct {
		name   string
		cancel func() (context.Context, context.CancelFunc)
		is     error
	}{
		{"ended", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx, cancel
		}, context.Canceled},
		{"deadline", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 5*time.Millisecond)
		}, context.DeadlineExceeded},
	} {
		ctx, cancel := test.cancel()
		_, err := tr.Translate(ctx, source)
		checkError(t, "Translate: "+test.name, err, test.is)
		calls := 0
		tr.Each(ctx, []Sentence{{Source: source}, {Source: source}}, func(_ int, best []Translation, err error) {
			calls++
			checkError(t, "Each: "+test.name, err, test.is)
		})
		if calls != 2 {
			t.Errorf("Each: %s: %d results, want 2", test.name, calls)
		}
		for _, err := range tr.StreamIDs(ctx, source) {
			checkError(t, "StreamIDs: "+test.name, err, test.is)
		}
		_, err = tr.Score(ctx, source, source)
		checkError(t, "Score: "+test.name, err, test.is)
		cancel()
	}
	stop()
	checkError(t, "in a batch", <-started, context.Canceled)
	tr.Each(t.Context(), []Sentence{{Source: source[len(source)-2:], MaxLength: 5}}, func(_ int, best []Translation, err error) {
		if len(best) != 1 || err != nil {
			t.Errorf("after the others: got %v and error %v", best, err)
		}
	})
}

// TestBusy fills the queue of a translator with one worker, which a sentence keeps busy.
func TestBusy(t *testing.T) {
	m, source := slowModel(t)
	tr := newTranslator(t, Options{Beam: 12, Threads: 1, MaxLength: 5000, NoAlignments: true, Waiting: 2}, m)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waiting := func() int {
		tr.queue.mutex.Lock()
		defer tr.queue.mutex.Unlock()
		return tr.queue.tasks
	}
	var wait sync.WaitGroup
	queued := func(n int) { // waits for the call to be queued
		before := waiting()
		wait.Go(func() {
			tr.Each(ctx, slices.Repeat([]Sentence{{Source: source}}, n), func(_ int, _ []Translation, err error) {
				checkError(t, "queued", err, context.Canceled)
			})
		})
		for waiting() == before {
			runtime.Gosched()
		}
	}
	for range tr.StreamIDs(t.Context(), source) { // the worker has begun
		queued(1)
		tr.Each(t.Context(), []Sentence{{Source: source}, {Source: source}}, func(_ int, _ []Translation, err error) {
			checkError(t, "2 sentences beside a waiting one", err, ErrBusy, "1 sentences wait", "up to 2", "2 of this call")
		})
		queued(1)
		_, err := tr.Translate(t.Context(), source)
		checkError(t, "Translate", err, ErrBusy)
		_, err = tr.Score(t.Context(), source, source)
		checkError(t, "Score", err, ErrBusy)
		for _, err := range tr.StreamIDs(t.Context(), source) {
			checkError(t, "StreamIDs", err, ErrBusy)
		}
		_, err = tr.Translate(t.Context(), []int32{text.EOS})
		if err != nil {
			t.Errorf("a sentence without words: %v", err)
		}
		cancel()
		wait.Wait()
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		queued(3) // more than the limit, into an empty queue
		cancel()
		wait.Wait()
		break
	}
}

// TestClose checks that Close finishes the tasks in batches and in the queue, and refuses later
// calls.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	m, source := slowModel(t)
	tr, err := New(m, Options{Beam: 4, Threads: 2, MaxLength: 100})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]Sentence, 60)
	for i := range list {
		list[i].Source = source[len(source)-min(2+i, len(source)):]
	}
	var wait, begun sync.WaitGroup
	begun.Add(2)
	wait.Go(func() {
		results := 0
		tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
			if results++; results == 1 {
				begun.Done()
			}
			if len(best) != 1 || err != nil {
				t.Errorf("sentence %d: %d translations and error %v", i, len(best), err)
			}
		})
		if results != len(list) {
			t.Errorf("%d results for %d sentences", results, len(list))
		}
	})
	wait.Go(func() {
		ids := 0
		for id, err := range tr.StreamIDs(t.Context(), source) {
			if ids++; ids == 1 {
				begun.Done()
			}
			if err != nil || id < 0 {
				t.Errorf("id %d and error %v", id, err)
			}
		}
		if ids != 100 {
			t.Errorf("%d ids, want 100", ids)
		}
	})
	begun.Wait()
	tr.Close()
	tr.Close()
	wait.Wait()
	_, err = tr.Translate(t.Context(), source)
	checkError(t, "Translate", err, ErrClosed)
	_, err = tr.Score(t.Context(), source, source)
	checkError(t, "Score", err, ErrClosed)
	for _, err := range tr.StreamIDs(t.Context(), source) {
		checkError(t, "StreamIDs", err, ErrClosed)
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines after Close, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// TestSlowCallers checks that callers that are slow to take their results do not block the one
// worker.
func TestSlowCallers(t *testing.T) {
	m := randomModel(t, smallConfig, 91, 0.5)
	setBias(m, int(text.EOS), -60)
	tr := newTranslator(t, Options{Beam: 2, Threads: 1, MaxLength: 30}, m)
	translate := func() {
		if _, err := tr.Translate(t.Context(), []int32{1, 2, 0}); err != nil {
			t.Error(err)
		}
	}
	ids := 0
	for _, err := range tr.StreamIDs(t.Context(), []int32{1, 2, 0}) {
		if err != nil {
			t.Fatal(err)
		}
		ids++
		translate()
	}
	if ids != 30 {
		t.Errorf("%d ids, want 30", ids)
	}
	tr.Each(t.Context(), sentencesOf(92, smallConfig, 5, 9, 8), func(int, []Translation, error) { translate() })
	tr.ScoreEach(t.Context(), []text.Example{{Source: []int32{1, 0}, Target: []int32{2, 0}}}, func(int, Translation, error) { translate() })
}

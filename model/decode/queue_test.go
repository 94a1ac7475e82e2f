package decode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

// TestQueueTurns checks that calls take turns, that beams share the rows, that few that join wait for
// others, and that a task which needs another beam is handed out.
func TestQueueTurns(t *testing.T) {
	q := &queue{by: map[any]int{}}
	q.filled.L = &q.mutex
	one := capacity{sentences: 1, rows: 1, joining: 1, words: 1, backpointers: 1}
	room := capacity{sentences: 99, rows: 99, joining: 99, words: 99, backpointers: 99}
	add := func(first, n int, need capacity) {
		t.Helper()
		var tasks []*task
		for i := range n {
			tasks = append(tasks, &task{index: first + i, need: need})
		}
		if err := q.add(newCall(t.Context(), tasks), 0); err != nil {
			t.Fatal(err)
		}
	}
	a, b := &beam{capacity: room}, &beam{capacity: room}
	join := func(what string, b *beam, want ...int) {
		t.Helper()
		before := len(b.joining)
		if other := q.join(b, true); other != nil {
			t.Errorf("%s: task %d needs another beam", what, other.index)
		}
		var got []int
		for _, k := range b.joining[before:] {
			got = append(got, k.index)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: tasks %v join, want %v", what, got, want)
		}
	}
	q.enter(a)
	q.enter(b)
	add(0, 4, one)
	add(10, 1, one)
	add(20, 3, one)
	join("half of the rows", a, 0, 10, 20, 1)
	join("the others", b, 21, 2, 22, 3)
	add(30, 9, one)
	join("half of those and the others", a, 30, 31, 32, 33, 34)
	join("the rest", b, 35, 36, 37, 38)
	a.used, b.used = a.used.plus(capacity{rows: 20}), b.used.plus(capacity{rows: 30})
	add(40, 1, one)
	join("more rows than the other", b)
	for range joinSteps {
		join("one beside many", a)
	}
	join("one beside many, after some steps", a, 40)
	a.used, b.used = capacity{}, capacity{}
	q.leave(b)
	add(50, 3, one)
	join("the only open beam", a, 50, 51, 52)
	longer := one
	longer.backpointers = 2
	add(60, 1, capacity{sentences: 1, rows: 1, joining: 100, words: 100, backpointers: 1})
	add(61, 1, longer)
	add(62, 1, one)
	before := len(a.joining)
	if other := q.join(a, true); other == nil || other.index != 60 || len(a.joining) != before+1 || a.joining[before].index != 62 {
		t.Errorf("got task %+v, want the one that needs another beam; %d join, want the one that ends with those that run", other, len(a.joining)-before)
	}
	a.used = capacity{rows: 10, backpointers: 98}
	add(63, 1, one)
	for range joinSteps {
		join("few beside many", a)
	}
	join("behind one that has no room", a, 63)
	a.used = room.minus(capacity{words: 0, rows: 1})
	a.used.words = 99
	for range joinSteps + 1 {
		join("a full beam", a)
	}
	q.leave(a)
	if k := q.next(); k.index != 61 || q.tasks != 0 || q.short.rows+q.long.rows != 0 || q.short.open+q.long.open+q.resting != 0 || q.short.running+q.long.running != 0 || len(q.short.calls)+len(q.long.calls) != 0 {
		t.Errorf("task %d is the last, then the queue is %+v", k.index, q)
	}
}

// TestPauses counts the pauses of a worker where no time passes: one before and after each step for a long call, and one at the
// end of a search for a short one.
func TestPauses(t *testing.T) {
	defer func(p func()) { pause = p }(pause)
	synctest.Test(t, func(t *testing.T) {
		tr := newTranslator(t, Options{Threads: 1, MinLength: 90}, randomModel(t, smallConfig, 89, 0.3))
		for _, test := range []struct{ beam, want int }{{2, 1}, {48, 91}} {
			pauses := 0
			pause = func() { pauses++ }
			tr.Each(t.Context(), []Sentence{{Source: []int32{1, 2, 0}, MaxLength: 90, Beam: test.beam}}, func(int, []Translation, error) {})
			if synctest.Wait(); pauses != test.want {
				t.Errorf("beam %d: %d pauses, want %d", test.beam, pauses, test.want)
			}
		}
	})
}

// TestShortCallsFirst has a short call when one of many sentences has all rows, or as many of a client that has had more
// than others: it is answered as ever, before any of these. Then short calls without end do not stop a long one.
func TestShortCallsFirst(t *testing.T) {
	m, source := slowModel(t)
	tr := newTranslator(t, Options{Beam: 2, Threads: 1, NoAlignments: true}, m)
	short := []Sentence{{Source: []int32{1, 2, 0}, MaxLength: 3}, {Source: []int32{4, 0}, MaxLength: 5, Beam: 1}, {Source: source[40:], MaxLength: 20, Beam: 8}}
	var wait sync.WaitGroup
	var done, answers atomic.Int64
	greedy := WithClient(t.Context(), "greedy")
	want := eachOf(t, tr, short)
	tr.Each(greedy, slices.Repeat(short, 2), func(int, []Translation, error) {})
	for _, calls := range []int{1, batchRows / 2} {
		done.Store(0)
		for range calls {
			wait.Go(func() {
				list := slices.Repeat([]Sentence{{Source: source, MaxLength: 60}}, batchRows/2/calls)
				tr.Each(greedy, list, func(int, []Translation, error) { done.Add(1) })
			})
		}
		for running := 0; running < batchRows; runtime.Gosched() {
			tr.queue.mutex.Lock()
			running = tr.queue.short.running + tr.queue.long.running
			tr.queue.mutex.Unlock()
		}
		for i, best := range eachOf(t, tr, short) {
			sameList(t, fmt.Sprintf("sentence %d beside a long one", i), best, want[i])
		}
		if n := done.Load(); n > 0 {
			t.Errorf("a short call waits for %d sentences of %d calls", n, calls)
		}
		wait.Wait()
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 3 {
		wait.Go(func() {
			for ctx.Err() == nil {
				tr.Each(ctx, short, func(int, []Translation, error) { answers.Add(1) })
			}
		})
	}
	tr.Each(ctx, []Sentence{{Source: source, MaxLength: 90, Beam: 48}}, func(int, []Translation, error) { cancel() })
	wait.Wait()
	t.Logf("%d short calls beside a long one of 90 steps", answers.Load())
}

// TestLongAmongShort keeps all workers busy with short sentences until two are done that need beams of
// their own and the memory of all workers.
func TestLongAmongShort(t *testing.T) {
	for _, threads := range []int{1, 2} {
		checkLongAmongShort(t, Options{Beam: 2, Threads: threads, MaxLength: 8})
	}
}

func checkLongAmongShort(t *testing.T, o Options) {
	t.Helper()
	m := randomModel(t, smallConfig, 92, 0.5)
	o.Memory = int64(newTranslator(t, o, m).bytes(need(2, 1024, 64, true)))
	tr := newTranslator(t, o, m)
	list := []Sentence{{Source: sentenceOf(newRand(1), 1000, smallConfig.SourceVocab)}, {Source: sentenceOf(newRand(2), 700, smallConfig.SourceVocab)}}
	for _, s := range list {
		if _, c, err := tr.capacityFor(2, len(s.Source), 8); c == tr.ordinary || err != nil {
			t.Fatalf("%d words fit an ordinary beam, or error %v", len(s.Source), err)
		}
	}
	want := aloneOf(t, kernels.Best(), o, list, m)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for ctx.Err() == nil {
				if _, err := tr.Translate(t.Context(), []int32{int32(1 + g), 2, 0}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i, best := range eachOf(t, tr, list) {
		sameList(t, fmt.Sprint("long sentence ", i), best, want[i])
	}
	cancel()
	wait.Wait()
	if tr.beams.used > tr.beams.limit {
		t.Errorf("beams take %v bytes, want at most %v", tr.beams.used, tr.beams.limit)
	}
}

// TestLoad compares the results of thousands of concurrent calls with those of each sentence alone.
// The lengths are mixed, some calls are lists, streams or scores, some are canceled, and the memory
// is too small for all threads at once.
func TestLoad(t *testing.T) {
	calls := 3000
	if !fixture.Full() {
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
	o.Memory = int64(1.5 * newTranslator(t, o, models...).bytes(need(3, roundUp(300), roundUp(12), true)))
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
	tr.Close()
	if q := &tr.queue; q.tasks != 0 || q.short.rows+q.long.rows != 0 || q.idle != 0 || q.short.open+q.long.open+q.resting != 0 || q.short.running+q.long.running != 0 || len(q.short.calls)+len(q.long.calls) != 0 {
		t.Errorf("after the last call the queue is %+v", q)
	}
}

// checkStream compares the first n ids of a stream, or all for 0.
func checkStream(t *testing.T, tr *Translator, source, want []int32, n int) {
	var got []int32
	for id, err := range streamIDs(tr, t.Context(), source) {
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

// TestBeamContext ends the context of one sentence before each step of its batch. Joining looks at it
// once, and each step.
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
				k := &task{mode: translate{}, ctx: t.Context(), index: i, source: s.Source, wanted: 1, maxLength: s.MaxLength}
				if i == 2 {
					k.ctx = &endingContext{t.Context(), steps + 1, is}
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
		for _, err := range streamIDs(tr, ctx, source) {
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
	o := Options{Beam: 1, Threads: 1, MaxLength: 5000, NoAlignments: true}
	o.Memory = int64(newTranslator(t, o, m).bytes(need(1, 64, roundUp(5000), false))) // of one search
	o.Waiting = 2
	tr := newTranslator(t, o, m)
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
	for range streamIDs(tr, t.Context(), source) { // the worker has begun
		queued(1)
		tr.Each(t.Context(), []Sentence{{Source: source}, {Source: source}}, func(_ int, _ []Translation, err error) {
			checkError(t, "2 sentences beside a waiting one", err, ErrBusy, "1 sentences wait", "up to 2", "2 of this call")
		})
		queued(1)
		_, err := tr.Translate(t.Context(), source)
		checkError(t, "Translate", err, ErrBusy)
		_, err = tr.Score(t.Context(), source, source)
		checkError(t, "Score", err, ErrBusy)
		for _, err := range streamIDs(tr, t.Context(), source) {
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
		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		for _, err := range streamIDs(tr, ctx, source) {
			checkError(t, "stream in the queue", err, context.DeadlineExceeded)
		}
		cancel()
		if n := waiting(); n != 0 {
			t.Errorf("%d sentences wait after a stream has left", n)
		}
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
		for id, err := range streamIDs(tr, t.Context(), source) {
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
	for _, err := range streamIDs(tr, t.Context(), source) {
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
	for _, err := range streamIDs(tr, t.Context(), []int32{1, 2, 0}) {
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

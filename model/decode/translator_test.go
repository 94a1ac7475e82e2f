package decode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// threadCounts are the numbers of threads of the translators under test.
var threadCounts = []int{1, 2, 3, 8}

// eachOf returns the translations of a list. It counts the calls of its function without a lock,
// so that the race detector finds any that overlap.
func eachOf(t testing.TB, tr *Translator, list []Sentence) [][]Translation {
	t.Helper()
	results, calls := make([][]Translation, len(list)), 0
	tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
		calls++
		if err != nil {
			t.Errorf("sentence %d: %v", i, err)
		}
		if results[i] != nil {
			t.Errorf("sentence %d: a second result", i)
		}
		results[i] = best
	})
	if calls != len(list) {
		t.Errorf("%d results for %d sentences", calls, len(list))
	}
	return results
}

// aloneOf returns the translations of each sentence by a beam of its own size.
func aloneOf(t testing.TB, k kernels.Impl, o Options, list []Sentence, models ...*model.Model) [][]Translation {
	t.Helper()
	results := make([][]Translation, len(list))
	for i, s := range list {
		if s.MaxLength == 0 {
			s.MaxLength = o.maxLength(len(s.Source))
		}
		results[i] = cloneAll(searcherOf(t, k, o, capacityFor(1, len(s.Source), s.MaxLength), models...).best(t, s.Source, s.MaxLength))
	}
	return results
}

// TestEachSameBits compares the translations of lists of all sizes on all numbers of threads with
// those of a beam for one sentence.
func TestEachSameBits(t *testing.T) {
	const source, length = 9, 8
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			for _, beam := range []int{1, 4} {
				m, list := randomModel(t, c, 70, 0.6), sentencesOf(71, c, 29, source, length)
				list[3].MaxLength = 0
				o := Options{Beam: beam, Kernels: &k}
				want := aloneOf(t, k, o, list, m)
				for _, o.Threads = range threadCounts {
					tr := newTranslator(t, o, m)
					for _, n := range []int{len(list), 0, 1, 7, len(list)} {
						for i, best := range eachOf(t, tr, list[:n]) {
							sameList(t, fmt.Sprintf("%s: beam %d, %d threads: sentence %d of %d", k, beam, o.Threads, i, n), best, want[i])
						}
					}
				}
			}
		})
	})
}

// TestTeam gives a translator kernels that work with a team, which serves one caller at a time,
// at sizes whose products a team divides.
func TestTeam(t *testing.T) {
	team := kernels.NewTeam(2)
	defer team.Close()
	k := kernels.Best().With(team)
	m, list := randomModel(t, threadsConfig, 77, 0.3), sentencesOf(78, threadsConfig, 48, 9, 6)
	want := eachOf(t, newTranslator(t, Options{Beam: 12, Threads: 1}, m), list)
	for i, best := range eachOf(t, newTranslator(t, Options{Beam: 12, Threads: 3, Kernels: &k}, m), list) {
		sameList(t, fmt.Sprint("sentence ", i), best, want[i])
	}
}

// TestLoad compares the results of thousands of calls of mixed lengths, from many goroutines at a
// time, with those of each sentence alone. Some calls are lists, streams and scores, some end
// early, and the memory is too little for all the threads at once.
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
		list[i].Source = randomWords(r, 1+r.IntN(1+r.IntN(1+r.IntN(300))), tinyConfig.SourceVocab)
	}
	list[0].Source = randomWords(r, 300, tinyConfig.SourceVocab)
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
					r, err := tr.Score(t.Context(), list[i].Source, want[i][0].IDs)
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

// checkStream compares the first ids of a stream.
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

// TestLines translates text, with empty lines between.
func TestLines(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	setBias(m, int(text.EOS), -1)
	tr := newTranslator(t, Options{Beam: 3, MinLength: 1}, m)
	lines := []string{"s3 s4", "", "s5 nothing s9", "  ", "s3"}
	got, err := tr.Lines(t.Context(), lines)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		want := ""
		if strings.TrimSpace(line) != "" {
			best, err := tr.Translate(t.Context(), m.Encode(line))
			if err != nil {
				t.Fatal(err)
			}
			want = m.Decode(best[0].IDs)
			if text := tr.Text(line, best[0]); text != want {
				t.Errorf("Text(%q): got %q, want %q", line, text, want)
			}
			if want == "" {
				t.Errorf("line %q has an empty translation, want one to compare", line)
			}
		}
		if one, err := tr.Line(t.Context(), line); err != nil || one != want || got[i] != want {
			t.Errorf("%q: got %q, alone %q and error %v, want %q", line, got[i], one, err, want)
		}
	}
	if got, err := tr.Lines(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("no lines: got %q and error %v", got, err)
	}
}

// TestLinesError has one line among others that is too long.
func TestLinesError(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	tr := newTranslator(t, Options{Beam: 3, Memory: 16 << 20}, m)
	lines := []string{"s3 s4", strings.Repeat("s5 ", 10_000), "s6", strings.Repeat("s7 ", 10_001)}
	got, err := tr.Lines(t.Context(), lines)
	checkError(t, "Lines", err, model.ErrCapacity, "line 2", "10001 words", "beam of 3", "16.0 MiB")
	for _, i := range []int{0, 2} {
		if want, err := tr.Line(t.Context(), lines[i]); got[i] != want || err != nil {
			t.Errorf("line %d: got %q, want %q, error %v", i, got[i], want, err)
		}
	}
	if got[1] != "" || got[3] != "" {
		t.Errorf("lines with errors: got %q", got)
	}
	checkError(t, "Check", tr.Check(m.Encode(lines[1])), model.ErrCapacity, "10001 words")
	if err := tr.Check(m.Encode(lines[0])); err != nil {
		t.Errorf("Check: %v", err)
	}
	ids := newTranslator(t, Options{}, randomModel(t, smallConfig, 1, 0.5))
	_, err = ids.Line(t.Context(), "s3")
	checkError(t, "no vocabularies", err, model.ErrConfig, "vocabularies")
}

// TestLongLines translates lines of 10,000 words into short ones.
func TestLongLines(t *testing.T) {
	m := withVocabularies(t, smallConfig)
	o := Options{Beam: 2, MinLength: 3, MaxLength: 20, Threads: 2}
	line := strings.Repeat("s5 s6 s9 s20 ", 2500)
	want := aloneOf(t, kernels.Best(), o, []Sentence{{Source: m.Encode(line)}}, m)
	got, err := newTranslator(t, o, m).Lines(t.Context(), []string{line, "s3", line})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 2} {
		if want := m.Decode(want[0][0].IDs); got[i] != want || want == "" {
			t.Errorf("line %d: got %q, want %q", i, got[i], want)
		}
	}
}

// TestMemory has a limit that admits sources of up to 128 ids.
func TestMemory(t *testing.T) {
	m := randomModel(t, smallConfig, 112, 0.5)
	for _, o := range []Options{{Beam: 4, Threads: 3}, {Beam: 4, Threads: 3, NoAlignments: true}} {
		tr := newTranslator(t, o, m)
		limit := tr.bytes(shape{4, 1, 128, 3 * 128})
		o.Memory = int64(limit) + 1
		tr = newTranslator(t, o, m)
		list := sentencesOf(113, smallConfig, 60, 128, 1)
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
		_, err := tr.Translate(t.Context(), make([]int32, 129))
		checkError(t, "129 words", err, model.ErrCapacity, "129 words", "beam of 4", "up to 576 words")
		if tr.beams.used > limit+1 {
			t.Errorf("beams take %v bytes, want at most %v", tr.beams.used, limit)
		}
	}
	huge := newTranslator(t, Options{MaxLength: math.MaxInt}, m)
	checkError(t, "huge", huge.Check([]int32{1, 0}), model.ErrCapacity)
}

// TestCallDivision holds that the chunks of a call have each task once, that none is larger than
// the shape allows or has a task longer than one of an earlier group, and that those of a group
// differ by at most one task and by at most the words of one.
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

// TestQueueTurns holds that calls take turns, that a batch takes chunks of other calls along, and
// that it leaves some to workers that wait.
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
		if err := q.add(c); err != nil {
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

// endingContext ends after a number of looks at it.
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

// TestBeamContext ends the context of a sentence before each step of its batch.
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
				k := &task{ctx: t.Context(), index: i, source: s.Source, maxLength: s.MaxLength}
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

// slowModel returns a model and a sentence whose translation takes long.
func slowModel(t *testing.T) (*model.Model, []int32) {
	c := threadsConfig
	m := randomModel(t, c, 89, 0.3)
	setBias(m, int(text.EOS), -90)
	return m, randomWords(newRand(90), 60, c.SourceVocab)
}

// TestContexts ends contexts of sentences in a batch and in the queue.
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
	short, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if best, err := tr.Translate(short, source[:2]); len(best) != 1 || err != nil {
		t.Errorf("after the others: got %v and error %v", best, err)
	}
}

// TestClose closes with work in hand and in the queue, which is finished.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	m, source := slowModel(t)
	tr, err := New(m, Options{Beam: 4, Threads: 2, MaxLength: 100})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]Sentence, 60)
	for i := range list {
		list[i].Source = source[:1+i]
	}
	var wait sync.WaitGroup
	first := make(chan bool)
	var once sync.Once
	wait.Go(func() {
		for i, best := range eachOf(t, tr, list) {
			if len(best) != 1 {
				t.Errorf("sentence %d: %d translations", i, len(best))
			}
		}
	})
	wait.Go(func() {
		for id, err := range tr.StreamIDs(t.Context(), source) {
			if err != nil || id < 0 {
				t.Errorf("id %d and error %v", id, err)
			}
			once.Do(func() { close(first) })
		}
	})
	<-first
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

// TestSlowCallers holds that no caller that takes its time stops the one worker.
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
	tr.ScoreEach(t.Context(), []text.Example{{Source: []int32{1}, Target: []int32{2}}}, func(int, Translation, error) { translate() })
}

// TestSentenceErrors has sentences with errors among others.
func TestSentenceErrors(t *testing.T) {
	m := randomModel(t, smallConfig, 75, 0.4)
	tr := newTranslator(t, Options{Beam: 3, Threads: 2, MaxLength: 5}, m)
	list := sentencesOf(76, smallConfig, 9, 4, 5)
	want := eachOf(t, tr, list)
	check := func(what string, bad Sentence, is error, says ...string) {
		t.Helper()
		failed := false
		tr.Each(t.Context(), append(list[:7:7], bad, list[8]), func(i int, best []Translation, err error) {
			if i == 7 {
				failed = true
				checkError(t, what, err, is, says...)
				return
			}
			if err != nil {
				t.Errorf("%s: sentence %d: %v", what, i, err)
			}
			sameList(t, fmt.Sprintf("%s: sentence %d", what, i), best, want[i])
		})
		if !failed {
			t.Errorf("%s: no result", what)
		}
	}
	for _, e := range badSources {
		if e.is != model.ErrExample {
			continue
		}
		check(e.name, Sentence{e.source, 5}, e.is, e.says...)
		checkError(t, "Check: "+e.name, tr.Check(e.source), e.is, e.says...)
		_, err := tr.Translate(t.Context(), e.source)
		checkError(t, "Translate: "+e.name, err, e.is, e.says...)
		for _, err := range tr.StreamIDs(t.Context(), e.source) {
			checkError(t, "StreamIDs: "+e.name, err, e.is, e.says...)
		}
		_, err = tr.Score(t.Context(), e.source, []int32{0})
		checkError(t, "Score: "+e.name, err, e.is, e.says...)
	}
	check("length", Sentence{[]int32{1, 0}, -1}, model.ErrExample, "maximum length -1")
}

// TestSentenceNotFinite has one source word whose embedding is NaN: only sentences with it fail.
func TestSentenceNotFinite(t *testing.T) {
	m := randomModel(t, smallConfig, 77, 0.4)
	m.Parameters.Source.Row(5)[0] = nan
	tr := newTranslator(t, Options{Beam: 3, Threads: 1, MaxLength: 9}, m)
	list := []Sentence{{Source: []int32{1, 2, 0}}, {Source: []int32{1, 5, 0}}, {Source: []int32{3, 0}}}
	want := aloneOf(t, kernels.Best(), Options{Beam: 3, MaxLength: 9}, []Sentence{list[0], list[0], list[2]}, m)
	tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
		if i == 1 {
			checkError(t, "NaN", err, model.ErrNotFinite, "after 0 words")
			return
		}
		if err != nil {
			t.Errorf("sentence %d: %v", i, err)
		}
		sameList(t, fmt.Sprint("sentence ", i), best, want[i])
	})
	_, err := tr.Score(t.Context(), list[1].Source, []int32{1, 0})
	checkError(t, "Score", err, model.ErrNotFinite)
}

func TestOptionsErrors(t *testing.T) {
	search, encdec := randomModel(t, tinyConfig, 85, 0.4), tinyConfig
	encdec.Kind = model.RNNencdec
	for _, test := range []struct {
		o    Options
		says string
	}{
		{Options{Beam: -1}, "beam of -1 hypotheses"},
		{Options{Beam: 2, NBest: 3}, "3 best translations, expected 1 to the beam of 2"},
		{Options{Beam: 2, NBest: -1}, "-1 best translations"},
		{Options{NBest: 6}, "the beam of 5"},
		{Options{Normalization: -0.1}, "normalization -0.1, expected 0 to 10"},
		{Options{Normalization: 10.5}, "normalization 10.5"},
		{Options{Normalization: math.NaN()}, "normalization NaN"},
		{Options{MinLength: -1}, "minimum length -1"},
		{Options{MaxLength: -1}, "maximum length -1"},
		{Options{Threads: -1}, "-1 threads"},
		{Options{Memory: -1}, "-1 bytes"},
		{Options{ReplaceUNK: true, NoAlignments: true}, "without alignments"},
	} {
		_, err := New(search, test.o)
		checkError(t, fmt.Sprintf("%+v", test.o), err, model.ErrConfig, test.says)
	}
	_, err := New(randomModel(t, encdec, 86, 0.4), Options{ReplaceUNK: true})
	checkError(t, "RNNencdec", err, model.ErrConfig, "encdec")
}

// TestSharedModel lets translators and scorers of several goroutines use one model.
func TestSharedModel(t *testing.T) {
	const goroutines = 6
	eachVariant(t, smallConfig, func(t *testing.T, c model.Config) {
		m, r := randomModel(t, c, 40, 0.5), newRand(41)
		var list []Sentence
		for n := range 5 {
			list = append(list, Sentence{Source: randomWords(r, n+1, c.SourceVocab)})
		}
		want := aloneOf(t, kernels.Best(), Options{Beam: 4}, list, m)
		var wait sync.WaitGroup
		for range goroutines {
			wait.Go(func() {
				tr, err := New(m, Options{Beam: 4, Threads: 1})
				if err != nil {
					t.Error(err)
					return
				}
				defer tr.Close()
				tr.Each(t.Context(), list, func(i int, best []Translation, err error) {
					if err != nil {
						t.Error(err)
						return
					}
					sameList(t, fmt.Sprint("sentence ", i), best, want[i])
				})
			})
		}
		wait.Wait()
	})
}

package model

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

func stepperOf(t testing.TB, k kernels.Impl, m *Model, hypotheses, source int) *Stepper {
	t.Helper()
	s, err := NewStepper(k, m, stepperCapacity(1, hypotheses, source))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stepperCapacity returns that for sentences of up to source words, all of which can join at once.
func stepperCapacity(sentences, hypotheses, source int) StepperCapacity {
	words := product(max(sentences, 0), max(source, 0))
	return StepperCapacity{sentences, hypotheses, words, words}
}

func begin(t testing.TB, s *Stepper, source []int32) {
	t.Helper()
	if err := s.Begin(source); err != nil {
		t.Fatal(err)
	}
}

func stepOn(t testing.TB, s *Stepper, words ...int32) kernels.Matrix {
	t.Helper()
	scores, err := s.Step(words)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// TestStepperAsScorer feeds steppers of float32 and of int8 the words of a target. The cross-entropy of
// the scores and the weights have the bits of a scorer's.
func TestStepperAsScorer(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			m := randomModel(t, c, 14, 0.4)
			checkAsScorer(t, k, m)
			checkAsScorer(t, k, quantized(t, m))
		})
	})
}

func checkAsScorer(t *testing.T, k kernels.Impl, m *Model) {
	t.Helper()
	batch := randomBatch(newRand(15), m.Config, 20, 14, 12)
	w := newScorerFor(t, k, m, batch)
	lossOf(t, w, batch)
	s := stepperOf(t, k, m, 3, 14)
	for i, e := range batch {
		begin(t, s, e.Source)
		var logs, alphas []float32
		last := int32(-1)
		for _, word := range e.Target {
			scores := slices.Clone(stepOn(t, s, last).Row(0))
			logs = append(logs, -k.CrossEntropy(scores, int(word)))
			alphas = append(alphas, s.Weights(0)...)
			last = word
		}
		what := fmt.Sprintf("%s: %s: sentence %d: ", k, m.Config.Weights, i)
		sameBits(t, what+"log-probability", logs, logProbabilities(t, w, i, len(e.Target)))
		sameBits(t, what+"alignment", alphas, alignment(t, w, i, e))
	}
}

// TestStepperSources steps hypotheses of several sources together, selecting them at random after
// each step, and each path of words alone.
func TestStepperSources(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) { checkSources(t, k, randomModel(t, c, 62, 0.4)) })
	})
}

func checkSources(t *testing.T, k kernels.Impl, m *Model) {
	t.Helper()
	type path struct {
		source int
		words  []int32
	}
	r, sources, paths := newRand(63), make([][]int32, 5), make([]path, 5)
	for i := range sources {
		sources[i], paths[i] = randomWords(r, 1+(7*i)%9, m.Config.SourceVocab), path{i, nil}
	}
	together, err := NewStepper(k, m, stepperCapacity(6, 14, 9))
	if err != nil {
		t.Fatal(err)
	}
	if err := together.Begin(sources...); err != nil {
		t.Fatal(err)
	}
	alone, words := stepperOf(t, k, m, 1, 9), []int32{-1, -1, -1, -1, -1}
	for _, n := range []int{14, 6, 2, 13, 0} {
		scores := stepOn(t, together, words...)
		for i, p := range paths {
			begin(t, alone, sources[p.source])
			want := stepOn(t, alone, -1)
			for _, word := range p.words {
				want = stepOn(t, alone, word)
			}
			what := fmt.Sprintf("%s: hypothesis %d of %d, %v of source %d: ", k, i, len(paths), p.words, p.source)
			sameBits(t, what+"score", scores.Row(i), want.Row(0))
			sameBits(t, what+"weight", together.Weights(i), alone.Weights(0))
		}
		parents, next := make([]int, n), make([]path, n)
		words = make([]int32, n)
		for i := range n {
			parents[i], words[i] = r.IntN(len(paths)), int32(r.IntN(m.Config.TargetVocab))
			from := paths[parents[i]]
			next[i] = path{from.source, append(slices.Clone(from.words), words[i])}
		}
		keep(t, together, parents...)
		paths = next
	}
}

// TestStepperJoin lets sources join at random steps beside hypotheses that have words, and removes
// hypotheses at random, with so little room that the others move. Each has the bits of its path alone.
func TestStepperJoin(t *testing.T) {
	eachVariant(t, smallConfig, func(t *testing.T, c Config) {
		eachImpl(t, func(t *testing.T, k kernels.Impl) {
			m := randomModel(t, c, 64, 0.4)
			checkJoin(t, k, m)
			checkJoin(t, k, quantized(t, m))
		})
	})
}

func checkJoin(t *testing.T, k kernels.Impl, m *Model) {
	t.Helper()
	type path struct{ source, words []int32 }
	capacity := StepperCapacity{Sentences: 5, Hypotheses: 7, Words: 24, Joining: 13}
	together, err := NewStepper(k, m, capacity)
	if err != nil {
		t.Fatal(err)
	}
	alone, r, joined := stepperOf(t, k, m, 1, 13), newRand(65), 0
	var paths []path
	for step := range 60 {
		for range 1 + r.IntN(2) {
			var sources [][]int32
			words, used, live := 0, 0, make(map[*int32]bool)
			for _, p := range paths {
				if !live[&p.source[0]] {
					live[&p.source[0]] = true
					used += len(p.source)
				}
			}
			for n := 1 + r.IntN(9); words+n <= capacity.Joining && used+words+n <= capacity.Words &&
				len(live)+len(sources) < capacity.Sentences && len(paths)+len(sources) < capacity.Hypotheses; n = 1 + r.IntN(9) {
				sources = append(sources, randomWords(r, n, m.Config.SourceVocab))
				words += n
			}
			if len(sources) == 0 {
				continue
			}
			if err := together.Join(sources...); err != nil {
				t.Fatal(err)
			}
			for _, source := range sources {
				paths = append(paths, path{source: source})
			}
			if step > 0 {
				joined++
			}
		}
		last := make([]int32, len(paths))
		for i, p := range paths {
			if last[i] = -1; len(p.words) > 0 {
				last[i] = p.words[len(p.words)-1]
			}
		}
		scores := stepOn(t, together, last...)
		for i, p := range paths {
			begin(t, alone, p.source)
			want := stepOn(t, alone, -1)
			for _, word := range p.words {
				want = stepOn(t, alone, word)
			}
			what := fmt.Sprintf("%s: step %d, hypothesis %d of %d, %v of %v: ", k, step, i, len(paths), p.words, p.source)
			sameBits(t, what+"score", scores.Row(i), want.Row(0))
			sameBits(t, what+"weight", together.Weights(i), alone.Weights(0))
		}
		var parents []int
		var next []path
		for i, p := range paths {
			for range r.IntN(3) {
				if len(p.words) < 4 && len(next) < capacity.Hypotheses-1 {
					parents = append(parents, i)
					next = append(next, path{p.source, append(slices.Clone(p.words), int32(r.IntN(m.Config.TargetVocab)))})
				}
			}
		}
		keep(t, together, parents...)
		paths = next
	}
	if joined < 20 {
		t.Errorf("sources joined %d times, want more", joined)
	}
}

// TestStepperJoinErrors has no room for a source: neither Join nor a later step changes.
func TestStepperJoinErrors(t *testing.T) {
	m := randomModel(t, smallConfig, 66, 0.4)
	s, err := NewStepper(kernels.Best(), m, StepperCapacity{Sentences: 3, Hypotheses: 4, Words: 7, Joining: 4})
	if err != nil {
		t.Fatal(err)
	}
	check := func(name, says string, sources ...[]int32) {
		t.Helper()
		checkError(t, name, s.Join(sources...), ErrCapacity, says)
	}
	three, four := []int32{1, 2, 0}, []int32{3, 4, 5, 0}
	begin(t, s, four)
	stepOn(t, s, -1)
	keep(t, s, 0, 0)
	check("all words", "sources of 8 words", four)
	check("words at a time", "source sentence 1 of 3 words", []int32{1, 0}, three)
	check("sentences", "3 source sentences beside 1", []int32{0}, []int32{0}, []int32{0})
	checkError(t, "no source", s.Join(), ErrExample)
	want := slices.Clone(stepOn(t, s, 5, 6).Data)
	begin(t, s, four)
	stepOn(t, s, -1)
	keep(t, s, 0, 0)
	if err := s.Join(three); err != nil {
		t.Fatal(err)
	}
	check("a third sentence", "sources of 8 words", []int32{0})
	sameBits(t, "score", stepOn(t, s, 5, 6, -1).Slice(0, 2).Data, want)
	keep(t, s, 2, 2, 2, 2)
	check("hypotheses", "1 hypotheses more", []int32{0})
	keep(t, s, 0)
	if err := s.Join(four); err != nil {
		t.Errorf("after the first sentence has left: %v", err)
	}
	for _, capacity := range []StepperCapacity{{1, 1, 0, 0}, {1, 1, 2, 3}, {2, 1, 9, 9}, {0, 1, 1, 1}, {1, 1, 1, -1}} {
		_, err := NewStepper(kernels.Best(), m, capacity)
		checkError(t, fmt.Sprintf("%+v", capacity), err, ErrConfig)
	}
}

func TestStepperErrors(t *testing.T) {
	m := randomModel(t, smallConfig, 19, 0.4)
	for _, size := range [][3]int{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {3, 2, 1}} {
		if _, err := NewStepper(kernels.Best(), m, stepperCapacity(size[0], size[1], size[2])); !errors.Is(err, ErrConfig) {
			t.Errorf("NewStepper of %d sentences, %d hypotheses, %d words: got %v, want ErrConfig", size[0], size[1], size[2], err)
		}
	}
	s := stepperOf(t, kernels.Best(), m, 3, 4)
	_, err := s.Step([]int32{-1})
	checkError(t, "Step before Begin", err, ErrExample, "without a source")
	for _, e := range badSources {
		err := s.Begin(e.source)
		checkError(t, e.name, err, e.is, e.says...)
	}
	begin(t, s, []int32{1, 2, 0})
	want := slices.Clone(stepOn(t, s, -1).Data)
	for _, parents := range [][]int{{0, 0, 0, 0}, {1}, {-1}} {
		checkError(t, fmt.Sprint("Keep of ", parents), s.Keep(parents), ErrCapacity)
	}
	keep(t, s, 0, 0, 0)
	for _, e := range []struct {
		words []int32
		is    error
		says  string
	}{
		{nil, ErrCapacity, "0 hypotheses"},
		{[]int32{1, 2, 3, 4}, ErrCapacity, "4 hypotheses"},
		{[]int32{1, 27}, ErrExample, "hypothesis 1"},
		{[]int32{-2}, ErrExample, "hypothesis 0"},
		{[]int32{1, -1, 2}, ErrExample, "hypothesis 2"},
		{[]int32{-1, 5}, ErrExample, "hypothesis 1"},
		{[]int32{math.MaxInt32}, ErrExample, "hypothesis 0"},
		{[]int32{math.MinInt32}, ErrExample, "hypothesis 0"},
	} {
		_, err := s.Step(e.words)
		checkError(t, fmt.Sprint("Step of ", e.words), err, e.is, e.says)
	}
	begin(t, s, []int32{1, 2, 0})
	sameBits(t, "score after errors", stepOn(t, s, -1).Data, want)
}

// keep calls Keep with parents that exist.
func keep(t testing.TB, s *Stepper, parents ...int) {
	t.Helper()
	if err := s.Keep(parents); err != nil {
		t.Fatal(err)
	}
}

// badSources are invalid for a vocabulary of 21 words and a maximum length of 4.
var badSources = []struct {
	name   string
	source []int32
	is     error
	says   []string
}{
	{"nil source", nil, ErrExample, []string{"source", "empty"}},
	{"empty source", []int32{}, ErrExample, []string{"source", "empty"}},
	{"long source", []int32{1, 2, 3, 4, 0}, ErrCapacity, []string{"source", "5 words", "of 4"}},
	{"negative id", []int32{1, -1, 0}, ErrExample, []string{"source", "word 1", "id -1", "0 to 20"}},
	{"large id", []int32{1, 2, 21, 0}, ErrExample, []string{"source", "word 2", "id 21", "0 to 20"}},
	{"largest id", []int32{math.MaxInt32}, ErrExample, []string{"source", "word 0", "id 2147483647"}},
	{"smallest id", []int32{math.MinInt32}, ErrExample, []string{"source", "word 0", "id -2147483648"}},
}

// checkError fails unless err wraps is and its message contains every part.
func checkError(t *testing.T, what string, err, is error, parts ...string) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Errorf("%s: got error %v, want one that wraps %q", what, err, is)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s: got error %q, want %q in it", what, err, part)
		}
	}
}

// TestStepperBytes compares StepperBytes with what NewStepper allocates, which is rounded up to
// size classes and, for large arrays, to huge pages.
func TestStepperBytes(t *testing.T) {
	sizes := []StepperCapacity{{1, 1, 1, 1}, {1, 5, 64, 64}, {95, 95, 1216, 512}, {3, 3, 1920, 1920}, {96, 96, 6144, 512}, {1, 12, 3000, 3000}}
	for _, c := range append(variants(smallConfig), variants(threadsConfig)...) {
		m := randomModel(t, c, 20, 0.1)
		for _, size := range sizes {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s, err := NewStepper(kernels.Best(), m, size)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			got, want := float64(StepperBytes(c, size)), float64(after.TotalAlloc-before.TotalAlloc)
			rounding := got/8 + 12<<10
			if got > 4<<20 {
				rounding = got / 4
			}
			if !(want >= got && want <= got+rounding) {
				t.Errorf("%s of %d words, %+v: got %.0f bytes, allocated %.0f", nameOf(c), c.TargetVocab, size, got, want)
			}
			runtime.KeepAlive(s)
		}
	}
}

package decode

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// everyImpl runs f once for each implementation that this machine can run.
func everyImpl(t *testing.T, f func(t *testing.T, k kernels.Impl)) {
	t.Helper()
	for _, k := range kernels.Available() {
		t.Run(k.String(), func(t *testing.T) { f(t, k) })
	}
}

// eachImpl is everyImpl, but runs portable Go only in full tests or where there is nothing else.
func eachImpl(t *testing.T, f func(t *testing.T, k kernels.Impl)) {
	t.Helper()
	list := kernels.Available()
	if !fixture.Full() && len(list) > 1 {
		list = list[:len(list)-1]
	}
	for _, k := range list {
		t.Run(k.String(), func(t *testing.T) { f(t, k) })
	}
}

func portableGo() kernels.Impl {
	list := kernels.Available()
	return list[len(list)-1]
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1409)) }

// smallConfig has no size that is a multiple of 8; 2·Maxout is above 16.
var smallConfig = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 21, TargetVocab: 27, Embedding: 7, Hidden: 13, Alignment: 11, Maxout: 9,
}

// tinyConfig has so few words that all translations can be listed.
var tinyConfig = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 9, TargetVocab: 4, Embedding: 3, Hidden: 5, Alignment: 6, Maxout: 3,
}

// threadsConfig has sizes at which a team divides products and attention, some unevenly.
var threadsConfig = model.Config{
	Kind: model.RNNsearch, Order: model.UpdateFirst,
	SourceVocab: 301, TargetVocab: 1307, Embedding: 49, Hidden: 67, Alignment: 261, Maxout: 48,
}

// variants returns c in both kinds and both orders, and once with each of the other alignment
// models.
func variants(c model.Config) []model.Config {
	var list []model.Config
	for _, v := range []model.Config{
		{Kind: model.RNNsearch, Order: model.UpdateFirst}, {Kind: model.RNNsearch, Order: model.PredictFirst},
		{Kind: model.RNNencdec, Order: model.PredictFirst}, {Kind: model.RNNencdec, Order: model.UpdateFirst},
		{Kind: model.RNNsearch, Order: model.PredictFirst, AlignmentModel: model.Dot},
		{Kind: model.RNNsearch, Order: model.UpdateFirst, AlignmentModel: model.General},
	} {
		c.Kind, c.Order = v.Kind, v.Order
		list = append(list, withAlignmentModel(c, v.AlignmentModel))
	}
	return list
}

// withAlignmentModel returns c with alignment model a and the number of units that a needs.
func withAlignmentModel(c model.Config, a model.AlignmentModel) model.Config {
	c.AlignmentModel = a
	if a != model.Additive {
		c.Alignment = c.Hidden
	}
	return c
}

// nameOf returns a name for one of variants.
func nameOf(c model.Config) string {
	name := string(c.Kind) + "/" + string(c.Order)
	if c.AlignmentModel != model.Additive {
		name += "/" + string(c.AlignmentModel)
	}
	return name
}

// eachVariant runs f once for every other one of variants, which covers each kind and each order, or
// in full tests for each.
func eachVariant(t *testing.T, c model.Config, f func(t *testing.T, c model.Config)) {
	t.Helper()
	for i, c := range variants(c) {
		if !fixture.Full() && i%2 != 0 {
			continue
		}
		t.Run(nameOf(c), func(t *testing.T) { f(t, c) })
	}
}

// randomModel returns a model whose weights, va and biases included, are drawn from a normal
// distribution with this deviation. A model fresh from model.New attends uniformly and hardly
// depends on the sentence.
func randomModel(t testing.TB, c model.Config, seed uint64, deviation float64) *model.Model {
	t.Helper()
	m, err := model.New(c, seed)
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Read(bytes.NewReader(written(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	r := newRand(seed)
	for _, tensor := range f.Tensors {
		for i := range tensor.Data {
			tensor.Data[i] = float32(float64(gaussian(r) * deviation))
		}
	}
	var b bytes.Buffer
	if err := safetensors.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return read(t, b.Bytes())
}

// gaussian draws from N(0, 1), the same values on every machine: the sum of twelve uniform
// numbers less 6.
func gaussian(r *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += r.Float64()
	}
	return sum
}

// written returns the model file of m.
func written(t testing.TB, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := model.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read returns the model of a file.
func read(t testing.TB, file []byte) *model.Model {
	t.Helper()
	m, err := model.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func quantized(t testing.TB, m *model.Model) *model.Model {
	t.Helper()
	q, err := m.Quantize()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// withVocabularies returns a random model with the words s2, s3, … and t2, t3, ….
func withVocabularies(t testing.TB, c model.Config) *model.Model {
	t.Helper()
	m := randomModel(t, c, 60, 0.4)
	m.Source, m.Target = vocabularyOf(t, "s", c.SourceVocab), vocabularyOf(t, "t", c.TargetVocab)
	return m
}

func vocabularyOf(t testing.TB, prefix string, size int) *text.Vocabulary {
	t.Helper()
	words := []string{"</s>", "<unk>"}
	for i := len(words); i < size; i++ {
		words = append(words, fmt.Sprint(prefix, i))
	}
	v, err := text.VocabularyOf(words)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// setBias sets the bias of a target word.
func setBias(m *model.Model, word int, v float32) { m.Parameters.B[word] = v }

func capacityFor(sentences, source, target int) model.Capacity {
	return model.Capacity{Sentences: sentences, SourceLength: source, TargetLength: target}
}

func randomWords(r *rand.Rand, n, vocabulary int) []int32 {
	words := make([]int32, n)
	for i := range words {
		words[i] = int32(r.IntN(vocabulary))
	}
	return words
}

// sentenceOf returns n ids, which end with EOS.
func sentenceOf(r *rand.Rand, n, vocabulary int) []int32 {
	ids := make([]int32, n)
	for i := range n - 1 {
		ids[i] = 1 + int32(r.IntN(vocabulary-1))
	}
	return ids
}

// sentencesOf returns n sentences of 2 to source ids with limits of 1 to length.
func sentencesOf(seed uint64, c model.Config, n, source, length int) []Sentence {
	r, list := newRand(seed), make([]Sentence, n)
	for i := range list {
		list[i] = Sentence{Source: sentenceOf(r, 2+r.IntN(source-1), c.SourceVocab), MaxLength: 1 + r.IntN(length)}
	}
	return list
}

// A searcher is a beam with tasks that are used again and again.
type searcher struct {
	*beam
	tasks []*task
	lists [][]Translation
	err   error
}

// searcherOf returns a searcher of that capacity.
func searcherOf(t testing.TB, k kernels.Impl, o Options, c model.Capacity, models ...*model.Model) *searcher {
	t.Helper()
	o.Kernels = &k
	o = o.withDefaults(models[0].Search)
	*o.Kernels = k // with its team
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	one := need(o.Beam, c.SourceLength, c.TargetLength, !o.NoAlignments && slices.ContainsFunc(models, (*model.Model).HasAlignments))
	all := one
	for range c.Sentences - 1 {
		all = all.plus(one)
	}
	s := &searcher{beam: newBeam(nil, o, models, all)}
	done := func(_ *task, err error) {
		if err != nil && s.err == nil {
			s.err = err
		}
	}
	for range c.Sentences {
		s.tasks = append(s.tasks, &task{mode: translate{}, done: done, wanted: o.NBest})
	}
	return s
}

// run lets tasks that the beam has room for join at one step, and ends when all are done.
func (s *searcher) run(batch []*task) {
	for _, k := range batch {
		target, _ := k.mode.(score)
		k.need = need(s.options.Beam, len(k.source), max(k.maxLength, len(target)), len(s.alpha) > 0)
		if !s.admit(k) {
			panic("a task has no room")
		}
	}
	for s.join(); s.used.rows > 0; {
		s.step()
	}
}

// batch returns the translations of a batch, which the next call overwrites, or the first error.
func (s *searcher) batch(ctx context.Context, list []Sentence) ([][]Translation, error) {
	s.lists, s.err = s.lists[:0], nil
	for i, sentence := range list {
		s.tasks[i].ctx, s.tasks[i].source, s.tasks[i].maxLength = ctx, sentence.Source, sentence.MaxLength
	}
	s.run(s.tasks[:len(list)])
	for i := range list {
		s.lists = append(s.lists, s.tasks[i].results)
	}
	return s.lists, s.err
}

// best returns the n best translations of a sentence, which the next call overwrites.
func (s *searcher) best(t testing.TB, source []int32, length int) []Translation {
	t.Helper()
	lists, err := s.batch(t.Context(), []Sentence{{Source: source, MaxLength: length}})
	if err != nil {
		t.Fatal(err)
	}
	return lists[0]
}

// one returns the best translation of a sentence, which the next call overwrites.
func (s *searcher) one(t testing.TB, source []int32, length int) Translation {
	t.Helper()
	return s.best(t, source, length)[0]
}

// streamIDs yields the ids that StreamWords yields, except EOS.
func streamIDs(tr *Translator, ctx context.Context, source []int32) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		for w, err := range tr.StreamWords(ctx, Sentence{Source: source}) {
			if err == nil && w.ID == text.EOS || !yield(w.ID, err) {
				return
			}
		}
	}
}

// newTranslator returns a translator that keeps repetitions, as references do, and that the test closes.
func newTranslator(t testing.TB, o Options, models ...*model.Model) *Translator {
	t.Helper()
	o.KeepRepetitions = true
	return newTrimming(t, o, models...)
}

// newTrimming returns a translator that the test closes.
func newTrimming(t testing.TB, o Options, models ...*model.Model) *Translator {
	t.Helper()
	o.Ensemble = models[1:]
	tr, err := New(models[0], o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

// ensembleOf returns n models: one of c, and additive ones of other sizes, kinds and orders with
// the same vocabularies.
func ensembleOf(t testing.TB, c model.Config, n int, seed uint64, deviation float64) []*model.Model {
	t.Helper()
	models := []*model.Model{randomModel(t, c, seed, deviation)}
	c = withAlignmentModel(c, model.Additive)
	for i := range uint64(n - 1) {
		c.Hidden, c.Maxout, c.Order = c.Hidden+3, c.Maxout+1, []model.Order{model.PredictFirst, model.UpdateFirst}[i%2]
		c.Kind = []model.Kind{model.RNNsearch, model.RNNencdec}[(i+seed)%2]
		models = append(models, randomModel(t, c, seed+100+i, deviation))
	}
	return models
}

func newScorerFor(t testing.TB, k kernels.Impl, m *model.Model, batch []text.Example) *model.Scorer {
	t.Helper()
	s, err := model.NewScorer(k, m, model.CapacityOf(batch, len(batch)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lossOf(t testing.TB, s *model.Scorer, batch []text.Example) float64 {
	t.Helper()
	loss, err := s.Loss(batch)
	if err != nil {
		t.Fatal(err)
	}
	return loss
}

// logProbabilities returns those of sentence i of the last batch, of n words.
func logProbabilities(t testing.TB, s *model.Scorer, i, n int) []float32 {
	t.Helper()
	p := make([]float32, n+1)
	if got := s.LogProbabilities(p, i); got != n {
		t.Fatalf("sentence %d: %d log-probabilities, want %d", i, got, n)
	}
	return p[:n]
}

// alignment returns the weights of sentence i of the last batch of a model of that kind,
// nothing for RNNencdec.
func alignment(t testing.TB, kind model.Kind, s *model.Scorer, i int, e text.Example) []float32 {
	t.Helper()
	a := kernels.NewMatrix(len(e.Target), len(e.Source))
	rows := s.Alignment(a, i)
	if kind == model.RNNencdec {
		if rows != 0 {
			t.Fatalf("sentence %d: %d rows of alignment, want none", i, rows)
		}
		return nil
	}
	if rows != len(e.Target) {
		t.Fatalf("sentence %d: %d rows of alignment, want %d", i, rows, len(e.Target))
	}
	return a.Data
}

func newStepper(t testing.TB, k kernels.Impl, m *model.Model, source int) *model.Stepper {
	t.Helper()
	s, err := model.NewStepper(k, m, model.StepperCapacity{Sentences: 1, Hypotheses: 1, Words: source, Joining: source})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func begin(t testing.TB, s *model.Stepper, source []int32) {
	t.Helper()
	if err := s.Begin(source); err != nil {
		t.Fatal(err)
	}
}

func stepOn(t testing.TB, s *model.Stepper, words ...int32) kernels.Matrix {
	t.Helper()
	scores, err := s.Step(words)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// differs returns the first index at which the bits of got and want differ, or -1. Slices
// of different lengths differ where the shorter one ends.
func differs(got, want []float32) int {
	for i := range min(len(got), len(want)) {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			return i
		}
	}
	if len(got) != len(want) {
		return min(len(got), len(want))
	}
	return -1
}

// sameBits fails unless got and want have the same bits.
func sameBits(t testing.TB, what string, got, want []float32) {
	t.Helper()
	i := differs(got, want)
	switch {
	case i < 0:
	case len(got) != len(want):
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
	default:
		t.Errorf("%s[%d]: got %x, want %x", what, i, got[i], want[i])
	}
}

func sameTranslation(t testing.TB, what string, got, want Translation) {
	t.Helper()
	if !slices.Equal(got.IDs, want.IDs) || math.Float64bits(got.LogProb) != math.Float64bits(want.LogProb) {
		t.Errorf("%s: got %v of %x, want %v of %x", what, got.IDs, got.LogProb, want.IDs, want.LogProb)
	}
	if math.Float64bits(got.Score) != math.Float64bits(want.Score) {
		t.Errorf("%s: score %x, want %x", what, got.Score, want.Score)
	}
	if got.Alignment.Rows != want.Alignment.Rows || got.Alignment.Cols != want.Alignment.Cols {
		t.Errorf("%s: alignment of %d×%d, want %d×%d", what, got.Alignment.Rows, got.Alignment.Cols, want.Alignment.Rows, want.Alignment.Cols)
	}
	sameBits(t, what+": alignment", got.Alignment.Data, want.Alignment.Data)
}

func sameList(t testing.TB, what string, got, want []Translation) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d translations, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		sameTranslation(t, fmt.Sprintf("%s: translation %d", what, i), got[i], want[i])
	}
}

// clone returns a copy that the next call does not overwrite.
func clone(r Translation) Translation {
	r.IDs = slices.Clone(r.IDs)
	r.Alignment.Data = slices.Clone(r.Alignment.Data)
	return r
}

// cloneAll returns copies that the next call does not overwrite.
func cloneAll(list []Translation) []Translation {
	list = slices.Clone(list)
	for i := range list {
		list[i] = clone(list[i])
	}
	return list
}

// checkError fails unless err wraps is and its message contains every part.
func checkError(t testing.TB, what string, err, is error, parts ...string) {
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

// badSources are invalid for a vocabulary of 21 words and a maximum length of 4.
var badSources = []struct {
	name   string
	source []int32
	is     error
	says   []string
}{
	{"nil source", nil, model.ErrExample, []string{"source", "empty"}},
	{"empty source", []int32{}, model.ErrExample, []string{"source", "empty"}},
	{"long source", []int32{1, 2, 3, 4, 0}, model.ErrCapacity, []string{"source", "5 words", "of 4"}},
	{"negative id", []int32{1, -1, 0}, model.ErrExample, []string{"source", "word 1", "id -1", "0 to 20"}},
	{"large id", []int32{1, 2, 21, 0}, model.ErrExample, []string{"source", "word 2", "id 21", "0 to 20"}},
	{"no end", []int32{1, 2, 3}, model.ErrExample, []string{"word 2 of the source has id 3", "EOS"}},
	{"one word", []int32{7}, model.ErrExample, []string{"word 0 of the source has id 7", "EOS"}},
	{"two ends", []int32{1, 0, 0}, model.ErrExample, []string{"word 1 of the source is EOS", "after word 2 only"}},
	{"early end", []int32{0, 5, 0}, model.ErrExample, []string{"word 0 of the source is EOS"}},
	{"end within", []int32{3, 0, 4}, model.ErrExample, []string{"word 1 of the source is EOS"}},
	{"largest id", []int32{math.MaxInt32}, model.ErrExample, []string{"source", "word 0", "id 2147483647"}},
	{"smallest id", []int32{math.MinInt32}, model.ErrExample, []string{"source", "word 0", "id -2147483648"}},
}

// A digest is a hash of values that depends neither on the byte order nor on the size of int.
type digest struct{ hash.Hash64 }

func newDigest() digest { return digest{fnv.New64a()} }

func (d digest) String() string { return fmt.Sprintf("%016x", d.Sum64()) }

func (d digest) number(v uint64) { d.Write(binary.LittleEndian.AppendUint64(nil, v)) }

func (d digest) floats(x []float32) {
	d.number(uint64(len(x)))
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	d.Write(b)
}

func (d digest) translation(r Translation) {
	d.number(uint64(len(r.IDs)))
	for _, w := range r.IDs {
		d.number(uint64(w))
	}
	d.number(math.Float64bits(r.LogProb))
	for i := range r.Alignment.Rows {
		d.floats(r.Alignment.Row(i))
	}
}

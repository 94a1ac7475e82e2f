package decode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

var (
	// ErrClosed is the error of calls after [Translator.Close].
	ErrClosed = errors.New("translator closed")
	// ErrBusy is the error of calls for which the queue has no room; see Options.Waiting.
	ErrBusy = errors.New("translator busy")
)

// A Translator translates with a model, or with an ensemble of models. Any number of goroutines
// may use it at the same time.
//
// All calls share one queue. Options.Threads worker goroutines take sentences from it. Each advances all of its
// sentences, of one call or of several, by a word at a time. Others join at the next step, or after four steps at most
// where they would add less than a quarter to the hypotheses that run. Finished ones leave at once. Calls take turns in
// the order of their arrival, sentence by sentence; short calls go before long ones. A result does not depend on the
// sentences beside it, on the load or on the number of threads.
//
// Each sentence has its own error. It wraps [model.ErrExample] if an id is not in the vocabulary, or
// EOS is missing at the end or stands before it, [model.ErrCapacity] if the search would exceed Options.Memory,
// [model.ErrNotFinite] if the weights are so large that scores are infinite or NaN, the error of the
// context if the call's context has ended, [ErrBusy] or [ErrClosed]. A nil context or function panics.
//
// The models must not change during a call. After a call whose context ended, workers may use them
// for one more step; Close waits for that.
type Translator struct {
	options  Options
	models   []*model.Model
	kept     *placeholders // nil if the model has none
	terms    *pipeline.Terms
	ordinary capacity // of the beams for all but long sentences
	queue    queue
	beams    store
	workers  sync.WaitGroup
}

// A Sentence is a source sentence and how to search for its translations.
type Sentence struct {
	Source    []int32 // ids, EOS at the end and nowhere else
	Prefix    []int32 // ids, without EOS, with which all translations begin; they count and score like chosen ones
	MaxLength int     // of its translations, and above len(Prefix); 0 is Options.MaxLength
	Beam      int     // hypotheses kept, if Options.Memory has room for them; 0 is Options.Beam
	NBest     int     // translations returned, at most Beam; 0 is Options.NBest, or Beam if that is less
}

// New returns a translator that uses m and the models of o.Ensemble. It starts o.Threads goroutines,
// which run until Close. The error wraps [model.ErrConfig], or is the *[pipeline.TermError] of one of o.Terms.
func New(m *model.Model, o Options) (*Translator, error) {
	models := append([]*model.Model{m}, o.Ensemble...)
	if err := checkModels(models); err != nil {
		return nil, err
	}
	o = o.withDefaults(m.Search)
	if err := o.check(); err != nil {
		return nil, err
	}
	t := &Translator{options: o, models: models}
	if o.ReplaceUNK && !t.aligns() {
		return nil, fmt.Errorf("%w: unknown words cannot be replaced by models of kind %q, which have no alignments", model.ErrConfig, m.Config.Kind)
	}
	t.kept = placeholdersOf(m)
	var err error
	if t.terms, err = m.SourceText.NewTerms(o.Terms); err != nil {
		return nil, err
	}
	t.ordinary = t.ordinaryCapacity()
	t.queue.filled.L, t.queue.by = &t.queue.mutex, map[any]int{}
	t.beams.changed.L, t.beams.limit = &t.beams.mutex, float64(o.Memory)
	t.workers.Add(o.Threads)
	for range o.Threads {
		go t.work()
	}
	return t, nil
}

// Close waits for the calls in progress and ends the goroutines of New. Later calls return
// ErrClosed. To abandon calls in progress, cancel their contexts.
func (t *Translator) Close() {
	t.queue.close()
	t.workers.Wait()
}

// Line translates a line of text. One without words stays, but for white space at its ends. If the model has
// no vocabularies, the error wraps [model.ErrConfig].
func (t *Translator) Line(ctx context.Context, line string) (string, error) {
	lines, errs := t.lines(ctx, []string{line})
	return lines[0], errs[0]
}

// Lines translates lines of text and keeps their order. If some lines fail, the others are still
// translated, and the error names the first of them by its number, counted from 1.
func (t *Translator) Lines(ctx context.Context, lines []string) ([]string, error) {
	output, errs := t.lines(ctx, lines)
	for i, err := range errs {
		if err != nil {
			return output, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return output, nil
}

// lines returns the translation or the error of each line.
func (t *Translator) lines(ctx context.Context, lines []string) ([]string, []error) {
	check(ctx, true)
	output, errs := make([]string, len(lines)), make([]error, len(lines))
	var sentences []Sentence
	var readings []pipeline.Reading
	var places []int
	for i, line := range lines {
		r, err := t.Read(line)
		if errs[i] = err; err == nil {
			sentences = append(sentences, Sentence{Source: t.models[0].EncodeWords(r.Words)})
			readings, places = append(readings, r), append(places, i)
		}
	}
	t.Each(ctx, sentences, func(i int, best []Translation, err error) {
		if err != nil {
			errs[places[i]] = err
			return
		}
		output[places[i]] = t.Write(readings[i], best[0]).Line
	})
	return output, errs
}

// Read returns a line as the translator reads it, with Options.Terms. If the model has no vocabularies, the error wraps
// [model.ErrConfig].
func (t *Translator) Read(line string) (pipeline.Reading, error) {
	m := t.models[0]
	if m.Source == nil || m.Target == nil {
		return pipeline.Reading{}, fmt.Errorf("%w: model without vocabularies, expected both to translate text", model.ErrConfig)
	}
	return m.SourceText.Read(line, t.terms), nil
}

// Write returns a translation of a reading as text, with the spans of the line, and with unknown words replaced if
// Options.ReplaceUNK is set. The model must have vocabularies.
func (t *Translator) Write(of pipeline.Reading, r Translation) pipeline.Writing {
	m := t.models[0]
	if t.options.ReplaceUNK {
		return m.TargetText.Write(r.ReplaceUNK(m.Target, of.Words), of)
	}
	return m.TargetText.Write(m.Target.Decode(r.IDs), of)
}

// Translate returns the Options.NBest best translations of a sentence of ids, best first, or fewer
// if the search finds no more. They belong to the caller. A sentence without words, which is EOS
// alone, has one translation: EOS, with log p 0.
func (t *Translator) Translate(ctx context.Context, source []int32) (best []Translation, err error) {
	t.Each(ctx, []Sentence{{Source: source}}, func(_ int, b []Translation, e error) { best, err = b, e })
	return best, err
}

// Each translates sentences and calls f once for each list[i], with what Translate would return, as
// soon as there is a result. f runs on the goroutine of the caller, in any order of the sentences,
// and results wait for it: a slow f does not stop the workers. When ctx ends, Each does not wait for
// the sentences that are being translated.
func (t *Translator) Each(ctx context.Context, list []Sentence, f func(i int, best []Translation, err error)) {
	check(ctx, f != nil)
	tasks := make([]*task, 0, len(list))
	for i, s := range list {
		k, err := t.newTask(ctx, i, s)
		if err != nil {
			f(i, nil, err)
			continue
		}
		tasks = append(tasks, k)
	}
	t.run(ctx, tasks, func(i int, best []Translation, err error) { f(i, t.trimmed(list[i], best), err) })
}

// Check returns the error that Translate would return for the ids or the length of a source
// sentence, without translating it.
func (t *Translator) Check(source []int32) error { return t.CheckSentence(Sentence{Source: source}) }

// CheckSentence is Check for a sentence with its prefix.
func (t *Translator) CheckSentence(s Sentence) error {
	_, err := t.newTask(context.Background(), 0, s)
	return err
}

// newTask returns the task of translating sentence i of a call.
func (t *Translator) newTask(ctx context.Context, i int, s Sentence) (*task, error) {
	s, err := t.complete(s)
	if err != nil {
		return nil, err
	}
	need, beam, err := t.capacityFor(s.Beam, len(s.Source), s.MaxLength)
	if err != nil {
		return nil, err
	}
	ids := slices.Concat(s.Source, s.Prefix)
	k := &task{
		mode: translate{}, ctx: ctx, index: i, need: need, beam: beam, wanted: s.NBest, maxLength: s.MaxLength,
		source: ids[:len(s.Source)], prefix: ids[len(s.Source):], length: len(s.Source),
	}
	if t.kept != nil {
		k.keep = &keep{placeholders: t.kept}
	}
	if len(ids) == 1 {
		k.results = []Translation{t.wordless()}
	}
	return k, nil
}

// wordless returns the translation of a sentence without words.
func (t *Translator) wordless() Translation {
	r := Translation{IDs: []int32{text.EOS}, LogProbs: []float64{0}}
	if t.aligns() {
		r.Alignment = kernels.View([]float32{1}, 1, 1)
	}
	return r
}

// complete returns s with the defaults in place of zeros.
func (t *Translator) complete(s Sentence) (Sentence, error) {
	c := t.models[0].Config
	if err := checkIDs("source", s.Source, c.SourceVocab); err != nil {
		return s, err
	}
	if err := checkVocabulary("prefix", s.Prefix, c.TargetVocab); err != nil {
		return s, err
	}
	if s.MaxLength == 0 {
		s.MaxLength = t.options.maxLength(len(s.Source))
	}
	if s.Beam == 0 {
		s.Beam = t.options.Beam
	}
	if s.NBest == 0 {
		s.NBest = min(t.options.NBest, s.Beam)
	}
	switch place := slices.Index(s.Prefix, text.EOS); {
	case place >= 0:
		return s, fmt.Errorf("%w: word %d of the prefix is EOS, expected a prefix without it", model.ErrExample, place)
	case s.MaxLength < 0:
		return s, fmt.Errorf("%w: maximum length %d, expected 0 or more", model.ErrExample, s.MaxLength)
	case len(s.Prefix) >= s.MaxLength:
		return s, fmt.Errorf("%w: prefix of %d ids, expected fewer than the maximum length of %d", model.ErrExample, len(s.Prefix), s.MaxLength)
	case s.Beam < 1:
		return s, fmt.Errorf("%w: beam of %d hypotheses, expected 0 or more", model.ErrExample, s.Beam)
	case s.NBest < 1 || s.NBest > s.Beam:
		return s, fmt.Errorf("%w: %d best translations, expected 0 to the beam of %d", model.ErrExample, s.NBest, s.Beam)
	}
	return s, nil
}

// maxLength returns the maximum number of ids of a translation of a source of that many ids.
func (o Options) maxLength(source int) int {
	if o.MaxLength > 0 {
		return o.MaxLength
	}
	return max(3*source, min(o.MinLength, math.MaxInt-1)+1)
}

// checkIDs returns an error unless the ids are words of the vocabulary and then EOS. Words are
// counted from 0.
func checkIDs(side string, ids []int32, vocabulary int) error {
	last := len(ids) - 1
	if last < 0 {
		return fmt.Errorf("%w: empty %s, expected ids that end with EOS", model.ErrExample, side)
	}
	if err := checkVocabulary(side, ids, vocabulary); err != nil {
		return err
	}
	if i := slices.Index(ids, text.EOS); i >= 0 && i < last {
		return fmt.Errorf("%w: word %d of the %s is EOS, expected it after word %d only", model.ErrExample, i, side, last)
	}
	if ids[last] != text.EOS {
		return fmt.Errorf("%w: word %d of the %s has id %d, expected EOS as the last", model.ErrExample, last, side, ids[last])
	}
	return nil
}

// checkVocabulary returns an error unless the ids are in the vocabulary.
func checkVocabulary(side string, ids []int32, vocabulary int) error {
	for i, id := range ids {
		if id < 0 || int(id) >= vocabulary {
			return fmt.Errorf("%w: word %d of the %s has id %d, expected 0 to %d", model.ErrExample, i, side, id, vocabulary-1)
		}
	}
	return nil
}

// run queues tasks and calls f with the result of each.
func (t *Translator) run(ctx context.Context, tasks []*task, f func(i int, best []Translation, err error)) {
	type result struct {
		*task
		err error
	}
	results := make(chan result, len(tasks)) // no worker waits for f
	waiting := make(map[*task]bool, len(tasks))
	for _, k := range tasks {
		k.done = func(k *task, err error) { results <- result{k, err} }
		waiting[k] = true
	}
	c, failure := t.enqueue(ctx, tasks)
	for failure == nil && len(waiting) > 0 {
		select {
		case r := <-results:
			delete(waiting, r.task)
			f(r.index, r.results, r.err)
		case <-ctx.Done():
			t.queue.remove(c)
			failure = ctx.Err()
		}
	}
	for _, k := range tasks {
		if waiting[k] {
			f(k.index, nil, failure)
		}
	}
}

// enqueue adds tasks to the queue, but for those with results, which are done.
func (t *Translator) enqueue(ctx context.Context, tasks []*task) (*call, error) {
	var decided, undecided []*task
	for _, k := range tasks {
		if k.results != nil {
			decided = append(decided, k)
		} else {
			undecided = append(undecided, k)
		}
	}
	c := newCall(ctx, undecided)
	if err := ctx.Err(); err != nil {
		return c, err
	}
	if err := t.queue.add(c, t.options.Waiting); err != nil {
		return c, err
	}
	for _, k := range decided {
		k.done(k, nil)
	}
	return c, nil
}

// check panics if an argument of a method is nil.
func check(ctx context.Context, callback bool) {
	if ctx == nil {
		panic("decode: nil context")
	}
	if !callback {
		panic("decode: nil function")
	}
}

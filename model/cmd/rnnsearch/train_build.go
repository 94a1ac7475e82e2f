package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/softsearch-go/softsearch/model/cmd/bitext"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// buildCorpus reads the files, each once, and writes the training pairs as examples.
func buildCorpus(o corpusOptions, threads int, show *preparation) (c *corpus, err error) {
	c = &corpus{corpusFacts: corpusFacts{Checksums: settings{}}}
	if c.SourceText, c.TargetText, err = o.tokenizers(); err != nil {
		return nil, err
	}
	if err := c.readGiven(o); err != nil {
		return nil, err
	}
	if o.initial != nil {
		if err := o.initial.give(c, o); err != nil {
			return nil, err
		}
	}
	if o.keepCache {
		if err := o.checkCache(); err != nil {
			return nil, err
		}
	}
	t := bitext.NewText(func() (*files.Temporary, error) {
		if err := o.checkCache(); err != nil { // which will have the pairs
			return nil, err
		}
		return show.temporary(o.cache)
	})
	defer t.Close()
	if err := c.readTraining(o, t, threads, show); err != nil {
		return nil, err
	}
	if err := c.readValidation(o, show); err != nil {
		return nil, err
	}
	split, err := newSplit(o, t.Len())
	if err != nil {
		return nil, err
	}
	if err := c.segment(o, t, split, threads, show); err != nil {
		return nil, err
	}
	if err := c.countWords(o, t, split, show); err != nil {
		return nil, err
	}
	return c, c.encode(o, t, split, show)
}

// read opens the file, calls f, and adds the checksum to those of the flag.
func (c *corpus) read(file textFile, f func(*textInput) error) error {
	in, err := openText(file.path)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := f(in); err != nil {
		return err
	}
	checksum, err := in.checksum()
	if err != nil {
		return err
	}
	c.Checksums.addChecksum(file.flag, checksum)
	return nil
}

// readGiven reads the vocabularies and the codes that are given.
func (c *corpus) readGiven(o corpusOptions) error {
	for _, given := range []struct {
		textFile
		read func(*textInput) error
	}{
		{textFile{"source-vocabulary", o.sourceVocabulary}, func(in *textInput) (err error) { c.source, err = text.ReadVocabulary(in); return err }},
		{textFile{"target-vocabulary", o.targetVocabulary}, func(in *textInput) (err error) { c.target, err = text.ReadVocabulary(in); return err }},
		{textFile{"codes", o.codes}, func(in *textInput) (err error) { c.codes, err = bpe.ReadCodes(in); return err }},
	} {
		if given.path == "" {
			continue
		}
		if err := c.read(given.textFile, given.read); err != nil {
			return fmt.Errorf("--%s %s: %w", given.flag, given.path, err)
		}
	}
	return nil
}

// readTraining reads and tokenizes the training text. It drops pairs with a bad line, warns of them and
// counts them, unless that is an error.
func (c *corpus) readTraining(o corpusOptions, t *bitext.Text, threads int, show *preparation) error {
	p := show.begin("reading training text", terminal.Bytes, totalSize(slices.Concat(o.source, o.target)))
	defer p.Done()
	var earlier *bitext.PairSet
	if o.dropDuplicates {
		earlier = bitext.NewPairSet()
	}
	for i, source := range o.source {
		bad, err := c.readPairs(o, show, p, "training text", textFile{"source", source}, textFile{"target", o.target[i]}, func(r text.ParallelReader) error {
			return t.Read(r, threads, earlier)
		})
		if err != nil {
			return err
		}
		c.Bad += bad
	}
	c.Duplicates = t.Duplicates
	return nil
}

// readValidation reads and tokenizes the validation text, if there are files of it, like readTraining.
func (c *corpus) readValidation(o corpusOptions, show *preparation) (err error) {
	if o.validSource == "" {
		return nil
	}
	p := show.begin("reading validation text", terminal.Bytes, totalSize([]string{o.validSource, o.validTarget}))
	defer p.Done()
	c.BadValid, err = c.readPairs(o, show, p, "validation text", textFile{"valid-source", o.validSource}, textFile{"valid-target", o.validTarget}, func(r text.ParallelReader) (err error) {
		c.Valid, err = r.Read()
		return err
	})
	return err
}

// readPairs calls read with a reader of parallel text. It warns of pairs that the reader drops and
// returns their number.
func (c *corpus) readPairs(o corpusOptions, show *preparation, p terminal.Progress, title string, source, target textFile, read func(text.ParallelReader) error) (bad int, err error) {
	var messages bytes.Buffer
	dropped := terminal.Warnings{W: &messages, Treatment: "dropped"}
	err = c.read(source, func(sourceIn *textInput) error {
		return c.read(target, func(targetIn *textInput) error {
			sourceIn.progress, targetIn.progress = p, p
			return read(text.ParallelReader{
				Source: sourceIn, SourceName: source.path, SplitSource: c.SourceText.Tokenize,
				Target: targetIn, TargetName: target.path, SplitTarget: c.TargetText.Tokenize,
				Strict: o.strict,
				OnDrop: dropped.Add,
			})
		})
	})
	if err != nil {
		return 0, err
	}
	dropped.Close(title)
	c.tell(show, messages.Bytes())
	return dropped.N, nil
}

// tell writes messages, which a cache repeats.
func (c *corpus) tell(show *preparation, messages []byte) {
	c.Messages = append(c.Messages, messages...)
	if len(messages) > 0 {
		show.write(messages)
	}
}

// maxHeldOut is about the largest number of pairs that are held out.
const maxHeldOut = 1000

// A split says which pairs of a text are held out for validation: every tenth one, or about maxHeldOut
// pairs at equal distances if the text is large.
type split struct {
	pairs int
	step  int // 0 if none is held out
}

// newSplit returns the split of a text of that many pairs.
func newSplit(o corpusOptions, pairs int) (split, error) {
	if o.validSource != "" {
		return split{pairs, 0}, nil
	}
	step := max(10, pairs/maxHeldOut)
	if pairs < step {
		return split{}, fmt.Errorf("%d pairs: expected at least %d, or --valid-source and --valid-target", pairs, step)
	}
	return split{pairs, step}, nil
}

// holdsOut reports whether pair i is held out.
func (s split) holdsOut(i int) bool { return s.step > 0 && i%s.step == s.step-1 }

// training returns the number of pairs that are not held out.
func (s split) training() int {
	if s.step == 0 {
		return s.pairs
	}
	return s.pairs - s.pairs/s.step
}

// samples reports whether training pair i, counted without those that are held out, is in a sample of n
// of them at equal distances.
func (s split) samples(i, n int) bool {
	before := func(i int) int64 { return int64(i) * int64(n) / int64(s.training()) }
	return before(i) < before(i+1)
}

// segment applies byte-pair encoding, if requested. The merges are learned from the whole training
// text or a sample of it, sentences above the maximum length included.
func (c *corpus) segment(o corpusOptions, t *bitext.Text, s split, threads int, show *preparation) (err error) {
	switch {
	case o.initial != nil:
		return c.applySegments(t, threads, show)
	case o.codes == "" && o.merges == 0:
		return nil
	}
	var all, sampled *tokenCounts
	if o.merges > 0 || o.threshold > 0 {
		if all, sampled, err = c.countTokens(o, t, s, show); err != nil {
			return err
		}
	}
	codes := c.codes
	if o.merges > 0 {
		p := show.begin("learning byte-pair encoding", terminal.Estimate, mergeParts)
		done := 0
		if codes, err = pipeline.LearnCodes(t.Source.Frequencies(sampled.source), t.Target.Frequencies(sampled.target), o.merges, func(merges int) {
			if now := mergesDone(merges, o.merges); now > done {
				p.Add(now-done, fmt.Sprintf("%d of %d merges", merges, o.merges))
				done = now
			}
		}); err != nil {
			return err
		}
	}
	var source, target bpe.Frequencies
	if o.threshold > 0 {
		source, target = t.Source.Frequencies(all.source), t.Target.Frequencies(all.target)
	}
	if c.SourceText, c.TargetText, err = pipeline.WithCounts(c.SourceText, c.TargetText, codes, source, target, o.threshold); err != nil {
		return err
	}
	return c.applySegments(t, threads, show)
}

// mergeParts is the number of parts of the time to learn merges.
const mergeParts = 1000

// mergesDone returns the number of parts that are done after some of all merges. The time of a merge is
// proportional to the number of words that contain its pair, which is about constant for the first
// merges and then falls with their rank (Zipf's law).
func mergesDone(merges, all int) int {
	const even = 50 // merges
	return int(mergeParts * math.Log1p(float64(merges)/even) / math.Log1p(float64(all)/even))
}

// countTokens counts the tokens of the training text, and those of the sample to learn merges from,
// which is the whole text unless that has more pairs than --bpe-sample.
func (c *corpus) countTokens(o corpusOptions, t *bitext.Text, s split, show *preparation) (all, sampled *tokenCounts, err error) {
	all = newTokenCounts(t)
	if sampled = all; o.merges > 0 && o.sample > 0 && o.sample < s.training() {
		sampled = newTokenCounts(t)
		c.tell(show, fmt.Appendf(nil, "rnnsearch: learning byte-pair encoding from %d of %d pairs; --bpe-sample 0 takes all\n", o.sample, s.training()))
	}
	training := 0
	err = eachPair(t, "counting tokens", show, func(i int, source, target []uint32) error {
		if s.holdsOut(i) {
			return nil
		}
		all.add(source, target)
		if sampled != all && s.samples(training, o.sample) {
			sampled.add(source, target)
		}
		training++
		return nil
	})
	return all, sampled, err
}

// applySegments divides the tokens of the text into segments.
func (c *corpus) applySegments(t *bitext.Text, threads int, show *preparation) error {
	p := show.begin("segmenting", "tokens", t.Source.Size()+t.Target.Size())
	defer p.Done()
	t.Source.Segment(c.SourceText, threads, func(n int) { p.Add(n, "") })
	t.Target.Segment(c.TargetText, threads, func(n int) { p.Add(n, "") })
	for i, pair := range c.Valid {
		c.Valid[i] = text.Pair{Source: c.SourceText.Segment(pair.Source), Target: c.TargetText.Segment(pair.Target)}
	}
	return nil
}

// tokenCounts are how often each token of a text occurs, by number.
type tokenCounts struct{ source, target []int }

func newTokenCounts(t *bitext.Text) *tokenCounts {
	return &tokenCounts{make([]int, t.Source.Size()), make([]int, t.Target.Size())}
}

// add adds the tokens of a pair.
func (c *tokenCounts) add(source, target []uint32) {
	for _, token := range source {
		c.source[token]++
	}
	for _, token := range target {
		c.target[token]++
	}
}

// eachPair calls f for each pair of a text and shows the progress.
func eachPair(t *bitext.Text, title string, show *preparation, f func(i int, source, target []uint32) error) error {
	const together = 1 << 12
	p := show.begin(title, "pairs", t.Len())
	defer p.Done()
	return t.Each(func(i int, source, target []uint32) error {
		if left := t.Len() - i; i%together == 0 {
			p.Add(min(together, left), "")
		}
		return f(i, source, target)
	})
}

// length says whether a training pair is dropped because of its length.
func (o *corpusOptions) length(t *bitext.Text, source, target []uint32) (tooLong, uneven bool) {
	n, m := t.Source.Words(source), t.Target.Words(target)
	tooLong = max(n, m) > o.maxLength
	return tooLong, !tooLong && o.lengthRatio > 0 && float64(max(n, m)) > o.lengthRatio*float64(min(n, m))
}

// countWords takes the held-out pairs as validation text, builds the vocabularies that are not given
// from the others, and counts those that are dropped because of their length.
func (c *corpus) countWords(o corpusOptions, t *bitext.Text, s split, show *preparation) error {
	counts := newTokenCounts(t)
	err := eachPair(t, "counting words", show, func(i int, source, target []uint32) error {
		if s.holdsOut(i) {
			c.Valid = append(c.Valid, text.Pair{
				Source: c.SourceText.Segment(t.Source.Tokens(source)), Target: c.TargetText.Segment(t.Target.Tokens(target)),
			})
			return nil
		}
		switch tooLong, uneven := o.length(t, source, target); {
		case tooLong:
			c.TooLong++
		case uneven:
			c.Uneven++
		default:
			counts.add(source, target)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.TooLong+c.Uneven == s.training() {
		return fmt.Errorf("%s, %s: %s", &o.source, &o.target, c.allDropped(o))
	}
	for _, side := range []struct {
		name       string
		vocabulary **text.Vocabulary
		given      textFile
		counts     map[string]int
	}{
		{"source", &c.source, textFile{"source-vocabulary", o.sourceVocabulary}, t.Source.Counts(counts.source)},
		{"target", &c.target, textFile{"target-vocabulary", o.targetVocabulary}, t.Target.Counts(counts.target)},
	} {
		if o.initial != nil {
			side.given = textFile{"init", o.initial.path}
		}
		if side.given.path != "" {
			c.checkCoverage(*side.vocabulary, side.given, side.counts, show)
		} else if *side.vocabulary, err = text.VocabularyOfCounts(side.counts, o.vocab); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
	}
	return nil
}

// allDropped says why no training pair is left.
func (c *corpus) allDropped(o corpusOptions) string {
	if c.Uneven == 0 {
		return fmt.Sprintf("all %d pairs have more than %s on a side", c.TooLong, terminal.Plural(o.maxLength, "word"))
	}
	return fmt.Sprintf("all %d pairs have more than %s on a side or a length ratio above %v",
		c.TooLong+c.Uneven, terminal.Plural(o.maxLength, "word"), o.lengthRatio)
}

// checkCoverage warns of a vocabulary that is given and has few words of the training text, in which
// they occur that often.
func (c *corpus) checkCoverage(v *text.Vocabulary, file textFile, counts map[string]int, show *preparation) {
	const maxUnknown = 0.1
	var unknown mean
	for word, n := range counts {
		if v.ID(word) == text.UNK {
			unknown.Sum += float64(n)
		}
		unknown.Terms += float64(n)
	}
	if unknown.value() > maxUnknown {
		c.tell(show, fmt.Appendf(nil, "rnnsearch: warning: --%s %s: %.1f%% of the words of the training text are not in it and become <unk>\n",
			file.flag, terminal.Quote(file.path), 100*unknown.value()))
	}
}

// encode writes the examples: to the cache if the text is large or a cache is asked for, and to memory
// otherwise.
func (c *corpus) encode(o corpusOptions, t *bitext.Text, s split, show *preparation) error {
	write := func(out io.Writer) error {
		w := bitext.NewWriter(out)
		sourceIDs, targetIDs := t.Source.Encoder(c.source), t.Target.Encoder(c.target)
		var e text.Example
		err := eachPair(t, "encoding", show, func(i int, source, target []uint32) error {
			if tooLong, uneven := o.length(t, source, target); s.holdsOut(i) || tooLong || uneven {
				return nil
			}
			e.Source, e.Target = sourceIDs.Append(e.Source[:0], source), targetIDs.Append(e.Target[:0], target)
			return w.Add(e)
		})
		if err != nil {
			return err
		}
		metadata, err := c.metadata(o)
		if err != nil {
			return err
		}
		return w.Close(metadata)
	}
	if t.IsLarge() || o.keepCache {
		return c.writeCache(o, show, write)
	}
	var content bytes.Buffer
	err := write(&content)
	if err == nil {
		c.train, err = bitext.OpenBytes(content.Bytes())
	}
	return err
}

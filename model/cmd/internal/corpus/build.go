package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/links"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

type builder struct {
	*preparation
	corpus *Corpus
	text   *tokenText
	plain  map[string]plainText // of the files of a flag, the plainest
	names  *names               // nil until tokens are counted
	split
}

func (p *preparation) build() (_ *Corpus, err error) {
	c := &Corpus{settings: p.Settings, Summary: Summary{Checksums: Checksums{}}}
	b := &builder{preparation: p, corpus: c, plain: map[string]plainText{}}
	if c.SourceText, c.TargetText, err = p.Pipelines(); err != nil {
		return nil, err
	}
	if err := b.readGiven(); err != nil {
		return nil, err
	}
	if err := b.takeInitial(); err != nil {
		return nil, err
	}
	if p.KeepCache {
		if err := p.checkCache(); err != nil {
			return nil, err
		}
	}
	temporary := p.temporary
	if p.Cache == "" {
		temporary = nil
	}
	b.text = newTokenText(temporary)
	defer b.text.close()
	for _, stage := range []func() error{b.readTraining, b.hold, b.segment, b.readValidation, b.countWords, b.encode} {
		if err := stage(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// read opens a file and calls f, then adds the checksum to the flag's, and the file to plain. More than limit bytes are
// an error, unless it is 0.
func (b *builder) read(file textFile, progress terminal.Progress, limit int, f func(*input) error) error {
	in, err := openInput(b.ctx, file.path, progress)
	if err != nil {
		return err
	}
	defer in.Close()
	in.Limit(limit)
	if err := f(in); err != nil {
		return err
	}
	checksum, err := in.checksum()
	if err != nil {
		return err
	}
	b.corpus.Checksums.add(file.flag, checksum)
	if share := punctuated(string(in.head)); share > b.plain[file.flag].share {
		b.plain[file.flag] = plainText{file, share}
	}
	return nil
}

func (b *builder) readGiven() error {
	c := b.corpus
	for _, given := range []struct {
		textFile
		read func(*input) error
	}{
		{textFile{"source-vocabulary", b.SourceVocabulary}, func(in *input) (err error) { c.Source, err = text.ReadVocabulary(in); return err }},
		{textFile{"target-vocabulary", b.TargetVocabulary}, func(in *input) (err error) { c.Target, err = text.ReadVocabulary(in); return err }},
		{textFile{"codes", b.Codes}, func(in *input) (err error) { c.codes, err = bpe.ReadCodes(in); return err }},
	} {
		if given.path == "" {
			continue
		}
		if err := b.read(given.textFile, terminal.NoProgress{}, 64<<20, given.read); err != nil {
			return fmt.Errorf("--%s %s: %w", given.flag, given.path, err)
		}
	}
	return nil
}

// takeInitial takes the vocabularies and the pipelines of the initial model. Those of files, and the
// codes, must be the same.
func (b *builder) takeInitial() error {
	c, m := b.corpus, b.Initial
	if m == nil {
		return nil
	}
	for _, given := range []struct {
		flag, path string
		v, of      *text.Vocabulary
	}{{"source-vocabulary", b.SourceVocabulary, c.Source, m.Source}, {"target-vocabulary", b.TargetVocabulary, c.Target, m.Target}} {
		if given.v != nil && !slices.Equal(given.v.Words(), given.of.Words()) {
			return fmt.Errorf("--%s %s: not the vocabulary of --init %s", given.flag, given.path, m.Path)
		}
	}
	for _, p := range []pipeline.Pipeline{m.SourceText, m.TargetText} {
		if b.Codes != "" && !slices.Equal(p.Settings().Codes, c.codes) {
			return fmt.Errorf("--codes %s: not the merges of --init %s", b.Codes, m.Path)
		}
	}
	c.Source, c.Target, c.SourceText, c.TargetText = m.Source, m.Target, m.SourceText, m.TargetText
	return nil
}

// readTraining reads and tokenizes the training text. It drops pairs with a bad line, warns of them and
// counts them, unless that is an error. It warns of plain text that is not to be tokenized, too.
func (b *builder) readTraining() (err error) {
	var earlier *pairSet
	if b.DropDuplicates {
		earlier = newPairSet()
	}
	b.corpus.Bad, err = b.readPairs("training text", "", b.Source, b.Target, func(r text.ParallelReader, i int) error {
		if b.GuidedAlignment == nil {
			return b.text.read(r, b.threads, earlier, nil)
		}
		return b.read(textFile{guidedAlignment, b.GuidedAlignment[i]}, terminal.NoProgress{}, 0, func(in *input) error {
			return b.text.read(r, b.threads, earlier, links.NewReader(in))
		})
	})
	b.corpus.Duplicates = b.text.duplicates
	if b.Initial == nil {
		var list []plainText
		if b.SourceLanguage == "" {
			list = append(list, b.plain["source"])
		}
		if b.TargetLanguage == "" {
			list = append(list, b.plain["target"])
		}
		b.write(plainWarning(list))
	}
	return err
}

// readValidation reads and tokenizes the validation text, if it has files, as readTraining does.
func (b *builder) readValidation() (err error) {
	if b.ValidSource == "" {
		return nil
	}
	b.corpus.BadValid, err = b.readPairs("validation text", "valid-", []string{b.ValidSource}, []string{b.ValidTarget}, func(r text.ParallelReader, _ int) (err error) {
		b.corpus.Valid, err = r.Read()
		return err
	})
	return err
}

// readPairs calls read with a reader of each two files. It warns of pairs that the readers drop, and
// returns their number.
func (b *builder) readPairs(title, prefix string, sources, targets []string, read func(r text.ParallelReader, file int) error) (bad int, err error) {
	var messages []byte
	p := b.Begin("reading "+title, terminal.Bytes, totalSize(slices.Concat(sources, targets)...))
	for i := range sources {
		var warnings bytes.Buffer
		dropped := terminal.Warnings{W: &warnings, Treatment: "dropped"}
		source, target := textFile{prefix + "source", sources[i]}, textFile{prefix + "target", targets[i]}
		err = b.read(source, p, 0, func(sourceIn *input) error {
			return b.read(target, p, 0, func(targetIn *input) error {
				return read(text.ParallelReader{
					Source: sourceIn, SourceName: source.path, Target: targetIn, TargetName: target.path,
					Strict: b.Strict,
					Split: func(source, target string) (p text.Pair, err error) {
						if prefix == "" {
							p.Source, p.Target, err = pipeline.TokenizePair(b.corpus.SourceText, b.corpus.TargetText, source, target)
							return p, err
						}
						r, t, _ := pipeline.ReadPair(b.corpus.SourceText, b.corpus.TargetText, source, target) // what cannot be learned can be measured
						return text.Pair{Source: r.Words, Target: t.Words}, nil
					},
					OnDrop: func(err error) {
						if errors.Is(err, pipeline.ErrSpans) {
							b.corpus.Unlike++
						} else {
							dropped.Add(err)
						}
					},
				}, i)
			})
		})
		if err != nil {
			break
		}
		dropped.Close(title)
		messages = append(messages, warnings.Bytes()...)
		bad += dropped.N
	}
	p.Done()
	b.write(messages)
	return bad, err
}

// write writes messages, which the cache repeats.
func (b *builder) write(messages []byte) {
	b.corpus.Messages = append(b.corpus.Messages, messages...)
	b.Messages.Write(messages)
}

// maxHeldOut is about the largest number of pairs that are held out.
const maxHeldOut = 1000

// A split says which pairs of a text are held out for validation: every tenth one, or about maxHeldOut
// pairs at equal distances if the text is large.
type split struct {
	pairs int
	step  int // 0 if none is held out
}

func newSplit(pairs int) (split, error) {
	step := max(10, pairs/maxHeldOut)
	if pairs < step {
		return split{}, fmt.Errorf("%s: expected at least %d, or --valid-source and --valid-target", terminal.Plural(pairs, "pair"), step)
	}
	return split{pairs, step}, nil
}

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

// hold decides which pairs are held out: none if there are files for validation.
func (b *builder) hold() (err error) {
	if b.split = (split{pairs: b.text.pairs}); b.ValidSource == "" {
		b.split, err = newSplit(b.text.pairs)
	}
	return err
}

// segment applies byte-pair encoding, if requested. The merges are learned from the whole training
// text or a sample of it, sentences above the maximum length included.
func (b *builder) segment() (err error) {
	c, t := b.corpus, b.text
	if b.Initial != nil || b.Codes == "" && b.Merges == 0 && len(c.SourceText.Reserved()) == 0 {
		return b.applySegments()
	}
	all, sampled, err := b.countTokens()
	if err != nil {
		return err
	}
	codes := c.codes
	if b.Merges > 0 {
		if codes, err = b.learn(frequencies(t.source.tokens, sampled.source), frequencies(t.target.tokens, sampled.target)); err != nil {
			return err
		}
	}
	source, target := frequencies(t.source.tokens, all.source), frequencies(t.target.tokens, all.target)
	if c.SourceText, c.TargetText, err = pipeline.WithCounts(c.SourceText, c.TargetText, codes, source, target, b.Threshold); err != nil {
		return err
	}
	return b.applySegments()
}

// countTokens counts the tokens of the training text and of the sample to learn merges from,
// which is the whole text unless that has more pairs.
func (b *builder) countTokens() (all, sampled *tokenCounts, err error) {
	all = newTokenCounts(b.text)
	if sampled = all; b.Merges > 0 && b.Sample > 0 && b.Sample < b.training() {
		sampled = newTokenCounts(b.text)
		b.write(fmt.Appendf(nil, "rnnsearch: learning byte-pair encoding from %d of %d pairs; --bpe-sample 0 takes all\n", b.Sample, b.training()))
	}
	training := 0
	err = b.eachPair("counting tokens", func(i int, source, target, _ []uint32) error {
		if b.holdsOut(i) {
			return nil
		}
		all.add(source, target)
		if sampled != all && b.samples(training, b.Sample) {
			sampled.add(source, target)
		}
		training++
		return nil
	})
	return all, sampled, err
}

func (b *builder) learn(source, target bpe.Frequencies) (codes bpe.Codes, err error) {
	p := b.Begin("learning byte-pair encoding", "merges", b.Merges)
	defer p.Done()
	merges, err := pipeline.Merges(source, target)
	if err != nil {
		return nil, err
	}
	codes = bpe.Codes{}
	for m := range merges {
		codes = append(codes, m)
		p.Add(1, "")
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		if len(codes) == b.Merges {
			break
		}
	}
	return codes, nil
}

func (b *builder) applySegments() error {
	c, t := b.corpus, b.text
	b.names = newNames(c.SourceText, c.TargetText, t)
	p := b.Begin("segmenting", "tokens", t.source.size()+t.target.size())
	defer p.Done()
	progress := func(n int) error {
		p.Add(n, "")
		return b.ctx.Err()
	}
	if err := t.source.segment(c.SourceText, b.threads, progress); err != nil {
		return err
	}
	if err := t.target.segment(c.TargetText, b.threads, progress); err != nil {
		return err
	}
	return nil
}

type tokenCounts struct{ source, target []int }

func newTokenCounts(t *tokenText) *tokenCounts {
	return &tokenCounts{make([]int, t.source.size()), make([]int, t.target.size())}
}

func (c *tokenCounts) add(source, target []uint32) {
	for _, token := range source {
		c.source[token]++
	}
	for _, token := range target {
		c.target[token]++
	}
}

// eachPair calls f for each pair of the text and shows the progress.
func (b *builder) eachPair(title string, f func(i int, source, target, links []uint32) error) error {
	const together = 1 << 12
	p := b.Begin(title, "pairs", b.pairs)
	defer p.Done()
	return b.text.each(func(i int, source, target, links []uint32) error {
		if i%together == 0 {
			p.Add(min(together, b.pairs-i), "")
			if err := b.ctx.Err(); err != nil {
				return err
			}
		}
		b.names.take(source, target)
		return f(i, source, target, links)
	})
}

func (b *builder) dropped(source, target []uint32) (tooLong, uneven bool) {
	n, m := b.text.source.wordCount(source), b.text.target.wordCount(target)
	tooLong = max(n, m) > b.MaxLength
	return tooLong, !tooLong && b.LengthRatio > 0 && float64(max(n, m)) > b.LengthRatio*float64(min(n, m))
}

// countWords takes the held-out pairs as validation text, builds the vocabularies that are not given
// from the others, and counts those that are dropped because of their length.
func (b *builder) countWords() error {
	c, t := b.corpus, b.text
	counts := newTokenCounts(t)
	err := b.eachPair("counting words", func(i int, source, target, _ []uint32) error {
		if b.holdsOut(i) {
			c.Valid = append(c.Valid, text.Pair{
				Source: c.SourceText.Segment(t.source.tokensOf(source)), Target: c.TargetText.Segment(t.target.tokensOf(target)),
			})
			return nil
		}
		switch tooLong, uneven := b.dropped(source, target); {
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
	if c.TooLong+c.Uneven == b.training() {
		return b.allDropped()
	}
	if c.Source, err = b.vocabulary(c.SourceText, c.Source, textFile{"source-vocabulary", b.SourceVocabulary}, t.source.counts(counts.source)); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if c.Target, err = b.vocabulary(c.TargetText, c.Target, textFile{"target-vocabulary", b.TargetVocabulary}, t.target.counts(counts.target)); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	return nil
}

// allDropped says why no training pair is left.
func (b *builder) allDropped() error {
	list := func(paths []string) string { return strings.Join(paths, string(os.PathListSeparator)) }
	reason := fmt.Sprintf("%s, %s: all %d pairs have more than %s on a side", list(b.Source), list(b.Target), b.training(), terminal.Plural(b.MaxLength, "word"))
	if b.corpus.Uneven == 0 {
		return fmt.Errorf("%s", reason)
	}
	return fmt.Errorf("%s or a length ratio above %v", reason, b.LengthRatio)
}

// vocabulary returns the vocabulary of words that occur that often, and of the reserved ones of p. One that is given stays as it is, but
// if it lacks many of the words, there is a warning.
func (b *builder) vocabulary(p pipeline.Pipeline, given *text.Vocabulary, file textFile, counts map[string]int) (*text.Vocabulary, error) {
	const maxUnknown = 0.1
	if given == nil {
		for _, word := range p.Reserved() {
			counts[word] = math.MaxInt
		}
		return text.VocabularyOfCounts(counts, b.VocabularySize)
	}
	if b.Initial != nil {
		file = textFile{"init", b.Initial.Path}
	}
	unknown, all := 0, 0
	for word, n := range counts {
		if given.ID(word) == text.UNK {
			unknown += n
		}
		all += n
	}
	if share := float64(unknown) / float64(all); share > maxUnknown {
		b.write(fmt.Appendf(nil, "rnnsearch: warning: --%s %s: %.1f%% of the words of the training text are not in it and become <unk>\n",
			file.flag, terminal.Quote(file.path), 100*share))
	}
	return given, nil
}

// encode writes the examples: to the cache if the text is large or a cache is asked for, and to memory
// otherwise.
func (b *builder) encode() (err error) {
	c := b.corpus
	if b.text.isLarge() || b.KeepCache {
		c.Cached = true
		c.Train, err = b.writeCache(b.writeExamples)
		return err
	}
	var content bytes.Buffer
	if err := b.writeExamples(&content); err != nil {
		return err
	}
	c.Train, err = openBytes(content.Bytes())
	return err
}

// writeExamples writes a File of the training pairs and the rest of the corpus.
func (b *builder) writeExamples(out io.Writer) error {
	c, t, w := b.corpus, b.text, newWriter(out, b.text.linked)
	sourceIDs, targetIDs := t.source.ids(c.Source), t.target.ids(c.Target)
	var e text.Example
	err := b.eachPair("encoding", func(i int, source, target, links []uint32) error {
		if tooLong, uneven := b.dropped(source, target); b.holdsOut(i) || tooLong || uneven {
			return nil
		}
		e.Source, e.Target = t.source.appendIDs(e.Source[:0], sourceIDs, source), t.target.appendIDs(e.Target[:0], targetIDs, target)
		e.Links = b.wordLinks(e.Links[:0], source, target, links)
		return w.add(e)
	})
	if err != nil {
		return err
	}
	metadata, err := c.metadata()
	if err != nil {
		return err
	}
	return w.close(metadata)
}

// wordLinks appends the links between the words of linked tokens to dst.
func (b *builder) wordLinks(dst []int32, source, target, links []uint32) []int32 {
	if len(links) == 0 {
		return dst
	}
	sources, targets := b.text.source.appendStarts(nil, source), b.text.target.appendStarts(nil, target)
	for first := 0; first < len(links); {
		token, end := links[first], first
		for end < len(links) && links[end] == token {
			end += 2
		}
		for word := targets[token]; word < targets[token+1]; word++ {
			for k := first; k < end; k += 2 {
				for linked := sources[links[k+1]]; linked < sources[links[k+1]+1]; linked++ {
					dst = append(dst, word, linked)
				}
			}
		}
		first = end
	}
	return dst
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// corpusOptions are the flags of train that name its text and say how lines become words.
type corpusOptions struct {
	source, target, validSource, validTarget string
	strict                                   bool
	vocab, maxLength                         int
	sourceVocabulary, targetVocabulary       string
	sourceLanguage, targetLanguage           string
	tokenizer                                string
	lowercase                                bool
	merges, threshold                        int
	codes                                    string
}

func (o *corpusOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.source, "source", "", "`file` of source sentences for training")
	f.StringVar(&o.target, "target", "", "`file` of their translations")
	f.StringVar(&o.validSource, "valid-source", "", "`file` of source sentences for validation (default held out from --source)")
	f.StringVar(&o.validTarget, "valid-target", "", "`file` of their translations")
	f.BoolVar(&o.strict, "strict", false, "end with an error at a line that is empty, too long or not UTF-8, instead of dropping the pair")
	f.IntVar(&o.vocab, "vocab", 30000, "maximum size of each vocabulary, </s> and <unk> included")
	f.StringVar(&o.sourceVocabulary, "source-vocabulary", "", "`file` of the source vocabulary, a word a line (default: from the text)")
	f.StringVar(&o.targetVocabulary, "target-vocabulary", "", "`file` of the target vocabulary, a word a line (default: from the text)")
	f.IntVar(&o.maxLength, "max-length", 50, "maximum length in words of a training sentence; pairs with a longer one are dropped")
	f.StringVar(&o.sourceLanguage, "source-language", "", "`language` of the source if it is not tokenized: en, fr, de or other (default: the text is tokenized)")
	f.StringVar(&o.targetLanguage, "target-language", "", "`language` of the target if it is not tokenized: en, fr, de or other (default: the text is tokenized)")
	f.StringVar(&o.tokenizer, "tokenizer", string(pipeline.Reversible), "`name` of the tokenizer of sides with a language: reversible, which keeps all characters, and words such as URLs whole, or "+
		tokenizerMoses+", that of the Moses scripts")
	f.BoolVar(&o.lowercase, "lowercase", false, "lowercase the sides with a language")
	f.IntVar(&o.merges, "bpe", 0, "maximum number of byte-pair encoding `merges`, learned jointly from both sides (default: no segmentation)")
	f.StringVar(&o.codes, "codes", "", "`file` of byte-pair encoding merges of subword-nmt, instead of --bpe")
	f.IntVar(&o.threshold, "bpe-threshold", 0, "minimum `count` of a segment in the training text of its language (default: no minimum)")
}

// complete returns an error for flags that are given and have no effect.
func (o *corpusOptions) complete(flags *pflag.FlagSet) error {
	if flags.Changed("vocab") && o.sourceVocabulary != "" && o.targetVocabulary != "" {
		return fmt.Errorf("--vocab %d: expected without --source-vocabulary or --target-vocabulary", o.vocab)
	}
	if flags.Changed("tokenizer") && !o.plain() {
		return fmt.Errorf("--tokenizer %s: expected with --source-language or --target-language", o.tokenizer)
	}
	return nil
}

func (o *corpusOptions) check() error {
	err := checkNumbers(
		number{"vocab", o.vocab, 3, 1 << 24},
		number{"max-length", o.maxLength, 1, 10_000},
		number{"bpe", o.merges, 0, 1 << 24},
		number{"bpe-threshold", o.threshold, 0, 1 << 30},
	)
	switch {
	case err != nil:
		return err
	case o.codes != "" && o.merges > 0:
		return fmt.Errorf("--codes %s: expected without --bpe", o.codes)
	case o.threshold > 0 && o.merges == 0 && o.codes == "":
		return fmt.Errorf("--bpe-threshold %d: expected with --bpe or --codes", o.threshold)
	case o.tokenizer != string(pipeline.Reversible) && o.tokenizer != tokenizerMoses:
		return fmt.Errorf("--tokenizer %q: expected %s or %s", o.tokenizer, pipeline.Reversible, tokenizerMoses)
	case o.lowercase && !o.plain():
		return errors.New("--lowercase: expected with --source-language or --target-language")
	}
	_, _, err = o.tokenizers()
	return err
}

// tokenizerMoses is the value of --tokenizer for the settings of models of before it.
const tokenizerMoses = "moses"

// plain reports whether a side is plain text, which is tokenized.
func (o *corpusOptions) plain() bool { return o.sourceLanguage != "" || o.targetLanguage != "" }

// tokenizers returns the pipelines of both sides without byte-pair encoding.
func (o *corpusOptions) tokenizers() (source, target pipeline.Pipeline, err error) {
	if source, err = o.side("source-language", o.sourceLanguage); err != nil {
		return source, target, err
	}
	target, err = o.side("target-language", o.targetLanguage)
	return source, target, err
}

// side returns the pipeline for the language in a flag.
func (o *corpusOptions) side(flag, language string) (pipeline.Pipeline, error) {
	settings := pipeline.Defaults(language)
	if o.tokenizer == tokenizerMoses {
		settings = pipeline.Settings{Language: language}
	}
	settings.Lowercase = o.lowercase && language != ""
	p, err := pipeline.New(settings)
	if err != nil {
		return p, fmt.Errorf("--%s: %w", flag, err)
	}
	return p, nil
}

// A corpus is the text of a training, its vocabularies, and the pipelines that turn lines of each
// side into words.
type corpus struct {
	train, valid           []text.Pair
	dropped                int // training pairs that are too long
	bad, badValid          int // pairs dropped because of their lines
	source, target         *text.Vocabulary
	sourceText, targetText pipeline.Pipeline
	codes                  bpe.Codes // of --codes
	checksums              settings  // of the files, by flag
}

// readText reads and tokenizes the files, each once.
func readText(o corpusOptions, show *preparation) (c *corpus, err error) {
	c = &corpus{checksums: settings{}}
	if c.sourceText, c.targetText, err = o.tokenizers(); err != nil {
		return nil, err
	}
	if err := c.readGiven(o); err != nil {
		return nil, err
	}
	c.train, c.bad, err = c.readPairs(o, show, "training", textFile{"source", o.source}, textFile{"target", o.target})
	if err != nil || o.validSource == "" {
		return c, err
	}
	c.valid, c.badValid, err = c.readPairs(o, show, "validation", textFile{"valid-source", o.validSource}, textFile{"valid-target", o.validTarget})
	return c, err
}

// A textFile is the path of a text file and its flag.
type textFile struct{ flag, path string }

// read opens the file, calls f, and takes the checksum.
func (c *corpus) read(file textFile, f func(*textInput) error) error {
	in, err := openText(file.path)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := f(in); err != nil {
		return err
	}
	c.checksums[file.flag], err = in.checksum()
	return err
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

// readPairs reads and tokenizes parallel text. It drops pairs with a bad line, warns of them and
// returns their number, unless that is an error.
func (c *corpus) readPairs(o corpusOptions, show *preparation, title string, source, target textFile) (pairs []text.Pair, bad int, err error) {
	var messages bytes.Buffer
	dropped := warnings{stderr: &messages, treatment: "dropped"}
	err = c.read(source, func(sourceIn *textInput) error {
		return c.read(target, func(targetIn *textInput) error {
			total := 0
			if sourceIn.Size() > 0 && targetIn.Size() > 0 {
				total = int(sourceIn.Size() + targetIn.Size())
			}
			sourceIn.progress = show.begin("reading "+title+" text", unitBytes, total)
			targetIn.progress = sourceIn.progress
			pairs, err = text.ParallelReader{
				Source: sourceIn, SourceName: source.path, SplitSource: c.sourceText.Tokenize,
				Target: targetIn, TargetName: target.path, SplitTarget: c.targetText.Tokenize,
				Strict: o.strict,
				OnDrop: dropped.add,
			}.Read()
			return err
		})
	})
	if err != nil {
		return nil, 0, err
	}
	dropped.close(title + " text")
	show.write(messages.Bytes())
	return pairs, dropped.n, nil
}

// prepare turns the tokens of the text into words of vocabularies.
func (c *corpus) prepare(o corpusOptions, show *preparation) error {
	if o.validSource == "" {
		if err := c.holdOut(); err != nil {
			return err
		}
	}
	if err := c.segment(o, show); err != nil {
		return err
	}
	c.train, c.dropped = text.LimitLength(c.train, o.maxLength)
	if len(c.train) == 0 {
		return fmt.Errorf("%s, %s: all %d pairs have more than %d words on a side",
			o.source, o.target, c.dropped, o.maxLength)
	}
	if err := c.countWords(o.vocab, show); err != nil {
		return err
	}
	c.checkCoverage(o, show)
	return nil
}

// maxHeldOut is about the largest number of pairs that are held out.
const maxHeldOut = 1000

// holdOut moves every tenth pair from the training text to the validation text, or about maxHeldOut
// pairs at equal distances if the corpus is large.
func (c *corpus) holdOut() error {
	step := max(10, len(c.train)/maxHeldOut)
	if len(c.train) < step {
		return fmt.Errorf("%d pairs: expected at least %d, or --valid-source and --valid-target", len(c.train), step)
	}
	var kept []text.Pair
	for i, p := range c.train {
		if i%step == step-1 {
			c.valid = append(c.valid, p)
		} else {
			kept = append(kept, p)
		}
	}
	c.train = kept
	return nil
}

// segment applies byte-pair encoding, if requested, to all pairs. The merges are learned from the
// whole training text, sentences above the maximum length included.
func (c *corpus) segment(o corpusOptions, show *preparation) (err error) {
	switch {
	case o.codes != "":
		c.sourceText, c.targetText, err = pipeline.WithCodes(c.sourceText, c.targetText, c.train, c.codes, o.threshold)
	case o.merges > 0:
		p := show.begin("learning byte-pair encoding", unitMerges, o.merges)
		c.sourceText, c.targetText, err = pipeline.Learn(c.sourceText, c.targetText, c.train, pipeline.LearnOptions{
			Merges: o.merges, Threshold: o.threshold, Progress: func(int) { p.add(1, "") },
		})
	default:
		return nil
	}
	if err != nil {
		return err
	}
	p := show.begin("segmenting", unitPairs, len(c.train)+len(c.valid))
	defer p.done()
	for _, pairs := range [][]text.Pair{c.train, c.valid} {
		for i, pair := range pairs {
			pairs[i] = text.Pair{Source: c.sourceText.Segment(pair.Source), Target: c.targetText.Segment(pair.Target)}
			p.add(1, "")
		}
	}
	return nil
}

// countWords builds the vocabularies that are not given, of at most size words each.
func (c *corpus) countWords(size int, show *preparation) (err error) {
	for _, side := range []struct {
		name       string
		vocabulary **text.Vocabulary
		sentences  iter.Seq[[]string]
	}{
		{"source", &c.source, text.Sources(c.train)}, {"target", &c.target, text.Targets(c.train)},
	} {
		if *side.vocabulary != nil {
			continue
		}
		p := show.begin("counting "+side.name+" words", unitSentences, len(c.train))
		if *side.vocabulary, err = text.NewVocabulary(shown(side.sentences, p), size); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		p.done()
	}
	return nil
}

// shown yields the sentences, and adds each to p.
func shown(sentences iter.Seq[[]string], p progress) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for sentence := range sentences {
			p.add(1, "")
			if !yield(sentence) {
				return
			}
		}
	}
}

// buildVocabularies builds the vocabularies, of at most size words each.
func (c *corpus) buildVocabularies(size int) error {
	return c.countWords(size, newPreparation(io.Discard))
}

// checkCoverage warns of a vocabulary that is given and has few words of the training text.
func (c *corpus) checkCoverage(o corpusOptions, show *preparation) {
	const maxUnknown = 0.1
	for _, side := range []struct {
		textFile
		vocabulary *text.Vocabulary
		sentences  iter.Seq[[]string]
	}{
		{textFile{"source-vocabulary", o.sourceVocabulary}, c.source, text.Sources(c.train)},
		{textFile{"target-vocabulary", o.targetVocabulary}, c.target, text.Targets(c.train)},
	} {
		if side.path == "" {
			continue
		}
		if share := unknownShare(side.vocabulary, side.sentences); share > maxUnknown {
			show.write(fmt.Appendf(nil, "rnnsearch: warning: --%s %s: %.1f%% of the words of the training text are not in it and become <unk>\n",
				side.flag, quoted(side.path), 100*share))
		}
	}
}

// unknownShare returns the share of words that a vocabulary does not have.
func unknownShare(v *text.Vocabulary, sentences iter.Seq[[]string]) float64 {
	var unknown mean
	for sentence := range sentences {
		for _, word := range sentence {
			if v.ID(word) == text.UNK {
				unknown.Sum++
			}
		}
		unknown.Terms += float64(len(sentence))
	}
	return unknown.value()
}

// examples encodes the pairs for training, of which the corpus keeps none.
func (c *corpus) examples(show *preparation) []text.Example {
	const together = 10_000
	p := show.begin("encoding", unitPairs, len(c.train))
	defer p.done()
	examples := make([]text.Example, 0, len(c.train))
	for pairs := range slices.Chunk(c.train, together) {
		examples = append(examples, text.Examples(pairs, c.source, c.target)...)
		p.add(len(pairs), "")
	}
	c.train = nil
	return examples
}

// longestSource returns the length of the longest source sentence for training.
func (c *corpus) longestSource() int {
	longest := 0
	for _, p := range c.train {
		longest = max(longest, len(p.Source))
	}
	return longest
}

// newModel returns an untrained model for the corpus. The vocabularies of the corpus set the
// vocabulary sizes of the configuration.
func (c *corpus) newModel(config model.Config, seed uint64) (*model.Model, error) {
	config.SourceVocab, config.TargetVocab = c.source.Size(), c.target.Size()
	m, err := model.New(config, seed)
	if err != nil {
		return nil, err
	}
	m.Source, m.Target = c.source, c.target
	m.SourceText, m.TargetText = c.sourceText, c.targetText
	return m, nil
}

// description returns the sizes of the corpus as lines of text.
func (c *corpus) description(maxLength int) string {
	s := fmt.Sprintf("training text: %d pairs, %d dropped with more than %d words on a side\n", len(c.train), c.dropped, maxLength)
	if c.bad > 0 {
		s += fmt.Sprintf("training text: %s dropped with a bad line\n", plural(c.bad, "pair"))
	}
	s += fmt.Sprintf("validation text: %d pairs\n", len(c.valid))
	if c.badValid > 0 {
		s += fmt.Sprintf("validation text: %s dropped with a bad line\n", plural(c.badValid, "pair"))
	}
	return s + fmt.Sprintf("vocabularies: %d source words, %d target words", c.source.Size(), c.target.Size())
}

// capacity returns the capacity for any batch of that many of the examples.
func capacity(examples []text.Example, sentences int) model.Capacity {
	c := model.Capacity{Sentences: sentences}
	for _, e := range examples {
		c.SourceLength = max(c.SourceLength, len(e.Source))
		c.TargetLength = max(c.TargetLength, len(e.Target))
	}
	return c
}

// targetWords returns the number of words that the model predicts, EOS included.
func targetWords(examples []text.Example) int {
	n := 0
	for _, e := range examples {
		n += len(e.Target)
	}
	return n
}

package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
)

// bleuOptions are the flags of bleu.
type bleuOptions struct {
	references []string
	baseline   string
	byLength   string
	confidence bool
	seed       uint64
}

func newBLEU() *cobra.Command {
	var o bleuOptions
	c := &cobra.Command{
		Use:   "bleu --reference FILE",
		Short: "Compare standard input with reference translations",
		Long: `Compare translations with reference translations: read standard input, one
sentence per line, and print three scores of the corpus, each in the format of
the tool that defines it:

  BLEU      of the words as they are, for tokenized text: multi-bleu.perl
  BLEU 13a  smoothed, of the tokens of mteval-v13a, for plain text: sacreBLEU
  chrF2     of character n-grams, for either: sacreBLEU

--confidence and --baseline draw 1000 bootstrap samples: as many sentences as
the corpus has, with replacement. p is the p-value of paired bootstrap
resampling as in Moses and sacreBLEU: the probability that chance alone makes
a difference from the baseline at least as large.`,
		Example: `  printf 'le chat dort sur la table\nil voit la maison rouge\n' > /tmp/reference.fr
  printf 'un chat dort sur une table\nil voit une maison\n' > /tmp/baseline.fr
  printf 'le chat dort sur une table\nil voit la maison rouge\n' > /tmp/output.fr
  go run ./model/cmd/rnnsearch bleu --reference /tmp/reference.fr --baseline /tmp/baseline.fr < /tmp/output.fr`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			in, err := readBLEUInput(o, c.InOrStdin())
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), bleuReport(o, in))
			return err
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.references, "reference", nil, "`file` of reference translations; may be repeated")
	f.StringVar(&o.baseline, "baseline", "", "`file` of another system's translations to compare with")
	f.StringVar(&o.byLength, "by-length", "", "also print scores by the number of words in the lines of `file`: the source or a reference")
	f.BoolVar(&o.confidence, "confidence", false, "also print 95 % confidence intervals")
	f.Uint64Var(&o.seed, "seed", 1, "`number` that determines the bootstrap samples")
	require(c, "reference")
	return c
}

// bleuInput holds the files that bleu reads. All have the same number of lines.
type bleuInput struct {
	system     sentenceFile
	references []sentenceFile
	baseline   sentenceFile // empty without --baseline
	byLength   sentenceFile // empty without --by-length
}

// A sentenceFile holds the words of each line of a file.
type sentenceFile struct {
	name      string
	sentences [][]string
}

// readBLEUInput reads the files of bleu, and then the translations from stdin.
func readBLEUInput(o bleuOptions, stdin io.Reader) (in bleuInput, err error) {
	for _, path := range o.references {
		reference, err := readSentences(path)
		if err != nil {
			return in, err
		}
		in.references = append(in.references, reference)
	}
	if o.baseline != "" {
		if in.baseline, err = readTranslationFile(o.baseline); err != nil {
			return in, err
		}
	}
	if o.byLength != "" {
		if in.byLength, err = readSentences(o.byLength); err != nil {
			return in, err
		}
	}
	if err := checkLineCounts(append(in.references, in.baseline, in.byLength)); err != nil {
		return in, err
	}
	if in.system, err = readTranslations(standardInput, stdin); err != nil {
		return in, err
	}
	return in, checkLineCounts([]sentenceFile{in.references[0], in.system})
}

// readSentences reads a file without empty lines.
func readSentences(path string) (sentenceFile, error) {
	sentences, err := text.ReadSentences(path)
	return sentenceFile{path, sentences}, err
}

// readTranslationFile reads a file of translations.
func readTranslationFile(path string) (sentenceFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return sentenceFile{}, err
	}
	defer f.Close()
	return readTranslations(path, f)
}

// readTranslations reads one translation per line. Lines may be empty.
func readTranslations(name string, r io.Reader) (sentenceFile, error) {
	f := sentenceFile{name: name}
	for in := newLineReader(files.NewInput(name, r)); ; {
		line, err := in.next()
		if err == nil && line.bad != nil {
			err = lineError(name, line.number, line.bad)
		}
		switch {
		case err == io.EOF && f.sentences == nil:
			return f, fmt.Errorf("%s: %w, expected one sentence a line", name, text.ErrEmptyFile)
		case err == io.EOF:
			return f, nil
		case err != nil:
			return f, err
		}
		f.sentences = append(f.sentences, text.Tokens(line.text))
	}
}

// checkLineCounts returns an error for the first file that does not have as many lines as
// files[0]. It ignores empty files.
func checkLineCounts(files []sentenceFile) error {
	want := files[0]
	for _, f := range files {
		if f.sentences != nil && len(f.sentences) != len(want.sentences) {
			return fmt.Errorf("%w: %s has %d, %s has %d, expected the same",
				text.ErrLineCount, f.name, len(f.sentences), want.name, len(want.sentences))
		}
	}
	return nil
}

// bleuReport returns the output of bleu.
func bleuReport(o bleuOptions, in bleuInput) string {
	system := evaluate(in.system, in.references)
	var b strings.Builder
	for _, line := range system.lines() {
		fmt.Fprintln(&b, line)
	}
	if o.confidence {
		b.WriteString(confidenceTable(system, o.seed))
	}
	if o.baseline != "" {
		b.WriteString(comparisonTable(system, evaluate(in.baseline, in.references), o.seed))
	}
	if o.byLength != "" {
		b.WriteString(lengthTable(system, in.byLength))
	}
	return b.String()
}

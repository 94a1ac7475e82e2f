package evaluation

import (
	"fmt"
	"io"

	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/text"
)

// An input holds the files that are compared. All have the same number of lines.
type input struct {
	system     sentenceFile
	references []sentenceFile
	baseline   sentenceFile // empty without --baseline
	byLength   sentenceFile // empty without --by-length
}

type sentenceFile struct {
	name      string
	sentences [][]string
}

// read reads the files, and then the translations from stdin.
func (o Options) read(stdin io.Reader) (in input, err error) {
	const mayBeEmpty, neverEmpty = true, false
	for _, path := range o.References {
		reference, err := openSentences(path, neverEmpty)
		if err != nil {
			return in, err
		}
		in.references = append(in.references, reference)
	}
	if o.Baseline != "" {
		if in.baseline, err = openSentences(o.Baseline, mayBeEmpty); err != nil {
			return in, err
		}
	}
	if o.ByLength != "" {
		if in.byLength, err = openSentences(o.ByLength, neverEmpty); err != nil {
			return in, err
		}
	}
	if err := checkLineCounts(append(in.references, in.baseline, in.byLength)); err != nil {
		return in, err
	}
	translations := files.NewInput(files.StandardInput, stdin)
	defer translations.Close()
	if in.system, err = readSentences(translations, mayBeEmpty); err != nil {
		return in, err
	}
	return in, checkLineCounts([]sentenceFile{in.references[0], in.system})
}

func openSentences(path string, mayBeEmpty bool) (sentenceFile, error) {
	in, err := files.Open(path)
	if err != nil {
		return sentenceFile{}, err
	}
	defer in.Close()
	return readSentences(in, mayBeEmpty)
}

// readSentences reads one sentence per line. A bad line is an error, and so is an empty one unless
// lines may be empty; no line is one in any case.
func readSentences(in *files.Input, mayBeEmpty bool) (sentenceFile, error) {
	f := sentenceFile{name: in.Name()}
	for lines := files.NewLines(in); ; {
		line, err := lines.Next()
		switch {
		case err == io.EOF && f.sentences == nil:
			return f, lines.Empty()
		case err == io.EOF:
			return f, nil
		case err != nil:
			return f, err
		case line.Bad != nil:
			return f, files.LineError(f.name, line.Number, line.Bad)
		}
		words := text.Tokens(line.Text)
		if len(words) == 0 && !mayBeEmpty {
			return f, files.LineError(f.name, line.Number, fmt.Errorf("%w, expected a sentence", text.ErrEmptyLine))
		}
		f.sentences = append(f.sentences, words)
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

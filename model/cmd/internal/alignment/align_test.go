package alignment

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// tinyModel returns a small untrained model of the grammar's English and French.
func tinyModel(t *testing.T) *model.Model {
	t.Helper()
	pairs, _ := grammar.Pairs(1, 100, 0)
	source, err := text.NewVocabulary(text.Sources(pairs), 80)
	if err != nil {
		t.Fatal(err)
	}
	target, err := text.NewVocabulary(text.Targets(pairs), 80)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst, SourceVocab: source.Size(), TargetVocab: target.Size(),
		Embedding: 8, Hidden: 16, Alignment: 8, Maxout: 8,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Source, m.Target = source, target
	return m
}

// testTranslator returns a translator that is closed at the end of the test.
func testTranslator(t *testing.T, m *model.Model, o decode.Options) *translation.Translator {
	t.Helper()
	tr, err := translation.NewTranslator(m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

// write writes a file of equal lines to a temporary folder and returns its path.
func write(t *testing.T, line string, lines int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Repeat(line+"\n", lines)), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWindow(t *testing.T) {
	for _, test := range []struct {
		words []int
		want  int
	}{
		{[]int{5}, 1},
		{[]int{1, 2, 3}, 3},
		{[]int{maxWords + 7, 1}, 1},
		{[]int{maxWords - 3, 1}, 2},
		{[]int{maxWords - 2, 1}, 1},
	} {
		if got := window(test.words, func(n int) int { return n }); got != test.want {
			t.Errorf("window(%v) = %d, want %d", test.words, got, test.want)
		}
	}
}

// A failingWriter fails after a number of alignments.
type failingWriter struct{ left int }

func (w *failingWriter) write(AttentionMap) error {
	if w.left--; w.left < 0 {
		return io.ErrShortWrite
	}
	return nil
}

func (w *failingWriter) limit() int                            { return 0 }
func (w *failingWriter) plan(string, []translation.Pair) error { return nil }
func (w *failingWriter) finish() error                         { return nil }

// TestAlignWriteError has an error in the second window.
func TestAlignWriteError(t *testing.T) {
	m := tinyModel(t)
	m.Parameters.B[text.EOS] = 100
	const n = maxWords/10 + 20
	sentence := "the cat sees a dog . the cat sees"
	stdin := strings.Repeat(sentence+"\n", n+5)
	tr := testTranslator(t, m, decode.Options{Beam: 1})
	failing := func() *aligner {
		return newAligner(tr, &failingWriter{n}, terminal.Warnings{W: io.Discard})
	}
	err := failing().translations(t.Context(), files.NewInput(t.Context(), files.StandardInput, strings.NewReader(stdin)))
	if want := "standard input:" + strconv.Itoa(n+1) + ": " + io.ErrShortWrite.Error(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	path := write(t, sentence, n+5)
	err = failing().pairs(t.Context(), path, path)
	if want := path + ":" + strconv.Itoa(n+1) + ": " + io.ErrShortWrite.Error(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A countingWriter counts the alignments of a figure.
type countingWriter struct {
	*pictureWriter
	n int
}

func (w *countingWriter) write(a AttentionMap) error {
	w.n++
	return w.pictureWriter.write(a)
}

// TestAlignPictureLimits has text that is too much for a picture, which must be known before the first
// translation. Standard input does not end.
func TestAlignPictureLimits(t *testing.T) {
	tr := testTranslator(t, tinyModel(t), decode.Options{Beam: 1, MaxLength: 2})
	for name, test := range map[string]struct {
		line  string
		lines int
		given bool // whether the lengths of the translations must be known
	}{
		"sentences":       {"a", maxPictureSentences + 1, false},
		"weights":         {strings.Repeat("a ", 400), 1, true},
		"weights of one":  {strings.Repeat("a ", 2045), 1, true},
		"weights of wide": {strings.Repeat("a ", 2040), maxPictureSentences + 1, false},
	} {
		drawing := func() (*aligner, *countingWriter) {
			w := &countingWriter{pictureWriter: &pictureWriter{}}
			return newAligner(tr, w, terminal.Warnings{W: io.Discard}), w
		}
		file := write(t, test.line, test.lines)
		a, w := drawing()
		if err := a.pairs(t.Context(), file, file); !errors.Is(err, errSize) || w.n > 0 {
			t.Errorf("pairs, %s: %v after %d alignments", name, err, w.n)
		}
		if test.given {
			continue
		}
		var stdin io.Reader = strings.NewReader(strings.Repeat(test.line+"\n", test.lines))
		if test.lines > maxPictureSentences {
			r, w := io.Pipe()
			defer r.Close()
			go io.Copy(w, stdin)
			stdin = r
		}
		a, w = drawing()
		if err := a.translations(t.Context(), files.NewInput(t.Context(), files.StandardInput, stdin)); !errors.Is(err, errSize) || w.n > 0 {
			t.Errorf("lines, %s: %v after %d alignments", name, err, w.n)
		}
	}
}

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
	"github.com/softsearch-go/softsearch/model/internal/fixture"
	"github.com/softsearch-go/softsearch/model/text"
)

func tinyModel(t *testing.T) *model.Model { return fixture.TinyModel(t) }

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

func (w *failingWriter) finish() error { return nil }

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

// TestPictureLimits has text that is too much for a picture.
func TestPictureLimits(t *testing.T) {
	tr := testTranslator(t, tinyModel(t), decode.Options{Beam: 1, MaxLength: 2})
	for line, lines := range map[string]int{"a": maxPictureSentences + 1, strings.Repeat("a ", 400): 1} {
		for _, more := range []int{0, -1} {
			path := write(t, line, max(1, lines+more))
			a := newAligner(tr, &pictureWriter{w: io.Discard}, terminal.Warnings{W: io.Discard})
			if err := a.pairs(t.Context(), path, path); errors.Is(err, errSize) != (more == 0 || lines == 1) {
				t.Errorf("%d lines: %v", lines+more, err)
			}
		}
	}
}

package text

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestVocabularyFile(t *testing.T) {
	words := []string{"</s>", "<unk>", "b", "dix\u00a0mille", "▁a", "\ufeff", "1", "<s>", "a:", "\x00", "\u2028"}
	v, err := VocabularyOf(words)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	n, err := v.WriteTo(&file)
	if want := strings.Join(words, "\n") + "\n"; file.String() != want || n != int64(len(want)) || err != nil {
		t.Errorf("wrote %q, %d bytes, error %v, want %q", file.String(), n, err, want)
	}
	read, err := ReadVocabulary(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(read.Words(), words) || read.ID("a:") != v.ID("a:") {
		t.Errorf("read %q, want %q", read.Words(), words)
	}
}

func TestWriteVocabularyErrors(t *testing.T) {
	v, err := VocabularyOf([]string{"</s>", "<unk>", "a", strings.Repeat("b", MaxLine+1)})
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if n, err := v.WriteTo(&file); n != 0 || !errors.Is(err, ErrLongLine) || file.Len() != 0 {
		t.Errorf("wrote %d bytes, error %v, want none and ErrLongLine", n, err)
	}
	v, err = VocabularyOf([]string{"</s>", "<unk>", strings.Repeat("b", MaxLine)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if read, err := ReadVocabulary(strings.NewReader(file.String())); err != nil || !slices.Equal(read.Words(), v.Words()) {
		t.Errorf("word of %d bytes: error %v", MaxLine, err)
	}
}

// TestReadVocabulary has files in the formats of other programs.
func TestReadVocabulary(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"words", "a\nb\n", "</s> <unk> a b"},
		{"no end", "a\nb", "</s> <unk> a b"},
		{"byte-order mark and CRLF", "\ufeffb\r\na\r\n", "</s> <unk> b a"},
		{"subword-nmt", "the 1203\n@-@ 17\n5 3\nun@@ 1\n", "</s> <unk> the @-@ 5 un@@"},
		{"SentencePiece", "<unk>\t0\n<s>\t0\n</s>\t0\n▁a\t-2.64947\n.\t-3.11137\ning\t-3.21629\n", "</s> <unk> <s> ▁a . ing"},
		{"SentencePiece with padding", "<unk>\t0\n<s>\t0\n</s>\t0\n<pad>\t0\n<0x00>\t0\nV\t-436\n", "</s> <unk> <s> <pad> <0x00> V"},
		{"numbers", "a -1e+05\n-\t-0\n+ +0.5\n", "</s> <unk> a - +"},
		{"fairseq", "the 99\n, 8\nmadeupword0000 0\n", "</s> <unk> the , madeupword0000"},
		{"specials at the end", "<pad>\nb\n<unk>\na\n</s>\n", "</s> <unk> <pad> b a"},
		{"one special", "<unk>\na\n", "</s> <unk> a"},
		{"huge number", "a 1" + strings.Repeat("0", 400) + "\n", "</s> <unk> a"},
	}
	for _, test := range tests {
		v, err := ReadVocabulary(strings.NewReader(test.file))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := strings.Join(v.Words(), " "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestReadVocabularyErrors(t *testing.T) {
	tests := []struct {
		file, text string
		want       error
	}{
		{"", "vocabulary of 2 words: expected </s>, <unk> and at least one word", nil},
		{"</s>\n<unk>\n", "at least one word", nil},
		{"a\n\nb\n", "line 2: empty line, expected a word", ErrEmptyLine},
		{"a\nb\na\n", `line 3: "a" is on line 1 already`, nil},
		{"a 3\na 2\n", `line 2: "a" is on line 1 already`, nil},
		{"<unk>\na\n<unk>\n", `line 3: "<unk>" is on line 1 already`, nil},
		{"a\n b\n", `line 2: " b": expected a word, or a word and a number`, nil},
		{"a \n", `line 1: "a "`, nil},
		{"the man\n", `line 1: "the man"`, nil},
		{"to infinity\n", `line 1: "to infinity"`, nil},
		{"a 0x1p-2\n", `line 1: "a 0x1p-2"`, nil},
		{"a -\n", `line 1: "a -"`, nil},
		{"a  1\n", `line 1: "a  1"`, nil},
		{"a 1 2\n", `line 1: "a 1 2"`, nil},
		{"2 the 90\n", `line 1: "2 the 90"`, nil},
		{"</s>: 0\n<unk>: 1\nthe: 2\n", `line 1: "</s>: 0": expected a word, or a word and a number, not YAML`, nil},
		{"\"</s>\": 0\n\"the\": 2\n", "not YAML", nil},
		{"a b\t0\n", `line 1: "a b\t0"`, nil},
		{"a\fb\n", `line 1: "a\fb"`, nil},
		{"a\rb\n", `line 1: "a\rb"`, nil},
		{"a\n\xe9t\xe9\n", "line 2: invalid UTF-8", ErrUTF8},
		{"\xff\xfea\x00\n\x00", "line 1: invalid UTF-8: the text is UTF-16", ErrUTF8},
		{"a\n" + strings.Repeat("b", MaxLine+1) + "\n", "line 2: line longer than 1 MiB", ErrLongLine},
	}
	for _, test := range tests {
		v, err := ReadVocabulary(strings.NewReader(test.file))
		if v != nil || err == nil || !strings.Contains(err.Error(), test.text) || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%.80q: error %v, want one with %q", test.file, err, test.text)
		}
	}
	if _, err := ReadVocabulary(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v does not wrap that of the reader", err)
	}
}

// FuzzReadVocabulary: what can be read can be written, and read back equal.
func FuzzReadVocabulary(f *testing.F) {
	f.Add("a\nb 3\n</s>\t0\n")
	f.Add("\ufeff\ufeff\n<unk>\r\n\u00a0")
	f.Fuzz(func(t *testing.T, file string) {
		v, err := ReadVocabulary(strings.NewReader(file))
		if err != nil {
			return
		}
		var written strings.Builder
		if _, err := v.WriteTo(&written); err != nil {
			t.Fatal(err)
		}
		again, err := ReadVocabulary(strings.NewReader(written.String()))
		if err != nil || !slices.Equal(again.Words(), v.Words()) {
			t.Errorf("%q: words %q, written and read %q, error %v", file, v.Words(), written.String(), err)
		}
	})
}

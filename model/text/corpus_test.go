package text

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{"", []string{}},
		{" \t ", []string{}},
		{"a", []string{"a"}},
		{"  l' homme\t\tdort . \r\n", []string{"l'", "homme", "dort", "."}},
		{"dix\u00a0mille \u2028", []string{"dix\u00a0mille", "\u2028"}},
	}
	for _, test := range tests {
		if got := Tokens(test.line); !slices.Equal(got, test.want) {
			t.Errorf("Tokens(%q) = %q, want %q", test.line, got, test.want)
		}
	}
}

// TestRead has lines with all ends, and a long one.
func TestRead(t *testing.T) {
	long := strings.Repeat("word ", 100_000)
	source, target := "the man\r\n"+long+"\na cat", "l' homme\n"+long+"\r\nun  chat\n"
	got, err := ParallelReader{Source: strings.NewReader(source), Target: strings.NewReader(target)}.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := []Pair{
		{[]string{"the", "man"}, []string{"l'", "homme"}},
		{Tokens(long), Tokens(long)},
		{[]string{"a", "cat"}, []string{"un", "chat"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d pairs differ from what was written", len(got))
	}
}

// TestReadFolder: an error of a file names it.
func TestReadFolder(t *testing.T) {
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if _, err := (ParallelReader{Source: folder, Target: folder}).Read(); err == nil || !strings.Contains(err.Error(), folder.Name()) {
		t.Errorf("error %v does not name %s", err, folder.Name())
	}
}

// TestSplit splits lines into letters and at commas. A line without words is empty, a pair for which Split has an
// error is dropped, and Split does not see the ends of lines.
func TestSplit(t *testing.T) {
	split := func(source, target string) (Pair, error) {
		var err error
		if source == "drop" {
			err = errors.New("dropped")
		}
		return Pair{strings.Split(source, ""), strings.FieldsFunc(target, func(r rune) bool { return r == ',' })}, err
	}
	var drops []string
	read := func(target string) ([]Pair, error) {
		return ParallelReader{
			Source: strings.NewReader("ab\r\nc d\ndrop\nx"), Target: strings.NewReader(target), TargetName: "commas",
			Split: split, Strict: true, OnDrop: func(err error) { drops = append(drops, err.Error()) },
		}.Read()
	}
	got, err := read("a b,c\n,d\r\nz\n,,e\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Pair{
		{[]string{"a", "b"}, []string{"a b", "c"}},
		{[]string{"c", " ", "d"}, []string{"d"}},
		{[]string{"x"}, []string{"e"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(drops, []string{"source:3: dropped"}) {
		t.Errorf("dropped %q", drops)
	}
	_, err = read("a\n,\nb\nc\n")
	if !errors.Is(err, ErrEmptyLine) || !strings.Contains(err.Error(), "commas:2: empty line") {
		t.Errorf("line without words: error %v", err)
	}
}

func TestSides(t *testing.T) {
	pairs := []Pair{{[]string{"a"}, []string{"b"}}, {[]string{"c"}, []string{"d"}}}
	if got := slices.Collect(Sources(pairs)); !reflect.DeepEqual(got, [][]string{{"a"}, {"c"}}) {
		t.Errorf("sources %v", got)
	}
	if got := slices.Collect(Targets(pairs)); !reflect.DeepEqual(got, [][]string{{"b"}, {"d"}}) {
		t.Errorf("targets %v", got)
	}
	for range Sources(pairs) {
		break
	}
	for range Targets(pairs) {
		break
	}
}

// TestMulti30k: the training text has 29,000 pairs of 377,534 English and 409,845 French tokens.
func TestMulti30k(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "data", "multi30k", "tok")
	read := func(name string) io.Reader {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Skipf("Multi30k is missing: %v", err)
		}
		return bytes.NewReader(content)
	}
	pairs, err := ParallelReader{Source: read("train.en"), Target: read("train.fr"), Strict: true}.Read()
	if err != nil {
		t.Fatal(err)
	}
	var english, french int
	for _, p := range pairs {
		english += len(p.Source)
		french += len(p.Target)
	}
	if len(pairs) != 29_000 || english != 377_534 || french != 409_845 {
		t.Errorf("%d pairs of %d and %d tokens", len(pairs), english, french)
	}
}

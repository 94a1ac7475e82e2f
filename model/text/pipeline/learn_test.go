package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/bpe"
)

// lines returns the lines of a file without line ends.
func lines(t testing.TB, path ...string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}

// pairOf returns one pair that holds the tokens of two texts.
func pairOf(source, target []string) []text.Pair {
	return []text.Pair{{Source: text.Tokens(strings.Join(source, " ")), Target: text.Tokens(strings.Join(target, " "))}}
}

// learned returns source and target with up to the given number of merges, learned from the pairs.
func learned(source, target Pipeline, pairs []text.Pair, merges, threshold int) (Pipeline, Pipeline, error) {
	sourceTokens, targetTokens := bpe.Frequencies{}, bpe.Frequencies{}
	for _, pair := range pairs {
		sourceTokens.Add(pair.Source)
		targetTokens.Add(pair.Target)
	}
	all, err := Merges(sourceTokens, targetTokens)
	if err != nil {
		return Pipeline{}, Pipeline{}, err
	}
	codes := bpe.Codes{}
	for m := range all {
		if codes = append(codes, m); len(codes) == merges {
			break
		}
	}
	return WithCounts(source, target, codes, sourceTokens, targetTokens, threshold)
}

// endsInSeparator reports whether a token ends like a segment inside a word, so that Join joins it to
// the next token.
func endsInSeparator(token string) bool { return strings.HasSuffix(token, separator) }

// checkSegments compares the words of each line with the same line of want.
func checkSegments(t *testing.T, p Pipeline, lines, want []string) {
	t.Helper()
	for i, line := range lines {
		words := p.Read(line, nil).Words
		if got := strings.Join(words, " "); got != want[i] {
			t.Errorf("line %d: got %q, want %q", i+1, got, want[i])
			return
		}
		if got := p.Write(words, Reading{}).Line; got != line && !slices.ContainsFunc(text.Tokens(line), endsInSeparator) {
			t.Errorf("line %d: %q came back as %q", i+1, line, got)
			return
		}
	}
}

// TestMergesOracle compares with the oracle of package bpe: 250 merges, and segments that occur at
// least twice.
func TestMergesOracle(t *testing.T) {
	folder := filepath.Join("..", "bpe", "testdata")
	english, french := lines(t, folder, "corpus.en"), lines(t, folder, "corpus.fr")
	for _, test := range []struct {
		threshold int
		file      string
	}{{0, "segments"}, {1, "segments"}, {2, "restricted"}} {
		source, target, err := learned(Pipeline{}, Pipeline{}, pairOf(english, french), 250, test.threshold)
		if err != nil {
			t.Fatal(err)
		}
		checkSegments(t, source, english, lines(t, folder, test.file+".en"))
		checkSegments(t, target, french, lines(t, folder, test.file+".fr"))
		if test.threshold < 2 {
			continue
		}
		var frequent []string
		for _, line := range lines(t, folder, "vocabulary.fr") {
			if segment, n, _ := strings.Cut(line, " "); n != "1" {
				frequent = append(frequent, segment)
			}
		}
		slices.Sort(frequent)
		if !slices.Equal(target.settings.Segments, frequent) {
			t.Errorf("allowed segments: got %q, want %q", target.settings.Segments, frequent)
		}
	}
}

// TestWithCountsReplaces: the language and case stay; codes and segments are replaced.
func TestWithCountsReplaces(t *testing.T) {
	source, target := newPipeline(t, Settings{Language: "en", Lowercase: true, Codes: abc}), newPipeline(t, Settings{Language: "fr"})
	pairs := pairOf([]string{"xy xy", "xyx"}, []string{"xyz", "z"})
	source, target, err := learned(source, target, pairs, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	// x y and x y</w> both occur twice, and y</w> is greater in byte order. The source becomes
	// xy xy x@@ y@@ x, the target x@@ y@@ z z.
	const codes = `"codes":"#version: 0.2\nx y\u003c/w\u003e\n","segments":[]}`
	if got, want := marshal(t, source), `{"language":"en","lowercase":true,`+codes; got != want {
		t.Errorf("source: got %s, want %s", got, want)
	}
	if got, want := marshal(t, target), `{"language":"fr",`+codes; got != want {
		t.Errorf("target: got %s, want %s", got, want)
	}
	source, _, err = learned(source, target, pairs, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"xy"}; !slices.Equal(source.settings.Segments, want) {
		t.Errorf("segments that occur twice: got %q, want %q", source.settings.Segments, want)
	}
}

// TestWithCountsNone: without merges, tokens are split into characters, and without codes they are whole.
func TestWithCountsNone(t *testing.T) {
	for _, test := range []struct {
		codes bpe.Codes
		want  []string
	}{{bpe.Codes{}, []string{"a@@", "b"}}, {nil, []string{"ab"}}} {
		source, target, err := WithCounts(Pipeline{}, newPipeline(t, Settings{Codes: abc}), test.codes, nil, nil, 0)
		if got := source.Read("ab", nil).Words; err != nil || !slices.Equal(got, test.want) || !target.Equal(source) {
			t.Errorf("got %q, error %v", got, err)
		}
	}
}

func TestWithCountsErrors(t *testing.T) {
	for _, test := range []struct {
		name      string
		token     string
		codes     bpe.Codes
		threshold int
		want      string
	}{
		{"negative threshold", "a", abc, -1, "threshold -1"},
		{"impossible codes", "a", abc[1:], 0, `merge 1: symbol "ab"`},
		{"token with a tab", "a\tb", abc, 1, `token "a\tb": expected no white space`},
	} {
		tokens := bpe.Frequencies{test.token: 1}
		source, target, err := WithCounts(newPipeline(t, Settings{Language: "en"}), Pipeline{}, test.codes, nil, tokens, test.threshold)
		checkError(t, test.name, err, test.want)
		if !source.IsZero() || !target.IsZero() {
			t.Errorf("%s: got pipelines with the error", test.name)
		}
	}
}

func TestMergesErrors(t *testing.T) {
	for token, want := range map[string]string{
		"":          `token ""`,
		"a\tb":      `token "a\tb": expected no white space`,
		"\xe9t\xe9": `token "\xe9t\xe9": expected UTF-8`,
	} {
		_, err := Merges(nil, bpe.Frequencies{token: 1})
		checkError(t, "Merges", err, want)
	}
}

// isPrefix reports whether cut is the beginning of tokens; its last token may be incomplete.
func isPrefix(cut, tokens []string) bool {
	if len(cut) == 0 {
		return true
	}
	last := len(cut) - 1
	return last < len(tokens) && slices.Equal(tokens[:last], cut[:last]) && strings.HasPrefix(tokens[last], cut[last])
}

// FuzzMerges learns from a text and converts lines to words and back. The tokens come back unless one
// of them ends like a segment.
func FuzzMerges(f *testing.F) {
	f.Add("low low lower newest widest", "lowest", uint8(20), uint8(2), uint8(0))
	f.Add("a@@ @@ @@@@ a</w> </w>a a</w></w>", "a@@ </w>", uint8(40), uint8(1), uint8(1))
	f.Add("L'été n'est pas l'hiver, l'été !", "\xff l’\x00", uint8(9), uint8(0), uint8(2))
	f.Add("@@>", "@@@ @>", uint8(1), uint8(0), uint8(0))
	f.Add("“Yes,” he said; don't – 5 %…", "( @-@ )", uint8(200), uint8(3), uint8(5))
	f.Fuzz(func(t *testing.T, corpus, line string, merges, threshold, language uint8) {
		base := Pipeline{}
		if n := int(language) % (len(languages) + 1); n > 0 {
			base = newPipeline(t, Settings{Language: languages[n-1], Lowercase: language >= 128})
		}
		tokens := base.Tokenize(strings.ToValidUTF8(corpus, "?"))
		p, _, err := learned(base, Pipeline{}, []text.Pair{{Source: tokens}}, 1+int(merges), int(threshold))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []string{corpus, line} {
			words := p.Read(l, nil).Words
			if slices.ContainsFunc(words, func(w string) bool { return w == "" || len(text.Tokens(w)) != 1 }) {
				t.Errorf("%q: words %q", l, words)
			}
			want := base.Tokenize(l)
			if slices.ContainsFunc(want, endsInSeparator) {
				continue
			}
			if got := p.Join(words); !slices.Equal(got, want) {
				t.Errorf("%q: tokens %q came back as %q of %q", l, want, got, words)
			}
			if got, want := p.Write(words, Reading{}).Line, base.Write(want, Reading{}).Line; got != want {
				t.Errorf("%q: line %q, want %q", l, got, want)
			}
			for n := range words {
				if cut := p.Join(words[:n]); !isPrefix(cut, want) {
					t.Errorf("%q: %q of %q cut off after %d words", l, cut, words, n)
				}
			}
		}
	})
}

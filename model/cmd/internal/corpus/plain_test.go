package corpus

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

const (
	plainEnglish = "The man, who sleeps in the garden of Mr. Smith, isn't tall.\n\"Is the dog asleep?\" asked the woman (his wife).\n"
	plainFrench  = "L'homme, qui dort dans le jardin de M. Dupont, n'est pas grand.\n« Le chien dort-il ? » demanda la femme (son épouse).\n"
)

// TestPunctuated has plain text and its tokens by both tokenizers, with and without entities.
func TestPunctuated(t *testing.T) {
	for language, plain := range map[string]string{"en": plainEnglish, "fr": plainFrench} {
		text := strings.Repeat(plain, 20)
		if got := punctuated(text); got < 10 || got > 40 {
			t.Errorf("%s: %.1f%% in plain text", language, got)
		}
		if got := punctuated(plain); got != 0 {
			t.Errorf("%s: %.1f%% in two lines, want no judgement", language, got)
		}
		for _, s := range []pipeline.Settings{pipeline.Defaults(language), {Language: language}} {
			p, err := pipeline.New(s)
			if err != nil {
				t.Fatal(err)
			}
			tokens := strings.Join(p.Tokenize(text), " ")
			tokens += strings.Repeat(" d&apos; &quot; aujourd &apos; hui a.m. 3. ...", 5)
			if got := punctuated(tokens); got > 6 || got == 0 {
				t.Errorf("%s: %.1f%% in tokens", language, got)
			}
		}
	}
}

// TestPlainWarning gives plain text as tokens, on both sides, on one, with languages, and tokens.
func TestPlainWarning(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string, times int) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Repeat(text, times)), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	en, fr := put("text.en", plainEnglish, 100), put("text.fr.txt", plainFrench, 100)
	tokens := put("tokens", "the man , who sleeps in the garden , is tall .\n", 200)
	const end = " to take words and punctuation apart\n"
	for _, test := range []struct {
		source, target, sourceLanguage, targetLanguage, want string
	}{
		{en, fr, "", "", "rnnsearch: warning: 29% of the words of " + en + " and 22% of the words of " + fr +
			" end in punctuation: this is plain text; pass --source-language en --target-language fr" + end},
		{en, fr, "en", "", "rnnsearch: warning: 22% of the words of " + fr + " end in punctuation: this is plain text; pass --target-language fr" + end},
		{en, tokens, "", "", "rnnsearch: warning: 29% of the words of " + en + " end in punctuation: this is plain text; pass --source-language en" + end},
		{en, fr, "en", "fr", ""},
		{tokens, tokens, "", "", ""},
	} {
		var messages bytes.Buffer
		s := Settings{
			Source: []string{test.source}, Target: []string{test.target}, SourceLanguage: test.sourceLanguage, TargetLanguage: test.targetLanguage,
			VocabularySize: 100, MaxLength: 50, Tokenizer: string(pipeline.Reversible),
		}
		c, err := Prepare(t.Context(), s, 1, Reporter{silent.Begin, &messages})
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if got := messages.String(); got != test.want {
			t.Errorf("%+v:\ngot  %swant %s", test, got, test.want)
		}
	}
}

package moses

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// shapes are repeated to lines that are hard to tokenize, detokenize or divide.
var shapes = []string{
	"a", "'", "''", `"`, `".`, ".", "..", ". ", "A. ", "(", "()", "([", " ", "` ", "-", "a-", "a'", "a’", "a.", ",", "´",
	"«\u00a0", "1\u00a0", "\xff", "&amp;", " :", "@-@ ", "„ “ ", "s' ", "€ ", "<", "<p> ", "</p> ", "? ", `." `,
	"<a x=\"", "@a", "a@a.", "_", "/", "1/1-", "1:", `\`, "#",
}

// functions convert a line in every way.
func functions() map[string]func(line string) {
	list := make(map[string]func(string))
	for _, language := range []string{"en", "fr", "de"} {
		list[language+" Tokenize"] = func(line string) {
			Tokenizer{Language: language, Lowercase: true, Normalize: true}.Tokenize(line)
		}
		list[language+" Normalize"] = func(line string) { Normalize(language, line) }
		list[language+" Detokenize"] = func(line string) { detokenize(language, strings.Fields(line)) }
		list[language+" Detokenize one word"] = func(line string) { detokenize(language, []string{line}) }
		list[language+" Sentences"] = func(line string) { Sentences(language, line) }
	}
	return list
}

// memory returns the number of bytes that f allocates.
func memory(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// TestLinearMemory: the memory for all intermediate results is a few bytes for each byte of a line that
// holds a repeated shape, a long word and a long run of spaces.
func TestLinearMemory(t *testing.T) {
	if os.Getenv("SOFTSEARCH_TEST") != "full" {
		t.Skip("hundreds of long lines")
	}
	const n = 1 << 13
	for name, function := range functions() {
		limit := 64.0 // a slice of words that grows takes most of it
		switch {
		case strings.Contains(name, "Normalize"):
			limit = 8
		case strings.Contains(name, "Detokenize"):
			limit = 20
		}
		for _, shape := range shapes {
			line := strings.Repeat(shape, n/len(shape)) + strings.Repeat("a", n) + strings.Repeat(" ", n) + "."
			function(line)
			if perByte := memory(func() { function(line) }) / float64(len(line)); perByte > limit {
				t.Errorf("%s of %q: %.1f bytes for each byte of the line, want at most %.0f", name, shape, perByte, limit)
			}
		}
	}
}

package corpus

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
)

// headLength is the number of bytes from the beginning of a file that tell plain text from tokens.
const headLength = 16 << 10

// punctuated returns the share of words that end in punctuation, in percent: 6 to 17 in plain text, below 2 in
// tokens, which abbreviations have. It is 0 if there are too few words to tell.
func punctuated(text string) float64 {
	const few = 100
	words := strings.Fields(text)
	if len(words) < few {
		return 0
	}
	n := 0
	for _, word := range words {
		word = strings.TrimRight(word, "\"')]’”»")
		if stem := strings.TrimRight(word, ".,;:!?…"); stem != word && strings.ContainsFunc(stem, unicode.IsLetter) && !strings.Contains(stem, "&") {
			n++ // and no XML entity of a token such as d&apos;
		}
	}
	return 100 * float64(n) / float64(len(words))
}

// A plainText is a file of text and what punctuated says of its beginning.
type plainText struct {
	textFile
	share float64
}

// plainWarning returns a warning about those files, whose words should be tokens, that are plain text.
func plainWarning(list []plainText) []byte {
	const most = 4 // percent in tokens
	var evidence, flags []string
	for _, p := range list {
		if p.share > most {
			evidence = append(evidence, fmt.Sprintf("%.0f%% of the words of %s", p.share, terminal.Quote(p.path)))
			flags = append(flags, fmt.Sprintf("--%s-language %s", p.flag, languageOf(p.path)))
		}
	}
	if evidence == nil {
		return nil
	}
	return fmt.Appendf(nil, "rnnsearch: warning: %s end in punctuation: this is plain text; pass %s to take words and punctuation apart\n",
		strings.Join(evidence, " and "), strings.Join(flags, " "))
}

// languageOf returns the language that a part of the name of a file is, or other.
func languageOf(path string) string {
	for _, part := range slices.Backward(strings.FieldsFunc(filepath.Base(path), func(r rune) bool { return strings.ContainsRune(".-_", r) })) {
		if slices.Contains([]string{"en", "fr", "de"}, part) {
			return part
		}
	}
	return "other"
}

package bpe

import (
	"strings"
	"unicode/utf8"
)

const (
	endOfWord = "</w>" // suffix of the last symbol of a word
	separator = "@@"   // suffix of every segment of a word but the last
)

// A pair is two adjacent symbols.
type pair struct{ left, right int32 }

// A symbolTable assigns consecutive ids to symbols, from 0.
type symbolTable struct {
	names []string
	ids   map[string]int32
}

// id returns the id of a symbol and adds the symbol if it is new.
func (t *symbolTable) id(name string) int32 {
	id, ok := t.ids[name]
	if !ok {
		if t.ids == nil {
			t.ids = make(map[string]int32)
		}
		id = int32(len(t.names))
		t.ids[name] = id
		t.names = append(t.names, name)
	}
	return id
}

// characterLen returns the length in bytes of the first character of s: a code point in UTF-8,
// or a byte outside any code point.
func characterLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// cutEndOfWord returns symbol without the suffix "</w>" and reports whether symbol ends a word:
// whether it has the suffix and something before it.
func cutEndOfWord(symbol string) (string, bool) {
	text, ok := strings.CutSuffix(symbol, endOfWord)
	return text, ok && text != ""
}

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

// none is the pair of a symbol that no merge produces.
var none = pair{-1, -1}

// A symbol is a symbol of the codes with the segments that it becomes, unless these are too rare.
type symbol struct {
	inner      string // its name followed by "@@": its segment inside a word
	last       string // its segment at the end of a word; empty if it cannot be there
	innerStays bool   // whether inner is not too rare
	lastStays  bool   // whether last is not too rare
	parts      pair   // the symbols that the first merge with this result merges
}

// newSymbol returns a symbol. Its segments share memory.
func newSymbol(name string) symbol {
	c := symbol{inner: name + separator, parts: none}
	if text, ok := cutEndOfWord(c.name()); ok {
		c.last = text
	}
	return c
}

func (c *symbol) name() string { return c.inner[:len(c.inner)-len(separator)] }

// restrict decides which segments stay: characters, and those with a frequency of at least
// threshold, or all if vocabulary is nil.
func (c *symbol) restrict(vocabulary Frequencies, threshold int) {
	allows := func(segment string) bool {
		n, ok := vocabulary[segment]
		return vocabulary == nil || ok && n >= threshold
	}
	c.innerStays = isCharacter(c.name()) || allows(c.inner)
	c.lastStays = isCharacter(c.last) || allows(c.last)
}

// appendCharacters appends the characters of the symbol inside a word, or at its end, to dst as
// segments and returns the result.
func (c *symbol) appendCharacters(dst []string, end bool) []string {
	text := c.name()
	if end {
		text = c.last
	}
	for text != "" {
		n := characterLen(text)
		segment := text[:n]
		if text = text[n:]; text != "" || !end {
			segment += separator
		}
		dst = append(dst, segment)
	}
	return dst
}

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

// isCharacter reports whether s has not more than one character.
func isCharacter(s string) bool { return characterLen(s) == len(s) }

// cutEndOfWord returns symbol without the suffix "</w>" and reports whether symbol ends a word:
// whether it has the suffix and something before it.
func cutEndOfWord(symbol string) (string, bool) {
	text, ok := strings.CutSuffix(symbol, endOfWord)
	return text, ok && text != ""
}

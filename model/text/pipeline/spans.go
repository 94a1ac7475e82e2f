package pipeline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Span is a token of a line.
type Span struct {
	Text  string // as Restore returns it
	Words [2]int // the words that are its segments: the first one, and the one after the last
	Bytes [2]int // of the line that are the token
}

// Spans returns the tokens that words are the segments of, by their places in a line: the one that
// [Pipeline.WordsOf] has divided into the words, or the one that [Pipeline.LineOf] makes of them.
// The places are in order. A token that is not in the line as it is, since the rules have changed it, may have an
// empty place between its neighbors.
func (p Pipeline) Spans(line string, words []string, kept Kept) []Span {
	list := []Span{}
	_, at := kept.within(line)
	first := kept.letters == wordCase // token with a letter
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && len(p.Join([]string{words[to-1], "."})) == 1 { // the word before is not the last of its token
			to++
		}
		if joined := p.Join(words[from:to]); len(joined) > 0 {
			s := Span{p.Restore(joined[0], kept), [2]int{from, to}, [2]int{at, at}}
			if first && strings.ContainsFunc(s.Text, unicode.IsLetter) {
				s.Text, first = upperFirst(s.Text), false
			}
			if begin, end, found := p.find(line, at, s.Text); found {
				s.Bytes, at = [2]int{begin, end}, end
			}
			list = append(list, s)
		}
		from = to
	}
	return list
}

// find returns the place of a token in a line, at or after a byte. What it leaves out before a word is at most
// 64 bytes, and before other tokens neither a letter nor a digit.
func (p Pipeline) find(line string, at int, token string) (begin, end int, found bool) {
	const far = 64
	isWord := strings.ContainsFunc(token, isWordRune)
	for from := at; from < min(at+far, len(line)); {
		if begin, end, found = p.match(line, from, token); found {
			return begin, end, true
		}
		r, size := utf8.DecodeRuneInString(line[from:])
		if isWordRune(r) && !isWord {
			break
		}
		from += size
	}
	return at, at, false
}

// match returns where a token is that begins at a byte of a line or after white space there. White space and the
// control characters that tokenizers drop do not count.
func (p Pipeline) match(line string, at int, token string) (begin, end int, found bool) {
	begin = -1
	for _, t := range token {
		if isSpaceOrControl(t) {
			continue
		}
		r, size := utf8.DecodeRuneInString(line[at:])
		for size > 0 && isSpaceOrControl(r) {
			at += size
			r, size = utf8.DecodeRuneInString(line[at:])
		}
		if size == 0 || r != t && !(r == '’' && t == '\'') && !(p.settings.Lowercase && unicode.ToLower(r) == t) {
			return 0, 0, false
		}
		if begin < 0 {
			begin = at
		}
		at += size
	}
	return begin, at, begin >= 0
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func isSpaceOrControl(r rune) bool { return r < ' ' || unicode.IsSpace(r) }

package text

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

const marks = "\"'“”‘’„‚«»‹›()[]{} \u00a0\u202f" // around a word

// A Joiner joins lines that were broken for their width, as in a PDF. A line goes on with the one before if
// that does not end with . ! ? or …, maybe in quotation marks or brackets, and this one begins in lower case.
// A hyphen after a letter at the end of a line goes; before a capital or a digit it stays and joins the lines. A
// blank line is a paragraph, and so is each line of code: one that begins with a tab or four spaces, and those
// from ``` to the next one. So that a list of words is no sentence, 600 bytes without . ! ? or … are not joined.
type Joiner struct {
	Open, Code, fenced bool // whether a further line may be part of the paragraph, this is code, and the next line is
	text               []byte
}

// Add adds a line to the paragraph, or returns false if the line is part of another, as beyond [MaxLine] bytes.
func (j *Joiner) Add(line string) bool {
	body := strings.TrimSpace(line)
	fence := strings.HasPrefix(body, "```")
	code := j.fenced || fence || body != "" && (line[0] == '\t' || strings.HasPrefix(line, "    "))
	if j.text == nil {
		j.text, j.Code, j.fenced = append([]byte{}, line...), code, j.fenced != fence
	} else if code || !j.Open || !j.join(strings.TrimLeftFunc(line, unicode.IsSpace)) {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(body, marks))
	endless := len(j.text) > 600 && !bytes.ContainsAny(j.text[len(j.text)-600:], ".!?…")
	j.Open = !code && body != "" && end != '…' && !unicode.Is(unicode.STerm, end) && !endless
	return true
}

func (j *Joiner) join(line string) bool {
	before := bytes.TrimRightFunc(j.text, unicode.IsSpace)
	stem := bytes.TrimRight(before, "-\u2010\u00ad") // without a hyphen, which -- is not
	last, _ := utf8.DecodeLastRune(stem)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, marks))
	lower, hyphen := unicode.IsLower(first), len(stem) < len(before) && unicode.In(last, unicode.L, unicode.Nd) && !bytes.HasSuffix(before, []byte("--"))
	switch {
	case len(before)+1+len(line) > MaxLine || !lower && !(hyphen && unicode.In(first, unicode.Lu, unicode.Nd)):
		return false
	case !hyphen:
		before = append(before, ' ')
	case lower && unicode.IsLetter(last):
		before = stem
	}
	j.text = append(before, line...)
	return true
}

// Take returns the paragraph and begins another.
func (j *Joiner) Take() (paragraph string) {
	paragraph, j.text = string(j.text), nil
	return paragraph
}

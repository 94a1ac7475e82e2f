package server

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// A document is a text that consists of sentences to translate and of what stays around them.
type document []piece

type piece struct {
	text string
	kind pieceKind
}

type pieceKind int

const (
	markup      pieceKind = iota // stays as it is
	kept                         // text that stays
	toTranslate                  // text to translate
)

// textDocument divides a text into lines, and those into sentences.
func textDocument(text string, split func(string) []string) (d document) {
	for line := range strings.Lines(text) {
		d.add(line, split)
	}
	return d
}

// add adds text: its sentences, and the white space around it.
func (d *document) add(text string, split func(string) []string) {
	words := strings.TrimSpace(text)
	before, after, _ := strings.Cut(text, words)
	*d = append(*d, piece{before, kept})
	for i, sentence := range split(words) {
		if i > 0 {
			*d = append(*d, piece{" ", kept})
		}
		kind := kept
		if strings.ContainsFunc(sentence, isWordRune) {
			kind = toTranslate
		}
		*d = append(*d, piece{sentence, kind})
	}
	*d = append(*d, piece{after, kept})
}

// isWordRune reports whether a text with r can be translated, unlike emoji and punctuation.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// htmlDocument divides HTML into markup and text. The text between two tags is translated by itself,
// but stays in comments, in code, and in elements with translate="no".
func htmlDocument(text string, split func(string) []string) (d document) {
	z := html.NewTokenizer(strings.NewReader(text))
	skipped, depth := "", 0 // the outermost element whose text stays, and how often it is open
	for {
		kind := z.Next()
		raw := string(z.Raw())
		token := z.Token()
		switch {
		case kind == html.TextToken && depth == 0:
			d.add(token.Data, split)
			continue
		case kind == html.StartTagToken && depth == 0 && keepsText(token):
			skipped, depth = token.Data, 1
		case kind == html.StartTagToken && depth > 0 && token.Data == skipped:
			depth++
		case kind == html.EndTagToken && depth > 0 && token.Data == skipped:
			depth--
		}
		d = append(d, piece{raw, markup})
		if kind == html.ErrorToken {
			return d
		}
	}
}

func keepsText(t html.Token) bool {
	switch t.Data {
	case "script", "style", "textarea", "pre", "code", "kbd", "samp", "var":
		return true
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr":
		return false // elements without content
	}
	for _, a := range t.Attr {
		if a.Key == "translate" && strings.EqualFold(a.Val, "no") {
			return true
		}
	}
	return false
}

func (d document) sentences() (list []string) {
	for _, p := range d {
		if p.kind == toTranslate {
			list = append(list, p.text)
		}
	}
	return list
}

// with returns the document with translations of its sentences. escape is for text among markup.
func (d document) with(translations []string, escape func(string) string) string {
	var b strings.Builder
	for _, p := range d {
		switch p.kind {
		case toTranslate:
			b.WriteString(escape(translations[0]))
			translations = translations[1:]
		case kept:
			b.WriteString(escape(p.text))
		default:
			b.WriteString(p.text)
		}
	}
	return b.String()
}

func escapeHTML(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

func unescaped(text string) string { return text }

package pipeline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text/moses"
)

// Sentences divides a line into sentences as [moses.Sentences] does, none of which ends within a span. Symbols after a
// sentence belong to it, and the mark of a list to the first one. Without a language, a line with words is one sentence.
func (p Pipeline) Sentences(line string) (list []string) {
	if p.settings.Language == "" {
		if line != "" {
			list = []string{line}
		}
		return list
	}
	d := p.draft(line)
	b := []byte(d.text)
	for _, s := range d.spans {
		cover := byte('x')
		switch s.class {
		case number:
			continue
		case edge:
			cover = ' '
		}
		for i := s.from; i < s.to; i++ {
			b[i] = cover
		}
		if r, _ := utf8.DecodeRuneInString(d.text[s.from:]); cover == 'x' && unicode.IsUpper(r) {
			b[s.from] = 'X'
		}
	}
	text, at := string(b), 0
	var begins []int
	for _, s := range moses.Sentences(p.settings.Language, text) {
		at += strings.Index(text[at:], s)
		begins = append(begins, at)
		at += len(s)
	}
	if len(begins) == 0 {
		begins = []int{0}
	}
	begins[0] = 0
	for i, from := range begins {
		to := len(text)
		if i+1 < len(begins) {
			to = begins[i+1]
		}
		start := 0 // also where what begins a line is not read
		if i > 0 {
			start = d.place(from)
		}
		if s := strings.TrimFunc(line[start:d.place(to)], isSpaceOrControl); s != "" {
			list = append(list, s)
		}
	}
	return list
}

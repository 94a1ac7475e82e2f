// Package markup divides a document into sentences and puts their translations in its place, with the elements
// inside a sentence around the words that attended to theirs.
//
//	d := markup.HTML("<p>A man in a <b>red</b> shirt.</p>", m.SourceText)
//	d.Sentences() // "A man in a red shirt."
//	d.With(…)     // "<p>Un homme dans une chemise <b>rouge</b>.</p>"
//
// [Text] and [HTML] read a document as runs: text that no block interrupts, with marks in it. [Read] returns
// one after the other, as a document each. Run.flush divides a run into sentences. A mark between two sentences stays there. Where one is inside, With
// finds where each target word comes from (anchor.go) and the target words of each element (place.go), and writes
// tags and words (write.go).
package markup

import (
	"cmp"
	"io"
	"strings"
	"unicode"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/cmd/internal/api"
	"github.com/softsearch-go/softsearch/model/decode"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// A Document is text that consists of sentences to translate and of what stays around them.
type Document struct {
	pieces    []piece
	sentences int
	End       int64 // of the part of Read in its source, in bytes
	Spelled   bool  // whether characters of translations are written as other ones of the source are: with MaxSpelling bytes at most
}

// A piece is a sentence, or what stays.
type piece struct {
	raw      string
	sentence *sentence
}

// A Translation is a translation of a sentence, and where its words come from.
type Translation struct {
	Text           string
	Source, Target []pipeline.Token // tokens of the sentence and of Text, made of the words of Alignment
	Alignment      kernels.Matrix   // α, target words × source words; no rows if there is none
}

// Of returns a translation of s, with <unk> replaced if that is wanted.
func Of(s api.Sentence, r decode.Translation, replaced bool) Translation {
	w := s.Written(r, replaced)
	return Translation{w.Line, s.Tokens, w.Tokens, r.Alignment}
}

// Same returns a sentence as its own translation.
func Same(p pipeline.Pipeline, sentence string) Translation {
	tokens := p.Read(sentence, nil).Tokens
	return Translation{Text: sentence, Source: tokens, Target: tokens}
}

// Formats returns the names of the formats of [Divider].
func Formats() []string { return []string{"text", "html", "markdown"} }

// Read divides a document in one of Formats. It calls each with part after part, until that returns an error.
func Read(format string, in io.Reader, p pipeline.Pipeline, each func(part *Document) error) error {
	r := newRun(p)
	r.each = each
	err := map[string]func(*run, io.Reader) error{"text": (*run).readText, "html": (*run).readHTML, "markdown": (*run).readMarkdown}[format](r, in)
	if err == nil && r.err == nil && len(r.document.pieces) > 0 {
		r.document.End = r.end
		err = each(r.document)
	}
	return cmp.Or(r.err, err)
}

// Raw returns a document of text that stays.
func Raw(text string) *Document { return &Document{pieces: []piece{{raw: text}}} }

// Text divides plain text into lines, and those into sentences.
func Text(text string, p pipeline.Pipeline) *Document { return newRun(p).whole((*run).readText, text) }

// HTML divides a document or a part of one, by blocks and then by sentences. Scripts and the like, code, and elements
// with translate="no" or the class notranslate stay as they are. If there is no tag, lines divide it as in [Text].
func HTML(text string, p pipeline.Pipeline) *Document { return newRun(p).whole((*run).readHTML, text) }

func (r *run) whole(read func(*run, io.Reader) error, text string) *Document {
	read(r, strings.NewReader(text)) // without errors
	return r.document
}

func (r *run) readText(in io.Reader) error {
	text, err := io.ReadAll(in)
	r.addLines(string(text), func(line string) { r.addText(line, line) })
	return err
}

// Sentences returns the sentences in order.
func (d *Document) Sentences() (list []string) {
	for _, p := range d.pieces {
		if p.sentence != nil {
			list = append(list, p.sentence.text)
		}
	}
	return list
}

// With returns the document with translation(i) of each Sentences()[i].
func (d *Document) With(translation func(i int) Translation) string {
	var b strings.Builder
	n := 0
	for _, p := range d.pieces {
		b.WriteString(p.raw)
		if p.sentence != nil {
			b.WriteString(p.sentence.with(translation(n)))
			n++
		}
	}
	return b.String()
}

func (d *Document) keep(raw string) {
	if raw != "" {
		d.pieces = append(d.pieces, piece{raw: raw})
	}
}

// isWordRune reports whether a text with r can be translated, unlike emoji and punctuation.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

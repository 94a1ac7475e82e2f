// Package markup divides a document into sentences and puts their translations in its place, with the elements
// inside a sentence around the words that attended to theirs.
//
//	d := markup.Whole("html", "<p>A man in a <b>red</b> shirt.</p>", m.SourceText, "fr")
//	d.Sentences() // "A man in a red shirt."
//	d.With(…)     // "<p>Un homme dans une chemise <b>rouge</b>.</p>"
//
// The readers of [Formats] read a document as runs: text that no block interrupts, with marks in it. [Read] returns
// one after the other, as a document each. Run.flush divides a run into sentences. A mark between two sentences stays there. Where one is inside, With
// finds where each target word comes from (anchor.go) and the target words of each element (place.go), and writes
// tags and words (write.go).
package markup

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
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

// A piece is a sentence, what stays, or a text inside a syntax of its own.
type piece struct {
	raw      string
	sentence *sentence
	inner    *inner
}

// An inner text is a document in a string or the like, which is written as raw until a translation changes it.
type inner struct {
	*Document
	raw, text string
	spell     func(text string) string
	key       string // that stands for it in a tag of the document, empty for a text at its own place
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

// ErrSyntax is the error of a document that its format does not allow.
var ErrSyntax = errors.New("invalid document")

// formats are what [Read] reads. Files of a format have one of the extensions.
var formats = []struct {
	name, extensions string
	read             func(*run, io.Reader) error
}{
	{"text", ".txt", (*run).readText},
	{"html", ".html .htm .xhtml", (*run).readHTML},
	{"markdown", ".md .markdown", (*run).readMarkdown},
	{"srt", ".srt", (*run).readSRT},
	{"vtt", ".vtt", (*run).readVTT},
	{"po", ".po .pot", (*run).readPO},
	{"xliff", ".xlf .xliff", (*run).readXLIFF},
}

// Formats returns the names of the formats.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Extensions returns the extensions of files in all formats, such as ".txt".
func Extensions() (list []string) {
	for _, f := range formats {
		list = append(list, strings.Fields(f.extensions)...)
	}
	return list
}

// FormatOf returns the format of files with an extension, empty if there is none.
func FormatOf(extension string) string {
	for _, f := range formats {
		if slices.Contains(strings.Fields(f.extensions), strings.ToLower(extension)) {
			return f.name
		}
	}
	return ""
}

// Read divides a document in one of Formats, whose text p reads, for translations into a language. It calls each with
// part after part, until that returns an error.
func Read(format string, in io.Reader, p pipeline.Pipeline, language string, each func(part *Document) error) error {
	r := newRun(p, language)
	r.each = each
	err := r.read(format, in)
	if err == nil && r.err == nil && len(r.document.pieces) > 0 {
		r.document.End = r.end
		err = each(r.document)
	}
	return cmp.Or(r.err, err)
}

// Whole divides a document like [Read], as one part.
func Whole(format, text string, p pipeline.Pipeline, language string) (*Document, error) {
	r := newRun(p, language)
	err := r.read(format, strings.NewReader(text))
	return r.document, err
}

func (r *run) read(format string, in io.Reader) error {
	for _, f := range formats {
		if f.name == format {
			return f.read(r, in)
		}
	}
	return fmt.Errorf("unknown format %q", format)
}

// Raw returns a document of text that stays.
func Raw(text string) *Document { return &Document{pieces: []piece{{raw: text}}} }

// readText divides plain text into lines, and those into sentences.
func (r *run) readText(in io.Reader) error {
	text, err := io.ReadAll(in)
	r.addLines(string(text), func(line string) { r.addText(line, line) })
	return err
}

// Sentences returns the sentences in order.
func (d *Document) Sentences() (list []string) {
	for _, p := range d.pieces {
		switch {
		case p.sentence != nil:
			list = append(list, p.sentence.text)
		case p.inner != nil:
			list = append(list, p.inner.Sentences()...)
		}
	}
	return list
}

// With returns the document with translation(i) of each Sentences()[i].
func (d *Document) With(translation func(i int) Translation) string {
	var b strings.Builder
	var keys []string // and what they stand for
	n := 0
	for _, p := range d.pieces {
		switch {
		case p.sentence != nil:
			b.WriteString(p.sentence.with(translation(n)))
			n++
		case p.inner != nil:
			text := p.inner.with(func(i int) Translation { return translation(n + i) })
			if n += p.inner.sentences; p.inner.key == "" {
				b.WriteString(text)
			} else {
				keys = append(keys, p.inner.key, text)
			}
		}
		b.WriteString(p.raw)
	}
	if keys != nil {
		return strings.NewReplacer(keys...).Replace(b.String())
	}
	return b.String()
}

func (in *inner) with(translation func(i int) Translation) string {
	if text := in.With(translation); text != in.text {
		return in.spell(text)
	}
	return in.raw
}

func (d *Document) keep(raw string) {
	if raw != "" {
		d.pieces = append(d.pieces, piece{raw: raw})
	}
}

// isWordRune reports whether a text with r can be translated, unlike emoji and punctuation.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

package markup

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// An item of a run is text, or a mark in the text.
type item struct {
	kind    itemKind
	breaks  bool     // a point after which a line begins
	element *element // of a start or an end, nil for an end without a start
	at      int      // byte of the body
	raw     string   // as it is in the document
	text    string   // that raw stands for, if this is text
}

func (it item) isPaired() bool { return it.element != nil && it.element.to >= 0 }

type itemKind uint8

const (
	characters itemKind = iota
	kept                // an element whose content stays: a word of the text
	start               // of an element
	end                 // of an element
	point               // markup without text
)

// An element is what stands between two marks.
type element struct {
	name       string
	start, end string // tags
	formatting bool   // may be repeated
	divides    bool   // the run, as do those around it
	cost       int    // bytes of its tags and of those around it that are repeated with it
	from, to   int    // items; to is -1 until there is an end
}

// maxCost is the largest cost of an element that is repeated, so that a word of a translation brings few bytes.
const maxCost = 256

// maxDepth bounds the elements around a word, each of which takes time for it.
const maxDepth = 64

// A run is text that no block interrupts, with its marks.
type run struct {
	document *Document
	each     func(part *Document) error // takes the document after each run that has sentences, nil for a whole one
	err      error                      // of each
	end      int64                      // bytes of the source that are read
	pipeline pipeline.Pipeline
	language string          // of translations
	escapes  map[rune]string // how the document writes some characters
	plain    bool            // one space stands between two sentences
	wraps    bool            // translations have the lines of sentences

	body     string // texts of the items, at the end
	size     int    // bytes of that
	items    []item
	open     []*element
	names    map[string]int  // of open elements: how many
	spelling map[rune]string // escapes, and how this run writes other characters
}

func newRun(p pipeline.Pipeline, language string) *run {
	r := &run{document: &Document{}, pipeline: p, language: language, escapes: map[rune]string{}}
	r.begin()
	return r
}

func (r *run) begin() {
	*r = run{
		document: r.document, each: r.each, err: r.err, end: r.end, pipeline: r.pipeline, language: r.language, escapes: r.escapes, plain: r.plain, wraps: r.wraps,
		names: map[string]int{},
	}
}

// addLines adds lines by add, each of which is a run.
func (r *run) addLines(text string, add func(line string)) {
	r.plain = true
	for line := range strings.Lines(text) {
		add(line)
		r.flush()
	}
}

// addInner adds a text inside a syntax of its own, which writes it as raw, and another one by spell.
func (r *run) addInner(in inner, read func(*run, io.Reader) error) {
	of := newRun(r.pipeline, r.language)
	read(of, strings.NewReader(in.text)) // without errors
	in.Document = of.document
	r.document.pieces = append(r.document.pieces, piece{inner: &in})
	r.document.sentences += of.document.sentences
	r.document.Spelled = r.document.Spelled || of.document.sentences > 0
}

// addBlock ends the run and keeps raw, which stands after it.
func (r *run) addBlock(raw string) {
	r.flush()
	r.document.keep(raw)
}

func (r *run) add(i item) {
	i.at = r.size
	r.size += len(i.text)
	r.items = append(r.items, i)
}

func (r *run) addPoint(raw string) { r.add(item{kind: point, raw: raw}) }

// addBreak adds the end of a line, which also ends a sentence if a capital or another one follows.
func (r *run) addBreak(raw string) { r.add(item{kind: point, raw: raw, breaks: true}) }

// addNote adds markup without words that moves with the word before it, such as <sup>1</sup>.
func (r *run) addNote(raw string) {
	n := len(r.items) - 1
	if n >= 0 && (r.items[n].kind == kept || r.items[n].isPaired()) {
		last := &r.items[n]
		if last.raw += raw; last.kind == end {
			last.element.end, last.element.formatting = last.raw, false
		}
		return
	}
	if n < 0 || r.items[n].kind != characters || r.items[n].raw != r.items[n].text {
		r.addPoint(raw)
		return
	}
	last := r.items[n]
	head := strings.TrimRightFunc(last.text, isVisible)
	if c, size := utf8.DecodeLastRuneInString(last.text); !isWordRune(c) {
		head = last.text[:len(last.text)-size]
	}
	r.items, r.size = r.items[:n], last.at
	r.addText(head, head)
	r.addStart("", noteName, false)
	r.addText(last.text[len(head):], last.text[len(head):])
	r.addEnd(raw, noteName)
}

const noteName = "^"

// addText adds text that the document writes as raw.
func (r *run) addText(raw, text string) {
	c, size := utf8.DecodeRuneInString(text)
	if raw != text && size == len(text) && isVisible(c) && c != utf8.RuneError {
		if r.spelling == nil {
			r.spelling = maps.Clone(r.escapes)
		}
		r.spelling[c] = spelled(raw, c)
	}
	switch {
	case text != "":
		r.add(item{raw: raw, text: text})
	case raw != "":
		r.addPoint(raw)
	}
}

// MaxSpelling is the largest number of bytes that a document writes for a character of a translation.
const MaxSpelling = len("&#1114111;")

// spelled returns what the document writes for a character that raw stands for. A reference that would take in what
// follows it, or leading zeros, is not repeated.
func spelled(raw string, c rune) string {
	if raw[0] == '&' && (raw[len(raw)-1] != ';' || len(raw) > MaxSpelling) {
		return fmt.Sprintf("&#%d;", c)
	}
	return raw
}

// object stands for kept content in the text of a sentence: the object replacement character.
const object = "\ufffc"

// controls are the control characters that are no white space, and object.
const controls = `[\x00-\x08\x0e-\x1f\x{fffc}]+`

// addWritten adds text in which a pattern finds what stands for other characters. Control characters, which readings
// drop, become a space, so that none hides a tag, and so does what only addKept adds.
func (r *run) addWritten(raw string, pattern *regexp.Regexp, meaning func(raw string) string) {
	at := 0
	for _, m := range pattern.FindAllStringIndex(raw, -1) {
		written := raw[m[0]:m[1]]
		text := meaning(written)
		isControl := strings.HasPrefix(text, object) || text != "" && text[0] < ' ' && isVisible(rune(text[0]))
		if text == written && !isControl {
			continue
		}
		r.addText(raw[at:m[0]], raw[at:m[0]])
		if isControl {
			written, text = " ", " "
		}
		r.addText(written, text)
		at = m[1]
	}
	r.addText(raw[at:], raw[at:])
}

// addKept adds an element whose content stays. A span stands for it in the sentence, or its text if the model keeps none.
func (r *run) addKept(raw, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		r.addPoint(raw)
		return
	}
	if len(r.pipeline.Placeholders()) > 0 {
		text = object
	}
	r.add(item{kind: kept, raw: raw, text: text})
}

func (r *run) addStart(raw, name string, formatting bool) {
	e := &element{name: name, start: raw, divides: len(r.open) >= maxDepth, cost: 2*len(raw) + len("/"), from: len(r.items), to: -1}
	if n := len(r.open); n > 0 && r.open[n-1].formatting {
		e.cost += r.open[n-1].cost
	}
	e.formatting = formatting && e.cost <= maxCost
	r.open = append(r.open, e)
	r.names[name]++
	r.add(item{kind: start, element: e, raw: raw})
}

// addEnd ends the last open element of that name. Those that begin inside it have no end.
func (r *run) addEnd(raw, name string) {
	it := item{kind: end, raw: raw}
	for found := r.names[name] == 0; !found; {
		e := r.open[len(r.open)-1]
		it.element, r.open = e, r.open[:len(r.open)-1]
		r.names[e.name]--
		if found = e.name == name; found {
			e.end, e.to = raw, len(r.items)
		}
	}
	r.add(it)
}

// flush adds the run to the document and begins another one. Marks without a partner divide it, links that have all of
// the words, and breaks, as do the marks of elements around them.
func (r *run) flush() {
	var body strings.Builder
	for _, it := range r.items {
		body.WriteString(it.text)
	}
	r.body = body.String()
	dividers := r.dividers()
	before := make([]int, len(r.items)+1) // dividers before each item
	for i, divides := range dividers {
		before[i+1] = before[i]
		if divides {
			before[i+1]++
		}
	}
	from := 0
	for i, it := range r.items {
		around := it.isPaired() && before[it.element.from] != before[it.element.to]
		if !dividers[i] && !around {
			continue
		}
		r.divide(r.items[from:i])
		r.document.keep(it.raw)
		from = i + 1
	}
	r.divide(r.items[from:])
	r.begin()
	if r.each != nil && r.document.sentences > 0 && r.err == nil {
		r.document.End = r.end
		r.err = r.each(r.document)
		r.document = &Document{}
	}
}

// links are the names of elements that are texts of their own where nothing else has words.
var links = set("a label [")

// dividers returns for each item whether it divides the run.
func (r *run) dividers() []bool {
	depth, number, outside := 0, 0, false // of links, and whether there are words outside of them
	for _, it := range r.items {
		switch isLink := it.isPaired() && links[it.element.name]; {
		case isLink && it.kind == start:
			depth, number = depth+1, number+1
		case isLink:
			depth--
		case it.kind <= kept:
			outside = outside || depth == 0 && (it.kind == kept || strings.ContainsFunc(it.text, isWordRune))
		}
	}
	const another = '\n'
	var next rune // that is visible, or another break
	divides := make([]bool, len(r.items))
	for i, it := range slices.Backward(r.items) {
		switch text := strings.TrimLeftFunc(it.text, unicode.IsSpace); {
		case it.breaks:
			divides[i], next = next == another || unicode.IsUpper(next), another
		case it.kind == start || it.kind == end:
			divides[i] = !it.isPaired() || it.element.divides || links[it.element.name] && number > 1 && !outside
		case text != "":
			next, _ = utf8.DecodeRuneInString(text)
		}
	}
	return divides
}

// divide adds items, whose marks are in pairs, as sentences and what is between them. A sentence has the marks
// between its first and its last character, and those of the elements that begin or end there but inside another one.
func (r *run) divide(items []item) {
	extents := r.extents(items)
	var open []*element // to place
	var s *sentence
	k := 0
	var after strings.Builder // white space
	finish := func() {
		if s != nil {
			r.addSentence(s)
			r.document.keep(after.String())
			after.Reset()
			s, k = nil, k+1
		}
	}
	for _, it := range cut(items, extents) {
		if s != nil && it.at >= extents[k].to { // what follows may be inside an element of the sentence
			if n := len(open); n == 0 || k+1 < len(extents) && r.items[open[n-1].to].at > extents[k+1].from {
				finish()
			}
		}
		scope := placed
		if it.element != nil {
			scope = it.element.scope(r.items, extents)
		}
		opens := it.kind == start && scope == placed
		switch inside := k < len(extents) && it.at >= extents[k].from && it.at < extents[k].to; {
		case scope == whole:
			if it.kind == end {
				finish()
			}
			r.document.keep(it.raw)
			continue
		case it.kind == characters && !inside && s != nil && it.at >= extents[k].to:
			after.WriteString(it.raw)
			continue
		case it.kind == characters && !inside:
			if r.plain && k > 0 && k < len(extents) {
				it.raw = " "
			}
			r.document.keep(it.raw)
			continue
		case s == nil && (it.kind <= kept || opens):
			s = &sentence{text: extents[k].text, inherited: slices.Clone(open)}
		}
		if opens {
			open = append(open, it.element)
		} else if it.kind == end && scope == placed {
			open = open[:len(open)-1]
		}
		if s != nil {
			s.items = append(s.items, it)
		} else if scope != placed || it.kind == point {
			r.document.keep(it.raw)
		}
	}
	finish()
}

// addSentence adds a sentence to the document, as it is if it has no words.
func (r *run) addSentence(s *sentence) {
	if !slices.ContainsFunc(s.items, func(it item) bool { return it.kind == characters && strings.ContainsFunc(it.text, isWordRune) }) {
		r.document.keep(raw(s.paired(), true))
		return
	}
	if r.wraps {
		s.measure()
	}
	if len(s.inherited) == 0 && s.breaks == nil && !slices.ContainsFunc(s.items, func(it item) bool { return it.kind != characters }) {
		s.items = nil
	}
	if s.spelling = r.spelling; s.spelling == nil {
		s.spelling = r.escapes
	} else {
		r.document.Spelled = true
	}
	r.document.pieces = append(r.document.pieces, piece{sentence: s})
	r.document.sentences++
}

// lineEnds are where lines of a sentence meet.
var lineEnds = regexp.MustCompile(`\s*[\n-\r]\s*`)

// An extent is where a sentence is.
type extent struct {
	text     string // on one line
	from, to int    // bytes of the body
}

// extents returns the sentences of items. None ends inside an element that has parts of several and must not be
// repeated.
func (r *run) extents(items []item) []extent {
	if len(items) == 0 {
		return nil
	}
	last := items[len(items)-1]
	body, at := r.body[:last.at+len(last.text)], items[0].at
	var list []extent
	for _, text := range r.pipeline.Sentences(body[at:]) {
		from := len(body) - len(strings.TrimLeftFunc(body[at:], unicode.IsSpace))
		at = from + prefix(body[from:], count(text, isVisible), isVisible)
		list = append(list, extent{lineEnds.ReplaceAllString(text, " "), from, at})
	}
	within := make([]int, len(list)+1) // differences of: elements that span the gap before sentence i
	for _, it := range items {
		from, to := it.at, it.at+len(it.text)
		if it.kind == start && !it.element.formatting {
			to = r.items[it.element.to].at
		} else if it.kind != kept {
			continue
		}
		if first, after := touched(list, from, to); after-first > 1 && (it.kind == kept || from > list[first].from || to < list[after-1].to) {
			within[first+1]++
			within[after]--
		}
	}
	joined, depth := list[:0], 0
	var texts []string // of the sentence that is joined
	for i, e := range list {
		depth += within[i]
		if texts = append(texts, e.text); depth+within[i+1] <= 0 || i+1 == len(list) {
			joined = append(joined, extent{strings.Join(texts, " "), list[i+1-len(texts)].from, e.to})
			texts = texts[:0]
		}
	}
	return joined
}

func isVisible(r rune) bool { return !unicode.IsSpace(r) }

// isSolid reports whether a character is neither white space nor a control character, which tokenizers drop.
func isSolid(r rune) bool { return r >= ' ' && !unicode.IsSpace(r) }

// count returns the number of bytes of the characters of a text that f selects.
func count(text string, f func(rune) bool) (n int) {
	for i, r := range text {
		if f(r) {
			_, size := utf8.DecodeRuneInString(text[i:])
			n += size
		}
	}
	return n
}

// prefix returns the length of the shortest beginning of a text in which f selects n bytes, or more inside a character.
func prefix(text string, n int, f func(rune) bool) (length int) {
	for n > 0 && length < len(text) {
		_, size := utf8.DecodeRuneInString(text[length:])
		n -= count(text[length:length+size], f)
		length += size
	}
	return length
}

// touched returns the sentences with text between two bytes: the first, and the one after the last.
func touched(list []extent, from, to int) (first, after int) {
	first = sort.Search(len(list), func(i int) bool { return list[i].to > from })
	after = sort.Search(len(list), func(i int) bool { return list[i].from >= to })
	return first, max(first, after)
}

// A scope says where the tags of an element go.
type scope int

const (
	placed scope = iota // where translations have its words
	whole               // where they are: it begins and ends between sentences
	empty               // where they are, or with what is beside them: it has no words
)

func (e *element) scope(items []item, list []extent) scope {
	from, to := items[e.from].at, items[e.to].at
	switch first, after := touched(list, from, to); {
	case first == after:
		return empty
	case from <= list[first].from && to >= list[after-1].to:
		return whole
	}
	return placed
}

// cut divides the items of text where sentences begin and end.
func cut(items []item, list []extent) (divided []item) {
	var bounds []int
	for _, e := range list {
		bounds = append(bounds, e.from, e.to)
	}
	for _, it := range items {
		for len(bounds) > 0 && bounds[0] <= it.at {
			bounds = bounds[1:]
		}
		for it.raw == it.text && len(bounds) > 0 && bounds[0] < it.at+len(it.text) {
			n := bounds[0] - it.at
			head := it
			head.raw, head.text = it.raw[:n], it.text[:n]
			divided = append(divided, head)
			it.raw, it.text, it.at = it.raw[n:], it.text[n:], it.at+n
			bounds = bounds[1:]
		}
		divided = append(divided, it)
	}
	return divided
}

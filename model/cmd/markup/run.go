package markup

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// An item of a run is text, or a mark in the text.
type item struct {
	kind    itemKind
	element int32  // of a start or an end, -1 for an end without a start
	at      int    // byte of the body
	raw     string // as it is in the document
	text    string // that raw stands for, if this is text
}

type itemKind uint8

const (
	characters itemKind = iota
	kept                // an element whose content stays: a word of the text
	start               // of an element
	end                 // of an element
	point               // markup without text
)

func (i item) isText() bool { return i.kind <= kept }

// An element is what stands between two marks.
type element struct {
	name       string
	start, end string // tags
	formatting bool   // may be repeated
	cost       int    // bytes of its tags and of those around it that are repeated with it
	from, to   int    // items; to is -1 until there is an end
}

// maxCost is the largest cost of an element that is repeated, so that a word of a translation brings few bytes.
const maxCost = 256

// A run is text that no block interrupts, with its marks.
type run struct {
	document *Document
	pipeline pipeline.Pipeline
	escapes  map[string]string // how the document writes some characters
	plain    bool              // one space stands between two sentences

	body     strings.Builder // texts of the items
	items    []item
	elements []element
	open     []int32           // elements
	names    map[string]int    // of open elements: how many
	kept     map[string]string // words that stand for kept content, by raw
	entities map[string]string // how this run writes some characters, in addition
}

func newRun(p pipeline.Pipeline, escapes map[string]string) *run {
	return &run{document: &Document{}, pipeline: p, escapes: escapes}
}

func (r *run) add(i item) {
	i.at = r.body.Len()
	r.body.WriteString(i.text)
	r.items = append(r.items, i)
}

func (r *run) addPoint(raw string) { r.add(item{kind: point, raw: raw}) }

// addText adds text that the document writes as raw.
func (r *run) addText(raw, text string) {
	if raw != text && utf8.RuneCountInString(text) == 1 && strings.TrimSpace(text) != "" {
		if r.entities == nil {
			r.entities = map[string]string{}
		}
		r.entities[text] = raw
	}
	if text != "" {
		r.add(item{raw: raw, text: text})
	}
}

// addKept adds an element whose content stays. A word that translations copy stands for it in the sentence, or its
// text if the model copies none.
func (r *run) addKept(raw, text string) {
	text = strings.TrimSpace(text)
	if text != "" && len(r.pipeline.Placeholders()) > 0 {
		if r.kept == nil {
			r.kept = map[string]string{}
		}
		if r.kept[raw] == "" {
			r.kept[raw] = "⟦\x01" + strconv.Itoa(len(r.kept)+1) + "⟧" // with a character that text has not
		}
		text = r.kept[raw]
	}
	if text == "" {
		r.addPoint(raw)
		return
	}
	r.add(item{kind: kept, raw: raw, text: text})
}

func (r *run) addStart(raw, name string, formatting bool) {
	cost := 2*len(raw) + len("/")
	if n := len(r.open); n > 0 && r.elements[r.open[n-1]].formatting {
		cost += r.elements[r.open[n-1]].cost
	}
	i := int32(len(r.elements))
	r.elements = append(r.elements, element{name, raw, "", formatting && cost <= maxCost, cost, len(r.items), -1})
	r.open = append(r.open, i)
	if r.names == nil {
		r.names = map[string]int{}
	}
	r.names[name]++
	r.add(item{kind: start, element: i, raw: raw})
}

// addEnd ends the last open element of that name. Those that begin inside it have no end.
func (r *run) addEnd(raw, name string) {
	it := item{kind: end, element: -1, raw: raw}
	for found := r.names[name] == 0; !found; {
		last := len(r.open) - 1
		it.element, r.open = r.open[last], r.open[:last]
		e := &r.elements[it.element]
		r.names[e.name]--
		if found = e.name == name; found {
			e.end, e.to = raw, len(r.items)
		}
	}
	r.add(it)
}

// flush adds the run to the document and begins another one. Marks without a partner divide it, as do those of the
// elements around them.
func (r *run) flush() {
	single := make([]int, len(r.items)+1) // marks without a partner before each item
	for i, it := range r.items {
		single[i+1] = single[i]
		if it.kind == end && it.element < 0 || it.kind == start && r.elements[it.element].to < 0 {
			single[i+1]++
		}
	}
	from := 0
	for i, it := range r.items {
		if it.kind != start && it.kind != end {
			continue
		}
		if it.element >= 0 {
			if e := r.elements[it.element]; e.to >= 0 && single[e.from] == single[e.to] {
				continue
			}
		}
		r.divide(r.items[from:i])
		r.document.keep(it.raw)
		from = i + 1
	}
	r.divide(r.items[from:])
	*r = run{document: r.document, pipeline: r.pipeline, escapes: r.escapes, plain: r.plain}
}

// divide adds items, whose marks are in pairs, as sentences and what is between them. A sentence has the marks
// between its first and its last character, and those of the elements that begin or end there but inside another one.
func (r *run) divide(items []item) {
	extents := r.extents(items)
	var open []int32 // elements to place
	var s *sentence
	k := 0
	var after []string // white space
	finish := func() {
		if s != nil {
			r.finish(s)
			for _, raw := range after {
				r.document.keep(raw)
			}
			s, k, after = nil, k+1, nil
		}
	}
	for _, it := range cut(items, extents) {
		if s != nil && it.at >= extents[k].to { // what follows may be inside an element of the sentence
			if n := len(open); n == 0 || k+1 < len(extents) && r.items[r.elements[open[n-1]].to].at > extents[k+1].from {
				finish()
			}
		}
		inside := k < len(extents) && it.at >= extents[k].from && it.at < extents[k].to
		scope := placed
		if it.kind == start || it.kind == end {
			scope = r.elements[it.element].scope(r.items, extents)
		}
		switch {
		case scope == whole:
			if it.kind == end {
				finish()
			}
			r.document.keep(it.raw)
			continue
		case it.kind == characters && !inside:
			switch {
			case s != nil && it.at >= extents[k].to:
				after = append(after, it.raw)
			case r.plain && k > 0 && k < len(extents):
				r.document.keep(" ")
			default:
				r.document.keep(it.raw)
			}
			continue
		case s == nil && (it.isText() || it.kind == start && scope == placed):
			s = &sentence{text: extents[k].text, elements: r.elements, inherited: slices.Clone(open)}
		}
		if scope == placed && it.kind == start {
			open = append(open, it.element)
		}
		if scope == placed && it.kind == end {
			open = open[:len(open)-1]
		}
		switch {
		case s != nil:
			s.items = append(s.items, it)
		case scope != placed || it.kind == point:
			r.document.keep(it.raw)
		}
	}
	finish()
}

// finish adds a sentence to the document, as it is if it has no words.
func (r *run) finish(s *sentence) {
	switch {
	case s == nil:
	case !slices.ContainsFunc(s.items, func(it item) bool { return it.kind == characters && strings.ContainsFunc(it.text, isWordRune) }):
		r.document.keep(s.raw(0, s.items, true))
	default:
		if len(s.inherited) == 0 && !slices.ContainsFunc(s.items, func(it item) bool { return it.kind != characters }) {
			s.items, s.elements = nil, nil
		}
		s.escaper = r.escaper()
		r.document.pieces = append(r.document.pieces, piece{sentence: s})
	}
}

// escaper returns what writes text as the run does, nil where that is as it is.
func (r *run) escaper() *strings.Replacer {
	if len(r.escapes)+len(r.entities) == 0 {
		return nil
	}
	escapes := maps.Clone(r.entities)
	if escapes == nil {
		escapes = map[string]string{}
	}
	for c, raw := range r.escapes {
		escapes[c] = cmp.Or(escapes[c], raw)
	}
	var pairs []string
	for _, c := range slices.Sorted(maps.Keys(escapes)) {
		pairs = append(pairs, c, escapes[c])
	}
	return strings.NewReplacer(pairs...)
}

// An extent is where a sentence is.
type extent struct {
	text     string // with one space between words
	from, to int    // bytes of the body
}

// extents returns the sentences of items. None ends inside an element that has parts of several and must not be
// repeated.
func (r *run) extents(items []item) []extent {
	if len(items) == 0 {
		return nil
	}
	last := items[len(items)-1]
	body := r.body.String()[:last.at+len(last.text)]
	at := items[0].at
	var list []extent
	for _, text := range r.pipeline.Sentences(body[at:]) {
		at = len(body) - len(strings.TrimLeftFunc(body[at:], unicode.IsSpace))
		from := at
		for left := count(text, isVisible); left > 0 && at < len(body); {
			_, size := utf8.DecodeRuneInString(body[at:])
			left -= count(body[at:at+size], isVisible)
			at += size
		}
		list = append(list, extent{text, from, at})
	}
	within := make([]int, len(list)+1) // at i, how many more elements have parts of sentences i-1 and i than of i-2 and i-1
	for _, it := range items {
		from, to := it.at, it.at+len(it.text)
		if it.kind == start && !r.elements[it.element].formatting {
			to = r.items[r.elements[it.element].to].at
		} else if it.kind != kept {
			continue
		}
		if first, after := touched(list, from, to); after-first > 1 && (it.kind == kept || from > list[first].from || to < list[after-1].to) {
			within[first+1]++
			within[after]--
		}
	}
	joined, depth := list[:0], 0
	for i, e := range list {
		if depth += within[i]; depth > 0 {
			last := &joined[len(joined)-1]
			last.text, last.to = last.text+" "+e.text, e.to
		} else {
			joined = append(joined, e)
		}
	}
	return joined
}

func isVisible(r rune) bool { return !unicode.IsSpace(r) }

// solid returns the number of bytes of a text that are neither white space nor control characters, which tokenizers drop.
func solid(text string) int {
	return count(text, func(r rune) bool { return r >= ' ' && !unicode.IsSpace(r) })
}

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

func (e element) scope(items []item, list []extent) scope {
	from, to := items[e.from].at, items[e.to].at
	first, after := touched(list, from, to)
	switch {
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

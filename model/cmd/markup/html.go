package markup

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// HTML divides a document or a part of one, by blocks and then by sentences. Scripts and the like, code, and elements
// with translate="no" or the class notranslate stay as they are. If there is no tag, lines divide it as in [Text].
func HTML(text string, p pipeline.Pipeline) *Document {
	r := newRun(p, map[string]string{"&": "&amp;", "<": "&lt;", ">": "&gt;"})
	z := html.NewTokenizer(strings.NewReader(text))
	var skip skipped
	for at := 0; at < len(text); {
		kind := z.Next()
		raw := text[at : at+len(z.Raw())]
		if kind == html.ErrorToken {
			raw = text[at:]
		}
		at += len(raw)
		token := z.Token()
		name := token.Data
		if kind == html.CommentToken || kind == html.ErrorToken {
			name = ""
		}
		switch {
		case kind == html.TextToken && len(raw) == len(text):
			r.plain = true
			for line := range strings.Lines(text) {
				r.addHTML(line)
				r.flush()
			}
		case skip.depth > 0:
			if skip.add(kind, token); skip.depth == 0 {
				r.addSkipped(&skip, text[skip.from:at])
			}
		case kind == html.StartTagToken && stays(token):
			skip = skipped{name: name, from: at - len(raw), depth: 1}
		case kind == html.TextToken:
			r.addHTML(raw)
		case blocks[name]:
			r.flush()
			r.document.keep(raw)
		default:
			r.addTag(kind, token, raw)
		}
	}
	if skip.depth > 0 {
		r.addSkipped(&skip, text[skip.from:])
	}
	r.flush()
	return r.document
}

// addTag adds a tag or a comment inside a block.
func (r *run) addTag(kind html.TokenType, t html.Token, raw string) {
	switch {
	case kind == html.StartTagToken && !void[t.Data]:
		identified := slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "id" })
		r.addStart(raw, t.Data, formatting[t.Data] && !identified)
	case kind == html.EndTagToken && !void[t.Data]:
		r.addEnd(raw, t.Data)
	default:
		r.addPoint(raw)
		if t.Data == "br" && kind != html.CommentToken {
			r.addText("", " ")
		}
	}
}

// character is a reference to one, which may lack its semicolon.
var character = regexp.MustCompile(`&#?[0-9A-Za-z]+;?`)

// addHTML adds text with character references.
func (r *run) addHTML(raw string) {
	at := 0
	for _, m := range character.FindAllStringIndex(raw, -1) {
		if text := html.UnescapeString(raw[m[0]:m[1]]); text != raw[m[0]:m[1]] {
			r.addText(raw[at:m[0]], raw[at:m[0]])
			r.addText(raw[m[0]:m[1]], text)
			at = m[1]
		}
	}
	r.addText(raw[at:], raw[at:])
}

// A skipped element is one whose content stays.
type skipped struct {
	name  string
	from  int // byte of the document
	text  strings.Builder
	depth int // how often an element of that name is open
}

func (s *skipped) add(kind html.TokenType, token html.Token) {
	switch {
	case kind == html.TextToken:
		s.text.WriteString(token.Data)
	case kind == html.StartTagToken && token.Data == s.name:
		s.depth++
	case kind == html.EndTagToken && token.Data == s.name:
		s.depth--
	}
}

func (r *run) addSkipped(s *skipped, raw string) {
	switch {
	case blocks[s.name]:
		r.flush()
		r.document.keep(raw)
	case silent[s.name]:
		r.addPoint(raw)
	default:
		r.addKept(raw, s.text.String())
	}
}

// stays reports whether the content of an element stays.
func stays(t html.Token) bool {
	if void[t.Data] {
		return false
	}
	return literal[t.Data] || silent[t.Data] || slices.ContainsFunc(t.Attr, func(a html.Attribute) bool {
		return a.Key == "translate" && strings.EqualFold(a.Val, "no") || a.Key == "class" && slices.Contains(strings.Fields(a.Val), "notranslate")
	})
}

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}

var (
	// blocks end a sentence. All elements that are not in this list may be inside one.
	blocks = set(`address article aside audio base blockquote body button canvas caption center col colgroup dd details dialog dir div dl
		dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link main
		menu meta nav object ol optgroup option p pre search section select summary table tbody td tfoot th thead title tr ul video`)
	void       = set("area base br col embed hr img input link meta param source track wbr") // elements without an end
	formatting = set("b big code del em font i ins mark s small span strike strong sub sup tt u")
	literal    = set("code kbd math pre samp var")                                                        // content that stays
	silent     = set("iframe noembed noframes noscript plaintext script style svg template textarea xmp") // content that is no text of the sentence
)

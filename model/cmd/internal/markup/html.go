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
	z, at := html.NewTokenizer(strings.NewReader(text)), 0
	next := func() (t html.Token, raw string) {
		from := at
		if z.Next() == html.ErrorToken {
			at = len(text)
		} else {
			at += len(z.Raw())
		}
		return z.Token(), text[from:at]
	}
	for at < len(text) {
		from := at
		switch t, raw := next(); {
		case t.Type == html.TextToken && len(raw) == len(text):
			r.addLines(text, r.addHTML)
		case t.Type == html.TextToken:
			r.addHTML(raw)
		case t.Type == html.StartTagToken && stays(t):
			var content strings.Builder
			depth := 1
			for depth > 0 && at < len(text) {
				switch inside, _ := next(); {
				case inside.Type == html.TextToken:
					content.WriteString(inside.Data)
				case inside.Type == html.StartTagToken && inside.Data == t.Data:
					depth++
				case inside.Type == html.EndTagToken && inside.Data == t.Data:
					depth--
				}
			}
			switch raw = text[from:at]; {
			case blocks[t.Data] || depth > 0: // an element without an end tag takes the rest of the text
				r.addBlock(raw)
			case silent[t.Data]:
				r.addPoint(raw)
			default:
				r.addKept(raw, content.String())
			}
		case t.Type != html.CommentToken && blocks[t.Data]:
			r.addBlock(raw)
		default:
			r.addTag(t, raw)
		}
	}
	r.flush()
	return r.document
}

// addTag adds a tag or a comment inside a block.
func (r *run) addTag(t html.Token, raw string) {
	switch {
	case t.Type == html.StartTagToken && !void[t.Data]:
		identified := slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "id" })
		r.addStart(raw, t.Data, formatting[t.Data] && !identified)
	case t.Type == html.EndTagToken && !void[t.Data]:
		r.addEnd(raw, t.Data)
	default:
		r.addPoint(raw)
		if t.Data == "br" && t.Type != html.CommentToken {
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

// stays reports whether the content of an element stays.
func stays(t html.Token) bool {
	return !void[t.Data] && (literal[t.Data] || silent[t.Data] || slices.ContainsFunc(t.Attr, func(a html.Attribute) bool {
		return a.Key == "translate" && strings.EqualFold(a.Val, "no") || a.Key == "class" && slices.Contains(strings.Fields(a.Val), "notranslate")
	}))
}

func set(names string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
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

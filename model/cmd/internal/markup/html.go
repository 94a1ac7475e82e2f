package markup

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// htmlEscapes are how HTML and XML write characters of text.
var htmlEscapes = map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;"}

// readHTML divides a document or a part of one, by blocks and then by sentences. Scripts and the like, code, and elements
// with translate="no" or the class notranslate stay as they are. If there is no tag, lines divide it as in plain text.
func (r *run) readHTML(in io.Reader) error {
	r.escapes = htmlEscapes
	return r.readTags(in, r.addHTML)
}

// readTags reads text, which it adds by addText, with tags.
func (r *run) readTags(in io.Reader, addText func(raw string)) error {
	z := html.NewTokenizer(in)
	t, raw := r.next(z)
	if text := raw; t.Type == html.TextToken {
		if t, raw = r.next(z); raw == "" {
			r.addLines(text, addText)
		} else {
			addText(text)
		}
	}
	r.addTags(z, t, raw, addText)
	r.flush()
	if z.Err() == io.EOF {
		return nil
	}
	return z.Err()
}

func (r *run) next(z *html.Tokenizer) (t html.Token, raw string) {
	z.Next()
	raw = string(z.Raw()) // before Token, which changes it
	r.end += int64(len(raw))
	return z.Token(), raw
}

// addTags adds a token and those after it.
func (r *run) addTags(z *html.Tokenizer, t html.Token, raw string, addText func(raw string)) {
	for ; raw != "" && r.err == nil; t, raw = r.next(z) {
		switch {
		case t.Type == html.TextToken:
			addText(raw)
		case t.Type == html.StartTagToken && r.stays(t):
			var whole, content strings.Builder
			whole.WriteString(raw)
			depth := 1
			for depth > 0 && raw != "" {
				var inside html.Token
				switch inside, raw = r.next(z); {
				case inside.Type == html.TextToken:
					content.WriteString(inside.Data)
				case inside.Type == html.StartTagToken && inside.Data == t.Data:
					depth++
				case inside.Type == html.EndTagToken && inside.Data == t.Data:
					depth--
				}
				whole.WriteString(raw)
			}
			switch {
			case blocks[t.Data] || depth > 0: // an element without an end tag takes the rest of the text
				r.addBlock(whole.String())
			case silent[t.Data]:
				r.addPoint(whole.String())
			default:
				r.addKept(whole.String(), content.String())
			}
		case t.Type != html.CommentToken && blocks[t.Data]:
			r.flush()
			r.document.keep(r.attributes(t, raw))
		default:
			r.addTag(t, raw)
		}
	}
}

// addTag adds a tag or a comment inside a block.
func (r *run) addTag(t html.Token, raw string) {
	name, _, _ := strings.Cut(t.Data, ".") // <c.yellow> of WebVTT
	raw = r.attributes(t, raw)
	switch {
	case t.Type == html.StartTagToken && !void[t.Data]:
		identified := strings.Contains(raw, keyMark) || slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "id" })
		r.addStart(raw, name, formatting[name] && !identified)
	case t.Type == html.EndTagToken && !void[t.Data]:
		if r.addEnd(raw, name); name == "sup" {
			r.bind(r.items[len(r.items)-1].element)
		}
	case t.Type == html.SelfClosingTagToken && t.DataAtom == 0 && !paired[t.Data]:
		r.addKept(raw, t.Data) // a word of the text, such as <x id="1"/>
	case t.Data == "br" && t.Type != html.CommentToken:
		r.addBreak(raw)
		r.addText("", " ")
	default:
		r.addPoint(raw)
	}
}

// bind makes a note of an element of the last items that has no letters.
func (r *run) bind(e *element) {
	if e != nil && !slices.ContainsFunc(r.items[e.from:], func(it item) bool { return it.kind == kept || strings.ContainsFunc(it.text, unicode.IsLetter) }) {
		note := raw(r.items[e.from:], true)
		r.items, r.size = r.items[:e.from], r.items[e.from].at
		r.addNote(note)
	}
}

// reference is what addWritten finds in HTML. The semicolon may be missing.
var reference = regexp.MustCompile(`&#?[0-9A-Za-z]+;?|` + controls)

func (r *run) addHTML(raw string) { r.addWritten(raw, reference, html.UnescapeString) }

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
	literal    = set("code kbd math pre ruby samp var ph")                                                           // content that stays
	silent     = set("iframe noembed noframes noscript plaintext script style svg template textarea xmp bpt ept it") // content that is no text of the sentence
	paired     = set("bx ex sc ec")                                                                                  // elements of XLIFF that stand for one tag of a pair
)

package markup

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// An inline syntax has the spans of a language in order: the first one that matches at a place counts.
type inline struct {
	all   *regexp.Regexp
	kinds []spanKind // by the groups of all, of which 0 is none
}

type spanKind int

const (
	none      spanKind = iota
	codeSpan           // stays
	figure             // stays, without text
	reference          // three groups: text with marks around it that must not be repeated
	emphasis           // three groups: text with marks around it
	name               // emphasis, unless it is a name that the model copies
	escape             // a backslash and a character
	tag                // of HTML
	lineBreak          // stays, and is white space
	softBreak          // white space
)

type syntax struct {
	kind    spanKind
	pattern string
}

func newInline(list []syntax) *inline {
	x := &inline{kinds: []spanKind{none}}
	var patterns []string
	for _, s := range list {
		patterns = append(patterns, "("+s.pattern+")")
		x.kinds = append(x.kinds, s.kind)
		for range regexp.MustCompile(s.pattern).NumSubexp() {
			x.kinds = append(x.kinds, none)
		}
	}
	x.all = regexp.MustCompile(strings.Join(patterns, "|"))
	return x
}

var (
	rstSpans = newInline([]syntax{
		{escape, `\\[^\n]`},
		{codeSpan, "``[^`]+(?:`[^`]+)*``|:[A-Za-z][\\w:+.-]*:`[^`]+`|`[^`]+`:[A-Za-z][\\w:+.-]*:"},
		{reference, "(`)([^`<]+)(\\s<[^`>]+>`__?)"},
		{codeSpan, "`[^`]+`_{0,2}|\\|[^|\\s][^|]*\\|_{0,2}|\\[[#*\\w.-]+\\]_|[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?__?\\b"},
		{emphasis, `(\*\*)([^*\s]|[^*\s][^*]*[^*\s])(\*\*)`},
		{name, `(\*)([^*\s]|[^*\s][^*]*[^*\s])(\*)`},
	})
	markdownSpans = newInline([]syntax{
		{escape, "\\\\[!-/:-@[-`{-~]"},
		{codeSpan, "``[^`]+(?:`[^`]+)*``|`[^`]+`|<[A-Za-z][A-Za-z0-9+.-]*:[^<>\\s]*>|<(?:code|kbd|samp|var)[\\s>][^<]*</[a-z]+>"},
		{figure, `!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|<!--(?s:.*?)-->`},
		{reference, `(\[)((?:[^\[\]]|\[[^\[\]]*\])+)(\](?:\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\)|\[[^\[\]]*\]))`},
		{tag, `</?[A-Za-z][^<>]*>`},
		{emphasis, `(\*\*)([^*\s](?:[^*]|\*[^*]+\*)*)(\*\*)|(__)([^_\s](?:[^_]|_[^_]+_)*)(__)|(~~)([^~\s][^~]*)(~~)`},
		{emphasis, `(\*)([^*\s]|[^*\s][^*]*[^*\s])(\*)|(_)([^_\s]|[^_\s][^_]*[^_\s])(_)`},
		{lineBreak, `(?:  +|\\)\n`},
		{softBreak, `\n[ \t]*>[ \t]?`},
	})
)

// add adds text with spans to a run.
func (x *inline) add(r *run, text string) {
	at := 0
	for _, m := range x.all.FindAllStringSubmatchIndex(text, -1) {
		raw := text[m[0]:m[1]]
		group := 1
		for m[2*group] < 0 || x.kinds[group] == none {
			group++
		}
		kind := x.kinds[group]
		if kind == name && slices.Equal(r.pipeline.Copies(raw), []string{raw}) {
			kind = codeSpan
		}
		left, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		right, _ := utf8.DecodeRuneInString(text[m[1]:])
		if (kind == emphasis || kind == name) && (isWordRune(left) || isWordRune(right)) || kind == codeSpan && (isWordRune(left) || left == '_') {
			continue // inside a word
		}
		r.addHTML(text[at:m[0]])
		at = m[1]
		switch kind {
		case codeSpan:
			r.addKept(raw, strings.Trim(raw, "`<>_|"))
		case figure:
			r.addPoint(raw)
		case escape:
			r.addText(raw, strings.TrimSpace(raw[1:]))
		case lineBreak:
			r.addPoint(raw)
			r.addText("", " ")
		case softBreak:
			r.addText(raw, " ")
		case tag:
			z := html.NewTokenizer(strings.NewReader(raw))
			kind := z.Next()
			r.addTag(kind, z.Token(), raw)
		default:
			for m[2*group+2] < 0 {
				group += 3
			}
			part := func(i int) string { return text[m[2*(group+i)]:m[2*(group+i)+1]] }
			r.addStart(part(1), part(1), kind != reference)
			x.add(r, part(2))
			r.addEnd(part(3), part(1))
		}
	}
	r.addHTML(text[at:])
}

package markup

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// An inline syntax has the spans of a language in order: the first one that matches at a place counts. The group
// around a span is named after what the span is:
//
//	code       stays
//	figure     stays, without text
//	reference  three groups: text with marks around it that must not be repeated; the last one gets a label that the
//	           text stands for
//	emphasis   three groups: text with marks around it
//	name       emphasis, unless it is a name that the model copies
//	escape     a backslash and a character
//	tag        of HTML
//	break      stays, and is white space
//	space      white space
type inline struct {
	*regexp.Regexp
	labels map[string]bool // of link definitions, folded
}

func newInline(spans ...string) inline {
	return inline{Regexp: regexp.MustCompile(strings.Join(spans, "|"))}
}

// quoteMarks matches the end of a line and the marks of quotations at the beginning of the next.
var quoteMarks = regexp.MustCompile(`\n(?:` + quoteMark + `)*`)

// fold returns what is equal for equal labels of links.
func fold(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }

var (
	rstSpans = newInline(
		`(?P<escape>\\[^\n])`,
		"(?P<code>``[^`]+(?:`[^`]+)*``|:[A-Za-z][\\w:+.-]*:`[^`]+`|`[^`]+`:[A-Za-z][\\w:+.-]*:)",
		"(?P<reference>(`)([^`<]+)(\\s<[^`>]+>`__?))",
		"(?P<code>`[^`]+`_{0,2}|\\|[^|\\s][^|]*\\|_{0,2}|\\[[#*\\w.-]+\\]_|[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?__?\\b)",
		`(?P<emphasis>(\*\*)([^*\s]|[^*\s][^*]*[^*\s])(\*\*))`,
		`(?P<name>(\*)([^*\s]|[^*\s][^*]*[^*\s])(\*))`,
	)
	markdownSpans = newInline(
		"(?P<escape>\\\\[!-/:-@[-`{-~])",
		"(?P<code>```[^`]+(?:``?[^`]+)*```|``[^`]+(?:`[^`]+)*``|`[^`]+`|<[A-Za-z][A-Za-z0-9+.-]*:[^<>\\s]*>|<(?:code|kbd|samp|var)[\\s>][^<]*</[a-z]+>)",
		`(?P<figure>!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|<!--(?s:.*?)-->)`,
		`(?P<reference>(\[)((?:[^\[\]]|\[[^\[\]]*\])+)(\](?:\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\)|\[[^\[\]]*\])?))`,
		`(?P<tag></?[A-Za-z][^<>]*>)`,
		`(?P<emphasis>(\*\*)([^*\s](?:[^*]|\*[^*]+\*)*)(\*\*)|(__)([^_\s](?:[^_]|_[^_]+_)*)(__)|(~~)([^~\s][^~]*)(~~))`,
		`(?P<emphasis>(\*)([^*\s]|[^*\s][^*]*[^*\s])(\*)|(_)([^_\s]|[^_\s][^_]*[^_\s])(_))`,
		`(?P<break>(?:  +|\\)\n(?:`+quoteMark+`)*)`,
		`(?P<space>\n(?:`+quoteMark+`)+)`,
	)
)

// add adds text with spans to a run.
func (x inline) add(r *run, text string) {
	at, names := 0, x.SubexpNames()
	for _, m := range x.FindAllStringSubmatchIndex(text, -1) {
		raw := text[m[0]:m[1]]
		var groups []int // that match: the span, and those inside
		for g := 1; g < len(names); g++ {
			if m[2*g] >= 0 {
				groups = append(groups, g)
			}
		}
		kind := names[groups[0]]
		if kind == "name" {
			if kind = "emphasis"; slices.Equal(r.pipeline.Kept(raw).Spans, []string{raw}) {
				kind = "code"
			}
		}
		left, _ := utf8.DecodeLastRuneInString(text[:m[0]])
		right, _ := utf8.DecodeRuneInString(text[m[1]:])
		if kind == "emphasis" && (isWordRune(left) || isWordRune(right)) || kind == "code" && (isWordRune(left) || left == '_') {
			continue // inside a word
		}
		part := func(i int) string { return text[m[2*groups[i]]:m[2*groups[i]+1]] }
		last := part(len(groups) - 1)
		if kind == "reference" && (last == "]" || last == "][]") {
			if label := quoteMarks.ReplaceAllString(part(2), " "); x.labels[fold(label)] {
				last = "][" + label + "]"
			} else if last == "]" && (isWordRune(left) || isWordRune(right)) {
				continue // inside a word
			}
		}
		r.addHTML(text[at:m[0]])
		at = m[1]
		switch kind {
		case "code":
			r.addKept(raw, strings.Trim(raw, "`<>_|"))
		case "figure":
			r.addPoint(raw)
		case "escape":
			r.addText(raw, strings.TrimSpace(raw[1:]))
		case "break":
			r.addPoint(raw)
			r.addText("", " ")
		case "space":
			r.addText(raw, " ")
		case "tag":
			z := html.NewTokenizer(strings.NewReader(raw))
			z.Next()
			r.addTag(z.Token(), raw)
		default:
			r.addStart(part(1), part(1), kind == "emphasis")
			x.add(r, part(2))
			r.addEnd(last, part(1))
		}
	}
	r.addHTML(text[at:])
}

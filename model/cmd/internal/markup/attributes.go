package markup

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// keyMark is around the keys of texts in tags: no text of UTF-8 has it.
const keyMark = "\xff"

var (
	attributeOf = regexp.MustCompile(`[\s"'/]([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))`)
	translated  = set("alt title placeholder aria-label")
)

// attributes returns a tag with keys in place of the texts in it, and with the language of translations.
func (r *run) attributes(t html.Token, raw string) string {
	if len(t.Attr) == 0 || isKept(t) {
		return raw
	}
	isDescription := t.Data == "meta" && slices.ContainsFunc(t.Attr, func(a html.Attribute) bool {
		return (a.Key == "name" || a.Key == "property") && strings.HasSuffix(strings.ToLower(a.Val), "description")
	})
	var b strings.Builder
	at := 0
	for _, m := range attributeOf.FindAllStringSubmatchIndex(raw, -1) {
		name, from, to := strings.ToLower(raw[m[2]:m[3]]), max(m[4], m[6], m[8]), max(m[5], m[7], m[9])
		value, quote := html.UnescapeString(raw[from:to]), ""
		switch {
		case isLanguage(name) && (t.Data == "html" || r.isSource(value)) && r.language != "":
			b.WriteString(raw[at:from] + r.language)
			at = to
		case translated[name] || name == "content" && isDescription:
			spelled := strings.NewReplacer("&", "&amp;", "<", "&lt;", raw[from-1:from], html.EscapeString(raw[from-1:from]))
			if m[8] >= 0 {
				spelled, quote = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;"), `"`
			}
			key := keyMark + strconv.Itoa(len(r.document.pieces)) + keyMark
			r.addInner(inner{raw: raw[from:to], text: value, spell: func(text string) string { return quote + spelled.Replace(text) + quote }, key: key}, (*run).readText)
			b.WriteString(raw[at:from] + key)
			at = to
		}
	}
	return b.String() + raw[at:]
}

func isLanguage(attribute string) bool { return attribute == "lang" || attribute == "xml:lang" }

// isSource reports whether a language is the source's, of any region.
func (r *run) isSource(language string) bool {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	return base == r.pipeline.Language()
}

// stays reports whether the content of an element stays.
func (r *run) stays(t html.Token) bool {
	return !void[t.Data] && (literal[t.Data] || silent[t.Data] || isKept(t) || slices.ContainsFunc(t.Attr, func(a html.Attribute) bool {
		return isLanguage(a.Key) && t.Data != "html" && a.Val != "" && r.pipeline.Language() != "" && !r.isSource(a.Val)
	}))
}

// isKept reports whether a tag says that nothing of it is to be translated.
func isKept(t html.Token) bool {
	return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool {
		return a.Key == "translate" && strings.EqualFold(a.Val, "no") || a.Key == "class" && slices.Contains(strings.Fields(a.Val), "notranslate")
	})
}

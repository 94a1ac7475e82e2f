package pipeline

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A class says which placeholders stand for spans, and where these may be.
type class int

const (
	code   class = iota // ⟦1⟧: text that is the same in both languages of a pair
	number              // ⟦#1⟧: numbers, which languages write differently
	name                // ⟦@1⟧: capitalized words and what a translation takes for such
	loose               // ⟦1⟧, which a pair may have on one side alone
	edge                // loose, and no words at all at the ends of a line
)

// A kind of span is kept as a whole.
type kind struct {
	name      string
	class     class
	needs     features // one of them
	languages string   // all if empty
	pattern   string   // the span is what its group matches, or all: none if the group is empty
	example   string
}

// Parts of the patterns.
const (
	begin         = `(?:^|[\s("'«»¿¡…–—\[=:,;])`
	letterOrDigit = `[\pL\pN_]`
	fileName      = `\.?` + letterOrDigit + `(?:[\pL\pN_.-]*` + letterOrDigit + `)?`
	urlEnd        = `[^\s<>"'“”«»` + "`" + `.,:;!?…()\[\]{}]`
	urlRest       = `(?:(?:[^\s<>"“”«»()` + "`" + `\[\]{}]|\([^\s<>"()]*\))*(?:` + urlEnd + `|\([^\s<>"()]*\)))`
	symbol        = `(?:[^\P{So}\x00-\x{ff}]|[\p{Co}\x{2190}-\x{21ff}])`
	sign          = `(?:\B[-−+±])?`
	digits        = `[0-9]+(?:[.,:/][0-9]+)*`
	grouped       = `\b[0-9]{1,3}(?: [0-9]{3})+\b(?:,[0-9]+)?`
	currency      = `(?:(?:US|CA|[A-Z])?[$€£¥]|[$€£¥](?:US|CA)\b)`
	clock         = `(?:[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AaPp](?:\.[Mm]\.|[Mm]\b))?|[0-9]{1,2} ?[AaPp](?:\.[Mm]\.|[Mm]\b)|[0-9]{1,2} ?h(?: ?[0-9]{2})?\b)`
	glued         = `(?:[\pL\pN_%‰°′″]+(?:/\pL{1,3}\b)?)`
	numbered      = `\b(?i:sections?|subsections?|paragraphs?|clauses?|articles?|alinéas?|paragraphes?|version|release|chapter|chapitre|figure|table|tableau|part|partie|Python|Django|Java|Windows|Android|Ubuntu|Debian|Go|Node|Ruby|Perl|Swift|PHP|HTML|HTTP|CSS|TLS|USB|iOS|macOS)`
	braces        = `[$%#@]?(?:\{\{[^{}]*\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})`
	directive     = `%\([^()\s]*\)[A-Za-z]|%(?:[0-9]+\$)?[-+#0]*[0-9]*(?:\.[0-9]+)?(?:ll?|h|z)?[sdifuxXcgeEp@]\b|%@|\$[A-Za-z_]\w*`
)

// Placeholder matches what programs replace in their messages, such as %s and {name}.
const Placeholder = directive + "|" + braces

// Words between stars that are stressed, and no names of parameters.
const stressed = `not|no|never|none|cannot|only|always|very|must|should|may|could|is|are|does|any|all|every|each|or|and|also|` +
	`same|new|few|exactly|almost|except|without|before|after|required|optional|deprecated|` +
	`pas|ne|non|jamais|aucun|aucune|seul|seule|seulement|uniquement|toujours|très|doit|devez|doivent|peut|est|sont|` +
	`tout|tous|toute|toutes|chaque|ou|et|aussi|même|nouveau|nouvelle|exactement|presque|sauf|sans|avant|après|obligatoire|obsolète|` +
	`nicht|nie|kein|keine|nur|immer|sehr|muss|darf|alle|jede|jeder|oder|und|auch|ohne|vor|nach`

// kinds are found in this order: what overlaps a span of an earlier kind is none.
var kinds = []kind{
	{"element of a document", code, rare, "", `\x{fffc}`, "\ufffc"},
	{"code", code, backquote, "", ":[A-Za-z][\\w:+.-]*:`[^`]+`|``[^`]+(?:`[^`]+)*``|`[^`\\s](?:[^`]*[^`\\s])?`_{0,2}", "`x + 1`"},
	{"URL", code, word | colon | dot, "", `(?:[A-Za-z][A-Za-z0-9+.-]*://|mailto:|www\.)` + urlRest, "https://go.dev/doc"},
	{"mail address", code, word | at, "", `[\pL\pN_.%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`, "ann@example.org"},
	{"host", code, word | dot | colon, "", `(?:(?:[A-Za-z0-9-]+\.)+(?:com|org|net|edu|gov|io|dev|info|eu|fr|de|uk|ca)\b|(?:[A-Za-z0-9-]+\.)+[a-z]{2,}(?::[0-9]+|/)|localhost:[0-9]+)(?::[0-9]+)?(?:/` + urlRest + `?)?`, "go.dev/blog"},
	{"tag", code, angle, "", `</?[A-Za-z][^<>]*>`, "<b>"},
	{"character reference", code, word | ampersand, "", `&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z][a-z]+[0-9]*);`, "&amp;"},
	{"formula", code, dollar, "", begin + `(\$[^$\s0-9](?:[^$\s]*|[^$]*[\\^=](?:[^$]*[^$\s])?)\$)`, "$x^2$"},
	{"braces", code, brace, "", `[\pL\pN_]*(?:` + braces + `[\pL\pN_]*)+`, "{{ count }}"},
	{"directive", code, word | percent | dollar, "", directive, "%1$s"},
	{"identifier", code, word | underscore, "", `\b[A-Za-z0-9][\w.]*_[\w.]*[A-Za-z0-9]\b|\b__\w+__\b`, "max_length"},
	{"parameter", loose, word | star, "", `\*(?i:` + stressed + `)()\*|\*[\pL\pN_.]+\*`, "*key*"},
	{"option", code, word | dashes, "", begin + `(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:=[^\s,;"'()]*[^\s,;"'().!?:])?)`, "--help"},
	{"path of Windows", code, word | backslash, "", `(?:\b[A-Za-z]:|\\)\\(?:[^\s<>"'()|?*:;,]*[^\s<>"'()|?*:;,.!])?`, `C:\Temp`},
	{"path", code, word | slash, "", begin + `((?:~|\.\.?)?/` + fileName + `(?:/` + fileName + `)*/?)|(?:` + fileName + `/)+` + letterOrDigit + `[\pL\pN_-]*(?:\.[A-Za-z0-9]+)+`, "/etc/hosts"},
	{"file", code, word | dot, "", `[\pL\pN_-]+(?:\.[\pL\pN_-]+)*\.(?:[ch]|go|mod|py|js|ts|cpp|rs|java|rb|php|html|css|json|xml|ya?ml|toml|ini|cfg|conf|sh|bat|exe|dll|md|rst|txt|log|csv|tsv|tex|pdf|docx?|odt|xlsx?|pptx?|png|jpe?g|gif|svg|mp3|mp4|wav|avi|zip|tar|t?gz|safetensors)\b`, "notes.txt"},
	{"hashtag or handle", code, word | at | hash, "", begin + `([@#]` + letterOrDigit + `+)`, "#golang"},
	{"joined by &", code, word | ampersand, "", `\b[A-Z]\w*(?:&[A-Z]\w*)+`, "R&D"},
	{"programming language", code, word | hash | plus, "", `\b[A-Za-z]\w*\+\+[0-9]*|\b[A-Z]#`, "C++"},
	{"mark of a list", edge, mark, "", `^ *((?:[-+*•‣◦·–—]|>+|#{1,6}|\[[ xX]?\]|[0-9]{1,3}\))(?: |$))`, "- "},
	{"number of a list", edge, mark, "en fr", `^ *([0-9]{1,3}\.(?: |$))`, "1. "},
	{"smiley", edge, word | colon | angle | caret | inside, "", begin + `([:;=]'?-?(?:[()/|*]+\B|[DPpOo]+\b)|<3\b|\^\^\B|[xX]D\b)`, ":-)"},
	{"symbol", edge, rare, "", `[0-9#*]\x{20e3}|` + symbol + `(?:` + symbol + `|\p{Sk})*`, "🎂"},
	{"network address", number, word | separated, "", `\b[0-9]+(?:\.[0-9]+){3,}\b`, "192.168.1.1"},
	{"phone number", number, near | separated, "", `\+[0-9]{1,3}(?:[ .-][0-9]+){2,}|\b[0-9]{2}(?:[ .-][0-9]{2}){3,}\b|\b[0-9]{3}-(?:[0-9]{3}-)?[0-9]{4}\b`, "06 12 34 56 78"},
	{"number with groups", number, near | separated, "", sign + `(?:` + currency + ` ?)?` + grouped + `(?: ?(?:` + currency + `|%|°[CFK]?))?`, "2 145 906"},
	{"date", number, word | separated, "", `\b[0-9]{1,4}(?:/[0-9]{1,2}/|-[0-9]{1,2}-|\.[0-9]{1,2}\.)[0-9]{1,4}\b`, "14/02/2011"},
	{"time", number, near | hour, "", `\b` + clock + `(?:[-–]` + clock + `)?`, "9:30 a.m."},
	{"amount", number, near | percent | dollar | unit, "", sign + currency + ` ?[.,]?` + digits + `(?:[-–]` + digits + `)?` + letterOrDigit + `*|` + sign + digits + ` ?(?:` + currency + `|%|‰|°[CFK]?)`, "$19.99"},
	{"version or section", code, near | separated, "", `` + numbered + ` ([0-9]+\.[0-9]+)\b|\bv[0-9]+(?:\.[0-9]+)+\b`, "v1.26"},
	{"number", number, word | digit, "", sign + `(?:[0-9]+[.,:/x×]?[0-9]|[.,][0-9])(?:[.,:/x×-]?[0-9]+)*` + glued + `?|[0-9]` + glued + `|\pL+[0-9]` + letterOrDigit + `*(?:\.[0-9]+)*`, "1960s"},
	{"initials", name, initial, "en fr", `(?:^|[^.\pL\pN])([^\P{Lu}M]\.(?:[ -]\p{Lu}\.)*) \p{Lu}\p{Ll}`, "J. R. R. Tolkien"},
	{"word with capitals inside", name, word | inside, "", `\b\p{Ll}+\p{Lu}[\pL\pN]*|\b\p{Lu}\p{Ll}+\p{Lu}[\pL\pN]*`, "iPhone"},
	{"other script", code, rare, "en fr de", `[^\P{L}\p{Latin}](?:[^\p{Latin}\n]*[^\P{L}\p{Latin}])?`, "Привет, мир"},
}

// features say which kinds of spans text may have.
type features uint32

const (
	digit features = 1 << iota
	backquote
	at
	angle
	ampersand
	brace
	percent
	dollar
	underscore
	star
	backslash
	slash
	hash
	plus
	caret
	mark      // at the beginning of the text
	colon     // not before a space
	dot       // before a letter or digit
	dashes    // two
	initial   // a capital and a full stop
	inside    // a capital after another letter
	rare      // a character that Latin words lack
	separated // two digits with one of " .-/" between them
	hour      // one of ":aph" behind a digit, or behind one and a space
	unit      // € £ ¥ ‰ °
	word      // of kinds: no span has white space, and the other features describe the word
	near      // of kinds: spans are in words with digits and beside these, and the other features describe the words
)

var featureOf = func() (list [128]features) {
	for f, characters := range map[features]string{
		digit: "0123456789", backquote: "`", at: "@", angle: "<", ampersand: "&", brace: "{", percent: "%", dollar: "$",
		underscore: "_", star: "*", backslash: `\\`, slash: "/", hash: "#", plus: "+", caret: "^",
	} {
		for _, c := range characters {
			list[c] |= f
		}
	}
	return list
}()

func featuresOf(text string) (set features) {
	isDigit := func(r rune) bool { return '0' <= r && r <= '9' }
	var before, last rune
	for _, r := range text {
		if 'a' <= r && r <= 'z' && 'a' <= last && last <= 'z' { // most characters
			before, last = last, r
			continue
		}
		if r < utf8.RuneSelf {
			set |= featureOf[r]
			switch {
			case last == '.' && isWordRune(r):
				set |= dot
			case last == ':' && r != ' ':
				set |= colon
			case last == '-' && r == '-':
				set |= dashes
			case r == '.' && unicode.IsUpper(last):
				set |= initial
			case (isDigit(last) || last == ' ' && isDigit(before)) && strings.ContainsRune(":AaPph", r):
				set |= hour
			}
			if isDigit(r) && isDigit(before) && strings.ContainsRune(" .-/", last) {
				set |= separated
			}
		} else {
			if r > 'ɏ' && !unicode.IsPunct(r) {
				set |= rare
			}
			if strings.ContainsRune("€£¥‰°", r) {
				set |= unit
			}
		}
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			set |= inside
		}
		before, last = last, r
	}
	if last == ':' {
		set |= colon
	}
	return set
}

// A found span is a part of canonical text.
type found struct {
	from, to    int
	class       class
	key         string // the same as its translation's
	target      string // of a term
	placeholder string
}

var compiled = sync.OnceValue(func() []*regexp.Regexp {
	list := make([]*regexp.Regexp, len(kinds))
	for i, k := range kinds {
		list[i] = regexp.MustCompile(k.pattern)
	}
	return list
})

// find returns the spans of canonical text in a language, in order.
func find(language, text string) (list []found) {
	set := featuresOf(text)
	if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " ")); strings.ContainsRune("-+*•‣◦·–—>#[0123456789", first) {
		set |= mark
	}
	if set == 0 {
		return nil
	}
	words := wordParts(text)
	numbers := numberParts(text, words)
	for i, k := range kinds {
		if k.needs&set == 0 || k.languages != "" && !strings.Contains(k.languages, language) {
			continue
		}
		parts := []wordPart{{0, len(text), set}}
		switch {
		case k.needs&near != 0:
			parts = numbers
		case k.needs&word != 0:
			parts = words
		}
		var more []found
		for _, part := range parts {
			if part.set&k.needs == 0 {
				continue
			}
			for _, m := range compiled()[i].FindAllStringSubmatchIndex(text[part.from:part.to], -1) {
				if len(m) > 2 && m[2] >= 0 {
					m = m[2:]
				}
				if m[0] < m[1] {
					more = append(more, found{from: part.from + m[0], to: part.from + m[1], class: k.class})
				}
			}
		}
		list = merge(list, more)
	}
	return list
}

// A wordPart is a part of text between spaces, or several.
type wordPart struct {
	from, to int
	set      features
}

func wordParts(text string) (list []wordPart) {
	for at := 0; at < len(text); {
		w, _, _ := strings.Cut(text[at:], " ")
		list = append(list, wordPart{at, at + len(w), featuresOf(w)})
		at += len(w) + 1
	}
	return list
}

// numberParts returns the words with digits, each with the words beside it.
func numberParts(text string, words []wordPart) (parts []wordPart) {
	for i, w := range words {
		if w.set&digit == 0 {
			continue
		}
		from, to := words[max(i-1, 0)].from, words[min(i+1, len(words)-1)].to
		if n := len(parts); n > 0 && from <= parts[n-1].to+1 {
			parts[n-1].to = to
		} else {
			parts = append(parts, wordPart{from: from, to: to})
		}
	}
	for i, p := range parts {
		parts[i].set = featuresOf(text[p.from:p.to])
	}
	return parts
}

// merge returns spans and the spans of more that overlap none of them. Both lists are in order and without overlaps.
func merge(spans, more []found) []found {
	if len(spans) == 0 || len(more) == 0 {
		return append(spans, more...)
	}
	merged := make([]found, 0, len(spans)+len(more))
	for _, m := range more {
		for len(spans) > 0 && spans[0].to <= m.from {
			merged, spans = append(merged, spans[0]), spans[1:]
		}
		if len(spans) == 0 || m.to <= spans[0].from {
			merged = append(merged, m)
		}
	}
	return append(merged, spans...)
}

package pipeline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/text/moses"
)

// Copied returns patterns of [Settings.Copied] for spans that a translator leaves as they are: the
// roles, literals, references and *names* of reStructuredText and Markdown, URLs, mail addresses and
// names with underscores.
func Copied() []string {
	return []string{
		":[A-Za-z][\\w:+.-]*:`[^`]+`",
		"``[^`]+``|`[^`\\s]+`_{0,2}",
		`\*[\pL\pN_.]+\*`,
		`(?:[A-Za-z][A-Za-z0-9+.-]*://|mailto:|www\.)[^\s<>"` + "`" + `„“”«»]*[^\s<>"` + "`" + `„“”«»'’.,:;!?…()\[\]{}]`,
		`[\pL\pN_.%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`,
		`[A-Za-z0-9][\w.]*_[\w.]*[A-Za-z0-9]`,
	}
}

// Stressed returns patterns of [Settings.Stressed] for the words that English, French and German documents
// put between stars for stress: those of the language that change the meaning of a sentence.
func Stressed() []string {
	return []string{
		`(?i:\*(?:not|no|never|none|cannot|don't|only|always|very|must|should|may|could|is|are|does|any|all|every|each|or|and|also|` +
			`same|new|few|exactly|almost|except|without|before|after|required|optional|deprecated)\*)`,
		`(?i:\*(?:pas|ne|non|jamais|aucun|aucune|seul|seule|seulement|uniquement|toujours|très|doit|devez|doivent|peut|est|sont|` +
			`tout|tous|toute|toutes|chaque|ou|et|aussi|même|nouveau|nouvelle|exactement|presque|sauf|sans|avant|après|obligatoire|obsolète)\*)`,
		`(?i:\*(?:nicht|nie|kein|keine|nur|immer|sehr|muss|darf|alle|jede|jeder|oder|und|auch|ohne|vor|nach)\*)`,
	}
}

// Placeholders are ⟦1⟧, ⟦2⟧ and so on. Models learn the first maxCopies: more would be too rare. One that
// a line has already is a span itself, even with control characters, which tokenizers drop.
const (
	placeholderPattern = `⟦[\x00-\x1f0-9]+⟧`
	maxCopies          = 16
)

var (
	placeholders = regexp.MustCompile(placeholderPattern)
	// unwritten are those with a control character, which stand for the kept elements of a marked-up document.
	unwritten = regexp.MustCompile(`⟦[0-9]*[\x00-\x1f][\x00-\x1f0-9]*⟧`)
)

func isPlaceholder(token string) bool {
	return strings.HasPrefix(token, "⟦") && placeholders.FindString(token) == token
}

// placeholder returns the word for copies[i].
func placeholder(i int) string { return "⟦" + strconv.Itoa(i+1) + "⟧" }

// Placeholders returns the words that stand for copied spans, none without Settings.Copied.
func (p Pipeline) Placeholders() []string {
	if p.copied == nil {
		return nil
	}
	list := make([]string, maxCopies)
	for i := range list {
		list[i] = placeholder(i)
	}
	return list
}

// copies returns the spans of a source line that its translation copies, also names if those count.
func (p Pipeline) copies(line string, names bool) (copies []string) {
	known := map[string]bool{}
	for _, at := range p.matches(line, names) {
		s := line[at[0]:at[1]]
		if (len(copies) < maxCopies || isPlaceholder(s)) && !known[s] && p.stressed.Find(s) == nil && !p.alternative(line, at) {
			copies, known[s] = append(copies, s), true
		}
	}
	return copies
}

// names are those of [moses.Names].
var names = sync.OnceValue(func() *moses.Patterns {
	p, err := moses.CompilePatterns(moses.Names())
	if err != nil {
		panic(err)
	}
	return p
})

// matches returns the beginning and the end of each match of Settings.Copied in a line, in order. If names count, also
// of each name, unless a match is partly in it; those that are within it do not count. No match has a part of a literal
// placeholder with a control character.
func (p Pipeline) matches(line string, withNames bool) (spans [][]int) {
	if p.copied == nil {
		return nil
	}
	from := 0
	for _, literal := range append(unwritten.FindAllStringIndex(line, -1), []int{len(line), len(line)}) {
		for _, at := range p.matchesBetween(line[from:literal[0]], withNames) {
			spans = append(spans, []int{from + at[0], from + at[1]})
		}
		if from = literal[1]; literal[0] < from {
			spans = append(spans, literal)
		}
	}
	return spans
}

// matchesBetween is matches for text without literal placeholders that have a control character.
func (p Pipeline) matchesBetween(text string, withNames bool) (list [][]int) {
	spans := p.copied.Find(text)
	if !withNames {
		return spans
	}
	for _, name := range names().Find(text) {
		for len(spans) > 0 && spans[0][1] <= name[0] {
			list, spans = append(list, spans[0]), spans[1:]
		}
		n := 0 // spans with a part of the name
		for n < len(spans) && spans[n][0] < name[1] {
			n++
		}
		if n == 0 || name[0] <= spans[0][0] && spans[n-1][1] <= name[1] {
			list, spans = append(list, name), spans[n:]
		}
	}
	return append(list, spans...)
}

// alternative reports whether a name in a line is no path, but an alternative to what a sign ends: /hour in 15 €/hour.
func (p Pipeline) alternative(line string, at []int) bool {
	if line[at[0]] != '/' || p.copied.Find(line[at[0]:at[1]]) != nil {
		return false
	}
	last, n := utf8.DecodeLastRuneInString(strings.TrimRight(line[:at[0]], "\"'`"))
	return n > 0 && !unicode.IsSpace(last) && !strings.ContainsRune("([{<«“„‘‚‹=:,;|>&/", last)
}

// mark returns a line in which ⟦i+1⟧ stands for each span that equals kept.Spans[i], and a placeholder that no
// model learns for a literal one that kept lacks.
func (p Pipeline) mark(line string, kept Kept) string {
	indices := map[string]int{}
	for i, s := range kept.Spans {
		indices[s] = i
	}
	var b strings.Builder
	end := 0
	for _, at := range p.matches(line, kept.names) {
		s := line[at[0]:at[1]]
		i, found := indices[s]
		if !found && isPlaceholder(s) {
			i, found = max(maxCopies, len(kept.Spans)), true
		}
		if found {
			b.WriteString(line[end:at[0]] + placeholder(i))
			end = at[1]
		}
	}
	return b.String() + line[end:]
}

// divide returns a marked line with a space after the slash of each alternative, which is a path to tokenizers, too.
func (p Pipeline) divide(line string) string {
	if !strings.Contains(line, "/") {
		return line
	}
	var b strings.Builder
	end := 0
	for _, at := range p.matches(line, true) {
		if p.alternative(line, at) {
			b.WriteString(line[end:at[0]+1] + " ")
			end = at[0] + 1
		}
	}
	return b.String() + line[end:]
}

// MarkPair returns a pair of lines in which placeholders stand for the spans of the source that the
// target copies. What only one of them has stays, and is learned as text.
func MarkPair(source, target Pipeline, sourceLine, targetLine string) (string, string) {
	kept := KeptByPair(source, target, sourceLine, targetLine)
	return source.mark(sourceLine, kept), target.mark(targetLine, kept)
}

// Sentences returns the sentences of a line as [moses.Sentences] does, none of which ends within a copied
// span or after a mark of a list. Symbols and smileys after a sentence belong to it. Without a language, a line with
// words is one sentence.
func (p Pipeline) Sentences(line string) []string {
	if p.settings.Language == "" {
		if line == "" {
			return nil
		}
		return []string{line}
	}
	divisible := slices.DeleteFunc(p.copies(line, false), func(s string) bool {
		return !isPlaceholder(s) && !strings.ContainsFunc(s, unicode.IsSpace)
	})
	words, whole := p.wordsOfSentences(line, p.mark(line, Kept{Spans: divisible}))
	list := moses.Sentences(p.settings.Language, strings.Join(words, " "))
	for i, s := range list {
		n := len(strings.Fields(s))
		list[i] = p.Restore(strings.Join(whole[:n], " "), Kept{Spans: divisible})
		whole = whole[n:]
	}
	return list
}

// wordsOfSentences returns the words of a line, in which placeholders stand for spans if it is marked: alone, and whole,
// with the marks before the first one and the symbols after each.
func (p Pipeline) wordsOfSentences(line, marked string) (alone, whole []string) {
	from, _ := p.ends(line)
	marks := len(strings.Fields(line[:from]+".")) - 1 // without one that touches a word, as in ©2024
	list := strings.Fields(marked)
	var begins []int // words of whole
	for i, word := range list {
		if i < marks && i < len(list)-1 || len(alone) > 0 && isSymbol(word) {
			continue
		}
		if alone = append(alone, word); begins == nil {
			i = 0
		}
		begins = append(begins, i)
	}
	for i, n := range append(begins, len(list))[1:] {
		whole = append(whole, strings.Join(list[begins[i]:n], " "))
	}
	return alone, whole
}

package pipeline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
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

var placeholders = regexp.MustCompile(placeholderPattern)

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

// Kept is what a translation keeps of its source line.
type Kept struct {
	Spans   []string // for which placeholders stand, in order
	letters letterCase
}

// A letterCase is the case in which words are read. All but asWritten stand for capitals.
type letterCase int

const (
	asWritten letterCase = iota
	lowerCase
	sentenceCase // lower case but for a capital at the beginning
)

// Kept returns what translations of a source line keep: the different spans that match Settings.Copied and not
// Stressed, at most as many as there are placeholders, and all literal placeholders; and capitals, if all letters
// outside these are and p knows the words better in lower case.
func (p Pipeline) Kept(line string) Kept {
	copies := p.copies(line)
	if copies != nil {
		line = p.mark(line, copies)
	}
	return Kept{copies, p.letterCase(line)}
}

// copies returns the spans of a source line that its translation copies.
func (p Pipeline) copies(line string) (copies []string) {
	for _, at := range p.copied.Find(line) {
		s := line[at[0]:at[1]]
		if (len(copies) < maxCopies || isPlaceholder(s)) && !slices.Contains(copies, s) && p.stressed.Find(s) == nil {
			copies = append(copies, s)
		}
	}
	return copies
}

// letterCase returns the case with the fewest segments for a marked line in capitals that is more than abbreviations,
// and asWritten for other lines.
func (p Pipeline) letterCase(line string) letterCase {
	if p.segmenter == nil || p.settings.Language == "" || p.settings.Lowercase || strings.ContainsFunc(line, unicode.IsLower) {
		return asWritten
	}
	lower := lowerCase.of(line)
	if strings.ToUpper(lower) != line || !slices.ContainsFunc(p.Tokenize(lower), p.isLong) {
		return asWritten
	}
	segments := func(c letterCase) int { return len(p.Segment(p.Tokenize(c.of(line)))) }
	return slices.MinFunc([]letterCase{asWritten, sentenceCase, lowerCase}, func(a, b letterCase) int { return segments(a) - segments(b) })
}

// isLong reports whether a token in lower case has five letters, or three and is a segment: in capitals it is hardly
// an abbreviation.
func (p Pipeline) isLong(token string) bool {
	letters := 0
	for _, r := range token {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 5 || letters >= 3 && len(p.Segment([]string{token})) == 1
}

// of returns a line in c.
func (c letterCase) of(line string) string {
	if c == asWritten {
		return line
	}
	line = strings.ToLower(line)
	i := strings.IndexFunc(line, unicode.IsLetter)
	if c == lowerCase || i < 0 {
		return line
	}
	first, n := utf8.DecodeRuneInString(line[i:])
	return line[:i] + string(unicode.ToUpper(first)) + line[i+n:]
}

// mark returns a line in which ⟦i+1⟧ stands for each span that equals copies[i], and a placeholder that no
// model learns for a literal one that copies lacks.
func (p Pipeline) mark(line string, copies []string) string {
	var b strings.Builder
	end := 0
	for _, at := range p.copied.Find(line) {
		s := line[at[0]:at[1]]
		i := slices.Index(copies, s)
		if i < 0 && isPlaceholder(s) {
			i = max(maxCopies, len(copies))
		}
		if i >= 0 {
			b.WriteString(line[end:at[0]] + placeholder(i))
			end = at[1]
		}
	}
	return b.String() + line[end:]
}

// MarkPair returns a pair of lines in which placeholders stand for the spans of the source that the
// target copies. What only one of them has stays, and is learned as text.
func MarkPair(source, target Pipeline, sourceLine, targetLine string) (string, string) {
	kept := KeptByPair(source, target, sourceLine, targetLine)
	return source.mark(sourceLine, kept.Spans), target.mark(targetLine, kept.Spans)
}

// KeptByPair returns the spans of a source line that a target line copies, for [Pipeline.WordsOf] of both. As in
// training, capitals are read as they are written.
func KeptByPair(source, target Pipeline, sourceLine, targetLine string) Kept {
	copies := source.copies(sourceLine)
	if copies != nil {
		var spans []string
		for _, at := range target.copied.Find(targetLine) {
			spans = append(spans, targetLine[at[0]:at[1]])
		}
		copies = slices.DeleteFunc(copies, func(s string) bool { return !slices.Contains(spans, s) })
	}
	return Kept{Spans: copies}
}

// lineParts are the words of a vocabulary that stand for no text, and what is between them.
var lineParts = regexp.MustCompile(`</s>|<unk>|<|[^<]+`)

// Restore returns a line, or a word, with what it keeps: in capitals, and with kept.Spans[i] in place of ⟦i+1⟧.
// Placeholders without a span vanish.
func (p Pipeline) Restore(line string, kept Kept) string {
	if kept.letters != asWritten {
		line = lineParts.ReplaceAllStringFunc(line, func(part string) string {
			if part == "</s>" || part == "<unk>" {
				return part
			}
			return strings.ToUpper(part)
		})
	}
	if p.copied == nil {
		return line
	}
	return placeholders.ReplaceAllStringFunc(line, func(word string) string {
		for i, s := range kept.Spans {
			if word == placeholder(i) {
				return s
			}
		}
		return ""
	})
}

// Sentences returns the sentences of a line as [moses.Sentences] does, none of which ends within a copied
// span. Without a language, a line with words is one sentence.
func (p Pipeline) Sentences(line string) []string {
	if p.settings.Language == "" {
		if line == "" {
			return nil
		}
		return []string{line}
	}
	divisible := slices.DeleteFunc(p.copies(line), func(s string) bool {
		return !isPlaceholder(s) && !strings.ContainsFunc(s, unicode.IsSpace)
	})
	list := moses.Sentences(p.settings.Language, p.mark(line, divisible))
	for i, s := range list {
		list[i] = p.Restore(s, Kept{Spans: divisible})
	}
	return list
}

// elide joins the words of l'⟦1⟧, which the tokenizer divides, since no letter follows the apostrophe.
func elide(tokens []string) []string {
	var joined []string
	for _, token := range tokens {
		if n := len(joined); n > 1 && isPlaceholder(token) && (joined[n-1] == "'" || joined[n-1] == "’") && slices.Contains(elided, strings.ToLower(joined[n-2])) {
			joined = append(joined[:n-2], joined[n-2]+joined[n-1]+token)
			continue
		}
		joined = append(joined, token)
	}
	return joined
}

var elided = []string{"l", "d", "qu", "n", "s", "c", "j", "m", "t", "lorsqu", "puisqu", "jusqu"}

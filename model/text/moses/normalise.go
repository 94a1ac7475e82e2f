package moses

import "strings"

const noBreak = "\u00a0"

// Normalize returns a line with the spaces around brackets and punctuation, the quotation
// marks, dashes and apostrophes of a plain typewriter, as normalize-punctuation.perl does:
//
//   - a space before an opening bracket and after a closing one, none inside, none before the
//     punctuation that follows, none before : ; and a per cent sign;
//   - ` and ´ are ', as are ’ between two letters of ASCII, ‘ and ‚; other quotation marks and
//     two apostrophes are ";
//   - – is -, — is - between spaces, … is three full stops;
//   - no-break spaces go that are inside guillemets or before punctuation; one between digits
//     becomes a comma in French and German, and a full stop in every other language;
//   - a comma or full stops beside a quotation mark stand before it in English, and
//     after it in every other language;
//   - spaces are single, and carriage returns go.
//
// The line may begin or end with a space. Letters like é and œ are none of ASCII, so a
// typographic apostrophe before them becomes a quotation mark: d’œil is d"œil.
func Normalize(language, line string) string {
	line = valid(line)
	line = oneSpace(replace(line, brackets))
	line = replace(line, insideBrackets)
	line = between(line, " ", "", isASCIIDigit, func(b byte) bool { return b == '%' })
	line = oneSpace(replace(line, marks))
	line = strings.ReplaceAll(line, "´", "'")
	line = between(line, "’", "'", isASCIILetter, isASCIILetter)
	line = oneSpace(replace(line, quotes))
	separator := "."
	if language == "de" || language == "fr" {
		separator = ","
	}
	if language == "en" {
		line = quoteLast(line)
	} else {
		line = quoteFirst(strings.ReplaceAll(line, `,"`, `",`))
	}
	return between(line, noBreak, separator, isASCIIDigit, isASCIIDigit)
}

// The lists hold what is replaced, and after each what replaces it, one after the other.
var (
	brackets       = []string{"\r", "", "(", " (", ")", ") "}
	insideBrackets = []string{
		") .", ").", ") !", ")!", ") :", "):", ") ?", ")?", ") ;", ");", ") ,", "),",
		"( ", "(", " )", ")",
	}
	marks = []string{
		" :", ":", " ;", ";",
		"`", "'", "''", ` " `,
		"„", `"`, "“", `"`, "”", `"`, "–", "-", "—", " - ",
	}
	quotes = []string{
		"‘", "'", "‚", "'", "’", `"`, "''", `"`, "…", "...",
		noBreak + "«" + noBreak, ` "`, "«" + noBreak, `"`, "«", `"`,
		noBreak + "»" + noBreak, `" `, noBreak + "»", `"`, "»", `"`,
		noBreak + "%", "%", "nº" + noBreak, "nº ", noBreak + ":", ":",
		noBreak + "ºC", " ºC", noBreak + "cm", " cm",
		noBreak + "?", "?", noBreak + "!", "!", noBreak + ";", ";", "," + noBreak, ", ",
	}
)

// replace applies a list of replacements.
func replace(line string, list []string) string {
	for i := 0; i < len(list); i += 2 {
		line = strings.ReplaceAll(line, list[i], list[i+1])
	}
	return line
}

func isASCIIDigit(b byte) bool { return '0' <= b && b <= '9' }

func isASCIILetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// oneSpace makes runs of spaces single ones.
func oneSpace(line string) string {
	for strings.Contains(line, "  ") {
		line = strings.ReplaceAll(line, "  ", " ")
	}
	return line
}

// between replaces mark by text where the bytes beside it are of the classes before and
// after. A byte is beside one mark only: it does not count for the next mark.
func between(line, mark, text string, before, after func(byte) bool) string {
	var b strings.Builder
	written, free := 0, 0
	for from := 0; ; {
		at := strings.Index(line[from:], mark)
		if at < 0 {
			break
		}
		at += from
		from = at + len(mark)
		if at > free && from < len(line) && before(line[at-1]) && after(line[from]) {
			b.WriteString(line[written:at])
			b.WriteString(text)
			written, free = from, from+1
		}
	}
	if written == 0 {
		return line
	}
	b.WriteString(line[written:])
	return b.String()
}

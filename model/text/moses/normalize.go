package moses

import (
	"bytes"
	"strings"
)

const noBreak = "\u00a0"

// Normalize returns a line with its spaces, quotation marks, dashes and apostrophes normalized to
// ASCII, like normalize-punctuation.perl:
//
//   - brackets have a space before the opening one and after the closing one, but no space inside
//     or before punctuation that follows. A space is removed before : and ; and between a digit and
//     a percent sign;
//   - ` ´ ‘ ‚ become ', as does ’ between two ASCII letters. Other quotation marks and two
//     apostrophes become ";
//   - – becomes -, — becomes - between spaces, … becomes three full stops;
//   - no-break spaces inside guillemets and before punctuation are removed. One between digits
//     becomes a comma in French and German, and a full stop in other languages;
//   - a comma or full stops next to a quotation mark move before it in English, and after it in
//     other languages;
//   - runs of spaces become one space, and carriage returns are removed.
//
// The result may begin or end with a space. Letters like é and œ are not ASCII, so a typographic
// apostrophe before them becomes a quotation mark: d’œil becomes d"œil.
func Normalize(language, line string) string {
	line = toValidUTF8(line)
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

// Each list alternates strings and their replacements, which apply in this order.
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

// replace applies a list of replacements in order.
func replace(line string, list []string) string {
	for i := 0; i < len(list); i += 2 {
		line = strings.ReplaceAll(line, list[i], list[i+1])
	}
	return line
}

// oneSpace replaces each run of spaces by one space.
func oneSpace(line string) string {
	at := strings.Index(line, "  ")
	if at < 0 {
		return line
	}
	var b strings.Builder
	b.Grow(len(line))
	for ; at >= 0; at = strings.Index(line, "  ") {
		b.WriteString(line[:at+1])
		line = strings.TrimLeft(line[at+1:], " ")
	}
	b.WriteString(line)
	return b.String()
}

// between replaces mark by text where the bytes before and after it are of the given classes. A
// byte that follows a replaced mark cannot also precede the next one.
func between(line, mark, text string, before, after func(byte) bool) string {
	var b strings.Builder
	copied, free := 0, 0
	for from := 0; ; {
		at := strings.Index(line[from:], mark)
		if at < 0 {
			break
		}
		at += from
		from = at + len(mark)
		if at > free && from < len(line) && before(line[at-1]) && after(line[from]) {
			b.WriteString(line[copied:at])
			b.WriteString(text)
			copied, free = from, from+1
		}
	}
	if copied == 0 {
		return line
	}
	b.WriteString(line[copied:])
	return b.String()
}

// quoteLast moves each quotation mark after the commas and full stops that follow it.
func quoteLast(line string) string {
	if !strings.Contains(line, `",`) && !strings.Contains(line, `".`) {
		return line
	}
	b := []byte(line)
	for at := 0; at < len(b); {
		end := at + 1
		if b[at] == '"' {
			end = skip(b, end, func(c byte) bool { return c == ',' || c == '.' })
			copy(b[at:], b[at+1:end])
			b[end-1] = '"'
		}
		at = end
	}
	return string(b)
}

// quoteFirst moves each quotation mark before the full stops that precede it, unless < follows. A
// match of Moses includes the white space after the mark and one more character, which may be the
// end of the line. Matches do not overlap, so full stops in that part stay.
func quoteFirst(line string) string {
	if !strings.Contains(line, `."`) {
		return line
	}
	b := []byte(line)
	for at := 0; at < len(b); {
		stops := bytes.IndexByte(b[at:], '.')
		if stops < 0 {
			break
		}
		stops += at
		mark := skip(b, stops, func(c byte) bool { return c == '.' })
		at = mark
		if mark == len(b) || b[mark] != '"' || bytes.HasPrefix(b[mark+1:], []byte("<")) {
			continue
		}
		copy(b[stops+1:], b[stops:mark])
		b[stops] = '"'
		at = skip(b, mark+1, isASCIISpace)
		if at < len(b) && b[at] != '<' {
			at++
		}
	}
	return string(b)
}

// skip returns the index of the first byte at or after at that is not of the class.
func skip(b []byte, at int, class func(byte) bool) int {
	for at < len(b) && class(b[at]) {
		at++
	}
	return at
}

func isASCIIDigit(b byte) bool { return '0' <= b && b <= '9' }

func isASCIILetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func isASCIISpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

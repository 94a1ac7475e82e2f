package markup

import (
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

var (
	cueTime = regexp.MustCompile(`^\s*[\d:.,]+\s*-->`)
	cueMark = regexp.MustCompile(`^(?:\{\\[^}]*\}|[-–—]\s*)+`) // a position, such as {\an8}, or the dash of a speaker
	cueTag  = regexp.MustCompile(`<[^<>]*>`)
	inCue   = regexp.MustCompile(`<[\d:.]+>|` + reference.String())
)

// maxJoined bounds the bytes of a run that goes on, since the captions of some machines have neither capitals nor ends.
const maxJoined = 200

func (r *run) readVTT(in io.Reader) error {
	r.escapes = htmlEscapes
	return r.readSRT(in)
}

// readSRT divides cues: the lines below a time. A sentence may go on in the next one; its translation has as many lines,
// as long as they are there. A dash begins what another person says.
func (r *run) readSRT(in io.Reader) error {
	whole, err := io.ReadAll(in)
	r.wraps = true
	isCue, last := false, ""   // in a cue; the words before, and a line end for each time since, two at most
	var before strings.Builder // what stays before the next words
	for line := range strings.Lines(string(whole)) {
		words := strings.TrimSpace(line)
		if isTime := cueTime.MatchString(line); isTime || !isCue || words == "" {
			if isCue = isTime; isTime && last != "" && !strings.HasSuffix(last, "\n\n") {
				last += "\n"
			}
			before.WriteString(line)
			continue
		}
		lead, after, _ := strings.Cut(line, words)
		mark := cueMark.FindString(words)
		words = words[len(mark):]
		before.WriteString(lead + mark)
		if last != "" && mark == "" && r.size < maxJoined && goesOn(last, words) {
			r.add(item{raw: before.String(), text: " "})
		} else {
			r.addBlock(before.String())
		}
		r.addCue(words)
		last = words
		before.Reset()
		before.WriteString(after)
	}
	r.addBlock(before.String())
	return err
}

// goesOn reports whether a line goes on with what a line, of the cue before if it has a line end, begins.
func goesOn(line, next string) bool {
	before, isOther := strings.CutSuffix(cueTag.ReplaceAllString(line, ""), "\n")
	end, _ := utf8.DecodeLastRuneInString(before)
	begin, _ := utf8.DecodeRuneInString(cueTag.ReplaceAllString(next, ""))
	return !isOther || end == ',' || isWordRune(end) && unicode.IsLower(begin)
}

// addCue adds a line of a cue.
func (r *run) addCue(words string) {
	z := html.NewTokenizer(strings.NewReader(words))
	t, raw := r.next(z)
	r.addTags(z, t, raw, func(raw string) {
		r.addWritten(raw, inCue, func(raw string) string {
			if raw[0] == '<' {
				return ""
			}
			return html.UnescapeString(raw)
		})
	})
}

// wrap divides a translation at spaces outside tags into lines with the shares of those that breaks end, the last one
// with none. A line without words stays, unless it is the last one of a cue.
func wrap(text string, breaks []string, widths []int) string {
	var b strings.Builder
	for i, end := range breaks {
		rest := 0
		for _, width := range widths[i:] {
			rest += width
		}
		at, aim, inTag := -1, len(text)*widths[i]/max(1, rest), false
		for k, r := range text {
			switch {
			case r == '<' || r == '>':
				inTag = r == '<'
			case r == ' ' && !inTag && (at < 0 || abs(k-aim) < abs(at-aim)):
				at = k
			}
		}
		if at < 0 {
			at = len(text)
		}
		b.WriteString(text[:at])
		if text = strings.TrimPrefix(text[at:], " "); text != "" || strings.Contains(end, "-->") {
			b.WriteString(end)
		}
	}
	return b.String() + text
}

func abs(n int) int { return max(n, -n) }

package server

import (
	"regexp"
	"strings"
)

// A cue is text of an SRT file that is translated as a whole: the lines below a time, but each line that
// begins with a dash is what another person says.
type cue struct {
	before string   // what the file has before it, and a mark at its beginning
	lines  []string // without white space around them
	end    string   // of its lines
}

var (
	cueTime = regexp.MustCompile(`^\s*[\d:.,]+\s*-->`)
	cueMark = regexp.MustCompile(`^(?:\{\\[^}]*\}|[-–—]\s*)+`) // a position, such as {\an8}, or a dash
)

// subtitles divides an SRT file into the texts of its cues, as HTML: they can have tags. Numbers and times
// stay, and so do cues that the translation does not change. A translation has as many lines as its cue.
func subtitles(content string) (texts []string, join func(translations []string) string) {
	var cues []cue
	from, at := 0, 0 // bytes: of what stays before the next words, and of the next line
	inCue, begun := false, false
	for line := range strings.Lines(content) {
		at += len(line)
		words := strings.TrimSpace(line)
		if isTime := cueTime.MatchString(line); isTime || !inCue || words == "" {
			inCue, begun = isTime, false
			continue
		}
		mark := cueMark.FindString(words)
		_, after, _ := strings.Cut(line, words)
		end := at - len(after)
		if words = words[len(mark):]; !begun || mark != "" {
			cues = append(cues, cue{before: content[from : end-len(words)], end: "\n"})
		}
		c := &cues[len(cues)-1]
		if strings.HasSuffix(after, "\r\n") {
			c.end = "\r\n"
		}
		c.lines = append(c.lines, words)
		from, begun = end, true
	}
	for _, c := range cues {
		texts = append(texts, strings.ReplaceAll(strings.Join(c.lines, " "), "&", "&amp;"))
	}
	return texts, func(translations []string) string {
		var b strings.Builder
		for i, c := range cues {
			b.WriteString(c.before)
			lines := c.lines
			if translations[i] != texts[i] {
				lines = wrap(strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(translations[i]), len(lines))
			}
			b.WriteString(strings.Join(lines, c.end))
		}
		return b.String() + content[from:]
	}
}

// wrap divides a text at spaces outside tags into at most n lines of about the same length.
func wrap(text string, n int) (lines []string) {
	for ; n > 1; n-- {
		at, aim, inTag := -1, len(text)/n, false
		for i, r := range text {
			if at >= 0 && i-aim > abs(at-aim) {
				break
			}
			switch r {
			case '<', '>':
				inTag = r == '<'
			case ' ':
				if !inTag && (at < 0 || abs(i-aim) < abs(at-aim)) {
					at = i
				}
			}
		}
		if at < 0 {
			break
		}
		lines, text = append(lines, text[:at]), text[at+1:]
	}
	return append(lines, text)
}

func abs(n int) int { return max(n, -n) }

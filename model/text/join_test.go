package text

import (
	"slices"
	"strings"
	"testing"
)

// TestJoiner has lines in which | is where paragraphs end, and ~ begins code.
func TestJoiner(t *testing.T) {
	for lines, want := range map[string]string{
		"":                                         "",
		"One\ntwo\n three \r\nfour.\nfive":         "One two three four.|five",
		"The transla-\ntion of Jean-\nClaude in":   "The translation of Jean-Claude in",
		"a 19-\nyear-old in COVID-\n19 -\nor so":   "a 19-year-old in COVID-19 - or so",
		"soft\u00ad\nly\nin hy\u2010\nphens--\nso": "softly in hyphens-- so",
		"Title\nText goes\n\non\n \nand on":        "Title|Text goes||on| |and on",
		"He said “No.”\nthen (yes!)\nwell…\nso":    "He said “No.”|then (yes!)|well…|so",
		"A man (of\n(some) “small”\n“fame”)\nis":   "A man (of (some) “small” “fame”) is",
		"See:\n    code that\n\tends\nin text":     "See:|~    code that|~\tends|in text",
		"```go\nx\ny\n\n```\nx\ny":                 "~```go|~x|~y|~|~```|x y",
		"one\n```\ntwo":                            "one|~```|~two",
		"1\n2-\nx\n- a\n- b\nc":                    "1|2-x|- a|- b c",
		"one" + strings.Repeat("\nword", 200):      "one" + strings.Repeat(" word", 120) + "|word" + strings.Repeat(" word", 79),
		strings.Repeat("a", MaxLine-3) + ".b\nb":   strings.Repeat("a", MaxLine-3) + ".b|b",
	} {
		var j Joiner
		var got []string
		take := func() { got = append(got, map[bool]string{true: "~"}[j.Code]+j.Take()) }
		for line := range strings.SplitSeq(lines, "\n") {
			if !j.Add(line) {
				if take(); !j.Add(line) {
					t.Fatalf("%q begins no paragraph", line)
				}
			}
		}
		take()
		if want := strings.Split(want, "|"); !slices.Equal(got, want) {
			t.Errorf("%.50q: %.200q, want %.200q", lines, got, want)
		}
	}
}

package main

import (
	"fmt"
	"strings"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/decode"
)

// A form says how translations are written.
type form struct {
	lists   bool // all of a line with their numbers, not the best as text
	replace bool // <unk> by words of the source
}

// lines returns the translations by m of the line of that number, whose words are source.
func (f form) lines(m *model.Model, number int, source []string, best []decode.Translation) string {
	var b strings.Builder
	for _, t := range best {
		line := f.line(m, source, t)
		if !f.lists {
			return line + "\n"
		}
		fmt.Fprintf(&b, "%d ||| %s ||| %.6f ||| %.6f\n", number, line, t.LogProb, t.Score)
	}
	return b.String()
}

// line returns a translation as text.
func (f form) line(m *model.Model, source []string, t decode.Translation) string {
	if f.replace {
		return m.TargetText.Line(t.ReplaceUNK(m.Target, source))
	}
	return m.Decode(t.IDs)
}

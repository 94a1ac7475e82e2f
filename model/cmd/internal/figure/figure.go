// Package figure draws alignments, learning curves and scores by sentence length as SVG.
//
// Text remains text, in the fonts of the viewer. The same figure always gives the same bytes.
package figure

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"unicode"
)

// The fonts of charts and of words.
const (
	sans  = "liberation sans,arial,sans-serif"
	serif = "iowan old style,palatino linotype,palatino,p052,georgia,liberation serif,serif"
)

// A drawing holds SVG elements. Coordinates are pixels from the upper left corner.
type drawing struct{ elements strings.Builder }

// add adds an element, whose numbers get at most two decimals.
func (d *drawing) add(format string, args ...any) {
	for i, a := range args {
		if x, ok := a.(float64); ok {
			args[i] = math.Round(100*x) / 100
		}
	}
	fmt.Fprintf(&d.elements, format+"\n", args...)
}

// text adds a line of text. Its anchor is start, middle or end.
func (d *drawing) text(x, y float64, anchor, s string, attributes ...string) {
	var escaped strings.Builder
	xml.EscapeText(&escaped, []byte(s)) // a Builder does not fail
	d.add(`<text x="%v" y="%v" dy=".35em" text-anchor="%s"%s>%s</text>`, x, y, anchor, strings.Join(attributes, ""), escaped.String())
}

// turned returns the attribute of an element that is turned around a point.
func turned(degrees int, x, y float64) string {
	return fmt.Sprintf(` transform="rotate(%d %.2f %.2f)"`, degrees, x, y)
}

// document returns the drawing on paper.
func (d *drawing) document(width, height float64, fontSize int, family string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]v" height="%[2]v" viewBox="0 0 %[1]v %[2]v" font-size="%[3]d" font-family="%[4]s" fill="%[5]s">
<rect width="100%%" height="100%%" fill="%[6]s"/>
%[7]s</svg>
`, math.Ceil(width), math.Ceil(height), fontSize, family, ink, paper, d.elements.String())
}

// width returns how many em a text takes in the widest of the fonts, about.
func width(s string) (em float64) {
	const afterCyrillic = 0x0530
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
		case strings.ContainsRune(" .,:;'’!|()[]-fijlrtI", r):
			em += 0.45
		case r >= afterCyrillic || unicode.IsUpper(r) || strings.ContainsRune("mw%&@—", r):
			em++
		default:
			em += 0.63
		}
	}
	return em
}

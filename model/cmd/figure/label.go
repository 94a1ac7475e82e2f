package figure

import (
	"fmt"
	"image/color"
)

// A label is text on a line.
type label struct {
	at      point // on the baseline
	text    string
	size    float64
	anchor  anchor
	upright bool // from below upwards
	fill    color.RGBA
}

// An anchor is the part of the text that is at the point of a label.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// lowered is how far the baseline of text is below the middle of its letters, for size 1: between
// half the height of small letters of the Go font and half that of capitals.
const lowered = 0.32

// textWidth returns what text of a size needs in any font: letters may be wider than the Go font's.
func textWidth(l *letters, s string, size float64) float64 {
	const spare = 1.15
	return float64(l.width(s) * size * spare)
}

func (l label) svg(w *svgWriter) {
	w.WriteString("<text ")
	if l.upright {
		fmt.Fprintf(w, `transform="translate(%s %s) rotate(-90)"`, decimal(l.at.x), decimal(l.at.y))
	} else {
		fmt.Fprintf(w, `x="%s" y="%s"`, decimal(l.at.x), decimal(l.at.y))
	}
	fmt.Fprintf(w, ` font-size="%s" text-anchor="%s" fill="%s">`, decimal(l.size), l.anchor, hex(l.fill))
	w.text(l.text)
	w.WriteString("</text>\n")
}

func (l label) png(p *painter) {
	origin, size := p.pixel(l.at), l.size*p.scale
	var before float64
	switch width := p.letters.width(l.text); l.anchor {
	case middle:
		before = width / 2
	case end:
		before = width
	}
	var o outline
	p.letters.outline(&o, l.text, func(q point) point {
		x, y := (q.x-before)*size, q.y*size
		if l.upright {
			x, y = y, -x
		}
		return origin.plus(x, y)
	})
	p.fill(o, l.fill)
}

package report

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/bench/peers/breakdown"
)

// Measures of the picture in pixels.
const (
	margin    = 16
	barWidth  = 968
	barHeight = 110
	titleSize = 13
	labelSize = 10
	lineStep  = 13  // from one line of a label to the next
	character = 5.5 // the width of a character of a label, or less
)

// A shade is the colors of parts with the same bound.
type shade struct{ tint, fill, meaning string }

var (
	arithmeticShade = shade{"#e3edf7", "#9cc3e4", "fused multiply-adds"}
	memoryShade     = shade{"#ece6f5", "#c0aede", "reading memory"}
	neitherShade    = shade{"#eeeeea", "#eeeeea", "neither: functions, copies, waiting"}
)

func shadeOf(p breakdown.Part) shade {
	switch {
	case p.FLOP > 0:
		return arithmeticShade
	case p.Bytes > 0:
		return memoryShade
	}
	return neitherShade
}

// Picture draws a bar for each work, in SVG. The width of a part is its time, the height that is
// filled its share of the bound.
func Picture(r *Results) string {
	var d drawing
	y := margin
	for _, w := range slices.Concat(r.works(breakdown.Update), r.works(breakdown.Step)) {
		title := w.title() + ": " + duration(w.ns)
		if rate := rateOf(w, w.all); rate != "" {
			title += ", " + rate + " of the bound"
		}
		d.text(margin, y+titleSize, titleSize, "start", title)
		d.bar(w, y+titleSize+8)
		y += titleSize + 8 + barHeight + margin
	}
	d.legend(y)
	y += labelSize + margin
	const head = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif">` + "\n"
	width := barWidth + 2*margin
	return fmt.Sprintf(head, width, y) + rectangle(0, 0, float64(width), float64(y), "#ffffff") + d.String() + "</svg>\n"
}

// A drawing is elements of SVG.
type drawing struct{ strings.Builder }

func rectangle(x, y, width, height float64, fill string) string {
	return fmt.Sprintf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, width, height, fill)
}

func (d *drawing) text(x, y, size int, anchor, text string) {
	fmt.Fprintf(d, `<text x="%d" y="%d" font-size="%d" text-anchor="%s" fill="#222222">%s</text>`+"\n", x, y, size, anchor, html.EscapeString(text))
}

// bar draws the parts of a work from y on.
func (d *drawing) bar(w work, y int) {
	x := float64(margin)
	for _, p := range w.Parts {
		width := barWidth * w.share(p)
		s, top := shadeOf(p), 0.0
		if _, _, share, ok := w.rate(p); ok {
			top = barHeight * max(0, 1-share)
		}
		inner := max(0, width-1) // a line of the background stays between parts
		d.WriteString(rectangle(x, float64(y), inner, barHeight, s.tint))
		d.WriteString(rectangle(x, float64(y)+top, inner, barHeight-top, s.fill))
		d.label(w, p, x+width/2, float64(y)+barHeight/2, width)
		x += width
	}
}

// label writes the name of a part and its figures about the middle of its rectangle, upwards
// where that is narrow, as many lines as there is room for.
func (d *drawing) label(w work, p breakdown.Part, x, y, width float64) {
	lines := []string{p.Name, fmt.Sprintf("%.1f %%", 100*w.share(p))}
	if _, _, share, ok := w.rate(p); ok {
		lines[1] += ", at " + percent(share)
	}
	length, room, turn := width, float64(barHeight), 0
	if character*float64(max(len(lines[0]), len(lines[1]))) > width {
		length, room, turn = room, width, -90
	}
	lines = lines[:min(len(lines), int(room/lineStep))]
	lines = slices.DeleteFunc(lines, func(line string) bool { return character*float64(len(line)) > length })
	for i, line := range lines {
		down := (float64(i)-float64(len(lines)-1)/2)*lineStep + labelSize*0.35
		fmt.Fprintf(d, `<text transform="translate(%.1f %.1f) rotate(%d)" y="%.1f" font-size="%d" text-anchor="middle" fill="#222222">%s</text>`+"\n",
			x, y, turn, down, labelSize, html.EscapeString(line))
	}
}

// legend explains the colors.
func (d *drawing) legend(y int) {
	x := margin
	for _, s := range []shade{arithmeticShade, memoryShade, neitherShade} {
		d.WriteString(rectangle(float64(x), float64(y), labelSize, labelSize, s.fill))
		d.text(x+labelSize+4, y+labelSize-1, labelSize, "start", s.meaning)
		x += labelSize + 4 + int(character*float64(len(s.meaning))) + margin
	}
	d.text(margin+barWidth, y+labelSize-1, labelSize, "end", "width: share of the time; filled height: share of what the machine does at most")
}

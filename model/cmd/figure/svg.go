package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
)

// WriteSVG writes the page to w.
func (p *Page) WriteSVG(w io.Writer) error {
	var b svgWriter
	width, height := decimal(p.width), decimal(p.height)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="sans-serif">`+"\n",
		width, height, width, height)
	rectangle{width: p.width, height: p.height, fill: white}.svg(&b)
	for _, s := range p.shapes {
		s.svg(&b)
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// An svgWriter holds elements, a line each.
type svgWriter struct{ bytes.Buffer }

// text writes characters. Those that XML cannot have become U+FFFD.
func (w *svgWriter) text(s string) {
	xml.EscapeText(w, []byte(s)) // a buffer returns no error
}

// decimal returns x in hundredths.
func decimal(x float64) string {
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// hex returns a colour as #rrggbb.
func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

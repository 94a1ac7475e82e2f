package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ErrCount is the error for more curves than a chart can tell apart, and for no data.
var ErrCount = errors.New("wrong number")

// checkCount returns an error that wraps ErrCount unless n curves have different colors.
func checkCount(n int, name string) error {
	if n < 1 || n > len(palette) {
		return fmt.Errorf("%w of %s: %d, expected 1 to %d", ErrCount, name, n, len(palette))
	}
	return nil
}

const (
	chartWidth, chartHeight vg.Length = 300, 200 // with the axes
	margin                  vg.Length = 12       // around charts and between charts and legends
	axisWidth               vg.Length = 60       // space for the vertical axis
)

// newChart returns an empty chart of y against x, where x starts at 0.
func newChart(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Min, p.X.Label.Text, p.Y.Label.Text = 0, x, y
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{1}, ticks{1}
	for _, s := range []*text.Style{&p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Label.TextStyle, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		s.Font, s.Handler, s.Color = style.Font, style.Handler, style.Color
	}
	p.X.Label.Padding, p.Y.Label.Padding, p.Legend.Padding = 3, 3, 3
	p.X.Tick.Length, p.Y.Tick.Length = 4, 4
	p.Legend.Top, p.Legend.Left = true, true
	light := draw.LineStyle{Color: color.Gray{Y: 0xe0}, Width: 0.75}
	p.Add(&plotter.Grid{Vertical: light, Horizontal: light})
	return p
}

func addLegend(p *plot.Plot, name string, plotters ...plot.Plotter) {
	var thumbnails []plot.Thumbnailer
	for _, part := range plotters {
		thumbnails = append(thumbnails, part.(plot.Thumbnailer))
	}
	p.Legend.Add(name, thumbnails...)
}

// sideBySide returns a page with charts in a row and their legends below.
func sideBySide(charts []*plot.Plot) *Page {
	width, legend := chartWidth, vg.Length(0)
	for _, p := range charts {
		padAxes(p)
		size := p.Legend.Rectangle(draw.Canvas{}).Size()
		width, legend = max(width, axisWidth+size.X), max(legend, size.Y)
	}
	below := legend + 2*margin
	return &Page{margin + vg.Length(vg.Length(len(charts))*(width+margin)), margin + chartHeight + below, func(c draw.Canvas) {
		tiles := draw.Tiles{Rows: 1, Cols: len(charts), PadX: margin}
		area := draw.Crop(c, margin, -margin, below, -margin)
		for i, tile := range plot.Align([][]*plot.Plot{charts}, tiles, area)[0] {
			charts[i].Legend.YOffs = legend + margin - tile.Max.Y
			charts[i].Draw(tile)
		}
	}}
}

// padAxes extends the axes to leave space for markers, except at 0, and counts large x in
// thousands.
func padAxes(p *plot.Plot) {
	const thousands, padding = 10_000, 0.04
	if p.X.Max >= thousands {
		p.X.Label.Text, p.X.Tick.Marker = p.X.Label.Text+" (thousands)", ticks{1000}
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		spare := float64(padding * (a.Max - a.Min))
		a.Max += spare
		if a.Min != 0 {
			a.Min -= spare
		}
	}
}

// ticks are gonum's default ticks, labeled in multiples of unit. Minor ticks have labels, too,
// where there are few ticks.
type ticks struct{ unit float64 }

func (t ticks) Ticks(low, high float64) []plot.Tick {
	const few, rounding = 8, 1e9
	marks := plot.DefaultTicks{}.Ticks(low, high)
	for i, m := range marks {
		if !m.IsMinor() || len(marks) <= few {
			marks[i].Label = strconv.FormatFloat(math.Round(m.Value/t.unit*rounding)/rounding, 'f', -1, 64)
		}
	}
	return marks
}

// palette holds the colors of curves, which differ in hue and, when printed in gray, in lightness.
var palette = []color.NRGBA{
	{0x0b, 0x3c, 0x7d, 0xff}, {0xc9, 0x3a, 0x4f, 0xff}, {0x3f, 0xb0, 0xb8, 0xff},
	{0xe8, 0xb0, 0x23, 0xff}, {0x9a, 0xa0, 0xa6, 0xff}, {0x3d, 0x1f, 0x47, 0xff},
}

// translucent returns color i of the palette at half opacity.
func translucent(i int) color.NRGBA {
	c := palette[i]
	c.A = 0x80
	return c
}

// glyphs are the marker shapes of curves, reused in turn.
var glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamond{}}

// A diamond is a square on its corner, with about the area of a box of the same radius.
type diamond struct{}

func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	r := sty.Radius * 5 / 4
	p.Move(at.Add(vg.Point{Y: r}))
	p.Line(at.Add(vg.Point{X: r}))
	p.Line(at.Add(vg.Point{Y: -r}))
	p.Line(at.Add(vg.Point{X: -r}))
	p.Close()
	c.Fill(p)
}

func lineWithMarkers(i int, points plotter.XYs) []plot.Plotter {
	return []plot.Plotter{line(points, palette[i], 1.5), markers(i, points)}
}

func markers(i int, points plotter.XYs) plot.Plotter {
	return scatter(points, palette[i], 2.2, glyphs[i%len(glyphs)])
}

func line(points plotter.XYs, c color.Color, width vg.Length) plot.Plotter {
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: c, Width: width}}
}

func scatter(points plotter.XYs, c color.Color, radius vg.Length, shape draw.GlyphDrawer) plot.Plotter {
	return &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: c, Radius: radius, Shape: shape}}
}

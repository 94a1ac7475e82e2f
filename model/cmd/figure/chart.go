package figure

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of figures of charts.
const (
	chartWidth, chartHeight vg.Length = 300, 200 // with the axes
	around                  vg.Length = 12       // charts, and between them and legends
	scaleRoom               vg.Length = 60       // for the axis on the left
)

// newChart returns a chart without curves, of y against x from 0 on.
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

// explain adds a name to the legend of a chart, with what parts look like.
func explain(p *plot.Plot, name string, parts ...plot.Plotter) {
	var thumbs []plot.Thumbnailer
	for _, part := range parts {
		thumbs = append(thumbs, part.(plot.Thumbnailer))
	}
	p.Legend.Add(name, thumbs...)
}

// finish gives axes with room for all glyphs to a chart. An axis that begins at 0 still does.
func finish(p *plot.Plot) {
	const thousands, room = 10_000, 0.04
	if p.X.Max >= thousands {
		p.X.Label.Text, p.X.Tick.Marker = p.X.Label.Text+" (thousands)", ticks{1000}
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		spare := float64(room * (a.Max - a.Min))
		a.Max += spare
		if a.Min != 0 {
			a.Min -= spare
		}
	}
}

// beside returns a page of charts beside each other, with their legends below.
func beside(charts []*plot.Plot) *Page {
	width, height := chartWidth, vg.Length(0) // of a chart, of the legends
	for _, p := range charts {
		finish(p)
		size := p.Legend.Rectangle(draw.Canvas{}).Size()
		width, height = max(width, scaleRoom+size.X), max(height, size.Y)
	}
	below := height + 2*around
	return &Page{around + vg.Length(vg.Length(len(charts))*(width+around)), around + chartHeight + below, func(c draw.Canvas) {
		tiles := draw.Tiles{Rows: 1, Cols: len(charts), PadX: around}
		area := draw.Crop(c, around, -around, below, -around)
		for i, tile := range plot.Align([][]*plot.Plot{charts}, tiles, area)[0] {
			charts[i].Legend.YOffs = height + around - tile.Max.Y
			charts[i].Draw(tile)
		}
	}}
}

// ticks are the default ones with numbers of a unit, at minor ticks too where all are few.
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

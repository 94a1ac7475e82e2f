package figure

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
)

// newChart returns a chart without curves, of a quantity against updates from 0 on.
func newChart(quantity string) *plot.Plot {
	p := plot.New()
	p.X.Min, p.X.Label.Text, p.Y.Label.Text = 0, "updates", quantity
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

// finish gives axes with room for the glyphs of all samples to a chart.
func finish(p *plot.Plot) {
	const thousands, room = 10_000, 0.04
	if p.X.Max >= thousands {
		p.X.Label.Text, p.X.Tick.Marker = "updates (thousands)", ticks{1000}
	}
	p.X.Max += float64(room * p.X.Max)
	spare := float64(room * (p.Y.Max - p.Y.Min))
	p.Y.Min, p.Y.Max = p.Y.Min-spare, p.Y.Max+spare
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

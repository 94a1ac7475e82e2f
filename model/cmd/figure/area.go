package figure

var (
	gridColour = grey(0.88)
	axisColour = grey(0.45)
)

// numberGap is between the numbers of the axis on the left and the axis.
const numberGap = 7.0

// scaleRoom returns what the numbers of an axis on the left need.
func (a axis) scaleRoom(l *letters) float64 {
	room := scaleLeft
	for mark := a.first; mark <= a.last; mark++ {
		room = max(room, textWidth(l, a.number(mark, 1), numberSize)+numberGap)
	}
	return room
}

// thousands is the number of updates from which on an axis counts thousands of them.
const thousands = 10_000

// An area is where the curves of a chart are.
type area struct {
	corner point // above on the left
	x, y   axis
}

// at returns where a sample is.
func (a area) at(s Sample) point {
	return a.corner.plus(a.x.share(float64(s.Update))*chartWidth, (1-a.y.share(s.Value))*chartHeight)
}

// drawAxes draws the marks, their numbers and the name of the axis below.
func (a area) drawAxes(p *Page) {
	unit, name := 1.0, "updates"
	if a.x.value(a.x.last) >= thousands {
		unit, name = 1000, "updates (thousands)"
	}
	for mark := a.y.first; mark <= a.y.last; mark++ {
		y := float64((1 - a.y.share(a.y.value(mark))) * chartHeight)
		p.add(line{[]point{a.corner.plus(0, y), a.corner.plus(chartWidth, y)}, 1, gridColour},
			label{a.corner.plus(-numberGap, y+lowered*numberSize), a.y.number(mark, 1), numberSize, end, false, dark})
	}
	for mark := a.x.first; mark <= a.x.last; mark++ {
		x := a.x.share(a.x.value(mark)) * chartWidth
		p.add(line{[]point{a.corner.plus(x, 0), a.corner.plus(x, chartHeight)}, 1, gridColour},
			label{a.corner.plus(x, chartHeight+16), a.x.number(mark, unit), numberSize, middle, false, dark})
	}
	p.add(line{[]point{a.corner, a.corner.plus(0, chartHeight), a.corner.plus(chartWidth, chartHeight)}, 1, axisColour},
		label{a.corner.plus(chartWidth/2, chartHeight+33), name, chartSize, middle, false, dark})
}

// drawCurve draws the measurements of a curve and the line through them.
func (a area) drawCurve(p *Page, c curve) {
	if len(c.samples) == 0 {
		return
	}
	l := line{width: c.width, stroke: c.stroke}
	for _, s := range c.samples {
		l.points = append(l.points, a.at(s))
	}
	p.add(l)
	if !c.dots {
		return
	}
	for _, at := range l.points {
		p.add(dot(at, c))
	}
}

// drawBest draws a ring around the measurement of the best model, above all curves.
func (a area) drawBest(p *Page, c curve) {
	for _, s := range c.samples {
		if s.Update == c.best {
			p.add(ring(a.at(s), c)...)
		}
	}
}

// ring returns a dot of a curve with a ring around it.
func ring(at point, c curve) []shape {
	return []shape{disc{at, ringRadius, 1.6, white, c.stroke}, dot(at, c)}
}

// dot returns a measurement of a curve.
func dot(at point, c curve) shape { return disc{at, dotRadius, 1, c.stroke, white} }

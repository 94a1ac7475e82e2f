package figure

import "math"

const (
	margin    = 12.0 // around a figure
	panelRoom = 24.0 // between panels
)

// Alignments returns a figure of the alignments, one beside and below the other. Two and more are
// named (a), (b) and so on. The page is as large as they need.
func Alignments(list []Alignment) *Page {
	l := newLetters()
	panels := make([]panel, len(list))
	for i, a := range list {
		name := ""
		if len(list) > 1 {
			name = "(" + letter(i) + ")"
		}
		panels[i] = a.panel(l, name)
	}
	return grid(panels, max(1, int(math.Ceil(math.Sqrt(float64(len(panels)))))))
}

// letter returns a, b and so on to z, then aa, ab and so on.
func letter(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('a'+(i-1)%26)) + name
	}
	return name
}

// grid returns a page of panels in rows of so many. A column is as wide as its widest panel, a
// row as high as its highest, in whole units; panels are on the right of their columns and at the
// foot of their rows, so that the edges of cells are on borders of pixels.
func grid(panels []panel, columns int) *Page {
	widths, heights := make([]float64, columns), make([]float64, (len(panels)+columns-1)/columns)
	for i, p := range panels {
		column, row := i%columns, i/columns
		widths[column], heights[row] = max(widths[column], math.Ceil(p.width)), max(heights[row], math.Ceil(p.height))
	}
	x, width := places(widths)
	y, height := places(heights)
	page := &Page{width: width, height: height}
	for i, p := range panels {
		column, row := i%columns, i/columns
		p.draw(page, point{x[column] + widths[column] - p.width, y[row] + heights[row] - p.height})
	}
	return page
}

// places returns where each of the sizes begins, one after the other with room between and a
// margin around, and the size of all.
func places(sizes []float64) (at []float64, whole float64) {
	whole = margin
	for i, size := range sizes {
		if i > 0 {
			whole += panelRoom
		}
		at = append(at, whole)
		whole += size
	}
	return at, whole + margin
}

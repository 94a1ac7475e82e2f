package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
)

// A label is an element of text, in points from the lower left corner of its page.
type label struct {
	text    string
	x, y    float64
	upright bool
	style   string
}

// anchor returns the part of the text that is at its place.
func (l label) anchor() string {
	_, after, _ := strings.Cut(l.style, "text-anchor:")
	anchor, _, _ := strings.Cut(after, ";")
	return anchor
}

// A path is an outline or a line.
type path struct {
	data, style string
}

// fill returns the colour of an outline.
func (p path) fill() string {
	_, fill, found := strings.Cut(p.style, "fill:")
	if !found {
		return "#000000"
	}
	return fill[:len("#000000")]
}

// points returns the points that the path goes through, without arcs.
func (p path) points(t *testing.T) [][2]float64 {
	t.Helper()
	var list [][2]float64
	for _, step := range strings.FieldsFunc(strings.TrimSuffix(p.data, "Z"), func(r rune) bool { return r == 'M' || r == 'L' }) {
		var at [2]float64
		if _, err := fmt.Sscanf(step, "%g,%g", &at[0], &at[1]); err != nil {
			t.Fatalf("%v: %s", err, p.data)
		}
		list = append(list, at)
	}
	return list
}

// A document is an SVG as an XML parser reads it.
type document struct {
	width, height float64
	labels        []label
	paths         []path
}

func parsed(t *testing.T, p *Page) document {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	var d document
	var groups []string // transforms
	var text *label
	for decoder := xml.NewDecoder(&b); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return d
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			get := func(name string) string {
				for _, a := range token.Attr {
					if a.Name.Local == name {
						return a.Value
					}
				}
				return ""
			}
			switch token.Name.Local {
			case "svg":
				d.width, d.height = number(t, get("width")), number(t, get("height"))
			case "g":
				groups = append(groups, get("transform"))
			case "path":
				d.paths = append(d.paths, path{get("d"), get("style")})
			case "text":
				d.labels = append(d.labels, label{x: number(t, get("x")), y: -number(t, get("y")), style: get("style")})
				text = &d.labels[len(d.labels)-1]
				if groups[len(groups)-1] == "rotate(90)" {
					text.upright, text.x, text.y = true, -text.y, text.x
				}
			}
		case xml.CharData:
			if text != nil {
				text.text += string(token)
			}
		case xml.EndElement:
			text = nil
			if token.Name.Local == "g" {
				groups = groups[:len(groups)-1]
			}
		}
	}
}

// number returns a length in points.
func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.TrimSuffix(s, "pt"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// texts returns what the labels of a document say.
func (d document) texts() []string {
	var list []string
	for _, l := range d.labels {
		list = append(list, l.text)
	}
	return list
}

package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// drawn returns the texts of an SVG and what its outlines are filled with, none for the default.
func drawn(t *testing.T, svg string) (texts, fills []string) {
	t.Helper()
	inside := ""
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return texts, fills
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
			if inside == "path" {
				fill := ""
				for _, a := range token.Attr {
					if a.Name.Local == "style" {
						_, fill, _ = strings.Cut(a.Value, "fill:")
					}
				}
				fills = append(fills, fill)
			}
		case xml.CharData:
			if inside == "text" {
				texts = append(texts, string(token))
			}
		case xml.EndElement:
			inside = ""
		}
	}
}

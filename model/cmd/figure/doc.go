// Package figure draws alignments and training curves as SVG and as PNG.
//
// [Alignments] and [Curves] lay a figure out on a [Page], a list of shapes that every format
// draws: SVG with elements of the same names, PNG with filled outlines. SVG names a generic
// font, so the viewer finds the letters of any script; PNG has the letters of the Go fonts, which
// are Latin, Greek and Cyrillic, and boxes for others.
//
// The same figure gives the same bytes.
package figure

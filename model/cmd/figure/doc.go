// Package figure draws alignments and training curves as SVG and as PNG.
//
// [Alignments] and [Curves] return a [Page], one drawing for both formats. Text in SVG stays text:
// the viewer aligns it and finds letters that the fonts named there lack. PNG has the letters of
// Liberation Sans, which are Latin, Greek and Cyrillic, and boxes for others.
//
// The same figure gives the same bytes.
package figure

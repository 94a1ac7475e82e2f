// Package figure draws alignments, training curves and scores by length as SVG and as PNG.
//
// [Alignments], [Curves] and [ByLength] return a [Page], one drawing for both formats. Text in SVG
// stays text: the viewer aligns it and finds letters that the fonts named there lack. PNG has the
// letters of Liberation Sans, which are Latin, Greek and Cyrillic, and boxes for others.
//
// The same figure gives the same bytes.
package figure

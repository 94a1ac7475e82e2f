// Package bpe splits words into segments by byte-pair encoding (Sennrich, Haddow and Birch,
// 2016), so that a vocabulary of segments covers words that training never showed. It
// learns and applies what subword-nmt does, in version 0.2 of its file format.
//
// [Learn] starts from the characters of the words, the last one marked with "</w>", and
// merges the most frequent pair of neighbouring symbols again and again. The merges in their
// order are the [Codes]. For two languages that share an alphabet one learns from both
// texts, which are counted into the same [Frequencies].
//
// A [Segmenter] applies the merges to a word. The segments of a word end with "@@", but for
// the last one, and [Join] puts them together. With the frequencies of the segments and a
// threshold, a Segmenter takes back the merges that make segments which are too rare, above
// all those that occur in the other language only.
//
// A character is a code point in UTF-8. A byte that belongs to none is a character by
// itself, in words, codes and segments alike, so any bytes can be segmented.
//
// Results depend on nothing but the arguments. For text in UTF-8 they are those of
// subword-nmt, except that
//   - the white space of Unicode is like any other character inside a symbol,
//   - pairs are counted exactly in words with the characters "</w>",
//   - a vocabulary in which every segment is too rare leaves characters, not whole words,
//   - a rare segment that the codes do not make from smaller ones is split into characters.
package bpe

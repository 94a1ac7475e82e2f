// Package bpe splits words into subword segments by byte-pair encoding (Sennrich, Haddow and
// Birch, 2016), so that a vocabulary of segments also covers words missing from the training
// text. It learns and applies merges like subword-nmt, in version 0.2 of its file format.
//
// [Merges] starts from the characters of the words, with "</w>" appended to the last one, and
// repeatedly merges the most frequent pair of adjacent symbols. The merges in their order are
// the [Codes]. For two languages that share an alphabet, count both texts into the same
// [Frequencies] and learn one set of codes.
//
// A [Segmenter] applies the merges to a word. All segments of a word but the last end with
// "@@", and [Join] restores the words. Given the frequencies of the segments and a threshold, a
// Segmenter undoes merges that produce rare segments, such as those that occur only in the
// other language.
//
// A character is a code point in UTF-8. In words, codes and segments, a byte outside any code
// point is a character by itself, so every sequence of bytes can be segmented.
//
// Results depend only on the arguments. For UTF-8 text they equal subword-nmt's, with
// these exceptions:
//   - Unicode white space other than space, CR and LF is an ordinary character.
//   - Pairs are counted exactly in words that contain the characters "</w>".
//   - If every segment of the vocabulary is too rare, words are split into characters rather
//     than left whole.
//   - A rare segment that no merge produces is split into characters.
//   - Symbols are not longer than [MaxSymbol].
//   - A word of more than 256 characters is segmented in parts of 256.
package bpe

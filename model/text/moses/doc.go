// Package moses turns text as people write it into the words that translation models learn
// from, and words back into text. It behaves like the scripts of the Moses system, with
// which many published corpora were prepared:
//
//	lowercase.perl, normalize-punctuation.perl, tokenizer.perl  [Tokenizer]
//	normalize-punctuation.perl                                  [Normalize]
//	detokenizer.perl                                            [Detokenize]
//
// The scripts are in scripts/tokenizer of the public repository moses-smt/mosesdecoder; this
// package is written from their behaviour, in the state of December 2017. The languages are
// "en", "fr" and "de". Every other code has the rules that Moses applies to a language of
// which it knows nothing, with the English abbreviations.
//
// Classes of characters are those of Unicode, as in the scripts: an accent that is a
// character of its own is no letter, so text should be composed (NFC).
//
// Every sequence of bytes is text. Each run of bytes that are no UTF-8 counts as one U+FFFD,
// and so it comes out. Nothing here keeps a state: any number of goroutines may call it.
//
// The scripts leave a line alone that looks like one XML tag when they detokenise, they take
// DOTMULTI in a text for a full stop, and they turn İ into an i and a dot above it. This
// package does none of that: in lower case, İ is i.
package moses

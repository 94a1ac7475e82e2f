// Package moses turns text as people write it into the words that translation models learn
// from. It behaves like the scripts of the Moses system, with which many published corpora
// were prepared:
//
//	normalize-punctuation.perl  [Normalize]
//
// The scripts are in scripts/tokenizer of the public repository moses-smt/mosesdecoder; this
// package is written from their behaviour, in the state of December 2017. The languages are
// "en", "fr" and "de". Every other code has the rules that Moses applies to a language of
// which it knows nothing.
//
// Every sequence of bytes is text. Each run of bytes that are no UTF-8 counts as one U+FFFD,
// and so it comes out. Nothing here keeps a state: any number of goroutines may call it.
package moses

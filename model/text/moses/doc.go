// Package moses splits natural text into the words that translation models learn from, and joins
// words into text. It reproduces scripts of the Moses system, with which many published corpora
// were prepared:
//
//	lowercase.perl, normalize-punctuation.perl, tokenizer.perl  [Tokenizer]
//	normalize-punctuation.perl                                  [Normalize]
//	detokenizer.perl                                            [Detokenizer]
//	split-sentences.perl                                        [Sentences]
//
// The scripts are in scripts/tokenizer and scripts/ems/support of the public repository
// moses-smt/mosesdecoder. This package is written from their behavior as of December 2017. The
// languages are "en", "fr" and "de". Any other code gets the rules of Moses for unknown languages,
// with the English abbreviations.
//
// Character classes come from Unicode, as in the scripts. A combining accent is not a letter,
// so text should be composed (NFC).
//
// Every sequence of bytes is valid text. Each run of bytes that are not UTF-8 is replaced by one
// U+FFFD. All functions and methods are safe for concurrent use.
//
// Three oddities of the scripts are not reproduced: when detokenizing, they leave a line alone
// that looks like a single XML tag; they turn DOTMULTI in a text into a full stop; and they
// lowercase İ to i and a combining dot, which is i here.
package moses

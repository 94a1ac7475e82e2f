// Package text turns parallel text into the numbers that a translation model learns from,
// and numbers back into words.
//
// Text is UTF-8, one sentence a line, already tokenised: the words of a sentence are what
// ASCII white space separates ([Tokens]). Package moses makes that of text as people write
// it, package bpe divides rare words, and a pipeline of package pipeline does both and undoes
// it. [ReadParallel] reads two files that are translations of each other line by line and
// refuses files that cannot be that. Package grammar generates such text in
// English and French.
//
// A [Vocabulary] numbers the most frequent words, the shortlist of the paper. The id 0 is
// the end of a sentence, which closes every encoded sentence of either language, and 1 is
// every word outside the shortlist.
//
// A [Batcher] hands out the examples in batches of similar length.
//
// Whatever is random here follows from a seed alone: the results are the same on every
// machine and with every release of Go.
package text

// Package text turns parallel text into the ids that a translation model learns from, and ids back
// into words.
//
// Text is UTF-8 and tokenized, one sentence per line: words are separated by ASCII white space
// ([Tokens]). Package moses tokenizes natural text, package bpe splits rare words into segments,
// and package pipeline reads lines by both and writes them. A [ParallelReader] reads two texts whose lines
// translate each other, rejects those that cannot be parallel, and can drop bad pairs; [ReadBlocks] reads
// on several processors without keeping the text. A [Joiner] joins broken lines.
//
// From lines to ids: a [LineReader] checks the lines of each file, a [ParallelReader] pairs them and splits
// them into words, by default [Tokens] and with pipeline.ReadPair those that a model reads.
// [NewVocabulary] counts the words, [Examples] replaces pairs by ids, and [Batcher.Next] returns the
// examples of an update. [Vocabulary.Decode] and pipeline.Pipeline.Write lead back to a line.
//
// A [Vocabulary] assigns ids to the most frequent words, the shortlist of the paper. Id 0 is the
// end of a sentence, which closes every encoded source and target sentence, and id 1 is any word
// outside the shortlist. Vocabularies can be written and read, also for and from other programs.
//
// A [Batcher] returns the examples in batches of similar length, from memory or from a [Corpus] that
// reads them when their turn comes.
//
// Random choices depend only on a seed: results are the same on every machine and with every
// release of Go.
package text

// Package bootstrap tells how far a score of a corpus can be trusted, by bootstrap resampling
// (Koehn, 2004): as many sentences as the corpus has are drawn from it with replacement,
// [Samples] times, and each sample is scored as a corpus.
//
// [Confidence] is the interval that holds 95 % of the scores. [Compare] scores two systems on
// the same samples and tests whether their difference can be chance.
//
// A caller hands over a [Score] of the sentences with given numbers. It should add up counts
// that it has made for each sentence once, because it is called for each sample.
//
// What is random here follows from a seed alone: the results are the same on every machine
// and with every release of Go.
package bootstrap

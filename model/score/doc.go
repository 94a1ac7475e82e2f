// Package score judges translations: [BLEUStatistics] and [ChrFStatistics] sum the counts of BLEU and chrF2 over a corpus,
// [Confidence] and [Compare] say how reliable the scores are.
//
// Counts are summed before precisions are computed, so that a score does not depend on the order of
// the sentences and differs from the mean of their scores. Scores have the same bits on every machine.
package score

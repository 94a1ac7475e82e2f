// Package chrf measures translations by chrF2 (Popović, 2015 and 2016), the F-score of
// character n-grams with β = 2, as sacreBLEU (Post, 2018) computes it by default:
// case-sensitive, n-grams of 1 to 6 characters without white space and no word n-grams,
// averaged over the lengths that occur.
//
// The counts are summed over the corpus before anything is divided, so the result does not
// depend on the order of the sentences, and it is not the mean of the sentences' scores.
// Scores have the same bits on every machine.
package chrf

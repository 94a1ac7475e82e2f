// Package bleu measures translations against one reference each, by corpus BLEU-4 (Papineni,
// Roukos, Ward and Zhu, 2002) as the Moses script multi-bleu.perl computes and prints it:
// case-sensitive, on tokens as they are given, n-grams of 1 to 4 tokens, no smoothing.
//
// The counts are summed over the corpus before anything is divided, so the result does not
// depend on the order of the sentences, and it is not the mean of the sentences' scores.
package bleu

// Package bleu measures translations by corpus BLEU-4 (Papineni, Roukos, Ward and Zhu, 2002):
// case-sensitive, n-grams of 1 to 4 tokens, one reference or several.
//
// [Statistics.BLEU] of tokens as they are given, without smoothing, is what the Moses script
// multi-bleu.perl computes. [Statistics.Smoothed] of the tokens that [Tokenize13a] makes of
// plain text is what sacreBLEU (Post, 2018) computes by default.
//
// The counts are summed over the corpus before anything is divided, so the result does not
// depend on the order of the sentences, and it is not the mean of the sentences' scores.
// Scores have the same bits on every machine.
package bleu

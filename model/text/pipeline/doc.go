// Package pipeline takes a line of text to the words that a translation model learns from,
// and such words back to a line.
//
//	line    → tokens    Tokenize: package moses, or what ASCII white space separates
//	tokens  → words     Segment: package bpe, or the tokens as they are
//	words   → tokens    Join
//	tokens  → line      package moses, or a space between two tokens
//
// [Pipeline.Words] and [Pipeline.Line] go all the way. A [Pipeline] belongs to one language;
// it is made of [Settings], of what [Learn] finds in parallel text, or of JSON. The zero value
// is for text that is tokenised already.
package pipeline

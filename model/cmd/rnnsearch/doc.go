// Command rnnsearch trains the translation model of Bahdanau, Cho and Bengio (2014),
// translates with it, and measures translations.
//
//	rnnsearch demo         trains on generated English and French and translates new sentences
//	rnnsearch train        trains on parallel text
//	rnnsearch translate    translates standard input, a sentence a line
//	rnnsearch bleu         compares standard input with reference translations
//	rnnsearch score        prints the log-probabilities of given translations
//	rnnsearch align        shows where a model looks in the source
//	rnnsearch info         says what is in a model file
//	rnnsearch plot         draws the curves of trainings
//
// Results go to standard output, progress and errors to standard error. The exit code is 1
// after an error, and 130 after SIGINT or SIGTERM.
package main

// Package wire is the protocol between the command and its workers, in lines of text over
// pipes. A request is one line, its reply lines of facts and a last one that begins with "ok"
// or "error":
//
//	facts                                  key: value …, then ok
//	contenders CASE                        ok NAME …
//	run CASE NAME NANOSECONDS              ok OPERATIONS NANOSECONDS
//	result CASE NAME                       ok VALUE …
//
// A worker runs for about the time asked for and tells how many operations took how long. The
// result of a contender is nothing where there is none to compare.
package wire

// Package wire is the protocol between the command and its workers: lines of text over pipes. A
// request is one line; its reply is lines of facts and a final line that begins with "ok" or
// "error":
//
//	facts                                  key: value …, then ok
//	contenders CASE                        ok NAME …
//	run CASE NAME NANOSECONDS              ok OPERATIONS NANOSECONDS
//	result CASE NAME                       ok VALUE …
//
// A worker runs for about the requested time and replies with the number of operations and the
// time they took. A contender without a comparable result replies with no values.
package wire

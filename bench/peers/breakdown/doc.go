// Package breakdown measures where the time of a training update and of a decoder step goes.
//
// The operation runs under a CPU profile. The functions on the stack of a sample decide which part
// of the operation it belongs to (rules.go); formulas give the floating-point operations and the
// bytes of each part (formulas.go). The loops of package bounds run between the rounds, on as many
// threads. Only the caller's thread is profiled: it gets an equal share of everything that is
// divided.
package breakdown

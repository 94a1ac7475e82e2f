// Package breakdown measures where the time of a training update and of a decoder step goes.
//
// The operation runs under a CPU profile. Every sample belongs to a part of it by the functions
// on its stack (rules.go), and formulas give the floating-point operations and the bytes of
// each part (formulas.go). Between its rounds run the loops of package bounds, on as many
// threads. Of several threads only the caller's is looked at, which has an equal share of
// everything that is divided.
package breakdown

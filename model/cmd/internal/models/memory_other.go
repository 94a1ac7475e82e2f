//go:build !linux

package models

// limits returns none: only Linux tells them.
func limits() []limit { return nil }

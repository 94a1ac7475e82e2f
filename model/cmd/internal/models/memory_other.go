//go:build !linux

package models

// limits returns no limits: those of Linux alone are known.
func limits() []limit { return nil }

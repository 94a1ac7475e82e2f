//go:build !js

package decode

import "runtime"

// pause lets other goroutines run.
func pause() { runtime.Gosched() }

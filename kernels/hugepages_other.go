//go:build !linux

package kernels

// adviseHuge does nothing: only Linux lets a process ask for huge pages.
func adviseHuge([]float32) {}

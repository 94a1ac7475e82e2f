// Package openblas calls OpenBLAS, and measures what the processor can do at most: reading
// weights, and fused multiply-adds. It is empty without the tag openblas, which needs cgo.
package openblas

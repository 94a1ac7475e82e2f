// Package openblas calls OpenBLAS. It is empty without the tag openblas, which needs cgo.
package openblas

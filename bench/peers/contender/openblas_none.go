//go:build !openblas || !amd64

package contender

// OpenBLAS lists nothing: OpenBLAS is there in a build with the tag openblas on amd64.
func OpenBLAS() (list []Contender, fact string) { return nil, "" }

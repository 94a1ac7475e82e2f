module github.com/softsearch-go/softsearch/bench/peers

go 1.26.0

require (
	github.com/nlpodyssey/spago v1.1.0
	github.com/softsearch-go/softsearch v0.0.0
	github.com/tphakala/simd v1.8.0
	github.com/viterin/vek v0.4.3
	golang.org/x/sys v0.49.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/chewxy/math32 v1.10.1 // indirect
	github.com/google/flatbuffers v23.5.26+incompatible // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/viterin/partial v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20260410095643-746e56fc9e2f // indirect
)

replace github.com/softsearch-go/softsearch => ../../

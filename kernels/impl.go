package kernels

import (
	"fmt"
	"os"
	"strings"
)

// An Impl is one implementation of every kernel: assembly for one instruction set, or portable Go,
// which is the zero value. Best, Available and Lookup return only implementations that run on this
// machine. All give the same bits.
type Impl struct {
	isa     isa
	team    *Team
	scratch *Scratch
}

type isa uint8

const (
	isaGo isa = iota
	isaNEON
	isaAVX2
	isaAVXVNNI
	isaAVX512
	isaAVX512VNNI // of products of int8, not of an Impl
	isaAVX512BF16 // of products of bfloat16, not of an Impl
)

var names = [...]string{isaGo: "go", isaNEON: "neon", isaAVX2: "avx2", isaAVXVNNI: "avxvnni", isaAVX512: "avx512"}

// best is the result of detection and of the environment, which is read once.
var best = limit(os.Getenv("SOFTSEARCH_ISA"))

// Best returns the fastest implementation on this machine, or the one that the environment variable
// SOFTSEARCH_ISA names: avx512, avxvnni, avx2, neon or go. A name that is unknown or not available
// here selects portable Go.
func Best() Impl { return best }

// Available returns the implementations that run on this machine, the fastest first and
// portable Go last.
func Available() []Impl {
	var list []Impl
	for _, i := range native() {
		list = append(list, Impl{isa: i})
	}
	return append(list, Impl{})
}

// Lookup returns the implementation with that name. The error lists the names available on this
// machine.
func Lookup(name string) (Impl, error) {
	var have []string
	for _, k := range Available() {
		if k.String() == name {
			return k, nil
		}
		have = append(have, k.String())
	}
	return Impl{}, fmt.Errorf("kernels: no implementation %q on this machine; available: %s", name, strings.Join(have, ", "))
}

// String returns the name of the implementation: "avx512", "avxvnni", "avx2", "neon" or "go".
func (k Impl) String() string { return names[k.isa] }

// limit returns what Best returns where SOFTSEARCH_ISA is name.
func limit(name string) Impl {
	if name == "" {
		return Available()[0]
	}
	k, _ := Lookup(name)
	return k
}

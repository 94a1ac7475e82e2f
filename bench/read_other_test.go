//go:build !amd64 || purego || noasm

package bench

var readers map[string]func(x *float32, n int)

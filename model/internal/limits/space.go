//go:build !wasm

package limits

const space = 1 << 46 // bytes that a process can address

//go:build !wasm

package buffers

const space = 1 << 46 // bytes that a process can address

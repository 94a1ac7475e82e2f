package suite

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	hugePage  = 2 << 20
	cacheLine = 64
)

// Memory holds the operands of one case. They lie on huge pages where the system has them,
// whatever the contender, and each begins on a cache line of its own.
type Memory struct {
	maps   [][]byte
	free   []byte
	shared map[string]any
}

// NewMemory returns a Memory without operands.
func NewMemory() *Memory {
	return &Memory{shared: map[string]any{}}
}

// Floats returns n zeros.
func (m *Memory) Floats(n int) []float32 {
	size := (4*n + cacheLine - 1) &^ (cacheLine - 1)
	if size > len(m.free) {
		m.extend(size)
	}
	data := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(m.free))), n)
	// The cache line between operands keeps those of whole pages from sharing cache sets.
	m.free = m.free[min(size+cacheLine, len(m.free)):]
	return data[:n:n]
}

// extend maps whole huge pages for an operand of that size.
func (m *Memory) extend(size int) {
	size = (size + 2*hugePage - 1) &^ (hugePage - 1)
	data, err := unix.Mmap(-1, 0, size+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("suite: map %d bytes: %v", size, err))
	}
	m.maps = append(m.maps, data)
	address := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	skip := int(-address % hugePage)
	m.free = data[skip : skip+size]
	// A kernel without huge pages refuses, which costs every contender the same.
	_ = unix.Madvise(m.free, unix.MADV_HUGEPAGE)
}

// Shared returns what make returned at the first call with that name. Contenders that need
// the same form of an operand share it.
func Shared[T any](m *Memory, name string, make func() T) T {
	if v, ok := m.shared[name]; ok {
		return v.(T)
	}
	v := make()
	m.shared[name] = v
	return v
}

// Free unmaps all operands, which must not be used any more.
func (m *Memory) Free() error {
	for _, data := range m.maps {
		if err := unix.Munmap(data); err != nil {
			return fmt.Errorf("suite: unmap operands: %w", err)
		}
	}
	*m = *NewMemory()
	return nil
}

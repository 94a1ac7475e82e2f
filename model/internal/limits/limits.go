// Package limits has the sizes beyond which nothing is allocated.
package limits

import "math"

// Bytes is the most that the parameters of a model or the buffers of a constructor take. An int
// counts the bytes of a buffer with its alignment (see kernels.Alloc), and no address space is
// larger.
const Bytes = min(1<<46, math.MaxInt-2<<20)

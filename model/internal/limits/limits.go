// Package limits has the sizes beyond which nothing is allocated.
package limits

import "math"

// Bytes is the most that the parameters of a model or the buffers of a constructor take. No address
// space is larger, and an int counts the bytes of a buffer with its alignment (see kernels.Alloc).
const Bytes = min(space, math.MaxInt) - 2<<20

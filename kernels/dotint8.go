package kernels

const badDotInt8 = "kernels: DotInt8: len(x) != len(y), or more than MaxInt8Inputs values"

// DotInt8 returns Σ_i x[i]·y[i], which is exact. It panics if the lengths differ or are above
// MaxInt8Inputs.
func (k Impl) DotInt8(x, y []int8) int32 {
	if len(x) != len(y) || len(x) > MaxInt8Inputs {
		panic(badDotInt8)
	}
	readsInt8(x)
	readsInt8(y)
	whole := len(x) / lanes * lanes
	sum := dotInt8Go(x[whole:], y[whole:])
	if whole > 0 {
		sum += k.dotInt8(x[:whole], y[:whole])
	}
	return sum
}

func dotInt8Go(x, y []int8) int32 {
	var s0, s1, s2, s3 int32
	y = y[:len(x)]
	for len(x) >= 4 {
		a, b := (*[4]int8)(x), (*[4]int8)(y)
		s0 += int32(a[0]) * int32(b[0])
		s1 += int32(a[1]) * int32(b[1])
		s2 += int32(a[2]) * int32(b[2])
		s3 += int32(a[3]) * int32(b[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += int32(v) * int32(y[i])
	}
	return s0 + s1 + s2 + s3
}

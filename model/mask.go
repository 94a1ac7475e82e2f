package model

import "math"

// A mask holds a row of random factors for every row number: 0 with probability p and 1/(1-p)
// otherwise. A factor is a function of the key, the row number and the column alone.
type mask struct {
	key       uint64
	threshold uint32 // p·2³²: random numbers below it drop a value
	scale     uint32 // the bits of 1/(1-p)
}

// newMask returns the mask of a key. p is in [0, 1) and is rounded down to a multiple of 2⁻³².
func newMask(p float64, key uint64) mask {
	return mask{key: key, threshold: uint32(p * 0x1p32), scale: math.Float32bits(float32(1 / (1 - p)))}
}

func (m mask) dropsNothing() bool { return m.threshold == 0 }

// multiply multiplies row by the factors of a row number. Columns 2i and 2i+1 use the low and
// the high half of output i of a generator seeded with a hash of key and number.
func (m mask) multiply(row []float32, number uint64) {
	state := splitMix(m.key ^ number)
	for ; len(row) >= 2; row = row[2:] {
		bits := splitMix(state)
		row[0] *= m.factor(uint32(bits))
		row[1] *= m.factor(uint32(bits >> 32))
		state += golden
	}
	if len(row) > 0 {
		row[0] *= m.factor(uint32(splitMix(state)))
	}
}

// factor returns 0 or 1/(1-p).
func (m mask) factor(bits uint32) float32 {
	scale := m.scale
	if bits < m.threshold {
		scale = 0
	}
	return math.Float32frombits(scale)
}

// golden is 2⁶⁴ divided by the golden ratio, made odd: the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// splitMix returns the output of SplitMix64 in a state; the next state is state + golden. See
// Steele, Lea and Flood (2014), with the constants of Stafford's variant 13.
func splitMix(state uint64) uint64 {
	state += golden
	state = (state ^ state>>30) * 0xbf58476d1ce4e5b9
	state = (state ^ state>>27) * 0x94d049bb133111eb
	return state ^ state>>31
}

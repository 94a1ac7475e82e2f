package figure

import (
	"math"
	"strconv"
)

// An axis is a range of values with marks at multiples of a step, its ends among them.
type axis struct {
	first, last int     // multiples of step
	step        float64 // 1, 2 or 5 times a power of ten
	decimals    int     // of step
}

// newAxis returns an axis from low to high or beyond with up to so many steps, as few as it takes
// and at least one.
func newAxis(low, high float64, steps int) axis {
	if !(high > low) {
		high = low + max(1, math.Abs(low))
	}
	const rounding = 1e-6 // by which quotients of whole numbers of steps may be off
	least := (high - low) / float64(steps)
	for power := int(math.Floor(math.Log10(least))); ; power++ {
		for _, digit := range []float64{1, 2, 5} {
			a := axis{step: digit * math.Pow10(power), decimals: max(0, -power)}
			a.first, a.last = int(math.Floor(low/a.step+rounding)), int(math.Ceil(high/a.step-rounding))
			if a.last-a.first <= steps {
				return a
			}
		}
	}
}

// value returns the value of a mark.
func (a axis) value(mark int) float64 { return float64(float64(mark) * a.step) }

// share returns where a value is on the axis: 0 for the first mark, 1 for the last.
func (a axis) share(value float64) float64 {
	low, high := a.value(a.first), a.value(a.last)
	return (value - low) / (high - low)
}

// number returns the value of a mark divided by unit, a power of ten, in digits.
func (a axis) number(mark int, unit float64) string {
	if unit > 1 {
		return strconv.FormatFloat(a.value(mark)/unit, 'f', -1, 64)
	}
	return strconv.FormatFloat(a.value(mark), 'f', a.decimals, 64)
}

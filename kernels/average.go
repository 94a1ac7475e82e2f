package kernels

const badMovingAverage = "kernels: MovingAverage: len(average) != len(x)"

// MovingAverage takes one step of an exponential moving average towards x:
//
//	average[i] = fma(rate, x[i]-average[i], average[i])
//
// the difference rounded. It panics if the lengths differ.
func (k Impl) MovingAverage(average, x []float32, rate float32) {
	if len(average) != len(x) {
		panic(badMovingAverage)
	}
	t, n := k.team, blocks(len(x))
	a := averageStep{average, x, rate}
	if !t.divides(CostMove*len(x), n) {
		a.Run(k, 0, n)
		return
	}
	t.average = a
	t.do(k, &t.average, n)
}

// An averageStep is the operands of MovingAverage.
type averageStep struct {
	average, x []float32
	rate       float32
}

// Run takes the step for a range of blocks.
func (a *averageStep) Run(k Impl, from, to int) {
	for b := from; b < to; b++ {
		i, end := b*block, min((b+1)*block, len(a.x))
		k.movingAverage(a.average[i:end], a.x[i:end], a.rate)
	}
}

func movingAverageGo(average, x []float32, rate float32) {
	for i, v := range x {
		mean := average[i]
		average[i] = fma(rate, v-mean, mean)
	}
}

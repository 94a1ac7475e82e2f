package breakdown

import (
	"sync"
	"time"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/bench/peers/bounds"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

const (
	tries        = 3           // of a round
	multiplyAdds = 1 << 30     // of a try
	memoryValues = 125_000_000 // more than caches hold
)

// limits measures what bounds an operation on some threads.
type limits struct {
	loops       bounds.Loops
	multiplyAdd func(n int) // of the precision of the operation
	threads     int
	blocks      [][]float32 // what is read: the weights of a step, or else what no cache holds
	repeat      int         // how often, for at least memoryValues in all
}

func newLimits(loops bounds.Loops, name Name, m *model.Model) *limits {
	l := &limits{loops: loops, multiplyAdd: loops.MultiplyAdd, threads: name.Threads, repeat: 1}
	if name.Precision == model.BF16 {
		l.multiplyAdd = loops.MultiplyAddBF16
	}
	if name.Operation == Step {
		for _, w := range bench.StepWeights(m.Parameters) {
			l.blocks = append(l.blocks, bench.Memory(w))
		}
		l.repeat += memoryValues / l.values()
		return l
	}
	block := kernels.Alloc(memoryValues)
	for i := range block {
		block[i] = 1
	}
	l.blocks = [][]float32{block}
	return l
}

func (l *limits) values() int {
	n := 0
	for _, b := range l.blocks {
		n += len(b)
	}
	return n
}

// round returns GFLOP/s and GB/s, the best of some tries.
func (l *limits) round() (peak, read float64) {
	for range tries {
		ns := l.together(func(int) { l.multiplyAdd(multiplyAdds) })
		peak = max(peak, 2*multiplyAdds*float64(l.threads)/ns)
		for _, apart := range []bool{false, true} {
			ns := l.together(func(thread int) { l.read(thread, apart) })
			read = max(read, 4*float64(l.values()*l.repeat)/ns)
		}
	}
	return peak, read
}

// read reads what a thread has of every block.
func (l *limits) read(thread int, apart bool) {
	for range l.repeat {
		for _, b := range l.blocks {
			l.loops.Read(1, b[len(b)*thread/l.threads:len(b)*(thread+1)/l.threads], apart)
		}
	}
}

// together runs f on every thread at the same time and returns the nanoseconds until all have
// ended.
func (l *limits) together(f func(thread int)) float64 {
	var others sync.WaitGroup
	start := time.Now()
	for thread := 1; thread < l.threads; thread++ {
		others.Go(func() { f(thread) })
	}
	f(0)
	others.Wait()
	return float64(time.Since(start).Nanoseconds())
}

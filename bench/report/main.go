// Report measures the kernels on any machine, in less than a minute, and prints Markdown to paste into a report:
//
//	go run ./bench/report
//
// It needs the Go command alone, and the repository around it, whose tests compute the hashes.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/klauspost/cpuid/v2"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/rnn"
)

func main() {
	k := kernels.Best()
	fmt.Printf("### %s\n\n", processor())
	fmt.Printf("%s/%s, %s, %s. %v of %v, one thread.\n\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), time.Now().Format(time.DateOnly), k, kernels.Available())
	verdict, hashes := compareHashes()
	fmt.Printf("Hashes: %s.\n\n", hashes)
	fmt.Printf("| | rate | of the bound |\n| --- | --- | --- |\n")
	row := fmt.Sprintf("| %s | %v | %s |", processor(), k, verdict)
	for _, o := range operations(k) {
		rate, share := o.measure()
		fmt.Printf("| %s | %.3g %s | %.0f %% |\n", o.name, rate, o.unit, 100*share)
		row += fmt.Sprintf(" %.3g (%.0f %%) |", rate, 100*share)
	}
	fmt.Printf(`
GB/s count the float32 values that an operation reads. Their bound is to read as many with bytes.Equal or Dot, whichever is
faster; a kernel that prefetches can pass it. The bound of other rates is the fastest of three products with operands that fit
the caches of a core. Medians of at most %d rounds; in each, a measurement has its bound beside it.

The row of bench/results/machines.md:

%s
`, rounds, row)
}

// processor returns its name and caches, as far as it tells them.
func processor() string {
	name, cache := cmp.Or(cpuid.CPU.BrandName, "unnamed "+runtime.GOARCH), cpuid.CPU.Cache
	var caches []string
	for i, size := range []int{cache.L1D, cache.L2, cache.L3} {
		if size > 0 {
			caches = append(caches, fmt.Sprintf("L%d %d KB", i+1, size>>10))
		}
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(append(caches, fmt.Sprintf("%d threads", runtime.NumCPU())), ", "))
}

// compareHashes runs the test that trains and translates on every implementation and knows the documented hashes.
func compareHashes() (verdict, details string) {
	test := exec.Command("go", "test", "-count=1", "-v", "-run", "^TestMachines$", "github.com/softsearch-go/softsearch/model/decode")
	output, err := test.CombinedOutput()
	line := regexp.MustCompile(`(?m): (\w+): hash of (\w+) ([0-9a-f]{16})(, want [0-9a-f]{16})?\r?$`)
	var hashes, others []string
	for _, m := range line.FindAllStringSubmatch(string(output), -1) {
		if m[4] != "" {
			others = append(others, fmt.Sprintf("%s of %s is `%s`%s", m[2], m[1], m[3], m[4]))
		} else if h := m[2] + " `" + m[3] + "`"; !slices.Contains(hashes, h) {
			hashes = append(hashes, h)
		}
	}
	switch {
	case len(others) > 0:
		return "differ", "**not the documented ones**: " + strings.Join(others, "; ")
	case err != nil:
		return "failed", fmt.Sprintf("**not computed**: %v\n\n```\n%s```\n", err, output)
	}
	return "as documented", strings.Join(hashes, ", ") + ": the documented ones, on every implementation"
}

// An operation does work of that size, in billions of units, and has a bound for the rate at which it can.
type operation struct {
	name, unit string
	work       float64
	run        func()
	bound      func() float64
}

const (
	rounds  = 9
	enough  = 2 * time.Second      // for the rounds of one operation
	atLeast = 8 * time.Millisecond // for one measurement
)

// measure returns the medians of the rate and of its share of the bound in the same round.
func (o operation) measure() (rate, share float64) {
	var rates, shares []float64
	for start := time.Now(); len(rates) == 0 || len(rates) < rounds && time.Since(start) < enough; {
		r := perSecond(o.work, o.run)
		rates, shares = append(rates, r), append(shares, r/o.bound())
	}
	slices.Sort(rates)
	slices.Sort(shares)
	return rates[len(rates)/2], shares[len(shares)/2]
}

func perSecond(work float64, run func()) float64 {
	for n := 1; ; n *= 2 {
		start := time.Now()
		for range n {
			run()
		}
		if d := time.Since(start); d >= atLeast {
			return work * float64(n) / d.Seconds()
		}
	}
}

func operations(k kernels.Impl) []operation {
	float32s, int8s := fastest(k, float32Product), fastest(k, int8Product)
	values := func(n int) []float32 { return uniform(n, 1) }
	vector := func(name string, n int, run func()) operation {
		return operation{name, "GB/s", 4e-9 * float64(n), run, reading(k, n)}
	}
	gemv := func(cache string, rows, cols int) operation {
		w, x, y := k.Pack(kernels.View(values(rows*cols), rows, cols)), values(cols), values(rows)
		name := fmt.Sprintf("matrix–vector product, %d×%d (%s)", rows, cols, cache)
		return vector(name, rows*cols, func() { k.Gemv(y, w, x, nil, kernels.Identity) })
	}
	product := func(kind, unit string, new newProduct, rows int, bound func() float64) operation {
		const out, in = 3000, 1000
		name := fmt.Sprintf("%s, %d rows, %d×%d", kind, rows, out, in)
		return operation{name, unit, 2e-9 * float64(rows*out*in), new(k, rows, out, in), bound}
	}
	gru, work := gruStep(k, 80, 620, 1000)
	x, y := values(1024), values(1024)
	logits, probabilities := values(30000), values(30000)
	const parameters = 10_000_000
	p, g, m, v := values(parameters), values(parameters), values(parameters), make([]float32, parameters)
	return []operation{
		product("matrix product", "GFLOP/s", float32Product, 80, float32s),
		product("matrix product", "GFLOP/s", float32Product, 12, float32s),
		gemv("L1", 64, 64),
		gemv("L2", 256, 256),
		gemv("L3", 1000, 1000),
		gemv("memory", 30000, 500),
		vector("Dot of 1024", 2*1024, func() { k.Dot(x, y) }),
		product("int8 product", "GOP/s", int8Product, 80, int8s),
		vector("tanh of 1024", 1024, func() { k.Tanh(y, x) }),
		vector("softmax of 30000", 30000, func() { k.Softmax(probabilities, logits) }),
		{"step of a GRU, 80 rows, 620 to 1000", "GFLOP/s", work, gru, float32s},
		vector("update of 10 million by Adam", 4*parameters, func() {
			k.UpdateAdam(kernels.Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Rate: 1e-3, Scale: 1}, p, g, m, v)
		}),
	}
}

// reading returns a bound: reading n values, half of which equal the other half.
func reading(k kernels.Impl, n int) func() float64 {
	x := kernels.Alloc(n)
	clear(x) // the operating system takes more time for the first write to a page than a kernel for its values
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*n)
	gigabytes := 1e-9 * float64(len(b))
	return func() float64 {
		return max(
			perSecond(gigabytes, func() { bytes.Equal(b[:2*n], b[2*n:]) }),
			perSecond(gigabytes, func() { k.Dot(x[:n/2], x[n/2:]) }))
	}
}

// A newProduct returns a product of rows of in values and out×in weights.
type newProduct func(k kernels.Impl, rows, out, in int) func()

// fastest returns a bound: the fastest of three products. The weights of the largest are 768 KB in int8.
func fastest(k kernels.Impl, product newProduct) func() float64 {
	small, middle, large := product(k, 24, 96, 128), product(k, 48, 96, 256), product(k, 80, 768, 1024)
	return func() float64 {
		return max(perSecond(2e-9*24*96*128, small), perSecond(2e-9*48*96*256, middle), perSecond(2e-9*80*768*1024, large))
	}
}

func float32Product(k kernels.Impl, rows, out, in int) func() {
	w := k.Pack(kernels.View(uniform(out*in, 1), out, in))
	x, y := kernels.View(uniform(rows*in, 1), rows, in), kernels.NewMatrix(rows, out)
	return func() { k.Gemm(y, w, x, nil, kernels.Identity) }
}

// int8Product includes the rounding of its inputs.
func int8Product(k kernels.Impl, rows, out, in int) func() {
	w := kernels.Weights{Int8: k.PackInt8(kernels.View(uniform(out*in, 1), out, in))}
	x, y := kernels.View(uniform(rows*in, 1), rows, in), kernels.NewMatrix(rows, out)
	rounding := k.Using(&kernels.Scratch{Int8: kernels.NewRowsInt8(rows, in)})
	return func() { rounding.Linear(y, w, x, nil, kernels.Identity) }
}

// gruStep returns a step of all rows and its billions of multiplications and additions.
func gruStep(k kernels.Impl, rows, inputs, units int) (step func(), work float64) {
	packed := func(out, in int) kernels.Weights {
		return kernels.Weights{Float32: k.Pack(kernels.View(uniform(out*in, 0.1), out, in))}
	}
	g := rnn.GRU{W: packed(3*units, inputs), B: make([]float32, 3*units), Uzr: packed(2*units, units), U: packed(units, units)}
	x, h := kernels.View(uniform(rows*inputs, 1), rows, inputs), kernels.View(uniform(rows*units, 1), rows, units)
	gates, reset, next := kernels.NewMatrix(rows, 3*units), kernels.NewMatrix(rows, units), kernels.NewMatrix(rows, units)
	return func() {
		g.Project(k, gates, x)
		g.Step(k, gates, reset, next, h)
	}, 2e-9 * float64(rows*3*units*(inputs+units))
}

// uniform returns values from -limit to limit.
func uniform(n int, limit float32) []float32 {
	x := kernels.Alloc(n)
	for i := range x {
		x[i] = limit * (float32(i*7919%2003)/1001 - 1)
	}
	return x
}

//go:build race

package kernels

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// raceKernels returns every kernel, at shapes that leave no padding in packed matrices.
func raceKernels() []kernel {
	return slices.Concat(
		vectorKernels(100), attentionKernels(5, 40, 43), rowKernels(6, 40, 43),
		productKernels(1, 64, 40), productKernels(6, 64, 40), productKernels(7, 50, 33), weightKernels(32, 48),
		int8Kernels(1, 64, 64), int8Kernels(6, 64, 64), bf16Kernels(9, 64, 48),
	)
}

// together runs f and g in two goroutines, g after f, in an order that the race detector does not know.
// It returns the number of races that the detector reports.
func together(f, g func()) int {
	before := runtime.RaceErrors()
	var group sync.WaitGroup
	done := make(chan bool)
	group.Go(func() {
		f()
		runtime.RaceDisable()
		close(done)
		runtime.RaceEnable()
	})
	group.Go(func() {
		runtime.RaceDisable()
		<-done
		runtime.RaceEnable()
		g()
	})
	group.Wait()
	return runtime.RaceErrors() - before
}

// TestConcurrentRaces starts TestConcurrentAccess in a process of its own, since the races there are
// wanted, and reads what the race detector reports.
func TestConcurrentRaces(t *testing.T) {
	if len(native()) == 0 {
		t.Skip("no assembly, and the compiler announces what Go reads and writes")
	}
	const options = "GORACE=suppress_equal_stacks=0 suppress_equal_addresses=0 exitcode=0"
	output, _ := child(t, "TestConcurrentAccess", options, "SOFTSEARCH_RACES=1")
	for _, line := range strings.Split(output, "\n") {
		if strings.Contains(line, "MISSED") || strings.Contains(line, "FALSE") {
			t.Error(line)
		}
	}
	if !strings.Contains(output, "ALL CASES RUN") || t.Failed() {
		t.Fatalf("the process ends early or reports wrong cases; its output starts with\n%.3000s", output)
	}
	for _, name := range []string{"Tanh", "Gemv", "Gemm", "Linear", "LinearGrad", "Dot", "Softmax", "Scores", "GRUGatesRows", "UpdateAdam", "Pack", "Quantize", "DotInt8", "roundRowsBF16"} {
		if !strings.Contains(output, "kernels.Impl."+name+"()") {
			t.Errorf("no report names %s", name)
		}
	}
	if !strings.Contains(output, "WARNING: DATA RACE") {
		t.Error("no report of a data race")
	}
}

// partly lists operands of which the calls in the tables leave out elements.
var partly = map[string]bool{
	"GatherRows src": true, "GatherRowsInt8 table": true, "Lookup table": true, "ScatterRows dst": true, "ScatterRows src": true, "Pack w": true, "Unpack w": true, "PackInt8 w": true, "PackInt8 scales": true, "SetRowsInt8 w": true, "SetRowsInt8 scales": true,
	"GRUGatesRows gates": true, "GRUStateRows gates": true, "GRUResetAfterRows h": true, "LSTMStateRows c": true,
	"GRUGatesBackwardRows dh": true, "GRUGatesBackwardRows gates": true, "GRUGatesBackwardRows drh": true,
}

// TestConcurrentAccess has another goroutine read what each kernel in assembly writes, or write what it
// reads: the first element, the last one and one between. It also checks that what may run at once is
// not reported.
func TestConcurrentAccess(t *testing.T) {
	if os.Getenv("SOFTSEARCH_RACES") == "" {
		t.Skip("TestConcurrentRaces starts it")
	}
	freshScratch = true
	eachImpl(t, func(t *testing.T, alone Impl) {
		for _, k := range []Impl{alone, alone.With(eagerTeam(t, 3))} {
			if k.isa != isaGo {
				for _, kn := range raceKernels() {
					checkRaces(k, kn)
				}
			}
			checkNoRaces(t, k)
		}
	})
	fmt.Println("ALL CASES RUN")
}

func checkRaces(k Impl, kn kernel) {
	threads := 1
	if k.team != nil {
		threads = k.team.threads
	}
	for i, a := range kn.args {
		if a.use == works || a.n == 0 {
			continue
		}
		only := []int{0, a.n / 2, a.n - 1}
		if partly[kn.name+" "+a.name] {
			only = []int{-1}
		}
		for _, at := range only {
			for at >= 0 && a.gap(at) {
				at--
			}
			values := operands(kn, fills[0], 1)
			found := together(func() { kn.run(k, values) }, func() {
				for j := range values[i] {
					if a.gap(j) || at >= 0 && j != at {
						continue
					}
					if a.use == input || kn.name == "Max" { // which reads x, but the table's call removes NaN first
						values[i][j]++
					} else {
						read(values[i][j])
					}
				}
			})
			if found == 0 {
				fmt.Printf("MISSED: %s, %d threads, %s %s: %s[%d] of %d\n", k, threads, kn.name, kn.shape, a.name, at, a.n)
			}
		}
	}
	// What a kernel only reads, others may read.
	values := operands(kn, fills[0], 1)
	found := together(func() { kn.run(k, values) }, func() {
		for i, a := range kn.args {
			for at := range a.n {
				if a.use == input || a.gap(at) {
					read(values[i][at])
				}
				if a.gap(at) {
					values[i][at]++
				}
			}
		}
	})
	if found != 0 {
		fmt.Printf("FALSE: %s, %d threads, %s %s: %d reports for reads and for what lies between rows\n", k, threads, kn.name, kn.shape, found)
	}
}

//go:noinline
func read(float32) {}

// checkNoRaces runs every kernel in two goroutines that share what they read, and write to
// neighboring results.
func checkNoRaces(t *testing.T, k Impl) {
	other := k
	if k.team != nil {
		other = k.With(eagerTeam(t, 2))
	}
	for _, kn := range raceKernels() {
		first := operands(kn, fills[0], 1)
		second := make([][]float32, len(first))
		for i, a := range kn.args {
			second[i] = first[i]
			if a.use != input {
				both := slices.Concat(first[i], first[i])
				first[i], second[i] = both[:len(first[i]):len(first[i])], both[len(first[i]):]
			}
		}
		if found := together(func() { kn.run(k, first) }, func() { kn.run(other, second) }); found != 0 {
			fmt.Printf("FALSE: %s %s %s: %d reports for neighboring results\n", k, kn.name, kn.shape, found)
		}
	}
}

package kernels

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func available() []string {
	var list []string
	for _, k := range Available() {
		list = append(list, k.String())
	}
	return list
}

func TestAvailable(t *testing.T) {
	fastest := []string{"avx512", "avxvnni", "avx2", "neon", "go"}
	list := available()
	if list[len(list)-1] != "go" {
		t.Errorf("Available() = %q, want go last", list)
	}
	last := -1
	for _, name := range list {
		i := slices.Index(fastest, name)
		if i <= last {
			t.Errorf("Available() = %q, want the order of %q, no name twice", list, fastest)
		}
		last = i
	}
	if (Impl{}).String() != "go" {
		t.Errorf("the zero Impl is %q, want go", Impl{})
	}
}

func TestLookup(t *testing.T) {
	for _, k := range Available() {
		got, err := Lookup(k.String())
		if err != nil || got != k {
			t.Errorf("Lookup(%q) = %v, %v", k, got, err)
		}
	}
	for _, name := range []string{"", "AVX2", "sse9", " go"} {
		got, err := Lookup(name)
		if got != (Impl{}) || err == nil {
			t.Errorf("Lookup(%q) = %v, %v; want portable Go and an error", name, got, err)
			continue
		}
		for _, want := range append(available(), fmt.Sprintf("%q", name)) {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Lookup(%q): error %q does not name %s", name, err, want)
			}
		}
	}
}

// TestRequired fails where an implementation that SOFTSEARCH_REQUIRE names, separated by
// commas, does not run.
func TestRequired(t *testing.T) {
	for name := range strings.SplitSeq(os.Getenv("SOFTSEARCH_REQUIRE"), ",") {
		if name == "" {
			continue
		}
		if _, err := Lookup(name); err != nil {
			t.Errorf("SOFTSEARCH_REQUIRE: %v", err)
		}
	}
}

// child runs one test of this binary in a process of its own with more in its environment.
func child(t *testing.T, test string, environment ...string) (output string, err error) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, "-test.run=^"+test+"$", "-test.v")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SOFTSEARCH_") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, environment...)
	text, err := c.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("the emulator that runs this test binary does not start it again")
	}
	return string(text), err
}

func TestRequiredFails(t *testing.T) {
	for _, c := range []struct {
		value string
		fails bool
	}{{"go", false}, {"", false}, {"go,go", false}, {"sse9", true}, {"go,sse9", true}} {
		output, err := child(t, "TestRequired", "SOFTSEARCH_REQUIRE="+c.value)
		if (err != nil) != c.fails || c.fails && !strings.Contains(output, "sse9") {
			t.Errorf("SOFTSEARCH_REQUIRE=%s: %v, want failure %t\n%s", c.value, err, c.fails, output)
		}
	}
}

// TestBest also is what TestEnvironment starts, for its log.
func TestBest(t *testing.T) {
	t.Logf("best=%s available=%s", Best(), strings.Join(available(), ","))
	if os.Getenv("SOFTSEARCH_ISA") == "" && Best() != Available()[0] {
		t.Errorf("Best() = %s, want %s", Best(), Available()[0])
	}
}

// TestEnvironment reads what a process with SOFTSEARCH_ISA has as Best. An emulator may
// start the process on the processor itself, so its own Available counts.
func TestEnvironment(t *testing.T) {
	for _, value := range []string{"avxvnni", "avx2", "neon", "go", "nonsense", ""} {
		output, err := child(t, "TestBest", "SOFTSEARCH_ISA="+value)
		if err != nil {
			t.Fatalf("SOFTSEARCH_ISA=%s: %v\n%s", value, err, output)
		}
		_, line, _ := strings.Cut(output, "best=")
		line, _, _ = strings.Cut(line, "\n")
		best, list, found := strings.Cut(line, " available=")
		if !found {
			t.Fatalf("SOFTSEARCH_ISA=%s: no line best=… in\n%s", value, output)
		}
		names := strings.Split(list, ",")
		want := "go"
		if value == "" {
			want = names[0]
		} else if slices.Contains(names, value) {
			want = value
		}
		if best != want {
			t.Errorf("SOFTSEARCH_ISA=%s: Best() = %s, want %s of %s", value, best, want, list)
		}
	}
}

// TestConcurrent uses the same operands in several goroutines, each with results of its own.
func TestConcurrent(t *testing.T) {
	const workers, m, rows, cols = 4, 9, 37, 70
	eachImpl(t, func(t *testing.T, k Impl) {
		plain, w := packed(k, 1, rows, cols)
		r := newRand(2)
		x, bias, v := View(random(r, m*cols), m, cols), random(r, rows), random(r, cols)
		one := func() (results [4][]float32) {
			y := NewMatrix(m, rows)
			k.Gemm(y, w, x, bias, Tanh)
			row, e, p := make([]float32, rows), make([]float32, rows), make([]float32, cols)
			k.Gemv(row, w, x.Row(1), bias, Sigmoid)
			k.Scores(e, x.Row(0), plain, v)
			k.Softmax(p, v)
			return [4][]float32{y.Data, row, e, p}
		}
		want := one()
		var group sync.WaitGroup
		for worker := range workers {
			group.Go(func() {
				for range 20 {
					for i, got := range one() {
						if at := differs(got, want[i]); at >= 0 {
							t.Errorf("%s worker %d, result %d [%d] = %g, want %g", k, worker, i, at, got[at], want[i][at])
						}
					}
				}
			})
		}
		group.Wait()
	})
}

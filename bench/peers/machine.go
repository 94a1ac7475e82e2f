package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// machineFacts returns what the results say about the machine.
func machineFacts() []string {
	return []string{
		"date: " + time.Now().UTC().Format(time.DateOnly),
		"goos: " + runtime.GOOS,
		"goarch: " + runtime.GOARCH,
		"cpu: " + fieldOf("/proc/cpuinfo", "model name"),
		"caches: " + caches("/sys/devices/system/cpu/cpu0/cache"),
		fmt.Sprintf("cpus: %d", runtime.NumCPU()),
		"os: " + system(),
		"go: " + runtime.Version(),
	}
}

// fieldOf returns the value of the first line "key : value" or "key=value" of a file, "unknown"
// without one.
func fieldOf(file, key string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return strings.Trim(strings.TrimLeft(rest, " \t:="), "\"\n")
		}
	}
	return "unknown"
}

// clock returns the frequency of the processor in GHz, the best of some tries: a multiplication that
// waits for the one before takes three cycles on every amd64 processor since 2008.
func clock() float64 {
	const n, cycles, tries = 1 << 22, 3, 16
	best, x := 0.0, chain
	for range tries {
		start := time.Now()
		for range n / 8 {
			x = x * chain * chain * chain * chain * chain * chain * chain * chain
		}
		best = max(best, cycles*n/float64(time.Since(start).Nanoseconds()))
	}
	chain = x | 3
	return best
}

var chain uint64 = 3

// caches lists the data caches of a processor: "L1 32K, L2 1024K, L3 32768K".
func caches(folder string) string {
	indices, _ := filepath.Glob(filepath.Join(folder, "index*")) // the pattern is valid
	read := func(index, name string) string {
		data, _ := os.ReadFile(filepath.Join(index, name)) // "" where the system does not tell
		return strings.TrimSpace(string(data))
	}
	var list []string
	for _, index := range indices {
		if read(index, "type") != "Instruction" {
			list = append(list, "L"+read(index, "level")+" "+read(index, "size"))
		}
	}
	return strings.Join(list, ", ")
}

// system returns the kernel, to its minor version, and the distribution.
func system() string {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	version := string(regexp.MustCompile(`^\d+\.\d+`).Find(release))
	return "Linux " + version + ", " + fieldOf("/etc/os-release", "PRETTY_NAME")
}

// commandLine returns the shell command that repeats a run with the flags that were given, without the
// name of its output.
func commandLine(f *flag.FlagSet) string {
	text := "go run "
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				text += "-tags " + s.Value + " "
			}
		}
	}
	text += "./bench/peers " + f.Name()
	f.Visit(func(given *flag.Flag) {
		value := given.Value.String()
		if value == "" || strings.ContainsAny(value, " \t\"'`\\$&|;<>()[]{}*?!#~") {
			value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
		}
		if given.Name != "o" {
			text += " -" + given.Name + " " + value
		}
	})
	return text
}

// libraries returns the versions of the Go libraries, by the names of their contenders.
func libraries() []string {
	names := map[string]string{"gonum.org/v1/gonum": "gonum", "github.com/viterin/vek": "vek", "github.com/tphakala/simd": "tphakala", "github.com/nlpodyssey/spago": "spaGO"}
	var facts []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if name, ok := names[d.Path]; ok {
				facts = append(facts, name+": "+d.Version)
			}
		}
	}
	return facts
}

// pin binds this goroutine to n processors, the last of which is cpu, and returns cpu, or the last
// processor it may use if cpu is negative. Processes that it starts inherit the binding.
func pin(cpu, n int) (int, error) {
	runtime.LockOSThread()
	var set unix.CPUSet
	if cpu < 0 {
		if err := unix.SchedGetaffinity(0, &set); err != nil {
			return 0, fmt.Errorf("read affinity: %w", err)
		}
		for i := range 64 * len(set) {
			if set.IsSet(i) {
				cpu = i
			}
		}
	}
	set.Zero()
	for i := max(0, cpu-n+1); i <= cpu; i++ {
		set.Set(i)
	}
	// The system leaves out processors that it does not have.
	if err := errors.Join(unix.SchedSetaffinity(0, &set), unix.SchedGetaffinity(0, &set)); err != nil {
		return 0, fmt.Errorf("run on processor %d: %w", cpu, err)
	}
	if set.Count() < n {
		return 0, fmt.Errorf("run on %d processors up to %d: there are %d", n, cpu, set.Count())
	}
	return cpu, nil
}

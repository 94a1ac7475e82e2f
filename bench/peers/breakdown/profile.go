package breakdown

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// module is what the names of this module's functions begin with.
const module = "github.com/softsearch-go/softsearch/"

// hertz is the rate of samples, the highest that Linux gives with its usual timer.
const hertz = 250

// underProfile runs f and returns its CPU profile.
func underProfile(f func()) (*profile.Profile, error) {
	var data bytes.Buffer
	// StartCPUProfile asks for 100 samples a second, which the runtime refuses, on standard
	// error, as it has a rate already.
	runtime.SetCPUProfileRate(hertz)
	if err := pprof.StartCPUProfile(&data); err != nil {
		return nil, fmt.Errorf("breakdown: %w", err)
	}
	f()
	pprof.StopCPUProfile()
	p, err := profile.Parse(&data)
	if err != nil {
		return nil, fmt.Errorf("breakdown: %w", err)
	}
	return p, nil
}

// samples counts the samples of each part below the function root.
func samples(p *profile.Profile, root string, rules []rule) (map[string]int, error) {
	counts, files := map[string]int{}, sources{}
	for _, s := range p.Sample {
		stack, err := files.stack(s)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(stack, func(f frame) bool { return f.function == root })
		if i < 0 {
			continue
		}
		if stack[i].line == "" {
			return nil, fmt.Errorf("breakdown: no source of %s, as after a build with -trimpath", root)
		}
		part, ok := attribute(rules, stack[i:])
		if !ok {
			return nil, fmt.Errorf("breakdown: no rule for %s", names(stack[i:]))
		}
		counts[part] += int(s.Value[0])
	}
	return counts, nil
}

// names joins functions as rules do.
func names(stack []frame) string {
	var list []string
	for _, f := range stack {
		list = append(list, f.function)
	}
	return strings.Join(list, " > ")
}

// sources are the lines of source files, read when they are needed.
type sources map[string][]string

// stack returns the functions of a sample, the caller first.
func (files sources) stack(s *profile.Sample) ([]frame, error) {
	var stack []frame
	for _, location := range slices.Backward(s.Location) {
		for _, l := range slices.Backward(location.Line) {
			line, err := files.line(l.Function.Filename, int(l.Line))
			if err != nil {
				return nil, err
			}
			stack = append(stack, frame{strings.TrimPrefix(l.Function.Name, module), line})
		}
	}
	return stack, nil
}

// line returns a line of a file, counted from 1, "" where name is no path, that of generated
// code for example.
func (files sources) line(name string, number int) (string, error) {
	if !filepath.IsAbs(name) {
		return "", nil
	}
	if files[name] == nil {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("breakdown: source of the profile: %w", err)
		}
		files[name] = strings.Split(string(data), "\n")
	}
	if number < 1 || number > len(files[name]) {
		return "", fmt.Errorf("breakdown: source of the profile: %s has no line %d", name, number)
	}
	return files[name][number-1], nil
}

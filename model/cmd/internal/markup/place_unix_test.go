//go:build unix

package markup

import (
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPlaceLinear: eight times the elements take at most 24 times the processor time; the square would be 64.
func TestPlaceLinear(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	p := english(t, true)
	for name, text := range map[string]func(n int) string{
		"formatting":      func(n int) string { return "x_" + strings.Repeat("<i>a</i>", n) },
		"links":           func(n int) string { return "x_" + strings.Repeat("<a>a</a>", n) },
		"links in links":  func(n int) string { return "x_" + strings.Repeat("<a>a", n) + strings.Repeat("</a>", n) },
		"parts of a word": func(n int) string { return "<b>c</b> " + strings.Repeat("a<q>a</q>", n) },
	} {
		least := func(n int) time.Duration {
			d := htmlOf("<p>b "+text(n), p)
			same := Same(p, d.Sentences()[0])
			least := time.Hour
			for range 5 {
				before := processorTime()
				d.With(func(int) Translation { return same })
				least = min(least, processorTime()-before)
			}
			return least
		}
		if few, many := least(1000), least(8000); many > 24*few {
			t.Errorf("%s: %v for 1,000 elements, %v for 8,000", name, few, many)
		}
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

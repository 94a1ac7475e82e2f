//go:build unix

package markup

import (
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPlaceLinear: 32 times the elements take at most 200 times the processor time; the square would be 1,024.
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
			for range 3 {
				before := processorTime()
				d.With(func(int) Translation { return same })
				least = min(least, processorTime()-before)
			}
			return least
		}
		if few, many := least(500), least(16_000); many > 200*few {
			t.Errorf("%s: %v for 500 elements, %v for 16,000", name, few, many)
		}
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

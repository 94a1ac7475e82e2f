package breakdown

import (
	"bufio"
	"fmt"
	"os"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// LongWords is the length of the longest sentences that the paper trains on.
const LongWords = 50

// Memory does one training update of the paper's sizes, on sentences of LongWords words, and
// returns the peak memory of this process in bytes.
func Memory(k kernels.Impl) (int, error) {
	m, err := model.New(bench.Paper, 1)
	if err != nil {
		return 0, err
	}
	o, err := update(k, m, model.Float32, bench.Sentences, LongWords)
	if err != nil {
		return 0, err
	}
	if err := o.run(); err != nil {
		return 0, err
	}
	return peakMemory("/proc/self/status")
}

// peakMemory reads the field VmHWM.
func peakMemory(status string) (bytes int, err error) {
	file, err := os.Open(status)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &bytes); err == nil {
			return bytes << 10, nil
		}
	}
	return 0, fmt.Errorf("breakdown: %s has no VmHWM", status)
}

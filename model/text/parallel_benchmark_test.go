package text

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// BenchmarkReadParallel reads the training text of Multi30k ten times over. The bytes are those of
// the pairs in memory.
func BenchmarkReadParallel(b *testing.B) {
	var paths [2]string
	for i, language := range []string{"en", "fr"} {
		content, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "multi30k", "tok", "train."+language))
		if err != nil {
			b.Skipf("Multi30k is missing: %v", err)
		}
		paths[i] = filepath.Join(b.TempDir(), language)
		f, err := os.Create(paths[i])
		if err != nil {
			b.Fatal(err)
		}
		for range 10 {
			if _, err := f.Write(content); err != nil {
				b.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	var pairs []Pair
	for b.Loop() {
		pairs = nil
		var err error
		if pairs, err = ReadParallel(paths[0], paths[1]); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	n := len(pairs)
	with := heap()
	runtime.KeepAlive(pairs)
	pairs = nil
	b.ReportMetric(float64(with-heap())/float64(n), "bytes/pair")
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
}

// heap returns the bytes of live objects.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

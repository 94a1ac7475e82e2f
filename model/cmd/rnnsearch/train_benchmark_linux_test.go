package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/text/grammar"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// BenchmarkPrepare runs trainings of a small model up to the first update, in processes: from text that
// is tokenized, segmented and written to a cache, and from that cache. It reports the lines of both
// sides per second and the largest resident memory of the process.
func BenchmarkPrepare(b *testing.B) {
	for _, pairs := range []int{100_000, 1_000_000} {
		dir := b.TempDir()
		source, target := filepath.Join(dir, "source"), filepath.Join(dir, "target")
		writePlain(b, pairs, source, target)
		validSource, validTarget := filepath.Join(dir, "valid-source"), filepath.Join(dir, "valid-target")
		writePlain(b, 1, validSource, validTarget)
		cache := filepath.Join(dir, "cache")
		for _, from := range []string{"text", "cache"} {
			b.Run(fmt.Sprintf("pairs=%d/from=%s", pairs, from), func(b *testing.B) {
				peak, elapsed := int64(0), time.Duration(0)
				for b.Loop() {
					if from == "text" {
						os.Remove(cache)
					}
					c := exec.Command(os.Args[0], "train", "--overwrite", "--model", filepath.Join(dir, "m"), "--cache", cache,
						"--source", source, "--target", target, "--valid-source", validSource, "--valid-target", validTarget,
						"--source-language", "en", "--target-language", "fr", "--bpe", "500", "--updates", "1",
						"--embedding", "8", "--hidden", "8", "--alignment", "8", "--maxout", "8")
					c.Env = append(os.Environ(), asCommand+"=1")
					start := time.Now()
					if out, err := c.CombinedOutput(); err != nil {
						b.Fatalf("%v: %s", err, out)
					}
					elapsed += time.Since(start)
					peak = max(peak, int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)<<10)
				}
				b.ReportMetric(2*float64(pairs)*float64(b.N)/elapsed.Seconds(), "lines/s")
				b.ReportMetric(float64(peak), "peak-bytes")
			})
		}
	}
}

// writePlain writes sentences of the grammar as plain text.
func writePlain(b *testing.B, pairs int, paths ...string) {
	b.Helper()
	var files []*os.File
	var sides []*bufio.Writer
	var pipelines []pipeline.Pipeline
	for i, path := range paths {
		f, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		p, err := pipeline.New(pipeline.Defaults([]string{"en", "fr"}[i]))
		if err != nil {
			b.Fatal(err)
		}
		files, sides, pipelines = append(files, f), append(sides, bufio.NewWriter(f)), append(pipelines, p)
	}
	n := 0
	for p := range grammar.All(1) {
		if n++; n > pairs {
			break
		}
		for i, words := range [][]string{p.Source, p.Target} {
			fmt.Fprintln(sides[i], pipelines[i].Line(words))
		}
	}
	for i, side := range sides {
		if err := side.Flush(); err != nil {
			b.Fatal(err)
		}
		if err := files[i].Close(); err != nil {
			b.Fatal(err)
		}
	}
}

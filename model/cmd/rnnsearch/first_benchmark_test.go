package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/text"
)

// BenchmarkFirstAnswer starts translate and serve until the first answer, the translation of three words,
// which is part of the time: with a model of the paper's sizes, whose file is in the page cache, and with the models
// that are built in. It reports the medians of that time and of reading the file with os.ReadFile in a process that
// has just started, which gets its memory from the system as the commands do.
func BenchmarkFirstAnswer(b *testing.B) {
	float32, int8 := filepath.Join(b.TempDir(), "en-fr.safetensors"), filepath.Join(b.TempDir(), "en-fr.safetensors")
	writePaper(b, float32, int8)
	for _, file := range []struct{ weights, path string }{{"built-in", ""}, {"float32", float32}, {"int8", int8}} {
		path, flags := file.path, []string(nil)
		if path != "" {
			flags = []string{"--model", path}
		}
		for name, answer := range map[string]func(){
			"translate": func() {
				c := command(b, append([]string{"translate"}, flags...)...)
				c.Stdin = strings.NewReader("w4 w5 w6\n")
				if out, err := c.Output(); err != nil || len(out) == 0 {
					b.Fatalf("%q, error %v", out, err)
				}
			},
			"serve": func() {
				s := startServing(b, nil, flags...)
				if status, body := post(b, s.url+"/translate", `{"q":"w4 w5 w6","source":"en","target":"fr"}`); status != 200 {
					b.Fatal(body)
				}
				s.Process.Kill()
				s.end()
			},
		} {
			b.Run(fmt.Sprintf("command=%s/weights=%s", name, file.weights), func(b *testing.B) {
				var first, read []time.Duration
				for b.Loop() {
					if path != "" {
						read = append(read, readAfresh(b, path))
					}
					start := time.Now()
					answer()
					first = append(first, time.Since(start))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(milliseconds(first), "ms/first")
				if path != "" {
					b.ReportMetric(milliseconds(read), "ms/read")
					b.ReportMetric(milliseconds(first)/milliseconds(read), "first/read")
				}
			})
		}
	}
}

// asReader makes the test program read the file of that environment variable and print the time.
const asReader = "RNNSEARCH_TEST_READER"

func init() {
	path := os.Getenv(asReader)
	if path == "" {
		return
	}
	start := time.Now()
	if _, err := os.ReadFile(path); err != nil {
		panic(err)
	}
	fmt.Print(time.Since(start))
	os.Exit(0)
}

// readAfresh returns how long a new process reads a file.
func readAfresh(b *testing.B, path string) time.Duration {
	c := command(b)
	c.Env = append(c.Env, asReader+"="+path)
	out, err := c.Output()
	if err != nil {
		b.Fatal(err)
	}
	t, err := time.ParseDuration(string(out))
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// milliseconds returns the median.
func milliseconds(times []time.Duration) float64 {
	slices.Sort(times)
	return times[len(times)/2].Seconds() * 1e3
}

// writePaper writes a model of the paper's sizes with weights of float32 and of int8.
func writePaper(b *testing.B, float32, int8 string) {
	c := model.Config{
		Kind: model.RNNsearch, Order: model.UpdateFirst,
		SourceVocab: 30000, TargetVocab: 30000, Embedding: 620, Hidden: 1000, Alignment: 1000, Maxout: 500,
	}
	m, err := model.New(c, 1)
	if err != nil {
		b.Fatal(err)
	}
	words := []string{"</s>", "<unk>"}
	for i := len(words); i < c.SourceVocab; i++ {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	if m.Source, err = text.VocabularyOf(words); err != nil {
		b.Fatal(err)
	}
	m.Target = m.Source
	small, err := m.Quantize()
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(model.Save(float32, m), model.Save(int8, small)); err != nil {
		b.Fatal(err)
	}
}

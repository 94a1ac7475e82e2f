package torch_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

const (
	sileroFile, g2pFile, tutorialFile = "silero_vad_16k.safetensors", "g2p_en.safetensors", "tutorial.safetensors"

	bound = 1e-5 // on differences from float32 elsewhere
)

// foreign returns the path of a file in the folder that FOREIGN_DIR names. It skips the test where there is none.
func foreign(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("FOREIGN_DIR")
	if folder == "" {
		t.Skip("no FOREIGN_DIR")
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no %s in FOREIGN_DIR", name)
	}
	return path
}

// golden reads what a network answers elsewhere.
func golden[T any](t testing.TB, name string) (v T) {
	t.Helper()
	text, err := os.ReadFile(foreign(t, name))
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// opened returns what open reads from a file of FOREIGN_DIR.
func opened[T any](t testing.TB, k kernels.Impl, open func(kernels.Impl, string) (T, error), name string) T {
	t.Helper()
	v, err := open(k, foreign(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func recording(t testing.TB) []float32 {
	t.Helper()
	samples, err := readWAV(foreign(t, "silero_test.wav"))
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

type translation struct {
	Source, Target   [][]int32     // [time][sentence]
	LogProbabilities [][][]float64 `json:"log_probabilities"` // [time][sentence][word]
	Attention        [][][]float64 // [time of the target][time of the source][sentence]
}

func column(rows [][]int32, j int) (ids []int32) {
	for _, row := range rows {
		ids = append(ids, row[j])
	}
	return ids
}

// TestNetworks compares each network with what its own program answers, on every implementation.
func TestNetworks(t *testing.T) {
	eachImpl := func(f func(t *testing.T, k kernels.Impl)) func(t *testing.T) {
		return func(t *testing.T) {
			for _, k := range kernels.Available() {
				t.Run(k.String(), func(t *testing.T) { f(t, k) })
			}
		}
	}
	t.Run("silero_vad_16k", eachImpl(func(t *testing.T, k kernels.Impl) {
		s := opened(t, k, OpenSilero, sileroFile)
		want := golden[struct{ Probabilities []float64 }](t, "silero_golden.json").Probabilities
		samples, worst := recording(t), 0.0
		if !fixture.Full() {
			want = want[:min(100, len(want))]
		}
		if len(want) == 0 || len(samples) < len(want)*window {
			t.Fatalf("%d probabilities of %d samples", len(want), len(samples))
		}
		for i, p := range want {
			worst = max(worst, math.Abs(p-float64(s.Speech(samples[i*window:][:window]))))
		}
		if t.Logf("%d windows, largest difference %g", len(want), worst); !(worst <= bound) {
			t.Errorf("differs by %g, want at most %g", worst, bound)
		}
	}))
	t.Run("g2p_en", eachImpl(func(t *testing.T, k kernels.Impl) {
		g := opened(t, k, OpenG2P, g2pFile)
		words := golden[[][2]any](t, "g2p_golden.json")
		if !fixture.Full() || k != kernels.Best() {
			words = words[:min(50, len(words))]
		}
		for _, pair := range words {
			var want []string
			for _, p := range pair[1].([]any) {
				want = append(want, p.(string))
			}
			if got := g.Phonemes(pair[0].(string)); !slices.Equal(got, want) {
				t.Errorf("%s: %s, want %s", pair[0], got, want)
			}
		}
	}))
	t.Run("tutorial", eachImpl(func(t *testing.T, k kernels.Impl) {
		m := opened(t, k, OpenTranslator, tutorialFile)
		want := golden[struct{ Tutorial translation }](t, "torch_golden.json").Tutorial
		worst := 0.0
		for j := range want.Source[0] {
			logP, alpha := m.Score(column(want.Source, j), column(want.Target, j))
			for i := range want.Target {
				for word, p := range want.LogProbabilities[i][j] {
					worst = max(worst, math.Abs(p-float64(logP.Row(i)[word])))
				}
				for position, weights := range want.Attention[i] {
					worst = max(worst, math.Abs(weights[j]-float64(alpha.Row(i)[position])))
				}
			}
		}
		if t.Logf("largest difference %g", worst); !(worst <= bound) {
			t.Errorf("differs by %g, want at most %g", worst, bound)
		}
	}))
}

// The hash of the outputs of TestMachines on every machine, and the hash of the files that they come from.
const (
	filesHash   = "2b2df81a3c047062"
	outputsHash = "99bea07d3c8e0049"
)

// TestNetworksMachines compares the bits of what the networks answer, on every implementation and, for the files of filesHash,
// on every machine.
func TestNetworksMachines(t *testing.T) {
	files := sha256.New()
	for _, name := range []string{sileroFile, g2pFile, tutorialFile, "silero_test.wav"} {
		b, err := os.ReadFile(foreign(t, name))
		if err != nil {
			t.Fatal(err)
		}
		files.Write(b)
	}
	known, want := sum(files), ""
	if known == filesHash {
		want = outputsHash
	}
	for _, k := range kernels.Available() {
		h := sha256.New()
		floats := func(values ...float32) { binary.Write(h, binary.LittleEndian, values) }
		samples := recording(t)
		for s, i := opened(t, k, OpenSilero, sileroFile), 0; i < 100; i++ {
			floats(s.Speech(samples[i*window:][:window]))
		}
		g := opened(t, k, OpenG2P, g2pFile)
		for _, word := range strings.Fields("a neural network translates by jointly learning to align") {
			io.WriteString(h, strings.Join(g.Phonemes(word), " ")+"\n")
		}
		logP, alpha := opened(t, k, OpenTranslator, tutorialFile).Score([]int32{4, 1, 3, 1, 5}, []int32{2, 6, 5, 3})
		floats(logP.Data...)
		floats(alpha.Data...)
		got := sum(h)
		t.Logf("%s: hash of the outputs %s, of the files %s", k, got, known)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s: hash of the outputs %s, want %s", k, got, want)
		}
	}
}

func sum(h interface{ Sum([]byte) []byte }) string { return hex.EncodeToString(h.Sum(nil)[:8]) }

func TestSpeechAllocations(t *testing.T) {
	s, samples := opened(t, kernels.Best(), OpenSilero, sileroFile), recording(t)
	if n := testing.AllocsPerRun(100, func() { s.Speech(samples[:window]) }); n != 0 {
		t.Errorf("%g allocations a window, want none", n)
	}
}

// TestSpeech finds somebody who speaks in a part of a recording.
func TestSpeech(t *testing.T) {
	s, samples, windows, speech := opened(t, kernels.Best(), OpenSilero, sileroFile), recording(t), 0, 0
	for ; len(samples) >= window; samples = samples[window:] {
		if windows++; s.Speech(samples[:window]) >= 0.5 {
			speech++
		}
	}
	if speech == 0 || speech == windows {
		t.Errorf("speech in %d of %d windows, want some", speech, windows)
	}
	wav := filepath.Join(t.TempDir(), "wav")
	if err := os.WriteFile(wav, []byte("RIFF\x00\x00\x00\x00WAVEdata\xff\xff\xff\xff"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readWAV(wav); err == nil {
		t.Error("a WAV file without a format has samples")
	}
}

// Command examples runs networks that others have trained with PyTorch, each in a file of its own, to copy:
//
//	go run ./model/torch/examples speech silero_vad_16k.safetensors talk.wav   # prints where somebody speaks
//	go run ./model/torch/examples phonemes g2p_en.safetensors attention        # AH0 T EH1 N SH AH0 N
//
// silero.go streams through convolutions and an LSTM, g2p.go has an encoder and a decoder of nn.GRU, and tutorial.go
// is the network with attention that tutorials write.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "examples:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	switch {
	case len(args) == 3 && args[0] == "speech":
		return printSpeech(args[1], args[2], out)
	case len(args) > 2 && args[0] == "phonemes":
		g, err := OpenG2P(kernels.Best(), args[1])
		if err != nil {
			return err
		}
		for _, word := range args[2:] {
			fmt.Fprintln(out, strings.Join(g.Phonemes(strings.ToLower(word)), " "))
		}
		return nil
	}
	return errors.New("expected speech MODEL FILE.wav, or phonemes MODEL and words")
}

// printSpeech prints from when to when somebody speaks in a recording.
func printSpeech(model, recording string, out io.Writer) error {
	silero, err := OpenSilero(kernels.Best(), model)
	if err != nil {
		return err
	}
	samples, err := readWAV(recording)
	if err != nil {
		return fmt.Errorf("%s: %w", recording, err)
	}
	const pause = 4 // windows of less than half a probability that end a segment
	begin, end := -1, 0
	for i := 0; i*window < len(samples); i++ {
		if silero.Speech(samples[i*window:min((i+1)*window, len(samples))]) >= 0.5 {
			if begin < 0 {
				begin = i
			}
			end = i + 1
		} else if begin >= 0 && i >= end+pause {
			printSegment(out, begin, end)
			begin = -1
		}
	}
	if begin >= 0 {
		printSegment(out, begin, end)
	}
	return nil
}

func printSegment(out io.Writer, begin, end int) {
	const seconds = float64(window) / sampleRate
	fmt.Fprintf(out, "%6.2f s to %6.2f s\n", float64(begin)*seconds, float64(end)*seconds)
}

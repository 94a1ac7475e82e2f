package torch_test

import (
	"fmt"
	"math"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/torch"
	"github.com/softsearch-go/softsearch/rnn"
)

// What the weights of Silero VAD do not say, in samples.
const (
	sampleRate = 16000
	window     = 512
	context    = 64 // of the window before, and of the reflection of this one behind it
)

// A Silero finds speech in a stream of samples: Silero VAD, github.com/snakers4/silero-vad. It belongs to one
// goroutine at a time.
type Silero struct {
	k         kernels.Impl
	samples   []float32 // context, window, reflection
	transform conv      // short-time Fourier, without a window function of its own: real, then imaginary parts
	magnitude kernels.Matrix
	layers    []conv
	cell      *rnn.LSTM
	speech    conv // of the rectified state

	gates, memory, state, rectified kernels.Matrix
}

// A conv is a convolution over time.
type conv struct {
	w    kernels.Weights
	bias []float32
	act  kernels.Activation
	x, y kernels.Matrix // a row for each frame of the output; those of x overlap
	next kernels.Matrix // y between rows of zeros
}

// convolve reads a convolution over frames. One of a stride begins at every stride-th frame.
func convolve(dict *torch.StateDict, name string, frames kernels.Matrix, stride, padding int, act kernels.Activation) (c conv) {
	c.w, c.bias = dict.Conv1d(name + ".")
	width := c.w.In() / max(1, frames.Cols)
	if dict.Err == nil && (width*frames.Cols != c.w.In() || width > frames.Rows) {
		dict.Err = fmt.Errorf("tensor %s.weight: %d inputs, want a multiple of %d, for at most %d frames", name, c.w.In(), frames.Cols, frames.Rows)
	}
	if dict.Err != nil {
		return conv{}
	}
	rows := (frames.Rows-width)/stride + 1
	c.act, c.x = act, kernels.Matrix{Rows: rows, Cols: c.w.In(), Stride: stride * frames.Stride, Data: frames.Data}
	c.next = kernels.NewMatrix(padding+rows+padding, c.w.Out())
	c.y = c.next.Slice(padding, padding+rows)
	return c
}

func (c *conv) forward(k kernels.Impl) { k.Linear(c.y, c.w, c.x, c.bias, c.act) }

// OpenSilero reads the file of the weights.
func OpenSilero(k kernels.Impl, path string) (*Silero, error) {
	file, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	dict := &torch.StateDict{Impl: k, Tensor: file.Float32}
	s := &Silero{k: k, samples: make([]float32, context+window+context)}
	s.transform = convolve(dict, "stft_conv", kernels.View(s.samples, len(s.samples), 1), 128, 0, kernels.Identity)
	frames := kernels.NewMatrix(1+s.transform.y.Rows+1, s.transform.y.Cols/2) // with the padding of conv1
	s.magnitude = frames.Slice(1, frames.Rows-1)
	for i, stride := range []int{1, 2, 2, 1} {
		c := convolve(dict, fmt.Sprintf("conv%d", i+1), frames, stride, 1, kernels.ReLU)
		s.layers, frames = append(s.layers, c), c.next
	}
	s.cell = dict.LSTMCell("lstm_cell.")
	if dict.Err != nil {
		return nil, dict.Err
	}
	hidden := s.cell.Hidden()
	s.gates, s.memory, s.state = kernels.NewMatrix(1, s.cell.Gates()), kernels.NewMatrix(1, hidden), kernels.NewMatrix(1, hidden)
	s.rectified = kernels.NewMatrix(1, hidden)
	s.speech = convolve(dict, "final_conv", s.rectified, 1, 0, kernels.Sigmoid)
	if last := s.layers[len(s.layers)-1].y; dict.Err == nil && (last.Rows != 1 || last.Cols != s.cell.Inputs()) {
		dict.Err = fmt.Errorf("%d frames of %d values, want 1 of %d, the inputs of lstm_cell", last.Rows, last.Cols, s.cell.Inputs())
	}
	return s, dict.Err
}

// Speech returns the probability of speech in the next window of samples between -1 and 1. Behind the last samples of
// a recording are zeros.
func (s *Silero) Speech(samples []float32) float32 {
	copy(s.samples, s.samples[window:context+window])
	n := copy(s.samples[context:context+window], samples)
	clear(s.samples[context+n:])
	for i := range context {
		s.samples[context+window+i] = s.samples[context+window-2-i]
	}
	s.transform.forward(s.k)
	for i := range s.magnitude.Rows {
		magnitude, parts := s.magnitude.Row(i), s.transform.y.Row(i)
		imaginary := parts[len(magnitude):]
		for j := range magnitude { // the conversions keep the compiler from fused instructions, which round otherwise
			magnitude[j] = float32(math.Sqrt(float64(float32(parts[j]*parts[j]) + float32(imaginary[j]*imaginary[j]))))
		}
	}
	for i := range s.layers {
		s.layers[i].forward(s.k)
	}
	s.cell.Project(s.k, s.gates, s.layers[len(s.layers)-1].y)
	s.cell.Step(s.k, s.gates, s.memory, s.state, s.state)
	s.k.ReLU(s.rectified.Data, s.state.Data)
	s.speech.forward(s.k)
	return s.speech.y.Data[0]
}

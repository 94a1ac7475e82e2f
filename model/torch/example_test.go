package torch_test

import (
	"bytes"
	"fmt"
	"io"
	"log"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/torch"
	"github.com/softsearch-go/softsearch/rnn"
)

// A tagger: an embedding, a bidirectional LSTM and a linear layer, over sentences of three words and of two.
func Example() {
	file, err := safetensors.NewReader(tagger()) // or Open, of a file that save_file(model.state_dict(), path) wrote
	if err != nil {
		log.Fatal(err)
	}
	k := kernels.Best()
	dict := torch.StateDict{Impl: k, Tensor: file.Float32}
	embedding := dict.Embedding("embedding.")
	encoder := dict.LSTM("encoder.")
	weight, bias := dict.Linear("out.")
	if dict.Err != nil {
		log.Fatal(dict.Err)
	}

	layout := rnn.NewLayout(3)
	layout.Set([]int{3, 2})
	words := []int32{1, 2, 3, 0, 1} // the first ones of both, the second ones, the third one
	stack := rnn.NewStack(encoder, 2, len(words))
	x, states := kernels.NewMatrix(len(words), embedding.Cols()), kernels.NewMatrix(len(words), stack.Columns())
	tags := kernels.NewMatrix(len(words), weight.Out())
	k.Embed(x, embedding, words)
	stack.Forward(k, &layout, states, x)
	k.Linear(tags, weight, states, bias, kernels.Identity)
	for t := range layout.Steps() {
		for i := range layout.Active(t) {
			fmt.Printf("sentence %d, word %d: %.3f\n", i, t, tags.Row(layout.Row(t)+i))
		}
	}
	// Output:
	// sentence 0, word 0: [0.325 0.256]
	// sentence 1, word 0: [0.351 0.177]
	// sentence 0, word 1: [0.338 0.159]
	// sentence 1, word 1: [0.421 0.099]
	// sentence 0, word 2: [0.415 0.106]
}

// tagger returns a file of small weights and its size.
func tagger() (io.ReaderAt, int64) {
	var f safetensors.File
	add := func(name string, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		t := safetensors.Tensor{Name: name, Shape: shape, Data: make([]float32, n)}
		for i := range t.Data {
			t.Data[i] = float32((i*7+len(f.Tensors))%11)/10 - 0.5
		}
		f.Tensors = append(f.Tensors, t)
	}
	add("embedding.weight", 4, 2)
	for _, suffix := range []string{"", "_reverse"} {
		add("encoder.weight_ih_l0"+suffix, 12, 2)
		add("encoder.weight_hh_l0"+suffix, 12, 3)
		add("encoder.bias_ih_l0"+suffix, 12)
		add("encoder.bias_hh_l0"+suffix, 12)
	}
	add("out.weight", 2, 6)
	add("out.bias", 2)
	var b bytes.Buffer
	if err := safetensors.Write(&b, &f); err != nil {
		log.Fatal(err)
	}
	return bytes.NewReader(b.Bytes()), int64(b.Len())
}

// Probabilities that somebody speaks, for windows of 32 ms: silero_test.go streams through convolutions and an LSTM.
func Example_speech() {
	silero, err := OpenSilero(kernels.Best(), "silero_vad_16k.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	samples, err := readWAV("talk.wav")
	if err != nil {
		log.Fatal(err)
	}
	for ; len(samples) >= window; samples = samples[window:] {
		fmt.Println(silero.Speech(samples[:window]))
	}
}

// AH0 T EH1 N SH AH0 N: g2p_test.go has an encoder and a decoder of nn.GRU. tutorial_test.go is the network with
// attention that tutorials write.
func Example_phonemes() {
	g, err := OpenG2P(kernels.Best(), "g2p_en.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Phonemes("attention"))
}

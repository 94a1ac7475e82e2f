package torch_test

import (
	"fmt"

	"github.com/softsearch-go/softsearch/attention"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/torch"
	"github.com/softsearch-go/softsearch/rnn"
)

// A Translator is the network that tutorials write after Bahdanau, Cho and Bengio (2014):
//
//	h = nn.GRU(emb(source), bidirectional=True)      s = tanh(bridge(mean(h)))
//	e = v_a(tanh(w_a(s) + u_a(h)))                   c = softmax(e)·h
//	s = nn.GRU([emb(before); c], s)                  p = softmax(out(s))
type Translator struct {
	k                   kernels.Impl
	emb                 kernels.Table
	encoder, decoder    []rnn.Layer
	attention           attention.Model
	bridge, out         kernels.Weights
	bridgeBias, outBias []float32
}

// OpenTranslator reads the state_dict in the file.
func OpenTranslator(k kernels.Impl, path string) (*Translator, error) {
	file, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	dict := &torch.StateDict{Impl: k, Tensor: file.Float32}
	t := &Translator{k: k, emb: dict.Embedding("emb."), encoder: dict.GRU("enc."), decoder: dict.GRU("dec.")}
	t.attention.Wa, t.attention.WaBias = dict.Linear("w_a.")
	t.attention.Ua, t.attention.UaBias = dict.Linear("u_a.")
	t.attention.Va = dict.Vector("v_a.weight")
	t.bridge, t.bridgeBias = dict.Linear("bridge.")
	t.out, t.outBias = dict.Linear("out.")
	if dict.Err != nil {
		return nil, dict.Err
	}
	if len(t.encoder) != 1 || len(t.decoder) != 1 || t.encoder[0].Backward == nil || t.decoder[0].Backward != nil {
		return nil, fmt.Errorf("%s: %d layers in enc, %d in dec; want one of two directions, and one of one", path, len(t.encoder), len(t.decoder))
	}
	e, h, units, a := t.emb.Cols(), t.decoder[0].Forward.Hidden(), 2*t.encoder[0].Forward.Hidden(), len(t.attention.Va)
	for name, n := range map[string][2]int{
		"enc.weight_ih_l0 has columns": {t.encoder[0].Forward.Inputs(), e}, "dec.weight_ih_l0 has columns": {t.decoder[0].Forward.Inputs(), e + units},
		"bridge.weight has columns": {t.bridge.In(), units}, "bridge.weight has rows": {t.bridge.Out(), h}, "out.weight has columns": {t.out.In(), h},
		"w_a.weight has columns": {t.attention.Wa.In(), h}, "w_a.weight has rows": {t.attention.Wa.Out(), a},
		"u_a.weight has columns": {t.attention.Ua.In(), units}, "u_a.weight has rows": {t.attention.Ua.Out(), a},
	} {
		if n[0] != n[1] {
			return nil, fmt.Errorf("%s: tensor %s: %d, want %d", path, name, n[0], n[1])
		}
	}
	return t, nil
}

// Score returns a row for each word of the target: the log-probabilities of all words, given the word before it, and
// its attention to the words of the source. before has the id before each word.
func (t *Translator) Score(source, before []int32) (logP, alpha kernels.Matrix) {
	k := t.k
	x := kernels.NewMatrix(len(source), t.emb.Cols())
	k.Embed(x, t.emb, source)
	layout := rnn.NewLayout(len(source))
	layout.Set([]int{len(source)})
	encoder := rnn.NewStack(t.encoder, 1, len(source))
	h := kernels.NewMatrix(len(source), encoder.Columns())
	encoder.Forward(k, &layout, h, x)
	keys := kernels.NewMatrix(len(source), t.attention.Ua.Out())
	t.attention.Keys(k, keys, h)

	decoder, one := rnn.NewStack(t.decoder, 1, 1), rnn.NewLayout(1)
	one.Set([]int{1})
	s, _ := decoder.State(0, false) // Continue goes on from what is written here
	mean := kernels.NewMatrix(1, h.Cols)
	k.SumRows(mean.Data, h)
	k.Scale(mean.Data, 1/float32(len(source)))
	k.Linear(s, t.bridge, mean, t.bridgeBias, kernels.Tanh)

	logP, alpha = kernels.NewMatrix(len(before), t.out.Out()), kernels.NewMatrix(len(before), len(source))
	query, next := kernels.NewMatrix(1, t.attention.Wa.Out()), kernels.NewMatrix(1, decoder.Columns())
	input := kernels.NewMatrix(1, t.emb.Cols()+h.Cols) // [emb(before); c]
	for i := range before {
		t.attention.Queries(k, query, s)
		t.attention.Weights(k, alpha.Row(i), query.Data, keys)
		k.Embed(input.Columns(0, t.emb.Cols()), t.emb, before[i:i+1])
		k.WeightedSum(input.Data[t.emb.Cols():], alpha.Row(i), h)
		decoder.Continue(k, &one, next, input)
		scores := logP.Slice(i, i+1)
		k.Linear(scores, t.out, next, t.outBias, kernels.Identity)
		total := k.LogSumExp(scores.Data)
		for j := range scores.Data {
			scores.Data[j] -= total
		}
	}
	return logP, alpha
}

package torch_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/torch"
	"github.com/softsearch-go/softsearch/rnn"
)

// The words of both sides, by their ids.
var (
	letters  = strings.Fields("<pad> <unk> </s> a b c d e f g h i j k l m n o p q r s t u v w x y z")
	phonemes = strings.Fields("<pad> <unk> <s> </s> AA0 AA1 AA2 AE0 AE1 AE2 AH0 AH1 AH2 AO0 AO1 AO2 AW0 AW1 AW2 AY0 AY1 AY2 B CH D DH " +
		"EH0 EH1 EH2 ER0 ER1 ER2 EY0 EY1 EY2 F G HH IH0 IH1 IH2 IY0 IY1 IY2 JH K L M N NG OW0 OW1 OW2 OY0 OY1 OY2 P R S SH T TH " +
		"UH0 UH1 UH2 UW UW0 UW1 UW2 V W Y Z ZH")
)

// A G2P finds the phonemes of English words: g2p_en, github.com/Kyubyong/g2p, an encoder and a decoder of one nn.GRU
// each.
type G2P struct {
	k                kernels.Impl
	letters, before  kernels.Table
	encoder, decoder *rnn.GRUResetAfter
	out              kernels.Weights
	bias             []float32
}

// OpenG2P reads the file of the weights, whose names are those of torch in part: enc_w_ih for enc.weight_ih.
func OpenG2P(k kernels.Impl, path string) (*G2P, error) {
	file, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	names := strings.NewReplacer(".weight", "_w", ".bias", "_b")
	dict := &torch.StateDict{Impl: k, Tensor: func(name string) ([]int, []float32, error) { return file.Float32(names.Replace(name)) }}
	g := &G2P{k: k, encoder: dict.GRUCell("enc."), decoder: dict.GRUCell("dec.")}
	g.letters, g.before = kernels.Table{Float32: dict.Matrix("enc_emb")}, kernels.Table{Float32: dict.Matrix("dec_emb")}
	g.out, g.bias = dict.Linear("fc.")
	if dict.Err != nil {
		return nil, dict.Err
	}
	hidden := g.encoder.Hidden()
	for name, n := range map[string][2]int{
		"enc_emb has rows": {g.letters.Rows(), len(letters)}, "enc_emb has columns": {g.letters.Cols(), g.encoder.Inputs()},
		"dec_emb has rows": {g.before.Rows(), len(phonemes)}, "dec_emb has columns": {g.before.Cols(), g.decoder.Inputs()},
		"dec_w_hh has columns": {g.decoder.Hidden(), hidden}, "fc_w has columns": {g.out.In(), hidden}, "fc_w has rows": {g.out.Out(), len(phonemes)},
	} {
		if n[0] != n[1] {
			return nil, fmt.Errorf("%s: tensor %s: %d, want %d", path, name, n[0], n[1])
		}
	}
	return g, nil
}

// Phonemes returns the most probable phonemes of a word in lower case, one by one, 20 at most.
func (g *G2P) Phonemes(word string) (found []string) {
	ids := make([]int32, 0, len(word)+1)
	for _, letter := range strings.Split(word, "") {
		ids = append(ids, int32(max(1, slices.Index(letters, letter))))
	}
	ids = append(ids, int32(slices.Index(letters, "</s>")))

	x := kernels.NewMatrix(len(ids), g.encoder.Inputs())
	g.k.Embed(x, g.letters, ids)
	gates := kernels.NewMatrix(len(ids), g.encoder.Gates())
	g.encoder.Project(g.k, gates, x)
	state, unused := kernels.NewMatrix(1, g.encoder.Hidden()), kernels.Matrix{} // a GRU has one state
	for i := range ids {
		g.encoder.Step(g.k, gates.Slice(i, i+1), unused, state, state)
	}

	id := []int32{int32(slices.Index(phonemes, "<s>"))}
	x, gates = kernels.NewMatrix(1, g.decoder.Inputs()), kernels.NewMatrix(1, g.decoder.Gates())
	scores, best := kernels.NewMatrix(1, g.out.Out()), make([]float32, 1)
	for range 20 {
		g.k.Embed(x, g.before, id)
		g.decoder.Project(g.k, gates, x)
		g.decoder.Step(g.k, gates, unused, state, state)
		g.k.Linear(scores, g.out, state, g.bias, kernels.Identity)
		g.k.TopK(best, id, scores.Data)
		if phonemes[id[0]] == "</s>" {
			break
		}
		found = append(found, phonemes[id[0]])
	}
	return found
}

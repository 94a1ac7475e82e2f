package suite

import (
	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/model"
)

// All lists the cases: matrices of the published model (1000 units, embeddings of 620, an
// output layer of 30000×500) and of 256 and 512 units, which fit a second-level cache; recurrent layers;
// and decoder steps and training updates of the published model and of one of 256 units.
func All() []Case {
	var list []Case
	for _, s := range [][2]int{
		{256, 256}, {512, 512}, {1000, 620}, {1000, 1000}, {3000, 1000}, {1000, 2000}, {3000, 2000}, {30000, 500},
	} {
		list = append(list, Case{Op: "Gemv", Rows: s[0], Cols: s[1]})
	}
	for _, s := range [][3]int{
		{80, 768, 256}, {80, 3000, 1000}, {80, 1000, 2000}, {80, 30000, 500},
		{2, 3000, 1000}, {4, 3000, 1000}, {8, 3000, 1000}, {12, 3000, 1000}, {16, 3000, 1000},
		{2000, 3000, 620},
	} {
		list = append(list, product("Gemm", s))
	}
	list = append(list,
		product("GemmInput", [3]int{2000, 3000, 620}),
		product("GemmGrad", [3]int{2000, 768, 256}),
		product("GemmGrad", [3]int{2000, 3000, 620}),
	)
	for _, op := range []string{"Tanh", "Sigmoid", "Exp"} {
		list = append(list, Case{Op: op, N: 1024}, Case{Op: op, N: 30000})
	}
	list = append(list,
		Case{Op: "Softmax", N: 50}, Case{Op: "Softmax", N: 30000},
	)
	for _, op := range []string{"GRULayer", "LSTMLayer"} {
		for _, units := range []int{256, 1024} {
			list = append(list, Case{Op: op, Batch: 1, Source: 50, Units: units}, Case{Op: op, Batch: 16, Source: 50, Units: units})
		}
	}
	models := []Case{modelOf(bench.Small), modelOf(bench.Paper)}
	for _, c := range models {
		for _, batch := range []int{1, 12} {
			c.Op, c.Batch = "DecoderStep", batch
			list = append(list, c)
		}
	}
	for _, threads := range []int{1, 2} {
		for _, c := range models {
			c.Op, c.Batch, c.Threads = "TrainingUpdate", bench.Sentences, threads
			list = append(list, c)
		}
	}
	return list
}

// modelOf returns the sizes of a model and of its sentences.
func modelOf(c model.Config) Case {
	return Case{Source: bench.Words, Units: c.Hidden, Vocabulary: c.TargetVocab, Embedding: c.Embedding, Maxout: c.Maxout}
}

func product(op string, s [3]int) Case {
	return Case{Op: op, Batch: s[0], Rows: s[1], Cols: s[2]}
}

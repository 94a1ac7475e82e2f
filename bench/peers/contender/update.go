package contender

import (
	"runtime"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// comparedUpdates is the number of updates whose losses are the result of a TrainingUpdate. The
// losses after the first depend on the gradients of all weights.
const comparedUpdates = 4

// updates lists the fastest implementation of the kernels with factors of float32 and of bfloat16, on
// as many threads as the process has.
func updates() []Contender {
	k := kernels.Best()
	name := "softsearch-" + k.String()
	k = k.With(kernels.NewTeam(runtime.GOMAXPROCS(0)))
	update := func(precision model.Precision) table {
		return table{"TrainingUpdate": func(c suite.Case, m *suite.Memory) Operation {
			capacity := model.Capacity{Sentences: c.Batch, SourceLength: c.Source, TargetLength: c.Source}
			trainer := must(model.NewTrainer(k, newModel(c, m), model.Recipe{Precision: precision}, capacity))
			batch := c.Pairs()
			return losses(func() float64 { return must(trainer.Update(batch)) })
		}}
	}
	return []Contender{update(model.Float32).contender(name), update(model.BF16).contender(name + bf16)}
}

// bf16 ends the name of a contender with factors of bfloat16.
const bf16 = "-bf16"

// naiveUpdate is a training update in plain Go.
func naiveUpdate(c suite.Case, m *suite.Memory) Operation {
	trainer := bench.NewTrainer(naiveModel(c, m), c.Source, c.Source)
	var batch []bench.Pair
	for _, e := range c.Pairs() {
		batch = append(batch, bench.Pair(e))
	}
	return losses(func() float64 { return trainer.Update(batch) })
}

// losses returns the operation of an update, which returns the loss before it.
func losses(update func() float64) Operation {
	var list []float32
	op := once(nil, func() { list = append(list, float32(update())) })
	op.Result = func() []float32 {
		op.Run(comparedUpdates - len(list))
		return list
	}
	return op
}

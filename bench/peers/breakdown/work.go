package breakdown

import (
	"cmp"
	"fmt"

	"github.com/softsearch-go/softsearch/bench"
	"github.com/softsearch-go/softsearch/model"
)

// A Work is what was measured of one operation.
type Work struct {
	Name
	Implementation string  `json:"impl"`
	Period         int64   `json:"period"` // nanoseconds on the processor that a sample stands for
	Rounds         []Round `json:"rounds"`
	Parts          []Part  `json:"parts"`
}

// A Name identifies a work.
type Name struct {
	Operation string          `json:"work"`
	Sizes     string          `json:"sizes"`
	Threads   int             `json:"threads"`
	Weights   model.Precision `json:"weights,omitempty"`
	Precision model.Precision `json:"precision,omitempty"` // of the factors of an update's products
}

func (n Name) String() string {
	return fmt.Sprintf("%s/sizes=%s/threads=%d/weights=%s/precision=%s",
		n.Operation, n.Sizes, n.Threads, cmp.Or(n.Weights, "float32"), cmp.Or(n.Precision, "float32"))
}

// A Round is the time of an operation and what bounds it, measured one after the other.
type Round struct {
	Operations  int     `json:"n"`
	Nanoseconds float64 `json:"ns"`   // of one
	Peak        float64 `json:"peak"` // GFLOP/s of multiply-adds of the work's precision
	Read        float64 `json:"read"` // GB/s: of memory for an update, of the weights for a step
}

// A Part is some of the time of an operation and what was done in it.
type Part struct {
	Name    string `json:"part"`
	Samples int    `json:"samples"`
	FLOP    int    `json:"flop,omitempty"`
	Bytes   int    `json:"bytes,omitempty"`
}

// The operations.
const (
	Update = "update" // a training update of bench.Sentences sentences
	Step   = "step"   // a decoder step of one hypothesis
)

// Sizes are the names of the models in Configs.
var Sizes = []string{"small", "paper"}

// Configs are the models by the names of their sizes.
var Configs = map[string]model.Config{"small": bench.Small, "paper": bench.Paper}

// Names lists the works of a model on these numbers of threads.
func Names(sizes string, threads []int) []Name {
	var list []Name
	for _, work := range []Name{
		{Operation: Update}, {Operation: Update, Precision: model.BF16}, {Operation: Step}, {Operation: Step, Weights: model.Int8},
	} {
		for _, n := range threads {
			work.Sizes, work.Threads = sizes, n
			list = append(list, work)
		}
	}
	return list
}

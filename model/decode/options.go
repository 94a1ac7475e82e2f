package decode

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// Options configure a [Translator]. The zero value searches as the model says, on all processors.
type Options struct {
	Beam  int // hypotheses kept for a sentence; 0 is model.Search's, or 5; 1 is greedy search
	NBest int // translations returned for a sentence, at most Beam; 0 is 1

	// Prune is how far the log p of a hypothesis may be below that of the most probable one of the same length.
	// Others are dropped as long as NBest remain: the absolute threshold of Freitag and Al-Onaizan (2017).
	// 0 is model.Search's, or +Inf, which is no bound.
	Prune float64

	// Normalization is the power α, 0 to 10, in the score log p / nᵅ that ranks finished
	// translations of n ids. Larger values favor longer translations; at 1 the score is the mean
	// log p of an id. Nil is model.Search's; 0 finds the most probable translation.
	Normalization *float64

	MinLength int // fewest ids before EOS, if the source has words

	// MaxLength is the maximum number of ids of a translation, EOS included; 0 is three times that
	// of the source, and at least MinLength+1. A translation that reaches it may lack EOS.
	MaxLength int

	ForbidUNK bool // no translation contains text.UNK

	// KeepRepetitions returns translations as the search finds them, with the loops that a model falls into.
	// Otherwise, of up to four ids that stand more than three times side by side, and more than twice as
	// often as any do in the source, as many copies stay as the source has, one if nothing is repeated there.
	KeepRepetitions bool

	// ReplaceUNK replaces unknown words in text by the source words they are aligned with.
	ReplaceUNK bool

	// NoAlignments omits alignments, which take most of a search's memory. With ReplaceUNK, only those are
	// omitted for which there is no memory, and unknown words stay.
	NoAlignments bool

	// Terms are what translations of lines must say for parts of them.
	Terms []pipeline.Term

	// Ensemble is further models with the same vocabularies. The log-probability of an id is then
	// the mean over the models, and α the mean of their α, both summed in the order of the models:
	// another order of three or more can give other bits.
	Ensemble []*model.Model

	// Waiting is the number of sentences that may wait in the queue; 0 is no limit. A call whose
	// sentences would exceed it returns ErrBusy, unless it finds the queue empty.
	Waiting int

	Threads int // worker goroutines, at most 65,536; 0 is GOMAXPROCS

	// Memory is the limit in bytes for all searches together, below 64 TiB, and below 2 GiB where int
	// has 32 bits; 0 is 2 GiB, and 2,046 MiB there.
	Memory int64

	Kernels *kernels.Impl // nil is kernels.Best()
}

const (
	maxNormalization = 10 // so that powers of a length stay finite
	defaultBeam      = 5
	defaultMemory    = min(2<<30, buffers.MaxBytes)
	maxThreads       = 1 << 16
)

// withDefaults returns o with defaults in place of zeros, some of them the model's.
func (o Options) withDefaults(s model.Search) Options {
	if o.Beam == 0 {
		o.Beam = cmp.Or(s.Beam, defaultBeam)
	}
	if o.Prune == 0 {
		o.Prune = cmp.Or(s.Prune, math.Inf(1))
	}
	if o.Normalization != nil {
		s.Normalization = *o.Normalization
	}
	o.Normalization = &s.Normalization // the translator's own
	if o.NBest == 0 {
		o.NBest = 1
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if o.Kernels == nil {
		best := kernels.Best()
		o.Kernels = &best
	}
	alone := o.Kernels.With(nil) // a team serves one caller at a time
	o.Kernels = &alone
	return o
}

// check returns an error that wraps ErrConfig for options with defaults that are out of range.
func (o Options) check() error {
	switch {
	case o.Beam < 1:
		return fmt.Errorf("%w: beam of %d hypotheses, expected at least 1", model.ErrConfig, o.Beam)
	case o.NBest < 1 || o.NBest > o.Beam:
		return fmt.Errorf("%w: %d best translations, expected 1 to the beam of %d", model.ErrConfig, o.NBest, o.Beam)
	case !(o.Prune > 0):
		return fmt.Errorf("%w: prune %v, expected above 0", model.ErrConfig, o.Prune)
	case !(*o.Normalization >= 0 && *o.Normalization <= maxNormalization):
		return fmt.Errorf("%w: normalization %v, expected 0 to %d", model.ErrConfig, *o.Normalization, maxNormalization)
	case o.MinLength < 0:
		return fmt.Errorf("%w: minimum length %d, expected 0 or more", model.ErrConfig, o.MinLength)
	case o.MaxLength < 0:
		return fmt.Errorf("%w: maximum length %d, expected 0 or more", model.ErrConfig, o.MaxLength)
	case o.Waiting < 0:
		return fmt.Errorf("%w: %d waiting sentences, expected 0 or more", model.ErrConfig, o.Waiting)
	case o.Threads < 1 || o.Threads > maxThreads:
		return fmt.Errorf("%w: %d threads, expected 1 to %d", model.ErrConfig, o.Threads, maxThreads)
	case o.Memory < 1 || o.Memory > buffers.MaxBytes:
		return fmt.Errorf("%w: %d bytes of memory, expected 1 to %d", model.ErrConfig, o.Memory, int64(buffers.MaxBytes))
	}
	return nil
}

// Package training trains a model on a prepared corpus: from a corpus to an update, a checkpoint and the
// best model.
//
// [Run] is the path. It locks the files, reads the checkpoint to resume from (checkpoint.go), asks its
// caller for the [corpus.Corpus], and makes a [Trainer] (loop.go), which owns the model, and a validator
// (validator.go). Then it loops: update takes batches of the corpus up to the next validation, the
// validator measures the model, and save writes the checkpoint and, if the model is the best so far, the
// model file, until the [Limits] (checkpoint.go) or the context end it. With MPI, every rank runs Run, inside
// [OnRanks] (ranks.go): their updates add gradients, and what rank 0 alone does goes through onRoot.
package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/text"
)

// Settings are the values on which the result of a training depends, by flag. Those of files are the
// SHA-256 of their contents. A training resumes with equal Settings only.
type Settings map[string]string

// Options say what and how to train. They are flags of rnnsearch train, and errors name them as such.
type Options struct {
	Model, Checkpoint string   // files
	Overwrite         bool     // start over, and replace files of earlier trainings
	NoLock            bool     // for a file system without locks
	Inputs            []string // files that are never removed, see [Options.AddInput]
	inputFlags        []string // that name them

	// Prepare returns the corpus and the Settings, which must equal the checkpoint's unless that is
	// nil. If inMemory, it does not use the cache, see [corpus.Settings].
	Prepare func(ctx context.Context, checkpoint Settings, inMemory bool) (*corpus.Corpus, Settings, error)

	Initial           *model.Model // to start from, or nil for a new one
	Config            model.Config // of a new one, without the sizes of the vocabularies
	Recipe            model.Hyperparameters
	Batch, BatchWords int // largest numbers of sentences and words of an update, 0 words for no limit
	Seed              uint64
	Threads           int

	Limits
	Saves           Saves
	ValidUpdates    int // between two validations, 0 to validate after epochs only
	BestBy          Criterion
	ProgressUpdates int        // between two progress records
	Log             *LogWriter // on standard output
	LogFile         string     // to append a log in JSON to, or empty
	Reporter        corpus.Reporter
	Version, Commit string // of the program, the same on all ranks
}

// A training alternates between updates and validations, keeps the best model in the model file, and
// saves checkpoints.
type training struct {
	Options
	ranks       *Ranks
	settings    Settings
	corpus      *corpus.Corpus
	trainer     *Trainer
	validator   *validator
	description string // of the text and the model

	state         trainState
	stopwatch     stopwatch
	model         string // digest of the model file, "" if there is none
	resumed       bool
	sinceProgress throughput   // since the last progress record or the start of the program
	meter         trafficMeter // since the last progress record
	epochMeter    trafficMeter // since the last validation
	savedUpdate   int          // of the last checkpoint, -1 before the first one
	savedAt       time.Time    // of the last checkpoint or the start of the program
	logs          []*LogWriter
	logFile       *os.File
	unlogged      error // why a record is not in a log, nil if all are
}

// Run trains until a limit is reached. The end of ctx ends it with an error that wraps
// [terminal.ErrInterrupted], after a checkpoint if there is anything to save.
func Run(ctx context.Context, r *Ranks, o Options) error {
	unlock, err := o.lock(r)
	if err != nil {
		return err
	}
	defer unlock()
	t, err := prepare(ctx, r, o)
	if errors.Is(err, context.Canceled) {
		return terminal.ErrInterrupted
	}
	if err != nil {
		return err
	}
	defer t.close()
	if err := r.Agree(t.openLogs()); err != nil {
		return err
	}
	return t.run(ctx)
}

// prepare returns a training that is ready to run, on all ranks or on none.
func prepare(ctx context.Context, r *Ranks, o Options) (*training, error) {
	t := &training{Options: o, ranks: r, savedUpdate: -1}
	if err := t.open(ctx); err != nil {
		return nil, r.Agree(err)
	}
	if err := t.start(ctx); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// open reads everything that the training needs. It writes no file but the cache of the text.
func (t *training) open(ctx context.Context) error {
	m, err := onRoot(t.ranks, t.readMetadata)
	if err != nil {
		return err
	}
	var saved Settings
	if t.resumed = m != nil; t.resumed {
		saved, t.state, t.stopwatch, t.model = m.Settings, m.State, m.Stopwatch, m.Model
	}
	if t.ranks.IsRoot() {
		if err := t.checkModel(); err != nil {
			return err
		}
	}
	if err := t.readText(ctx, saved); err != nil {
		return err
	}
	if err := t.build(m); err != nil {
		t.corpus.Close()
		return err
	}
	if t.resumed {
		if err := t.resume(); err != nil {
			t.close()
			return err
		}
	}
	return nil
}

// readText prepares the text on rank 0 and then on the others, which can share its cache.
func (t *training) readText(ctx context.Context, saved Settings) error {
	read := func(inMemory bool) (cached bool, err error) {
		t.corpus, t.settings, err = t.Prepare(ctx, saved, inMemory)
		return err == nil && t.corpus.Cached, err
	}
	if t.ranks.IsRoot() {
		_, err := onRoot(t.ranks, func() (bool, error) { return read(false) })
		if err != nil && t.corpus != nil {
			t.corpus.Close()
		}
		return err
	}
	cached, err := onRoot[bool](t.ranks, nil)
	if err == nil {
		_, err = read(!cached)
	}
	return err
}

func (t *training) build(saved *metadata) (err error) {
	if err := t.checkMemory(); err != nil {
		return err
	}
	m := t.Initial
	if m == nil {
		if m, err = t.corpus.NewModel(t.Config, t.Seed); err != nil {
			return err
		}
	}
	examples := t.corpus.Train
	m.LongestSource = max(m.LongestSource, examples.LongestSource-1)
	if saved != nil {
		m.LongestSource = saved.LongestSource
	}
	t.description = t.corpus.Description() + "\n" + Description(m)
	batcher := text.NewCorpusBatcher(examples, t.Batch, t.BatchWords, t.Seed)
	if t.trainer, err = NewTrainer(m, batcher, t.capacity(), t.Recipe, t.Threads); err != nil {
		return err
	}
	t.validator, err = newValidator(kernels.Best().With(t.trainer.team), t.trainer.Model(), t.corpus.Valid, t.Threads)
	if err != nil {
		t.trainer.Close()
	}
	return err
}

func (t *training) capacity() model.Capacity {
	c := t.corpus.Train
	return model.Capacity{Sentences: min(t.Batch, c.Len()), SourceLength: c.LongestSource, TargetLength: c.LongestTarget}
}

// checkMemory returns an error unless there is memory for the trainer, and for the model unless that is there.
func (t *training) checkMemory() error {
	c, bytes := t.Config, int64(0)
	if t.Initial != nil {
		c = t.Initial.Config
	} else {
		c.SourceVocab, c.TargetVocab = t.corpus.Source.Size(), t.corpus.Target.Size()
		bytes = 4 * c.NumParameters() // of float32, or 0
	}
	if err := c.Check(); err != nil {
		return err
	}
	if err := t.Recipe.Check(); err != nil {
		return err
	}
	trainer := model.TrainerBytes(c, t.Recipe, t.capacity())
	return models.CheckMemory(bytes+min(trainer, math.MaxInt64-bytes), "the training", "expected smaller sizes (--embedding, --hidden, --alignment, --maxout, --vocab), a smaller --batch, or a smaller --max-length")
}

// Description returns a line about a model and the kernels that it uses.
func Description(m *model.Model) string {
	name := string(m.Config.Order)
	if m.Config.Kind == model.RNNencdec {
		name = "RNNencdec without attention, " + name
	}
	if m.Config.AlignmentModel != model.Additive {
		name += ", " + string(m.Config.AlignmentModel) + " alignment model"
	}
	return fmt.Sprintf("model: %s, %.2f million weights, on %s kernels",
		name, float64(m.Config.NumParameters())/1e6, kernels.Best())
}

// start waits for the other ranks, compares them, and makes them go on from the state of rank 0.
func (t *training) start(ctx context.Context) error {
	r := t.ranks
	if r == nil {
		return nil
	}
	if r.Size() > 1 {
		defer t.Reporter.Begin("waiting for the other ranks", "ranks", 0).Done()
	}
	if err := r.Agree(ctx.Err()); err != nil {
		return err
	}
	err := r.Compare(t.properties())
	if err == nil {
		err = t.trainer.Join(r.Group)
	}
	if err == nil && !r.IsRoot() && t.resumed {
		err = t.trainer.seek(t.state.Epochs, t.state.Batches)
		t.savedUpdate = t.trainer.Updates()
	}
	if err == nil {
		err = ctx.Err() // may have ended while this rank waited
	}
	if err = r.Agree(err); err != nil {
		return err
	}
	t.meter = trafficMeter{r.Traffic(), t.trainer.Updates()}
	t.epochMeter = t.meter
	t.description += fmt.Sprintf("\nranks: %d, with %s", r.Size(), terminal.Plural(max(1, t.Recipe.Shards), "shard"))
	return nil
}

// properties returns what all ranks of a training must have in common, beside what model.Trainer.Join
// compares.
func (t *training) properties() []collective.Property {
	list := []collective.Property{
		{Name: "version", Value: t.Version}, {Name: "commit", Value: t.Commit},
		{Name: "--epochs", Value: strconv.Itoa(t.Epochs)}, {Name: "--updates", Value: strconv.Itoa(t.Updates)},
		{Name: "--patience", Value: strconv.Itoa(t.Patience)},
	}
	for name, value := range t.settings {
		p := collective.Property{Name: "--" + name, Value: value}
		if _, isText := t.corpus.Checksums[name]; isText || name == "init" {
			p.Name = "text of --" + name + ", SHA-256"
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b collective.Property) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (t *training) close() {
	t.validator.close()
	t.trainer.Close()
	t.corpus.Close()
	t.logFile.Close() // nil without one
}

// resume loads the checkpoint, whose state the training has. Ranks other than 0 get it from there, see
// start.
func (t *training) resume() error {
	if !t.ranks.IsRoot() {
		return nil
	}
	path := t.Checkpoint
	if err := models.CheckFile(path, 1); err != nil {
		return err
	}
	if _, err := t.trainer.Load(path); err != nil {
		return t.Rejected(err)
	}
	if err := t.trainer.seek(t.state.Epochs, t.state.Batches); err != nil {
		return t.Rejected(fmt.Errorf("%s: %w", path, err))
	}
	t.savedUpdate = t.trainer.Updates()
	return nil
}

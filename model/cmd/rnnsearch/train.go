package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/trainlog"
	"github.com/softsearch-go/softsearch/model/text/pipeline"
)

// trainExample trains a model that the examples of other commands use.
const trainExample = `  yes 'the cat sleeps in the garden
  the dog eats in the house
  the cat eats in the garden' | head -n 1500 > /tmp/train.en
  yes 'le chat dort dans le jardin
  le chien mange dans la maison
  le chat mange dans le jardin' | head -n 1500 > /tmp/train.fr
  go run ./model/cmd/rnnsearch train --source /tmp/train.en --target /tmp/train.fr \
    --valid-source /tmp/train.en --valid-target /tmp/train.fr \
    --model /tmp/model.safetensors \
    --embedding 16 --hidden 32 --alignment 16 --maxout 16 --batch 5 --epochs 2`

// rawTextExample trains on text that is not tokenized, and translates such text.
const rawTextExample = `  yes "The man sleeps.
  Is the man in the house?
  The house isn't red." | head -n 1500 > /tmp/raw.en
  yes "L'homme dort.
  L'homme est-il dans la maison ?
  La maison n'est pas rouge." | head -n 1500 > /tmp/raw.fr
  echo '{"embedding": 16, "hidden": 32, "alignment": 16, "maxout": 16,
    "batch": 5}' > /tmp/small.json
  go run ./model/cmd/rnnsearch train --source /tmp/raw.en --target /tmp/raw.fr \
    --model /tmp/raw.safetensors \
    --source-language en --target-language fr --bpe 25 \
    --settings /tmp/small.json --epochs 3
  echo "The house isn't red." | go run ./model/cmd/rnnsearch translate --model /tmp/raw.safetensors`

// logHelp describes trainlog.Record.
const logHelp = `With --log json, each line of standard output is a JSON object with time (RFC
3339), event, epoch (from 1), update (number of updates so far) and seconds
(duration of the training so far, earlier runs included). By event, it also has:

  start       message
  resume      message, file (the checkpoint)
  progress    loss and sentences_per_second since the last progress event,
              learning_rate if the optimizer has one
  validation  loss and sentences_per_second since the last validation,
              learning_rate if the optimizer has one, validation_loss, bleu,
              best (whether the model is the best so far) and, if it is, file
              (the model file)
  checkpoint  file (the checkpoint)
  end         reason (epochs, updates, patience, interrupted or error), message

With several ranks, progress and validation have means per update of rank 0:
sent_bytes, communication_seconds, and waiting_seconds for the slowest rank.

Losses are per target word. After a resume, the updates since the checkpoint are
logged again. A training that ends before the first event, by an error or a
signal while it reads the text, logs nothing.`

// trainOptions are the flags of train.
type trainOptions struct {
	settings   string // file of flags
	corpus     corpusOptions
	model      modelOptions
	modelFile  string
	init       string // model file
	recipe     recipeOptions
	batch      int // largest number of sentences of an update
	batchWords int // and of words, 0 for no limit
	seed       uint64
	threads    int
	overwrite  bool
	checkpoint checkpointOptions
	stop       stopOptions
	log        logOptions
	ranks      *ranks
}

// trainName is the name of the command.
const trainName = "train"

func newTrain() *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   trainName + " --source FILE --target FILE --model FILE",
		Short: "Train a model on parallel text",
		Long: `Train a model on parallel text: two UTF-8 files with one sentence per line, in
which line n of one file is the translation of line n of the other. After every
epoch, train measures the model on the validation text, and the model file keeps
the best one so far. Without --valid-source and --valid-target, every tenth pair
is held out for validation, or about 1000 pairs of a large corpus. The defaults
are the settings of the paper.

Files may be compressed by gzip or zstd, or pipes. --source and --target may be
repeated: the first files of both belong together, the second ones, and so on. A
pair with a line that is empty, not UTF-8 or longer than 1 MiB is dropped with a
warning; --strict makes it an error.

Text takes little memory, whatever its size: large text is prepared once, and
kept in a file beside the model, --cache, that the training reads. The next
start takes it from there, unless the text or a setting that it depends on has
changed, or the file is damaged: then train prepares the text again. Text from a
pipe is prepared at every start.

Words are separated by white space, unless --source-language or
--target-language is given: then the text of that side is tokenized, see
--tokenizer. --bpe divides rare words into segments. From then on, the segments
are the words of the model, and --vocab, --max-length and the losses count
segments; BLEU still counts tokens. The model file includes all of these steps,
so translate reads and writes plain text.

--codes reads the merges of byte-pair encoding that another program or training
has learned, in the format of subword-nmt. --source-vocabulary and
--target-vocabulary read the words of the model: one per line, or a word, a
space and a number.

--init starts from the weights of a model, on other text or with another recipe,
and takes its vocabularies, its merges and all settings of its architecture and
its text. The optimizer starts afresh.

--settings reads flags from a JSON object, for example {"optimizer": "adam",
"bpe": 8000}. Flags on the command line take precedence.

A checkpoint beside the model file is saved after every epoch and every 10
minutes. However a training ends, the same command resumes it from the
checkpoint and produces the same model as an uninterrupted training. Ctrl-C
saves a checkpoint first, if there is anything to save. --updates can also stop
in the middle of an epoch, after one more validation. To continue a finished
training, raise --epochs or --updates. Only one training at a time can use a
checkpoint or a model file, which it locks with a file of that name and .lock.

A program that is built with MPI (CC=mpicc go build -tags mpi) trains on several
machines: mpirun -n 4 rnnsearch train with --shards 4 divides each batch among 4
ranks. The result depends on --shards and not on the number of ranks, a power of
two up to --shards, which may change when a training resumes. Every rank has
--threads threads and reads the text. Rank 0 prepares it first, for all ranks in
its folder, then one rank in each other folder. Rank 0 alone reads checkpoints,
writes other files and logs.

If a rank dies, all end; the same command resumes. SIGTERM to any rank ends all
with a checkpoint. Ctrl-C does so, too, but Open MPI kills ranks a second later;
mpirun --mca odls_base_sigkill_timeout 30 waits 30 seconds before each step.

train replaces no file that is not its own: if there is a model file and no
checkpoint, it refuses to start. --overwrite starts over instead of resuming.
The model and the checkpoint of earlier trainings stay until new ones are
complete, and all other files stay. To resume a training that began with
--overwrite, leave --overwrite out.

` + logHelp,
		Example:          trainExample + "\n\n" + rawTextExample,
		Args:             cobra.NoArgs,
		PersistentPreRun: stopOnSignal,
		PreRunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("settings") {
				return nil
			}
			_, err := terminal.UntilInterrupted(c.Context(), func() (struct{}, error) { return struct{}{}, setFromFile(c.Flags(), o.settings) })
			return err
		},
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if o.ranks, err = connect(c.Context()); err != nil {
				return afterRun(o.ranks.leave(err))
			}
			err = o.complete(c.Flags())
			if err == nil {
				err = o.check(c.Flags())
			}
			if err != nil && o.settings != "" {
				err = fmt.Errorf("%w; with the settings in %s", err, o.settings)
			}
			if err = o.ranks.agree(err); err == nil {
				err = train(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), o, c.Flags())
			}
			return afterRun(o.ranks.leave(err))
		},
	}
	f := c.Flags()
	f.SetNormalizeFunc(currentFlagName)
	f.StringVar(&o.settings, "settings", "", "JSON `file` of flags; the command line takes precedence")
	f.StringVar(&o.modelFile, "model", "", "`file` to write the model to")
	f.StringVar(&o.init, "init", "", "`file` of a model to start from: of its weights, vocabularies and text settings; flags that are given must describe it")
	f.BoolVar(&o.overwrite, "overwrite", false, "start over, and replace a model and a checkpoint of earlier trainings once there are new ones")
	f.IntVar(&o.batch, "batch", 80, "sentences per update")
	f.IntVar(&o.batchWords, "batch-words", 0, "maximum number of words per update, which then may have fewer sentences than --batch: the sum over its pairs of the longer side, 0 for no maximum")
	f.IntVar(&o.recipe.shards, "shards", 1, "`number` of parts of a batch, a power of two, that MPI ranks can share")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the initial weights, the order of the sentences and dropout")
	addThreads(c, &o.threads)
	flagGroup(f, "Text", o.corpus.add)
	flagGroup(f, "Model", o.model.add)
	flagGroup(f, "Optimizer and regularization", o.recipe.add)
	flagGroup(f, "Checkpoints", o.checkpoint.add)
	flagGroup(f, "End and choice of the model", o.stop.add)
	flagGroup(f, "Log", o.log.add)
	for flag, values := range map[string][]string{
		"kind": {string(model.RNNsearch), string(model.RNNencdec)}, "order": {string(model.UpdateFirst), string(model.PredictFirst)},
		"alignment-model": {"additive", "dot", "general"}, "optimizer": {"adadelta", "adam"}, "precision": {"float32", string(model.BF16)},
		"best-by": {string(byBLEU), string(byLoss)}, "log": {string(trainlog.Text), string(trainlog.JSON)},
		"source-language": {"en", "fr", "de", "other"}, "target-language": {"en", "fr", "de", "other"},
		"tokenizer": {string(pipeline.Reversible), corpus.Moses},
	} {
		completeValues(c, flag, values...)
	}
	require(c, "source", "target", "model")
	c.MarkFlagsRequiredTogether("valid-source", "valid-target")
	return c
}

// complete sets the flags whose defaults depend on other flags, and reads the model of --init.
func (o *trainOptions) complete(flags *pflag.FlagSet) (err error) {
	if o.init != "" {
		if o.corpus.Initial, err = openInitial(o.init, flags); err != nil {
			return err
		}
	}
	o.checkpoint.complete(o.modelFile)
	o.stop.complete(flags)
	if err := o.corpus.complete(flags, o.modelFile); err != nil {
		return err
	}
	return o.model.complete(flags)
}

// check returns an error for the first flag that cannot be used.
func (o *trainOptions) check(flags *pflag.FlagSet) error {
	err := checkNumbers(number{"batch", o.batch, 1, 10_000}, number{"batch-words", o.batchWords, 0, 1_000_000_000}, number{"threads", o.threads, 1, maxThreads})
	if err != nil {
		return err
	}
	if n := o.recipe.shards; n < 1 || n > o.batch || n&(n-1) != 0 {
		return fmt.Errorf("--shards %d: expected a power of two, at most --batch %d", n, o.batch)
	}
	for _, group := range []interface{ check() error }{&o.corpus, &o.model, &o.recipe, &o.checkpoint, &o.stop, &o.log} {
		if err := group.check(); err != nil {
			return err
		}
	}
	if err := checkInputs(flags); err != nil {
		return err
	}
	if !o.ranks.leads() {
		return nil
	}
	return o.checkOutputs(flags)
}

// train prepares a training, which a signal ends at once, and runs it.
func train(ctx context.Context, stdout, stderr io.Writer, o trainOptions, flags *pflag.FlagSet) error {
	outputs := o.outputs()
	if !o.ranks.leads() {
		stdout, stderr, outputs = io.Discard, io.Discard, nil
	}
	unlock, err := o.ranks.lock(flags, outputs...)
	if err != nil {
		return err
	}
	defer unlock()
	p, err := o.prepareRanks(ctx, flags, corpus.Reporter{Begin: terminal.ProgressOn(stderr), Messages: stderr})
	if err != nil {
		return err
	}
	defer p.close()
	if p.restore {
		if err := p.restoreBest(); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "rnnsearch: restored %s from %s\n", o.modelFile, o.checkpoint.path)
	}
	p.log = trainlog.NewWriter(stdout, trainlog.Format(o.log.format))
	p.progress = terminal.ProgressOn(stderr)
	return p.run(ctx)
}

// prepareRanks is prepare on every rank of a training, which then go on from one state.
func (o *trainOptions) prepareRanks(ctx context.Context, flags *pflag.FlagSet, r corpus.Reporter) (*prepared, error) {
	p, err := o.prepare(ctx, flags, r)
	if err != nil {
		if err = o.ranks.start(nil, err); errors.Is(err, context.Canceled) {
			err = terminal.ErrInterrupted
		}
		return nil, err
	}
	if o.ranks != nil && o.ranks.Size() > 1 {
		defer r.Begin("waiting for the other ranks", terminal.Estimate, 0).Done()
	}
	if err := o.ranks.start(p.training, nil); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// logOptions are the flags of train for standard output.
type logOptions struct {
	format  string
	updates int // between two progress records
}

func (o *logOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.format, "log", string(trainlog.Text), "format of standard output: text, or json as described above")
	f.IntVar(&o.updates, "progress-updates", 100, "updates between two progress events of --log json")
}

func (o *logOptions) check() error {
	if f := trainlog.Format(o.format); f != trainlog.Text && f != trainlog.JSON {
		return fmt.Errorf("--log %q: expected %s or %s", o.format, trainlog.Text, trainlog.JSON)
	}
	return checkNumbers(number{"progress-updates", o.updates, 1, 1_000_000_000})
}

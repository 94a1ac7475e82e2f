package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model/cmd/internal/corpus"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
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

const logHelp = `With --log json, each line of standard output is a JSON object, and --log-file
appends such lines to a file. They have time (RFC 3339), event, epoch (from 1),
update (number of updates so far) and seconds (duration of the training so far,
earlier runs included). By event, they also have:

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
sent_bytes, communication_seconds (without those that computing hides), and
waiting_seconds for the slowest rank.

Losses are per target word. After a resume, the updates since the checkpoint are
logged again. A training that ends before the first event, by an error or a
signal while it reads the text, logs nothing.`

type trainOptions struct {
	training.Options
	text     corpus.Settings
	settings string // file of flags
	recipe   string // name
	init     string // model file
	log      string // format

	alignmentModel, optimizer, precision string  // see completeModel
	guidedWeight                         float64 // if the text has alignments
}

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

--guided-alignment trains the attention on alignments of the text, too: a line a
pair, with a link i-j for source token i and target token j, counted from 0.
Words without links attend as they like. Segments have the links of their token.

--init starts from the weights of a model, on other text or with another recipe,
and takes its vocabularies, its merges and all settings of its architecture and
its text. The optimizer starts afresh. --init en-fr and --init fr-en start from
the built-in models, to teach them the words of your text.

--recipe takes settings that suit a kind of text, and --settings reads any flags
from a JSON object, for example {"optimizer": "adam", "bpe": 8000}. Flags on the
command line take precedence over --settings, and these over --recipe:

` + recipeHelp() + `
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
			if err := o.setFromFile(c.Flags()); err != nil {
				return err
			}
			return o.setFromRecipe(c.Flags())
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return training.OnRanks(c.Context(), func(r *training.Ranks) error {
				err := o.complete(c.Flags())
				if err == nil {
					err = o.check(c.Flags(), r)
				}
				if err != nil && o.settings != "" {
					err = fmt.Errorf("%w; with the settings in %s", err, o.settings)
				}
				if err != nil && o.recipe != "" {
					err = fmt.Errorf("%w; with the settings of --recipe %s", err, o.recipe)
				}
				if err = r.Agree(err); err != nil {
					return err
				}
				return o.run(c, r)
			})
		},
	}
	f := c.Flags()
	f.SetNormalizeFunc(currentFlagName)
	f.StringVar(&o.recipe, "recipe", "", "`name` of settings for a kind of text: small, paper or characters; the command line takes precedence")
	f.StringVar(&o.settings, "settings", "", "JSON `file` of flags; the command line takes precedence")
	f.StringVar(&o.Model, "model", "", "`file` to write the model to")
	f.StringVar(&o.init, "init", "", "`file` of a model to start from: of its weights, vocabularies and text settings; flags that are given must describe it")
	f.BoolVar(&o.Overwrite, "overwrite", false, "start over, and replace a model and a checkpoint of earlier trainings once there are new ones")
	addNoLock(f, &o.NoLock)
	f.IntVar(&o.Batch, "batch", 80, "sentences per update")
	f.IntVar(&o.BatchWords, "batch-words", 0, "maximum number of words per update, which then may have fewer sentences than --batch: the sum over its pairs of the longer side, 0 for no maximum")
	f.IntVar(&o.Recipe.Shards, "shards", 1, "`number` of parts of a batch, a power of two, that MPI ranks can share")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the initial weights, the order of the sentences and dropout")
	addThreads(c, &o.Threads)
	flagGroup(f, "Text", o.addText)
	flagGroup(f, "Model", o.addModel)
	flagGroup(f, "Optimizer and regularization", o.addRecipe)
	flagGroup(f, "Checkpoints", o.addCheckpoints)
	flagGroup(f, "End and choice of the model", o.addEnd)
	flagGroup(f, "Log", o.addLog)
	for _, of := range append(trainChoices, choice{"recipe", recipeValues()}, choice{"source-language", languages}, choice{"target-language", languages}) {
		completeValues(c, of.flag, of.values...)
	}
	require(c, "source", "target", "model")
	c.MarkFlagsRequiredTogether("valid-source", "valid-target")
	return c
}

// complete sets the flags whose defaults depend on other flags, and reads the model of --init. It returns
// an error for flags that are given and have no effect.
func (o *trainOptions) complete(flags *pflag.FlagSet) (err error) {
	t := &o.text
	if o.init != "" {
		if t.Initial, err = openInitial(o.init, flags); err != nil {
			return err
		}
		o.Initial = t.Initial.Model
	}
	if o.Checkpoint == "" {
		o.Checkpoint = o.Model + ".checkpoint"
	}
	if t.KeepCache = t.Cache != ""; !t.KeepCache {
		t.Cache = o.Model + ".corpus"
	}
	o.Version, o.Commit = build()
	t.Program = fmt.Sprintf("%s, commit %q, %s", o.Version, o.Commit, runtime.Version())
	switch {
	case len(t.Source) != len(t.Target):
		return fmt.Errorf("--source: %s, --target: %s; expected as many", terminal.Plural(len(t.Source), "file"), terminal.Plural(len(t.Target), "file"))
	case flags.Changed("bpe-sample") && t.Merges == 0:
		return fmt.Errorf("--bpe-sample %d: expected with --bpe", t.Sample)
	case flags.Changed("vocab") && t.SourceVocabulary != "" && t.TargetVocabulary != "":
		return fmt.Errorf("--vocab %d: expected without --source-vocabulary or --target-vocabulary", t.VocabularySize)
	case t.Copies && (t.SourceLanguage == "" || t.TargetLanguage == ""):
		return fmt.Errorf("--copies: expected with --source-language and --target-language")
	case flags.Changed("tokenizer") && !t.HasLanguage():
		return fmt.Errorf("--tokenizer %s: expected with --source-language or --target-language", t.Tokenizer)
	}
	return o.completeModel(flags)
}

// run trains. What it writes is that of the root.
func (o *trainOptions) run(c *cobra.Command, r *training.Ranks) error {
	flags, stdout, stderr := c.Flags(), c.OutOrStdout(), c.ErrOrStderr()
	if !r.IsRoot() {
		stdout, stderr = io.Discard, io.Discard
	}
	if o.Updates > 0 && !flags.Changed("epochs") {
		o.Epochs = 0
	}
	o.logTo(terminal.Prose(stdout))
	o.Reporter = corpus.Reporter{Begin: terminal.ProgressOn(stderr), Messages: stderr}
	o.Prepare = func(ctx context.Context, checkpoint training.Settings, inMemory bool) (*corpus.Corpus, training.Settings, error) {
		return o.prepare(ctx, flags, checkpoint, inMemory)
	}
	return training.Run(c.Context(), r, o.Options)
}

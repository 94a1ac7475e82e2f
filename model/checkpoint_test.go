package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

// eachRecipe runs f with each optimizer, with averaged weights, and with products of bfloat16.
func eachRecipe(t *testing.T, f func(t *testing.T, r Hyperparameters)) {
	for _, recipe := range []struct {
		name string
		Hyperparameters
	}{
		{"adadelta", Hyperparameters{}}, {"adam", Hyperparameters{Adam: &Adam{Rate: 0.01, Warmup: 3, Decay: 4}}}, {"average", Hyperparameters{Average: 0.2}},
		{"bf16", Hyperparameters{Precision: BF16}},
	} {
		t.Run(recipe.name, func(t *testing.T) { f(t, recipe.Hyperparameters) })
	}
}

// trainingBatches returns n batches. The first one has words that the others lack.
func trainingBatches(n int) [][]text.Example {
	r := newRand(70)
	batches := make([][]text.Example, n)
	for i := range batches {
		c := smallConfig
		if i > 0 {
			c.SourceVocab, c.TargetVocab = c.SourceVocab/2, c.TargetVocab/2
		}
		batches[i] = randomBatch(r, c, 3, 4, 5)
	}
	return batches
}

func checkpointed(t *testing.T, r Hyperparameters) *Trainer {
	t.Helper()
	trainer, err := NewTrainer(kernels.Best(), randomModel(t, smallConfig, 71, 0.4), r, smallCapacity)
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

func learn(t *testing.T, trainer *Trainer, batches [][]text.Example) {
	t.Helper()
	for _, batch := range batches {
		if _, err := trainer.Update(batch); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheckpoint saves a checkpoint after each update of a training. A trainer with other weights
// that loads it continues with the same bits, and so does the one that saved it.
func TestCheckpoint(t *testing.T) {
	const updates = 6
	batches := trainingBatches(updates)
	eachRecipe(t, func(t *testing.T, r Hyperparameters) {
		whole := checkpointed(t, r)
		learn(t, whole, batches)
		want := whole.state()
		for stop := range updates + 1 {
			path := filepath.Join(t.TempDir(), "checkpoint")
			stopped := checkpointed(t, r)
			learn(t, stopped, batches[:stop])
			if err := stopped.Save(path, "after a few\nupdates"); err != nil {
				t.Fatal(err)
			}
			resumed := checkpointed(t, r)
			learn(t, resumed, batches[2:4])
			note, err := resumed.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if note != "after a few\nupdates" || resumed.Updates() != stop {
				t.Errorf("got note %q and %d updates, want the note and the %d updates that were saved", note, resumed.Updates(), stop)
			}
			for name, trainer := range map[string]*Trainer{"stopped": stopped, "resumed": resumed} {
				learn(t, trainer, batches[stop:])
				for i, part := range trainer.state() {
					sameBits(t, fmt.Sprintf("%s after %d updates: %s", name, stop, part.Name), part.Data, want[i].Data)
				}
				sameBits(t, fmt.Sprintf("%s after %d updates: model", name, stop), trainer.Model().Parameters.Values, whole.Model().Parameters.Values)
			}
		}
	})
}

// makeInfinite replaces the last value of the file at path by infinity, and corrects its checksum.
func makeInfinite(t *testing.T, path string) {
	t.Helper()
	digest, err := safetensors.Digest(path)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(content[len(content)-4:], math.Float32bits(float32(math.Inf(1))))
	zeros := []byte(strings.Repeat("0", len(digest)))
	content = bytes.Replace(content, []byte(digest), zeros, 1)
	sum := sha256.Sum256(content)
	content = bytes.Replace(content, zeros, []byte(hex.EncodeToString(sum[:])), 1)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestForeignCheckpoint loads files that are not checkpoints of the training. They change nothing.
func TestForeignCheckpoint(t *testing.T) {
	dir := t.TempDir()
	other := smallConfig
	other.Maxout++
	unlike, err := NewTrainer(kernels.Best(), randomModel(t, other, 1, 0.1), Hyperparameters{}, smallCapacity)
	if err != nil {
		t.Fatal(err)
	}
	trainer := checkpointed(t, Hyperparameters{})
	save := func(name string, f func(path string) error) string {
		path := filepath.Join(dir, name)
		if err := f(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	altered := func(name string, alter func(f *safetensors.File)) string {
		return save(name, func(path string) error {
			if err := trainer.Save(path, ""); err != nil {
				return err
			}
			f, err := safetensors.Load(path)
			if err != nil {
				return err
			}
			alter(f)
			return safetensors.Save(path, f)
		})
	}
	learned := checkpointed(t, Hyperparameters{})
	learn(t, learned, trainingBatches(1))
	notFinite := save("infinite", func(path string) error { return learned.Save(path, "") })
	makeInfinite(t, notFinite)
	before := slices.Clone(trainer.model.Parameters.Values)
	for path, want := range map[string]error{
		filepath.Join(dir, "none"): os.ErrNotExist,
		save("model", func(path string) error { return Save(path, trainer.model) }):             ErrCheckpoint,
		save("other", func(path string) error { return unlike.Save(path, "") }):                 ErrCheckpoint,
		save("text", func(path string) error { return os.WriteFile(path, []byte("a"), 0o666) }): safetensors.ErrTruncated,
		altered("updates", func(f *safetensors.File) { f.Metadata[keyUpdates] = "-1" }):         ErrCheckpoint,
		altered("recipe", func(f *safetensors.File) { f.Metadata[keyRecipe] = "{}x" }):          ErrCheckpoint,
		altered("fewer", func(f *safetensors.File) { f.Tensors = f.Tensors[:2] }):               ErrCheckpoint,
		altered("renamed", func(f *safetensors.File) { f.Tensors[2].Name = "adam.v" }):          ErrCheckpoint,
		notFinite: safetensors.ErrNotFinite,
		altered("integers", func(f *safetensors.File) {
			last := &f.Tensors[len(f.Tensors)-1]
			last.Int8, last.Data = make([]int8, len(last.Data)), nil
		}): ErrCheckpoint,
		altered("shorter", func(f *safetensors.File) {
			f.Tensors[1].Data = f.Tensors[1].Data[1:]
			f.Tensors[1].Shape[0]--
		}): ErrCheckpoint,
	} {
		if _, err := trainer.Load(path); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", filepath.Base(path), err, want)
		}
	}
	sameBits(t, "weights after errors", trainer.model.Parameters.Values, before)
	if trainer.Updates() != 0 {
		t.Errorf("updates after errors: got %d, want 0", trainer.Updates())
	}
}

// TestCheckpointNote reads the note of any training, but not of a file that is not a checkpoint.
func TestCheckpointNote(t *testing.T) {
	dir := t.TempDir()
	checkpoint, model := filepath.Join(dir, "checkpoint"), filepath.Join(dir, "model")
	trainer := checkpointed(t, Hyperparameters{})
	if err := trainer.Save(checkpoint, "a note"); err != nil {
		t.Fatal(err)
	}
	if err := Save(model, trainer.model); err != nil {
		t.Fatal(err)
	}
	if got, err := CheckpointNote(checkpoint); got != "a note" || err != nil {
		t.Errorf("got %q and error %v, want \"a note\"", got, err)
	}
	for path, want := range map[string]error{filepath.Join(dir, "none"): os.ErrNotExist, model: ErrCheckpoint} {
		if _, err := CheckpointNote(path); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", filepath.Base(path), err, want)
		}
	}
}

package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/softsearch-go/softsearch/model/safetensors"
)

// ErrCheckpoint is the error for a file that is not a checkpoint, or that is one of another model
// or other hyperparameters. Errors of package safetensors distinguish foreign, truncated and corrupt files.
var ErrCheckpoint = errors.New("not a checkpoint of this training")

// The format of checkpoints, and the keys of their metadata that model files do not have.
const (
	checkpointFormat = "softsearch checkpoint 1"
	keyRecipe        = "recipe"
	keyUpdates       = "updates"
	keyNote          = "note"
)

// Save writes a checkpoint, from which Load resumes: a safetensors file with the weights, the
// state of the optimizer and the average of the weights, in the order of memory, and in its
// metadata the number of updates and the caller's note. The note can hold what the caller needs
// to resume, such as the position in the corpus. An existing file is replaced once the new one
// is complete.
func (t *Trainer) Save(path, note string) error {
	if err := t.model.Check(); err != nil {
		return err
	}
	f := &safetensors.File{
		Metadata: map[string]string{keyFormat: checkpointFormat, keyUpdates: strconv.Itoa(t.updates), keyNote: note},
		Tensors:  t.state(),
	}
	if err := putJSON(f.Metadata, t.settings()); err != nil {
		return err
	}
	t.model.putLongestSource(f.Metadata)
	return safetensors.Save(path, f)
}

// Load resumes from a checkpoint and returns its note. It replaces the weights of the model, and
// its LongestSource if the checkpoint has a larger one; further updates on the same batches have
// the same bits as if training had never stopped. Configuration and hyperparameters must be the same as in the
// trainer that saved it; capacity and team may differ. The values are checked before any is
// replaced: the error wraps ErrCheckpoint or one of package safetensors and leaves everything
// unchanged, unless the file changes or can no longer be read after that.
func (t *Trainer) Load(path string) (note string, err error) {
	f, err := openCheckpoint(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	updates, err := t.restore(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	t.updates = updates
	t.optimizer.resume(updates)
	t.prepare()
	return f.Metadata[keyNote], nil
}

// CheckpointNote returns the note of the checkpoint at path, whatever its model and hyperparameters. The
// error wraps ErrCheckpoint or one of package safetensors.
func CheckpointNote(path string) (string, error) {
	f, err := openCheckpoint(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return f.Metadata[keyNote], nil
}

// openCheckpoint opens the checkpoint at path, of which it checks the checksum, the values and the format.
func openCheckpoint(path string) (*safetensors.Reader, error) {
	f, err := safetensors.OpenVerified(path)
	if err != nil {
		return nil, err
	}
	if err := checkFormat(f.Metadata); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// maxUpdates leaves room for as many further updates.
const maxUpdates = math.MaxInt / 2

// restore checks f, reads what it holds into the state, and returns the number of updates.
func (t *Trainer) restore(f *safetensors.Reader) (updates int, err error) {
	if err := t.checkMetadata(f.Metadata); err != nil {
		return 0, err
	}
	updates, err = strconv.Atoi(f.Metadata[keyUpdates])
	if err != nil || updates < 0 || updates > maxUpdates {
		return 0, fmt.Errorf("%w: %.80q updates, expected 0 to %d", ErrCheckpoint, f.Metadata[keyUpdates], maxUpdates)
	}
	longest, ok := longestSource(f.Metadata)
	if !ok {
		return 0, fmt.Errorf("%w: %s %.80q, expected 1 to %d", ErrCheckpoint, keyLongest, f.Metadata[keyLongest], math.MaxInt32)
	}
	state := t.state()
	if err := checkState(f, state); err != nil {
		return 0, err
	}
	for _, tensor := range state {
		if err := f.ReadFloat32(tensor.Data, tensor.Name, 0); err != nil {
			return 0, err
		}
	}
	for _, m := range []*Model{t.model, t.Model()} {
		m.LongestSource = max(m.LongestSource, longest)
	}
	return updates, nil
}

// checkState returns an error unless f has the tensors of the state, and no others.
func checkState(f *safetensors.Reader, state []safetensors.Tensor) error {
	if n := len(state); len(f.Tensors) > n {
		return fmt.Errorf("%w: unknown tensor %.80q of shape %.80s", ErrCheckpoint, f.Tensors[n].Name, fmt.Sprint(f.Tensors[n].Shape))
	}
	for i, want := range state {
		if i == len(f.Tensors) {
			return fmt.Errorf("%w: no tensor %q, expected one of shape %d", ErrCheckpoint, want.Name, want.Shape)
		}
		if got := f.Tensors[i]; got.Name != want.Name || got.DType != "F32" || !slices.Equal(got.Shape, want.Shape) {
			return fmt.Errorf("%w: tensor %.80q of %.80s and shape %.80s, expected %q of F32 and %d",
				ErrCheckpoint, got.Name, got.DType, fmt.Sprint(got.Shape), want.Name, want.Shape)
		}
	}
	return nil
}

// checkMetadata compares the configuration and the hyperparameters of a checkpoint with t's.
func (t *Trainer) checkMetadata(metadata map[string]string) error {
	expected := map[string]string{}
	if err := putJSON(expected, t.settings()); err != nil {
		return err
	}
	for key, want := range expected {
		if got := metadata[key]; got != want {
			return fmt.Errorf("%w: %s %#.400q, expected %#q", ErrCheckpoint, key, got, want)
		}
	}
	return nil
}

// settings returns what a checkpoint and the trainer that loads it have in common.
func (t *Trainer) settings() map[string]any {
	return map[string]any{keyConfig: t.model.Config, keyRecipe: t.hyperparameters}
}

// checkFormat returns an error if the metadata does not belong to a checkpoint.
func checkFormat(metadata map[string]string) error {
	if got := metadata[keyFormat]; got != checkpointFormat {
		return fmt.Errorf("%w: format %.80q, expected %q", ErrCheckpoint, got, checkpointFormat)
	}
	return nil
}

// state returns everything that updates change: the weights, the state of the optimizer, and the
// average of the weights if there is one.
func (t *Trainer) state() []safetensors.Tensor {
	optimizer := t.optimizer.state(t.kernels)
	state := append([]safetensors.Tensor{stateTensor("weights", t.model.Parameters)}, optimizer[:]...)
	return append(state, t.average.state()...)
}

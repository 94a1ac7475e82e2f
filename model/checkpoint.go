package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/softsearch-go/softsearch/model/safetensors"
)

// ErrCheckpoint is the error for a file that is no checkpoint, or that of another model or
// recipe. Errors of package safetensors tell a foreign, a truncated and an altered file apart.
var ErrCheckpoint = errors.New("not a checkpoint of this training")

// The format of checkpoints, the keys of their metadata beside those of models, and the tensor of
// all weights.
const (
	checkpointFormat = "softsearch checkpoint 1"
	keyRecipe        = "recipe"
	keyUpdates       = "updates"
	keyNote          = "note"
	weightsTensor    = "weights"
)

// Save writes all that Update goes on from to a safetensors file: weights and averages in the
// order in which they lie in memory, the number of updates, and a note of the caller's. An older
// file of that name is replaced once the new one is complete.
func (t *Trainer) Save(path, note string) error {
	m := t.workspace.model
	f := &safetensors.File{Metadata: map[string]string{
		keyFormat: checkpointFormat, keyUpdates: strconv.Itoa(t.updates), keyNote: note,
	}}
	if err := putJSON(f.Metadata, keyConfig, m.Config); err != nil {
		return err
	}
	if err := putJSON(f.Metadata, keyRecipe, t.recipe); err != nil {
		return err
	}
	for _, part := range t.state() {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: part.name, Shape: []int{len(part.values)}, Data: part.values})
	}
	return safetensors.Save(path, f)
}

// state returns the weights, the averages of the optimizer, and that of the weights if there is
// one.
func (t *Trainer) state() []average {
	averages := t.optimizer.averages(t.workspace.kernels)
	state := append([]average{{weightsTensor, t.workspace.model.Parameters.Values}}, averages[:]...)
	return append(state, t.averaging.averages()...)
}

// Load reads what Save wrote and returns the note: Update goes on as after that Save, with the
// same bits. The error wraps ErrCheckpoint or one of package safetensors, and leaves everything
// as it was.
func (t *Trainer) Load(path string) (note string, err error) {
	f, err := safetensors.Open(path)
	if err != nil {
		return "", err
	}
	updates, err := t.resume(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	t.updates = updates
	t.optimizer.resume(updates)
	t.transposed.set(t.workspace.kernels, t.workspace.model.Config, t.workspace.model.Parameters)
	return f.Metadata[keyNote], nil
}

// CheckpointNote returns the note of the checkpoint at path, which may be that of any training.
// The error wraps ErrCheckpoint or one of package safetensors.
func CheckpointNote(path string) (string, error) {
	f, err := safetensors.Open(path)
	if err != nil {
		return "", err
	}
	if err := checkFormat(f.Metadata); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return f.Metadata[keyNote], nil
}

// resume checks f, copies its tensors, and returns the number of updates.
func (t *Trainer) resume(f *safetensors.File) (updates int, err error) {
	if err := t.checkCheckpoint(f.Metadata); err != nil {
		return 0, err
	}
	updates, err = strconv.Atoi(f.Metadata[keyUpdates])
	if err != nil || updates < 0 {
		return 0, fmt.Errorf("model: %w: %q updates", ErrCheckpoint, f.Metadata[keyUpdates])
	}
	state := t.state()
	if len(f.Tensors) != len(state) {
		return 0, fmt.Errorf("model: %w: %d tensors, expected %d", ErrCheckpoint, len(f.Tensors), len(state))
	}
	for i, part := range state {
		if got := f.Tensors[i]; got.Name != part.name || len(got.Data) != len(part.values) {
			return 0, fmt.Errorf("model: %w: tensor %s of %d values, expected %s of %d",
				ErrCheckpoint, got.Name, len(got.Data), part.name, len(part.values))
		}
	}
	for i, part := range state {
		copy(part.values, f.Tensors[i].Data)
	}
	return updates, nil
}

// checkCheckpoint compares what a checkpoint is of with what t trains.
func (t *Trainer) checkCheckpoint(metadata map[string]string) error {
	if err := checkFormat(metadata); err != nil {
		return err
	}
	for key, expected := range map[string]any{keyConfig: t.workspace.model.Config, keyRecipe: t.recipe} {
		want, err := json.Marshal(expected)
		if err != nil {
			return fmt.Errorf("model: %s: %w", key, err)
		}
		if got := metadata[key]; got != string(want) {
			return fmt.Errorf("model: %w: %s %s, expected %s", ErrCheckpoint, key, got, want)
		}
	}
	return nil
}

// checkFormat returns an error for the metadata of another kind of file.
func checkFormat(metadata map[string]string) error {
	if got := metadata[keyFormat]; got != checkpointFormat {
		return fmt.Errorf("model: %w: format %q, expected %q", ErrCheckpoint, got, checkpointFormat)
	}
	return nil
}

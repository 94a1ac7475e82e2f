package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// An outputFile is a file that a training writes, and the flag that names it.
type outputFile struct{ flag, path string }

func (o *Options) outputs() []outputFile {
	return []outputFile{{"model", o.Model}, {"checkpoint", o.Checkpoint}}
}

// CheckOutputs returns an error if the model file, the checkpoint or the cache cannot be written, is an
// input, or is a model of int8, which has no training to go on with.
func (o *Options) CheckOutputs(cache string) error {
	if files.Same(o.Checkpoint, o.Model) {
		return fmt.Errorf("--checkpoint %s: same file as --model", o.Checkpoint)
	}
	for _, out := range o.outputs() {
		if files.Same(cache, out.path) {
			return fmt.Errorf("--cache %s: same file as --%s", cache, out.flag)
		}
	}
	for _, out := range append(o.outputs(), outputFile{"cache", cache}) {
		if err := files.CheckOutput(out.path, true, o.Inputs...); err != nil {
			return fmt.Errorf("--%s %w", out.flag, err)
		}
		if err := files.CheckRegular(out.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--%s %w", out.flag, err)
		}
		if isInt8Model(out.path) {
			return fmt.Errorf("--%s %s: weights of int8 cannot be trained; keep the float32 model, train that, and quantize it again", out.flag, out.path)
		}
	}
	return nil
}

// isInt8Model reports whether the file at path is a model with weights of int8, as its header says.
func isInt8Model(path string) bool {
	metadata, err := safetensors.Metadata(path)
	var c model.Config
	return err == nil && files.Models.Is(path) && json.Unmarshal([]byte(metadata["config"]), &c) == nil && c.Weights == model.Int8
}

// lock keeps other processes from training with the same files, until unlock. It removes the incomplete
// files of a killed process.
func (o *Options) lock(r *Ranks) (unlock func(), err error) {
	var locks []*files.Lock
	unlock = func() {
		for _, l := range locks {
			l.Unlock() // a lock file that stays locks nothing
		}
	}
	for _, out := range o.outputs() {
		if !r.IsRoot() || err != nil {
			break
		}
		var l *files.Lock
		if l, err = files.NewLock(out.path); err == nil {
			locks = append(locks, l)
			err = files.RemoveTemporaries(out.path, o.Inputs...)
		}
		if err != nil {
			err = fmt.Errorf("--%s %w", out.flag, err)
		}
	}
	if err = r.Agree(err); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/pflag"

	"github.com/softsearch-go/softsearch/model"
	"github.com/softsearch-go/softsearch/model/cmd/files"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// An outputFile is a file that train writes, and the flag that names it.
type outputFile struct{ flag, path string }

// outputs returns the model file and the checkpoint.
func (o *trainOptions) outputs() []outputFile {
	return []outputFile{{"model", o.modelFile}, {"checkpoint", o.checkpoint.path}}
}

// isInt8Model reports whether the file at path is a model with weights of int8, as its header says.
func isInt8Model(path string) bool {
	metadata, err := safetensors.Metadata(path)
	var c model.Config
	return err == nil && files.Models.Is(path) && json.Unmarshal([]byte(metadata["config"]), &c) == nil && c.Weights == model.Int8
}

// checkOutputs returns an error if a file cannot be written, is an input, or is a model of int8, which
// has no training to go on with.
func (o *trainOptions) checkOutputs(flags *pflag.FlagSet) error {
	if files.Same(o.checkpoint.path, o.modelFile) {
		return fmt.Errorf("--checkpoint %s: same file as --model", o.checkpoint.path)
	}
	for _, out := range o.outputs() {
		if files.Same(o.corpus.Cache, out.path) {
			return fmt.Errorf("--cache %s: same file as --%s", o.corpus.Cache, out.flag)
		}
	}
	inputs := pathsOf(inputsOf(flags))
	for _, out := range append(o.outputs(), outputFile{"cache", o.corpus.Cache}) {
		if err := files.CheckOutput(out.path, true, inputs...); err != nil {
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

// lockOutputs keeps other processes from training with the same files, until unlock. It removes the
// incomplete files of a killed process.
func lockOutputs(flags *pflag.FlagSet, outputs ...outputFile) (unlock func(), err error) {
	var locks []*files.Lock
	unlock = func() {
		for _, l := range locks {
			l.Unlock() // a lock file that stays locks nothing
		}
	}
	inputs := pathsOf(inputsOf(flags))
	for _, out := range outputs {
		l, err := files.NewLock(out.path)
		if err == nil {
			locks = append(locks, l)
			err = files.RemoveTemporaries(out.path, inputs...)
		}
		if err != nil {
			unlock()
			return nil, fmt.Errorf("--%s %w", out.flag, err)
		}
	}
	return unlock, nil
}

// checkOverwrite returns an error if a new training must not replace the model file, and otherwise
// the digest of the model to replace, or "" if there is no file.
func (o *trainOptions) checkOverwrite() (digest string, err error) {
	if !o.ranks.leads() {
		return "", nil
	}
	if err := files.Models.CheckReplace(o.modelFile, o.overwrite); err != nil {
		return "", fmt.Errorf("--model %w", err)
	}
	digest, err = safetensors.Digest(o.modelFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return digest, err
}

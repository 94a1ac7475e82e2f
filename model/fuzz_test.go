package model

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/internal/buffers"
	"github.com/softsearch-go/softsearch/model/safetensors"
	"github.com/softsearch-go/softsearch/model/text"
)

// FuzzRead changes the metadata and the name and shape of one tensor, and writes the file with a
// valid checksum. Either Read rejects it with ErrFile, or the model works and survives a round
// trip.
func FuzzRead(f *testing.F) {
	valid := contents(f, tinyConfig)
	config, source, target := valid.Metadata["config"], valid.Metadata["source_vocabulary"], valid.Metadata["target_vocabulary"]
	add := func(format, config, source, target string, index uint8, name string, rows, cols uint16) {
		for _, longest := range []string{"", "50", "2147483648"} {
			f.Add(format, config, source, target, longest, index, name, rows, cols)
		}
	}
	add("softsearch 1", config, source, target, 1, "target.embedding", 4, 3)
	add("softsearch 1", config, source, target, 1, "target.embedding", 3, 4)
	add("softsearch 1", config, source, target, 2, "x", 0, 0)
	add("softsearch 2", config, source, target, 1, "target.embedding", 4, 3)
	add("softsearch 1", strings.NewReplacer(":3", ":16777216", ":4", ":16777216", ":5", ":16777216", ":6", ":16777216", ":9", ":16777216").Replace(config), source, target, 1, "target.embedding", 4, 3)
	add("softsearch 1", "{}", "[]", "null", 40, "output.b", 4, 0)
	add("softsearch 1", `{"kind":"search","order":"update-first","hidden":16777216}`, source, `["</s>","<unk>","a","a"]`, 0, "", 1, 1)
	f.Fuzz(func(t *testing.T, format, config, source, target, longest string, index uint8, name string, rows, cols uint16) {
		file := contents(t, tinyConfig)
		file.Metadata["format"], file.Metadata["config"] = format, config
		file.Metadata["source_vocabulary"], file.Metadata["target_vocabulary"] = source, target
		if longest != "" {
			file.Metadata["longest_source"] = longest
		}
		if int(rows)*int(cols) > 1<<12 {
			t.Skip("a tensor of more values than the others together")
		}
		altered := &file.Tensors[int(index)%len(file.Tensors)]
		altered.Name, altered.Shape = name, []int{int(rows), int(cols)}
		if cols == 0 {
			altered.Shape = altered.Shape[:1] // a vector
		}
		n := int(rows) * max(1, int(cols))
		if n > len(altered.Data) {
			altered.Data = append(altered.Data, make([]float32, n-len(altered.Data))...)
		}
		altered.Data = altered.Data[:n]
		var b bytes.Buffer
		if safetensors.Write(&b, file) != nil {
			return // no file has this name or text
		}
		m, err := Read(&b)
		if err != nil {
			checkMessage(t, "Read", err, ErrFile)
			return
		}
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		again, err := Read(bytes.NewReader(written(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, again, m)
		s := stepperOf(t, kernels.Best(), m, 1, 1)
		begin(t, s, []int32{text.EOS})
		for _, word := range []int32{-1, text.EOS} {
			if sum := s.kernels.LogSumExp(stepOn(t, s, word).Row(0)); sum-sum != 0 {
				t.Errorf("log Σ exp of the scores after word %d: got %v, want a finite number", word, sum)
			}
			keep(t, s, 0)
		}
	})
}

// FuzzLoad changes the metadata and one tensor of a checkpoint. Either Load rejects it with
// ErrCheckpoint and changes nothing, or the training goes on and writes the checkpoint again.
func FuzzLoad(f *testing.F) {
	recipe := Hyperparameters{Adam: &Adam{Rate: 0.01, Warmup: 3, Decay: 4}, Average: 0.5}
	marshal := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		return string(data)
	}
	for _, longest := range []string{"", "50", "0", "99999999999999999999"} {
		for _, updates := range []string{"0", "7", "-1", "2147483648", "9223372036854775807", "x"} {
			f.Add("softsearch checkpoint 1", marshal(smallConfig), marshal(recipe), updates, longest, uint8(1), "adam.m", uint16(0))
		}
	}
	f.Add("softsearch 1", marshal(smallConfig), marshal(Hyperparameters{}), "1", "", uint8(2), "adadelta.dx2", uint16(3))
	f.Add("softsearch checkpoint 1", marshal(tinyConfig), marshal(recipe), "1", "", uint8(0), "weights", uint16(1))
	f.Fuzz(func(t *testing.T, format, config, recipeJSON, updates, longest string, index uint8, name string, cut uint16) {
		path := filepath.Join(t.TempDir(), "checkpoint")
		trainer := checkpointed(t, recipe)
		if err := trainer.Save(path, "note"); err != nil {
			t.Fatal(err)
		}
		file, err := safetensors.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		file.Metadata[keyFormat], file.Metadata[keyConfig], file.Metadata[keyRecipe], file.Metadata[keyUpdates] = format, config, recipeJSON, updates
		if longest != "" {
			file.Metadata[keyLongest] = longest
		}
		tensor := &file.Tensors[int(index)%len(file.Tensors)]
		tensor.Name, tensor.Data = name, tensor.Data[min(int(cut), len(tensor.Data)):]
		tensor.Shape = []int{len(tensor.Data)}
		if safetensors.Save(path, file) != nil {
			return // no file has this name or text
		}
		before := slices.Clone(trainer.model.Parameters.Values)
		if _, err := trainer.Load(path); err != nil {
			checkMessage(t, "Load", errorWithout(err, path), ErrCheckpoint)
			sameBits(t, "weights after an error", trainer.model.Parameters.Values, before)
			if trainer.Updates() != 0 || trainer.model.LongestSource != 0 {
				t.Errorf("%d updates and %d words after an error", trainer.Updates(), trainer.model.LongestSource)
			}
			return
		}
		learn(t, trainer, trainingBatches(1))
		if err := trainer.Save(path, "note"); err != nil {
			t.Error(err)
		}
		if _, err := trainer.Load(path); err != nil {
			t.Error(err)
		}
	})
}

// FuzzSizes gives every size to everything that multiplies sizes, and constructs what is small.
func FuzzSizes(f *testing.F) {
	for _, n := range []int64{-1, 0, 1, 3, 1 << 12, 1 << 20, 1<<24 - 1, 1 << 24, 1 << 31, 1 << 46, 1 << 62} {
		f.Add(uint8(0), n, n, n, n, n, n, int64(1), int64(1), int64(1))
		f.Add(uint8(1), int64(5), int64(6), int64(2), int64(3), int64(3), int64(2), n, n, n)
		f.Add(uint8(2), int64(5), int64(6), int64(2), int64(3), int64(3), int64(2), n, int64(2), int64(1))
		f.Add(uint8(3), n, int64(3), n, int64(1), int64(1), int64(1), int64(1), n, int64(1))
		f.Add(uint8(4), int64(3), n, int64(1), n, n, int64(1), int64(1), int64(1), n)
	}
	f.Fuzz(func(t *testing.T, variant uint8, source, target, embedding, hidden, alignment, maxout, sentences, sourceLength, targetLength int64) {
		list := variants(smallConfig)
		c := list[int(variant)%len(list)]
		c.SourceVocab, c.TargetVocab, c.Embedding, c.Hidden = int(source), int(target), int(embedding), int(hidden)
		c.Alignment, c.Maxout = int(alignment), int(maxout)
		capacity := Capacity{int(sentences), int(sourceLength), int(targetLength)}
		recipe := Hyperparameters{Average: 0.5, LabelSmoothing: 0.1}
		if variant%2 == 0 {
			recipe.Adam = &Adam{Rate: 1}
		}
		if variant%3 == 0 {
			recipe.Precision = BF16
		}
		bytes := max(
			ScorerBytes(c, capacity), TrainerBytes(c, recipe, capacity),
			StepperBytes(c, stepperCapacity(capacity.Sentences, capacity.Sentences, capacity.SourceLength)),
		)
		if bytes < 0 || c.Check() != nil && bytes <= buffers.MaxBytes {
			t.Errorf("%+v, %+v: %d bytes", c, capacity, bytes)
		}
		if bytes > 1<<22 {
			return
		}
		m, err := New(c, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewScorer(kernels.Best(), m, capacity); err != nil {
			t.Error(err)
		}
		if _, err := NewTrainer(kernels.Best(), m, recipe, capacity); err != nil {
			t.Error(err)
		}
		if _, err := NewStepper(kernels.Best(), m, stepperCapacity(capacity.Sentences, capacity.Sentences, capacity.SourceLength)); err != nil {
			t.Error(err)
		}
	})
}

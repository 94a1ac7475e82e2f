package model

import (
	"bytes"
	"errors"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
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
		f.Add(format, config, source, target, index, name, rows, cols)
	}
	add("softsearch 1", config, source, target, 1, "target.embedding", 4, 3)
	add("softsearch 1", config, source, target, 1, "target.embedding", 3, 4)
	add("softsearch 1", config, source, target, 2, "x", 0, 0)
	add("softsearch 2", config, source, target, 1, "target.embedding", 4, 3)
	add("softsearch 1", "{}", "[]", "null", 40, "output.b", 4, 0)
	add("softsearch 1", `{"kind":"search","order":"update-first","hidden":16777216}`, source, `["</s>","<unk>","a","a"]`, 0, "", 1, 1)
	f.Fuzz(func(t *testing.T, format, config, source, target string, index uint8, name string, rows, cols uint16) {
		file := contents(t, tinyConfig)
		file.Metadata["format"], file.Metadata["config"] = format, config
		file.Metadata["source_vocabulary"], file.Metadata["target_vocabulary"] = source, target
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
			if !errors.Is(err, ErrFile) {
				t.Errorf("got error %v, want one that wraps %q", err, ErrFile)
			}
			return
		}
		again, err := Read(bytes.NewReader(written(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, again, m)
		s := newStepper(t, kernels.Best(), m, 1, 1)
		begin(t, s, []int32{text.EOS})
		for _, word := range []int32{-1, text.EOS} {
			if sum := s.kernels.LogSumExp(stepOn(t, s, word).Row(0)); sum-sum != 0 {
				t.Errorf("log Σ exp of the scores after word %d: got %v, want a finite number", word, sum)
			}
			keep(t, s, 0)
		}
	})
}

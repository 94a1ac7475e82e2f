package inspect

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/terminal"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

func describeFile(b *bytes.Buffer, path string, f *safetensors.File) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	digest, err := safetensors.Digest(path)
	if err != nil {
		return err
	}
	list := parametersOf(f)
	values, scales := 0, 0
	for _, p := range list {
		values += p.values()
		scales += len(p.scales)
	}
	parameters := fmt.Sprintf("%d in %d tensors", values, len(list))
	if scales > 0 {
		parameters += fmt.Sprintf(", and %d scales", scales)
	}
	writeField(b, "parameters", "%s", parameters)
	writeField(b, "format", "safetensors, %s", f.Metadata["format"])
	writeField(b, "size", "%d bytes", info.Size())
	writeField(b, "checksum", "sha256 %s", digest)
	return nil
}

// listTensors writes the name, shape, type and mean magnitude of each parameter.
func listTensors(b *bytes.Buffer, list []parameter) {
	fmt.Fprintf(b, "\n%-22s %-14s %-8s %s\n", "tensor", "shape", "type", "mean magnitude")
	for _, p := range list {
		shape := make([]string, len(p.Shape))
		for i, n := range p.Shape {
			shape[i] = fmt.Sprint(n)
		}
		fmt.Fprintf(b, "%-22s %-14s %-8s %.6g\n", terminal.Quote(p.Name), strings.Join(shape, "×"), p.dtype(), p.magnitude())
	}
}

// A parameter is a tensor of a file, and the scales of its rows if it is a matrix of int8.
type parameter struct {
	safetensors.Tensor
	scales []float32
}

// parametersOf returns the tensors of a file except the scales of others.
func parametersOf(f *safetensors.File) []parameter {
	const suffix = ".scale"      // of a name, see package model
	matrices := map[string]int{} // rows of those of int8
	for _, t := range f.Tensors {
		if t.Int8 != nil && len(t.Shape) == 2 {
			matrices[t.Name] = t.Shape[0]
		}
	}
	scales := map[string][]float32{} // by the name of the matrix
	var list []parameter
	for _, t := range f.Tensors {
		name, ok := strings.CutSuffix(t.Name, suffix)
		rows, isMatrix := matrices[name]
		if ok && isMatrix && t.Int8 == nil && len(t.Data) == rows {
			scales[name] = t.Data
		} else {
			list = append(list, parameter{Tensor: t})
		}
	}
	for i, p := range list {
		list[i].scales = scales[p.Name]
	}
	return list
}

func (p parameter) values() int { return len(p.Data) + len(p.Int8) }

func (p parameter) dtype() string {
	if p.Int8 != nil {
		return "int8"
	}
	return "float32"
}

// magnitude returns the mean of the absolute values.
func (p parameter) magnitude() float64 {
	sum := 0.0
	for _, v := range p.Data {
		sum += math.Abs(float64(v))
	}
	for i, v := range p.Int8 {
		scale := 1.0
		if p.scales != nil {
			scale = float64(p.scales[i/p.Shape[1]])
		}
		sum += math.Abs(float64(v) * scale)
	}
	return sum / float64(max(1, p.values()))
}

package model

import (
	"fmt"
	"slices"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// A tensor is one of the paper's parameters within Parameters, where some of them are stacked: a
// vector, an embedding, or a range of rows of a matrix. In a file, a matrix of int8 is followed by the
// scales of its rows, under its name and scaleSuffix.
type tensor struct {
	member
	name    string // in model files
	shape   []int
	vector  []float32
	table   kernels.Table
	weights kernels.Weights
	row     int // of weights: the first one
}

const scaleSuffix = ".scale"

// isInt8 reports whether t has scales.
func (t tensor) isInt8() bool { return t.weights.IsInt8() || t.table.IsInt8() }

// flat returns the values of a vector or of an embedding of float32, or nil.
func (t tensor) flat() []float32 {
	if t.vector != nil {
		return t.vector
	}
	return t.table.Float32.Data
}

// read returns the values of float32, row-major.
func (t tensor) read() []float32 {
	if flat := t.flat(); flat != nil {
		return flat
	}
	data := make([]float32, t.shape[0]*t.shape[1])
	t.weights.Float32.Unpack(kernels.View(data, t.shape[0], t.shape[1]), t.row)
	return data
}

// write replaces the values by row-major data, which is as long as the shape says. It quantizes them
// for a matrix of int8.
func (t tensor) write(data []float32) {
	if flat := t.flat(); flat != nil {
		copy(flat, data)
		return
	}
	k, values := kernels.Best(), kernels.View(data, t.shape[0], t.shape[1])
	switch {
	case t.table.IsInt8():
		k.Quantize(t.table.Int8, values)
	case t.weights.IsInt8():
		k.PackInt8(t.weights.Int8, t.row, values)
	default:
		k.Pack(t.weights.Float32, t.row, values)
	}
}

// readInt8 returns the values of int8, row-major, and the scales of the rows.
func (t tensor) readInt8() (data []int8, scales []float32) {
	rows, cols := t.shape[0], t.shape[1]
	data, scales = make([]int8, rows*cols), make([]float32, rows)
	for i := range rows {
		row := data[i*cols:][:cols]
		if t.table.IsInt8() {
			copy(row, t.table.Int8.Row(i))
			scales[i] = t.table.Int8.Scale(i)
			continue
		}
		scales[i] = t.weights.Int8.Row(row, t.row+i)
	}
	return data, scales
}

// writeInt8 replaces the values of int8 by row-major data, and the scales of the rows.
func (t tensor) writeInt8(data []int8, scales []float32) {
	cols := t.shape[1]
	for i, scale := range scales {
		row := data[i*cols:][:cols]
		if t.table.IsInt8() {
			t.table.Int8.SetRow(i, row, scale)
			continue
		}
		t.weights.Int8.SetRow(t.row+i, row, scale)
	}
}

// stored returns t as tensors of a file.
func (t tensor) stored() []safetensors.Tensor {
	if !t.isInt8() {
		return []safetensors.Tensor{{Name: t.name, Shape: t.shape, Data: t.read()}}
	}
	data, scales := t.readInt8()
	return []safetensors.Tensor{
		{Name: t.name, Shape: t.shape, Int8: data},
		{Name: t.name + scaleSuffix, Shape: t.shape[:1], Data: scales},
	}
}

// load replaces the values by those in a file. The error wraps ErrFile.
func (t tensor) load(f *safetensors.File) error {
	data, scales, err := t.find(f)
	if err != nil {
		return err
	}
	if scales != nil {
		t.writeInt8(data.Int8, scales.Data)
	} else {
		t.write(data.Data)
	}
	return nil
}

// find returns the values of t in f, and the scales of its rows if it has any. t itself needs no values.
func (t tensor) find(f *safetensors.File) (data, scales *safetensors.Tensor, err error) {
	if data, err = find(f, t.name, t.shape, t.isInt8()); err == nil && t.isInt8() {
		scales, err = find(f, t.name+scaleSuffix, t.shape[:1], false)
	}
	return data, scales, err
}

// find returns a tensor of f that has the shape and the type.
func find(f *safetensors.File, name string, shape []int, int8 bool) (*safetensors.Tensor, error) {
	s, ok := f.Tensor(name)
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: no tensor %s, expected one of shape %v", ErrFile, name, shape)
	case !slices.Equal(s.Shape, shape):
		return nil, fmt.Errorf("%w: tensor %s has shape %.80s, expected %v", ErrFile, name, fmt.Sprint(s.Shape), shape)
	case int8 && s.Int8 == nil:
		return nil, fmt.Errorf("%w: tensor %s of float32, expected int8", ErrFile, name)
	case !int8 && s.Int8 != nil:
		return nil, fmt.Errorf("%w: tensor %s of int8, expected float32", ErrFile, name)
	}
	return s, nil
}

// stateTensor returns all values of p, in the order of memory, as a tensor of a checkpoint.
func stateTensor(name string, p *Parameters) safetensors.Tensor {
	return safetensors.Tensor{Name: name, Shape: []int{len(p.Values)}, Data: p.Values}
}

package model

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
		k.PackRowsInt8(t.weights.Int8, t.row, values)
	default:
		k.PackRows(t.weights.Float32, t.row, values)
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

// dequantized returns the values, row-major, as float32.
func (t tensor) dequantized() []float32 {
	if !t.isInt8() {
		return t.read()
	}
	data, scales := t.readInt8()
	values, cols := make([]float32, len(data)), t.shape[1]
	for i, v := range data {
		values[i] = float32(v) * scales[i/cols]
	}
	return values
}

// writeInt8 replaces the values of int8 by row-major data, and the scales of the rows.
func (t tensor) writeInt8(data []int8, scales []float32) {
	if !t.table.IsInt8() {
		kernels.Best().SetRowsInt8(t.weights.Int8, t.row, data, scales)
		return
	}
	cols := t.shape[1]
	for i, scale := range scales {
		t.table.Int8.SetRow(i, data[i*cols:][:cols], scale)
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

// slice returns rows from to to-1 of t.
func (t tensor) slice(from, to int) tensor {
	t.shape = slices.Clone(t.shape)
	t.shape[0] = to - from
	t.row += from
	switch {
	case t.vector != nil:
		t.vector = t.vector[from:to]
	case t.table.IsInt8():
		t.table.Int8 = t.table.Int8.Slice(from, to)
	case t.table.Float32.Data != nil:
		t.table.Float32 = t.table.Float32.Slice(from, to)
	}
	return t
}

// load replaces the values by those from a row of the tensor in a file on. The buffers are scratch.
func (t tensor) load(r *safetensors.Reader, row int, b *loadBuffers) error {
	rows, cols := t.shape[0], 1
	if t.vector == nil {
		cols = t.shape[1]
	}
	if flat := t.flat(); flat != nil {
		return r.ReadFloat32(flat, t.name, row*cols)
	}
	b.floats = slices.Grow(b.floats[:0], rows*max(1, cols))
	if !t.isInt8() {
		data := b.floats[:rows*cols]
		err := r.ReadFloat32(data, t.name, row*cols)
		t.write(data)
		return err
	}
	b.int8s = slices.Grow(b.int8s[:0], rows*cols)
	data, scales := b.int8s[:rows*cols], b.floats[:rows]
	err := cmp.Or(r.ReadInt8(data, t.name, row*cols), r.ReadFloat32(scales, t.name+scaleSuffix, row))
	t.writeInt8(data, scales)
	return err
}

// loadBuffers have room for what load reads.
type loadBuffers struct {
	floats []float32
	int8s  []int8
}

// load replaces the values of p by those in a file, in parts, on all processors. One of them computes the
// checksum first, which verified waits for.
func (p *Parameters) load(r *safetensors.Reader, c Config, verified func() error) error {
	const most = 1 << 16 // values of a part, which stay in a cache
	type part struct {
		tensor
		from int
	}
	var parts []part
	for _, t := range p.tensors(c) {
		rows := t.shape[0]
		step := rows
		if len(t.shape) > 1 {
			step = max(1, most/t.shape[1]/16) * 16 // whole panels
		}
		for from := 0; from < rows; from += step {
			parts = append(parts, part{t.slice(from, min(rows, from+step)), from})
		}
	}
	errs := make([]error, len(parts))
	var next atomic.Int32
	var workers sync.WaitGroup
	for i := range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			if i == 0 && verified() != nil {
				return
			}
			var b loadBuffers
			for i := next.Add(1) - 1; int(i) < len(parts); i = next.Add(1) - 1 {
				errs[i] = parts[i].load(r, parts[i].from, &b)
			}
		})
	}
	workers.Wait()
	return cmp.Or(errs...)
}

// check returns an error unless a file has t, and the scales of its rows if it has any. t itself needs no
// values.
func (t tensor) check(r *safetensors.Reader) error {
	err := check(r, t.name, t.shape, t.isInt8())
	if err == nil && t.isInt8() {
		err = check(r, t.name+scaleSuffix, t.shape[:1], false)
	}
	return err
}

// check returns an error unless a file has a tensor of that shape and type.
func check(r *safetensors.Reader, name string, shape []int, int8 bool) error {
	e, err := r.Entry(name)
	switch {
	case err != nil:
		return fmt.Errorf("%w: no tensor %s, expected one of shape %v", ErrFile, name, shape)
	case !slices.Equal(e.Shape, shape):
		return fmt.Errorf("%w: tensor %s has shape %.80s, expected %v", ErrFile, name, fmt.Sprint(e.Shape), shape)
	case int8 && e.DType == "F32":
		return fmt.Errorf("%w: tensor %s of float32, expected int8", ErrFile, name)
	case !int8 && e.DType == "I8":
		return fmt.Errorf("%w: tensor %s of int8, expected float32", ErrFile, name)
	}
	return nil
}

// stateTensor returns all values of p, in the order of memory, as a tensor of a checkpoint.
func stateTensor(name string, p *Parameters) safetensors.Tensor {
	return safetensors.Tensor{Name: name, Shape: []int{len(p.Values)}, Data: p.Values}
}

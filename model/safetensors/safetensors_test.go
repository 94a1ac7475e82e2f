package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// small returns a file with shapes of every kind, extreme values and strings that
// JSON escapes.
func small() *File {
	return &File{
		Metadata: map[string]string{"order": "update-first", "": "empty key", "a\"b\n": "é <&> \u2028"},
		Tensors: []Tensor{
			{Name: "z", Shape: []int{2, 3}, Data: []float32{0, float32(math.Copysign(0, -1)), 1, -2.5, math.MaxFloat32, math.SmallestNonzeroFloat32}},
			{Name: "scalar", Shape: []int{}, Data: []float32{7}},
			{Name: "empty", Shape: []int{4, 0}, Data: []float32{}},
			{Name: "Wörter/\"x\"", Shape: []int{1}, Data: []float32{-1e-30}},
			{Name: "tail", Shape: []int{0}, Data: []float32{}},
		},
	}
}

// encoded returns f as Write encodes it.
func encoded(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sameFile reports whether a and b have the same metadata and the same tensors
// in the same order, with the same bits.
func sameFile(a, b *File) bool {
	return maps.Equal(a.Metadata, b.Metadata) && slices.EqualFunc(a.Tensors, b.Tensors, func(x, y Tensor) bool {
		return x.Name == y.Name && slices.Equal(x.Shape, y.Shape) && slices.EqualFunc(x.Data, y.Data, func(v, w float32) bool {
			return math.Float32bits(v) == math.Float32bits(w)
		})
	})
}

var digestPattern = regexp.MustCompile(`"sha256":"(.{64})"`)

// reseal returns a copy of file with the correct checksum, or file itself if it
// has no checksum entry.
func reseal(file []byte) []byte {
	at := digestPattern.FindSubmatchIndex(file)
	if at == nil {
		return file
	}
	file = bytes.Clone(file)
	copy(file[at[2]:], strings.Repeat("0", 64))
	sum := sha256.Sum256(file)
	hex.Encode(file[at[2]:], sum[:])
	return file
}

// rawFile returns a file with the given header and data. The word DIGEST in the
// header becomes the correct checksum entry.
func rawFile(header string, data ...byte) []byte {
	header = strings.Replace(header, "DIGEST", `"sha256":"`+strings.Repeat("0", 64)+`"`, 1)
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return reseal(append(append(b, header...), data...))
}

func TestRoundTrip(t *testing.T) {
	large := make([]float32, 3*chunkSize/valueSize+5)
	for i := range large {
		large[i] = float32(i) * 0.37
	}
	files := map[string]*File{
		"empty":        {},
		"metadata":     {Metadata: map[string]string{"k": "v"}},
		"small":        small(),
		"large":        {Tensors: []Tensor{{Name: "a", Shape: []int{len(large)}, Data: large}, {Name: "b", Shape: []int{5}, Data: large[:5]}}},
		"exact chunk":  {Tensors: []Tensor{{Name: "a", Shape: []int{4, chunkSize / 16}, Data: large[:chunkSize/4]}}},
		"nil shape":    {Tensors: []Tensor{{Name: "a", Data: []float32{3}}}},
		"many tensors": {Tensors: manyTensors(300)},
	}
	for name, f := range files {
		t.Run(name, func(t *testing.T) {
			b := encoded(t, f)
			if again := encoded(t, f); !bytes.Equal(b, again) {
				t.Error("two writes gave different bytes")
			}
			got, err := Read(iotest.HalfReader(bytes.NewReader(b)))
			if err != nil {
				t.Fatal(err)
			}
			if !sameFile(got, f) {
				t.Errorf("read %v, wrote %v", got, f)
			}
			if got.Metadata == nil {
				t.Error("Metadata is nil")
			}
			for i, x := range got.Tensors {
				if cap(x.Data) != len(x.Data) || x.Shape == nil {
					t.Errorf("tensor %d: capacity %d, length %d, shape %v", i, cap(x.Data), len(x.Data), x.Shape)
				}
			}
			if !bytes.Equal(encoded(t, got), b) {
				t.Error("writing the file that was read gives different bytes")
			}
		})
	}
}

func manyTensors(n int) []Tensor {
	tensors := make([]Tensor, n)
	for i := range tensors {
		tensors[i] = Tensor{Name: fmt.Sprint("t", n-i), Shape: []int{i % 3}, Data: make([]float32, i%3)}
	}
	return tensors
}

// TestLayout compares the bytes of a file; its digest was computed with Python.
func TestLayout(t *testing.T) {
	f := &File{
		Metadata: map[string]string{"z": "1", "a": "2"},
		Tensors: []Tensor{
			{Name: "w", Shape: []int{1, 2}, Data: []float32{1, -2}},
			{Name: "b", Shape: []int{}, Data: []float32{0.5}},
		},
	}
	const want = "\xe0\x00\x00\x00\x00\x00\x00\x00" +
		`{"__metadata__":{"a":"2",` +
		`"sha256":"c49442af7547fed115c58ea49c638d63953de79ae370be4da765b35636768b99","z":"1"},` +
		`"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},` +
		`"b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}}      ` +
		"\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f"
	if got := string(encoded(t, f)); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTensor(t *testing.T) {
	f := small()
	if x, ok := f.Tensor("scalar"); !ok || x != &f.Tensors[1] {
		t.Errorf("Tensor(scalar) = %v, %v", x, ok)
	}
	if x, ok := f.Tensor("absent"); ok || x != nil {
		t.Errorf("Tensor(absent) = %v, %v", x, ok)
	}
}

func TestWriteErrors(t *testing.T) {
	one := func(name string, shape []int, data ...float32) *File {
		return &File{Tensors: []Tensor{{name, shape, data}}}
	}
	inf := float32(math.Inf(1))
	tests := []struct {
		name string
		file *File
		text string
	}{
		{"empty name", one("", []int{1}, 1), "empty name"},
		{"metadata name", one("__metadata__", []int{1}, 1), "reserved"},
		{"name not UTF-8", one("a\xff", []int{1}, 1), "not UTF-8"},
		{"repeated name", &File{Tensors: []Tensor{{"a", []int{0}, nil}, {"a", []int{0}, nil}}}, `"a" occurs twice`},
		{"too few values", one("a", []int{2}, 1), "1 values, shape [2] needs 2"},
		{"too many values", one("a", []int{2, 0}, 1), "needs 0"},
		{"negative dimension", one("a", []int{-1, -1}, 1), "negative"},
		{"overflow", one("a", []int{math.MaxInt/2 + 1, 4}), "too large"},
		{"checksum key", &File{Metadata: map[string]string{"sha256": ""}}, "reserved"},
		{"metadata key not UTF-8", &File{Metadata: map[string]string{"\xff": ""}}, "not UTF-8"},
		{"metadata value not UTF-8", &File{Metadata: map[string]string{"k": "\xff"}}, "not UTF-8"},
		{"long header", &File{Metadata: map[string]string{"k": strings.Repeat("\x00", maxHeader/len(`\u0000`))}}, "at most 100000000"},
		{"not a number", one("a", []int{2}, 1, inf-inf), "value 1 is NaN"},
		{"infinity", one("a", []int{1}, -inf), "value 0 is -Inf"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			err := Write(&b, test.file)
			if err == nil || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %v, want one with %q", err, test.text)
			}
			if _, at := test.file.Tensor("a"); errors.Is(err, ErrNotFinite) != (at && strings.Contains(test.text, " is ")) {
				t.Errorf("errors.Is(%v, ErrNotFinite) = %v", err, errors.Is(err, ErrNotFinite))
			}
			if b.Len() > 0 {
				t.Errorf("%d bytes written despite the error", b.Len())
			}
		})
	}
}

// failAfter accepts n bytes and fails at the first write that would exceed them.
type failAfter struct{ n int }

var errFull = errors.New("disk full")

func (w *failAfter) Write(p []byte) (int, error) {
	if w.n < len(p) {
		return w.n, errFull
	}
	w.n -= len(p)
	return len(p), nil
}

func TestWriterFails(t *testing.T) {
	size := len(encoded(t, small()))
	for n := range size {
		if err := Write(&failAfter{n}, small()); !errors.Is(err, errFull) {
			t.Fatalf("space for %d bytes of %d: error %v, want %v", n, size, err, errFull)
		}
	}
}

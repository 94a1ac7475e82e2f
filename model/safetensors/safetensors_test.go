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
// JSON escapes. Its tensors are in file order.
func small() *File {
	return &File{
		Metadata: map[string]string{"order": "update-first", "": "empty key", "a\"b\n": "é <&> \u2028"},
		Tensors: []Tensor{
			{Name: "z", Shape: []int{2, 3}, Data: []float32{0, float32(math.Copysign(0, -1)), 1, -2.5, math.MaxFloat32, math.SmallestNonzeroFloat32}},
			{Name: "scalar", Shape: []int{}, Data: []float32{7}},
			{Name: "empty", Shape: []int{4, 0}, Data: []float32{}},
			{Name: "Wörter/\"x\"", Shape: []int{1}, Data: []float32{-1e-30}},
			{Name: "tail", Shape: []int{0}, Data: []float32{}},
			{Name: "int8", Shape: []int{1, 5}, Int8: []int8{-128, -1, 0, 1, 127}},
			{Name: "int8 scalar", Shape: []int{}, Int8: []int8{-7}},
			{Name: "int8 tail", Shape: []int{0, 3}, Int8: []int8{}},
		},
	}
}

// sorted returns f with its int8 tensors first, or last, otherwise in their order.
func sorted(f *File, int8First bool) *File {
	var first, last []Tensor
	for _, x := range f.Tensors {
		if (x.Int8 != nil) == int8First {
			first = append(first, x)
		} else {
			last = append(last, x)
		}
	}
	return &File{f.Metadata, append(first, last...)}
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
// in the same order, with the same dtypes and bits.
func sameFile(a, b *File) bool {
	return maps.Equal(a.Metadata, b.Metadata) && slices.EqualFunc(a.Tensors, b.Tensors, func(x, y Tensor) bool {
		return x.Name == y.Name && slices.Equal(x.Shape, y.Shape) && (x.Int8 == nil) == (y.Int8 == nil) && slices.Equal(x.Int8, y.Int8) && slices.EqualFunc(x.Data, y.Data, func(v, w float32) bool {
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
	large := make([]float32, 3*chunkSize/4+5)
	for i := range large {
		large[i] = float32(i) * 0.37
	}
	int8s := make([]int8, 3*chunkSize+5)
	for i := range int8s {
		int8s[i] = int8(i + i/256)
	}
	files := map[string]*File{
		"empty":        {},
		"metadata":     {Metadata: map[string]string{"k": "v"}},
		"small":        small(),
		"large":        {Tensors: []Tensor{{Name: "a", Shape: []int{len(large)}, Data: large}, {Name: "b", Shape: []int{5}, Data: large[:5]}}},
		"exact chunk":  {Tensors: []Tensor{{Name: "a", Shape: []int{4, chunkSize / 16}, Data: large[:chunkSize/4]}}},
		"nil shape":    {Tensors: []Tensor{{Name: "a", Data: []float32{3}}}},
		"many tensors": {Tensors: manyTensors(300)},
		"large int8":   {Tensors: []Tensor{{Name: "a", Shape: []int{len(int8s)}, Int8: int8s}, {Name: "b", Shape: []int{5}, Int8: int8s[:5]}}},
		"int8 chunk":   {Tensors: []Tensor{{Name: "a", Shape: []int{4, chunkSize / 4}, Int8: int8s[:chunkSize]}}},
		"empty int8":   {Tensors: []Tensor{{Name: "a", Shape: []int{0}, Int8: []int8{}}}},
		"nothing":      {Tensors: []Tensor{{Name: "a", Shape: []int{0}}}},
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
				if cap(x.Data) != len(x.Data) || cap(x.Int8) != len(x.Int8) || x.Shape == nil {
					t.Errorf("tensor %d: capacities %d, %d, lengths %d, %d, shape %v", i, cap(x.Data), cap(x.Int8), len(x.Data), len(x.Int8), x.Shape)
				}
				if (x.Data == nil) == (x.Int8 == nil) {
					t.Errorf("tensor %d: Data %v, Int8 %v, want one of them to be nil", i, x.Data, x.Int8)
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

// TestLayout compares the bytes of files; their digests were computed with Python.
func TestLayout(t *testing.T) {
	metadata := map[string]string{"z": "1", "a": "2"}
	w := Tensor{Name: "w", Shape: []int{1, 2}, Data: []float32{1, -2}}
	b := Tensor{Name: "b", Shape: []int{}, Data: []float32{0.5}}
	q := Tensor{Name: "q", Shape: []int{3}, Int8: []int8{-128, -1, 127}}
	for _, test := range []struct {
		name    string
		tensors []Tensor
		want    string
	}{
		{"float32", []Tensor{w, b}, "\xe0\x00\x00\x00\x00\x00\x00\x00" +
			`{"__metadata__":{"a":"2",` +
			`"sha256":"c49442af7547fed115c58ea49c638d63953de79ae370be4da765b35636768b99","z":"1"},` +
			`"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},` +
			`"b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}}      ` +
			"\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f"},
		{"int8 between float32", []Tensor{w, q, b}, "\x10\x01\x00\x00\x00\x00\x00\x00" +
			`{"__metadata__":{"a":"2",` +
			`"sha256":"e61f40e8fdf6434b9be4d7d037bd6c6bf49139037c7e54b4c1d4cec494e5d5fe","z":"1"},` +
			`"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},` +
			`"b":{"dtype":"F32","shape":[],"data_offsets":[8,12]},` +
			`"q":{"dtype":"I8","shape":[3],"data_offsets":[12,15]}}` +
			"\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f\x80\xff\x7f"},
	} {
		if got := string(encoded(t, &File{metadata, test.tensors})); got != test.want {
			t.Errorf("%s: got  %q\nwant %q", test.name, got, test.want)
		}
	}
}

// TestFileOrder: float32 tensors come first, those of a dtype in their order.
func TestFileOrder(t *testing.T) {
	f := sorted(small(), true)
	kept := slices.Clone(f.Tensors)
	b := encoded(t, f)
	if !sameFile(f, &File{f.Metadata, kept}) {
		t.Error("Write changed the order of the tensors in memory")
	}
	if !bytes.Equal(b, encoded(t, small())) {
		t.Error("the order of float32 and int8 tensors changes the bytes")
	}
	got, err := Read(bytes.NewReader(b))
	if err != nil || !sameFile(got, small()) {
		t.Errorf("read %v, error %v", got, err)
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
		return &File{Tensors: []Tensor{{Name: name, Shape: shape, Data: data}}}
	}
	int8s := func(shape []int, data ...int8) *File {
		return &File{Tensors: []Tensor{{Name: "a", Shape: shape, Int8: data}}}
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
		{"repeated name", &File{Tensors: []Tensor{{Name: "a", Shape: []int{0}}, {Name: "a", Shape: []int{0}}}}, `"a" occurs twice`},
		{"repeated name of int8", &File{Tensors: []Tensor{{Name: "a", Shape: []int{0}}, {Name: "a", Shape: []int{0}, Int8: []int8{}}}}, `"a" occurs twice`},
		{"both", &File{Tensors: []Tensor{{Name: "a", Shape: []int{1}, Data: []float32{1}, Int8: []int8{1}}}}, "both Data and Int8"},
		{"both, half each", &File{Tensors: []Tensor{{Name: "a", Shape: []int{2}, Data: []float32{1}, Int8: []int8{1}}}}, "both Data and Int8"},
		{"both, one empty", &File{Tensors: []Tensor{{Name: "a", Shape: []int{1}, Data: []float32{1}, Int8: []int8{}}}}, "both Data and Int8"},
		{"both empty", &File{Tensors: []Tensor{{Name: "a", Shape: []int{0}, Data: []float32{}, Int8: []int8{}}}}, "both Data and Int8"},
		{"neither", one("a", []int{1}), "0 values, shape [1] needs 1"},
		{"too few int8", int8s([]int{2}, 1), "1 values, shape [2] needs 2"},
		{"too many int8", int8s([]int{2, 2}, 1, 2, 3, 4, 5), "5 values, shape [2 2] needs 4"},
		{"negative int8", int8s([]int{-1, -1}, 1), "negative"},
		{"overflow int8", int8s([]int{math.MaxInt, math.MaxInt, 4}, 1), "too large"},
		{"largest int8", int8s([]int{math.MaxInt}, 1), fmt.Sprintf("needs %d", math.MaxInt)},
		{"too few values", one("a", []int{2}, 1), "1 values, shape [2] needs 2"},
		{"too many values", one("a", []int{2, 0}, 1), "needs 0"},
		{"negative dimension", one("a", []int{-1, -1}, 1), "negative"},
		{"overflow", one("a", []int{math.MaxInt, math.MaxInt, 4}), "too large"},
		{"bytes overflow", one("a", []int{1 << 30, 1 << 30, 4}), "too large"},
		{"65 dimensions", one("a", slices.Repeat([]int{1}, 65), 1), "too large"},
		{"names", &File{Tensors: make([]Tensor, maxNames)}, "want less than 262144"},
		{"checksum key", &File{Metadata: map[string]string{"sha256": ""}}, "reserved"},
		{"metadata key not UTF-8", &File{Metadata: map[string]string{"\xff": ""}}, "not UTF-8"},
		{"metadata value not UTF-8", &File{Metadata: map[string]string{"k": "\xff"}}, "not UTF-8"},
		{"long header", &File{Metadata: map[string]string{"k": strings.Repeat("x", maxHeader)}}, "at most 100000000"},
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

// TestNonFinite puts a value that is not finite at every place of data of any length, among the largest ones.
func TestNonFinite(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 1023, 1024, 1025, 2050} {
		data := make([]float32, n)
		for i := range data {
			data[i] = math.MaxFloat32 * float32(1-2*(i%2))
		}
		if i := nonFinite(data); i != -1 {
			t.Errorf("%d values: value %d, %g, is not finite", n, i, data[i])
		}
		for i, before := range data {
			for _, v := range []uint32{0x7f800000, 0xff800000, 0x7f800001, 0xffffffff} {
				data[i] = math.Float32frombits(v)
				if got := nonFinite(data); got != i {
					t.Errorf("%d values with %#x at %d: got %d", n, v, i, got)
				}
			}
			data[i] = before
		}
	}
}

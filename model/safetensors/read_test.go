package safetensors

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// openBytes returns a Reader of a file with that content.
func openBytes(t *testing.T, file []byte) (*Reader, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if (r == nil) == (err == nil) || err != nil && !strings.Contains(err.Error(), path) {
		t.Fatalf("got %v with error %v", r, err)
	}
	if err == nil {
		t.Cleanup(func() { r.Close() })
	}
	return r, err
}

// pythonWriter writes a tensor of each dtype, unaligned, with gaps, in another order than the
// header, and prints what its values are as float32.
const pythonWriter = `
import json, struct, sys
F, I = [0.0, -0.0, 1.5, -2.25, 65504.0, 2.0**-24, float("inf"), float("-inf")], [0, 1, -1, 100, -128, 127]
big = 2**24 + 1
cases = [("F64", "d", F + [0.1, 1e300, 1e-50]), ("F32", "f", F + [1e-45]), ("F16", "e", F + [3 * 2.0**-24, 2.0**-14]),
         ("I64", "q", I + [big, -big, 2**63 - 1]), ("I32", "i", I + [big, 2**31 - 1]), ("I16", "h", I + [-2**15]), ("I8", "b", I),
         ("U64", "Q", [0, 2**64 - 1, big]), ("U32", "I", [2**32 - 1, big]), ("U16", "H", [2**16 - 1]), ("U8", "B", [0, 200, 255]), ("BOOL", "?", [True, False, True])]
def single(v):
    try: return struct.unpack("<I", struct.pack("<f", v))[0]
    except OverflowError: return struct.unpack("<I", struct.pack("<f", float("inf") if v > 0 else -float("inf")))[0]
def bfloat(v): return struct.pack("<f", v)[2:]
parts = [(t, b"".join(struct.pack("<" + c, v) for v in values), [single(v) for v in values]) for t, c, values in cases]
parts.append(("BF16", b"".join(bfloat(v) for v in F), [struct.unpack("<I", b"\0\0" + bfloat(v))[0] for v in F]))
header, data = {"__metadata__": {"format": "pt", "sha256": "of something else"}}, b"!"
for t, raw, want in reversed(parts):
    header["Gewicht/\u2028" + t] = {"shape": [len(want), 1], "dtype": t, "data_offsets": [len(data), len(data) + len(raw)]}
    data += raw + b"gap" * (t != "F64")
    print(t, *want)
header["empty"] = {"dtype": "I64", "shape": [3, 0], "data_offsets": [2, 2]}
header[""] = {"dtype": "F8_E4M3", "shape": [], "data_offsets": [0, 1]}
text = json.dumps(header, ensure_ascii=False).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(text)) + text + data)
`

func TestPythonWritesFile(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	path := filepath.Join(t.TempDir(), "file")
	out, err := exec.Command(python, "-c", pythonWriter, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(r.Tensors) != len(lines)+2 || r.Metadata["format"] != "pt" || r.Metadata[digestKey] == "" || r.Verify() == nil {
		t.Errorf("%d tensors, metadata %q, verified %v", len(r.Tensors), r.Metadata, r.Verify())
	}
	for _, line := range lines {
		words := strings.Fields(line)
		shape, values, err := r.Float32("Gewicht/\u2028" + words[0])
		if err != nil || !slices.Equal(shape, []int{len(words) - 1, 1}) || len(values) != len(words)-1 {
			t.Errorf("%s: shape %v, values %v, error %v", words[0], shape, values, err)
			continue
		}
		for i, v := range values {
			if want, _ := strconv.ParseUint(words[1+i], 10, 32); math.Float32bits(v) != uint32(want) {
				t.Errorf("%s: value %d is %v, want %v", words[0], i, v, math.Float32frombits(uint32(want)))
			}
		}
	}
	if shape, values, err := r.Float32("empty"); err != nil || !slices.Equal(shape, []int{3, 0}) || len(values) != 0 {
		t.Errorf("empty: shape %v, values %v, error %v", shape, values, err)
	}
	if _, _, err := r.Float32(""); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("F8 as float32: error %v, want %v", err, errors.ErrUnsupported)
	}
	if raw, err := r.Bytes(""); string(raw) != "!" || err != nil {
		t.Errorf("bytes %q of F8, error %v", raw, err)
	}
	if _, _, err := r.Float32("none"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("no tensor: error %v, want %v", err, ErrMissing)
	}
	if _, err := Load(path); !errors.Is(err, ErrChecksum) {
		t.Errorf("Load: error %v, want %v", err, ErrChecksum)
	}
}

// TestFloat16 compares all values with their definition.
func TestFloat16(t *testing.T) {
	for h := range 1 << 16 {
		exponent, fraction := h>>10&31, float64(h&0x3ff)
		want := math.Ldexp(1024+fraction, exponent-25)
		switch {
		case exponent == 0:
			want = math.Ldexp(fraction, -24)
		case exponent == 31 && fraction == 0:
			want = math.Inf(1)
		case exponent == 31:
			want = math.NaN()
		}
		if h >= 1<<15 {
			want = -want
		}
		got := float16(uint16(h))
		if math.IsNaN(want) && got == got || !math.IsNaN(want) && math.Float32bits(got) != math.Float32bits(float32(want)) {
			t.Fatalf("%#04x is %v, want %v", h, got, want)
		}
	}
}

func TestVerify(t *testing.T) {
	b := encoded(t, small())
	altered := bytes.Clone(b)
	altered[len(b)-1] ^= 1
	for _, test := range []struct {
		name string
		file []byte
		want bool
	}{
		{"written", b, true},
		{"altered", altered, false},
		{"other header", bytes.Replace(b, []byte("tail"), []byte("Tail"), 1), false},
		{"no checksum", bytes.Replace(b, []byte("sha256"), []byte("sha255"), 1), false},
		{"another checksum", rawFile(`{"__metadata__":{"sha256":"of the data"}}`), false},
	} {
		r, err := openBytes(t, test.file)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := r.Verify() == nil; got != test.want {
			t.Errorf("%s: verified %v, want %v", test.name, got, test.want)
		}
		if _, values, err := r.Float32("z"); test.name != "another checksum" && (err != nil || !slices.Equal(values, small().Tensors[0].Data)) {
			t.Errorf("%s: values %v, error %v", test.name, values, err)
		}
	}
}

// TestOpenErrors has files that Open and Read refuse alike, and whose errors wrap want.
func TestOpenErrors(t *testing.T) {
	entry := func(name, body string) string { return `"` + name + `":{` + body + `}` }
	for _, test := range []struct {
		name, header string
		values       int
		want         error
	}{
		{"truncated", entry("a", `"dtype":"BF16","shape":[3],"data_offsets":[0,6]`), 5, ErrTruncated},
		{"offsets beyond int64", entry("a", `"dtype":"U8","shape":[1],"data_offsets":[9223372036854775808,9223372036854775809]`), 5, ErrFormat},
		{"offsets at the end of int64", entry("a", `"dtype":"U8","shape":[1],"data_offsets":[9223372036854775806,9223372036854775807]`), 5, ErrTruncated},
		{"negative offset", entry("a", `"dtype":"U8","shape":[1],"data_offsets":[-1,0]`), 5, ErrFormat},
		{"overlap", entry("a", `"dtype":"U8","shape":[4],"data_offsets":[0,4]`) + "," + entry("b", `"dtype":"F16","shape":[1],"data_offsets":[3,5]`), 5, ErrFormat},
		{"overlap behind an empty one", entry("a", `"dtype":"U8","shape":[4],"data_offsets":[0,4]`) + "," + entry("b", `"dtype":"U8","shape":[0],"data_offsets":[2,2]`) + "," + entry("c", `"dtype":"F16","shape":[1],"data_offsets":[3,5]`), 5, ErrFormat},
		{"inside another", entry("a", `"dtype":"U8","shape":[5],"data_offsets":[0,5]`) + "," + entry("b", `"dtype":"U8","shape":[1],"data_offsets":[1,2]`) + "," + entry("c", `"dtype":"U8","shape":[1],"data_offsets":[4,5]`), 5, ErrFormat},
		{"the same bytes", entry("a", `"dtype":"U8","shape":[5],"data_offsets":[0,5]`) + "," + entry("b", `"dtype":"U8","shape":[5],"data_offsets":[0,5]`), 5, ErrFormat},
		{"product of 1<<64", entry("a", `"dtype":"F4","shape":[4294967296,4294967296],"data_offsets":[0,5]`), 5, ErrFormat},
		{"half a byte", entry("a", `"dtype":"F4","shape":[9],"data_offsets":[0,5]`), 5, ErrFormat},
		{"unknown dtype", entry("a", `"dtype":"F17","shape":[1],"data_offsets":[0,5]`), 5, ErrFormat},
		{"a byte more", entry("a", `"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]`), 4, ErrFormat},
	} {
		file := rawFile("{"+test.header+"}", make([]byte, test.values)...)
		if _, err := openBytes(t, file); !errors.Is(err, test.want) {
			t.Errorf("%s: Open: error %v, want %v", test.name, err, test.want)
		}
		if r, err := NewReader(bytes.NewReader(file), int64(len(file))); r != nil || !errors.Is(err, test.want) {
			t.Errorf("%s: NewReader: %v, error %v, want %v", test.name, r, err, test.want)
		}
		if f, err := Read(bytes.NewReader(file)); f != nil || !errors.Is(err, test.want) {
			t.Errorf("%s: Read: %v, error %v, want %v", test.name, f, err, test.want)
		}
	}
}

// failAt is a source that fails where the values of a file begin.
type failAt struct {
	*bytes.Reader
	values int64
}

func (f failAt) ReadAt(p []byte, off int64) (int, error) {
	if off >= f.values {
		return 0, errFull
	}
	return f.Reader.ReadAt(p, off)
}

func TestSourceFails(t *testing.T) {
	b := encoded(t, small())
	r, err := NewReader(failAt{bytes.NewReader(b), int64(prefixSize + int(b[0]) + int(b[1])<<8)}, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Float32("z"); !errors.Is(err, errFull) {
		t.Errorf("Float32: error %v, want %v", err, errFull)
	}
	if _, err := r.Bytes("z"); !errors.Is(err, errFull) || r.Verify() == nil {
		t.Errorf("Bytes: error %v, want %v; verified %v", err, errFull, r.Verify())
	}
}

// TestShrunkFile reads a file that another program cuts short.
func TestShrunkFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := Save(path, small()); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Truncate(path, 8); err != nil {
		t.Skip(err)
	}
	if _, _, err := r.Float32("z"); !errors.Is(err, ErrTruncated) {
		t.Errorf("error %v, want %v", err, ErrTruncated)
	}
	if r.Close(); !errors.Is(r.Close(), fs.ErrClosed) {
		t.Error("a second Close returns no error")
	}
}

// TestLargeFile opens a file of 5 GB, which takes a few pages of the disk, and reads its last tensor.
func TestLargeFile(t *testing.T) {
	const size = 5 << 30
	path := filepath.Join(t.TempDir(), "file")
	header := `{"large":{"dtype":"F64","shape":[327680,2048],"data_offsets":[0,5368709120]},"last":{"dtype":"I16","shape":[2],"data_offsets":[5368709120,5368709124]}}`
	if err := os.WriteFile(path, rawFile(header), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte{1, 0, 255, 255}, int64(prefixSize+len(header))+size)
	if f.Close(); err != nil {
		t.Skip("no sparse files here:", err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, values, err := r.Float32("last"); err != nil || !slices.Equal(values, []float32{1, -1}) {
		t.Errorf("values %v, error %v", values, err)
	}
	if strconv.IntSize == 32 {
		if _, err := r.Bytes("large"); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("error %v, want %v", err, errors.ErrUnsupported)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add(encoded(f, small()))
	f.Add(rawFile(`{"a":{"dtype":"BF16","shape":[1,2],"data_offsets":[1,5]},"":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}}`, 1, 2, 3, 4, 5))
	f.Add(rawFile(`{"a":{"dtype":"BOOL","shape":[0],"data_offsets":[3,3]},"b":{"dtype":"F64","shape":[],"data_offsets":[0,8]}}`, 1, 2, 3, 4, 5, 6, 7, 8))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if r != nil || !errors.Is(err, ErrFormat) && !errors.Is(err, ErrTruncated) {
				t.Errorf("%q: %v, error %v", b, r, err)
			}
			return
		}
		taken := 0
		for _, e := range r.Tensors {
			raw, err := r.Bytes(e.Name)
			if err != nil {
				t.Errorf("%q: tensor %q: %v", b, e.Name, err)
			}
			taken += len(raw)
			count := 1
			for _, d := range e.Shape {
				count *= d
			}
			if _, values, err := r.Float32(e.Name); err != nil && !errors.Is(err, errors.ErrUnsupported) || err == nil && len(values) != count {
				t.Errorf("%q: tensor %q: %d values of shape %v, error %v", b, e.Name, len(values), e.Shape, err)
			}
		}
		if taken > len(b) {
			t.Errorf("%q: tensors of %d bytes", b, taken)
		}
	})
}

// TestReadParts reads parts of tensors from a buffered stream, and in place from where readers of memory stand.
func TestReadParts(t *testing.T) {
	file := &File{Tensors: []Tensor{
		{Name: "f", Shape: []int{2, 3}, Data: []float32{1, -2, 3, -4, 5, -6}},
		{Name: "i", Shape: []int{4}, Int8: []int8{-128, 127, 0, 5}},
	}}
	b := encoded(t, file)
	begun, begunString := bytes.NewReader(append([]byte("before"), b...)), strings.NewReader("before"+string(b))
	begun.Seek(6, io.SeekStart)
	begunString.Seek(6, io.SeekStart)
	for name, source := range map[string]io.Reader{"stream": iotest.HalfReader(bytes.NewReader(b)), "bytes": begun, "string": begunString} {
		r, err := Buffer(source)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		floats, int8s := make([]float32, 3), make([]int8, 2)
		if err := errors.Join(r.Verify(), r.ReadFloat32(floats, "f", 3), r.ReadInt8(int8s, "i", 1)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(floats, file.Tensors[0].Data[3:]) || !slices.Equal(int8s, file.Tensors[1].Int8[1:3]) {
			t.Errorf("%s: got %v and %v", name, floats, int8s)
		}
		for _, test := range []struct {
			err  error
			want error
		}{
			{r.ReadFloat32(floats, "f", 4), ErrTruncated},
			{r.ReadFloat32(floats, "f", -1), ErrTruncated},
			{r.ReadFloat32(floats, "i", 0), ErrFormat},
			{r.ReadInt8(int8s, "f", 0), ErrFormat},
			{r.ReadInt8(int8s, "none", 0), ErrMissing},
		} {
			if !errors.Is(test.err, test.want) {
				t.Errorf("%s: got %v, want %v", name, test.err, test.want)
			}
		}
	}
}

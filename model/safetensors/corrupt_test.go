package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// wantError fails if f is not nil or err wraps none of the sentinels.
func wantError(t *testing.T, f *File, err error, what string, args ...any) {
	t.Helper()
	if f != nil {
		t.Errorf(what+": got a file with the error", args...)
	}
	for _, sentinel := range []error{ErrFormat, ErrTruncated, ErrChecksum, ErrNotFinite} {
		if errors.Is(err, sentinel) {
			return
		}
	}
	t.Errorf(what+": error %v wraps no sentinel", append(args, err)...)
}

func TestEveryAlteredByte(t *testing.T) {
	b := encoded(t, small())
	for i, old := range b {
		for _, mask := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
			b[i] = old ^ mask
			f, err := Read(bytes.NewReader(b))
			wantError(t, f, err, "byte %d of %d changed from %#x to %#x", i, len(b), old, b[i])
		}
		b[i] = old
	}
}

func TestEveryTruncation(t *testing.T) {
	b := encoded(t, small())
	for n := range len(b) {
		f, err := Read(bytes.NewReader(b[:n]))
		if f != nil || !errors.Is(err, ErrTruncated) {
			t.Errorf("%d bytes of %d: %v, error %v, want ErrTruncated", n, len(b), f, err)
		}
	}
}

func TestEveryRemovalAndInsertion(t *testing.T) {
	b := encoded(t, small())
	for i := range b {
		f, err := Read(bytes.NewReader(append(bytes.Clone(b[:i]), b[i+1:]...)))
		wantError(t, f, err, "byte %d of %d removed", i, len(b))
		f, err = Read(bytes.NewReader(append(append(bytes.Clone(b[:i]), ' '), b[i:]...)))
		wantError(t, f, err, "space inserted at %d of %d", i, len(b))
	}
}

func TestReaderError(t *testing.T) {
	b := encoded(t, small())
	failure := errors.New("network down")
	for n := range len(b) + 1 {
		r := io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(failure))
		if f, err := Read(r); f != nil || !errors.Is(err, failure) {
			t.Errorf("failure after %d bytes of %d: %v, error %v", n, len(b), f, err)
		}
	}
}

// manyNames returns a header with one entry of metadata more than a file can have.
func manyNames() string {
	b := []byte(`{"__metadata__":{`)
	for i := range int64(maxNames + 1) {
		b = append(strconv.AppendInt(append(b, '"'), i, 36), `":"",`...)
	}
	return string(b[:len(b)-1]) + "}}"
}

func TestReadErrors(t *testing.T) {
	const one = `"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	const meta = `"__metadata__":{DIGEST}`
	value := []byte{0, 0, 128, 63}
	tensor := func(body string) []byte { return rawFile(`{`+meta+`,"a":{`+body+`}}`, value...) }
	altered := tensor(`"dtype":"I8","shape":[4],"data_offsets":[0,4]`)
	altered[len(altered)-1] ^= 1
	tests := []struct {
		name string
		file []byte
		want error
		text string
	}{
		{"empty", nil, ErrTruncated, "empty file"},
		{"short text", []byte("hello"), ErrTruncated, "5 bytes, want 8, looks like text"},
		{"text", []byte("the quick brown fox"), ErrFormat, "looks like text"},
		{"zip", []byte("PK\x03\x04\x00\x00\x08\x08\x00\x00\x00\x00\x00\x00archive/data.pkl"), ErrFormat, "looks like a zip archive, such as a PyTorch file"},
		{"binary", []byte("\x89HDF\r\n\x1a\n\x00\x00\x00\x00\x00\x08\x08\x00"), ErrFormat, "header length 727905341903489161, want at most"},
		{"small number", []byte("\x09\x00\x00\x00\x00\x00\x00\x00GIF89a"), ErrFormat, "begins with 'G'"},
		{"no header", rawFile(""), ErrFormat, "not JSON"},
		{"header of spaces", rawFile("        "), ErrFormat, "begins with ' '"},
		{"not UTF-8", rawFile("{\"\xff\":0}"), ErrFormat, "UTF-8"},
		{"two objects", rawFile("{}{}"), ErrFormat, "not JSON"},
		{"no checksum", rawFile(`{`+one+`}`, value...), ErrChecksum, "no checksum"},
		{"no checksum, metadata", rawFile(`{"__metadata__":{"format":"pt"},`+one+`}`, value...), ErrChecksum, "no checksum"},
		{"short checksum", rawFile(`{"__metadata__":{"sha256":"00"},`+one+`}`, value...), ErrChecksum, "64 hexadecimal"},
		{"escaped checksum", rawFile(`{"__metadata__":{"sha256":"\u0030` + strings.Repeat("0", 63) + `"}}`), ErrChecksum, "64 hexadecimal"},
		{"checksum not text", rawFile(`{"__metadata__":{"sha256":1}}`), ErrFormat, "want a string"},
		{"metadata null", rawFile(`{"__metadata__":null}`), ErrFormat, `want "{"`},
		{"metadata nested", rawFile(`{"__metadata__":{"a":{}}}`), ErrFormat, "want a string"},
		{"metadata twice", rawFile(`{"__metadata__":{},"__metadata__":{}}`), ErrFormat, "twice"},
		{"metadata key twice", rawFile(`{"__metadata__":{DIGEST,"a":"","\u0061":""}}`), ErrFormat, "twice"},
		{"tensor twice", rawFile(`{`+meta+`,`+one+`,`+one+`}`, value...), ErrFormat, "twice"},
		{"shape twice", tensor(`"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]`), ErrFormat, "twice"},
		{"empty name", rawFile(`{`+meta+`,"":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, value...), ErrFormat, "empty name"},
		{"half precision", tensor(`"dtype":"F16","shape":[2],"data_offsets":[0,4]`), ErrFormat, `dtype "F16", want "F32" or "I8"`},
		{"unsigned", tensor(`"dtype":"U8","shape":[4],"data_offsets":[0,4]`), ErrFormat, `dtype "U8", want "F32" or "I8"`},
		{"lower case", tensor(`"dtype":"i8","shape":[4],"data_offsets":[0,4]`), ErrFormat, `unknown dtype "i8"`},
		{"long dtype", tensor(`"dtype":"I80","shape":[4],"data_offsets":[0,4]`), ErrFormat, `unknown dtype "I80"`},
		{"no dtype", tensor(`"shape":[1],"data_offsets":[0,4]`), ErrFormat, "dtype"},
		{"no shape", tensor(`"dtype":"F32","data_offsets":[0,4]`), ErrFormat, "no shape"},
		{"no offsets", tensor(`"dtype":"F32","shape":[1]`), ErrFormat, "0 data_offsets"},
		{"three offsets", tensor(`"dtype":"F32","shape":[1],"data_offsets":[0,4,8]`), ErrFormat, "3 data_offsets"},
		{"unknown key", tensor(`"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1`), ErrFormat, `"more"`},
		{"tensor null", rawFile(`{`+meta+`,"a":null}`, value...), ErrFormat, `want "{"`},
		{"shape text", tensor(`"dtype":"F32","shape":"1","data_offsets":[0,4]`), ErrFormat, "shape"},
		{"dimension text", tensor(`"dtype":"F32","shape":["1"],"data_offsets":[0,4]`), ErrFormat, "want an integer"},
		{"dimension nested", tensor(`"dtype":"F32","shape":[[1]],"data_offsets":[0,4]`), ErrFormat, "want an integer"},
		{"dimension negative", tensor(`"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]`), ErrFormat, "-1"},
		{"dimension fraction", tensor(`"dtype":"F32","shape":[1.0],"data_offsets":[0,4]`), ErrFormat, "1.0"},
		{"dimension exponent", tensor(`"dtype":"F32","shape":[1e0],"data_offsets":[0,4]`), ErrFormat, "1e0"},
		{"dimension 1<<64", tensor(`"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4]`), ErrFormat, "1844"},
		{"product 1<<64", tensor(`"dtype":"F32","shape":[65536,65536,65536,65536],"data_offsets":[0,0]`), ErrFormat, "too large"},
		{"65 dimensions", tensor(`"dtype":"F32","shape":[1` + strings.Repeat(",1", 64) + `],"data_offsets":[0,4]`), ErrFormat, "shape: more than 64 numbers"},
		{"names", rawFile(manyNames()), ErrFormat, "metadata: more than 262144 keys"},
		{"bytes 1<<64 + 4", tensor(`"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]`), ErrFormat, ""},
		{"shape larger", tensor(`"dtype":"F32","shape":[2],"data_offsets":[0,4]`), ErrFormat, "shape needs 8"},
		{"shape smaller", tensor(`"dtype":"F32","shape":[0],"data_offsets":[0,4]`), ErrFormat, "shape needs 0"},
		{"int8 as float32", tensor(`"dtype":"F32","shape":[4],"data_offsets":[0,4]`), ErrFormat, "shape needs 16"},
		{"float32 as int8", tensor(`"dtype":"I8","shape":[1],"data_offsets":[0,4]`), ErrFormat, "shape needs 1"},
		{"int8 shape larger", tensor(`"dtype":"I8","shape":[5],"data_offsets":[0,4]`), ErrFormat, "shape needs 5"},
		{"int8 product 1<<64", tensor(`"dtype":"I8","shape":[65536,65536,65536,65536],"data_offsets":[0,0]`), ErrFormat, "too large"},
		{"int8 offsets reversed", tensor(`"dtype":"I8","shape":[4],"data_offsets":[4,0]`), ErrFormat, "4 to 0"},
		{"int8 beyond", tensor(`"dtype":"I8","shape":[3],"data_offsets":[2,5]`), ErrTruncated, `tensor "a" ends at byte 5 after the header, the file at 4`},
		{"int8 missing", rawFile(`{`+meta+`,"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}}`, value[:3]...), ErrTruncated, `tensor "a" ends at byte 4 after the header, the file at 3`},
		{"data after int8", rawFile(`{`+meta+`,"a":{"dtype":"I8","shape":[3],"data_offsets":[0,3]}}`, value...), ErrFormat, "after the last value"},
		{"int8 altered", altered, ErrChecksum, "content has"},
		{"offsets reversed", tensor(`"dtype":"F32","shape":[1],"data_offsets":[4,0]`), ErrFormat, "4 to 0"},
		{"empty beyond", tensor(`"dtype":"F32","shape":[0],"data_offsets":[8,8]`), ErrTruncated, "ends at byte 8"},
		{"overlap", rawFile(`{`+meta+`,`+one+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, value...), ErrFormat, "begins at 0, want at least 4"},
		{"data missing", rawFile(`{`+meta+`,`+one+`}`, value[:3]...), ErrTruncated, `tensor "a"`},
		{"data after", rawFile(`{`+meta+`,`+one+`}`, append(value, 0)...), ErrFormat, "after the last value"},
		{"infinity", rawFile(`{`+meta+`,`+one+`}`, 0, 0, 128, 127), ErrNotFinite, `tensor "a": value 0 is +Inf`},
		{"not a number", rawFile(`{`+meta+`,`+one+`}`, 1, 0, 128, 255), ErrNotFinite, "NaN"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := Read(bytes.NewReader(test.file))
			if f != nil || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("got %v, error %v, want %v with %q", f, err, test.want, test.text)
			}
		})
	}
}

// TestReadOtherLayout reads a valid file of a form that Write does not produce.
func TestReadOtherLayout(t *testing.T) {
	const b = `"b":{"shape":[1],"data_offsets":[7,11],"dtype":"F32"}`
	const a = `"a":{"dtype":"F32","shape":[1],"data_offsets":[3,7]}`
	const empty = `"e":{"dtype":"F32","shape":[0],"data_offsets":[7,7]}`
	const q = `"q":{"shape":[3],"data_offsets":[0,3],"dtype":"I8"}`
	const none = `"n":{"dtype":"I8","shape":[0],"data_offsets":[7,7]}`
	file := rawFile("{"+b+",\n\t"+a+","+empty+","+none+","+q+` , "__metadata__" : {DIGEST}}`, 128, 0, 127, 0, 0, 128, 63, 0, 0, 0, 64)
	f, err := Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Tensors: []Tensor{
		{Name: "q", Shape: []int{3}, Int8: []int8{-128, 0, 127}},
		{Name: "a", Shape: []int{1}, Data: []float32{1}},
		{Name: "e", Shape: []int{0}},
		{Name: "n", Shape: []int{0}, Int8: []int8{}},
		{Name: "b", Shape: []int{1}, Data: []float32{2}},
	}}
	if !sameFile(f, want) {
		t.Errorf("got %v, want %v", f, want)
	}
}

// TestAllocation: Read allocates for the bytes that arrive, not for the claimed length.
func TestAllocation(t *testing.T) {
	largest := strconv.Itoa(math.MaxInt)
	files := map[string][]byte{
		"int8":   rawFile(`{"__metadata__":{DIGEST},"a":{"dtype":"I8","shape":[2000000000],"data_offsets":[0,2000000000]}}`, make([]byte, 10_000)...),
		"most":   rawFile(`{"__metadata__":{DIGEST},"a":{"dtype":"I8","shape":[`+largest+`],"data_offsets":[0,`+largest+`]}}`, make([]byte, 100_000)...),
		"data":   rawFile(`{"__metadata__":{DIGEST},"a":{"dtype":"F32","shape":[500000000],"data_offsets":[0,2000000000]}}`, make([]byte, 10_000)...),
		"header": append(binary.LittleEndian.AppendUint64(nil, maxHeader), `{"a":`...),
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(bytes.NewReader(file))
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ErrTruncated) {
				t.Errorf("error %v, want ErrTruncated", err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("%d bytes allocated for a file of %d", n, len(file))
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	valid := encoded(f, small())
	f.Add(valid)
	f.Add(encoded(f, &File{}))
	f.Add(valid[:len(valid)/2])
	f.Add([]byte("PK\x03\x04"))
	f.Add(rawFile(`{"__metadata__":{DIGEST},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 0, 0, 128, 63))
	f.Add(rawFile(`{"__metadata__":{DIGEST},"a":{"dtype":"I8","shape":[2,2],"data_offsets":[0,4]}}`, 0, 0, 128, 63))
	f.Add(rawFile(`{"__metadata__":{DIGEST},"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}`, 9, 0, 0, 128, 63))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, file := range [][]byte{b, reseal(b)} {
			got, err := Read(bytes.NewReader(file))
			if err != nil {
				wantError(t, got, err, "%q", file)
				continue
			}
			again, err := Read(bytes.NewReader(encoded(t, got)))
			if err != nil || !sameFile(sorted(got, false), again) {
				t.Errorf("%q: read %v; written and read again %v, error %v", file, got, again, err)
			}
		}
	})
}

package safetensors

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pythonReader prints the metadata, the tensors and the checksum of a file, and
// fails if values are not aligned. It is written from the description of the format
// alone.
const pythonReader = `
import hashlib, json, struct, sys
raw = open(sys.argv[1], "rb").read()
size, = struct.unpack("<Q", raw[:8])
start = 8 + size
assert start % 8 == 0
header = json.loads(raw[8:start])
metadata = header.pop("__metadata__")
digest = metadata.pop("sha256")
plain = raw.replace(digest.encode(), b"0" * 64)
print("checksum", hashlib.sha256(plain).hexdigest() == digest)
for key in sorted(metadata):
    print("metadata", key.encode().hex(), metadata[key].encode().hex())
end = 0
for name, t in header.items():
    code = {"F32": "I", "I8": "b"}[t["dtype"]]
    size = struct.calcsize(code)
    begin, after = t["data_offsets"]
    assert begin == end and begin % size == 0
    end = after
    values = struct.unpack("<%d%s" % ((end - begin) // size, code), raw[start + begin:start + end])
    print("tensor", name.encode().hex(), t["dtype"], t["shape"], list(values))
assert start + end == len(raw)
`

// pythonOutput returns what pythonReader prints for the file small().
func pythonOutput(f *File) string {
	var b strings.Builder
	fmt.Fprintln(&b, "checksum True")
	for _, key := range []string{"", "a\"b\n", "order"} {
		fmt.Fprintf(&b, "metadata %x %x\n", key, f.Metadata[key])
	}
	for _, t := range f.Tensors {
		list := func(v any) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ", ") }
		dtype, values := "I8", list(t.Int8)
		if t.Int8 == nil {
			bits := make([]uint32, len(t.Data))
			for i, v := range t.Data {
				bits[i] = math.Float32bits(v)
			}
			dtype, values = "F32", list(bits)
		}
		fmt.Fprintf(&b, "tensor %x %s %s %s\n", t.Name, dtype, list(t.Shape), values)
	}
	return b.String()
}

func TestPythonReadsFile(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := Save(path, sorted(small(), true)); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", pythonReader, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := pythonOutput(small()); string(out) != want {
		t.Errorf("python3 printed\n%s\nwant\n%s", out, want)
	}
}

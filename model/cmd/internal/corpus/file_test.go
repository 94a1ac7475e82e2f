package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/model/text"
)

// examples returns n examples of up to 40 ids a side, some of them large.
func examples(n int) []text.Example {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	side := func() []int32 {
		ids := make([]int32, r.IntN(40)+1)
		for i := range ids {
			ids[i] = int32(r.Uint32() >> (1 + r.UintN(31)))
		}
		ids[len(ids)-1] = text.EOS
		return ids
	}
	list := make([]text.Example, n)
	for i := range list {
		list[i] = text.Example{Source: side(), Target: side()}
	}
	return list
}

// content returns the file of examples.
func content(t *testing.T, list []text.Example) []byte {
	t.Helper()
	var b bytes.Buffer
	w := newWriter(&b, false)
	for _, e := range list {
		if err := w.add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close([]byte("metadata")); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// write writes a file and returns its path.
func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "examples")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFile(t *testing.T) {
	for _, n := range []int{1, 15, 16, 17, 1000} {
		want := examples(n)
		b := content(t, want)
		total := 0
		onDisk, err := Open(t.Context(), write(t, b), func(n int) { total += n })
		if err != nil {
			t.Fatal(err)
		}
		defer onDisk.Close()
		inMemory, err := openBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		if total == 0 || total > len(b) {
			t.Errorf("progress of %d of %d bytes", total, len(b))
		}
		for _, f := range []*File{onDisk, inMemory} {
			if f.Len() != n || string(f.metadata) != "metadata" {
				t.Fatalf("%d examples, metadata %q", f.Len(), f.metadata)
			}
			var memory []int32
			longestSource, longestTarget := 0, 0
			for _, i := range rand.New(rand.NewPCG(2, 3)).Perm(n) {
				var e text.Example
				if e, memory, err = f.Example(i, memory); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(e, want[i]) || f.Length(i) != max(len(e.Source), len(e.Target)) {
					t.Fatalf("example %d of %d: got %v of length %d, want %v", i, n, e, f.Length(i), want[i])
				}
				longestSource, longestTarget = max(longestSource, len(e.Source)), max(longestTarget, len(e.Target))
			}
			if f.LongestSource != longestSource || f.LongestTarget != longestTarget {
				t.Errorf("longest %d and %d, want %d and %d", f.LongestSource, f.LongestTarget, longestSource, longestTarget)
			}
		}
	}
}

// TestDamaged flips a bit of each byte and cuts the file at each length.
func TestDamaged(t *testing.T) {
	b := content(t, examples(5))
	path := write(t, nil)
	try := func(what string, at int, content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if begins := at >= len(magic) || what == "cut at"; isFile(path) != begins {
			t.Errorf("%s %d: recognized: %t", what, at, !begins)
		}
		if f, err := Open(t.Context(), path, func(int) {}); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s %d: error %v", what, at, err)
			f.Close()
		}
	}
	for i := range b {
		damaged := bytes.Clone(b)
		damaged[i] ^= 4
		try("bit flipped in byte", i, damaged)
		try("cut at", i, b[:i])
	}
	try("longer by", 100, append(bytes.Clone(b), 0))
	for _, other := range []string{"The cat sleeps.\n", "s"} {
		if isFile(write(t, []byte(other+"x"))) {
			t.Errorf("%q is recognized", other)
		}
	}
}

// TestChangedLater changes a file that is open: the first example has another length,
func TestChangedLater(t *testing.T) {
	list := []text.Example{{Source: []int32{7, 8, text.EOS}, Target: []int32{9, text.EOS}}, {Source: []int32{5, text.EOS}, Target: []int32{6, text.EOS}}}
	for _, records := range [][]byte{{1, 1, 7, 8, 1, 1, 7, 7, 0}, binary.AppendUvarint(nil, math.MaxUint64)} {
		path := write(t, content(t, list))
		f, err := Open(t.Context(), path, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		other, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		defer other.Close()
		if _, err := other.WriteAt(records, int64(len(magic))); err != nil {
			t.Fatal(err)
		}
		if e, _, err := f.Example(1, nil); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v: read %v, error %v", records, e, err)
		}
	}
}

// reseal gives a file the checksum of its content.
func reseal(content []byte) []byte {
	end := len(content) - sha256.Size - len(magic)
	sum := sha256.Sum256(content[:end])
	copy(content[end:], sum[:])
	return content
}

// TestForged writes other numbers into a file and makes its checksum right: each is an error of Open or of an
// example, unless all examples remain the same.
func TestForged(t *testing.T) {
	want := examples(40)
	intact := content(t, want)
	end := len(intact) - endSize
	index := int(binary.LittleEndian.Uint64(intact[end:]))
	for name, section := range map[string]struct{ at, size, n int }{
		"records": {len(magic), 1, 2}, "index": {index, 8, 4}, "lengths": {index + 8*4, 2, 40}, "footer": {end, 8, footerSize / 8},
	} {
		for i := range section.n {
			at := section.at + i*section.size
			var old [8]byte
			copy(old[:], intact[at:at+section.size])
			before := binary.LittleEndian.Uint64(old[:])
			for _, number := range []uint64{0, 1, before - 1, before + 1, before + 100, uint64(len(intact)), 1 << 32, 1 << 45, math.MaxInt64, math.MaxUint64} {
				b := bytes.Clone(intact)
				copy(b[at:at+section.size], binary.LittleEndian.AppendUint64(nil, number))
				f, err := openBytes(reseal(b))
				same := true
				for j := 0; err == nil && j < f.Len(); j++ {
					var e text.Example
					e, _, err = f.Example(j, nil)
					same = same && reflect.DeepEqual(e, want[j])
				}
				if !errors.Is(err, ErrDamaged) && (err != nil || !same) {
					t.Errorf("%s %d: %d for %d: the same examples: %t, error %v", name, i, number, before, same, err)
				}
			}
		}
	}
}

// full is a disk with room for some bytes.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestFull(t *testing.T) {
	list := examples(30_000)
	size := len(content(t, list))
	for _, room := range []int{0, 10, size / 2, size - len("metadata") - 1} {
		w := newWriter(&full{room}, false)
		var err error
		for _, e := range list {
			if err = w.add(e); err != nil {
				break
			}
		}
		if room <= size/2 && !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: %v", room, size, err)
		}
		if err := w.close(nil); !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: %v at the end", room, size, err)
		}
	}
}

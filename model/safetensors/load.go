package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Load reads the content of the file at path, which [Save] wrote, like [Read]. Its errors name path,
// and include [Open]'s.
func Load(path string) (*File, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := r.load()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return f, nil
}

// Read reads the content of a file that [Write] wrote from r, which must end after it. Read checks the
// format, the length, the checksum and the values before it returns the content. The Metadata of the
// result is not nil and does not contain the checksum.
//
// The error wraps [ErrFormat], [ErrTruncated], [ErrChecksum], [ErrNotFinite] or the error of r. Read
// panics if r is nil.
func Read(r io.Reader) (*File, error) {
	if r == nil {
		panic("safetensors: Read: nil reader")
	}
	x, err := Buffer(r)
	if err != nil {
		return nil, err
	}
	return x.load()
}

// Buffer is [NewReader] for all that r has, which it reads into memory. A [bytes.Reader] or [strings.Reader] it
// uses in place.
// The error is one of NewReader or of r. Buffer panics if r is nil.
func Buffer(r io.Reader) (*Reader, error) {
	if r == nil {
		panic("safetensors: Buffer: nil reader")
	}
	switch b := r.(type) {
	case *bytes.Reader:
		return inPlace(b)
	case *strings.Reader:
		return inPlace(b)
	}
	x, err := parse(r)
	if err != nil {
		return nil, err
	}
	values, err := io.ReadAll(io.MultiReader(io.LimitReader(r, x.end()), io.LimitReader(r, 1)))
	if err != nil {
		return nil, readError(err, "after the header")
	}
	x.values = io.NewSectionReader(bytes.NewReader(values), 0, int64(len(values)))
	if err := x.checkSize(); err != nil {
		return nil, err
	}
	return x, nil
}

// inPlace is Buffer for memory.
func inPlace[R interface {
	io.ReaderAt
	Size() int64
	Len() int
}](r R) (*Reader, error) {
	return NewReader(io.NewSectionReader(r, r.Size()-int64(r.Len()), int64(r.Len())), int64(r.Len()))
}

// OpenVerified is [Open] for a file that [Save] wrote. It reads the whole file, of which it holds a part at
// a time, and returns an error unless the file has the checksum that it states and its float32 values are finite. The
// error names path and wraps [ErrChecksum], [ErrNotFinite] or one of Open.
func OpenVerified(path string) (*Reader, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		r.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return r, nil
}

// check returns an error unless the file has the checksum that it states and its float32 values are finite.
func (r *Reader) check() error {
	if err := r.Verify(); err != nil {
		return err
	}
	part := make([]float32, chunkSize/float32Size)
	for _, e := range r.Tensors {
		if e.DType != float32Type {
			continue
		}
		for from := int64(0); from < e.count; from += int64(len(part)) {
			if err := r.ReadFloat32(part[:min(int64(len(part)), e.count-from)], e.Name, int(from)); err != nil {
				return err
			}
		}
	}
	return nil
}

// load returns the content of the file.
func (r *Reader) load() (*File, error) {
	if err := r.Verify(); err != nil {
		return nil, err
	}
	f := &File{Metadata: r.Metadata, Tensors: make([]Tensor, len(r.Tensors))}
	for i, e := range r.Tensors {
		t, err := r.tensor(e)
		if err != nil {
			return nil, err
		}
		f.Tensors[i] = t
	}
	if err := checkFinite(f.Tensors); err != nil {
		return nil, err
	}
	return f, nil
}

func (r *Reader) tensor(e Entry) (t Tensor, err error) {
	t = Tensor{Name: e.Name, Shape: e.Shape}
	switch {
	case e.Name == "":
		err = fmt.Errorf("%w: a tensor has an empty name", ErrFormat)
	case e.DType == float32Type:
		_, t.Data, err = r.Float32(e.Name)
	case e.DType == int8Type:
		var raw []byte
		raw, err = r.Bytes(e.Name)
		t.Int8 = make([]int8, len(raw))
		for i, b := range raw {
			t.Int8[i] = int8(b)
		}
	default:
		err = fmt.Errorf("%w: tensor %.80q: dtype %q, want %q or %q", ErrFormat, e.Name, e.DType, float32Type, int8Type)
	}
	return t, err
}

// Verify reads the whole file and returns an error unless it has the checksum that it states. The error
// wraps [ErrChecksum], also for a file without a checksum, such as other programs write.
func (r *Reader) Verify() error {
	want, err := r.Digest()
	if err != nil {
		return err
	}
	hash := sha256.New()
	hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(r.header))))
	hash.Write(r.header)
	const part = 1 << 18
	if _, err := io.CopyBuffer(hash, io.NewSectionReader(r.values, 0, r.values.Size()), make([]byte, part)); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		return fmt.Errorf("%w: content has %q, file says %q", ErrChecksum, got, want)
	}
	return nil
}

// takeDigest takes the checksum, if it is one, from the metadata, and overwrites its digits in the
// header with zeros.
func (r *Reader) takeDigest() {
	digest := r.Metadata[digestKey]
	if len(digest) == len(zeroDigest) && strings.Trim(digest, "0123456789abcdef") == "" && bytes.HasSuffix(r.header[:r.digestEnd], []byte(`"`+digest)) {
		delete(r.Metadata, digestKey)
		r.digest = digest
		copy(r.header[r.digestEnd-len(zeroDigest):], zeroDigest)
	}
}

// Digest returns the checksum that the file states: the 64 lowercase hexadecimal digits that [Write]
// put into its header. It tells files apart, but is unverified. The error wraps [ErrChecksum] if the
// file has none.
func (r *Reader) Digest() (string, error) {
	if r.digest != "" {
		return r.digest, nil
	}
	if other, ok := r.Metadata[digestKey]; ok {
		return "", fmt.Errorf("%w: metadata %q is %.80q, want %d hexadecimal digits", ErrChecksum, digestKey, other, len(zeroDigest))
	}
	return "", fmt.Errorf("%w: no checksum, want metadata %q", ErrChecksum, digestKey)
}

// Digest returns the checksum that the file at path states, of which it reads only the header: the
// values may be altered or missing. Its errors are [Open]'s and [Reader.Digest]'s.
func Digest(path string) (string, error) {
	r, err := openHeader(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	digest, err := r.Digest()
	if err != nil {
		return "", fmt.Errorf("open %s: %w", path, err)
	}
	return digest, nil
}

// Metadata returns the metadata of the file at path, of which it reads only the header, like
// [Digest]. Its errors are [Open]'s.
func Metadata(path string) (map[string]string, error) {
	r, err := openHeader(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Metadata, nil
}

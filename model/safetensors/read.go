package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/softsearch-go/softsearch/model/internal/regular"
)

// Open reads the file at path like [Read]. It follows symbolic links and accepts regular files only:
// another kind, such as a named pipe, is an error at once. Its errors name path.
func Open(path string) (*File, error) {
	r, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := Read(r)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return f, nil
}

// Read reads one file from r, which must end after it. Read checks the format,
// the offsets, the length, the checksum and the values before it returns the
// file. The Metadata of the result is not nil and does not contain the checksum.
//
// The error wraps [ErrFormat], [ErrTruncated], [ErrChecksum], [ErrNotFinite] or
// the error of r. Read panics if r is nil.
func Read(r io.Reader) (*File, error) {
	if r == nil {
		panic("safetensors: Read: nil reader")
	}
	header, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	l, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	digest, err := takeDigest(l, header)
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header))))
	hash.Write(header)
	f := &File{Metadata: l.metadata}
	f.Tensors, err = readTensors(io.TeeReader(r, hash), l.entries)
	if err != nil {
		return nil, err
	}
	if err := readEnd(r); err != nil {
		return nil, err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != digest {
		return nil, fmt.Errorf("%w: content has %q, file says %q", ErrChecksum, got, digest)
	}
	if err := checkFinite(f.Tensors); err != nil {
		return nil, err
	}
	return f, nil
}

// Digest returns the checksum that the file at path states: the 64 lowercase hexadecimal digits
// that [Write] put into its header. Digest reads only the header. The checksum tells files apart,
// but is unverified: the values may be altered or missing. Its errors are those of [Open].
func Digest(path string) (string, error) {
	_, digest, err := stated(path)
	return digest, err
}

// ReadDigest is [Digest] of the file that r reads. It panics if r is nil.
func ReadDigest(r io.Reader) (string, error) {
	if r == nil {
		panic("safetensors: ReadDigest: nil reader")
	}
	_, digest, err := readStated(r)
	return digest, err
}

// Metadata returns the metadata of the file at path, of which it reads only the header, like
// [Digest]. Its errors are those of [Open].
func Metadata(path string) (map[string]string, error) {
	metadata, _, err := stated(path)
	return metadata, err
}

// stated returns what the header of the file at path says.
func stated(path string) (metadata map[string]string, digest string, err error) {
	r, err := regular.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	if metadata, digest, err = readStated(r); err != nil {
		return nil, "", fmt.Errorf("open %s: %w", path, err)
	}
	return metadata, digest, nil
}

func readStated(r io.Reader) (metadata map[string]string, digest string, err error) {
	header, err := readHeader(r)
	if err != nil {
		return nil, "", err
	}
	l, err := parseHeader(header)
	if err != nil {
		return nil, "", err
	}
	digest, err = takeDigest(l, header)
	return l.metadata, digest, err
}

func readHeader(r io.Reader) ([]byte, error) {
	var prefix [prefixSize]byte
	if n, err := io.ReadFull(r, prefix[:]); err == io.EOF {
		return nil, fmt.Errorf("%w: empty file", ErrTruncated)
	} else if err != nil {
		looks := ""
		if kind := recognize(prefix[:n]); kind != "" {
			looks = ", looks like " + kind
		}
		return nil, readError(err, "header length has %d bytes, want %d%s", n, prefixSize, looks)
	}
	size := binary.LittleEndian.Uint64(prefix[:])
	if size > maxHeader {
		return nil, foreignError(prefix[:], r, "header length %d, want at most %d", size, maxHeader)
	}
	header, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil {
		return nil, readError(err, "header has %d bytes, want %d", len(header), size)
	}
	if len(header) > 0 && header[0] != '{' {
		return nil, foreignError(append(prefix[:], header[:min(len(header), sniffSize)]...), r, "header begins with %q, want '{'", header[0])
	}
	if uint64(len(header)) < size {
		return nil, fmt.Errorf("%w: header has %d bytes, want %d", ErrTruncated, len(header), size)
	}
	return header, nil
}

// takeDigest returns the checksum after removing it from the metadata of l and
// overwriting its digits in header with zeros.
func takeDigest(l *layout, header []byte) (string, error) {
	digest, ok := l.metadata[digestKey]
	if !ok {
		return "", fmt.Errorf("%w: no checksum, want metadata %q", ErrChecksum, digestKey)
	}
	delete(l.metadata, digestKey)
	if len(digest) != len(zeroDigest) || strings.Trim(digest, "0123456789abcdef") != "" || !bytes.HasSuffix(header[:l.digestEnd], []byte(`"`+digest)) {
		return "", fmt.Errorf("%w: metadata %q is %.80q, want %d hexadecimal digits", ErrChecksum, digestKey, digest, len(zeroDigest))
	}
	copy(header[l.digestEnd-len(zeroDigest):], zeroDigest)
	return digest, nil
}

// readTensors reads the values of the entries, which are in file order.
func readTensors(r io.Reader, entries []entry) ([]Tensor, error) {
	tensors := make([]Tensor, len(entries))
	chunk := make([]byte, chunkSize)
	for i, e := range entries {
		t := Tensor{Name: e.name, Shape: e.shape}
		var err error
		if e.dtype == int8Type {
			t.Int8, err = readValues(r, e.count, chunk, int8Size, decodeInt8)
		} else {
			t.Data, err = readValues(r, e.count, chunk, float32Size, decodeFloat32)
		}
		if err != nil {
			return nil, readError(err, "tensor %.80q: fewer values than %d", e.name, e.count)
		}
		tensors[i] = t
	}
	return tensors, nil
}

// readEnd returns an error if bytes follow the last value.
func readEnd(r io.Reader) error {
	var extra [1]byte
	switch _, err := io.ReadFull(r, extra[:]); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("%w: bytes after the last value", ErrFormat)
	default:
		return readError(err, "after the last value")
	}
}

// readError returns ErrTruncated with the message if err is the end of the data,
// and err otherwise.
func readError(err error, format string, args ...any) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %s", ErrTruncated, fmt.Sprintf(format, args...))
	}
	return err
}

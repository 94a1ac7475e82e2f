package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
)

// A Reader reads the tensors of a safetensors file by their names, whoever wrote it. It holds the
// header alone: Float32 and Bytes read those bytes of the file that they return. Any number of
// goroutines may share a Reader.
type Reader struct {
	Metadata map[string]string // without the checksum; not nil
	Tensors  []Entry           // in file order

	index  map[string]int    // in Tensors
	values *io.SectionReader // what follows the header
	file   io.Closer         // what Close closes, if anything

	header    []byte // with zeros in place of the checksum
	digestEnd int    // index in header of the closing quote of the checksum
	digest    string // as stated; "" without one
}

// Open opens the safetensors file at path. It follows symbolic links and accepts regular files only:
// another kind, such as a named pipe, is an error at once. The error names path and wraps [ErrFormat],
// [ErrTruncated] or the error of the file system. Close the result after use.
func Open(path string) (*Reader, error) {
	r, err := openHeader(path)
	if err != nil {
		return nil, err
	}
	if err := r.checkSize(); err != nil {
		r.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return r, nil
}

// openHeader is [Open] for a file of which the values may be missing.
func openHeader(path string) (*Reader, error) {
	file, err := atomic.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		var r *Reader
		if r, err = newReader(file, info.Size()); err == nil {
			r.file = file
			return r, nil
		}
		err = fmt.Errorf("open %s: %w", path, err)
	}
	file.Close()
	return nil, err
}

// NewReader is [Open] for the first size bytes of source. It panics if source is nil.
func NewReader(source io.ReaderAt, size int64) (*Reader, error) {
	if source == nil {
		panic("safetensors: NewReader: nil source")
	}
	r, err := newReader(source, size)
	if err != nil {
		return nil, err
	}
	if err := r.checkSize(); err != nil {
		return nil, err
	}
	return r, nil
}

// newReader is NewReader for a file of which the values may be missing.
func newReader(source io.ReaderAt, size int64) (*Reader, error) {
	r, err := parse(io.NewSectionReader(source, 0, max(size, 1))) // reading says why a file without size has none
	if err != nil {
		return nil, err
	}
	start := int64(prefixSize + len(r.header))
	r.values = io.NewSectionReader(source, start, size-start)
	return r, nil
}

// parse reads the header of a file.
func parse(source io.Reader) (*Reader, error) {
	header, err := readHeader(source)
	if err != nil {
		return nil, err
	}
	r := &Reader{}
	if err := r.parseHeader(header); err != nil {
		return nil, err
	}
	r.index = make(map[string]int, len(r.Tensors))
	for i, e := range r.Tensors {
		r.index[e.Name] = i
	}
	r.takeDigest()
	return r, nil
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

// end returns the number of bytes after the header.
func (r *Reader) end() int64 {
	end := int64(0)
	for _, e := range r.Tensors {
		end = max(end, e.end)
	}
	return end
}

// checkSize returns an error if values are missing, or bytes follow the last one.
func (r *Reader) checkSize() error {
	size := r.values.Size()
	for _, e := range r.Tensors {
		if e.end > size {
			return fmt.Errorf("%w: tensor %.80q ends at byte %d after the header, the file at %d", ErrTruncated, e.Name, e.end, size)
		}
	}
	if size > r.end() {
		return fmt.Errorf("%w: bytes after the last value", ErrFormat)
	}
	return nil
}

// Close closes the file that [Open] opened.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Entry returns the entry of the tensor with that name. The error wraps [ErrMissing] if there is none.
func (r *Reader) Entry(name string) (Entry, error) {
	i, ok := r.index[name]
	if !ok {
		return Entry{}, fmt.Errorf("%w: %.80q", ErrMissing, name)
	}
	return r.Tensors[i], nil
}

// Float32 returns the shape of the tensor with that name and its values, row-major. Integers
// and F64 are rounded to the nearest float32, and BOOL becomes 0 and 1. The error wraps
// [ErrMissing], [errors.ErrUnsupported] if float32 cannot hold the dtype or the memory of this machine
// the values, or an error of reading.
func (r *Reader) Float32(name string) (shape []int, values []float32, err error) {
	e, err := r.Entry(name)
	if err != nil {
		return nil, nil, err
	}
	bits, convert := typeOf(e.DType)
	if convert == nil || e.count > math.MaxInt/float32Size {
		return nil, nil, fmt.Errorf("%w: tensor %.80q: %d values of %s as float32", errors.ErrUnsupported, name, e.count, e.DType)
	}
	values = make([]float32, e.count)
	source, size := e.section(r), bits/8
	chunk := make([]byte, min(chunkSize, e.end-e.begin))
	for rest := values; len(rest) > 0; {
		n := min(len(rest), len(chunk)/size)
		if _, err := io.ReadFull(source, chunk[:n*size]); err != nil {
			return nil, nil, readError(err, "tensor %.80q: fewer values than %d", name, e.count)
		}
		convert(rest[:n], chunk)
		rest = rest[n:]
	}
	return e.Shape, values, nil
}

// Bytes returns the values of the tensor with that name as they are in the file: little-endian, and
// row-major. It returns errors like Float32.
func (r *Reader) Bytes(name string) ([]byte, error) {
	e, err := r.Entry(name)
	if err != nil {
		return nil, err
	}
	if e.end-e.begin > math.MaxInt {
		return nil, fmt.Errorf("%w: tensor %.80q of %d bytes", errors.ErrUnsupported, name, e.end-e.begin)
	}
	values := make([]byte, e.end-e.begin)
	if _, err := io.ReadFull(e.section(r), values); err != nil {
		return nil, readError(err, "tensor %.80q: fewer bytes than %d", name, len(values))
	}
	return values, nil
}

// ReadFloat32 reads the values of a tensor of F32 from the given one on, row-major, into dst. The error
// wraps [ErrMissing], [ErrFormat] for another dtype, [ErrNotFinite], [ErrTruncated] if there are fewer
// values, or the error of reading.
func (r *Reader) ReadFloat32(dst []float32, name string, from int) error {
	raw := rawBytes(dst)
	if err := r.read(raw, name, float32Type, float32Size*int64(from)); err != nil {
		return err
	}
	decodeFloat32(dst, raw)
	if i := nonFinite(dst); i >= 0 {
		return fmt.Errorf("%w: tensor %.80q: value %d is %v", ErrNotFinite, name, from+i, dst[i])
	}
	return nil
}

// ReadInt8 is ReadFloat32 for I8.
func (r *Reader) ReadInt8(dst []int8, name string, from int) error {
	return r.read(rawBytes(dst), name, int8Type, int64(from))
}

// read reads bytes of a tensor of that dtype.
func (r *Reader) read(dst []byte, name, dtype string, from int64) error {
	e, err := r.Entry(name)
	if err != nil {
		return err
	}
	if e.DType != dtype {
		return fmt.Errorf("%w: tensor %.80q: dtype %q, want %q", ErrFormat, name, e.DType, dtype)
	}
	if from < 0 || int64(len(dst)) > e.end-e.begin-from {
		return fmt.Errorf("%w: tensor %.80q: fewer values than asked for, %d", ErrTruncated, name, e.count)
	}
	if n, err := r.values.ReadAt(dst, e.begin+from); n < len(dst) {
		return readError(err, "tensor %.80q: fewer values than %d", name, e.count)
	}
	return nil
}

// section returns the bytes of the values of e.
func (e *Entry) section(r *Reader) io.Reader {
	return io.NewSectionReader(r.values, e.begin, e.end-e.begin)
}

// readError returns ErrTruncated with the message if err is the end of the data,
// and err otherwise.
func readError(err error, format string, args ...any) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %s", ErrTruncated, fmt.Sprintf(format, args...))
	}
	return err
}

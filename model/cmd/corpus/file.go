package corpus

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"

	"github.com/softsearch-go/softsearch/model/internal/regular"
	"github.com/softsearch-go/softsearch/model/text"
)

// ErrDamaged: a file is not a complete [File].
var ErrDamaged = errors.New("not a complete corpus")

// magic is the beginning and the end of a file. In between are, in little-endian order,
//
//	records    for each example the numbers of source and target ids without EOS, and these ids, as
//	           unsigned varints
//	index      the offset of each page of records, and of their end, as uint64
//	lengths    the length of the longer side of each example, EOS included, as uint16
//	metadata   of the caller
//	footer     the fields of type footer, as uint64
//	checksum   the SHA-256 of all before it
const magic = "softsearch corpus 1\n"

// A footer says where the other sections of a file are.
type footer struct {
	Index                        uint64 // offset
	Examples                     uint64
	LongestSource, LongestTarget uint64 // ids, EOS included
	Metadata                     uint64 // bytes
}

const (
	page       = 16 // examples that share an entry of the index
	footerSize = 5 * 8
	endSize    = footerSize + sha256.Size + len(magic)
	maxLength  = math.MaxUint16 // of a side, EOS included
)

func pages(n uint64) uint64 { return (n + page - 1) / page }

type writer struct {
	w       *bufio.Writer
	hash    hash.Hash
	offset  uint64
	index   []uint64
	lengths []uint16
	record  []byte
	footer  footer
	err     error // of w, once there is one
}

func newWriter(w io.Writer) *writer {
	c := &writer{hash: sha256.New()}
	c.w = bufio.NewWriterSize(io.MultiWriter(w, c.hash), 1<<18)
	c.write([]byte(magic))
	return c
}

// add adds an example, whose ids end with EOS.
func (c *writer) add(e text.Example) error {
	length := max(len(e.Source), len(e.Target))
	if length > maxLength {
		return fmt.Errorf("sentence of %d words, expected at most %d", length, maxLength)
	}
	if c.footer.Examples%page == 0 {
		c.index = append(c.index, c.offset)
	}
	c.footer.Examples++
	c.footer.LongestSource = max(c.footer.LongestSource, uint64(len(e.Source)))
	c.footer.LongestTarget = max(c.footer.LongestTarget, uint64(len(e.Target)))
	c.lengths = append(c.lengths, uint16(length))
	source, target := e.Source[:len(e.Source)-1], e.Target[:len(e.Target)-1]
	c.record = binary.AppendUvarint(binary.AppendUvarint(c.record[:0], uint64(len(source))), uint64(len(target)))
	for _, side := range [][]int32{source, target} {
		for _, id := range side {
			c.record = binary.AppendUvarint(c.record, uint64(uint32(id)))
		}
	}
	c.write(c.record)
	return c.err
}

func (c *writer) write(p []byte) {
	c.offset += uint64(len(p))
	if c.err == nil {
		_, c.err = c.w.Write(p)
	}
}

// close completes the file with metadata. It does not close the underlying writer.
func (c *writer) close(metadata []byte) error {
	c.index = append(c.index, c.offset)
	c.footer.Index, c.footer.Metadata = c.offset, uint64(len(metadata))
	for _, section := range []any{c.index, c.lengths, metadata, c.footer} {
		if c.err == nil {
			c.err = binary.Write(c.w, binary.LittleEndian, section)
		}
	}
	if c.err == nil {
		c.err = c.w.Flush()
	}
	c.write(c.hash.Sum(nil))
	c.write([]byte(magic))
	if c.err == nil {
		c.err = c.w.Flush()
	}
	return c.err
}

// A File holds examples that are read when they are needed, in any order. It is a [text.Corpus] for one
// goroutine.
type File struct {
	LongestSource, LongestTarget int // ids, EOS included

	metadata []byte
	data     readerAtCloser
	index    []uint64
	lengths  []uint16
	buffer   []byte // a page of records
}

type readerAtCloser interface {
	io.ReaderAt
	io.Closer
}

// isFile reports whether a writer began the file at path; empty files count.
func isFile(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	n := min(info.Size(), int64(len(magic)))
	head, tail := make([]byte, n), make([]byte, n)
	_, err = f.ReadAt(head, 0)
	_, tailErr := f.ReadAt(tail, info.Size()-n)
	return err == nil && string(head) == magic[:n] || tailErr == nil && string(tail) == magic
}

// Open opens the file at path and verifies its checksum, until ctx ends. It calls progress with the number
// of bytes read since the last call. The error wraps [ErrDamaged] unless it is one of the system or ctx.
func Open(ctx context.Context, path string, progress func(bytes int)) (*File, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	file, err := read(mapFile(f, info.Size()), reading{ctx, f}, info.Size(), progress)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// A reading reads until ctx ends.
type reading struct {
	ctx context.Context
	io.Reader
}

func (r reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// openBytes is Open for the content of a file.
func openBytes(content []byte) (*File, error) {
	r := bytes.NewReader(content)
	return read(inMemory{r}, r, r.Size(), func(int) {})
}

type inMemory struct{ io.ReaderAt }

func (inMemory) Close() error { return nil }

// read reads a file of that size from data, and once from its beginning to its end from all. It closes
// data if there is an error.
func read(data readerAtCloser, all io.Reader, size int64, progress func(int)) (*File, error) {
	f := &File{data: data}
	if err := f.verify(all, size, progress); err != nil {
		data.Close()
		return nil, err
	}
	if err := f.load(size); err != nil {
		data.Close()
		return nil, err
	}
	return f, nil
}

// verify compares the checksum with the content.
func (f *File) verify(all io.Reader, size int64, progress func(int)) error {
	if size < int64(len(magic)+endSize) {
		return fmt.Errorf("%w: %d bytes, expected at least %d", ErrDamaged, size, len(magic)+endSize)
	}
	hash, buffer := sha256.New(), make([]byte, 1<<18)
	for left := size - int64(sha256.Size+len(magic)); left > 0; {
		n, err := io.ReadFull(all, buffer[:min(left, int64(len(buffer)))])
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		hash.Write(buffer[:n])
		left -= int64(n)
		progress(n)
	}
	end, err := io.ReadAll(io.LimitReader(all, int64(sha256.Size+len(magic)+1)))
	if err != nil {
		return err
	}
	if string(end) != string(hash.Sum(nil))+magic {
		return fmt.Errorf("%w: the checksum does not match the content", ErrDamaged)
	}
	return nil
}

// load reads all but the records.
func (f *File) load(size int64) error {
	var end footer
	if err := f.readSection(uint64(size)-uint64(endSize), &end); err != nil {
		return err
	}
	content := uint64(size) - uint64(endSize)
	indexSize, lengthsSize := 8*(pages(end.Examples)+1), 2*end.Examples
	if end.Examples == 0 || end.Examples > math.MaxUint32 || end.Metadata > content || end.Index > content ||
		end.Index+indexSize+lengthsSize+end.Metadata != content {
		return fmt.Errorf("%w: sections of another length", ErrDamaged)
	}
	f.LongestSource, f.LongestTarget = int(end.LongestSource), int(end.LongestTarget)
	f.index = make([]uint64, pages(end.Examples)+1)
	f.lengths = make([]uint16, end.Examples)
	f.metadata = make([]byte, end.Metadata)
	at := end.Index
	for _, section := range []any{f.index, f.lengths, f.metadata} {
		if err := f.readSection(at, section); err != nil {
			return err
		}
		at += uint64(binary.Size(section))
	}
	return nil
}

func (f *File) readSection(at uint64, values any) error {
	return binary.Read(io.NewSectionReader(f.data, int64(at), int64(binary.Size(values))), binary.LittleEndian, values)
}

// Len returns the number of examples.
func (f *File) Len() int { return len(f.lengths) }

// Length returns the length of the longer side of example i, EOS included.
func (f *File) Length(i int) int { return int(f.lengths[i]) }

// Example reads example i. It appends the ids to memory.
func (f *File) Example(i int, memory []int32) (e text.Example, _ []int32, err error) {
	start, end := f.index[i/page], f.index[i/page+1]
	n := int(end - start)
	if n > len(f.buffer) {
		f.buffer = make([]byte, n)
	}
	if _, err := f.data.ReadAt(f.buffer[:n], int64(start)); err != nil && err != io.EOF {
		return e, memory, err
	}
	r := records{f.buffer[:n]}
	first := len(memory)
	var sourceLen uint64
	for j := i - i%page; j <= i; j++ {
		memory = memory[:first]
		var targetLen uint64
		sourceLen, targetLen = r.number(), r.number()
		if longer := max(sourceLen, targetLen); longer >= maxLength || 1+int(longer) != f.Length(j) {
			return e, memory, fmt.Errorf("%w: example %d has changed since it was opened", ErrDamaged, j)
		}
		for _, n := range [...]uint64{sourceLen, targetLen} {
			for range n {
				memory = append(memory, int32(r.number()))
			}
			memory = append(memory, text.EOS)
		}
	}
	middle := first + int(sourceLen) + 1
	return text.Example{Source: memory[first:middle:middle], Target: memory[middle:len(memory):len(memory)]}, memory, nil
}

// Close closes the file.
func (f *File) Close() error { return f.data.Close() }

// records are unsigned varints.
type records struct{ left []byte }

// number returns the next number, or 0 at the end.
func (r *records) number() uint64 {
	if len(r.left) > 0 && r.left[0] < 0x80 {
		n := r.left[0]
		r.left = r.left[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.left)
	r.left = r.left[max(size, 0):]
	return n
}

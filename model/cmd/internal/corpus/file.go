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
	"slices"
	"strings"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
	"github.com/softsearch-go/softsearch/model/text"
)

// ErrDamaged is the error for a file that is no complete [File].
var ErrDamaged = errors.New("not a complete corpus")

// magic is the beginning and the end of a file. In between are, in little-endian order,
//
//	records    for each example the numbers of source and target ids without EOS, and these ids, as
//	           unsigned varints; in a file with links then twice their number, and the links
//	index      the offset of each page of records, and of their end, as uint64
//	lengths    the length of the longer side of each example, EOS included, as uint16
//	metadata   of the caller
//	footer     the fields of type footer, as uint64
//	checksum   the SHA-256 of all before it
const magic = "softsearch corpus 3\n"

// A footer says where the other sections of a file are.
type footer struct {
	Index    uint64 // offset
	Examples uint64
	Longest  [2]uint64 // ids of a source and of a target, EOS included
	Metadata uint64    // bytes
	Linked   uint64    // 1 for a file with links
}

const (
	page        = 16 // examples that share an entry of the index
	footerSize  = 6 * 8
	endSize     = footerSize + sha256.Size + len(magic)
	maxLength   = math.MaxUint16                               // of a side, EOS included
	maxPage     = page * 2 * maxLength * binary.MaxVarintLen32 // bytes
	maxMetadata = 1 << 30
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

// newWriter returns a writer of examples, with their links or without.
func newWriter(w io.Writer, linked bool) *writer {
	c := &writer{hash: sha256.New()}
	if linked {
		c.footer.Linked = 1
	}
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
	c.lengths = append(c.lengths, uint16(length))
	c.record = binary.AppendUvarint(binary.AppendUvarint(c.record[:0], uint64(len(e.Source)-1)), uint64(len(e.Target)-1))
	for side, ids := range [...][]int32{e.Source, e.Target} {
		c.footer.Longest[side] = max(c.footer.Longest[side], uint64(len(ids)))
		for _, id := range ids[:len(ids)-1] {
			c.record = binary.AppendUvarint(c.record, uint64(id))
		}
	}
	if c.footer.Linked == 1 {
		c.record = binary.AppendUvarint(c.record, uint64(len(e.Links)))
		for _, at := range e.Links {
			c.record = binary.AppendUvarint(c.record, uint64(at))
		}
	}
	if len(c.record) > maxPage/page {
		return fmt.Errorf("%d links of a pair of %d and %d words, expected fewer", len(e.Links)/2, len(e.Source)-1, len(e.Target)-1)
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

	path     string
	data     readerAtCloser
	index    []uint64
	lengths  []uint16
	metadata []byte
	footer   footer
	ids      [2]uint64 // every id of sources and of targets is smaller
	buffer   []byte    // a page of records
}

type readerAtCloser interface {
	io.ReaderAt
	io.Closer
}

// isFile reports whether the file at path begins like one of a writer; empty files do.
func isFile(path string) bool {
	f, err := atomic.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(magic))
	n, err := io.ReadFull(f, begin)
	return err == io.EOF || n > 0 && strings.HasPrefix(magic, string(begin[:n]))
}

// Open opens the file at path and reads it once to verify it, until ctx ends. It calls progress with the
// number of bytes read since the last call. The error wraps [ErrDamaged] unless it is one of the system or ctx.
func Open(ctx context.Context, path string, progress func(bytes int)) (*File, error) {
	f, err := atomic.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return read(path, f, &reading{ctx, f, progress}, info.Size())
}

// A reading reads until ctx ends, and shows the progress.
type reading struct {
	ctx context.Context
	io.Reader
	progress func(bytes int)
}

func (r *reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.Reader.Read(p)
	r.progress(n)
	return n, err
}

// openBytes is Open for the content of a file.
func openBytes(content []byte) (*File, error) {
	r := bytes.NewReader(content)
	return read("memory", inMemory{r}, r, r.Size())
}

type inMemory struct{ io.ReaderAt }

func (inMemory) Close() error { return nil }

// read reads a file of that size from data, and once from its beginning to its end from all. It closes
// data if there is an error.
func read(path string, data readerAtCloser, all io.Reader, size int64) (*File, error) {
	f := &File{path: path, data: data, ids: [2]uint64{math.MaxInt32 + 1, math.MaxInt32 + 1}}
	if err := f.load(all, size); err != nil {
		data.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.LongestSource, f.LongestTarget = int(f.footer.Longest[0]), int(f.footer.Longest[1])
	return f, nil
}

// load compares the checksum with the content, in one pass, and keeps all sections but the records.
func (f *File) load(all io.Reader, size int64) error {
	content := size - int64(endSize)
	if content < int64(len(magic)) {
		return fmt.Errorf("%w: %d bytes, expected at least %d", ErrDamaged, size, len(magic)+endSize)
	}
	if err := binary.Read(io.NewSectionReader(f.data, content, footerSize), binary.LittleEndian, &f.footer); err != nil {
		return err
	}
	end := f.footer
	if !end.fits(uint64(content)) {
		return fmt.Errorf("%w: sections of another length", ErrDamaged)
	}
	hash := sha256.New()
	in := bufio.NewReaderSize(all, 1<<18)
	_, err := io.CopyN(hash, in, int64(end.Index))
	f.index, f.lengths, f.metadata = make([]uint64, pages(end.Examples)+1), make([]uint16, end.Examples), make([]byte, end.Metadata)
	for _, section := range []any{f.index, f.lengths, f.metadata, &f.footer} {
		if err == nil {
			err = binary.Read(io.TeeReader(in, hash), binary.LittleEndian, section)
		}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: cut off while it was read", ErrDamaged)
	} else if err != nil {
		return err
	}
	checksum, err := io.ReadAll(io.LimitReader(in, int64(sha256.Size+len(magic)+1)))
	if err != nil {
		return err
	}
	if f.footer != end || string(checksum) != string(hash.Sum(nil))+magic {
		return fmt.Errorf("%w: the checksum does not match the content", ErrDamaged)
	}
	if !f.divides(end.Index) || uint64(slices.Max(f.lengths)) != max(end.Longest[0], end.Longest[1]) {
		return fmt.Errorf("%w: sections that do not match", ErrDamaged)
	}
	return nil
}

// fits reports whether the sections fill that many bytes.
func (f *footer) fits(content uint64) bool {
	return f.Examples > 0 && f.Examples <= math.MaxUint32 && 2*f.Examples <= f.Index && f.Index <= content &&
		content-f.Index <= math.MaxInt && f.Metadata <= maxMetadata &&
		f.Index+8*(pages(f.Examples)+1)+2*f.Examples+f.Metadata == content
}

// divides reports whether the index divides the bytes before end into pages.
func (f *File) divides(end uint64) bool {
	ok := f.index[0] == uint64(len(magic)) && f.index[len(f.index)-1] == end
	for p, at := range f.index[1:] {
		ok = ok && at-f.index[p] <= maxPage
	}
	return ok
}

// expect makes examples with ids outside the vocabularies an error, and returns one if a sentence has more words
// than maxLength.
func (f *File) expect(source, target *text.Vocabulary, maxLength int) error {
	if longest := max(f.footer.Longest[0], f.footer.Longest[1]); longest > uint64(maxLength)+1 {
		return fmt.Errorf("%w: a sentence of %d words, expected at most %d", ErrDamaged, longest-1, maxLength)
	}
	f.ids = [2]uint64{uint64(source.Size()), uint64(target.Size())}
	return nil
}

// Len returns the number of examples.
func (f *File) Len() int { return len(f.lengths) }

// Length returns the length of the longer side of example i, EOS included.
func (f *File) Length(i int) int { return int(f.lengths[i]) }

// Example reads example i. It appends the ids to memory. The error wraps [ErrDamaged] if the file has changed since Open.
func (f *File) Example(i int, memory []int32) (e text.Example, _ []int32, err error) {
	p, ok := i/page, true
	n := int(f.index[p+1] - f.index[p])
	f.buffer = slices.Grow(f.buffer[:0], n)[:n]
	if _, err := f.data.ReadAt(f.buffer, int64(f.index[p])); err != nil && err != io.EOF {
		return e, memory, err
	}
	r := records{f.buffer}
	first, middle, end := len(memory), 0, 0
	for j := p * page; ok && j <= i; j++ {
		memory = memory[:first]
		lengths := [...]uint64{r.number(), r.number()}
		ok = max(lengths[0], lengths[1])+1 == uint64(f.lengths[j])
		for side, n := range lengths {
			middle = len(memory)
			ok = ok && n < f.footer.Longest[side]
			for ; ok && n > 0; n-- {
				id := r.number()
				ok = id < f.ids[side]
				memory = append(memory, int32(id))
			}
			memory = append(memory, text.EOS)
		}
		end = len(memory)
		if f.footer.Linked == 1 {
			n := r.number()
			for ok = ok && n <= uint64(len(r.left)); ok && n > 0; n-- {
				at := r.number()
				ok = at < uint64(f.lengths[j])
				memory = append(memory, int32(at))
			}
		}
	}
	if !ok {
		return e, memory, fmt.Errorf("%w: %s has changed around pair %d; remove it, and the same command prepares the text again",
			ErrDamaged, f.path, i+1)
	}
	e = text.Example{Source: memory[first:middle:middle], Target: memory[middle:end:end]}
	if f.footer.Linked == 1 {
		e.Links = memory[end:len(memory):len(memory)]
	}
	return e, memory, nil
}

// Close closes the file.
func (f *File) Close() error { return f.data.Close() }

// records are unsigned varints.
type records struct{ left []byte }

// append appends the next n numbers.
func (r *records) append(dst []uint32, n uint64) []uint32 {
	for range n {
		dst = append(dst, uint32(r.number()))
	}
	return dst
}

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

// Package files opens the inputs of a command and creates its outputs. An input may be compressed or
// a pipe, and ends with a context. An output never replaces an input, replaces another file only on request, and
// appears under its name when it is complete. A [Lock] keeps two processes from writing the same file.
package files

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
	"github.com/softsearch-go/softsearch/model/text"
)

// StandardInput is the name of standard input in messages.
const StandardInput = "standard input"

// An Input is text that is read once, from its beginning to its end. Data in gzip or zstd format is
// decompressed. Reading ends with the error of the context, even while it waits for a pipe or a terminal.
type Input struct {
	ctx     context.Context
	name    string
	size    int64    // 0 if unknown
	file    *os.File // a regular file, or nil
	raw     counter
	begin   func() // of reading, or nil
	close   func() error
	content io.Reader     // nil before the first Read
	limit   int           // of its bytes, or 0
	length  int           // of what Read has returned since Limit
	decoder io.ReadCloser // nil if the data is not compressed
}

// Open opens the file at path, which may be a pipe or a device. The error names path.
func Open(ctx context.Context, path string) (*Input, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder, expected a file", path)
	} else if err == nil && !info.Mode().IsRegular() {
		return newPipe(ctx, path, func() (io.ReadCloser, error) { return os.Open(path) }), nil // which may wait, too
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in := NewInput(ctx, path, f)
	in.close = f.Close
	return in, nil
}

// NewInput returns an Input that reads r, which Close does not close. Its errors have the name. If r
// is an *os.File, such as standard input, its size is known where it is a regular file.
func NewInput(ctx context.Context, name string, r io.Reader) *Input {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return &Input{ctx: ctx, name: name, size: info.Size(), file: f, raw: counter{r: f}, close: func() error { return nil }}
		}
	}
	return newPipe(ctx, name, func() (io.ReadCloser, error) { return io.NopCloser(r), nil })
}

// newPipe returns an Input of what may wait for ever. From the first Read on, a goroutine does.
func newPipe(ctx context.Context, name string, open func() (io.ReadCloser, error)) *Input {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { r.CloseWithError(ctx.Err()) })
	copyAll := func() {
		from, err := open()
		if err == nil {
			_, err = io.Copy(w, from)
			from.Close()
		}
		w.CloseWithError(err)
	}
	return &Input{ctx: ctx, name: name, raw: counter{r: r}, begin: func() { go copyAll() }, close: r.Close}
}

// Name returns the path or name of the input.
func (in *Input) Name() string { return in.name }

// Size returns the number of bytes of the file, compressed ones if it is compressed, or 0 if that
// is unknown, as for a pipe.
func (in *Input) Size() int64 { return in.size }

// Offset returns how many of these bytes have been read.
func (in *Input) Offset() int64 { return in.raw.n }

// Limit makes more than n further bytes of decompressed text an error, for who keeps all of them.
func (in *Input) Limit(n int) { in.limit, in.length = n, 0 }

// Read reads the decompressed text. An error other than io.EOF is an *fs.PathError.
func (in *Input) Read(p []byte) (int, error) {
	if in.content == nil {
		if err := in.start(); err != nil {
			return 0, in.failed(err)
		}
	}
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := in.content.Read(p)
	if in.length += n; in.limit > 0 && in.length > in.limit {
		return 0, in.failed(fmt.Errorf("too large, expected at most %d bytes", in.limit))
	}
	if err != nil && err != io.EOF {
		err = in.failed(err)
	}
	return n, err
}

// CopyFile writes the bytes of the file to w, compressed ones if it is compressed, whether Read has
// returned them or not. If the input is not a regular file, the error wraps [atomic.ErrNotRegular].
func (in *Input) CopyFile(w io.Writer) error {
	if in.file == nil {
		return fmt.Errorf("%s: %w", in.name, atomic.ErrNotRegular)
	}
	if _, err := io.Copy(w, io.NewSectionReader(in.file, 0, in.size)); err != nil {
		return in.failed(err)
	}
	return nil
}

// failed adds the name of the input to an error that lacks it. The error of the context stays as it is.
func (in *Input) failed(err error) error {
	if in.ctx.Err() != nil {
		return in.ctx.Err()
	}
	if pathError := new(fs.PathError); errors.As(err, &pathError) && pathError.Path == in.name {
		return err
	}
	return &fs.PathError{Op: "read", Path: in.name, Err: err}
}

// Magic numbers at the beginning of a file: RFC 1952, section 2.3.1, and RFC 8878, section 3.1.1.
var (
	gzipMagic = []byte{0x1f, 0x8b, 8}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// maxWindow is the window of `zstd --long`, the largest that readers accept without a flag.
const maxWindow = 128 << 20

// start reads the first bytes and chooses a decoder. It waits for more bytes only as long as those
// read are the beginning of a magic number, so a line that a person types arrives at once.
func (in *Input) start() (err error) {
	if in.begin != nil {
		in.begin()
	}
	head := make([]byte, 0, len(zstdMagic))
	for len(head) < cap(head) && (bytes.HasPrefix(gzipMagic, head) || bytes.HasPrefix(zstdMagic, head)) {
		n, err := in.raw.Read(head[len(head):cap(head)])
		head = head[:len(head)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	in.content = io.MultiReader(bytes.NewReader(head), &in.raw)
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		in.decoder, err = gzip.NewReader(in.content)
	case bytes.HasPrefix(head, zstdMagic):
		var d *zstd.Decoder
		if d, err = zstd.NewReader(in.content, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			in.decoder = d.IOReadCloser()
		}
	default:
		return nil
	}
	if err == nil {
		in.content = decompressed{in.decoder}
	}
	return err
}

// Close closes the file and ends the decoder.
func (in *Input) Close() error {
	if in.decoder != nil {
		in.decoder.Close()
	}
	return in.close()
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// decompressed says that an error is one of decompression.
type decompressed struct{ r io.Reader }

func (d decompressed) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	switch err {
	case nil, io.EOF:
	case io.ErrUnexpectedEOF:
		err = fmt.Errorf("compressed data is cut off: %w", err)
	default:
		err = fmt.Errorf("compressed data: %w", err)
	}
	return n, err
}

// ReadFile returns the content of a file that is read whole. It must be a regular file, or the error
// wraps [atomic.ErrNotRegular], and have at most limit bytes.
func ReadFile(path string, limit int) ([]byte, error) {
	f, err := atomic.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(data) > limit {
		return nil, fmt.Errorf("%s: too large, expected at most %d bytes", path, limit)
	}
	return data, err
}

// A Line is a line of an input.
type Line struct {
	Text   string
	Number int   // from 1
	Bad    error // why the line cannot be used; nil for a usable one
	Code   bool  // a line of code, among joined lines
}

// A Named is text with a name. Its size is 0 if reading may block.
type Named interface {
	io.Reader
	Name() string
	Size() int64
}

// Lines reads an input line by line. Its errors name the input.
type Lines struct {
	lines  *text.LineReader
	input  Named
	Joined bool // whether Next returns paragraphs of a [text.Joiner], with the number of their first line
	joiner text.Joiner
	ahead  *Line // after those that are joined, or nil
	err    error // of reading it
}

// NewLines returns a reader of the lines of in.
func NewLines(in Named) *Lines {
	if in.Size() > 0 {
		return &Lines{lines: text.NewLineReader(shortReader{in}), input: in}
	}
	return &Lines{lines: text.NewLineReader(in), input: in}
}

// A shortReader reads little at a time, so that the offset of its input stays near the last line.
type shortReader struct{ r io.Reader }

func (s shortReader) Read(p []byte) (int, error) {
	const longest = 16 << 10
	return s.r.Read(p[:min(len(p), longest)])
}

// Available blocks until there is a line. It returns that line and those after it that can be
// read without blocking, up to limit lines or about 8 MiB. After the last line the error is io.EOF.
// Lines before an error are returned with it.
func (l *Lines) Available(limit int) (lines []Line, err error) {
	const maxSize = 8 << 20
	for size := 0; ; {
		line, err := l.Next()
		if err != nil {
			return lines, err
		}
		lines = append(lines, line)
		size += len(line.Text)
		ready := l.input.Size() > 0 || l.lines.Buffered() // a file does not block
		if len(lines) == limit || size >= maxSize || !ready {
			return lines, nil
		}
	}
}

// Next blocks until there is a line, which may be a bad one. After the last line it returns io.EOF.
func (l *Lines) Next() (Line, error) {
	line, err := l.read()
	if !l.Joined || err != nil || line.Bad != nil {
		return line, err
	}
	l.joiner.Add(line.Text)
	for l.joiner.Open && l.ahead == nil {
		if next, err := l.read(); err != nil || next.Bad != nil || !l.joiner.Add(next.Text) {
			l.ahead, l.err = &next, err
		}
	}
	line.Code, line.Text = l.joiner.Code, l.joiner.Take()
	return line, nil
}

func (l *Lines) read() (Line, error) {
	if ahead := l.ahead; ahead != nil {
		l.ahead = nil
		return *ahead, l.err
	}
	content, err := l.lines.Next()
	line := Line{Text: content, Number: l.lines.Line()}
	var rejected *text.LineError
	switch {
	case errors.As(err, &rejected):
		line.Bad, err = rejected.Err, nil
	case errors.Is(err, text.ErrLongLine) || errors.Is(err, text.ErrUTF8):
		err = fmt.Errorf("%s: %w", l.input.Name(), err)
	}
	return line, err
}

// Number returns the number of lines that Next has returned.
func (l *Lines) Number() int { return l.lines.Line() }

// Empty returns the error for an input without lines.
func (l *Lines) Empty() error {
	return fmt.Errorf("%s: %w, expected one sentence a line", l.input.Name(), text.ErrEmptyFile)
}

// LineError adds the name of an input and the number of a line to err.
func LineError(name string, number int, err error) error {
	return fmt.Errorf("%s:%d: %w", name, number, err)
}

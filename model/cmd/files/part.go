package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// ErrPart is an error of [Kind.Open]: the path has the part of another output.
var ErrPart = errors.New("is an unfinished output of other inputs or options")

const partExtension = "part"

// continuePart starts an output of lines that outlasts its process. Before [Output.Commit], the lines
// stand in a part, the file path.KEY.part. A part that is not empty stays after [Output.Close] or a
// crash, and the next process with the same key goes on at its end. The key is 16 lowercase
// hexadecimal digits of a hash of all that determines the lines.
//
// continuePart removes what a crash may leave after the last complete line: a line without its end,
// and everything from the line of the first NUL on, since some file systems put NUL in place of data
// that they lost.
//
// If path has a part with another key, the error wraps [ErrPart] and names that file. Other errors
// are those of [Create], and [regular.Err] for a pipe or a device. The caller must hold the [Lock]
// of path.
func continuePart(path, key string, overwrite bool) (*Output, error) {
	if err := CheckOutput(path, overwrite); err != nil {
		return nil, err
	}
	if err := CheckRegular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	o := &Output{overwrite: overwrite, part: true}
	var err error
	if o.path, err = target(path); err != nil {
		return nil, err
	}
	name := o.path + "." + key + "." + partExtension
	if err := checkParts(o.path, name); err != nil {
		return nil, err
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	if o.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	o.w = o.file
	unfinished.outputs[o] = true
	if err := errors.Join(o.cut(), syncFolder(filepath.Dir(name))); err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// checkParts returns an error if path has a part other than that of this name. It removes parts
// without data, and those that a killed Commit has linked to path.
func checkParts(path, name string) error {
	parts, err := filesBeside(path, partExtension)
	if err != nil {
		return err
	}
	for _, part := range parts {
		info, err := os.Stat(part)
		switch {
		case err != nil:
		case info.Size() == 0 || Same(part, path):
			err = os.Remove(part)
		case part != name:
			err = fmt.Errorf("%s: %w: finish it with these or remove it", part, ErrPart)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cut truncates the output after the last complete line before the first NUL.
func (o *Output) cut() error {
	var at, end int64
	content, buffer := o.Content(), make([]byte, 1<<18)
	for {
		n, err := content.Read(buffer)
		text, _, lost := bytes.Cut(buffer[:n], []byte{0})
		if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
			end = at + int64(i) + 1
		}
		at += int64(n)
		if lost || err == io.EOF {
			return o.Truncate(end)
		}
		if err != nil {
			return err
		}
	}
}

// Content returns a reader of what the output holds from its beginning.
func (o *Output) Content() io.Reader {
	return io.NewSectionReader(o.file, 0, math.MaxInt64)
}

// Truncate removes all but the first size bytes, after which Write goes on.
func (o *Output) Truncate(size int64) error {
	if err := o.file.Truncate(size); err != nil {
		return err
	}
	_, err := o.file.Seek(size, io.SeekStart)
	return err
}

// IsPart reports whether a later process can continue the output if this one ends early.
func (o *Output) IsPart() bool { return o.part }

// ToResume says how to go on with a part.
func (o *Output) ToResume() string { return "run the same command to resume from " + o.Name() }

package files

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/softsearch-go/softsearch/model/internal/atomic"
	"github.com/softsearch-go/softsearch/model/safetensors"
)

// Errors of outputs.
var (
	ErrExists = errors.New("exists already") // the output would replace a file
	errInput  = errors.New("is an input")    // the output would replace a file that the command reads
)

func errExists(path string) error {
	return fmt.Errorf("%s: %w, expected a new file or --overwrite", path, ErrExists)
}

// CheckOutput returns an error if no output can be written to path. It wraps [ErrExists] if path is
// another file than the inputs and overwrite is false. Empty inputs are ignored. A pipe or a device, such
// as /dev/null, is written to as it is.
func CheckOutput(path string, overwrite bool, inputs ...string) error {
	if path == "" {
		return errors.New("is empty, expected the name of a file")
	}
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	exists := err == nil
	if exists && info.IsDir() {
		return fmt.Errorf("%s: is a folder, expected a file", path)
	}
	for _, input := range inputs {
		if other, err := os.Stat(input); exists && err == nil && os.SameFile(info, other) {
			return fmt.Errorf("%s: %w, expected another file", path, errInput)
		}
	}
	if exists && !info.Mode().IsRegular() {
		return nil
	}
	if exists && !overwrite {
		return errExists(path)
	}
	f, err := atomic.Create(path)
	if folder := MissingFolder(err); folder != "" {
		return fmt.Errorf("%s: cannot be written: there is no folder %s", path, folder)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot be written: %w", path, err)
	}
	return f.Close()
}

// MissingFolder returns the folder of a file that cannot be opened because there is no such folder. It is empty for
// other errors.
func MissingFolder(err error) string {
	failed, ok := errors.AsType[*fs.PathError](err)
	if !ok || !errors.Is(failed, fs.ErrNotExist) {
		return ""
	}
	folder := filepath.Dir(failed.Path)
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return folder
}

// CheckReplaced returns an error for a file that exists and cannot be an output of a command: a model or a checkpoint if
// isModel is true, and otherwise text. An empty file can be replaced.
func CheckReplaced(path string, isModel bool) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // the business of CheckOutput
	}
	kind, fits := "a model of rnnsearch", false
	if isModel {
		metadata, err := safetensors.Metadata(path)
		fits = err == nil && strings.HasPrefix(metadata["format"], "softsearch ")
	} else {
		kind = "text"
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		head := make([]byte, 512)
		n, _ := f.Read(head)
		fits = strings.HasPrefix(http.DetectContentType(head[:n]), "text/")
	}
	if !fits {
		return fmt.Errorf("%s: is not %s, and --overwrite replaces nothing else; expected another name, or remove the file", path, kind)
	}
	return nil
}

// Same reports whether two paths name one file, whatever their spellings and links. The files need
// not exist.
func Same(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(first, second)
	}
	return err != nil && err2 != nil && resolved(a) == resolved(b)
}

// resolved returns the absolute path of a file that need not exist, with links followed where that
// is possible.
func resolved(path string) string {
	if end, err := atomic.Follow(path); err == nil {
		path = end
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// Options of an output, as flags set them.
type Options struct {
	Overwrite bool // replace a file that may be an output of a command
	IsModel   bool // that is, a model or a checkpoint, rather than text
	NoLock    bool // for a file system without locks
}

// An Output is a file that appears at its path when it is complete. Standard output, a pipe and a device are
// written to directly.
type Output struct {
	io.Writer
	flag, path string // as the user gave them; empty for standard output
	overwrite  bool
	device     *os.File     // a pipe or a device, or nil
	file       *atomic.File // another file, or nil
	lock       *Lock        // that Close releases, or nil
	lines      int          // of the input, for which an earlier process has written the output
	quoted     bool         // as in Part
}

// StandardOutput returns an output that writes to w. Its errors say that it is standard output.
func StandardOutput(w io.Writer) *Output { return &Output{Writer: w} }

// A Part lets a later process go on with an output of lines that this one leaves incomplete, in the file
// PATH.KEY.part.
type Part struct {
	Key string // names all that determines the output

	// Line returns the number, from 0, of the input's line that a line of the output is for. It never decreases. If
	// Line is nil, each line of the input has one of the output.
	Line func(output string) (number int, err error)

	Quoted bool // lines are JSON strings, which Commit joins
}

// Create starts the output to path, the value of a flag, which its errors name. It continues the part of an earlier
// process, unless part is nil. No other process can open the output until [Output.Close], unless there is no lock.
func Create(flag, path string, part *Part, options Options, inputs ...string) (*Output, error) {
	o := &Output{flag: flag, path: path, overwrite: options.Overwrite}
	err := o.open(part, options, inputs)
	if err != nil {
		o.Close()
		return nil, o.named(err)
	}
	return o, nil
}

func (o *Output) open(part *Part, options Options, inputs []string) error {
	if err := CheckOutput(o.path, options.Overwrite, inputs...); err != nil {
		return err
	}
	if options.Overwrite {
		if err := CheckReplaced(o.path, options.IsModel); err != nil {
			return err
		}
	}
	if info, err := os.Stat(o.path); err == nil && !info.Mode().IsRegular() {
		if part != nil {
			return atomic.Check(o.path, info)
		}
		o.device, err = os.OpenFile(o.path, os.O_WRONLY, 0) // waits for the reader of a pipe
		o.Writer = o.device
		return err
	}
	var err error
	if !options.NoLock {
		if o.lock, err = NewLock(o.path); err != nil {
			return err
		}
	}
	if part == nil {
		o.file, err = atomic.Create(o.path)
	} else if o.file, err = atomic.Resume(o.path, "."+part.Key+".part"); err == nil {
		err = o.resume(part)
	}
	o.Writer = o.file
	return err
}

// resume removes from the part what its process has not written whole: the end of a line, and with part.Line the
// lines for the last line of the input, of which some may be missing.
func (o *Output) resume(part *Part) error {
	o.file.Keep, o.quoted = true, part.Quoted
	size, at := int64(0), int64(0)
	for in := bufio.NewReader(o.file); ; {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		start := at
		at += int64(len(line))
		if part.Line == nil {
			o.lines, size = o.lines+1, at
			continue
		}
		n, err := part.Line(line)
		if err != nil {
			break
		}
		if n != o.lines {
			o.lines, size = n, start
		}
	}
	if err := o.file.Truncate(size); err != nil {
		return err
	}
	_, err := o.file.Seek(size, io.SeekStart)
	return err
}

// Lines returns the number of lines of the input for which an earlier process has written the output.
func (o *Output) Lines() int { return o.lines }

// Quoted reports whether what is written must be lines of JSON strings, which [Output.Commit] joins.
func (o *Output) Quoted() bool { return o.quoted }

// Write writes to the file, which is not visible at its path before [Output.Commit].
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	return n, o.failed(err)
}

// Path returns the value of the flag, or nothing for standard output.
func (o *Output) Path() string { return o.path }

// ToResume says how a later process can continue the output if this one ends early, or nothing.
func (o *Output) ToResume() string {
	if !o.isPart() {
		return ""
	}
	return "run the same command to resume from " + o.file.Name()
}

// isPart reports whether a later process can continue the output if this one ends early.
func (o *Output) isPart() bool {
	if o.file == nil || !o.file.Keep {
		return false
	}
	info, err := os.Stat(o.file.Name())
	return err == nil && info.Size() > 0
}

// failed adds the name of the output to an error, and how to go on with a part.
func (o *Output) failed(err error) error {
	if err == nil {
		return nil
	}
	named := o.named(err)
	if o.isPart() && !errors.Is(err, ErrExists) {
		return fmt.Errorf("%w; %s", named, o.ToResume())
	}
	return named
}

// named adds the name of the output to an error, in place of the path in an error of the system, which may name the
// file beside it.
func (o *Output) named(err error) error {
	inner := err
	switch e := err.(type) {
	case *fs.PathError:
		inner = e.Err
	case *os.LinkError:
		inner = e.Err
	}
	switch {
	case o.flag == "":
		return fmt.Errorf("standard output: %w", inner)
	case inner != err:
		return fmt.Errorf("--%s %s: %w", o.flag, o.path, inner)
	}
	return fmt.Errorf("--%s %w", o.flag, err)
}

// Commit makes the output appear at its path. If there is a file by then and overwrite is false, the
// error wraps [ErrExists] and that file stays.
func (o *Output) Commit() error {
	if o.file == nil {
		return nil
	}
	var err error
	if o.quoted {
		err = o.join()
	} else {
		err = o.file.Commit(o.overwrite)
	}
	if errors.Is(err, fs.ErrExist) {
		err = errExists(o.path)
	}
	return o.failed(err)
}

// join makes what the lines of a part stand for appear at the path, after which the part is not needed.
func (o *Output) join() error {
	whole, err := atomic.Create(o.path)
	if err != nil {
		return err
	}
	defer whole.Close()
	if _, err := o.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	to := bufio.NewWriter(whole)
	for lines := json.NewDecoder(o.file); ; {
		var text string
		err := lines.Decode(&text)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		to.WriteString(text) // Flush returns its error
	}
	if err := to.Flush(); err != nil {
		return err
	}
	if err := whole.Commit(o.overwrite); err != nil {
		return err
	}
	o.file.Keep = false
	return nil
}

// Close removes the output unless it has been committed or a later process can continue it.
func (o *Output) Close() (err error) {
	if o.device != nil {
		err = o.device.Close()
	}
	if o.file != nil {
		o.file.Keep = o.isPart()
		err = o.file.Close()
	}
	if o.lock != nil {
		err = errors.Join(err, o.lock.Unlock())
	}
	return err
}

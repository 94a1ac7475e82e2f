package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/softsearch-go/softsearch/model/internal/regular"
	"github.com/softsearch-go/softsearch/model/internal/temporary"
)

// Errors of outputs.
var (
	ErrExists = errors.New("exists already") // the output would replace a file
	errInput  = errors.New("is an input")    // the output would replace a file that the command reads
)

func errExists(path string) error {
	return fmt.Errorf("%s: %w, expected a new file or --overwrite", path, ErrExists)
}

// CheckOutput returns an error if no output can be written to path. It wraps errInput if path is
// one of the inputs, whatever names they have, and [ErrExists] if it is another file and overwrite
// is false. Empty inputs are ignored. A pipe or a device, such as /dev/null, is written to as it is.
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
	unfinished.Lock()
	defer unfinished.Unlock()
	f, err := createBeside(path)
	if err != nil {
		return fmt.Errorf("%s: cannot be written: %w", path, err)
	}
	f.Close()
	return removeIfThere(f.Name()) // another process may have removed it, see removeTemporaries
}

// Same reports whether two paths name one file, whatever their spellings and links. The files need
// not exist.
func Same(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err == nil && err2 == nil {
		return os.SameFile(first, second)
	}
	if err == nil || err2 == nil {
		return false
	}
	return resolved(a) == resolved(b)
}

// resolved returns the absolute path of a file that need not exist, with links followed where that
// is possible.
func resolved(path string) string {
	if followed, err := regular.Follow(path); err == nil {
		path = followed
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// removeTemporaries removes the incomplete outputs that killed processes have left beside path, except
// the files to keep. A process that writes the same output would lose it.
func removeTemporaries(path string, keep []string) error {
	return eachBeside(path, func(file string) error {
		kept := slices.ContainsFunc(keep, func(other string) bool { return Same(file, other) })
		if kept || !temporary.Is(filepath.Base(file), path) {
			return nil
		}
		return removeIfThere(file)
	})
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// eachBeside calls f with the regular files in the folder of path, until there is an error.
func eachBeside(path string, f func(file string) error) error {
	folder, _ := filepath.Split(path)
	entries, err := os.ReadDir(cmp.Or(folder, "."))
	for _, e := range entries {
		if err == nil && e.Type().IsRegular() {
			err = f(folder + e.Name())
		}
	}
	return err
}

// An Output is a file that is written beside its path and renamed when it is complete. A pipe or a
// device is written to directly, and so is standard output.
type Output struct {
	w         io.Writer // the file, or standard output
	path      string    // with links followed
	overwrite bool
	file      *os.File // nil for standard output
	direct    bool     // the file is that at path
	size      int64    // bytes written
	part      *part    // what lets a later process continue the file, or nil
	flag      string   // that names the output in errors, or empty
	flagged   string   // the path as a user gave it to the flag, or empty
	lock      *Lock    // that Close releases, or nil
}

// StandardOutput returns an output that writes to w. Its errors say that it is standard output.
func StandardOutput(w io.Writer) *Output { return &Output{w: w} }

// unfinished holds the outputs that are neither complete nor closed. Its lock is held while files
// appear and disappear.
var unfinished = struct {
	sync.Mutex
	outputs map[*Output]bool
}{outputs: map[*Output]bool{}}

// RemoveUnfinished closes all outputs, and calls exit before any other can be created or committed.
func RemoveUnfinished(exit func()) {
	unfinished.Lock()
	defer unfinished.Unlock()
	for o := range unfinished.outputs {
		o.close()
	}
	exit()
}

// Create starts an output. If there is a file at path, the error wraps [ErrExists], unless overwrite
// is true; then [Output.Commit] replaces it. A symbolic link is followed and stays.
func Create(path string, overwrite bool) (*Output, error) {
	if err := CheckOutput(path, overwrite); err != nil {
		return nil, err
	}
	o := &Output{overwrite: overwrite}
	var err error
	if o.path, err = regular.Follow(path); err != nil {
		return nil, err
	}
	if info, statErr := os.Stat(o.path); statErr == nil && !info.Mode().IsRegular() {
		o.direct = true
		o.file, err = os.OpenFile(o.path, os.O_WRONLY, 0) // waits for the reader of a pipe
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	if !o.direct {
		o.file, err = createBeside(o.path)
	}
	if err != nil {
		return nil, err
	}
	o.w = o.file
	unfinished.outputs[o] = true
	return o, nil
}

// Write writes to the file, which is not visible at its path before [Output.Commit].
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.size += int64(n)
	return n, o.failed(err)
}

// Name returns the path of the file that Write writes to.
func (o *Output) Name() string { return o.file.Name() }

// Path returns the value of the flag, or nothing for another output.
func (o *Output) Path() string { return o.flagged }

// failed adds the name of the output to an error, and how to go on with a part.
func (o *Output) failed(err error) error {
	if err == nil {
		return nil
	}
	if o.file == nil {
		if inner, ok := err.(*fs.PathError); ok {
			err = inner.Err // the path is a guess
		}
		return fmt.Errorf("standard output: %w", err)
	}
	named := o.named(err)
	if o.isPart() && !errors.Is(err, ErrExists) {
		return fmt.Errorf("%w; %s", named, o.ToResume())
	}
	return named
}

// named adds the flag to an error about an output of [Kind.Open], and the path to an error of the
// system, which may have that of a file beside it.
func (o *Output) named(err error) error {
	if o.flag == "" {
		return err
	}
	switch inner := err.(type) {
	case *fs.PathError:
		return fmt.Errorf("--%s %s: %w", o.flag, o.flagged, inner.Err)
	case *os.LinkError:
		return fmt.Errorf("--%s %s: %w", o.flag, o.flagged, inner.Err)
	}
	return fmt.Errorf("--%s %w", o.flag, err)
}

// Commit makes the output appear at its path. If there is a file by then and overwrite is false, the
// error wraps [ErrExists] and that file stays. After an error the output is removed, unless a later
// process can continue it.
func (o *Output) Commit() error {
	unfinished.Lock()
	defer unfinished.Unlock()
	if o.file == nil {
		return nil
	}
	delete(unfinished.outputs, o)
	return o.failed(o.commit())
}

func (o *Output) commit() error {
	if o.direct {
		return o.file.Close()
	}
	err := o.unchanged()
	if err == nil {
		err = o.file.Sync()
	}
	if closeErr := o.file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = o.rename()
	}
	if err != nil {
		o.discard()
		return err
	}
	if o.part != nil {
		err = errors.Join(o.part.sums.Close(), os.Remove(o.part.sums.Name()))
	}
	return errors.Join(err, temporary.SyncFolder(filepath.Dir(o.path)))
}

// unchanged returns an error unless the file has its name and what was written to it: another process may have
// changed it.
func (o *Output) unchanged() error {
	own, err := o.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(o.file.Name())
	ok := err == nil && os.SameFile(own, named)
	if o.part == nil {
		ok = ok && own.Size() == o.size
	} else if size := o.part.size; ok {
		if err := o.part.verify(o.file); err != nil {
			return err
		}
		ok = o.part.size == size
	}
	if !ok {
		return fmt.Errorf("%s has changed while it was written", o.file.Name())
	}
	return nil
}

// discard removes the file, which has been closed, unless a later process can continue it.
func (o *Output) discard() (err error) {
	if !o.direct && !o.isPart() {
		err = os.Remove(o.file.Name())
	}
	if o.part != nil {
		err = errors.Join(err, o.part.sums.Close())
		if !o.isPart() {
			err = errors.Join(err, os.Remove(o.part.sums.Name()))
		}
	}
	return err
}

// rename gives the complete file its name. A hard link, unlike a renaming, fails if the name exists;
// a file system without hard links gets a check just before.
func (o *Output) rename() error {
	if info, err := os.Stat(o.path); err == nil {
		if !o.overwrite {
			return errExists(o.path)
		}
		if err := os.Chmod(o.file.Name(), info.Mode().Perm()); err != nil {
			return err
		}
	} else if err := os.Link(o.file.Name(), o.path); err == nil {
		return os.Remove(o.file.Name())
	} else if errors.Is(err, fs.ErrExist) {
		return errExists(o.path)
	}
	return os.Rename(o.file.Name(), o.path)
}

// Close removes the output unless it has been committed or a later process can continue it. It may
// follow Commit.
func (o *Output) Close() error {
	unfinished.Lock()
	defer unfinished.Unlock()
	return o.close()
}

func (o *Output) close() (err error) {
	if unfinished.outputs[o] {
		delete(unfinished.outputs, o)
		err = o.file.Close()
		err = errors.Join(err, o.discard())
	}
	if o.lock != nil {
		err = errors.Join(err, o.lock.Unlock())
		o.lock = nil
	}
	return err
}

// createBeside creates a file with an unused name in the folder of path.
func createBeside(path string) (*os.File, error) {
	path, err := regular.Follow(path)
	if err != nil {
		return nil, err
	}
	return temporary.Create(path, 0o666)
}

// createWhole creates a file of that name, in the folder of path, with its content: other processes see
// no other state, and a crash leaves none. The error wraps [fs.ErrExist] if there is a file or a link.
func createWhole(path, name, content string) (fs.FileInfo, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	for {
		f, err := createBeside(path)
		if err != nil {
			return nil, err
		}
		info, err := writeWhole(f, content)
		if err == nil {
			err = os.Link(f.Name(), name)
		}
		os.Remove(f.Name())
		linkError := new(os.LinkError)
		switch {
		case !errors.As(err, &linkError) || errors.Is(err, fs.ErrExist):
			return info, err
		case errors.Is(err, fs.ErrNotExist): // another process has removed the temporary file
			continue
		}
		// A file system without hard links. A crash may leave an empty file.
		if f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
			return nil, err
		}
		return writeWhole(f, content)
	}
}

// writeWhole writes the content of a new file and closes it.
func writeWhole(f *os.File, content string) (fs.FileInfo, error) {
	defer f.Close()
	if _, err := f.WriteString(content); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	return f.Stat()
}

// A Temporary is a file to write and to read that is gone after Close. Where the system allows it,
// the file has no name, and is gone after the end of the process in any way.
type Temporary struct{ *os.File }

// NewTemporary creates a file in the folder of path. [NewLock] of path removes one with a name that a killed
// process has left.
func NewTemporary(path string) (*Temporary, error) {
	f, err := createBeside(path)
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // Windows refuses, so Close tries again
	return &Temporary{f}, nil
}

// Close removes the file.
func (t *Temporary) Close() error {
	err := t.File.Close()
	if removeErr := os.Remove(t.Name()); !errors.Is(removeErr, fs.ErrNotExist) {
		err = errors.Join(err, removeErr)
	}
	return err
}

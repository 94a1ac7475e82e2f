package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Errors of outputs.
var (
	ErrExists = errors.New("exists already") // the output would replace a file
	ErrInput  = errors.New("is an input")    // the output would replace a file that the command reads
)

func errExists(path string) error {
	return fmt.Errorf("%s: %w, expected a new file or --overwrite", path, ErrExists)
}

// CheckOutput returns an error if no output can be written to path. It wraps [ErrInput] if path is
// one of the inputs, whatever names they have, and [ErrExists] if it is another file and overwrite
// is false. Empty inputs are ignored. A pipe or a device, such as /dev/null, is written to as it is.
func CheckOutput(path string, overwrite bool, inputs ...string) error {
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
			return fmt.Errorf("%s: %w, expected another file", path, ErrInput)
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
	// Another process may have removed it, see RemoveTemporaries.
	if err := os.Remove(f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
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
	if err == nil || err2 == nil {
		return false
	}
	return resolved(a) == resolved(b)
}

// resolved returns the absolute path of a file that need not exist, with links followed where that
// is possible.
func resolved(path string) string {
	if followed, err := target(path); err == nil {
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

// RemoveTemporaries removes the incomplete outputs that killed processes have left beside path,
// except the files to keep. The caller must hold the [Lock] of path: a process that writes the same
// output would lose it.
func RemoveTemporaries(path string, keep ...string) error {
	path, err := target(path)
	if err != nil {
		return err
	}
	temporaries, err := filesBeside(path, "tmp")
	if err != nil {
		return err
	}
	for _, name := range temporaries {
		if slices.ContainsFunc(keep, func(other string) bool { return Same(name, other) }) {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// filesBeside returns the regular files whose names are path, 16 hexadecimal digits and the
// extension.
func filesBeside(path, extension string) (list []string, err error) {
	folder, base := filepath.Split(path)
	entries, err := os.ReadDir(cmp.Or(folder, "."))
	if err != nil {
		return nil, err
	}
	name := regexp.MustCompile("^" + regexp.QuoteMeta(base) + `\.[0-9a-f]{16}\.` + extension + "$")
	for _, e := range entries {
		if name.MatchString(e.Name()) && e.Type().IsRegular() {
			list = append(list, folder+e.Name())
		}
	}
	return list, nil
}

// An Output is a file that is written beside its path and renamed when it is complete. A pipe or a
// device is written to directly, and so is standard output.
type Output struct {
	w         io.Writer // the file, or standard output
	path      string    // with links followed
	overwrite bool
	file      *os.File // nil for standard output
	direct    bool     // the file is that at path
	part      bool     // the file stays if it is incomplete
	synced    time.Time
	flagged   string // the path as a user gave it to --output, which errors begin with, or empty
	lock      *Lock  // that Close releases, or nil
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
	if o.path, err = target(path); err != nil {
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

// syncInterval is the time between two syncs of a part, and thus of the work that a crash of the
// system may cost. A sync can take as long as a small model takes for a window of lines.
const syncInterval = time.Second

// Write writes to the file, which is not visible at its path before [Output.Commit]. What it writes to
// a part outlasts a crash of the system, except in the last second.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err == nil && o.part && time.Since(o.synced) >= syncInterval {
		err = o.file.Sync()
		o.synced = time.Now()
	}
	return n, o.failed(err)
}

// Name returns the path of the file that Write writes to.
func (o *Output) Name() string { return o.file.Name() }

// Path returns the value of --output, or nothing for another output.
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
	named := o.Named(err)
	if o.part && !errors.Is(err, ErrExists) {
		return fmt.Errorf("%w; %s", named, o.ToResume())
	}
	return named
}

// Named adds --output to an error about an output of [Kind.Open], and the path to an error of the
// system, which may have that of a file beside it.
func (o *Output) Named(err error) error {
	if o.flagged == "" {
		return err
	}
	switch inner := err.(type) {
	case *fs.PathError:
		return fmt.Errorf("--output %s: %w", o.flagged, inner.Err)
	case *os.LinkError:
		return fmt.Errorf("--output %s: %w", o.flagged, inner.Err)
	}
	return fmt.Errorf("--output %w", err)
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
	err := o.file.Sync()
	if closeErr := o.file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = o.rename()
	}
	if err != nil {
		if !o.part {
			os.Remove(o.file.Name())
		}
		return err
	}
	return syncFolder(filepath.Dir(o.path))
}

// syncFolder makes the new name of a file outlast a crash of the system. Windows cannot sync a
// folder, nor can some file systems.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(folder)
	if err != nil {
		return nil // a folder that can be written to, but not read
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
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
		stays := o.direct
		if o.part {
			info, statErr := o.file.Stat()
			stays = statErr != nil || info.Size() > 0
		}
		err = o.file.Close()
		if !stays {
			err = errors.Join(err, os.Remove(o.file.Name()))
		}
	}
	if o.lock != nil {
		err = errors.Join(err, o.lock.Unlock())
		o.lock = nil
	}
	return err
}

// createBeside creates a file with an unused name in the folder of path. The umask decides its
// permissions; os.CreateTemp would set 0600.
func createBeside(path string) (*os.File, error) {
	path, err := target(path)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// maxLinks is the number of symbolic links after which target gives up.
const maxLinks = 40

// target returns the path that remains when the symbolic links at path are followed. The file that
// the last one names need not exist.
func target(path string) (string, error) {
	for range maxLinks {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

// A Temporary is a file to write and to read that is gone after Close. Where the system allows it,
// the file has no name, and is gone after the end of the process in any way.
type Temporary struct{ *os.File }

// NewTemporary creates a file in the folder of path. [RemoveTemporaries] of path removes one with a
// name that a killed process has left.
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

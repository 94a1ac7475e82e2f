package files

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/softsearch-go/softsearch/model/internal/regular"
	"github.com/softsearch-go/softsearch/model/internal/temporary"
)

// errPart is an error of [Kind.Open]: the path has a part that the output cannot continue.
var errPart = errors.New("is an unfinished output")

const (
	partExtension = ".part"
	sumsExtension = ".part.sums"
	sumsMagic     = "softsearch sums 1\n" // the first line of sums
)

// A part holds the lines of an output that outlasts its process, the file path.KEY.part, until they are
// complete. The file path.KEY.part.sums has a record for each [Output.WriteLines]: the number of lines of the
// input so far, the size of the part, and a SHA-256 of the record before, these numbers and what was
// written. The next process with the same key verifies them, and goes on after the last record that
// holds; what follows, such as a write that a kill or a full disk cut off, is removed. The key is 16
// lowercase hexadecimal digits of a hash of all that determines the lines.
type part struct {
	sums   *os.File
	key    string
	lines  int   // of the input, in the last record
	size   int64 // of the part, in the last record
	sum    [sha256.Size]byte
	synced time.Time
}

// continuePart starts the output to path with that key, or goes on with its part. If there is a part with
// another key, or a file that is no part has its name, the error names that file. Other errors are
// those of [Create], and [regular.Err] for a pipe or a device. The caller must hold the [Lock] of path.
func continuePart(path, key string, overwrite bool) (*Output, error) {
	if err := CheckOutput(path, overwrite); err != nil {
		return nil, err
	}
	if err := regular.CheckPath(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	path, err := regular.Follow(path)
	if err != nil {
		return nil, err
	}
	if err := checkParts(path, key); err != nil {
		return nil, err
	}
	o := &Output{path: path, overwrite: overwrite}
	if o.file, o.part, err = openPart(path, key); err != nil {
		return nil, err
	}
	o.w = o.file
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.outputs[o] = true
	return o, nil
}

// openPart opens the part of that key and its sums, verified, or creates them.
func openPart(path, key string) (file *os.File, p *part, err error) {
	name, sums := path+"."+key+partExtension, path+"."+key+sumsExtension
	p = &part{key: key}
	defer func() {
		if errors.Is(err, regular.Err) {
			err = fmt.Errorf("%w: remove it or choose another name", err)
		}
		if err != nil {
			file.Close()
			p.sums.Close()
		}
	}()
	file, err = regular.OpenOwn(name, os.O_RDWR, false)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing:
		_, err = createWhole(path, sums, sumsMagic)
	case err == nil && !isSums(sums):
		err = fmt.Errorf("%s: %w without the sums that would be in %s, as of earlier versions: remove it to start again", name, errPart, filepath.Base(sums))
	}
	if err == nil || missing && errors.Is(err, fs.ErrExist) {
		p.sums, err = regular.OpenOwn(sums, os.O_RDWR, false)
	}
	if err == nil && missing {
		if !isSums(sums) {
			return file, p, fmt.Errorf("%s: not the sums of an unfinished output: remove it or choose another name", sums)
		}
		file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err == nil {
		err = p.verify(file)
	}
	if err == nil {
		err = temporary.SyncFolder(filepath.Dir(name))
	}
	return file, p, err
}

var partName = regexp.MustCompile(`(?s)^(.*)\.([0-9a-f]{16})(` + regexp.QuoteMeta(sumsExtension) + "|" + regexp.QuoteMeta(partExtension) + ")$")

// checkParts returns an error if path has a part of another key. It removes what a process that was
// killed at its beginning or its end has left: a part without data or with path as its other name, and
// sums without their part.
func checkParts(path, key string) error {
	return eachBeside(path, func(file string) error {
		name := partName.FindStringSubmatch(file)
		if name == nil || name[1] != path {
			return nil
		}
		part := path + "." + name[2] + partExtension
		sums := path + "." + name[2] + sumsExtension
		info, err := os.Lstat(part)
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return err
		}
		own := isSums(sums)
		switch {
		case missing && own:
			return removeIfThere(sums)
		case missing:
			return nil
		case own && (info.Size() == 0 || Same(part, path)):
			return errors.Join(os.Remove(part), os.Remove(sums))
		case name[2] != key && info.Size() > 0:
			return fmt.Errorf("%s: %w of other inputs or options, or of another version: finish it with these or remove it", part, errPart)
		}
		return nil
	})
}

// isSums reports whether the file of that name has the beginning of sums.
func isSums(name string) bool {
	f, err := regular.OpenOwn(name, os.O_RDONLY, false)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, len(sumsMagic))
	_, err = io.ReadFull(f, magic)
	return err == nil && string(magic) == sumsMagic
}

// verify sets p to the last record that holds, and removes what follows it in the part and in the sums.
func (p *part) verify(content *os.File) error {
	p.lines, p.size, p.sum = 0, 0, sha256.Sum256([]byte(p.key))
	windows := bufio.NewReader(io.NewSectionReader(content, 0, math.MaxInt64))
	records := bufio.NewReader(io.NewSectionReader(p.sums, 0, math.MaxInt64))
	end, err := records.Discard(len(sumsMagic))
	if err != nil {
		return err
	}
	for {
		line, err := records.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return err
		}
		var lines int
		var size int64
		if n, _ := fmt.Sscanf(string(line), "%d %d ", &lines, &size); n != 2 || lines < p.lines || size < p.size {
			break
		}
		next, record, err := p.after(lines, size, io.LimitReader(windows, size-p.size))
		if err != nil {
			return err
		}
		if string(line) != record {
			break
		}
		*p = next
		end += len(line)
	}
	if err := cut(content, p.size); err != nil {
		return err
	}
	return cut(p.sums, int64(end))
}

// cut removes all but the first size bytes of f, after which the next write goes on.
func cut(f *os.File, size int64) error {
	if err := f.Truncate(size); err != nil {
		return err
	}
	_, err := f.Seek(size, io.SeekStart)
	return err
}

// after returns p after a write, and its record.
func (p part) after(lines int, size int64, written io.Reader) (next part, record string, err error) {
	numbers, hash := fmt.Sprintf("%d %d", lines, size), sha256.New()
	fmt.Fprintf(hash, "%x %s\n", p.sum, numbers)
	_, err = io.Copy(hash, written)
	p.lines, p.size = lines, size
	hash.Sum(p.sum[:0])
	return p, fmt.Sprintf("%s %x\n", numbers, p.sum), err
}

// syncInterval is the time between two syncs of a part, and thus of the work that a crash of the
// system may cost. A sync can take as long as a small model takes for a window of lines.
const syncInterval = time.Second

// WriteLines writes what the output has for the input up to that number of lines. A later process may
// continue the output after it; a crash of the system costs what was written in its last second.
func (o *Output) WriteLines(written string, lines int) error {
	if _, err := io.WriteString(o, written); err != nil || o.part == nil {
		return err
	}
	next, record, _ := o.part.after(lines, o.part.size+int64(len(written)), strings.NewReader(written))
	_, err := o.part.sums.WriteString(record)
	if err == nil && time.Since(next.synced) >= syncInterval {
		err = errors.Join(o.file.Sync(), next.sums.Sync())
		next.synced = time.Now()
	}
	if err == nil {
		*o.part = next
	}
	return o.failed(err)
}

// Lines returns the number of lines of the input for which earlier processes have written the output.
func (o *Output) Lines() int {
	if o.part == nil {
		return 0
	}
	return o.part.lines
}

// isPart reports whether a later process can continue the output if this one ends early.
func (o *Output) isPart() bool { return o.part != nil && o.part.size > 0 }

// ToResume says how a later process can continue the output if this one ends early, or nothing.
func (o *Output) ToResume() string {
	if !o.isPart() {
		return ""
	}
	return "run the same command to resume from " + o.Name()
}

package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// published is a module that users install.
type published struct {
	path string // module path
	dir  string // slash-separated, relative to the root of the repository
}

var (
	rootModule    = published{"github.com/softsearch-go/softsearch", "."}
	commandModule = published{"github.com/softsearch-go/softsearch/model/cmd", "model/cmd"}
	modules       = []published{rootModule, commandModule}
)

// goMod returns the path of the module's go.mod in the repository at root.
func (m published) goMod(root string) string {
	return filepath.Join(root, filepath.FromSlash(m.dir), "go.mod")
}

// writeProxy writes a module proxy to dir that serves both modules of the working tree at root
// as version.
func writeProxy(dir, root, version string) error {
	for _, m := range modules {
		at := filepath.Join(dir, filepath.FromSlash(m.path), "@v")
		if err := os.MkdirAll(at, 0o777); err != nil {
			return err
		}
		mod, err := os.ReadFile(m.goMod(root))
		if err != nil {
			return err
		}
		for name, content := range map[string]string{
			"list":            version + "\n",
			version + ".info": fmt.Sprintf(`{"Version":%q,"Time":"2000-01-01T00:00:00Z"}`, version),
			version + ".mod":  string(mod),
		} {
			if err := os.WriteFile(filepath.Join(at, name), []byte(content), 0o666); err != nil {
				return err
			}
		}
		if err := writeZip(filepath.Join(at, version+".zip"), root, m, version); err != nil {
			return err
		}
	}
	return nil
}

// writeZip writes the module zip of m at version: the files that git tracks or would add, without
// those of nested modules.
func writeZip(name, root string, m published, version string) error {
	list, err := output(root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", m.dir)
	if err != nil {
		return err
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		f := treeFile{full: filepath.Join(root, filepath.FromSlash(name))}
		if f.info, err = os.Lstat(f.full); os.IsNotExist(err) {
			continue // deleted in the working tree
		} else if err != nil {
			return err
		}
		f.name = strings.TrimPrefix(name, path.Clean(m.dir)+"/")
		files = append(files, f)
	}
	w, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := zip.Create(w, module.Version{Path: m.path, Version: version}, files); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}

// A treeFile is a file of the working tree, as package zip reads it.
type treeFile struct {
	name string // slash-separated, relative to the module
	full string // in the file system
	info os.FileInfo
}

func (f treeFile) Path() string                 { return f.name }
func (f treeFile) Lstat() (os.FileInfo, error)  { return f.info, nil }
func (f treeFile) Open() (io.ReadCloser, error) { return os.Open(f.full) }

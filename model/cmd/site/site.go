// Package site writes the page of package server as static files that translate without a server: the library runs
// in the browser as WebAssembly. [Settings.Write] compiles [program], which is package server itself, and adds models.
// page has what differs from the page of the server: send.js hands its requests to worker.js, which runs the program,
// and service.js keeps the files for use without a network.
package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/softsearch-go/softsearch/model/cmd/internal/models"
	"github.com/softsearch-go/softsearch/model/cmd/server"
	"github.com/softsearch-go/softsearch/model/decode"
)

// Settings say what to write.
type Settings struct {
	Folder   string // to write, empty or new, and not the current one; its parent must exist
	Models   []Model
	Decoding decode.Options // of all models, as in server.Options
	Version  string         // of the module, whose program is compiled outside a clone
}

// A Model is a model of the page and its files.
type Model struct {
	server.Model
	Paths []string
}

const (
	module  = "github.com/softsearch-go/softsearch/model/cmd"
	program = module + "/site/program"
)

// contents are the large files, which the worker loads when they are needed.
type contents struct {
	Program file         `json:"program"`
	Models  []modelFiles `json:"models"`
}

type modelFiles struct {
	Name     string         `json:"name"`
	Source   string         `json:"source"`
	Target   string         `json:"target"`
	Decoding decode.Options `json:"decoding"`
	Files    []file         `json:"files"`
}

// A file has a name that its content determines. The worker keeps it once it has that size and hash.
type file struct {
	File   string `json:"file"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"`
}

// Write compiles the program, and writes the site beside Folder before it has that name.
func (s Settings) Write(ctx context.Context) error {
	if s.Folder = filepath.Clean(s.Folder); s.Folder == "." {
		return errors.New("the current folder cannot be replaced, expected a new folder")
	}
	if entries, err := os.ReadDir(s.Folder); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty, expected a new folder", s.Folder)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(s.Folder), "."+filepath.Base(s.Folder)+"-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := s.write(ctx, &site{folder: work, small: map[string]string{}}); err != nil {
		return err
	}
	os.Remove(s.Folder) // if it is empty; otherwise Rename fails
	return errors.Join(os.Chmod(work, 0o755), os.Rename(work, s.Folder))
}

// A site is a folder that is being written, until there is an error.
type site struct {
	folder string
	small  map[string]string // hashes of files that are kept together
	large  []string
	err    error
}

const contentsFile, serviceFile = "site.json", "service.js"

var (
	//go:embed page
	page embed.FS
	//go:embed service.js
	service []byte
)

func (s Settings) write(ctx context.Context, to *site) error {
	wasm, runtime, err := compile(ctx, s.Version)
	if err != nil {
		return err
	}
	c := contents{Program: to.addLarge("program", "wasm.gzip", wasm)} // servers decode .gz
	o := server.Options{Decoding: s.Decoding, Version: s.Version}
	var cards []string
	for _, m := range s.Models {
		o.Models = append(o.Models, m.Model)
		described := modelFiles{Name: m.Name, Source: m.Source, Target: m.Target, Decoding: s.Decoding}
		var card []byte
		for _, path := range m.Paths {
			content, err := models.Content(path)
			if err != nil {
				return err
			}
			about, err := models.Info{Model: path}.Content()
			if err != nil {
				return err
			}
			described.Files = append(described.Files, to.addLarge("models/"+m.Name, "safetensors", content))
			card = append(card, about...)
		}
		to.add("models/"+m.Name+".txt", card)
		c.Models, cards = append(c.Models, described), append(cards, fmt.Sprintf(`<a href="models/%s.txt">%[1]s</a>`, m.Name))
	}
	list, err := listModels(o)
	if err != nil {
		return err
	}
	index, err := json.Marshal(c)
	if err != nil {
		return err
	}
	to.add("models.json", list)
	to.add(contentsFile, index)
	to.add("page/wasm_exec.js", runtime)
	to.addPage(server.Page(), cards)
	to.addPage(page, nil)
	to.addService()
	return to.err
}

// listModels returns what a server with these options answers to GET /v1/models.
func listModels(o server.Options) ([]byte, error) {
	s, err := server.New(o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r, err := http.NewRequest(http.MethodGet, "/v1/models", nil)
	if err != nil {
		return nil, err
	}
	answer := recorder{header: http.Header{}}
	s.ServeHTTP(&answer, r)
	return answer.Bytes(), nil
}

type recorder struct {
	bytes.Buffer
	header http.Header
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(int)     {}

// compile returns the program, compressed, and the file of Go that runs it. A command that make release built has them.
// For others, the module is the one around the folder, in a clone, or else the one of that version.
func compile(ctx context.Context, version string) (wasm, runtime []byte, err error) {
	if wasm, err = release.ReadFile("release/program.wasm.gz"); err == nil {
		runtime, err = release.ReadFile("release/wasm_exec.js")
		return wasm, runtime, err
	}
	work, err := os.MkdirTemp("", "rnnsearch-site-*")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(work)
	run := func(folder string, args ...string) (string, error) {
		c := exec.CommandContext(ctx, "go", args...)
		c.Dir, c.Env = folder, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off")
		if folder == "" {
			c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		}
		output, err := c.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(output))
		}
		return strings.TrimSpace(string(output)), err
	}
	root, err := run("", "env", "GOROOT")
	if err != nil {
		return nil, nil, fmt.Errorf("only a command built by make release has the program of a site, others compile it with Go: %w", err)
	}
	if runtime, err = os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js")); err != nil {
		return nil, nil, err
	}
	folder, output := "", filepath.Join(work, "program.wasm")
	if _, err := run("", "list", program); err != nil {
		if !strings.HasPrefix(version, "v") {
			return nil, nil, fmt.Errorf("this command was built from a clone, in which alone it can compile the program of a site: %w", err)
		}
		folder = work
		require := fmt.Sprintf("module site\n\ngo 1.26\n\nrequire %s %s\n", module, version)
		if err := os.WriteFile(filepath.Join(work, "go.mod"), []byte(require), 0o644); err != nil {
			return nil, nil, err
		}
	}
	if _, err := run(folder, "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", output, program); err != nil {
		return nil, nil, err
	}
	wasm, err = os.ReadFile(output)
	return compressed(wasm), runtime, err
}

// addPage adds the files of a page. cards are links to descriptions of the models.
func (s *site) addPage(page fs.FS, cards []string) {
	err := fs.WalkDir(page, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(page, name)
		if path.Base(name) == "index.html" {
			name, content = "index.html", index(content, cards)
		}
		s.add(name, content)
		return err
	})
	s.err = cmp.Or(s.err, err)
}

// policy keeps the page from all that is not a file of the site.
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; form-action 'none'"

// index returns the page with its policy, which a server sends in a header, a place for progress, and links.
func index(html []byte, cards []string) []byte {
	return []byte(strings.NewReplacer(
		`<a href="openapi.json">API</a>, `, "", "<title>", `<meta http-equiv="Content-Security-Policy" content="`+policy+`">`+"\n<title>",
		`<div id="panes">`, `<p id="loading" role="status" hidden><progress></progress> <span></span></p>`+"\n  "+`<div id="panes">`,
		"</body>", `<footer class="caption">Translated in this browser; nothing is sent. Models: `+strings.Join(cards, ", ")+".</footer>\n</body>",
	).Replace(string(html)))
}

// addService adds the service worker, with the hashes of small files, the names of large ones, and their version.
// Browsers see by its content that there is another.
func (s *site) addService() {
	s.small["./"] = s.small["index.html"]
	names, err := json.Marshal(map[string]any{"small": s.small, "large": s.large})
	s.err = cmp.Or(s.err, err)
	s.put(serviceFile, fmt.Appendf(nil, "const site = %s;\nsite.version = %q;\n\n%s", names, hashOf(names)[:16], service))
}

// add writes a small file, which replaces one of that name, and the same compressed, for servers that choose.
func (s *site) add(name string, content []byte) {
	s.small[name] = hashOf(content)
	s.put(name, content)
	s.put(name+".gz", compressed(content))
}

// addLarge writes a file whose name has a part of its hash, so that it can be kept for good.
func (s *site) addLarge(name, extension string, content []byte) file {
	hash := hashOf(content)
	name = fmt.Sprintf("%s-%s.%s", name, hash[:16], extension)
	s.large = append(s.large, name)
	s.put(name, content)
	return file{name, len(content), hash}
}

func hashOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

func (s *site) put(name string, content []byte) {
	to := filepath.Join(s.folder, filepath.FromSlash(name))
	s.err = cmp.Or(s.err, os.MkdirAll(filepath.Dir(to), 0o755))
	if s.err == nil {
		s.err = os.WriteFile(to, content, 0o644)
	}
}

func compressed(content []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // neither the level nor a buffer can be wrong
	w.Write(content)
	w.Close()
	return b.Bytes()
}

package server

import (
	"cmp"
	"crypto/rand"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/softsearch-go/softsearch/model/cmd/internal/markup"
)

const (
	downloads = "/download_file/"
	fileLife  = 30 * time.Minute // of a translated file
	fileShare = 16               // all such files have one part in that many of Options.MaxMemory
)

type fileAnswer struct {
	URL string `json:"translatedFileUrl"`
}

// translateFile answers POST /translate_file as LibreTranslate does, for files of UTF-8. The limit of characters is for texts:
// files have the limit of a body.
func (s *Server) translateFile(w http.ResponseWriter, r *http.Request, body []byte) error {
	q, err := readLibre(r, body)
	if err != nil {
		return err
	}
	name, content, err := readFile(r)
	if err != nil {
		return err
	}
	extension := path.Ext(name)
	q.Format = markup.FormatOf(extension)
	switch {
	case q.Source == "":
		return missing("source")
	case q.Target == "":
		return missing("target")
	case q.Format == "":
		return failf(http.StatusBadRequest, "Invalid request: file format not supported")
	case !utf8.ValidString(content):
		return failf(http.StatusBadRequest, "the file is not UTF-8")
	}
	content, marked := strings.CutPrefix(content, "\ufeff")
	q.Q.list = []string{content}
	a, err := s.libreTexts(w, r, q, 1)
	if err != nil {
		return err
	}
	translated := a.texts[0]
	if marked {
		translated = "\ufeff" + translated
	}
	name, err = s.files.keep(strings.TrimSuffix(name, extension)+"_"+q.Target+extension, translated)
	if err != nil {
		return err
	}
	address := url.URL{Scheme: "http", Host: r.Host, Path: downloads + name}
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" { // from a proxy
		address.Scheme = "https"
	}
	return writeJSON(w, http.StatusOK, fileAnswer{address.String()})
}

// readFile returns the name of the file in a form, with letters, digits and ._- only, and its content.
func readFile(r *http.Request) (name, content string, err error) {
	if r.MultipartForm == nil || len(r.MultipartForm.File["file"]) == 0 {
		return "", "", missing("file")
	}
	header := r.MultipartForm.File["file"][0]
	f, err := header.Open()
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, header.Filename)
	return strings.ToValidUTF8(name[max(0, len(name)-100):], ""), string(data), err
}

// A fileStore keeps translated files for some time, the older ones for less if the later ones need the memory.
type fileStore struct {
	limit int64 // bytes of all
	life  time.Duration

	mutex sync.Mutex
	files []translatedFile // oldest first
}

type translatedFile struct {
	name, content string
	life          *time.Timer
}

func (f translatedFile) bytes() int64 { return int64(len(f.content)) + 1<<10 }

// keep returns a name for a file that nobody can guess.
func (s *fileStore) keep(name, content string) (string, error) {
	f := translatedFile{name: rand.Text() + "." + name, content: strings.Clone(content)}
	if f.bytes() > s.limit {
		return "", failf(http.StatusBadRequest, "translated file of %d bytes, expected at most %d", len(content), s.limit)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for used := s.bytes() + f.bytes(); used > s.limit; s.files = s.files[1:] {
		s.files[0].life.Stop()
		used -= s.files[0].bytes()
	}
	f.life = time.AfterFunc(s.life, func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.files = slices.DeleteFunc(s.files, func(other translatedFile) bool { return other.name == f.name })
	})
	s.files = append(s.files, f)
	return f.name, nil
}

func (s *fileStore) get(name string) (content string, ok bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i := slices.IndexFunc(s.files, func(f translatedFile) bool { return f.name == name })
	if i < 0 {
		return "", false
	}
	return s.files[i].content, true
}

func (s *fileStore) bytes() (sum int64) {
	for _, f := range s.files {
		sum += f.bytes()
	}
	return sum
}

func (s *Server) downloadFile(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	content, ok := s.files.get(name)
	if !ok {
		return failf(http.StatusNotFound, "file %.200q: not on this server, which keeps files for %s at most", userInput(name), s.files.life)
	}
	if err := w.(*recorder).memory.add(int64(len(content))); err != nil {
		return err
	}
	_, own, _ := strings.Cut(name, ".")
	kind := cmp.Or(map[string]string{".html": "text/html"}[strings.ToLower(path.Ext(own))], "text/plain")
	h := w.Header()
	h.Set("Content-Type", kind+"; charset=utf-8")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": own}))
	h.Set("Content-Security-Policy", "sandbox; "+pagePolicy) // its scripts are not the server's
	h.Set("Cache-Control", "no-store")
	_, err := io.WriteString(w, content)
	return err
}

// suggest answers POST /suggest as LibreTranslate does without suggestions.
func (s *Server) suggest(http.ResponseWriter, *http.Request) error {
	return failf(http.StatusForbidden, "Suggestions are disabled on this server.")
}

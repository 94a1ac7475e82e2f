package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/server"
)

// A serving is a process that serves.
type serving struct {
	*exec.Cmd
	url string

	mutex sync.Mutex
	log   bytes.Buffer
	ended chan struct{} // closed at the end of the log
}

var listening = regexp.MustCompile(`msg=listening address=(\S+)/`)

// startServing starts serve with arguments and waits until it listens.
func startServing(t testing.TB, env []string, args ...string) *serving {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &serving{Cmd: exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...), ended: make(chan struct{})}
	s.Env = append(append(os.Environ(), asCommand+"=1"), env...)
	stderr, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Process.Kill() })
	address := make(chan string, 1)
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			s.mutex.Lock()
			s.log.WriteString(lines.Text() + "\n")
			s.mutex.Unlock()
			if match := listening.FindStringSubmatch(lines.Text()); match != nil {
				address <- match[1]
			}
		}
	}()
	select {
	case s.url = <-address:
	case <-s.ended:
		t.Fatalf("serve %s ended: %s", args, s.logged())
	}
	return s
}

func (s *serving) logged() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.log.String()
}

// until waits until the log has a text.
func (s *serving) until(t *testing.T, text string) {
	t.Helper()
	for start := time.Now(); !strings.Contains(s.logged(), text); time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("no %q in the log:\n%s", text, s.logged())
		}
	}
}

// end waits for the end of the process and returns its exit code.
func (s *serving) end() int {
	<-s.ended
	s.Wait()
	return s.ProcessState.ExitCode()
}

// post sends a request and returns the status and the body of the answer.
func post(t testing.TB, url, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(content)
}

const servedModel = "../../decode/testdata/en-fr.safetensors"

// TestServe compares answers with what translate prints.
func TestServe(t *testing.T) {
	t.Parallel()
	s := startServing(t, nil, "--model", "en-fr="+servedModel, "--model", "both="+servedModel+"+"+servedModel, "--beam", "3", "--normalize", "1")
	const line = "the dog sleeps in the garden"
	want, _, _ := execute(line+"\n", "translate", "--model", servedModel, "--beam", "3", "--normalize", "1")
	for body, path := range map[string]string{
		`{"q": "` + line + `", "source": "en", "target": "fr"}`: "/translate",
		`{"text": "` + line + `"}`:                              "/v1/translate",
		`{"text": "` + line + `", "model": "both"}`:             "/v1/translate",
	} {
		if code, got := post(t, s.url+path, body); code != http.StatusOK || !strings.Contains(got, `"`+strings.TrimSpace(want)+`"`) {
			t.Errorf("%s: status %d, %s, want %s", path, code, got, want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.end(); code != 0 || !strings.Contains(s.logged(), "msg=ending") {
		t.Errorf("exit code %d, log\n%s", code, s.logged())
	}
}

const servedKey = "0123456789abcdef"

// TestServeErrors has flags and variables that serve refuses.
func TestServeErrors(t *testing.T) {
	rubbish, empty := write(t, "rubbish", "not a model"), write(t, "empty", "")
	comment, short, marked := write(t, "comment", servedKey, "", "keys of the whole team"), write(t, "short", servedKey[1:]), write(t, "marked", servedKey+"\r", "#"+servedKey)
	named := write(t, "named", "a shop: "+servedKey)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for args, want := range map[string]string{
		"--model " + rubbish:                          "model rubbish: open " + rubbish + ": not a safetensors file",
		"--model nowhere":                             "model nowhere: open nowhere: ",
		"--model a=nowhere":                           "model a: open nowhere: ",
		"--model a=x+nowhere":                         "model a: open x: ",
		"--model a=x --model a=y":                     "invalid settings: two models with the name a",
		"--model a --beam 0":                          "--beam 0: expected 1 to 20",
		"--model a --beam 21":                         "--beam 21: expected 1 to 20",
		"--model a --max-requests 0":                  "--max-requests 0: expected 1 to ",
		"--model a --normalize 11":                    "--normalize 11: expected 0 to 10",
		"--model a --grace 0s":                        "--grace 0s: expected a time above 0",
		"--model a --grace x":                         "--grace x: expected a time such as 30s",
		"--model a --log xml":                         `--log "xml": expected text or json`,
		"--model a --keys " + named:                   named + ":1: expected a name of at most 100 letters, digits and ._- before the colon\n",
		"--model a --keys " + empty:                   empty + ": no keys, expected one a line",
		"--model a --keys nowhere":                    "open nowhere: ",
		"--model a --keys " + comment:                 comment + ":3: expected a key of at least 16 characters, without white space and #\n",
		"--model a --keys " + short:                   short + ":1: expected a key of at least 16 characters, without white space and #\n",
		"--model a --keys " + marked:                  marked + ":2: expected a key of at least 16 characters, without white space and #\n",
		"--model a --tls-key k":                       "if any flags in the group [tls-certificate tls-key] are set they must all be set; missing [tls-certificate]",
		"--model a --listen 8080":                     "--listen 8080: missing port in address, expected an address such as :8080\n",
		"--check --listen 8080":                       "--listen 8080: missing port in address, expected an address such as :8080\n",
		"--model a --listen example.org":              "--listen example.org: missing port in address, expected an address such as example.org:8080\n",
		"--model a --listen " + taken.Addr().String(): "--listen " + taken.Addr().String() + ": ",
		"--model a --tls-key " + rubbish + " --tls-certificate " + rubbish: "--tls-certificate " + rubbish + ", --tls-key " + rubbish + ": ",
		"--model " + servedModel + " --origin example.org":                 "invalid settings: invalid origin",
	} {
		stdout, stderr, code := execute("", append([]string{"serve", "--listen", "127.0.0.1:0"}, strings.Fields(args)...)...)
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "rnnsearch: "+want) {
			t.Errorf("%s: exit code %d, %s, want %s", args, code, stderr, want)
		}
	}
	for _, flag := range []string{"keys", "listen", "model", "origin", "tls-certificate", "log"} {
		args := []string{"serve", "--model", servedModel, "--beam", "0", "--" + flag, ""} // --beam 0, an error that comes later, ends a server that takes this
		if _, stderr, code := execute("", args...); code != 1 || !strings.HasPrefix(stderr, "rnnsearch: --"+flag+" is empty, expected a value\n") {
			t.Errorf("--%s: exit code %d, %s", flag, code, stderr)
		}
		t.Run(flag, func(t *testing.T) {
			name := "RNNSEARCH_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
			t.Setenv(name, "")
			if _, stderr, code := execute("", "serve", "--beam", "0"); code != 1 || !strings.HasPrefix(stderr, "rnnsearch: "+name+" is set but empty, expected a value\n") {
				t.Errorf("%s: exit code %d, %s", name, code, stderr)
			}
		})
	}
	t.Setenv("RNNSEARCH_BEAM", "x")
	if _, stderr, code := execute("", "serve", "--model", "a"); code != 1 || !strings.HasPrefix(stderr, "rnnsearch: RNNSEARCH_BEAM=x: expected an integer\n") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestServeHosts asks by several names a server at a loopback address, which has one more by a flag.
func TestServeHosts(t *testing.T) {
	t.Parallel()
	s := startServing(t, nil, "--model", servedModel, "--host", "Proxy.example")
	for host, own := range map[string]bool{
		"localhost": true, "LocalHost.:1": true, "127.0.0.1": true, "127.9.9.9:80": true, "[::1]": true, "[::1]:80": true, "[::ffff:127.0.0.1]": true,
		"proxy.example": true, "proxy.example:443": true, "foe.example": false, "localhost.foe.example": false, "127.0.0.1.foe.example:80": false,
		"foe-proxy.example": false, "10.0.0.1": false, "0.0.0.0": false, "[::]": false, "localhost@foe.example": false,
	} {
		for _, path := range []string{"/", "/livez", "/readyz", "/metrics", "/v1/models", "/page/main.js", "/nowhere", "*"} {
			r, err := http.NewRequest("GET", s.url+path, nil)
			if path == "*" { // of the server, not of a path
				r, err = http.NewRequest("OPTIONS", s.url, nil)
				r.URL.Opaque = path
			}
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if (answer.StatusCode == http.StatusMisdirectedRequest) == own {
				t.Errorf("%s of %s: status %d", path, host, answer.StatusCode)
			}
		}
	}
}

// TestServeEnvironment sets flags by variables, one of which the command line overrides.
func TestServeEnvironment(t *testing.T) {
	t.Parallel()
	s := startServing(t, []string{"RNNSEARCH_MODEL=en-fr=" + servedModel + " other=" + servedModel, "RNNSEARCH_MAX_BEAM=7", "RNNSEARCH_BEAM=5", "RNNSEARCH_LOG=json"}, "--beam", "2", "--log", "text")
	answer, err := http.Get(s.url + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, _ := io.ReadAll(answer.Body)
	for _, part := range []string{`"name":"en-fr","source":"en","target":"fr"`, `"name":"other","source":""`, `"beam":2,"limits":{"beam":7,`} {
		if !strings.Contains(string(content), part) {
			t.Errorf("no %s in %s", part, content)
		}
	}
}

// TestParseModel has values of --model.
func TestParseModel(t *testing.T) {
	plus := filepath.Join(t.TempDir(), "a+b.safetensors")
	for value, want := range map[string][3]string{
		"dir/a.safetensors":         {"a"},
		"dir/en-fr.safetensors":     {"en-fr", "en", "fr"},
		"en-fr=a.safetensors":       {"en-fr", "en", "fr"},
		"en-fr:int8=a+b":            {"en-fr:int8", "en", "fr"},
		"large=a.safetensors":       {"large"},
		"en-frx2=a.safetensors":     {"en-frx2"},
		plus:                        {"a"}, // an ensemble, until there is a file
		`C:\en-de=x\a.safetensors`:  {`C:\en-de=x\a`},
		"a.safetensors+b.safetenso": {"a"},
	} {
		if m, _ := parseModel(filepath.FromSlash(value)); m.Name != want[0] && runtime.GOOS != "windows" || m.Source != want[1] || m.Target != want[2] {
			t.Errorf("%s: name %s for %s and %s, want %q", value, m.Name, m.Source, m.Target, want)
		}
	}
	if err := os.Link(servedModel, plus); err != nil {
		t.Skip(err)
	}
	m, _ := parseModel(plus)
	if models, err := m.Open(); err != nil || len(models) != 1 {
		t.Errorf("%d models, %v", len(models), err)
	}
}

// certificate writes a certificate for 127.0.0.1 and its key.
func certificate(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(cert)
	return write(t, "cert.pem", string(cert)), write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))), roots
}

// TestServeTLS asks by HTTP/2 over TLS, with a key.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	cert, key, roots := certificate(t)
	s := startServing(t, nil, "--model", servedModel, "--tls-certificate", cert, "--tls-key", key, "--keys", write(t, "keys", "shop: "+servedKey, ""))
	if !strings.HasPrefix(s.url, "https://") {
		t.Fatalf("the address is %s", s.url)
	}
	if _, stderr, code := execute("", "serve", "--check", "--listen", strings.TrimPrefix(s.url, "https://"), "--tls-certificate", cert, "--tls-key", key); code != 0 {
		t.Errorf("--check: exit code %d, %s", code, stderr)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	for key, code := range map[string]int{servedKey: 200, "": 401, servedKey[1:]: 403} {
		r, err := http.NewRequest("POST", s.url+"/v1/stream", strings.NewReader(`{"text": "the dog"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		content, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != code || answer.ProtoMajor != 2 || code == 200 && !strings.Contains(string(content), "event: done") {
			t.Errorf("key %q: %s, status %d, %s, want %d", key, answer.Proto, answer.StatusCode, content, code)
		}
	}
}

// TestDemoServe trains the model of a demo and asks its server.
func TestDemoServe(t *testing.T) {
	t.Parallel()
	d := quickDemo(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- d.Serve(ctx, server.Endpoint{Address: "127.0.0.1:0", Grace: time.Minute}, w, io.Discard)
		w.Close()
	}()
	url := ""
	for lines := bufio.NewScanner(r); url == "" && lines.Scan(); {
		if after, ok := strings.CutPrefix(lines.Text(), "the page is at "); ok {
			url, _, _ = strings.Cut(after, "/, until Ctrl-C")
		}
	}
	if url == "" {
		t.Fatalf("no address: %v", <-ended)
	}
	if code, got := post(t, url+"/translate", `{"q": "The cat sees a red house.", "source": "en", "target": "fr"}`); code != http.StatusOK || !strings.Contains(got, "translatedText") {
		t.Errorf("status %d, %s", code, got)
	}
	models, err := http.Get(url + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer models.Body.Close()
	if list, err := io.ReadAll(models.Body); err != nil || !strings.Contains(string(list), `"examples":["`+demoExamples[0]+`",`) {
		t.Errorf("%v, models %s", err, list)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

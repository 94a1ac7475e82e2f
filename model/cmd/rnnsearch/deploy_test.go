package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestService serves with the command of the unit for systemd, and lets systemd check the unit.
func TestService(t *testing.T) {
	t.Parallel()
	const binary, listen = "/usr/local/bin/rnnsearch", "127.0.0.1:8080"
	unit := string(read(t, "../server/rnnsearch.service"))
	_, start, _ := strings.Cut(strings.ReplaceAll(unit, "\\\n", " "), "\nExecStart="+binary+" serve ")
	start, _, _ = strings.Cut(start, "\n")
	start = strings.NewReplacer("/usr/local/share/rnnsearch/en-fr.safetensors", servedModel,
		listen, "127.0.0.1:0", "%d/keys", write(t, "keys", servedKey)).Replace(start)
	s := startServing(t, nil, strings.Fields(start)...)
	if code, answer := post(t, s.url+"/v1/translate", `{"text": "the dog sleeps"}`); code != 401 {
		t.Errorf("without a key: status %d, %s", code, answer)
	}
	if code, answer := post(t, s.url+"/v1/translate", `{"text": "the dog sleeps"}`, "X-API-Key", servedKey); code != 200 {
		t.Errorf("with a key: status %d, %s", code, answer)
	}

	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(t.TempDir(), "rnnsearch.service")
	if err := os.WriteFile(installed, []byte(strings.ReplaceAll(unit, binary, self)), 0o666); err != nil {
		t.Fatal(err)
	}
	const exposure = "15" // tenths of what systemd calls exposure; 20 is where its OK ends
	for _, args := range [][]string{{"verify"}, {"security", "--offline=true", "--threshold=" + exposure}} {
		if out, err := exec.Command(analyze, append(args, installed)...).CombinedOutput(); err != nil || args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", args, err, out)
		}
	}
}

// TestImage runs the health check of the image for containers beside its command, in the environment of
// both.
func TestImage(t *testing.T) {
	t.Parallel()
	file := string(read(t, "../server/Dockerfile"))
	words := func(instruction string) []string {
		t.Helper()
		match := regexp.MustCompile(`(?m)^` + instruction + ` (\[.*\])$`).FindStringSubmatch(file)
		var list []string
		if match == nil || json.Unmarshal([]byte(match[1]), &list) != nil || len(list) < 2 || list[0] != "/rnnsearch" {
			t.Fatalf("no %s of the form [\"/rnnsearch\", ...]", instruction)
		}
		return list[1:]
	}
	if entry := words("ENTRYPOINT"); len(entry) != 1 || entry[0] != "serve" {
		t.Errorf("ENTRYPOINT %q", entry)
	}
	check := func(address string, want int, says string) {
		t.Helper()
		c := command(t, words("HEALTHCHECK .* CMD")...)
		c.Env = append(c.Env, "RNNSEARCH_LISTEN="+address)
		out, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != want || !strings.Contains(string(out), says) {
			t.Errorf("exit code %d, %s", code, out)
		}
	}
	s := startServing(t, []string{"RNNSEARCH_MODEL=en-fr=" + servedModel})
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	for _, host := range []string{"127.0.0.1", "", "0.0.0.0", "localhost"} {
		check(host+":"+port, 0, "")
	}
	s.Process.Kill()
	s.end()
	check(":"+port, 1, "connection refused")
}

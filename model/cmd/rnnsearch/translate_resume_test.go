package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/internal/files"
	"github.com/softsearch-go/softsearch/model/cmd/internal/terminal"
	"github.com/softsearch-go/softsearch/model/cmd/internal/translation"
	"github.com/softsearch-go/softsearch/model/decode"
)

// A resumable is a translation of a file that can be resumed.
type resumable struct {
	args         []string // without --output
	key, part    string   // what follows the name of the output in that of its part
	want, stderr string   // of a run without interruption
	code         int
}

// newResumable returns the translation of an input with more flags, which set the options o.
func newResumable(t *testing.T, model, input string, o decode.Options, flags ...string) resumable {
	t.Helper()
	in, err := files.Open(input)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	number, commit := build()
	o.ReplaceUNK = true // by default
	key, err := translation.Options{Models: []string{model}, MaxSource: translation.MaxSentence, Decoding: o}.Key(number+" "+commit, in)
	if err != nil {
		t.Fatal(err)
	}
	r := resumable{args: append([]string{"translate", "--model", model, "--input", input, "--resume"}, flags...), key: key, part: "." + key + ".part"}
	output := filepath.Join(t.TempDir(), "whole")
	var stdout string
	if stdout, r.stderr, r.code = execute("", append(r.args, "--output", output)...); stdout != "" {
		t.Errorf("standard output %q", stdout)
	}
	r.want = content(t, output)
	return r
}

// inOneRun returns what standard error would have without interruption, with a blank time and speed.
func inOneRun(stderr string) string {
	for _, part := range []struct{ pattern, instead string }{
		{`(?m)^rnnsearch: resuming after .*\n`, ""},
		{`: \d+ lines? in earlier runs, \d+ lines? in`, " in"},
		{`in \d+\.\d s, \d+ words/s`, "in 0.0 s, 0 words/s"},
	} {
		stderr = regexp.MustCompile(part.pattern).ReplaceAllString(stderr, part.instead)
	}
	return stderr
}

// check resumes the translation to an output.
func (r resumable) check(t *testing.T, name, output string) (stderr string) {
	t.Helper()
	_, stderr, code := execute("", append(r.args, "--output", output)...)
	r.compare(t, name, output, stderr, code)
	return stderr
}

// compare compares the result of a resumed translation with that of one run.
func (r resumable) compare(t *testing.T, name, output, stderr string, code int) {
	t.Helper()
	if got, want := inOneRun(stderr), inOneRun(r.stderr); got != want || code != r.code {
		t.Errorf("%s: exit code %d, standard error %s\nwant %d, %s", name, code, got, r.code, want)
		return
	}
	if got := content(t, output); got != r.want {
		t.Errorf("%s: got %q, want %q", name, got, r.want)
	}
	if names := entries(t, filepath.Dir(output)); !slices.Equal(names, []string{filepath.Base(output)}) {
		t.Errorf("%s: left behind: %q", name, names)
	}
}

// resumedText has an empty line and two that cannot be used, one of them the last.
const resumedText = "a dog\n\xff\n\nthe cat sees\na cat\n\xff"

// begin writes the part of an output as a killed process leaves it: one write for each line of the input.
// It returns the name of the part.
func (r resumable) begin(t *testing.T, output string, written ...string) string {
	t.Helper()
	o, err := files.Text.Open("output", output, r.key, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range written {
		if err := o.WriteLines(text, i+1); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	return output + r.part
}

// TestResumeCut resumes translations and n-best lists, in which bad lines have no list, after each
// byte, followed or not by a line that is not theirs.
func TestResumeCut(t *testing.T) {
	model, input := saved(t, tinyModel(t)), write(t, "in", resumedText)
	for _, n := range []int{0, 2} {
		r := newResumable(t, model, input, decode.Options{Beam: 5, MaxLength: 2, NBest: n}, "--max-length", "2", "--best", fmt.Sprint(n))
		written := strings.SplitAfter(r.want, "\n")[:6]
		if n > 0 {
			written = make([]string, 6)
			for entry := range strings.Lines(r.want) {
				number := 0
				fmt.Sscan(entry, &number)
				written[number] += entry
			}
		}
		for i := range len(r.want) + 1 {
			output := filepath.Join(t.TempDir(), "out")
			part := r.begin(t, output, written...)
			if err := os.WriteFile(part, []byte(r.want[:i]+[]string{"", "foreign\n"}[i%2]), 0o666); err != nil {
				t.Fatal(err)
			}
			stderr := r.check(t, fmt.Sprint(i, " bytes"), output)
			earlier, size := 0, 0
			for k, text := range written {
				if size += len(text); size <= i && i > 0 {
					earlier = k + 1
				}
			}
			if earlier == 6 && n > 0 || strings.Join(written[:earlier], "") == "" { // a line without a list makes no record after it
				continue
			}
			if want := fmt.Sprintf("rnnsearch: resuming after %s in %s\n", terminal.Plural(earlier, "line"), part); !strings.HasPrefix(stderr, want) {
				t.Errorf("%d bytes: got %s, want %d lines of an earlier run", i, stderr, earlier)
			}
			if want := fmt.Sprintf(": %s in earlier runs, %s in ", terminal.Plural(earlier, "line"), terminal.Plural(6-earlier, "line")); earlier < 6 && !strings.Contains(stderr, want) {
				t.Errorf("%d bytes: got %s, want %s", i, stderr, want)
			}
		}
	}
}

// manyLines are several windows of lines of different lengths, some of which cannot be used.
func manyLines(t *testing.T, n int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 1409))
	list := make([]string, n)
	for i := range list {
		list[i] = strings.Join(wordsOf(1+r.IntN(12)), " ")
		if i%300 == 100 {
			list[i] = "\xff"
		}
	}
	return write(t, "in", list...)
}

// waitLonger returns when the file at path has more bytes than that, or when there is an output.
func waitLonger(t *testing.T, path string, size int64, output string) int64 {
	t.Helper()
	for range 10_000 {
		if info, err := os.Stat(path); err == nil && info.Size() > size {
			return info.Size()
		}
		if _, err := os.Stat(output); err == nil {
			return size
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("nothing is written")
	return 0
}

// TestResumeKilled kills translations at random moments after they have written more than the one
// before, until one ends.
func TestResumeKilled(t *testing.T) {
	model, input := saved(t, tinyModel(t)), manyLines(t, 8000)
	for _, n := range []int{0, 3} {
		r := newResumable(t, model, input, decode.Options{Beam: 5, MaxLength: 20, NBest: n}, "--max-length", "20", "--best", fmt.Sprint(n))
		output := filepath.Join(t.TempDir(), "out")
		var size int64
		for i := range 10 {
			p := begin(t, command(t, append(r.args, "--output", output, "--threads", fmt.Sprint(1+i%3))...))
			size = waitLonger(t, output+r.part, size, output)
			time.Sleep(rand.N(30 * time.Millisecond))
			p.Process.Kill()
			code := p.end()
			if code >= 0 {
				r.compare(t, fmt.Sprint(i, " kills"), output, p.stderr.String(), code)
				break
			}
			t.Logf("killed with %d of %d bytes", size, len(r.want))
			if _, err := os.Stat(output); err == nil {
				break
			}
		}
		if _, err := os.Stat(output); err != nil {
			r.check(t, "killed", output)
		}
		if content(t, output) != r.want {
			t.Error("the output differs from that of one run")
		}
	}
}

// TestResumeInterrupted ends a translation in order. The part has all lines that it speaks of.
func TestResumeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	output := filepath.Join(dir, "out")
	go func() {
		for ctx.Err() == nil {
			parts, _ := filepath.Glob(output + ".*.part")
			if len(parts) == 1 {
				if info, err := os.Stat(parts[0]); err == nil && info.Size() > 0 {
					cancel()
				}
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, stderr, code := executeContext(ctx, "", "translate", "--model", saved(t, tinyModel(t)), "--input", manyLines(t, 50_000), "--output", output, "--resume", "--quiet")
	end := regexp.MustCompile(`(?m)^rnnsearch: interrupted after (\d+) lines: run the same command to resume from (.*)$`).FindStringSubmatch(stderr)
	names := entries(t, dir)
	if code != interruptedCode || end == nil || len(names) != 2 || end[2] != filepath.Join(dir, names[0]) || names[1] != names[0]+".sums" {
		t.Fatalf("exit code %d, files %q, standard error %s", code, names, stderr)
	}
	if n := strings.Count(content(t, end[2]), "\n"); fmt.Sprint(n) != end[1] {
		t.Errorf("the part has %d lines, want %s", n, end[1])
	}
}

// TestResumeInterruptedAtOnce ends a translation before its first line, which leaves no part.
func TestResumeInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	output := filepath.Join(t.TempDir(), "out")
	_, stderr, code := executeContext(ctx, "", "translate", "--model", saved(t, tinyModel(t)), "--input", write(t, "in", "a dog"), "--output", output, "--resume")
	if code != interruptedCode || strings.Contains(stderr, "resume") {
		t.Errorf("exit code %d, standard error %s", code, stderr)
	}
	if names := entries(t, filepath.Dir(output)); len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
}

// TestResumeFullDisk limits file sizes so that the output does not fit.
func TestResumeFullDisk(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	r := newResumable(t, saved(t, tinyModel(t)), manyLines(t, 2000), decode.Options{Beam: 5, MaxLength: 20}, "--max-length", "20")
	output := filepath.Join(t.TempDir(), "out")
	c := command(t, append(r.args, "--output", output)...)
	c.Args = append([]string{shell, "-c", fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, len(r.want)/2/512)}, c.Args...)
	c.Path = shell
	p := begin(t, c)
	want := "rnnsearch: --output " + output + ": file too large; run the same command to resume from " + output + r.part + "\n"
	if code := p.end(); code != 1 || !strings.HasSuffix(p.stderr.String(), want) {
		t.Fatalf("exit code %d, got %s\nwant %s", code, &p.stderr, want)
	}
	if stderr := r.check(t, "full disk", output); !strings.Contains(stderr, "rnnsearch: resuming after ") {
		t.Errorf("got %s", stderr)
	}
}

// TestResumeOther has the part of a translation, and commands that would translate otherwise.
func TestResumeOther(t *testing.T) {
	m := plainTextModel(t)
	model, input := saved(t, m), write(t, "in", "a dog")
	m.Parameters.B[2]++
	other := saved(t, m)
	r := newResumable(t, model, input, decode.Options{Beam: 5})
	output := filepath.Join(t.TempDir(), "out")
	const half = "half of a translation\n"
	r.begin(t, output, half)
	args := []string{"translate", "--resume", "--output", output}
	for _, flags := range []string{
		"--model OTHER --input IN", "--model MODEL --model OTHER --input IN", "--model OTHER --model MODEL --input IN",
		"--model MODEL --input " + write(t, "in", "a cat"),
		"--beam 6", "--normalize 0.5", "--best 2", "--min-length 1", "--max-length 3", "--forbid-unk", "--replace-unk=false", "--split-sentences", "--max-source 9",
		"--terms " + write(t, "terms", "cat\tcat"),
	} {
		if !strings.HasPrefix(flags, "--model") {
			flags += " --model MODEL --input IN"
		}
		flags = strings.NewReplacer("OTHER", other, "MODEL", model, "IN", input).Replace(flags)
		_, stderr, code := execute("", append(args, strings.Fields(flags)...)...)
		want := "rnnsearch: --output " + output + r.part + ": is an unfinished output of other inputs or options, or of another version: finish it with these or remove it\n"
		if code != 1 || stderr != want {
			t.Errorf("%s: exit code %d, got %s\nwant %s", flags, code, stderr, want)
		}
		if got := content(t, output+r.part); got != half {
			t.Errorf("%s: the part became %q", flags, got)
		}
	}
	flags := []string{"--model", model, "--input", input}
	if _, stderr, code := execute("", append(args, append(flags, "--threads", "7", "--quiet")...)...); code != 0 || stderr != "" || content(t, output) != half {
		t.Errorf("exit code %d, standard error %s", code, stderr)
	}
	_, stderr, code := execute("", append(args, flags...)...)
	if want := "rnnsearch: --output " + output + ": exists already, expected a new file or --overwrite\n"; code != 1 || stderr != want {
		t.Errorf("complete: exit code %d, got %s\nwant %s", code, stderr, want)
	}
}

// TestResumeLocked has a part that another process writes.
func TestResumeLocked(t *testing.T) {
	r := newResumable(t, saved(t, tinyModel(t)), write(t, "in", "a dog"), decode.Options{Beam: 5})
	output := filepath.Join(t.TempDir(), "out")
	const half = "half"
	if err := os.WriteFile(r.begin(t, output, r.want), []byte(half), 0o666); err != nil {
		t.Fatal(err)
	}
	lock, err := files.NewLock(output)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, code := execute("", append(r.args, "--output", output)...)
	if want := "rnnsearch: --output " + output + ": in use by process "; code != 1 || !strings.HasPrefix(stderr, want) || content(t, output+r.part) != half {
		t.Errorf("exit code %d, part %q, got %s\nwant %s", code, content(t, output+r.part), stderr, want)
	}
	if err := lock.Unlock(); err != nil {
		t.Error(err)
	}
	r.check(t, "unlocked", output)
}

// TestResumeForeign has lines under the name of a part that no translation has written: alone, as an
// earlier version left them, they are refused, and in place of lines of a translation they are not used.
func TestResumeForeign(t *testing.T) {
	r := newResumable(t, saved(t, tinyModel(t)), write(t, "in", "a dog\na cat\nthe cat sees"), decode.Options{Beam: 5})
	output := filepath.Join(t.TempDir(), "out")
	part := output + r.part
	if err := os.WriteFile(part, []byte("one\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := execute("", append(r.args, "--output", output)...)
	if want := "rnnsearch: --output " + part + ": is an unfinished output without the sums that would be in out" + r.part + ".sums, as of earlier versions: remove it to start again\n"; code != 1 || stderr != want {
		t.Errorf("exit code %d, got %s\nwant %s", code, stderr, want)
	}
	if got := content(t, part); got != "one\n" || len(entries(t, filepath.Dir(part))) != 1 {
		t.Errorf("the part has become %q, files %q", got, entries(t, filepath.Dir(part)))
	}
	if err := errors.Join(os.Rename(part, output+".theirs"), os.Symlink("out.theirs", part)); err != nil {
		t.Skip(err)
	}
	_, stderr, code = execute("", append(r.args, "--output", output)...)
	if want := "rnnsearch: --output open " + part + ": not a regular file: symbolic link: remove it or choose another name\n"; code != 1 || stderr != want || content(t, part) != "one\n" {
		t.Errorf("exit code %d, part %q, got %s\nwant %s", code, content(t, part), stderr, want)
	}
	if err := errors.Join(os.Remove(part), os.Remove(output+".theirs")); err != nil {
		t.Fatal(err)
	}
	r.begin(t, output, strings.SplitAfter(r.want, "\n")...)
	list := strings.SplitAfter(r.want, "\n")
	if err := os.WriteFile(part, []byte(list[0]+"two\n"+list[2]), 0o666); err != nil {
		t.Fatal(err)
	}
	if stderr := r.check(t, "altered line", output); !strings.HasPrefix(stderr, "rnnsearch: resuming after 1 line in ") {
		t.Errorf("got %s", stderr)
	}
}

// TestResumeErrors has flags that --resume cannot be used with, and outputs that would be compressed.
func TestResumeErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	const translate = "translate --model DIR/model --resume "
	checkRefusals(t, dir, []refusal{
		{"standard input", translate + "--output DIR/out", "a\n", "--resume: expected with --input and --output"},
		{"standard output", translate + "--input DIR/two", "", "--resume: expected with --input and --output"},
		{"input", translate + "--input /dev/null --output DIR/out", "", "--resume: --input /dev/null: not a regular file: device"},
		{"output", translate + "--input DIR/two --output /dev/zero", "", "--output /dev/zero: not a regular file: device"},
		{"no model", "translate --model DIR/none --resume --input DIR/two --output DIR/out", "", "open DIR/none: no such file or directory"},
		{"damaged model", "translate --model DIR/altered --resume --input DIR/two --output DIR/out", "", "#DIR/altered#"},
		{"gzip", "translate --model DIR/model --output DIR/out.gz", "", "--output DIR/out.gz: is written without compression, expected a name without .gz"},
		{"zstd", translate + "--input DIR/two --output DIR/out.zst", "", "--output DIR/out.zst: is written without compression, expected a name without .zst"},
	})
	left, err := filepath.Glob(dir + "/out*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

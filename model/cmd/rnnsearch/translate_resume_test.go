package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
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
	part         string   // what the name of a part has after the name of the output
	want, stderr string   // of a run without interruption
	code         int
}

// newResumable returns the translation of an input with more flags, which set the options o.
func newResumable(t *testing.T, model, input string, o translation.Options, flags ...string) resumable {
	t.Helper()
	in, err := files.Open(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	number, commit := build()
	o.Models, o.Format, o.MaxSource, o.Decoding.ReplaceUNK = []string{model}, cmp.Or(o.Format, "text"), cmp.Or(o.MaxSource, translation.MaxSentence), true // by default
	part, err := o.Part(t.Context(), number+" "+commit, in)
	if err != nil {
		t.Fatal(err)
	}
	r := resumable{args: append([]string{"translate", "--model", model, "--input", input, "--resume"}, flags...), part: "." + part.Key + ".part"}
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
		{`: \d+ (line|sentence)s? in earlier runs, \d+ (line|sentence)s? in`, " in"},
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

// TestResumeCut resumes texts, n-best lists, in which bad lines have no list, and JSON that are cut around the ends of
// their lines.
func TestResumeCut(t *testing.T) {
	model, input := saved(t, tinyModel(t)), write(t, "in", resumedText)
	for flags, o := range map[string]translation.Options{
		"--max-length 2":          {Decoding: decode.Options{MaxLength: 2}},
		"--max-length 2 --best 2": {Decoding: decode.Options{MaxLength: 2, NBest: 2}},
		"--max-length 2 --json":   {Decoding: decode.Options{MaxLength: 2}, JSON: true},
	} {
		r := newResumable(t, model, input, o, strings.Fields(flags)...)
		end := 0
		for line := range strings.Lines(r.want) {
			end += len(line)
			for _, cut := range []int{end, end + 1} {
				output := filepath.Join(t.TempDir(), "out")
				if err := os.WriteFile(output+r.part, []byte(r.want[:min(cut, len(r.want))]), 0o666); err != nil {
					t.Fatal(err)
				}
				stderr := r.check(t, fmt.Sprint(flags, ", ", cut, " bytes"), output)
				done := strings.Count(r.want[:min(cut, len(r.want))], "\n")
				if want := fmt.Sprintf("rnnsearch: resuming after %s of %s\n", terminal.Plural(done, "line"), output); flags == "--max-length 2" && done > 0 && !strings.HasPrefix(stderr, want) {
					t.Errorf("%d bytes: got %s, want %s", cut, stderr, want)
				}
			}
		}
	}
}

// TestResumeDocument resumes documents whose parts end anywhere.
func TestResumeDocument(t *testing.T) {
	model := saved(t, tinyModel(t))
	for format, text := range map[string]string{
		"html":     "<ul><li>a <b>dog</b>\n<p>" + strings.Repeat("a ", 30) + "\n<li>\n<li>the cat</ul>",
		"markdown": "# a\n\n```\nb\n```\na *dog*\n\n- the cat\n- " + strings.Repeat("a ", 30) + "\n\n```\nc\n```",
	} {
		r := newResumable(t, model, write(t, "in", text), translation.Options{Format: format, MaxSource: 20}, "--format", format, "--max-source", "20")
		output := filepath.Join(t.TempDir(), "out")
		in, err := files.Open(t.Context(), r.args[4])
		if err != nil {
			t.Fatal(err)
		}
		tr, err := translation.Options{Models: []string{model}, Format: format, MaxSource: 20, Decoding: decode.Options{Beam: 5, ReplaceUNK: true, Threads: 1}}.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		part, err := files.Create("output", output, &files.Part{Key: "x", Quoted: true}, files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tr.RunDocument(t.Context(), in, part, translation.Console{Stderr: io.Discard})
		tr.Close()
		whole := content(t, output+".x.part")
		if err := part.Close(); err != nil {
			t.Error(err)
		}
		if content(t, output) != r.want || strings.Count(whole, "\n") < 3 {
			t.Fatalf("%s: part %q for %q", format, whole, r.want)
		}
		for n, line := range strings.SplitAfter(whole, "\n") {
			done := strings.Join(strings.SplitAfter(whole, "\n")[:n], "")
			for _, cut := range []string{done, done + line[:len(line)/2]} {
				output := filepath.Join(t.TempDir(), "out")
				if err := os.WriteFile(output+r.part, []byte(cut), 0o666); err != nil {
					t.Fatal(err)
				}
				stderr := r.check(t, fmt.Sprintf("%s, part %q", format, cut), output)
				if want := fmt.Sprintf("rnnsearch: resuming after %s of %s\n", terminal.Plural(n, "paragraph"), output); n > 0 && !strings.HasPrefix(stderr, want) {
					t.Errorf("%s, part %q: got %s, want %s", format, cut, stderr, want)
				}
			}
		}
	}
}

// TestResumeOther has the part of a translation and a command that would translate otherwise.
func TestResumeOther(t *testing.T) {
	r := newResumable(t, saved(t, tinyModel(t)), write(t, "in", "a dog"), translation.Options{})
	output := filepath.Join(t.TempDir(), "out")
	const half = "half of a translation\n"
	if err := os.WriteFile(output+r.part, []byte(half), 0o666); err != nil {
		t.Fatal(err)
	}
	for flag, resumes := range map[string]bool{"--beam=6": false, "--threads=7": true} {
		_, stderr, code := execute("", append(r.args, "--output", output, flag)...)
		if got := content(t, output); code != 0 || (got == half) != resumes {
			t.Errorf("%s: exit code %d, got %q, %s", flag, code, got, stderr)
		}
		os.Remove(output)
		os.WriteFile(output+r.part, []byte(half), 0o666)
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
	if code != interruptedCode || end == nil || len(names) != 1 || end[2] != filepath.Join(dir, names[0]) {
		t.Fatalf("exit code %d, files %q, standard error %s", code, names, stderr)
	}
	if n := strings.Count(content(t, end[2]), "\n"); fmt.Sprint(n) != end[1] {
		t.Errorf("the part has %d lines, want %s", n, end[1])
	}
}

// TestResumeFullDisk limits file sizes so that the output does not fit.
func TestResumeFullDisk(t *testing.T) {
	r := newResumable(t, saved(t, tinyModel(t)), manyLines(t, 700), translation.Options{Decoding: decode.Options{MaxLength: 20}}, "--max-length", "20")
	output := filepath.Join(t.TempDir(), "out")
	p := begin(t, inShell(t, fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, len(r.want)/2/512), append(r.args, "--output", output)...))
	want := "rnnsearch: --output " + output + ": file too large; run the same command to resume from " + output + r.part + "\n"
	if code := p.end(); code != 1 || !strings.HasSuffix(p.stderr.String(), want) {
		t.Fatalf("exit code %d, got %s\nwant %s", code, &p.stderr, want)
	}
	if stderr := r.check(t, "full disk", output); !strings.Contains(stderr, "rnnsearch: resuming after ") {
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
		{"input", translate + "--input /dev/null --output DIR/out", "", "--resume: --input /dev/null: not a regular file"},
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

// Package slurm tests the script translate.sh, which translates a large file on many machines.
package slurm

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/model/cmd/builtin"
)

// A fixture is a folder with a program, models, text and its translation.
type fixture struct {
	dir string
	env []string
}

func (f fixture) file(name string) string { return filepath.Join(f.dir, name) }

// run runs a command in the folder of the fixture and returns its output and exit code.
func (f fixture) run(t *testing.T, name string, args ...string) (out string, code int) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = f.dir, append(os.Environ(), f.env...)
	b, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(b), c.ProcessState.ExitCode()
}

func (f fixture) must(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, code := f.run(t, name, args...)
	if code != 0 {
		t.Fatalf("%s %q: exit code %d, %s", name, args, code, out)
	}
	return out
}

const (
	textLines  = 5600
	shardLines = 700 // several windows of translate
	shards     = textLines / shardLines
)

// flags are those of translate. They make long translations, so that a shard takes a while.
var flags = strings.Fields("-- --model m1 --beam=6 --min-length 30 --max-length 31")

// original is the folder with the files of each fixture.
var original string

func TestMain(m *testing.M) {
	var err error
	if original, err = os.MkdirTemp("", "slurm"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(original)
	os.Exit(code)
}

// newFixture skips the test unless the environment variable SOFTSEARCH_REQUIRE_SLURM is set.
func newFixture(t *testing.T) fixture {
	t.Helper()
	if os.Getenv("SOFTSEARCH_REQUIRE_SLURM") == "" {
		t.Skip("runs in make slurm")
	}
	if _, err := os.Stat(filepath.Join(original, "whole")); err != nil {
		makeFiles(t, fixture{dir: original})
	}
	f := fixture{dir: t.TempDir()}
	f.env = []string{"RNNSEARCH=" + f.file("rnnsearch"), fmt.Sprint("SHARD_LINES=", shardLines)}
	if err := os.CopyFS(f.dir, os.DirFS(original)); err != nil {
		t.Fatal(err)
	}
	return f
}

// makeFiles makes the program, two models, lines, two of which are not UTF-8, and their translation
// without shards.
func makeFiles(t *testing.T, f fixture) {
	t.Helper()
	if out, err := exec.Command("go", "build", "-o", f.file("rnnsearch"), "..").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	words := strings.Fields("the a cat dog house garden sees eats sleeps in and red")
	random := rand.New(rand.NewPCG(5, 1409))
	lines := make([]string, textLines)
	for i := range lines {
		for range random.IntN(12) {
			lines[i] += words[random.IntN(len(words))] + " "
		}
	}
	for _, side := range []string{"train.s", "train.t"} {
		f.write(t, side, strings.Join(slices.DeleteFunc(slices.Clone(lines[:200]), func(s string) bool { return s == "" }), "\n"))
	}
	lines[0], lines[textLines-1] = "the \xff", "\xff without an end of line"
	f.write(t, "text", strings.Join(lines, "\n"))
	f.write(t, "text.gz", zipped(t, f.read(t, "text")))
	for _, seed := range []string{"1", "2"} {
		f.must(t, "./rnnsearch", strings.Fields("train --source train.s --target train.t --epochs 1 --embedding 24 --hidden 32 --alignment 24 --maxout 16 --model m"+seed+" --seed "+seed)...)
	}
	args := append([]string{"translate", "--input", "text", "--output", "whole"}, flags[1:]...)
	if out, code := f.run(t, "./rnnsearch", args...); code != 1 || !strings.Contains(out, "2 of 5600 lines cannot be used") {
		t.Fatalf("exit code %d, %s", code, out)
	}
}

func (f fixture) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(f.file(name), []byte(content), 0o777); err != nil {
		t.Fatal(err)
	}
}

// read returns the content of a file of the fixture, or "" if there is none.
func (f fixture) read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(f.file(name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

// withoutScheduler replaces Slurm by scripts: sbatch records what is submitted, and squeue prints the
// file queue.
func (f *fixture) withoutScheduler(t *testing.T) {
	t.Helper()
	f.write(t, "sbatch", "#!/bin/sh\necho \"$@\" >> submitted\nwc -l < submitted\n")
	f.write(t, "squeue", "#!/bin/sh\ncat queue\n")
	f.write(t, "queue", "")
	f.env = append(f.env, "PATH="+f.dir+":"+os.Getenv("PATH"))
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func script(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("translate.sh")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil { // without it, go test would not see that the script has changed
		t.Fatal(err)
	}
	return path
}

// wantWhole fails unless the file has the translation without shards.
func (f fixture) wantWhole(t *testing.T, name string) {
	t.Helper()
	if got, want := f.read(t, name), f.read(t, "whole"); got != want {
		t.Errorf("%s has %d bytes other than the %d of one run", name, len(got), len(want))
	}
}

// TestSteps runs the steps one by one, in another order than a cluster, and checks in between what
// the command submits.
func TestSteps(t *testing.T) {
	f := newFixture(t)
	f.withoutScheduler(t)
	submit := func() (jobs []string, out string, code int) {
		os.Remove(f.file("submitted"))
		out, code = f.run(t, script(t), append([]string{"text.gz", "out", "--partition", "a b", "--time=1"}, flags...)...)
		for job := range strings.Lines(f.read(t, "submitted")) {
			jobs = append(jobs, job)
		}
		return jobs, out, code
	}
	step := func(number int, name string) (string, int) {
		return f.run(t, "env", fmt.Sprint("SLURM_ARRAY_TASK_ID=", number), script(t), name, "out.work")
	}
	wantJobs := func(what string, want ...string) {
		t.Helper()
		jobs, out, code := submit()
		if code != 0 || len(jobs) != len(want) {
			t.Fatalf("%s: exit code %d, %s, jobs %q, want %d", what, code, out, jobs, len(want))
		}
		for i, part := range want {
			if !strings.Contains(jobs[i], part) || !strings.Contains(jobs[i], " --partition a b --time=1 ") || strings.Contains(jobs[i], "--dependency=") != (i > 0) {
				t.Errorf("%s: job %d %q, want %q", what, i, jobs[i], part)
			}
		}
	}
	wantJobs("all", "--split", "--array=0-7 ", "--join")
	f.write(t, "queue", "17 main\n")
	wantJobs("queued")
	f.write(t, "queue", "")
	if out, code := step(0, "--join"); code == 0 {
		t.Errorf("joined nothing: %s", out)
	}
	for range 2 {
		if out, code := step(0, "--split"); code != 0 || out != "" {
			t.Fatalf("split: exit code %d, %s", code, out)
		}
	}
	wantJobs("divided", "--array=0-7 ", "--join")
	for _, i := range []int{6, 3, 0, 2} {
		if out, code := step(i, "--shard"); code != 0 || strings.Contains(out, "1 of 700 lines cannot be used") != (i == 0) {
			t.Errorf("shard %d: exit code %d, %s", i, code, out)
		}
	}
	wantJobs("half", "--array=1-1,4-5,7-7 ", "--join")
	for i := range shards {
		out, code := step(i, "--shard")
		if done := i == 6 || i == 3 || i == 0 || i == 2; code != 0 || (out == "") != done {
			t.Errorf("shard %d again: exit code %d, %s", i, code, out)
		}
	}
	wantJobs("translated", "--join")
	const shard = "out.work/translations/00004"
	complete := f.read(t, shard)
	f.write(t, shard, complete[:len(complete)/2])
	if out, code := step(0, "--join"); code != 1 || !strings.Contains(out, " lines, expected 5600 as in "+f.file("text.gz")) || f.read(t, "out") != "" {
		t.Errorf("joined half a shard: exit code %d, %s", code, out)
	}
	f.write(t, shard, complete)
	if out, code := step(0, "--join"); code != 0 {
		t.Errorf("join: exit code %d, %s", code, out)
	}
	f.wantWhole(t, "out")
	wantJobs("complete")
}

// TestCompressed divides text in several formats.
func TestCompressed(t *testing.T) {
	f := newFixture(t)
	f.withoutScheduler(t)
	inputs := []string{"text", "text.gz"}
	if _, err := exec.LookPath("zstd"); err == nil {
		f.must(t, "zstd", "-q", "text")
		inputs = append(inputs, "text.zst")
	}
	for _, input := range inputs {
		f.must(t, script(t), input, input+".out", "--", "--model", "m1")
		f.must(t, script(t), "--split", input+".out.work")
		for i, shard := range slices.Collect(slices.Chunk(strings.SplitAfter(f.read(t, "text"), "\n"), shardLines)) {
			if got, want := f.read(t, fmt.Sprintf("%s.out.work/shards/%05d", input, i)), strings.Join(shard, ""); got != want {
				t.Errorf("%s: shard %d has %d bytes other than %d", input, i, len(got), len(want))
			}
		}
	}
	f.write(t, "cut.gz", f.read(t, "text.gz")[:1000])
	if out, code := f.run(t, script(t), "cut.gz", "cut", "--", "--model", "m1"); code != 1 || !strings.Contains(out, "/cut.gz: expected lines of text") {
		t.Errorf("cut off: exit code %d, %s", code, out)
	}
}

// TestRefusals has commands that would change the output of another one, or that cannot be divided.
func TestRefusals(t *testing.T) {
	f := newFixture(t)
	f.withoutScheduler(t)
	f.must(t, script(t), append([]string{"text", "out"}, flags...)...)
	f.write(t, "exists", "")
	f.write(t, "empty", "")
	for args, want := range map[string]string{
		"text out " + strings.Replace(strings.Join(flags, " "), "m1", "m2", 1): "/out.work: is of another program, input, model, terms or flag",
		"text out -- --model m1":                  "is of another program",
		"train.s out " + strings.Join(flags, " "): "is of another program",
		"text exists -- --model m1":               "/exists: exists already",
		"text a -- --model none":                  "none: No such file",
		"none a -- --model m1":                    "none: No such file",
		"empty a -- --model m1":                   "/empty: expected lines of text",
		"text a -- --beam 12":                     "missing --model",
		"text a -- --model":                       "--model: expected a value",
		"text a -- --model m1 --baem 12":          "unknown flag: --baem",
		"text a -- --model m1 --best 2":           "--best: outputs of shards",
		"text a -- --model m1 --json":             "--json: outputs of shards",
		"text a -- --model m1 --format html":      "--format: outputs of shards",
		"text a -- --model m1 --terms none":       "none: No such file",
		"text a -- --model m1 --output b":         "--output: is set",
		"text":                                    "expected INPUT OUTPUT",
		"":                                        "expected INPUT OUTPUT",
		"--join none":                             "none: No such file",
		"--shard m1":                              "expected a folder that translate.sh has prepared",
	} {
		out, code := f.run(t, script(t), strings.Fields(args)...)
		if code != 1 || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, %s, want %s", args, code, out, want)
		}
	}
	m, err := builtin.File("en-fr") // of text, as terms need
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "en-fr", m)
	f.write(t, "terms", "cat\tdog\n")
	terms := []string{script(t), "text", "named", "--", "--model", "en-fr", "--terms", "terms"}
	f.must(t, terms[0], terms[1:]...)
	f.write(t, "terms", "cat\thouse\n")
	if out, code := f.run(t, terms[0], terms[1:]...); code != 1 || !strings.Contains(out, "is of another") {
		t.Errorf("other terms: exit code %d, %s", code, out)
	}
	if out, code := f.run(t, "env", append([]string{"SHARD_LINES=9", script(t), "text", "out"}, flags...)...); code != 1 || !strings.Contains(out, "is of another") {
		t.Errorf("other shards: exit code %d, %s", code, out)
	}
}

// A cluster is a private Slurm of one node.
type cluster struct {
	fixture
	deadline time.Time
	ended    chan string // the daemons that have ended
}

// newCluster starts a cluster that ends with the test.
func newCluster(t *testing.T) cluster {
	t.Helper()
	path := os.Getenv("PATH") + ":/usr/sbin:/sbin"
	t.Setenv("PATH", path)
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("no Slurm, which .ci/packages installs: %v", err)
		}
	}
	c := cluster{newFixture(t), time.Now().Add(3 * time.Minute), make(chan string, 3)}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(c.file(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.write(t, "key", strings.Repeat("private", 20))
	if err := os.Chmod(c.file("key"), 0o400); err != nil {
		t.Fatal(err)
	}
	user := strings.TrimSpace(c.must(t, "id", "-un"))
	c.write(t, "slurm.conf", strings.NewReplacer("DIR", c.dir, "HOST", host, "USER", user, "PORT1", port(t), "PORT2", port(t)).Replace(`
ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=PORT1
SlurmdPort=PORT2
SlurmUser=USER
SlurmdUser=USER
AuthType=auth/munge
AuthInfo=socket=DIR/munge.socket
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
NodeName=HOST NodeAddr=127.0.0.1 CPUs=3
PartitionName=main Nodes=HOST Default=YES MaxTime=INFINITE
`))
	c.env = append(c.env, "SLURM_CONF="+c.file("slurm.conf"))
	runtime.LockOSThread() // the daemons end with the thread that has started them
	c.daemon(t, "munged", "--foreground", "--force", "--socket="+c.file("munge.socket"), "--key-file="+c.file("key"), "--num-threads=10",
		"--pid-file="+c.file("munged.pid"), "--log-file="+c.file("munged.log"), "--seed-file="+c.file("munge.seed"))
	c.until(t, "munge.socket", func() bool { _, err := os.Stat(c.file("munge.socket")); return err == nil })
	c.daemon(t, "slurmctld", "-D")
	c.daemon(t, "slurmd", "-D")
	t.Cleanup(func() {
		c.run(t, "scancel", "--user="+user)
		c.idle(t)
	})
	c.until(t, "idle node", func() bool { out, _ := c.run(t, "sinfo", "--noheader", "--format=%T"); return out == "idle\n" })
	return c
}

func port(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// daemon starts a program that ends with the test. Its messages follow a failure.
func (c cluster) daemon(t *testing.T, name string, args ...string) {
	t.Helper()
	var log bytes.Buffer
	d := exec.Command(name, args...)
	d.Env = append(os.Environ(), c.env...)
	d.Stdout, d.Stderr = &log, &log
	d.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		err := d.Wait()
		c.ended <- fmt.Sprintf("%s: %v", name, err)
		done <- err
	}()
	t.Cleanup(func() {
		d.Process.Signal(syscall.SIGTERM)
		<-done
		if t.Failed() {
			t.Logf("%s:\n%s", name, &log)
		}
	})
}

// until waits for a condition.
func (c cluster) until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for !condition() {
		select {
		case daemon := <-c.ended:
			t.Fatalf("%s during the wait for %s", daemon, what)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(c.deadline) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

func (c cluster) idle(t *testing.T) {
	t.Helper()
	c.until(t, "the end of the jobs", func() bool {
		out, code := c.run(t, "squeue", "--noheader")
		return code == 0 && out == ""
	})
}

// translating returns the process that translates a shard, 0 if there is none.
func (c cluster) translating(shard string) int {
	programs, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range programs {
		program, _ := os.Readlink(link)
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
		if program == c.file("rnnsearch") && bytes.Contains(command, []byte("translations/"+shard+"\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			return pid
		}
	}
	return 0
}

// stop stops a process that has translated a part of a shard of out.work other than that one. It
// returns the number of the shard and the process.
func (c cluster) stop(t *testing.T, except string) (shard string, pid int) {
	t.Helper()
	c.until(t, "a part of a shard", func() bool {
		parts, _ := filepath.Glob(c.file("out.work/translations/*.part"))
		for _, part := range parts {
			shard, _, _ = strings.Cut(filepath.Base(part), ".")
			written, err := os.Stat(part)
			if err != nil || written.Size() == 0 || shard == except {
				continue
			}
			if pid = c.translating(shard); pid == 0 || syscall.Kill(pid, syscall.SIGSTOP) != nil {
				continue
			}
			if _, err := os.Stat(part); err == nil {
				return true
			}
			syscall.Kill(pid, syscall.SIGCONT) // it has ended the shard
		}
		return false
	})
	return shard, pid
}

func (c cluster) log(t *testing.T, shard string) string {
	t.Helper()
	return c.read(t, "out.work/logs/shard-"+strings.TrimLeft(shard[:4], "0")+shard[4:]+".log")
}

// TestSlurm translates on a cluster. It requeues one task and kills another, and repeats the command
// for what is missing.
func TestSlurm(t *testing.T) {
	c := newCluster(t)
	submit := func() string {
		return c.must(t, script(t), append([]string{"text.gz", "out", "--cpus-per-task=1"}, flags...)...)
	}
	if got, want := submit(), []string{"--split", "--shard", "--join"}; !containAll(got, want) {
		t.Errorf("submitted\n%swant %q", got, want)
	}
	requeued, _ := c.stop(t, "")
	job := strings.TrimSpace(strings.Split(c.read(t, "out.work/jobs"), "\n")[1]) + "_" + requeued
	c.must(t, "scontrol", "requeue", job)
	if out := submit(); !strings.HasSuffix(out, "translate.sh: these jobs have not ended\n") {
		t.Errorf("while it runs: %s", out)
	}
	killed, pid := c.stop(t, requeued)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.must(t, "scontrol", "update", "job="+job, "StartTime=now") // without the pause after a requeueing
	c.idle(t)
	if c.read(t, "out") != "" {
		t.Error("joined without a shard")
	}
	for shard, times := range map[string]int{requeued: 1, killed: 0} {
		if n := strings.Count(c.log(t, shard), "rnnsearch: resuming after "); n != times {
			t.Errorf("shard %s resumed %d times, want %d: %s", shard, n, times, c.log(t, shard))
		}
	}
	before := c.infos(t)
	if len(before) != shards-1 || before[killed] != nil {
		t.Errorf("%d translations, %t for shard %s", len(before), before[killed] != nil, killed)
	}

	out := submit()
	if !containAll(out, []string{"--shard", "--join"}) || strings.Contains(out, "--split") {
		t.Errorf("submitted again: %s", out)
	}
	c.idle(t)
	c.wantWhole(t, "out")
	if n := strings.Count(c.log(t, killed), "rnnsearch: resuming after "); n != 1 {
		t.Errorf("shard %s resumed %d times: %s", killed, n, c.log(t, killed))
	}
	for shard, info := range c.infos(t) {
		if old := before[shard]; shard != killed && !os.SameFile(old, info) {
			t.Errorf("shard %s was translated again", shard)
		}
	}
	if out := submit(); out != "translate.sh: "+c.file("out")+" is complete\n" {
		t.Errorf("complete: %s", out)
	}
	if out, code := c.run(t, script(t), "text.gz", "out", "--", "--model", "m2"); code != 1 || !strings.Contains(out, "is of another program, input, model, terms or flag") {
		t.Errorf("another model: exit code %d, %s", code, out)
	}
}

// infos returns the translations of shards by number.
func (c cluster) infos(t *testing.T) map[string]os.FileInfo {
	t.Helper()
	infos := map[string]os.FileInfo{}
	for i := range shards {
		shard := fmt.Sprintf("%05d", i)
		if info, err := os.Stat(c.file("out.work/translations/" + shard)); err == nil {
			infos[shard] = info
		}
	}
	return infos
}

func containAll(s string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(s, part) })
}

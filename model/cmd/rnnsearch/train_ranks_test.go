package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/model/cmd/internal/training"
	"github.com/softsearch-go/softsearch/model/collective"
	"github.com/softsearch-go/softsearch/model/internal/fixture"
)

// A rankResult is what a rank of a command prints and returns.
type rankResult struct {
	stdout, stderr string
	code           int
}

// A rankRun is a command on one rank.
type rankRun struct {
	ctx       context.Context
	args      []string
	network   *collective.Local
	transport collective.Transport // of network
}

// executeRanks runs a command on ranks inside the test, after adapt, unless it is nil, has changed it. A
// failure of one that does not lead ends the others, as MPI does.
func executeRanks(size int, args []string, adapt func(rank int, r *rankRun)) []rankResult {
	network := collective.NewLocal(size)
	results := make([]rankResult, size)
	var all sync.WaitGroup
	for rank := range results {
		all.Go(func() {
			run := rankRun{context.Background(), slices.Clone(args), network, network.Transport(rank)}
			if adapt != nil {
				adapt(rank, &run)
			}
			r := &results[rank]
			r.stdout, r.stderr, r.code = executeContext(training.WithTransport(run.ctx, run.transport), "", run.args...)
			if r.code != 0 && rank > 0 {
				network.Close()
			}
		})
	}
	all.Wait()
	return results
}

// mustTrainRanks runs a command, which must succeed, and returns the standard output of rank 0.
func mustTrainRanks(t *testing.T, size int, args []string) string {
	t.Helper()
	results := executeRanks(size, args, nil)
	for rank, r := range results {
		if r.code != 0 || rank > 0 && (r.stdout != "" || r.stderr != "") {
			t.Errorf("rank %d of %d: exit code %d, standard output %q, standard error %q", rank, size, r.code, r.stdout, r.stderr)
		}
	}
	return results[0].stdout
}

// ranksRecipe has everything that an update can do.
const ranksRecipe = " --optimizer adam --warmup 30 --dropout-embedding 0.2 --dropout-context 0.1 --dropout-readout 0.3 --label-smoothing 0.1 --average 0.9"

// TestTrainRanks trains with 2 and 4 ranks. The model, the checkpoint and the losses are those of a
// process that no MPI started.
func TestTrainRanks(t *testing.T) {
	more := strings.Fields("--shards 4 --log json --progress-updates 2 --patience 1" + ranksRecipe)
	whole := t.TempDir()
	want := outcome(t, mustTrain(t, trainArgs(t, whole, more...)))
	for _, size := range []int{2, 4} {
		dir := t.TempDir()
		got := outcome(t, withoutTraffic(t, mustTrainRanks(t, size, trainArgs(t, dir, more...)), size > 1))
		sameResult(t, dir, whole)
		if !slices.Equal(got, want) {
			t.Errorf("%d ranks: log\n%s\nwant\n%s", size, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// withoutTraffic returns a log without the traffic, which its records must have or must not have.
func withoutTraffic(t *testing.T, log string, has bool) string {
	t.Helper()
	traffic := regexp.MustCompile(`,"sent_bytes":[1-9][0-9.]*,"communication_seconds":[0-9.e-]+,"waiting_seconds":[0-9.e-]+`)
	for line := range strings.Lines(log) {
		measured := strings.Contains(line, `"progress"`) || strings.Contains(line, `"validation"`)
		if traffic.MatchString(line) != (has && measured) {
			t.Errorf("traffic in a log of several ranks: %t, line %s", has, line)
		}
	}
	return traffic.ReplaceAllString(log, "")
}

// TestRanksFiles: the model file and the checkpoint are those of rank 0. A folder that another machine does
// not have is no error there, and --log, --threads and the like may differ.
func TestRanksFiles(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole, "--shards", "2", "--epochs", "3"))
	args := trainArgs(t, dir, "--shards", "2", "--checkpoint-updates", "2")
	for _, epochs := range []string{"1", "3"} {
		results := executeRanks(2, append(args, "--epochs", epochs), func(rank int, r *rankRun) {
			if rank == 1 {
				r.args = append(r.args, strings.Fields("--model /nowhere/m --threads 2 --log json --checkpoint-minutes 0")...)
			}
		})
		for rank, r := range results {
			if r.code != 0 {
				t.Fatalf("rank %d: exit code %d, %s", rank, r.code, r.stderr)
			}
		}
	}
	sameResult(t, dir, whole)
}

// watching is a transport that calls f before each message.
type watching struct {
	collective.Transport
	f func()
}

func (w watching) Exchange(peer int, send, receive []byte) error {
	w.f()
	return w.Transport.Exchange(peer, send, receive)
}

// TestRanksCache: ranks in one folder share a cache, which is written once. A rank in another folder has
// its own.
func TestRanksCache(t *testing.T) {
	whole, dir, one, other := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	mustTrain(t, trainArgs(t, whole, "--shards", "4"))
	caches := []string{one + "/cache", one + "/cache", other + "/cache", other + "/cache"}
	seen := make([][]os.FileInfo, len(caches))
	results := executeRanks(4, trainArgs(t, dir, "--shards", "4"), func(rank int, r *rankRun) {
		r.args = append(r.args, "--cache", caches[rank])
		r.transport = watching{r.transport, func() {
			if info, err := os.Stat(caches[rank]); err == nil {
				seen[rank] = append(seen[rank], info)
			}
		}}
	})
	for rank, r := range results {
		if r.code != 0 || rank > 0 && r.stderr != "" {
			t.Errorf("rank %d: exit code %d, %s", rank, r.code, r.stderr)
		}
		last, err := os.Stat(caches[rank])
		if err != nil || !slices.ContainsFunc(seen[rank], func(info os.FileInfo) bool { return os.SameFile(info, last) }) ||
			slices.ContainsFunc(seen[rank], func(info os.FileInfo) bool { return !os.SameFile(info, last) }) {
			t.Errorf("rank %d: the cache was replaced, or is missing, %v", rank, err)
		}
	}
	sameResult(t, dir, whole)
	wantFiles(t, one, "cache")
	wantFiles(t, other, "cache")
}

// TestRanksDamage changes the cache of one rank while it trains. That rank says so, and no other one
// takes its error for a message of the training.
func TestRanksDamage(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	results := executeRanks(2, trainArgs(t, dir, "--shards", "2", "--cache", dir+"/cache", "--epochs", "1000000"), func(rank int, r *rankRun) {
		if rank == 1 {
			messages := 0
			r.args = append(r.args, "--cache", other+"/cache")
			r.transport = watching{r.transport, func() {
				if messages++; messages == 100 {
					damage(t, other+"/cache")
				}
			}}
		}
	})
	want := regexp.MustCompile(`^rnnsearch: rank 1: epoch \d+: update \d+: not a complete corpus: ` + regexp.QuoteMeta(other) +
		`/cache has changed around pair \d+; remove it, and the same command prepares the text again\n$`)
	if r := results[1]; r.code != 1 || !want.MatchString(r.stderr) {
		t.Errorf("rank 1: exit code %d, %swant %s", r.code, r.stderr, want)
	}
	if r := results[0]; r.code != 1 || !strings.HasSuffix(r.stderr, "no message between ranks 0 and 1: group closed\n") {
		t.Errorf("rank 0: exit code %d, %s", r.code, r.stderr)
	}
}

// damage overwrites the first part of a file.
func damage(t *testing.T, path string) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		_, err = f.Write(bytes.Repeat([]byte{0xff}, int(info.Size()/2)))
	}
	if err != nil {
		t.Error(err)
	}
}

// TestRanksInterrupt interrupts one of 4 ranks wherever it checks its context, and resumes with 2 ranks
// and with none but the process itself.
func TestRanksInterrupt(t *testing.T) {
	t.Parallel()
	more := append(shortValidation(t), strings.Fields("--shards 4"+ranksRecipe)...)
	whole := t.TempDir()
	mustTrain(t, trainArgs(t, whole, more...))
	want := regexp.MustCompile(`^rnnsearch: interrupted( after update \d+: run the same command to resume from .*)?\n$`)
	step := int64(31)
	if fixture.Full() {
		step = 5
	}
	for interrupted := range 2 {
		for n := int64(1); ; n += step {
			dir := t.TempDir()
			args := trainArgs(t, dir, more...)
			results := executeRanks(4, args, func(rank int, r *rankRun) {
				if rank == interrupted {
					r.ctx = canceledAfter(n)
				}
			})
			if results[0].code == 0 {
				break
			}
			if results[0].code != interruptedCode || !want.MatchString(results[0].stderr) {
				t.Fatalf("exit code %d, standard error %q", results[0].code, results[0].stderr)
			}
			for rank, r := range results[1:] {
				if r.code != 0 || r.stdout != "" || r.stderr != "" {
					t.Errorf("rank %d: exit code %d, standard output %q, standard error %q", rank+1, r.code, r.stdout, r.stderr)
				}
			}
			if n%2 == 0 {
				mustTrainRanks(t, 2, args)
			} else {
				mustTrain(t, args)
			}
			sameResult(t, dir, whole)
		}
	}
}

// TestRanksErrors has ranks that cannot train together. Rank 0 says why, once.
func TestRanksErrors(t *testing.T) {
	flag := func(rank int, more ...string) func(int, *rankRun) {
		return func(of int, r *rankRun) {
			if i := slices.Index(r.args, more[0]); of == rank && i >= 0 {
				r.args = slices.Concat(r.args[:i], r.args[i+2:], more)
			} else if of == rank {
				r.args = append(r.args, more...)
			}
		}
	}
	other := write(t, "target", strings.Repeat("un autre texte\n", 60))
	for _, test := range []struct {
		size  int
		adapt func(int, *rankRun)
		want  string
	}{
		{1, flag(0, "--shards", "16"), `--shards 16: expected a power of two, at most --batch 8`},
		{3, nil, `3: number of ranks is not a power of two`},
		{4, nil, `invalid settings: 4 ranks, expected at most as many as shards, 2`},
		{2, flag(1, "--batch", "9"), `rank 1 differs from rank 0: --batch "9", expected "8"`},
		{2, flag(1, "--epochs", "7"), `rank 1 differs from rank 0: --epochs "7", expected "2"`},
		{2, flag(1, "--precision", "bf16"), `rank 1 differs from rank 0: --precision "bf16", expected "float32"`},
		{2, flag(1, "--target", other, "--strict=false"), `rank 1 differs from rank 0: text of --target, SHA-256 "[0-9a-f]{64}", expected "[0-9a-f]{64}"`},
		{2, flag(1, "--source", "/nowhere"), `rank 1: open /nowhere: .*`},
		{2, flag(1, "--shards", "3"), `rank 1: --shards 3: expected a power of two, at most --batch 8`},
		{2, flag(1, "--colour"), `rank 1: unknown flag: --colour`},
		{2, flag(1, "--settings", "/nowhere"), `rank 1: --settings: open /nowhere: .*`},
		{2, flag(0, "--model", "/nowhere/m"), `rank 0: --model /nowhere/m: .*`},
	} {
		dir := t.TempDir()
		for rank, r := range executeRanks(test.size, trainArgs(t, dir, "--shards", "2"), test.adapt) {
			want := regexp.MustCompile("^rnnsearch: " + test.want + "\n$")
			if rank == 0 && (r.code != 1 || !want.MatchString(r.stderr)) || rank > 0 && (r.code != 0 || r.stderr != "") {
				t.Errorf("rank %d: exit code %d, standard error %q, want %s from rank 0", rank, r.code, r.stderr, want)
			}
		}
		wantFiles(t, dir, "source", "target", "valid-source", "valid-target")
	}
}

package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/softsearch-go/softsearch/bench/peers/contender"
	"github.com/softsearch-go/softsearch/bench/peers/wire"
)

//go:embed torch_worker.py
var torchWorker string

// openMP lets PyTorch load the OpenBLAS of Debian's libopenblas0-openmp, where it is installed: the
// threads of others wait for those of PyTorch, and slow them down.
const openMP = "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/openblas-openmp"

// A process is a running worker.
type process struct {
	*wire.Client
	name   string
	facts  []string
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *bytes.Buffer
}

// startAll starts the workers with that many threads, in the order of a round, and lists those that
// cannot start with the reason.
func startAll(python string, threads int) (workers []*process, skipped []string, err error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find this binary: %w", err)
	}
	add := func(name string, environment []string, program string, args ...string) {
		cmd := exec.Command(program, args...)
		// Go, OpenBLAS and OpenMP
		for _, variable := range []string{"GOMAXPROCS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"} {
			environment = append(environment, fmt.Sprintf("%s=%d", variable, threads))
		}
		cmd.Env = append(os.Environ(), environment...)
		p, err := start(name, cmd)
		if err != nil {
			skipped = append(skipped, fmt.Sprintf("%s: %v", name, err))
			return
		}
		workers = append(workers, p)
	}
	add(workerGo, nil, binary, "worker", workerGo)
	add(workerOpenBLAS, nil, binary, "worker", workerOpenBLAS)
	add("openblas as Haswell", []string{"OPENBLAS_CORETYPE=Haswell"}, binary, "worker", workerOpenBLAS)
	add("torch", []string{openMP}, python, "-c", torchWorker)
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
		add("torch with AVX-512", []string{"ATEN_CPU_CAPABILITY=avx512", openMP}, python, "-c", torchWorker)
	}
	return workers, skipped, nil
}

// start starts a worker and reads its facts.
func start(name string, cmd *exec.Cmd) (*process, error) {
	p := &process{name: name, cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Stderr = p.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.Client, p.stdin = wire.NewClient(stdin, stdout), stdin
	if p.facts, err = p.Facts(); err != nil {
		p.stop()
		return nil, fmt.Errorf("%s", p.lastWords(err))
	}
	return p, nil
}

func (p *process) stop() {
	_ = p.stdin.Close()
	_ = p.cmd.Wait() // its error was reported by the request that failed
}

func stopAll(workers []*process) {
	for _, p := range workers {
		p.stop()
	}
}

// lastWords returns the line of the worker's standard error that names the cause, or err if there
// is none: Go prints the cause first, Python last.
func (p *process) lastWords(err error) string {
	lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
	switch {
	case lines[0] == "":
		return err.Error()
	case strings.HasPrefix(lines[0], "Traceback"):
		return lines[len(lines)-1]
	}
	return lines[0]
}

// The workers of this binary.
const (
	workerGo       = "go"
	workerOpenBLAS = "openblas"
)

// worker answers requests on standard input. What libraries print goes to standard error.
func worker(args []string, _ io.Writer) error {
	var w wire.Worker
	switch strings.Join(args, " ") {
	case workerGo:
		w = wire.Worker{Facts: libraries(), Contenders: contender.Go()}
	case workerOpenBLAS:
		list, fact := contender.OpenBLAS()
		if list == nil {
			return errors.New("built without the tag openblas")
		}
		w = wire.Worker{Facts: []string{fact}, Contenders: list}
	default:
		return fmt.Errorf("worker: no worker %q", args)
	}
	replies := os.Stdout
	os.Stdout = os.Stderr
	return w.Serve(os.Stdin, replies)
}

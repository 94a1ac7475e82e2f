package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/breakdown"
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model"
)

// A request names the works of one model that a worker measures.
type request struct {
	Sizes string
	Works []breakdown.Name
	Time  time.Duration
}

// measure starts a worker for the works and calls each with every result as it arrives.
func (r request) measure(each func(w breakdown.Work) error) error {
	return ask(workerBreakdown, r, func(reply *json.Decoder) error {
		var w breakdown.Work
		if err := reply.Decode(&w); err != nil {
			return err
		}
		return each(w)
	})
}

// peakMemory returns the peak memory of an update, measured in a worker of its own.
func peakMemory() (bytes int, err error) {
	err = ask(workerMemory, struct{}{}, func(reply *json.Decoder) error { return reply.Decode(&bytes) })
	return bytes, err
}

// ask starts a worker of this binary, hands it a request and calls next for what it replies
// until it ends. What the worker writes to standard error counts if it fails.
func ask(worker string, request any, next func(reply *json.Decoder) error) error {
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary: %w", err)
	}
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd := exec.Command(binary, "worker", worker)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	reply := json.NewDecoder(stdout)
	for err == nil {
		err = next(reply)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	_ = stdout.Close() // ends a worker whose replies nobody reads
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("worker %s: %w: %s", worker, err, stderr.String())
	}
	return nil
}

// serveBreakdown measures the works of the request on standard input.
func serveBreakdown(requests io.Reader, replies io.Writer) error {
	var r request
	if err := json.NewDecoder(requests).Decode(&r); err != nil {
		return fmt.Errorf("worker: request: %w", err)
	}
	c, ok := breakdown.Configs[r.Sizes]
	if !ok {
		return fmt.Errorf("worker: no sizes %q", r.Sizes)
	}
	m, err := model.New(c, 1)
	if err != nil {
		return err
	}
	for _, name := range r.Works {
		w, err := breakdown.Measure(name, kernels.Best(), m, r.Time)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(replies).Encode(w); err != nil {
			return err
		}
	}
	return nil
}

// serveMemory replies with the memory of an update.
func serveMemory(replies io.Writer) error {
	team := kernels.NewTeam(2)
	defer team.Close()
	bytes, err := breakdown.Memory(kernels.Best().With(team))
	if err != nil {
		return err
	}
	return json.NewEncoder(replies).Encode(bytes)
}

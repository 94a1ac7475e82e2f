// Package wire connects the command with its workers: requests and replies in JSON over pipes, one a
// line.
//
// [Client.Run] sends a case and the name of a contender. [Worker.Serve] prepares the operation at the
// first request and runs it for about the requested time, and its reply has the number of operations
// and the time they took. torch_worker.py does the same in Python.
package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/contender"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// A request asks a worker to do something: "facts", "contenders", "run" or "result".
type request struct {
	Do         string
	Case, Name string
	Time       time.Duration // of a run
}

// A reply has an error or what the request asks for. A contender without a comparable result has no
// values.
type reply struct {
	Error        string    `json:",omitempty"`
	Facts, Names []string  `json:",omitempty"`
	Values       []float32 `json:",omitempty"`

	Operations int           `json:",omitempty"`
	Time       time.Duration `json:",omitempty"`
}

// A Worker answers requests with the contenders of this process.
type Worker struct {
	// Facts describe the libraries in the results, each "key: value".
	Facts      []string
	Contenders []contender.Contender

	memory  *suite.Memory
	current suite.Case
	ready   map[string]*stopwatch
}

// Serve answers requests until their end.
func (w *Worker) Serve(requests io.Reader, replies io.Writer) error {
	w.memory, w.ready = suite.NewMemory(), map[string]*stopwatch{}
	in, out := json.NewDecoder(requests), json.NewEncoder(replies)
	for {
		var r request
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("wire: request: %w", err)
		}
		answer, err := w.answer(r)
		if err != nil {
			answer = reply{Error: err.Error()}
		}
		if err := out.Encode(answer); err != nil {
			return fmt.Errorf("wire: reply: %w", err)
		}
	}
}

// answer returns the reply to a request. The panic of a contender becomes an error of its case.
func (w *Worker) answer(r request) (answer reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %s", strings.ReplaceAll(fmt.Sprint(v), "\n", " "))
		}
	}()
	if r.Do == "facts" {
		return reply{Facts: w.Facts}, nil
	}
	c, err := suite.Parse(r.Case)
	if err != nil {
		return reply{}, err
	}
	switch r.Do {
	case "contenders":
		for _, p := range w.Contenders {
			if p.Offers(c) {
				answer.Names = append(answer.Names, p.Name)
			}
		}
		return answer, nil
	case "run":
		s, err := w.prepare(c, r.Name)
		if err != nil {
			return reply{}, err
		}
		answer.Operations, answer.Time = s.measure(r.Time)
		return answer, nil
	case "result": // of one operation on fresh operands
		delete(w.ready, r.Name)
		s, err := w.prepare(c, r.Name)
		if err != nil {
			return reply{}, err
		}
		s.op.Run(1)
		if s.op.Result != nil {
			answer.Values = s.op.Result()
		}
		return answer, nil
	}
	return reply{}, fmt.Errorf("no request %q", r.Do)
}

// prepare returns the operation of a contender, which it makes at the first request. It frees the
// operands of the previous case.
func (w *Worker) prepare(c suite.Case, name string) (*stopwatch, error) {
	if c != w.current {
		clear(w.ready)
		if err := w.memory.Free(); err != nil {
			return nil, err
		}
		w.current = c
	}
	if s, ok := w.ready[name]; ok {
		return s, nil
	}
	for _, p := range w.Contenders {
		if p.Name == name && p.Offers(c) {
			w.ready[name] = &stopwatch{op: p.Operations[c.Op](c, w.memory)}
			return w.ready[name], nil
		}
	}
	return nil, fmt.Errorf("%s has no %s", name, c)
}

// A stopwatch times an operation.
type stopwatch struct {
	op  contender.Operation
	one float64 // nanoseconds of one operation, 0 before the first
}

// measure runs the operation for about slice, at least once, and returns the number of runs and
// their time. Before, it runs for an eighth of that, which brings the operands back into the caches. An
// operation that takes longer than slice warms up only at its first call.
func (s *stopwatch) measure(slice time.Duration) (n int, took time.Duration) {
	const warmUp = 8
	if s.one == 0 {
		s.time(1)
	}
	if s.one < float64(slice) {
		s.time(s.fits(slice / warmUp))
	}
	n = s.fits(slice)
	return n, s.time(n)
}

// fits returns how many operations fit into d, at least 1.
func (s *stopwatch) fits(d time.Duration) int { return max(1, int(float64(d)/s.one)) }

// time runs the operation n times and returns how long it took.
func (s *stopwatch) time(n int) time.Duration {
	start := time.Now()
	s.op.Run(n)
	took := max(1, time.Since(start))
	s.one = float64(took) / float64(n)
	return took
}

// A Client sends requests to one worker.
type Client struct {
	requests *json.Encoder
	replies  *json.Decoder
}

// NewClient returns a client that writes requests to one pipe and reads replies from another.
func NewClient(requests io.Writer, replies io.Reader) *Client {
	return &Client{json.NewEncoder(requests), json.NewDecoder(replies)}
}

// Facts returns facts about the libraries of the worker, each "key: value".
func (c *Client) Facts() ([]string, error) {
	r, err := c.ask(request{Do: "facts"})
	return r.Facts, err
}

// Contenders returns the names of the contenders that implement the case.
func (c *Client) Contenders(of suite.Case) ([]string, error) {
	r, err := c.ask(request{Do: "contenders", Case: of.String()})
	return r.Names, err
}

// Run runs a case of one contender for about slice and returns the number of operations and the
// time they took.
func (c *Client) Run(of suite.Case, name string, slice time.Duration) (n int, took time.Duration, err error) {
	r, err := c.ask(request{"run", of.String(), name, slice})
	if err == nil && (r.Operations <= 0 || r.Time <= 0) {
		err = fmt.Errorf("wire: run %s of %s: %d operations in %v, want positive numbers", of, name, r.Operations, r.Time)
	}
	return r.Operations, r.Time, err
}

// Result returns what a contender computes for a case, or nothing if it reports no result.
func (c *Client) Result(of suite.Case, name string) ([]float32, error) {
	r, err := c.ask(request{Do: "result", Case: of.String(), Name: name})
	return r.Values, err
}

func (c *Client) ask(r request) (answer reply, err error) {
	if err = c.requests.Encode(r); err == nil {
		err = c.replies.Decode(&answer)
	}
	if err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	if err != nil {
		err = fmt.Errorf("wire: %s %s %s: %w", r.Do, r.Name, r.Case, err)
	}
	return answer, err
}

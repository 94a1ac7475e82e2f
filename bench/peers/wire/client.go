package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// A Client sends requests to one worker.
type Client struct {
	requests io.Writer
	replies  *bufio.Reader
}

// NewClient returns a client that writes requests to one pipe and reads replies from another.
func NewClient(requests io.Writer, replies io.Reader) *Client {
	return &Client{requests, bufio.NewReader(replies)}
}

// Facts returns facts about the libraries of the worker, each "key: value".
func (c *Client) Facts() ([]string, error) {
	facts, _, err := c.ask("facts")
	return facts, err
}

// Contenders returns the names of the contenders that implement the case.
func (c *Client) Contenders(of suite.Case) ([]string, error) {
	_, names, err := c.ask("contenders", of.String())
	return names, err
}

// Run runs a case of one contender for about slice and returns the number of operations and the
// time they took.
func (c *Client) Run(of suite.Case, name string, slice time.Duration) (n int, took time.Duration, err error) {
	_, values, err := c.ask("run", of.String(), name, strconv.FormatInt(slice.Nanoseconds(), 10))
	if err != nil {
		return 0, 0, err
	}
	if len(values) != 2 {
		return 0, 0, fmt.Errorf("wire: run %s of %s: reply of %d values, want 2", of, name, len(values))
	}
	n, errN := strconv.Atoi(values[0])
	ns, errNS := strconv.ParseInt(values[1], 10, 64)
	if errors.Join(errN, errNS) != nil || n <= 0 || ns <= 0 {
		return 0, 0, fmt.Errorf("wire: run %s of %s: reply %q, want two positive numbers", of, name, values)
	}
	return n, time.Duration(ns), nil
}

// Result returns what a contender computes for a case, or nothing if it reports no result.
func (c *Client) Result(of suite.Case, name string) ([]float32, error) {
	_, values, err := c.ask("result", of.String(), name)
	if err != nil {
		return nil, err
	}
	y := make([]float32, len(values))
	for i, text := range values {
		v, err := strconv.ParseFloat(text, 32)
		if err != nil {
			return nil, fmt.Errorf("wire: result %s of %s: value %d: %w", of, name, i, err)
		}
		y[i] = float32(v)
	}
	return y, nil
}

// ask sends a request and returns the facts of its reply and the words after ok.
func (c *Client) ask(request ...string) (facts, words []string, err error) {
	text := strings.Join(request, " ")
	if _, err := fmt.Fprintln(c.requests, text); err != nil {
		return nil, nil, fmt.Errorf("wire: %s: %w", text, err)
	}
	for {
		line, err := c.replies.ReadString('\n')
		if err != nil {
			return nil, nil, fmt.Errorf("wire: %s: the worker exited: %w", text, err)
		}
		line = strings.TrimSuffix(line, "\n")
		if message, ok := strings.CutPrefix(line, "error "); ok {
			return nil, nil, fmt.Errorf("wire: %s: %s", text, message)
		}
		if line == "ok" || strings.HasPrefix(line, "ok ") {
			return facts, strings.Fields(line)[1:], nil
		}
		facts = append(facts, line)
	}
}

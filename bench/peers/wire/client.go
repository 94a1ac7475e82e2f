package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

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

package wire

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/contender"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

// serve returns a client of a worker in this process.
func serve(t *testing.T, w *Worker) *Client {
	t.Helper()
	requests, toWorker := io.Pipe()
	fromWorker, replies := io.Pipe()
	done := make(chan error)
	go func() { done <- w.Serve(requests, replies) }()
	t.Cleanup(func() {
		_ = toWorker.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return NewClient(toWorker, fromWorker)
}

// fake has the operation Exp, and counts its preparations and operations.
func fake(name string, prepared, operations *int) contender.Contender {
	return contender.Contender{Name: name, Operations: contender.Operations{"Exp": func(c suite.Case, _ *suite.Memory) contender.Operation {
		*prepared++
		return contender.Operation{
			Run:    func(n int) { *operations += n },
			Result: func() []float32 { return []float32{0.1, -3e-30, float32(c.N)} },
		}
	}}}
}

func TestProtocol(t *testing.T) {
	var prepared, operations int
	panics := func(suite.Case, *suite.Memory) contender.Operation { panic("out\nof order") }
	broken := contender.Contender{Name: "broken", Operations: contender.Operations{"Exp": panics, "Tanh": panics}}
	w := &Worker{Facts: []string{"a: 1", "b: two words"}, Contenders: []contender.Contender{fake("fake", &prepared, &operations), broken}}
	client := serve(t, w)
	facts, err := client.Facts()
	if err != nil || !slices.Equal(facts, w.Facts) {
		t.Errorf("facts %q, %v, want %q", facts, err, w.Facts)
	}
	exp, tanh := suite.Case{Op: "Exp", N: 5}, suite.Case{Op: "Tanh", N: 5}
	for c, want := range map[suite.Case][]string{exp: {"fake", "broken"}, tanh: {"broken"}} {
		if names, err := client.Contenders(c); err != nil || !slices.Equal(names, want) {
			t.Errorf("contenders of %s: %q, %v, want %q", c, names, err, want)
		}
	}
	for range 2 {
		before := operations
		n, took, err := client.Run(exp, "fake", time.Microsecond)
		if err != nil || n < 1 || took <= 0 || operations-before < n {
			t.Errorf("run: %d operations in %v, %v; %d were done", n, took, err, operations-before)
		}
	}
	if prepared != 1 {
		t.Errorf("prepared %d times for two runs of one case, want 1", prepared)
	}
	want := []float32{0.1, -3e-30, 5}
	if y, err := client.Result(exp, "fake"); err != nil || !slices.Equal(y, want) {
		t.Errorf("result %g, %v, want %g", y, err, want)
	}
	for name, message := range map[string]string{"broken": "panic: out of order", "other": "other has no Exp/n=5"} {
		if _, _, err := client.Run(exp, name, time.Second); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("run of %s: error %v, want %q", name, err, message)
		}
	}
	if _, err := client.Facts(); err != nil {
		t.Errorf("after errors: %v", err)
	}
}

func TestRequests(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"Do":"stop","Case":"Exp/n=5"}`, `{"Do":"contenders"}`, `{"Do":"run","Case":"Exp/n=5","Name":"fake","Time":9}`,
		`{"Do":"run","Case":"Exp","Name":"fake","Time":9}`,
	} {
		var replies strings.Builder
		if err := new(Worker).Serve(strings.NewReader(text+"\n"), &replies); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(replies.String(), `{"Error":"`) {
			t.Errorf("request %s: reply %s, want an error", text, replies.String())
		}
	}
	for _, text := range []string{"words\n", `{"Do":1}`, `{"Do":"facts"`} {
		if err := new(Worker).Serve(strings.NewReader(text), io.Discard); err == nil {
			t.Errorf("request %s: no error", text)
		}
	}
}

func TestReplies(t *testing.T) {
	c := suite.Case{Op: "Exp", N: 5}
	for _, reply := range []string{
		"", "{}", `{"Operations":1}`, `{"Operations":-1,"Time":5}`, `{"Operations":5,"Time":0}`, `{"Operations":"x","Time":5}`, `{"Operations":5,`,
		`{"Error":"no"}`, "words",
	} {
		client := NewClient(io.Discard, strings.NewReader(reply))
		if _, _, err := client.Run(c, "fake", 1); err == nil {
			t.Errorf("reply %q to run: no error", reply)
		}
	}
	if _, err := NewClient(io.Discard, strings.NewReader(`{"Values":[1,"x"]}`)).Result(c, "fake"); err == nil {
		t.Error("result of a word: no error")
	}
}

func TestStopwatch(t *testing.T) {
	calls := 0
	s := &stopwatch{op: contender.Operation{Run: func(int) { calls++ }}, one: 1e12}
	if n, _ := s.measure(time.Millisecond); n != 1 || calls != 1 {
		t.Errorf("an operation longer than the slice: %d operations in %d calls, want 1 in 1", n, calls)
	}
}

package wire

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/softsearch-go/softsearch/bench/peers/contender"
	"github.com/softsearch-go/softsearch/bench/peers/suite"
)

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
	w.memory = suite.NewMemory()
	w.ready = map[string]*stopwatch{}
	lines := bufio.NewScanner(requests)
	for lines.Scan() {
		reply, err := w.answer(strings.Fields(lines.Text()))
		if err != nil {
			reply = "error " + err.Error()
		}
		if _, err := fmt.Fprintln(replies, reply); err != nil {
			return fmt.Errorf("wire: reply: %w", err)
		}
	}
	return lines.Err()
}

// answer returns the reply to a request. The panic of a contender becomes an error of its case.
func (w *Worker) answer(request []string) (reply string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %s", strings.ReplaceAll(fmt.Sprint(v), "\n", " "))
		}
	}()
	if len(request) == 1 && request[0] == "facts" {
		return strings.Join(append(w.Facts[:len(w.Facts):len(w.Facts)], "ok"), "\n"), nil
	}
	if len(request) < 2 {
		return "", fmt.Errorf("request %q", request)
	}
	c, err := suite.Parse(request[1])
	if err != nil {
		return "", err
	}
	switch {
	case request[0] == "contenders" && len(request) == 2:
		return w.offers(c), nil
	case request[0] == "run" && len(request) == 4:
		return w.run(c, request[2], request[3])
	case request[0] == "result" && len(request) == 3:
		return w.result(c, request[2])
	}
	return "", fmt.Errorf("request %q", request)
}

func (w *Worker) offers(c suite.Case) string {
	reply := "ok"
	for _, p := range w.Contenders {
		if p.Offer(c) != nil {
			reply += " " + p.Name
		}
	}
	return reply
}

func (w *Worker) run(c suite.Case, name, nanoseconds string) (string, error) {
	slice, err := strconv.ParseInt(nanoseconds, 10, 64)
	if err != nil || slice <= 0 {
		return "", fmt.Errorf("%q is not a positive number of nanoseconds", nanoseconds)
	}
	s, err := w.prepare(c, name)
	if err != nil {
		return "", err
	}
	n, d := s.measure(time.Duration(slice))
	return fmt.Sprintf("ok %d %d", n, d.Nanoseconds()), nil
}

// result runs an operation once on fresh operands.
func (w *Worker) result(c suite.Case, name string) (string, error) {
	delete(w.ready, name)
	s, err := w.prepare(c, name)
	if err != nil {
		return "", err
	}
	s.op.Run(1)
	reply := strings.Builder{}
	reply.WriteString("ok")
	if s.op.Result != nil {
		for _, v := range s.op.Result() {
			reply.WriteString(" " + strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
	}
	return reply.String(), nil
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
		offer := p.Offer(c)
		if p.Name == name && offer != nil {
			s := &stopwatch{op: offer(w.memory)}
			w.ready[name] = s
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s has no %s", name, c)
}

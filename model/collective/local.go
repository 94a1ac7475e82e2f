package collective

import (
	"errors"
	"fmt"
	"sync"
)

// ErrClosed is the error of a [Local] after Close.
var ErrClosed = errors.New("group closed")

// A Local is the network of a group whose ranks are goroutines of one process.
type Local struct {
	size   int
	queues []queue // of messages from a to b at a·size+b
	closed chan struct{}
	close  sync.Once
}

// A queue has the message from one rank to another.
type queue struct {
	messages chan []byte
	taken    chan struct{}
}

// maxLocal bounds the ranks of a Local, so that their square fits 32 bits.
const maxLocal = 1 << 15

// NewLocal returns a network of that many ranks. It panics if size is below 1 or above 32,768.
func NewLocal(size int) *Local {
	if size < 1 || size > maxLocal {
		panic(badSize)
	}
	l := &Local{size: size, queues: make([]queue, size*size), closed: make(chan struct{})}
	for i := range l.queues {
		l.queues[i] = queue{make(chan []byte, 1), make(chan struct{}, 1)}
	}
	return l
}

// Transport returns the transport of a rank. It panics if there is no such rank, and so does the transport's
// Exchange.
func (l *Local) Transport(rank int) Transport {
	l.check(rank)
	return localRank{l, rank}
}

func (l *Local) check(rank int) {
	if rank < 0 || rank >= l.size {
		panic(badRank)
	}
}

// Close makes all exchanges fail with ErrClosed, as the death of a rank does.
func (l *Local) Close() { l.close.Do(func() { close(l.closed) }) }

// A localRank is a rank of a Local.
type localRank struct {
	*Local
	rank int
}

func (r localRank) Rank() int { return r.rank }
func (r localRank) Size() int { return r.size }

func (r localRank) Exchange(peer int, send, receive []byte) error {
	r.check(peer)
	to, from := &r.queues[r.rank*r.size+peer], &r.queues[peer*r.size+r.rank]
	select {
	case <-r.closed:
		return ErrClosed
	case to.messages <- send:
	}
	select {
	case <-r.closed:
		return ErrClosed
	case data := <-from.messages:
		if len(data) != len(receive) {
			return fmt.Errorf("%d bytes, expected %d", len(data), len(receive))
		}
		copy(receive, data)
		from.taken <- struct{}{}
	}
	select {
	case <-r.closed:
		return ErrClosed
	case <-to.taken:
		return nil
	}
}

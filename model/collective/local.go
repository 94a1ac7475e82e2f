package collective

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrClosed is the error of a [Local] after Close.
var ErrClosed = errors.New("group closed")

// A Link is the connection between two ranks: a message takes Delay plus its length by Bandwidth, in
// both directions at once. The zero value takes no time of its own.
type Link struct {
	Delay     time.Duration
	Bandwidth float64 // bytes per second, 0 for no limit
}

func (l Link) time(length int) time.Duration {
	d := l.Delay
	if l.Bandwidth > 0 {
		d += time.Duration(float64(length) / l.Bandwidth * float64(time.Second))
	}
	return d
}

// A Local is the network of a group whose ranks are goroutines of one process.
type Local struct {
	size   int
	link   Link
	queues []queue // of messages from a to b at a·size+b
	closed chan struct{}
	close  sync.Once
}

// A queue has the message from one rank to another.
type queue struct {
	messages chan message
	taken    chan struct{}
}

type message struct {
	data []byte
	sent time.Time
}

// maxLocal bounds the ranks of a Local, so that their square fits 32 bits.
const maxLocal = 1 << 15

// NewLocal returns a network of that many ranks, all connected by such links. It panics if size is below 1
// or above 32,768.
func NewLocal(size int, link Link) *Local {
	if size < 1 || size > maxLocal {
		panic(badSize)
	}
	l := &Local{size: size, link: link, queues: make([]queue, size*size), closed: make(chan struct{})}
	for i := range l.queues {
		l.queues[i] = queue{make(chan message, 1), make(chan struct{}, 1)}
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
	case to.messages <- message{send, time.Now()}:
	}
	select {
	case <-r.closed:
		return ErrClosed
	case m := <-from.messages:
		if len(m.data) != len(receive) {
			return fmt.Errorf("%d bytes, expected %d", len(m.data), len(receive))
		}
		copy(receive, m.data)
		if d := r.link.time(len(m.data)); d > 0 {
			time.Sleep(time.Until(m.sent.Add(d)))
		}
		from.taken <- struct{}{}
	}
	select {
	case <-r.closed:
		return ErrClosed
	case <-to.taken:
		return nil
	}
}

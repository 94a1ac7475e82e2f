// Package collective adds values of several processes with the same bits for any number of them.
//
// The processes are the ranks of a [Group], numbered from 0. Their number is a power of two, and a sum
// of values, one of each rank, follows the binary tree whose leaves are the ranks in order:
//
//	(v_0 + v_1) + (v_2 + v_3)        of 4 ranks
//
// A rank that adds 2^n values of its own along such a tree first, and is one of V/2^n ranks, computes
// a subtree of the tree with V leaves: the sum depends on V alone. MPI_Allreduce promises that only for one
// number of ranks, so a Group uses no more of MPI than messages between two ranks: a [Transport].
// [Local] is one inside a process.
package collective

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/softsearch-go/softsearch/kernels"
)

// Errors for groups that cannot work together.
var (
	ErrSize      = errors.New("number of ranks is not a power of two")
	ErrDiffers   = errors.New("differs from rank 0")
	ErrTransport = errors.New("no message") // of a transport, after which the group is of no use
)

const (
	badTransport = "collective: New: nil transport"
	badRank      = "collective: no such rank"
	badSize      = "collective: NewLocal: fewer than 1 or more than 32,768 ranks"
	badAdd       = "collective: Add: lengths differ"
)

// A Transport carries messages between the ranks of a group. It serves one goroutine at a time.
type Transport interface {
	Rank() int // 0 to Size()-1
	Size() int

	// Exchange sends a message to another rank and receives one from it, whose length must be
	// len(receive). Both call it with each other, and in the same order; a message may be empty. send
	// and receive do not overlap, and the caller may change them afterwards.
	Exchange(peer int, send, receive []byte) error
}

// A Group is the ranks of a transport, as one of them sees it. All ranks call the same methods in the
// same order, with values of the same length. Errors of the transport wrap ErrTransport. A Group serves
// one goroutine at a time.
type Group struct {
	transport Transport // nil for a group of one rank
	rank      int
	size      int
	traffic   Traffic
	received  []float32 // by addFrom
	adding    addTask
	word      [2][8]byte // of combine
}

// A Traffic is what a rank has sent and how long that took.
type Traffic struct {
	Sent    int64         // bytes
	Time    time.Duration // in exchanges, without Waiting
	Waiting time.Duration // in messages of one number, which mostly wait for a rank that is late
}

// Alone returns a group of one rank.
func Alone() *Group { return &Group{size: 1} }

// New returns the group of a transport. The error wraps ErrSize; then the group has nothing but its Rank
// and Size. New panics if t is nil or its rank is none of its ranks.
func New(t Transport) (*Group, error) {
	if t == nil {
		panic(badTransport)
	}
	g := &Group{transport: t, rank: t.Rank(), size: t.Size()}
	if n := g.size; n < 1 || n&(n-1) != 0 {
		return g, fmt.Errorf("%d: %w", n, ErrSize)
	}
	if g.rank < 0 || g.rank >= g.size {
		panic(badRank)
	}
	if g.size > 1 {
		g.received = kernels.Alloc(messageValues)
	}
	return g, nil
}

// Rank returns the number of this rank, from 0.
func (g *Group) Rank() int { return g.rank }

// Size returns the number of ranks.
func (g *Group) Size() int { return g.size }

// Traffic returns the traffic of this rank so far.
func (g *Group) Traffic() Traffic { return g.traffic }

// AllReduce sets the values of every rank to the sums over all ranks. It is a reduce-scatter and an all-gather
// (Rabenseifner, 2004): each rank sends and receives about 2·(1-1/Size) times the values.
func (g *Group) AllReduce(k kernels.Impl, values []float32) error {
	if err := g.reduceScatter(k, values); err != nil {
		return err
	}
	return g.allGather(values, 1)
}

// reduceScatter sets those values that are this rank's share to the sums over all ranks. The others are then of no
// use.
func (g *Group) reduceScatter(k kernels.Impl, values []float32) error {
	for bit := 1; bit < g.size; bit <<= 1 {
		own, other := g.halves(values, bit)
		if err := g.addFrom(k, g.rank^bit, own, other); err != nil {
			return err
		}
		values = own
	}
	return nil
}

// allGather sets the values of every rank to those that each rank has for its share. It copies among the ranks whose numbers differ in that bit or higher ones.
func (g *Group) allGather(values []float32, bit int) error {
	if bit == g.size {
		return nil
	}
	own, other := g.halves(values, bit)
	if err := g.allGather(own, bit<<1); err != nil {
		return err
	}
	return g.exchange(&g.traffic.Time, g.rank^bit, bytes(own), bytes(other))
}

// shareBlock is the number of values that shares are multiples of.
const shareBlock = 4096

// half returns about a half of n, in whole blocks.
func half(n int) int { return (n/2 + shareBlock/2) / shareBlock * shareBlock }

// halves divides values between this rank and the one whose number differs in that bit.
func (g *Group) halves(values []float32, bit int) (own, other []float32) {
	m := half(len(values))
	if g.rank&bit == 0 {
		return values[:m], values[m:]
	}
	return values[m:], values[:m]
}

// messageValues is the largest number of values in a message to add: long enough that its time on a network is
// long beside the delay, short enough that it is added from a cache.
const messageValues = 1 << 19

// addFrom sends other to a peer and adds what the peer sends to own.
func (g *Group) addFrom(k kernels.Impl, peer int, own, other []float32) error {
	for len(own) > 0 || len(other) > 0 {
		n, m := min(messageValues, len(own)), min(messageValues, len(other))
		received := g.received[:n]
		if err := g.exchange(&g.traffic.Time, peer, bytes(other[:m]), bytes(received)); err != nil {
			return err
		}
		g.Add(k, own[:n], received)
		own, other = own[n:], other[m:]
	}
	return nil
}

// AllReduceFloat64 returns the sum of v over all ranks.
func (g *Group) AllReduceFloat64(v float64) (float64, error) {
	bits, err := g.combine(math.Float64bits(v), func(a, b uint64) uint64 {
		return math.Float64bits(math.Float64frombits(a) + math.Float64frombits(b))
	})
	return math.Float64frombits(bits), err
}

// AllReduceMax returns the maximum of v over all ranks.
func (g *Group) AllReduceMax(v uint64) (uint64, error) {
	return g.combine(v, func(a, b uint64) uint64 { return max(a, b) })
}

// combine returns the result of f on the numbers of all ranks along the tree.
func (g *Group) combine(v uint64, f func(a, b uint64) uint64) (uint64, error) {
	send, receive := g.word[0][:], g.word[1][:]
	for bit := 1; bit < g.size; bit <<= 1 {
		binary.LittleEndian.PutUint64(send, v)
		if err := g.exchange(&g.traffic.Waiting, g.rank^bit, send, receive); err != nil {
			return 0, err
		}
		v = f(v, binary.LittleEndian.Uint64(receive))
	}
	return v, nil
}

// Broadcast copies the values of rank 0 to every rank.
func (g *Group) Broadcast(values []float32) error { return g.broadcast(bytes(values)) }

// BroadcastBytes returns the data of rank 0, which has at most 64 MiB.
func (g *Group) BroadcastBytes(data []byte) ([]byte, error) {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	if err := g.broadcast(length); err != nil {
		return nil, err
	}
	if g.rank != 0 {
		var err error
		if data, err = g.room(length, 0); err != nil {
			return nil, err
		}
	}
	return data, g.broadcast(data)
}

// maxBytes bounds the data of a rank, whose length another one states.
const maxBytes = 64 << 20

// room returns memory for data of a rank with a stated length.
func (g *Group) room(length []byte, rank int) ([]byte, error) {
	n := binary.LittleEndian.Uint64(length)
	if n > maxBytes {
		return nil, fmt.Errorf("%w: rank %d has %d bytes, expected at most %d", ErrTransport, rank, n, maxBytes)
	}
	return make([]byte, n), nil
}

// broadcast doubles the number of ranks that have the data with each step.
func (g *Group) broadcast(data []byte) (err error) {
	for bit := 1; bit < g.size && err == nil; bit <<= 1 {
		switch {
		case g.rank < bit:
			err = g.exchange(&g.traffic.Time, g.rank+bit, data, nil)
		case g.rank < 2*bit:
			err = g.exchange(&g.traffic.Time, g.rank-bit, nil, data)
		}
	}
	return err
}

// AllGatherBytes returns the data of all ranks, by rank, on every rank. Each has at most 64 MiB.
func (g *Group) AllGatherBytes(data []byte) ([][]byte, error) {
	all := make([][]byte, g.size)
	all[g.rank] = data
	for rank := 1; rank < g.size; rank++ {
		var err error
		switch g.rank {
		case 0:
			length := make([]byte, 8)
			if err = g.exchange(&g.traffic.Time, rank, nil, length); err == nil {
				all[rank], err = g.room(length, rank)
			}
			if err == nil {
				err = g.exchange(&g.traffic.Time, rank, nil, all[rank])
			}
		case rank:
			if err = g.exchange(&g.traffic.Time, 0, binary.LittleEndian.AppendUint64(nil, uint64(len(data))), nil); err == nil {
				err = g.exchange(&g.traffic.Time, 0, data, nil)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	for rank := range all {
		var err error
		if all[rank], err = g.BroadcastBytes(all[rank]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A Property is something that must be the same on every rank.
type Property struct{ Name, Value string }

// Compare returns an error that wraps ErrDiffers if the properties of a rank differ from rank 0,
// and names them. Every rank gets the same error.
func (g *Group) Compare(properties []Property) error {
	own, err := json.Marshal(properties)
	if err != nil {
		return err
	}
	all, err := g.AllGatherBytes(own)
	if err != nil {
		return err
	}
	var want []Property
	for rank, data := range all {
		var got []Property
		if err := json.Unmarshal(data, &got); err != nil {
			return fmt.Errorf("rank %d: %w: another format: %w", rank, ErrDiffers, err)
		}
		if rank == 0 {
			want = got
		}
		if list := differences(got, want); list != nil {
			return fmt.Errorf("rank %d %w: %s", rank, ErrDiffers, strings.Join(list, "; "))
		}
	}
	return nil
}

// differences describes the properties that are not as wanted.
func differences(got, want []Property) (list []string) {
	has := map[string]string{}
	for _, p := range got {
		has[p.Name] = p.Value
	}
	for _, p := range want {
		if v, ok := has[p.Name]; !ok {
			list = append(list, fmt.Sprintf("no %s, expected %.200q", p.Name, p.Value))
		} else if v != p.Value {
			list = append(list, fmt.Sprintf("%s %.200q, expected %.200q", p.Name, v, p.Value))
		}
	}
	for _, p := range got {
		if !slices.ContainsFunc(want, func(w Property) bool { return w.Name == p.Name }) {
			list = append(list, fmt.Sprintf("%s %.200q, expected none", p.Name, p.Value))
		}
	}
	return list
}

// Add sets dst[i] += src[i], divided among k's team. It panics if the lengths differ.
func (g *Group) Add(k kernels.Impl, dst, src []float32) {
	if len(dst) != len(src) {
		panic(badAdd)
	}
	g.adding = addTask{dst, src}
	k.Parallel(&g.adding, (len(dst)+block-1)/block, kernels.CostMove*len(dst))
}

// An addTask divides blocks.
type addTask struct{ dst, src []float32 }

const block = 1 << 14

func (t *addTask) Run(k kernels.Impl, from, to int) {
	from, to = from*block, min(to*block, len(t.dst))
	k.Add(t.dst[from:to], t.src[from:to])
}

// exchange adds its time to spent, a field of the traffic.
func (g *Group) exchange(spent *time.Duration, peer int, send, receive []byte) error {
	start := time.Now()
	err := g.transport.Exchange(peer, send, receive)
	*spent += time.Since(start)
	g.traffic.Sent += int64(len(send))
	if err != nil {
		return fmt.Errorf("%w between ranks %d and %d: %w", ErrTransport, g.rank, peer, err)
	}
	return nil
}

// bytes returns the memory of values.
func bytes(values []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}

package collective

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
)

// eachRank runs f on every rank of a group, each on a goroutine.
func eachRank(t *testing.T, size int, f func(g *Group) error) {
	t.Helper()
	network := NewLocal(size)
	defer network.Close()
	var ranks sync.WaitGroup
	for rank := range size {
		ranks.Go(func() {
			g, err := New(network.Transport(rank))
			if err == nil {
				err = f(g)
			}
			if err != nil {
				t.Error(err)
				network.Close()
			}
		})
	}
	ranks.Wait()
}

// tree adds leaves along the binary tree.
func tree(leaves [][]float32) []float32 {
	if len(leaves) == 1 {
		return leaves[0]
	}
	left, right := tree(leaves[:len(leaves)/2]), tree(leaves[len(leaves)/2:])
	sum := make([]float32, len(left))
	for i := range sum {
		sum[i] = left[i] + right[i]
	}
	return sum
}

// leaves returns n vectors whose sums depend on the order.
func leaves(n, length int) [][]float32 {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([][]float32, n)
	for i := range list {
		list[i] = make([]float32, length)
		for j := range list[i] {
			list[i][j] = float32(r.NormFloat64() * math.Pow(10, float64(r.IntN(9))))
		}
	}
	return list
}

// TestSum compares with the tree, for lengths down to less than one value per rank and up to more
// than messageValues.
func TestSum(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		lengths := []int{0, 1, 3, 1000, 100_003}
		if size == 2 && os.Getenv("SOFTSEARCH_TEST") == "full" {
			lengths = append(lengths, 2*messageValues+5)
		}
		for _, length := range lengths {
			values := leaves(size, length)
			want := tree(values)
			sent := make([]int64, size)
			eachRank(t, size, func(g *Group) error {
				got := slices.Clone(values[g.Rank()])
				if err := g.AllReduce(kernels.Best(), got); err != nil {
					return err
				}
				if !slices.Equal(got, want) {
					return fmt.Errorf("rank %d of %d: sum of %d values differs from the tree", g.Rank(), size, length)
				}
				sent[g.Rank()] = g.Traffic().Sent
				return nil
			})
			all := int64(0)
			for _, n := range sent {
				all += n
			}
			if want := int64(8 * length * (size - 1)); all != want {
				t.Errorf("%d ranks, %d values: %d bytes sent, want %d", size, length, all, want)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		v := []float64{1e16, 1, -1e16, 1, 3, 1e-9, 1e9, 7}[:size]
		var add func(v []float64) float64
		add = func(v []float64) float64 {
			if len(v) == 1 {
				return v[0]
			}
			return add(v[:len(v)/2]) + add(v[len(v)/2:])
		}
		eachRank(t, size, func(g *Group) error {
			sum, err := g.AllReduceFloat64(v[g.Rank()])
			if err != nil {
				return err
			}
			top, err := g.AllReduceMax(uint64(g.Rank() ^ 1))
			if err == nil && (sum != add(v) || top != uint64(max(1, size-1))) {
				err = fmt.Errorf("rank %d of %d: sum %v and maximum %d, want %v and %d", g.Rank(), size, sum, top, add(v), max(1, size-1))
			}
			return err
		})
	}
}

func TestAllGatherBytes(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		eachRank(t, size, func(g *Group) error {
			all, err := g.AllGatherBytes(fmt.Appendf(nil, "%0*d", g.Rank(), g.Rank()))
			if err != nil {
				return err
			}
			for rank, got := range all {
				if want := fmt.Sprintf("%0*d", rank, rank); string(got) != want {
					return fmt.Errorf("rank %d of %d has %q of rank %d, want %q", g.Rank(), size, got, rank, want)
				}
			}
			values := []float32{float32(g.Rank()), 2}
			if err := g.Broadcast(values); err != nil {
				return err
			}
			if !slices.Equal(values, []float32{0, 2}) {
				return fmt.Errorf("rank %d of %d has %v of rank 0", g.Rank(), size, values)
			}
			return nil
		})
	}
}

func TestNoAllocations(t *testing.T) {
	const runs = 5
	values := leaves(4, 1000)
	eachRank(t, 4, func(g *Group) error {
		f := func() {
			if err := g.AllReduce(kernels.Best(), values[g.Rank()]); err != nil {
				t.Error(err)
			}
			if _, err := g.AllReduceFloat64(1); err != nil {
				t.Error(err)
			}
		}
		if g.Rank() > 0 {
			for range runs + 1 {
				f()
			}
			return nil
		}
		if n := testing.AllocsPerRun(runs, f); n != 0 {
			return fmt.Errorf("%v allocations per sum, want 0", n)
		}
		return nil
	})
}

func TestErrors(t *testing.T) {
	if _, err := New(NewLocal(3).Transport(0)); !errors.Is(err, ErrSize) {
		t.Errorf("3 ranks: %v, want %v", err, ErrSize)
	}
	network := NewLocal(2)
	g, err := New(network.Transport(1))
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() { failed <- g.AllReduce(kernels.Best(), make([]float32, 9)) }()
	network.Close() // as rank 0 that ends
	if err := <-failed; !errors.Is(err, ErrClosed) || !errors.Is(err, ErrTransport) {
		t.Errorf("got %v, want %v", err, ErrClosed)
	}
}

// TestClaimedLength has a rank that claims more bytes than any memory has.
func TestClaimedLength(t *testing.T) {
	for liar := range 2 {
		network := NewLocal(2)
		g, err := New(network.Transport(1 - liar))
		if err != nil {
			t.Fatal(err)
		}
		go network.Transport(liar).Exchange(1-liar, binary.LittleEndian.AppendUint64(nil, 1<<62), nil)
		if _, err := g.AllGatherBytes(nil); liar == 1 && !errors.Is(err, ErrTransport) {
			t.Errorf("gathered: %v, want %v", err, ErrTransport)
		}
	}
}

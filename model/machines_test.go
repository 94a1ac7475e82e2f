package model

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
	"github.com/softsearch-go/softsearch/model/text/grammar"
)

// The hashes of TestMachines. They hold on every machine; they change with the expression of
// any kernel.
const (
	runHash  = "1d615bfb8c8917db"
	fileHash = "f9c7f3c3295949a5"
)

// tinyFile is a model file that every machine writes with the same bytes.
const tinyFile = "testdata/tiny.safetensors"

var update = flag.Bool("update", false, "write "+tinyFile)

// A digest is a hash of values, the same for both byte orders and any size of int.
type digest struct{ hash.Hash64 }

func newDigest() digest { return digest{fnv.New64a()} }

func (d digest) String() string { return fmt.Sprintf("%016x", d.Sum64()) }

func (d digest) number(v uint64) { d.Write(binary.LittleEndian.AppendUint64(nil, v)) }

func (d digest) floats(x []float32) {
	d.number(uint64(len(x)))
	d.values(x)
}

// values is floats without their number.
func (d digest) values(x []float32) {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	d.Write(b)
}

func (d digest) translation(r Translation) {
	d.number(uint64(len(r.IDs)))
	for _, w := range r.IDs {
		d.number(uint64(w))
	}
	d.number(math.Float64bits(r.LogProb))
	for i := range r.Alignment.Rows {
		d.floats(r.Alignment.Row(i))
	}
}

// TestMachines trains and translates as a program would, and holds the bits of all that comes
// of it: initial weights, losses, weights, translations and the model file.
func TestMachines(t *testing.T) {
	const sentences, updates = 16, 30
	train, heldOut := grammar.Pairs(10, 300, 20)
	train, _ = text.LimitLength(train, 12)
	everyImpl(t, func(t *testing.T, k kernels.Impl) {
		d := newDigest()
		m := newRunModel(t, train)
		initial, err := New(m.Config, 16)
		if err != nil {
			t.Fatal(err)
		}
		d.floats(initial.Parameters.Values)
		losses := trainRun(t, k, d, m, train, sentences, updates)
		if first, last := mean(losses[:5]), mean(losses[updates-5:]); !(last < first) {
			t.Errorf("%s: loss per word: first %g, last %g, want it to fall", k, first, last)
		}
		d.floats(m.Parameters.Values)
		translateRun(t, k, d, m, heldOut)
		file := written(t, m)
		d.Write(file)
		back, err := Read(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		sameModel(t, back, m)
		t.Logf("%s: hash %s", k, d)
		if d.String() != runHash {
			t.Errorf("%s: hash %s, want %s", k, d, runHash)
		}
	})
}

// everyImpl is eachImpl that takes portable Go with -short, too.
func everyImpl(t *testing.T, f func(t *testing.T, k kernels.Impl)) {
	t.Helper()
	for _, k := range kernels.Available() {
		t.Run(k.String(), func(t *testing.T) { f(t, k) })
	}
}

// newRunModel returns a model with the words of the pairs. Its weights are large enough for
// translations of different words from the first update on. Every product and every row in it
// has a part behind the last 16.
func newRunModel(t *testing.T, pairs []text.Pair) *Model {
	t.Helper()
	source, err := text.NewVocabulary(text.Sources(pairs), 1000)
	if err != nil {
		t.Fatal(err)
	}
	target, err := text.NewVocabulary(text.Targets(pairs), 1000)
	if err != nil {
		t.Fatal(err)
	}
	m := randomModel(t, Config{
		Kind: RNNsearch, Order: UpdateFirst, SourceVocab: source.Size(), TargetVocab: target.Size(),
		Embedding: 18, Hidden: 21, Alignment: 19, Maxout: 9,
	}, 38, 0.3)
	m.Source, m.Target = source, target
	return m
}

// trainRun trains on batches of the pairs and returns the losses per word.
func trainRun(t *testing.T, k kernels.Impl, d digest, m *Model, pairs []text.Pair, sentences, updates int) []float64 {
	t.Helper()
	examples := text.Examples(pairs, m.Source, m.Target)
	capacity := capacityOf(examples)
	capacity.Sentences = sentences
	trainer, err := NewTrainer(k, m, Recipe{}, capacity)
	if err != nil {
		t.Fatal(err)
	}
	batches := text.NewBatcher(examples, sentences, 17)
	losses := make([]float64, updates)
	for i := range losses {
		batch := batches.Next()
		loss, err := trainer.Update(batch)
		if err != nil {
			t.Fatal(err)
		}
		d.number(math.Float64bits(loss))
		words := 0
		for _, e := range batch {
			words += len(e.Target)
		}
		losses[i] = loss / float64(words)
	}
	return losses
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// translateRun takes the loss of the pairs and translates their sources with a beam of 3.
func translateRun(t *testing.T, k kernels.Impl, d digest, m *Model, pairs []text.Pair) {
	t.Helper()
	const longest = 100
	batch := text.Examples(pairs, m.Source, m.Target)
	d.number(math.Float64bits(lossOf(t, newWorkspaceFor(t, k, m, batch), batch)))
	tr := newTranslator(t, k, m, 3, longest, longest)
	words := 0
	for _, e := range batch {
		r := translate(t, tr, e.Source, longest)
		d.translation(r)
		d.Write([]byte(strings.Join(m.Target.Decode(r.IDs), " ")))
		words += len(r.IDs) - 1
	}
	if words < 2*len(pairs) {
		t.Errorf("%s: %d translations have %d words in all, want twice as many", k, len(pairs), words)
	}
}

// TestMachinesFile compares the file that this machine writes with the one that is checked in,
// and a translation of the model in it with a hash.
func TestMachinesFile(t *testing.T) {
	want := withVocabularies(t, Config{
		Kind: RNNsearch, Order: PredictFirst,
		SourceVocab: 9, TargetVocab: 11, Embedding: 3, Hidden: 5, Alignment: 6, Maxout: 3,
	})
	if *update {
		if err := Save(tinyFile, want); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(tinyFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written(t, want), file) {
		t.Errorf("Write differs from %s", tinyFile)
	}
	m, err := Open(tinyFile)
	if err != nil {
		t.Fatal(err)
	}
	sameModel(t, m, want)
	everyImpl(t, func(t *testing.T, k kernels.Impl) {
		d := newDigest()
		d.translation(translate(t, newTranslator(t, k, m, 4, 9, 12), []int32{5, 2, 8, 3, 7, 4, 6, 5, 0}, 12))
		if got := d.String(); got != fileHash {
			t.Errorf("%s: translation of the model in %s: hash %s, want %s", k, tinyFile, got, fileHash)
		}
	})
}

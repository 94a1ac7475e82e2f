package model

import (
	"bytes"
	"encoding/binary"
	"flag"
	"hash"
	"hash/fnv"
	"math"
	"os"
	"testing"
)

// tinyFile is a model file. Every machine writes the same bytes.
const tinyFile = "testdata/tiny.safetensors"

var update = flag.Bool("update", false, "write "+tinyFile)

// A digest is a hash of values, the same for both byte orders and any size of int.
type digest struct{ hash.Hash64 }

func newDigest() digest { return digest{fnv.New64a()} }

func (d digest) number(v uint64) { d.Write(binary.LittleEndian.AppendUint64(nil, v)) }

func (d digest) values(x []float32) {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	d.Write(b)
}

// TestMachinesFile compares the file that this machine writes with the one in testdata.
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
}

package corpus

import "hash/maphash"

// A pairSet is the set of the pairs of one tokenText. It keeps 80 bits of the hashes of each, 64 of them
// in memory. The probability that it takes any two of n different pairs for one is about n²/2⁸¹,
// 6e-11 for 12 million.
type pairSet struct {
	seeds  [2]maphash.Seed
	tables [1 << 16]pairTable // by the other 16 bits
}

// newPairSet returns an empty set.
func newPairSet() *pairSet {
	return &pairSet{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
}

// add adds an encoded pair and reports whether it is new.
func (s *pairSet) add(pair []byte) bool {
	table := &s.tables[uint16(maphash.Bytes(s.seeds[0], pair))]
	return table.add(max(1, maphash.Bytes(s.seeds[1], pair)))
}

// A pairTable is a hash table with linear probing. Many small tables grow at different times; a single
// one would need half as much memory again while it grows.
type pairTable struct {
	slots []uint64 // a power of two of them; 0 is empty
	used  int
}

// add adds a hash other than 0 and reports whether it is new.
func (t *pairTable) add(hash uint64) bool {
	if 4*t.used >= 3*len(t.slots) {
		old := t.slots
		t.slots = make([]uint64, max(4, 2*len(old)))
		for _, h := range old {
			if h != 0 {
				*t.slot(h) = h
			}
		}
	}
	slot := t.slot(hash)
	if *slot == hash {
		return false
	}
	*slot = hash
	t.used++
	return true
}

// slot returns the slot of a hash, or the empty one where it belongs.
func (t *pairTable) slot(hash uint64) *uint64 {
	for i := hash; ; i++ {
		if s := &t.slots[i&uint64(len(t.slots)-1)]; *s == 0 || *s == hash {
			return s
		}
	}
}

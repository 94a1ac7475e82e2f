package server

import (
	linked "container/list"
	"encoding/binary"
	"sync"

	"github.com/softsearch-go/softsearch/model/decode"
)

// A cache has values by key, which take at most limit bytes. Those that have not been used for the
// longest time make way for others.
type cache[V any] struct {
	limit   int64
	dropped func(V) // is called for each value that makes way, unless it is nil

	mutex sync.Mutex
	used  int64
	items map[string]*linked.Element
	order linked.List // of *item[V], the one used last first
}

type item[V any] struct {
	key   string
	value V
	bytes int64
}

// perItem is what an item takes in bytes, besides its key and its value.
const perItem = 256

func newCache[V any](limit int64) *cache[V] {
	return &cache[V]{limit: limit, items: map[string]*linked.Element{}}
}

func (c *cache[V]) get(key string) (value V, ok bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	e, ok := c.items[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*item[V]).value, true
}

// put adds a value of that many bytes, and reports whether the cache has it: one that has the key keeps
// its value, and there is none that is larger than the cache.
func (c *cache[V]) put(key string, value V, bytes int64) bool {
	bytes += int64(len(key)) + perItem
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.items[key] != nil || bytes > c.limit {
		return c.items[key] != nil
	}
	for c.used += bytes; c.used > c.limit; {
		c.drop(c.order.Back())
	}
	c.items[key] = c.order.PushFront(&item[V]{key, value, bytes})
	return true
}

func (c *cache[V]) remove(key string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if e := c.items[key]; e != nil {
		c.drop(e)
	}
}

func (c *cache[V]) drop(e *linked.Element) {
	i := c.order.Remove(e).(*item[V])
	delete(c.items, i.key)
	c.used -= i.bytes
	if c.dropped != nil {
		c.dropped(i.value)
	}
}

func (c *cache[V]) bytes() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.used
}

// answers has the translations of sentences. Nobody may change them.
type answers struct{ *cache[[]decode.Translation] }

// recall sets best[i] for each search whose translations are known, and returns the indexes of the others
// and, for remember, the keys of all.
func (a answers) recall(t *translator, searches []decode.Sentence, best [][]decode.Translation) (others []int, keys []string) {
	for i, search := range searches {
		keys = append(keys, answerKey(t, search))
		if known, ok := a.get(keys[i]); ok {
			best[i] = known
		} else {
			others = append(others, i)
		}
	}
	return others, keys
}

// remember adds the translations of the search with keys[i].
func (a answers) remember(keys []string, i int, best []decode.Translation) {
	const perTranslation = 256 // with what the allocator adds
	n := 0
	for _, b := range best {
		n += perTranslation + (4*cap(b.IDs)+8*cap(b.LogProbs)+4*cap(b.Alignment.Data))*9/8
	}
	a.put(keys[i], best, int64(n))
}

// answerKey returns all that determines the translations of a sentence: the version of the model, and the
// search.
func answerKey(t *translator, s decode.Sentence) string {
	key := make([]byte, 0, len(t.name)+2*len(s.Source)+32)
	number := func(n int) { key = binary.AppendVarint(key, int64(n)) }
	ids := func(list []int32) {
		number(len(list))
		for _, id := range list {
			number(int(id))
		}
	}
	number(len(t.name))
	key = append(key, t.name...)
	number(t.version)
	number(s.MaxLength)
	number(s.Beam)
	number(s.NBest)
	ids(s.Source)
	ids(s.Prefix)
	for _, term := range s.Terms {
		number(term.From)
		number(term.To)
		ids(term.IDs)
	}
	return string(key)
}

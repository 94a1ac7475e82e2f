package suite

// An input is a stream of random values: the operand that they are for, how many, and their
// limit.
type input struct {
	stream, n int
	limit     float32
}

// The streams of the operands. Every worker, in whatever language, gives them the same values.
const (
	streamW = iota + 1
	streamX
	streamDY
	streamSource
	streamQuery
	streamKeys
	streamV
	streamWeights // and the following
)

// Uniform fills dst with values in [-limit, limit): value i of the stream is
//
//	limit · (2·u - 1)    u = (mix(2³²·stream + i) >> 40) / 2²⁴
//
// with the mix of SplitMix64 (Steele, Lea and Flood, 2014).
func Uniform(dst []float32, stream int, limit float32) {
	for i := range dst {
		u := float32(mix(uint64(stream)<<32+uint64(i))>>40) / (1 << 24)
		dst[i] = limit * (2*u - 1)
	}
}

func mix(z uint64) uint64 {
	z = (z + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (m *Memory) uniform(stream, n int, limit float32) []float32 {
	key := input{stream, n, limit}
	if x, ok := m.inputs[key]; ok {
		return x
	}
	x := m.Floats(n)
	Uniform(x, stream, limit)
	m.inputs[key] = x
	return x
}

// W returns the Rows×Cols weights of a product, in [-1, 1).
func (m *Memory) W(c Case) []float32 { return m.uniform(streamW, c.Rows*c.Cols, 1) }

// X returns the Batch×Cols inputs of a product, of one row for a Gemv, in [-1, 1).
func (m *Memory) X(c Case) []float32 { return m.uniform(streamX, max(c.Batch, 1)*c.Cols, 1) }

// DY returns the Batch×Rows gradients of the results of a product, in [-1, 1).
func (m *Memory) DY(c Case) []float32 { return m.uniform(streamDY, c.Batch*c.Rows, 1) }

// Source returns the N elements of an elementwise operation or a softmax, in [-4, 4).
func (m *Memory) Source(c Case) []float32 { return m.uniform(streamSource, c.Elements(), 4) }

// Query returns the Units values of a query, in [-2, 2).
func (m *Memory) Query(c Case) []float32 { return m.uniform(streamQuery, c.Units, 2) }

// Keys returns the Source×Units keys, in [-2, 2).
func (m *Memory) Keys(c Case) []float32 { return m.uniform(streamKeys, c.Source*c.Units, 2) }

// V returns the Units weights of the scores, in [-1, 1).
func (m *Memory) V(c Case) []float32 { return m.uniform(streamV, c.Units, 1) }

// Transposed returns the transpose of the rows×cols matrix src under that name.
func (m *Memory) Transposed(name string, src []float32, rows, cols int) []float32 {
	return Shared(m, name, func() []float32 {
		dst := m.Floats(rows * cols)
		for i := range rows {
			for j, v := range src[i*cols : (i+1)*cols] {
				dst[j*rows+i] = v
			}
		}
		return dst
	})
}

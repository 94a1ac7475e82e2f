package bench

// An encoder computes the annotations of one source sentence of S words.
type encoder struct {
	m                 *RNNsearch
	source            []int32
	x, dx             []float32 // S×E
	forward, backward *run
	zero, ignored     []float32 // H: the state before the first, and its gradient

	annotations, dannotations []float32 // S×2H
	keys, dkeys               []float32 // S×A
	first, dfirst             []float32 // H: s_0
}

func newEncoder(m *RNNsearch, length int) *encoder {
	e, h, a := m.Embedding, m.Hidden, m.Alignment
	values := func(n int) []float32 { return make([]float32, n) }
	return &encoder{
		m: m,
		x: values(length * e), dx: values(length * e),
		forward: newRun(length, h), backward: newRun(length, h),
		zero: values(h), ignored: values(h),
		annotations: values(length * 2 * h), dannotations: values(length * 2 * h),
		keys: values(length * a), dkeys: values(length * a),
		first: values(h), dfirst: values(h),
	}
}

// fit resizes the buffers to a sentence.
func (e *encoder) fit(source []int32) {
	n := len(source)
	e.source = source
	e.x, e.dx = e.x[:n*e.m.Embedding], e.dx[:n*e.m.Embedding]
	e.annotations, e.dannotations = e.annotations[:n*2*e.m.Hidden], e.dannotations[:n*2*e.m.Hidden]
	e.keys, e.dkeys = e.keys[:n*e.m.Alignment], e.dkeys[:n*e.m.Alignment]
}

func (e *encoder) encode(source []int32) {
	e.fit(source)
	n := len(source)
	embed(e.x, e.m.Source, source, e.m.Embedding)
	e.m.Forward.project(e.forward.all(n), e.x, n)
	e.m.Backward.project(e.backward.all(n), e.x, n)
	for j := range n {
		previous := e.zero
		if j > 0 {
			previous = e.forward.row(e.forward.states, j-1)
		}
		e.forward.step(&e.m.Forward, j, previous)
	}
	for j := n - 1; j >= 0; j-- {
		previous := e.zero
		if j < n-1 {
			previous = e.backward.row(e.backward.states, j+1)
		}
		e.backward.step(&e.m.Backward, j, previous)
	}
	e.join()
	clear(e.keys)
	GemmAdd(e.keys, e.m.Ua, e.annotations, n)
	GemmUnrolled(e.first, e.m.Ws, e.annotations[e.m.Hidden:2*e.m.Hidden], e.m.Bs, 1)
	Tanh(e.first, e.first)
}

// join sets the annotations to [→h_j; ←h_j].
func (e *encoder) join() {
	h := e.m.Hidden
	for j := range e.source {
		both := e.annotations[j*2*h : (j+1)*2*h]
		copy(both[:h], e.forward.row(e.forward.states, j))
		copy(both[h:], e.backward.row(e.backward.states, j))
	}
}

// split is the backward pass of join.
func (e *encoder) split() {
	h := e.m.Hidden
	for j := range e.source {
		both := e.dannotations[j*2*h : (j+1)*2*h]
		copy(e.forward.row(e.forward.dstates, j), both[:h])
		copy(e.backward.row(e.backward.dstates, j), both[h:])
	}
}

// clearGradients zeros the gradients that the backward passes add to.
func (e *encoder) clearGradients() {
	clear(e.dannotations)
	clear(e.dkeys)
	clear(e.dfirst)
	clear(e.ignored)
}

// differentiate adds the gradients of the weights to g, given those of the annotations, the keys
// and s_0.
func (e *encoder) differentiate(g *RNNsearch) {
	n, h := len(e.source), e.m.Hidden
	for i, s := range e.first {
		e.dfirst[i] *= 1 - s*s
	}
	GemmGrad(g.Ws, e.dfirst, e.annotations[h:2*h], 1)
	SumRows(g.Bs, e.dfirst)
	GemmInput(e.dannotations[h:2*h], e.m.Ws, e.dfirst, 1)
	GemmGrad(g.Ua, e.dkeys, e.annotations, n)
	GemmInput(e.dannotations, e.m.Ua, e.dkeys, n)

	e.split()
	for j := n - 1; j >= 0; j-- {
		dprevious := e.ignored
		if j > 0 {
			dprevious = e.forward.row(e.forward.dstates, j-1)
		}
		e.forward.stepBackward(&e.m.Forward, j, dprevious)
	}
	for j := range n {
		dprevious := e.ignored
		if j < n-1 {
			dprevious = e.backward.row(e.backward.dstates, j+1)
		}
		e.backward.stepBackward(&e.m.Backward, j, dprevious)
	}
	clear(e.dx)
	e.forward.accumulate(&e.m.Forward, &g.Forward, e.dx, e.x, n)
	e.backward.accumulate(&e.m.Backward, &g.Backward, e.dx, e.x, n)
	scatter(g.Source, e.dx, e.source, e.m.Embedding)
}

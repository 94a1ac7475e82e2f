package bench

// An encoder holds the annotations of one source sentence of S words, and the gradients of what
// computes them.
type encoder struct {
	m                 *RNNsearch
	source            []int32
	x, dx             []float32 // S×E
	forward, backward *run
	zero, ignored     []float32 // H: the state before the first, and its gradient

	annotations, dannotations []float32 // S×2H: [→h_j; ←h_j]
	keys, dkeys               []float32 // S×A
	first, dfirst             []float32 // H: s_0
}

// encode computes the annotations of a sentence.
func encode(m *RNNsearch, source []int32) *encoder {
	n, h := len(source), m.Hidden
	values := func(n int) []float32 { return make([]float32, n) }
	e := &encoder{
		m: m, source: source,
		x: values(n * m.Embedding), dx: values(n * m.Embedding),
		forward: newRun(n, h), backward: newRun(n, h),
		zero: values(h), ignored: values(h),
		annotations: values(n * 2 * h), dannotations: values(n * 2 * h),
		keys: values(n * m.Alignment), dkeys: values(n * m.Alignment),
		first: values(h), dfirst: values(h),
	}
	embed(e.x, m.Source, source, m.Embedding)
	m.Forward.project(e.forward.gates, e.x, n)
	m.Backward.project(e.backward.gates, e.x, n)
	for j := range n {
		previous := e.zero
		if j > 0 {
			previous = e.forward.row(e.forward.states, j-1)
		}
		e.forward.step(&m.Forward, j, previous)
		copy(e.annotations[j*2*h:], e.forward.row(e.forward.states, j))
	}
	for j := n - 1; j >= 0; j-- {
		previous := e.zero
		if j < n-1 {
			previous = e.backward.row(e.backward.states, j+1)
		}
		e.backward.step(&m.Backward, j, previous)
		copy(e.annotations[j*2*h+h:], e.backward.row(e.backward.states, j))
	}
	GemmAdd(e.keys, m.Ua, e.annotations, n)
	GemmUnrolled(e.first, m.Ws, e.annotations[h:2*h], m.Bs, 1)
	Tanh(e.first, e.first)
	return e
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

	for j := n - 1; j >= 0; j-- {
		dprevious := e.ignored
		if j > 0 {
			dprevious = e.forward.row(e.forward.dstates, j-1)
		}
		axpy(e.forward.row(e.forward.dstates, j), 1, e.dannotations[j*2*h:][:h])
		e.forward.stepBackward(&e.m.Forward, j, dprevious)
	}
	for j := range n {
		dprevious := e.ignored
		if j < n-1 {
			dprevious = e.backward.row(e.backward.dstates, j+1)
		}
		axpy(e.backward.row(e.backward.dstates, j), 1, e.dannotations[j*2*h+h:][:h])
		e.backward.stepBackward(&e.m.Backward, j, dprevious)
	}
	e.forward.accumulate(&e.m.Forward, &g.Forward, e.dx, e.x)
	e.backward.accumulate(&e.m.Backward, &g.Backward, e.dx, e.x)
	scatter(g.Source, e.dx, e.source, e.m.Embedding)
}

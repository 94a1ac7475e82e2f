package bench

import "math"

// A decoder predicts each of the T words of a given target sentence from a source of S words, once.
type decoder struct {
	m       *RNNsearch
	encoder *encoder
	target  []int32
	run     *run

	y, dy               []float32 // T×E: embeddings of the previous words, zeros at the first position
	queries, dqueries   []float32 // T×A
	alpha               []float32 // T×S
	dalpha              []float32 // S
	contexts, dcontexts []float32 // T×2H
	readout             []float32 // T×2L
	maxout, dmaxout     []float32 // T×L
	scores              []float32 // T×V
}

// predict computes the scores of all words at every position, given the encoded source.
func predict(m *RNNsearch, e *encoder, target []int32) *decoder {
	n, source := len(target), len(e.source)
	values := func(size int) []float32 { return make([]float32, n*size) }
	d := &decoder{
		m: m, encoder: e, target: target, run: newRun(n, m.Hidden),
		y: values(m.Embedding), dy: values(m.Embedding),
		queries: values(m.Alignment), dqueries: values(m.Alignment),
		alpha: values(source), dalpha: make([]float32, source),
		contexts: values(2 * m.Hidden), dcontexts: values(2 * m.Hidden),
		readout: values(2 * m.Maxout),
		maxout:  values(m.Maxout), dmaxout: values(m.Maxout),
		scores: values(m.TargetVocab),
	}
	embed(d.y[m.Embedding:], m.Target, target[:n-1], m.Embedding)
	m.Decoder.project(d.run.gates, d.y, n)
	for t := range n {
		previous := e.first
		if t > 0 {
			previous = d.run.row(d.run.states, t-1)
		}
		context := d.context(d.contexts, t)
		m.attend(context, d.weights(t), d.query(d.queries, t), previous, e.keys, e.annotations)
		m.addContexts(d.run.gates.slice(t*m.Hidden, (t+1)*m.Hidden), context, 1)
		d.run.step(&m.Decoder, t, previous)
	}
	m.read(d.scores, d.maxout, d.readout, d.run.states, d.y, d.contexts, n)
	return d
}

func (d *decoder) context(x []float32, t int) []float32 { return x[t*2*d.m.Hidden:][:2*d.m.Hidden] }

func (d *decoder) query(x []float32, t int) []float32 { return x[t*d.m.Alignment:][:d.m.Alignment] }

func (d *decoder) weights(t int) []float32 { return d.alpha[t*len(d.dalpha):][:len(d.dalpha)] }

// loss returns -log p of all target words and overwrites the scores with their gradients.
func (d *decoder) loss() float64 {
	sum, v := 0.0, d.m.TargetVocab
	for t, w := range d.target {
		p := d.scores[t*v : (t+1)*v]
		Softmax(p, p)
		sum -= math.Log(float64(p[w]))
		p[w]--
	}
	return sum
}

// differentiate adds the gradients of the weights to g, given those of the scores, and adds the
// gradients of annotations, keys and s_0 to the encoder's.
func (d *decoder) differentiate(g *RNNsearch) {
	m, e, n := d.m, d.encoder, len(d.target)
	d.readBackward(g)
	for t := n - 1; t >= 0; t-- {
		dprevious := e.dfirst
		if t > 0 {
			dprevious = d.run.row(d.run.dstates, t-1)
		}
		d.run.stepBackward(&m.Decoder, t, dprevious)
		s, dcontext := d.run.gates.slice(t*m.Hidden, (t+1)*m.Hidden), d.context(d.dcontexts, t)
		GemmInput(dcontext, m.Cz, s.z, 1)
		GemmInput(dcontext, m.Cr, s.r, 1)
		GemmInput(dcontext, m.C, s.candidate, 1)
		d.attendBackward(g, t)
		GemmInput(dprevious, m.Wa, d.query(d.dqueries, t), 1)
	}
	s := d.run.gates
	GemmGrad(g.Cz, s.z, d.contexts, n)
	GemmGrad(g.Cr, s.r, d.contexts, n)
	GemmGrad(g.C, s.candidate, d.contexts, n)
	GemmGrad(g.Wa, d.dqueries, d.run.before, n)
	d.run.accumulate(&m.Decoder, &g.Decoder, d.dy, d.y)
	scatter(g.Target, d.dy[m.Embedding:], d.target[:n-1], m.Embedding)
}

// readBackward propagates the gradients of the scores to the states, embeddings and contexts.
func (d *decoder) readBackward(g *RNNsearch) {
	m, n := d.m, len(d.target)
	GemmGrad(g.Wo, d.scores, d.maxout, n)
	SumRows(g.B, d.scores)
	GemmInput(d.dmaxout, m.Wo, d.scores, n)
	for j, dy := range d.dmaxout {
		pair := d.readout[2*j : 2*j+2]
		if pair[0] >= pair[1] {
			pair[0], pair[1] = dy, 0
		} else {
			pair[0], pair[1] = 0, dy
		}
	}
	GemmGrad(g.Uo, d.readout, d.run.states, n)
	GemmGrad(g.Vo, d.readout, d.y, n)
	GemmGrad(g.Co, d.readout, d.contexts, n)
	SumRows(g.Bo, d.readout)
	GemmInput(d.run.dstates, m.Uo, d.readout, n)
	GemmInput(d.dy, m.Vo, d.readout, n)
	GemmInput(d.dcontexts, m.Co, d.readout, n)
}

// attendBackward propagates the gradient of the context at position t to its query, the
// annotations and the keys.
func (d *decoder) attendBackward(g *RNNsearch, t int) {
	e, a, dcontext := d.encoder, d.weights(t), d.context(d.dcontexts, t)
	mean := float32(0)
	for j, w := range a {
		d.dalpha[j] = dotUnrolled(dcontext, d.context(e.annotations, j))
		axpy(d.context(e.dannotations, j), w, dcontext)
		mean += w * d.dalpha[j]
	}
	q, dq, va := d.query(d.queries, t), d.query(d.dqueries, t), d.m.Va
	for j, w := range a {
		de := w * (d.dalpha[j] - mean)
		key, dkey := d.query(e.keys, j), d.query(e.dkeys, j)
		for i, v := range va {
			y := tanh(q[i] + key[i])
			dx := de * v * (1 - y*y)
			dq[i] += dx
			dkey[i] += dx
			g.Va[i] += de * y
		}
	}
}

package model

import (
	"github.com/softsearch-go/softsearch/kernels"
	"github.com/softsearch-go/softsearch/model/text"
)

// A decoder computes the maxout units from which the output predicts each target word, given the
// words before it:
//
//	s_i     = GRU(s_{i-1}, y, c_i)               c_i enters gates and candidate through C
//	t_i     = Uo s + Vo y_{i-1} + Co c_i + bo    s and y by the Order
//	units_i = maxout(t_i)
//
// Rows are time-major. In a row of sums, the pre-activations of z, r, h̃ and t_i add up in this
// order: products with embeddings, values of the attention, products with states.
type decoder struct {
	config         Config
	layout         batchLayout
	previous, gold []int32 // ids of y_{i-1}, -1 for the first word, and of y_i

	readoutInput, gruInput []float32 // rows×E: embeddings; the same buffer for UpdateFirst
	sums                   []float32 // rows×(3H+2L), overwritten by z, r and h̃
	rh                     []float32 // rows×H: r∘s_{i-1}
	states, before         []float32 // rows×H: s_i and s_{i-1}
	initial                []float32 // sentences×H: s_0, longest target sentence first
	units                  []float32 // rows×L

	attention                      attentionLayer
	embeddingDropout, unitsDropout dropoutLayer
	*decoderGradients
}

// decoderGradients are the gradients of the buffers of the same names. sums holds its own.
type decoderGradients struct {
	dreadoutInput, dgruInput []float32
	dstates, dbefore         []float32
	dinitial                 []float32
	dprev, drh               []float32 // sentences×H: of one step
}

func newDecoder(a *allocator, c Config, capacity Capacity, training bool) *decoder {
	n, rows := capacity.Sentences, product(capacity.Sentences, capacity.TargetLength)
	d := &decoder{
		config: c, layout: newBatchLayout(a, n, capacity.TargetLength, rows),
		previous: a.int32s(rows), gold: a.int32s(rows),
		readoutInput: a.floats(rows, c.Embedding),
		sums:         a.floats(rows, c.sums()), rh: a.floats(rows, c.Hidden),
		states: a.floats(rows, c.Hidden), before: a.floats(rows, c.Hidden), initial: a.floats(n, c.Hidden),
		units:     a.floats(rows, c.Maxout),
		attention: newAttentionLayer(a, c, capacity, training),
	}
	d.gruInput = d.readoutInput
	if c.Order == PredictFirst {
		d.gruInput = a.floats(rows, c.Embedding)
	}
	if training {
		d.decoderGradients = &decoderGradients{
			dreadoutInput: a.floats(rows, c.Embedding), dgruInput: a.floats(rows, c.Embedding),
			dstates: a.floats(rows, c.Hidden), dbefore: a.floats(rows, c.Hidden), dinitial: a.floats(n, c.Hidden),
			dprev: a.floats(n, c.Hidden), drh: a.floats(n, c.Hidden),
		}
	}
	return d
}

// forward returns the maxout units of all target words of a batch, and the ids of these words.
func (d *decoder) forward(k kernels.Impl, p *Parameters, m masks, mem *memory, batch []text.Example) (units kernels.Matrix, gold []int32) {
	h, e := d.config.Hidden, d.config.Embedding
	d.arrange(batch)
	d.embeddingDropout.mask, d.unitsDropout.mask = m.target, m.maxout
	for i, sentence := range d.layout.order {
		copy(d.rows(d.initial, h, i, i+1).Data, mem.states(mem.initial).Row(sentence))
	}
	d.embed(k, p)
	p.Decoder.Project(k, d.gates(0, d.layout.Rows()), d.all(d.gruInput, e))
	k.Linear(d.readout(), p.Vo, d.all(d.readoutInput, e), p.Bo, kernels.Identity)
	for t := range d.layout.Steps() {
		d.step(k, p, mem, t)
	}
	k.LinearAdd(d.readout(), p.Uo, d.readoutStates(), kernels.Identity)
	units = d.all(d.units, d.config.Maxout)
	k.MaxoutRows(units, d.readout())
	d.unitsDropout.apply(k, units, d.layout.sentenceMajor, 0)
	return units, d.gold[:units.Rows]
}

// arrange orders the sentences and lists the ids of each row.
func (d *decoder) arrange(batch []text.Example) {
	d.layout.arrange(len(batch), func(i int) int { return len(batch[i].Target) })
	for i, example := range batch {
		previous := int32(-1)
		for t, id := range example.Target {
			row := d.layout.row(i, t)
			d.previous[row], d.gold[row] = previous, id
			previous = id
		}
	}
}

// embed looks up the embeddings that readout and GRU read. A shift of -1 selects the mask of the
// word before; there is none before the first word, whose row is 0 anyway.
func (d *decoder) embed(k kernels.Impl, p *Parameters) {
	rows, e := d.layout.Rows(), d.config.Embedding
	k.Embed(d.all(d.readoutInput, e), p.Target, d.previous[:rows])
	d.embeddingDropout.apply(k, d.all(d.readoutInput, e), d.layout.sentenceMajor, -1)
	if d.config.Order == PredictFirst {
		k.Embed(d.all(d.gruInput, e), p.Target, d.gold[:rows])
		d.embeddingDropout.apply(k, d.all(d.gruInput, e), d.layout.sentenceMajor, 0)
	}
}

// step attends from s_{i-1} and computes s_i, for position t of all sentences.
func (d *decoder) step(k kernels.Impl, p *Parameters, mem *memory, t int) {
	h := d.config.Hidden
	from, to := d.layout.Row(t), d.layout.Row(t+1)
	prev := d.statesBefore(d.states, d.initial, t)
	d.attention.forward(k, &p.Attention, mem, &d.layout, t, prev, d.rows(d.sums, d.config.sums(), from, to))
	p.Decoder.Step(k, d.gates(from, to), d.rows(d.rh, h, from, to), d.rows(d.states, h, from, to), prev)
	copy(d.rows(d.before, h, from, to).Data, prev.Data)
}

// backward adds the gradients of the decoder's weights to g and computes the gradient of the memory,
// given the gradient of the units. It overwrites the values of the forward pass.
func (d *decoder) backward(k kernels.Impl, p *Parameters, g *gradients, mem *memory, dunits kernels.Matrix) {
	h, e := d.config.Hidden, d.config.Embedding
	clear(d.rows(d.dinitial, h, 0, len(d.layout.order)).Data)
	k.Clear(mem.dkeys[:min(len(mem.dkeys), mem.total()*mem.config.Alignment)]) // steps add to them
	d.readoutBackward(k, g, dunits)
	for t := d.layout.Steps() - 1; t >= 0; t-- {
		d.stepBackward(k, p, g, mem, t)
	}
	before, dgates := d.all(d.before, h), d.gates(0, d.layout.Rows())
	d.attention.accumulate(k, g, mem, &d.layout, d.all(d.sums, d.config.sums()), before)
	g.Decoder.Accumulate(k, dgates, d.all(d.gruInput, e), before, d.all(d.rh, h))
	k.Linear(d.all(d.dgruInput, e), g.transposed.decoder.W, dgates, nil, kernels.Identity)
	d.embedBackward(k, g)
	for i, sentence := range d.layout.order {
		copy(mem.states(mem.dinitial).Row(sentence), d.rows(d.dinitial, h, i, i+1).Data)
	}
}

// readoutBackward is the backward pass of t_i = Uo s + Vo y_{i-1} + Co c_i + bo and its maxout,
// except for the context:
//
//	ds = Uoᵀ dt_i     dy_{i-1} = Voᵀ dt_i
//	dUo = Σ_i dt_i sᵀ     dVo = Σ_i dt_i y_{i-1}ᵀ     dbo = Σ_i dt_i
func (d *decoder) readoutBackward(k kernels.Impl, g *gradients, dunits kernels.Matrix) {
	d.unitsDropout.apply(k, dunits, d.layout.sentenceMajor, 0)
	dreadout := d.readout()
	k.MaxoutBackwardRows(dreadout, dunits)
	k.LinearGrad(g.Uo.Float32, dreadout, d.readoutStates())
	k.LinearGrad(g.Vo.Float32, dreadout, d.all(d.readoutInput, d.config.Embedding))
	k.SumRows(g.Bo, dreadout)

	ds := d.all(d.dstates, d.config.Hidden)
	if d.config.Order == PredictFirst {
		k.Clear(ds.Data)
		ds = d.all(d.dbefore, d.config.Hidden)
	}
	k.Linear(ds, g.transposed.uo, dreadout, nil, kernels.Identity)
	k.Linear(d.all(d.dreadoutInput, d.config.Embedding), g.transposed.vo, dreadout, nil, kernels.Identity)
}

// stepBackward is the backward pass of s_i = GRU(s_{i-1}, y, c_i) for position t of all
// sentences. Three uses of s_{i-1} add up to its gradient: as the state of the GRU, as the query
// of the attention, and for PredictFirst in the readout.
func (d *decoder) stepBackward(k kernels.Impl, p *Parameters, g *gradients, mem *memory, t int) {
	h := d.config.Hidden
	from, to := d.layout.Row(t), d.layout.Row(t+1)
	prev := d.statesBefore(d.states, d.initial, t)
	dprev, drh := d.rows(d.dprev, h, 0, to-from), d.rows(d.drh, h, 0, to-from)
	g.transposed.decoder.StepBackward(k, d.gates(from, to), dprev, drh, prev, d.rows(d.dstates, h, from, to))
	d.attention.backward(k, &p.Attention, g, mem, &d.layout, t, dprev, d.rows(d.sums, d.config.sums(), from, to))

	before := d.statesBefore(d.dstates, d.dinitial, t)
	k.AddRows(before, dprev)
	if d.config.Order == PredictFirst {
		k.AddRows(before, d.rows(d.dbefore, h, from, to))
	}
}

// embedBackward adds the gradients of what embed looked up to the gradients of the embeddings.
func (d *decoder) embedBackward(k kernels.Impl, g *gradients) {
	rows, e := d.layout.Rows(), d.config.Embedding
	d.embeddingDropout.apply(k, d.all(d.dreadoutInput, e), d.layout.sentenceMajor, -1)
	k.ScatterRows(g.Target.Float32, d.all(d.dreadoutInput, e), d.previous[:rows])
	ids, shift := d.previous, -1
	if d.config.Order == PredictFirst {
		ids, shift = d.gold, 0
	}
	d.embeddingDropout.apply(k, d.all(d.dgruInput, e), d.layout.sentenceMajor, shift)
	k.ScatterRows(g.Target.Float32, d.all(d.dgruInput, e), ids[:rows])
}

// gates returns the pre-activations of z, r and h̃ in rows from to to-1.
func (d *decoder) gates(from, to int) kernels.Matrix {
	return d.rows(d.sums, d.config.sums(), from, to).Columns(0, 3*d.config.Hidden)
}

// readout returns t_i in all rows.
func (d *decoder) readout() kernels.Matrix {
	cols := d.config.sums()
	return d.all(d.sums, cols).Columns(3*d.config.Hidden, cols)
}

// readoutStates returns the states that the readout reads.
func (d *decoder) readoutStates() kernels.Matrix {
	if d.config.Order == PredictFirst {
		return d.all(d.before, d.config.Hidden)
	}
	return d.all(d.states, d.config.Hidden)
}

// statesBefore returns the states, or their gradients, from which position t continues: at
// position t-1, or initial.
func (d *decoder) statesBefore(states, initial []float32, t int) kernels.Matrix {
	n, h := d.layout.Active(t), d.config.Hidden
	if t == 0 {
		return d.rows(initial, h, 0, n)
	}
	from := d.layout.Row(t - 1)
	return d.rows(states, h, from, from+n)
}

func (d *decoder) all(data []float32, cols int) kernels.Matrix {
	return kernels.View(data, d.layout.Rows(), cols)
}

// rows returns rows from to to-1 of a buffer.
func (d *decoder) rows(data []float32, cols, from, to int) kernels.Matrix {
	return kernels.View(data[from*cols:], to-from, cols)
}

// outputRows is the number of rows whose scores are held at a time.
const outputRows = 240

// An output predicts each target word from its maxout units, softmax(Wo units + b) over the
// target vocabulary, and computes the loss. It works on a block of rows at a time, so that the
// scores of a batch need not be held at once.
type output struct {
	scores           []float32 // outputRows×V, then their gradients
	logProbabilities []float32 // rows
	dunits           []float32 // rows×L; none unless training
}

func newOutput(a *allocator, c Config, rows int, training bool) *output {
	o := &output{scores: a.floats(min(outputRows, rows), c.TargetVocab), logProbabilities: a.floats(rows)}
	if training {
		o.dunits = a.floats(rows, c.Maxout)
	}
	return o
}

// loss computes the log-probability of the gold word of each row, and returns minus their sum.
func (o *output) loss(k kernels.Impl, p *Parameters, units kernels.Matrix, gold []int32) float64 {
	sum := 0.0
	for from := 0; from < units.Rows; from += outputRows {
		to := min(from+outputRows, units.Rows)
		loss, _ := o.block(k, p, nil, units.Slice(from, to), gold[from:to], o.logProbabilities[from:to])
		sum += loss
	}
	return sum
}

// backward is loss that also adds the gradients of Wo and b to g and returns the gradient of the units.
// Label smoothing applies to the gradients, not to the loss.
func (o *output) backward(k kernels.Impl, p *Parameters, g *gradients, s *labelSmoothing, units kernels.Matrix, gold []int32) (sum float64, dunits kernels.Matrix) {
	dunits = kernels.View(o.dunits, units.Rows, units.Cols)
	for from := 0; from < units.Rows; from += outputRows {
		to := min(from+outputRows, units.Rows)
		x := units.Slice(from, to)
		loss, dscores := o.block(k, p, s, x, gold[from:to], o.logProbabilities[from:to])
		sum += loss
		k.LinearGrad(g.Wo.Float32, dscores, x)
		k.SumRows(g.B, dscores)
		k.Linear(dunits.Slice(from, to), g.transposed.wo, dscores, nil, kernels.Identity)
	}
	return sum, dunits
}

// block computes the loss of up to outputRows rows, and its gradient with respect to the scores.
func (o *output) block(k kernels.Impl, p *Parameters, s *labelSmoothing, units kernels.Matrix, gold []int32, logProbabilities []float32) (sum float64, dscores kernels.Matrix) {
	scores := kernels.View(o.scores, units.Rows, p.Wo.Out())
	k.Linear(scores, p.Wo, units, p.B, kernels.Identity)
	s.crossEntropyRows(k, logProbabilities, scores, gold)
	for i, loss := range logProbabilities {
		logProbabilities[i] = -loss
		sum += float64(loss)
	}
	return sum, scores
}

// A labelSmoothing changes the target distribution q of training from 1 for the gold word to 1-ε
// for it plus ε/V for each of all V words (Szegedy et al. 2016). Nil changes nothing.
type labelSmoothing struct {
	epsilon float32
	uniform []float32 // smoothingPart times -ε/V

	// The operands of crossEntropyRows.
	losses []float32
	scores kernels.Matrix
	gold   []int32
}

// smoothingPart is the number of scores that -ε/V is added to at a time, from the first-level
// cache.
const smoothingPart = 1024

func newLabelSmoothing(epsilon float64, vocabulary int) *labelSmoothing {
	if epsilon == 0 {
		return nil
	}
	s := &labelSmoothing{epsilon: float32(epsilon), uniform: make([]float32, min(vocabulary, smoothingPart))}
	for i := range s.uniform {
		s.uniform[i] = float32(-epsilon / float64(vocabulary))
	}
	return s
}

// crossEntropyRows is kernels.Impl.CrossEntropyRows with another gradient in place of the scores:
// p - q, the gradient of -Σ_v q_v log p_v. It follows from the gradient of the losses by adding
// ε at the gold word and subtracting ε/V everywhere. The losses are not smoothed.
func (s *labelSmoothing) crossEntropyRows(k kernels.Impl, losses []float32, scores kernels.Matrix, gold []int32) {
	if s == nil {
		k.CrossEntropyRows(losses, scores, gold)
		return
	}
	s.losses, s.scores, s.gold = losses, scores, gold
	k.Parallel(s, scores.Rows, kernels.CostFunction*scores.Rows*scores.Cols)
}

// Run smooths each row while it is still in a cache. It is a method for the same reason as that
// of dropoutLayer.
func (s *labelSmoothing) Run(k kernels.Impl, from, to int) {
	for i := from; i < to; i++ {
		row, gold := s.scores.Row(i), s.gold[i]
		s.losses[i] = k.CrossEntropy(row, int(gold))
		row[gold] += s.epsilon
		for len(row) > 0 {
			n := min(len(row), len(s.uniform))
			k.Add(row[:n], s.uniform[:n])
			row = row[n:]
		}
	}
}

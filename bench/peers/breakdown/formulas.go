package breakdown

// The parts of an update and of a step.
const (
	inputs            = "input projections"
	encoderRecurrence = "encoder recurrence"
	keysAndValues     = "keys and values"
	decoderRecurrence = "decoder recurrence"
	attentionForward  = "attention"
	readout           = "readout"
	outputLayer       = "output layer"
	attentionBackward = "attention, backward"
	backwardProducts  = "backward products"
	weightGradients   = "weight gradients"
	elementwise       = "elementwise"
	adadelta          = "Adadelta"
	transposing       = "transposing weights"
	rounding          = "rounding"
	copying           = "clearing, copying"
	waiting           = "waiting"
	rest              = "rest"
)

// sizes are the sizes of the model, with C = 2H, and of a batch of b sentences of s and t words.
type sizes struct {
	e, h, a, l, c int
	target        int // vocabulary
	b, s, t       int
	int8          bool // weights
}

// A part is a name and its work: floating-point operations, where a multiply-add counts two, or
// bytes of memory. Parts bound by elementwise functions have neither.
type part struct {
	name        string
	flop, bytes func(z sizes) int
}

// updateParts are in the order of an update.
var updateParts = []part{
	{name: inputs, flop: func(z sizes) int { // [Wz; Wr; W] x + b of two encoders and the decoder
		return 2*product(z.b*z.s, 3*z.h, z.e) + product(z.b*z.t, 3*z.h, z.e)
	}},
	{name: encoderRecurrence, flop: func(z sizes) int { // [Uz; Ur] h_{j-1} and U (r∘h_{j-1}), j > 1, in two directions
		return 2 * product(z.b*(z.s-1), 3*z.h, z.h)
	}},
	{name: keysAndValues, flop: func(z sizes) int { // Ua h_j, [Cz; Cr; C; Co] h_j and Ws ←h_1 + bs
		return product(z.b*z.s, z.a+z.v(), z.c) + product(z.b, z.h, z.h)
	}},
	{name: decoderRecurrence, flop: func(z sizes) int { // [Uz; Ur] s_{i-1}, U (r∘s_{i-1}), Wa s_{i-1}
		return product(z.b*z.t, 3*z.h, z.h) + product(z.b*z.t, z.a, z.h)
	}},
	{name: attentionForward},
	{name: readout, flop: func(z sizes) int { // Uo s_i + Vo y_{i-1} + bo
		return product(z.b*z.t, 2*z.l, z.h+z.e)
	}},
	{name: outputLayer, flop: func(z sizes) int { // y = Wo t_i + b, dWo += dyᵀ t_i, dt_i = Woᵀ dy
		return 3 * product(z.b*z.t, z.target, z.l)
	}},
	{name: attentionBackward},
	{name: backwardProducts, flop: func(z sizes) int { // Wᵀ dy for every W but Wo, encoders' U from the second position on
		return hiddenProducts(z, z.s-1)
	}},
	{name: weightGradients, flop: func(z sizes) int { // dW += dyᵀ x for every W but Wo
		return hiddenProducts(z, z.s)
	}},
	{name: elementwise},
	{name: adadelta, bytes: func(z sizes) int { // reads g for its norm; reads x, g, g2, dx2 and writes x, g2, dx2
		return 8 * 4 * (embeddings(z) + matrices(z))
	}},
	{name: transposing, bytes: func(z sizes) int { // reads and writes all matrices
		return 2 * 4 * matrices(z)
	}},
	{name: rounding}, // weights and the rows of products, to bfloat16
	{name: copying},
	{name: waiting},
	{name: rest},
}

// stepParts are in the order of a step of one hypothesis, which reads each weight once.
var stepParts = []part{
	{name: inputs, bytes: func(z sizes) int { return z.weights(3*z.h, z.e) }}, // [Wz; Wr; W]
	{name: attentionForward, bytes: func(z sizes) int { // Wa, keys and values
		return z.weights(z.a, z.h) + 4*z.s*(z.a+z.v())
	}},
	{name: decoderRecurrence, bytes: func(z sizes) int { return z.weights(3*z.h, z.h) }}, // [Uz; Ur; U]
	{name: elementwise},
	{name: readout, bytes: func(z sizes) int { return z.weights(2*z.l, z.h) + z.weights(2*z.l, z.e) }}, // Uo, Vo
	{name: outputLayer, bytes: func(z sizes) int { return z.weights(z.target, z.l) }},                  // Wo
	{name: waiting},
	{name: rest},
}

// weights is the bytes of an out×in matrix. One of int8 has a scale for each output.
func (z sizes) weights(out, in int) int {
	if z.int8 {
		return out * (in + 4)
	}
	return 4 * out * in
}

// product is the operations of a product of rows with an out×in matrix.
func product(rows, out, in int) int { return 2 * rows * out * in }

// hiddenProducts is the operations of one product with every matrix but Wo, of which the
// encoders' U have some positions.
func hiddenProducts(z sizes, recurrent int) int {
	rs, rt := z.b*z.s, z.b*z.t
	encoder := 2 * (product(rs, 3*z.h, z.e) + product(z.b*recurrent, 3*z.h, z.h))
	decoder := product(rt, 3*z.h, z.e+z.h) + product(z.b, z.h, z.h)
	attention := product(rs, z.a+z.v(), z.c) + product(rt, z.a, z.h)
	return encoder + decoder + attention + product(rt, 2*z.l, z.h+z.e)
}

// matrices is the number of values of all matrices.
func matrices(z sizes) int {
	encoder, decoder := 2*3*z.h*(z.e+z.h), 3*z.h*(z.e+z.h+z.c)+z.h*z.h
	return encoder + decoder + z.a*(z.h+z.c) + 2*z.l*(z.h+z.e+z.c) + z.target*z.l
}

// embeddings is the number of values of the embeddings of a batch, if all its words differ.
func embeddings(z sizes) int { return z.b * (z.s + z.t) * z.e }

// v is the number of values of a position: [Cz; Cr; C; Co] h_j.
func (z sizes) v() int { return 3*z.h + 2*z.l }

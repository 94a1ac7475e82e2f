package bench

// Attention computes one step of additive attention for the query q:
//
//	e[j] = Σ_i v[i]·tanh(q[i] + keys[j][i])
//	a = softmax(e)
//	context = Σ_j a[j]·annotations[j]
//
// keys is len(a)×len(q) and annotations is len(a)×len(context), both row-major. a receives
// the weights.
func Attention(context, a, q, keys, annotations, v []float32) {
	n := len(q)
	v = v[:n]
	for j := range a {
		key := keys[j*n:][:n]
		var sum float32
		for i, x := range q {
			sum += v[i] * tanh(x+key[i])
		}
		a[j] = sum
	}
	Softmax(a, a)
	clear(context)
	for j, w := range a {
		axpy(context, w, annotations[j*len(context):(j+1)*len(context)])
	}
}

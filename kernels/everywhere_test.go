package kernels

import (
	"slices"
	"testing"
)

// TestEverywhere has a NaN, +Inf and -Inf at every place among finite values, for lengths up to and around 64, the lanes
// of a sum, and around 128. The operands take turns. Unless tests are to be full, so do the three, and lengths from 34
// to 66 are left out.
func TestEverywhere(t *testing.T) {
	special := []float32{nan, inf, -inf}
	for n := 1; n <= 130; n++ {
		if n == 67 || n == 34 && !full() {
			n = 127
		}
		for _, kn := range slices.Concat(vectorKernels(n), attentionKernels(2, n, n+1), rowKernels(2, n, n+1)) {
			values := operands(kn, fills[0], uint64(n))
			for place := range n {
				for i, a := range kn.args {
					unit := max(1, a.cols/n)
					at := place%2*a.step + place*unit + place%unit
					for j, v := range special {
						if a.use == works || a.n == 0 || (n+place)%len(kn.args) != i || (n+place)/len(kn.args)%len(special) != j && !full() {
							continue
						}
						kept := values[i][at%a.n]
						values[i][at%a.n] = v
						checkBits(t, kn, "special value", uint64(n), values, place%offsets)
						values[i][at%a.n] = kept
					}
				}
			}
		}
	}
}

// TestOverwritten fills results with NaN beforehand, also where a product has no inputs. Kernels with one
// result must leave none of it there, unless they add to it or change it.
func TestOverwritten(t *testing.T) {
	changes := map[string]bool{
		"Add": true, "Sub": true, "AddScaled": true, "Scale": true, "Decay": true, "MovingAverage": true, "WeightedSumAdd": true,
		"SumRows": true, "AddRows": true, "ScatterRows": true, "GemmAdd": true, "GemvAdd": true, "GemmGrad": true, "MaxoutBackwardRows": true,
	}
	for n := 1; n <= 130; n++ {
		list := slices.Concat(vectorKernels(n), attentionKernels(2, n, n+1), rowKernels(2, n, n+1), productKernels(1, n, n%3), productKernels(5, n, n%2))
		finite := len(list)
		list = slices.Concat(list, int8Kernels(1, n, n%3), int8Kernels(5, n, n%2), bf16Kernels(1, n, n%3), bf16Kernels(5, n, n%2))
		for j, kn := range list {
			values, results := operands(kn, fills[0], uint64(n)), 0
			for i, a := range kn.args {
				if a.use == output {
					values[i] = slices.Repeat([]float32{nan}, a.n)
					results++
				}
			}
			checkBits(t, kn, "NaN in results", uint64(n), values, n%offsets)
			if j >= finite || results != 1 || changes[kn.name] {
				continue
			}
			kn.run(Impl{}, values)
			for i, v := range values[0] {
				if v != v && !kn.args[0].gap(i) {
					t.Fatalf("%s %s: %s[%d] is the NaN that was there", kn.name, kn.shape, kn.args[0].name, i)
				}
			}
		}
	}
}

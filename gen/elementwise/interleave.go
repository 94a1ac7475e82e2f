package elementwise

// Interleave returns one instruction of each body in turn. Only the first body keeps its comments, each before its
// instruction.
func Interleave[I any](bodies [][]I, isComment func(i I) bool) (list []I) {
	for left := true; left; {
		left = false
		for n := range bodies {
			body := bodies[n]
			for len(body) > 0 && isComment(body[0]) {
				if n == 0 {
					list = append(list, body[0])
				}
				body = body[1:]
			}
			if len(body) > 0 {
				list, body = append(list, body[0]), body[1:]
				left = true
			}
			bodies[n] = body
		}
	}
	return list
}

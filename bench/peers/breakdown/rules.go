package breakdown

import "strings"

// A rule gives samples to a part: those whose stack has these frames, separated by " > " from
// the caller to the callee, whatever stands between them. A frame is a function, or all whose
// names begin so if it ends in *; with " at " and a text, only calls in lines with that text.
// Packages are named by their folder.
type rule struct{ part, frames string }

// updateRules are tried in this order.
var updateRules = []rule{
	{waiting, "kernels.(*Team).join"},
	{outputLayer, "model.(*output).backward"},
	{weightGradients, "kernels.Impl.GemmGrad"},
	{weightGradients, "kernels.Impl.SumRows"},
	{copying, "kernels.Impl.Clear"},
	{copying, "kernels.Impl.GatherRows"},
	{copying, "kernels.Impl.ScatterRows"},
	{copying, "model.(*decoder).gatherBefore"},
	{copying, "model.(*embedding).begin"},
	{elementwise, "kernels.Impl.GRU*"},
	{elementwise, "kernels.Impl.Maxout*"},
	{elementwise, "kernels.Impl.TanhBackward"},
	{elementwise, "kernels.Impl.Add*"},
	{inputs, "rnn.(*GRU).Project"},
	{encoderRecurrence, "model.(*encoder).forward > rnn.(*GRU).Step > kernels.Impl.Gemm*"},
	{keysAndValues, "model.(*encoder).forward > kernels.Impl.Gemm*"},
	{decoderRecurrence, "model.(*decoder).step > kernels.Impl.Gemm*"},
	{attentionForward, "model.(*decoder).attend"},
	{readout, "model.(*decoder).forward > kernels.Impl.Gemm*"},
	{backwardProducts, "model.(*decoder).backward > kernels.Impl.Gemm*"},
	{backwardProducts, "model.(*encoder).backward > kernels.Impl.Gemm*"},
	{attentionBackward, "model.(*decoder).attendBackward"},
	{attentionBackward, "model.(*decoder).valuesBackward"},
	{adadelta, "kernels.Impl.SumSquares"},
	{adadelta, "model.(*embedding).sumSquares"},
	{adadelta, "kernels.Impl.UpdateAdadelta"},
	{adadelta, "model.(*lazyAdadelta).update"},
	{transposing, "model.(*transposed).set"},
}

// stepRules are tried in this order.
var stepRules = []rule{
	{waiting, "kernels.(*Team).join"},
	{elementwise, "kernels.Impl.GRU*"},
	{elementwise, "kernels.Impl.Maxout*"},
	{inputs, "rnn.(*GRU).Project"},
	{decoderRecurrence, "model.(*Stepper).advance > kernels.Impl.Gemm*"},
	{attentionForward, "model.(*Stepper).weigh"},
	{attentionForward, "model.(*Stepper).attend"},
	{outputLayer, "model.(*Stepper).predict at p.Wo > kernels.Impl.Gemm*"},
	{readout, "model.(*Stepper).predict > kernels.Impl.Gemm*"},
	{readout, "model.(*Stepper).Step at p.Vo > kernels.Impl.Gemm*"},
	{rest, "kernels.Impl.GatherRows"},
}

// kernel is what the names of kernels begin with. A sample that no rule matches is the rest if
// it runs none.
const kernel = "kernels.Impl."

// A frame is a function on a stack and the line of source that it is at.
type frame struct{ function, line string }

// attribute returns the part of a stack, the caller first. It reports false where no rule tells.
func attribute(rules []rule, stack []frame) (string, bool) {
	for _, r := range rules {
		if r.matches(stack) {
			return r.part, true
		}
	}
	for _, f := range stack {
		if strings.HasPrefix(f.function, kernel) {
			return "", false
		}
	}
	return rest, true
}

func (r rule) matches(stack []frame) bool {
	frames := strings.Split(r.frames, " > ")
	for _, f := range stack {
		if len(frames) > 0 && f.is(frames[0]) {
			frames = frames[1:]
		}
	}
	return len(frames) == 0
}

// is reports whether a frame of a rule stands for f.
func (f frame) is(name string) bool {
	name, text, _ := strings.Cut(name, " at ")
	if !strings.Contains(f.line, text) {
		return false
	}
	prefix, family := strings.CutSuffix(name, "*")
	return f.function == name || family && strings.HasPrefix(f.function, prefix)
}

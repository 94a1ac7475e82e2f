package breakdown

import "strings"

// A rule assigns samples to a part: those whose stack contains these frames, callers first,
// separated by " > ", with any others between them. A frame is a function, or with a final * every
// function with that prefix; with " at " and a text, only calls from lines that contain the text.
// Packages are named by their folder.
type rule struct{ part, frames string }

// The first of the updateRules that matches applies.
var updateRules = []rule{
	{waiting, "kernels.(*Team).join"},
	{rounding, "kernels.Impl.Round*"},
	{outputLayer, "model.(*output).backward"},
	{weightGradients, "kernels.Impl.LinearGrad"},
	{weightGradients, "kernels.Impl.SumRows"},
	{copying, "kernels.Impl.Clear"},
	{copying, "kernels.Impl.Lookup"},
	{copying, "kernels.Impl.GatherRows"},
	{copying, "kernels.Impl.ScatterRows"},
	{copying, "model.(*embeddingGradient).begin"},
	{elementwise, "kernels.Impl.GRU*"},
	{elementwise, "kernels.Impl.Maxout*"},
	{elementwise, "kernels.Impl.TanhBackward"},
	{elementwise, "kernels.Impl.Add*"},
	{inputs, "rnn.(*GRU).Project"},
	{encoderRecurrence, "model.(*encoder).forward > rnn.(*GRU).Step > kernels.Impl.Linear*"},
	{keysAndValues, "model.(*encoder).forward > kernels.Impl.Linear*"},
	{decoderRecurrence, "model.(*decoder).step > kernels.Impl.Linear*"},
	{attentionForward, "model.(*attentionLayer).forward"},
	{readout, "model.(*decoder).forward > kernels.Impl.Linear*"},
	{backwardProducts, "model.(*decoder).backward > kernels.Impl.Linear*"},
	{backwardProducts, "model.(*encoder).backward > kernels.Impl.Linear*"},
	{attentionBackward, "model.(*attentionLayer).backward"},
	{attentionBackward, "model.(*attentionLayer).accumulate"},
	{adadelta, "kernels.Impl.SumSquares"},
	{adadelta, "model.(*embeddingGradient).sumSquares"},
	{adadelta, "kernels.Impl.UpdateAdadelta"},
	{adadelta, "model.(*lazyAdadelta).update"},
	{transposing, "model.(*transposed).set"},
}

// The first of the stepRules that matches applies.
var stepRules = []rule{
	{waiting, "kernels.(*Team).join"},
	{elementwise, "kernels.Impl.GRU*"},
	{elementwise, "kernels.Impl.Maxout*"},
	{inputs, "rnn.(*GRU).Project"},
	{decoderRecurrence, "model.(*Stepper).advance > kernels.Impl.Linear*"},
	{attentionForward, "model.(*Stepper).weigh"},
	{attentionForward, "model.(*Stepper).attend"},
	{outputLayer, "model.(*Stepper).predict at p.Wo > kernels.Impl.Linear*"},
	{readout, "model.(*Stepper).predict > kernels.Impl.Linear*"},
	{readout, "model.(*Stepper).Step at p.Vo > kernels.Impl.Linear*"},
	{rest, "kernels.Impl.Lookup"},
}

// kernel is the prefix of the names of kernels. A sample that no rule matches is the rest if no
// kernel is on its stack.
const kernel = "kernels.Impl."

// A frame is a function on a stack and its current line of source.
type frame struct{ function, line string }

// attribute returns the part that a stack belongs to, callers first. It reports false if no rule
// matches.
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

// is reports whether the frame name of a rule matches f.
func (f frame) is(name string) bool {
	name, text, _ := strings.Cut(name, " at ")
	if !strings.Contains(f.line, text) {
		return false
	}
	prefix, family := strings.CutSuffix(name, "*")
	return f.function == name || family && strings.HasPrefix(f.function, prefix)
}

package model

// Encode returns the ids of a line's words and EOS after them: the words that SourceText finds
// in the line, in the vocabulary Source. It takes any bytes. Without a vocabulary it returns
// nothing, which is no sentence: to translate it is an error that wraps ErrExample.
func (m *Model) Encode(line string) []int32 {
	if m.Source == nil {
		return nil
	}
	return m.Source.Encode(m.SourceText.Words(line))
}

// Decode returns the line that TargetText makes of the words before the first EOS, or of all
// if there is none. The word of an id that the vocabulary Target lacks is "<unk>". Without a
// vocabulary the line is empty.
func (m *Model) Decode(words []int32) string {
	if m.Target == nil {
		return ""
	}
	return m.TargetText.Line(m.Target.Decode(words))
}

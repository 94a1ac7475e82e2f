// Package decode turns a model into translations: text in, text out, for programs and services.
//
//	m, err := model.Open("en-fr.safetensors")
//	t, err := decode.New(m, decode.Options{})
//	defer t.Close()
//	line, err := t.Line(ctx, "The red car.")
//
// # Text
//
// [Translator.Line] and [Translator.Lines] translate text as people write it, or tokenized text if
// the model was trained on that: a model file says how its text becomes words. A line is one
// sentence. [Translator.Stream] yields the text word by word while it is translated.
//
// # Services
//
// One Translator serves a whole program. Call it from as many goroutines as there are requests,
// with the context of each request: the sentences of all of them share one queue, are translated
// in batches, and a request that ends leaves its batch at the next word. A result never depends on
// the load: the same line gives the same bits alone and among thousands.
//
// A line that is too long for the memory gives an error that wraps [model.ErrCapacity], and ids
// that are not in the vocabulary one that wraps [model.ErrExample]: what the sender has to mend.
// [Translator.Check] finds both before a sentence is queued. Any line is translated otherwise, with
// <unk> for words that the vocabulary lacks, or their source words with Options.ReplaceUNK. The
// queue has no limit: a service that wants one bounds its requests.
//
// A Translator starts Options.Threads goroutines and sizes its searches by the lengths of the
// sentences, in steps of 64 words, so that all of them together stay within Options.Memory.
// Alignments take most of it, and Options.NoAlignments saves that.
//
// # Ids
//
// Models work on ids: [model.Model.Encode] makes ids of a line, with [text.EOS] at the end, and
// [Translator.Text] makes text of a translation. [Translator.Translate] returns the n best
// translations of a sentence with their log-probabilities and alignments, [Translator.Each] those
// of many sentences, each as soon as it is found and with an error of its own.
// [Translator.Score] and [Translator.ScoreEach] say the same of translations that are given, for
// the reranking of lists or the alignment of a corpus.
//
// # Search
//
// Translations are found by beam search. Of all continuations of the unfinished translations of a
// sentence it keeps the Options.Beam most probable ones, less the number of those that EOS has
// finished. It ends when none is left unfinished, when the length limit is reached, or when none
// can enter the Options.NBest any more. Several models translate as an ensemble, by the mean of
// their log-probabilities.
package decode

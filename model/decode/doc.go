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
// the model was trained on that: the model file says how text becomes words. A line is one
// sentence. [Translator.Stream] yields the translation word by word.
//
// # Services
//
// One Translator serves a whole program. Call it from as many goroutines as there are requests, each
// with the context of its request. All calls share one queue and the same matrix products: a sentence
// joins those that are being translated at the next word, whatever their lengths, and leaves when it
// is done or its request is canceled, so that a short request does not wait for a long one. A result
// never depends on the load: a line gives the same bits alone and among thousands.
//
// A line that is too long for Options.Memory is the sender's error: it wraps [model.ErrCapacity].
// Every other line can be translated. Words that the vocabulary lacks give <unk>, or with
// Options.ReplaceUNK the source words. Endless repetitions are left out unless
// Options.KeepRepetitions is set. A service limits the queue by Options.Waiting: further calls
// return [ErrBusy] at once.
//
// A Translator starts Options.Threads goroutines. Each has room for a share of Options.Memory, and at
// most for about 96 hypotheses with sources of 64 ids on average. A sentence for which that is too
// little, one of several hundred ids, runs in a larger room: beside others if the share allows for it,
// and otherwise alone, with the memory that other goroutines leave when they are done.
// Alignments of long sentences take most of it; Options.NoAlignments omits them.
//
// # From a request to its translation
//
// [Translator.Line] splits the line into words, numbers them, and passes the sentence to
// [Translator.Each], which makes a task of it; the mode of a task says whether to translate, stream,
// trace, predict or score. Translator.run puts the tasks into the queue and waits. A worker in
// Translator.work takes a task, borrows a beam from the store, and lets further tasks join. In beam.step
// the ensemble asks a [model.Stepper] of each model for scores, and the mode of each search replaces its
// hypotheses by their best continuations. beam.finish traces the best ones back and hands them to run,
// on the goroutine of the caller, where Line joins their words.
//
// # Ids
//
// Models work on ids. [model.Model.Encode] converts a line to ids, with [text.EOS] at the end, and
// [Translator.Write] converts a translation to text. [Translator.Translate] returns the n best
// translations of a sentence with their log-probabilities and alignments. [Translator.Each]
// translates many sentences and reports each one as soon as it is done, with its own error.
// [Translator.Score] and [Translator.ScoreEach] compute the log-probabilities and alignments of
// given translations, to rerank n-best lists or to align a corpus. Ids that are not in the
// vocabulary, and sentences in which EOS is missing at the end or stands before it, give an error that
// wraps [model.ErrExample]; [Translator.Check] finds it, and sources that are too long, before a
// sentence is queued.
//
// # Search
//
// A [Sentence] can have a beam of its own and a prefix: ids with which all translations begin.
// The search is constrained where the source has placeholders, which stand for what a translation keeps: numbers,
// code, names and the words of Options.Terms, see package pipeline. No hypothesis ends before it has each as often as
// the source.
//
// [Translator.Search] also returns all hypotheses of the search as a tree, [Translator.Next] the ids
// that can follow a prefix, and [Translator.StreamWords] each step of a greedy search with its log p
// and α.
//
// Beam search keeps the Options.Beam most probable hypotheses of a sentence, finished ones included,
// less those that Options.Prune drops, and returns the Options.NBest finished ones with the highest
// scores. Several models translate as an ensemble, by the mean of their log-probabilities.
package decode

// The state of the page as the fragment of its address:
//
//   text=…&tree=1&beam=5&model=NAME&token=…&token=…&append=…&best=1&sentence=3&token=…&at=3&model=NAME
//
// Each model begins a pane, and sentence, from 1, the settings of one of its sentences; those before are of
// the first. Tokens and the text append are what its translations begin with, and best is the index of the
// chosen one. At is the sentence of which the pane shows all.

const mostSentences = 1000;

/** The settings of a sentence that nobody has changed. */
export const fresh = Object.freeze({ prefix: [], append: "", best: 0 });

/** Returns the fragment of a state {text, tree, beam, panes: [{model, at, sentences: [{prefix, append, best}]}]}. */
export function encode({ text, tree, beam, panes }) {
  const parameters = new URLSearchParams({ text });
  if (tree) parameters.append("tree", "1");
  if (beam) parameters.append("beam", beam);
  for (const { model, at, sentences } of panes) {
    parameters.append("model", model);
    for (const [i, { prefix, append, best } = fresh] of sentences.entries()) {
      if (i > 0 && (prefix.length > 0 || append || best > 0)) parameters.append("sentence", i + 1);
      for (const token of prefix) parameters.append("token", token);
      if (append) parameters.append("append", append);
      if (best > 0) parameters.append("best", best);
    }
    if (at > 0) parameters.append("at", at + 1);
  }
  return "#" + parameters;
}

/** Returns the state of a fragment. What does not belong there is ignored. */
export function decode(fragment) {
  const state = { text: "", tree: false, beam: 0, panes: [] };
  let sentence; // whose settings follow
  for (const [name, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const pane = state.panes.at(-1);
    const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
    if (name === "text") state.text = value;
    if (name === "tree") state.tree = value === "1";
    if (name === "beam") state.beam = number;
    if (name === "model") {
      sentence = { ...fresh };
      state.panes.push({ model: value, at: 0, sentences: [sentence] });
    }
    if (!pane) continue;
    if (name === "sentence" && number > 0 && number <= mostSentences) sentence = pane.sentences[number - 1] ??= { ...fresh };
    if (name === "token") sentence.prefix = [...sentence.prefix, value];
    if (name === "append") sentence.append = value;
    if (name === "best") sentence.best = number;
    if (name === "at" && number > 0) pane.at = number - 1;
  }
  return state;
}

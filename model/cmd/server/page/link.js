// The state of the page as the fragment of its address:
//
//   text=…&tree=1&model=NAME&token=…&token=…&append=…&best=1&model=NAME
//
// Each model begins a pane. Tokens and the text append are what its translations begin with, and best
// is the index of the chosen one.

/** Returns the fragment of a state {text, tree, panes: [{model, prefix, append, best}]}. */
export function encode({ text, tree, panes }) {
  const parameters = new URLSearchParams({ text });
  if (tree) parameters.append("tree", "1");
  for (const { model, prefix, append, best } of panes) {
    parameters.append("model", model);
    for (const token of prefix) parameters.append("token", token);
    if (append) parameters.append("append", append);
    if (best > 0) parameters.append("best", best);
  }
  return "#" + parameters;
}

/** Returns the state of a fragment. What does not belong there is ignored. */
export function decode(fragment) {
  const state = { text: "", tree: false, panes: [] };
  for (const [name, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const pane = state.panes.at(-1);
    if (name === "text") state.text = value;
    if (name === "tree") state.tree = value === "1";
    if (name === "model") state.panes.push({ model: value, prefix: [], append: "", best: 0 });
    if (name === "token" && pane) pane.prefix.push(value);
    if (name === "append" && pane) pane.append = value;
    if (name === "best" && pane && /^\d+$/.test(value)) pane.best = Number(value);
  }
  return state;
}

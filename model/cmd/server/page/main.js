import * as api from "./api.js";
import { copyText } from "./export.js";
import { explainTerms } from "./help.js";
import { decode, encode } from "./link.js";
import { Pane } from "./pane.js";
import { Status } from "./status.js";
import { languageName } from "./text.js";
import { debounce } from "./timing.js";
import { Visits } from "./visits.js";

const typingPause = 200; // milliseconds without a key before a translation begins
const reading = 3000; // milliseconds without a key after which a text is one to come back to

const find = (selector) => document.querySelector(selector);
const input = find("#text");
const beam = find("#beam");
const models = { first: find("#model"), second: find("#compare") };

let server; // the answer of /v1/models
let panes = [];
let tree = false;
let width; // of the beam, the last valid one
let settled = true; // whether Back leads from the next change to what the page shows
let settling; // timer

const state = () => ({
  text: input.value,
  tree,
  beam: width === server.beam ? 0 : width,
  panes: panes.map(({ settings }) => settings),
});

/** Puts the state of the page into its address: as one to go back from, or in place of the one before. */
function remember(pushed) {
  const fragment = encode(state());
  if (fragment === location.hash) return;
  history[pushed ? "pushState" : "replaceState"](null, "", fragment);
}

/** Makes what the page shows something to come back to. */
function settle() {
  clearTimeout(settling);
  settled = true;
  if (input.value.trim() !== "") visits.add(encode(state()));
}

function translate() {
  find("#hint").hidden = input.value.trim() !== "";
  for (const pane of panes) pane.translate(input.value, { tree, beam: width });
}

/** Changes what the page shows, so that Back leads to what it shows now. */
function act(change) {
  settle();
  change();
  remember(true);
  translate();
}

/** Shows a pane for each of the settings. */
function open(settings) {
  for (const pane of panes) pane.close();
  panes = settings.map((s) => {
    const info = { ...model(s.model), limits: server.limits };
    return new Pane(s, info, {
      onChange: remember,
      onTree: showTree,
      onIdle: () => {
        clearTimeout(settling);
        settling = setTimeout(settle, reading);
      },
    });
  });
  find("#panes").replaceChildren(...panes.map(({ root }) => root));
  find("#panes").classList.toggle("two", panes.length === 2);
  models.first.value = panes[0].settings.model;
  showModel();
  models.second.value = panes[1]?.settings.model ?? "";
}

/** Shows or hides the trees of all panes, which only then ask for them. */
function showTree(shown) {
  if (shown === tree) return;
  tree = shown;
  remember(false);
  translate();
}

/** Takes the state of the page from its address. */
function restore() {
  const saved = decode(location.hash);
  const known = saved.panes.filter((pane) => model(pane.model)).slice(0, 2);
  input.value = saved.text;
  tree = saved.tree;
  width = Math.min(saved.beam || server.beam, server.limits.beam);
  beam.value = width;
  open(known.length > 0 ? known : [begin(server.default)]);
  remember(false);
  settled = true;
  translate();
}

const model = (name) => server.models.find((m) => m.name === name);

const begin = (name) => ({ model: name, at: 0, sentences: [] });

/** Returns the model that translates back what a model has translated, if there is one. */
const back = ({ source, target }) => source && server.models.find((m) => m.source === target && m.target === source);

/** Returns the models to compare a model with: others for the same languages, as far as they say. */
const others = (m) =>
  server.models.filter((o) => o !== m && ["source", "target"].every((side) => !o[side] || !m[side] || o[side] === m[side]));

/** Begins with another text. */
function show(text) {
  input.value = text;
  for (const pane of panes) pane.reset();
}

function chooseModels() {
  const first = models.first.value;
  const second = others(model(first)).filter(({ name }) => name === models.second.value);
  const names = [first, ...second.map(({ name }) => name)];
  act(() => open(names.map((name) => panes.find(({ settings }) => settings.model === name)?.settings ?? begin(name))));
}

/** Translates the translation back, once it is complete. */
function swap() {
  if (panes[0].busy) return;
  const names = new Set(panes.map(({ settings }) => back(model(settings.model))?.name).filter(Boolean));
  act(() => {
    const text = panes[0].whole();
    open([...names].map(begin));
    show(text);
  });
}

/** Lists the models, and asks for a key if the server wants one. */
function showServer() {
  models.first.append(...server.models.map(option));
  find("#key").hidden = !server.limits.key;
  beam.max = server.limits.beam;
}

/** Shows what there is for the first model: its language, its examples, the way back, models to compare it with. */
function showModel() {
  const first = model(models.first.value);
  const { source, examples = [] } = first;
  input.placeholder = source ? `Type a sentence in ${languageName(source)}` : "Type a sentence";
  find("#swap").hidden = !back(first);
  models.second.replaceChildren(new Option("none", ""), ...others(first).map(option));
  find("#comparison").hidden = others(first).length === 0;
  find("#examples").hidden = examples.length === 0;
  const buttons = examples.map((text) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.lang = source;
    button.onclick = () => act(() => show(text));
    return button;
  });
  find("#examples").replaceChildren(...buttons);
}

const option = (m) => new Option(label(m), m.name);

function label({ name, source, target, weights }) {
  const languages = source && target ? `${languageName(source)} to ${languageName(target)}` : "";
  return [name, languages, weights].filter(Boolean).join(" · ");
}

const visits = new Visits(find("#history"), (fragment) => {
  settle();
  history.pushState(null, "", fragment);
  restore();
});

const translateSoon = debounce(translate, typingPause);

input.addEventListener("input", () => {
  clearTimeout(settling);
  for (const pane of panes) pane.reset();
  remember(settled);
  settled = false;
  translateSoon();
});
input.addEventListener("change", settle);
beam.addEventListener("change", () => {
  if (beam.reportValidity()) act(() => (width = beam.valueAsNumber));
});
for (const select of Object.values(models)) select.addEventListener("change", chooseModels);
find("#swap").onclick = swap;
find("#key input").addEventListener("change", (event) => {
  api.useKey(event.target.value);
  translate();
});
find("#link").onclick = (event) => copyText(location.href, event.target);
find("#input").onsubmit = (event) => event.preventDefault();
window.addEventListener("popstate", restore);
explainTerms();

server = await new Status(find("#server")).attempt(api.models, new AbortController().signal);
if (server) {
  showServer();
  restore();
}

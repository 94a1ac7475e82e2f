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
const languages = find("#languages");
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
  find("#count").textContent = `${[...input.value].length.toLocaleString("en")} characters`;
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
      onReverse: back(info) && (() => reverse(input.value)),
    });
  });
  find("#panes").replaceChildren(...panes.map(({ root }) => root));
  find("#panes").classList.toggle("two", panes.length === 2);
  showModel(panes[0].settings.model);
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

/** Returns the languages of a model in words. */
const pairOf = ({ source, target }) => (source && target ? `${languageName(source)} → ${languageName(target)}` : "other languages");

/** Begins with another text. */
function show(text) {
  input.value = text;
  for (const pane of panes) pane.reset();
}

function chooseModels(first) {
  const names = [first.name];
  const second = model(models.second.value);
  if (second && second !== first && pairOf(second) === pairOf(first)) names.push(second.name);
  act(() => open(names.map((name) => panes.find(({ settings }) => settings.model === name)?.settings ?? begin(name))));
}

/** Translates a text with the models for the way back. */
function reverse(text) {
  const names = new Set(panes.map(({ settings }) => back(model(settings.model))?.name).filter(Boolean));
  act(() => {
    open([...names].map(begin));
    show(text);
  });
}

/** Lists the models, and asks for a key if the server wants one. */
function showServer() {
  for (const pair of new Set(server.models.map(pairOf))) languages.append(new Option(pair));
  find("#key").hidden = !server.limits.key;
  beam.max = server.limits.beam;
}

/** Shows what there is for the first model: its languages, its examples, the way back, models to compare it with. */
function showModel(name) {
  const first = model(name);
  const { source, examples = [] } = first;
  const alike = server.models.filter((m) => pairOf(m) === pairOf(first));
  const option = ({ name, weights }) => new Option(`${name} · ${weights}`, name);
  input.placeholder = source ? `Type in ${languageName(source)}` : "Type a text";
  languages.value = pairOf(first);
  models.first.replaceChildren(...alike.map(option));
  models.first.value = name;
  models.second.replaceChildren(new Option("none", ""), ...alike.filter((m) => m !== first).map(option));
  find("#swap").hidden = !back(first);
  find("#comparison").hidden = alike.length === 1;
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
languages.addEventListener("change", () => chooseModels(server.models.find((m) => pairOf(m) === languages.value)));
for (const select of Object.values(models)) select.addEventListener("change", () => chooseModels(model(models.first.value)));
find("#swap").onclick = () => panes[0].busy || reverse(panes[0].whole());
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

import * as api from "./api.js";
import { copyText } from "./export.js";
import { decode, encode } from "./link.js";
import { Pane } from "./pane.js";
import { Status } from "./status.js";
import { debounce } from "./timing.js";

const typingPause = 200; // milliseconds without a key before a translation begins

const find = (selector) => document.querySelector(selector);
const input = find("#text");
const models = { first: find("#model"), second: find("#compare") };

let server; // the answer of /v1/models
let panes = [];
let tree = false;

const text = () => input.value.replace(/\s+/g, " ").trim();

/** Puts the state of the page into its address. */
function remember() {
  const state = { text: input.value, tree, panes: panes.map(({ settings }) => settings) };
  history.replaceState(null, "", encode(state));
}

function translate() {
  remember();
  find("#hint").hidden = text() !== "";
  for (const pane of panes) pane.translate(text(), tree);
}

/** Shows a pane for each of the settings. */
function open(settings) {
  for (const pane of panes) pane.close();
  panes = settings.map((s) => {
    const info = { ...server.models.find(({ name }) => name === s.model), beam: server.beam };
    return new Pane(s, info, { onChange: remember, onTree: showTree });
  });
  find("#panes").replaceChildren(...panes.map(({ root }) => root));
  find("#panes").classList.toggle("two", panes.length === 2);
  models.first.value = panes[0].settings.model;
  models.second.value = panes[1]?.settings.model ?? "";
}

/** Shows or hides the trees of all panes, which only then ask for them. */
function showTree(shown) {
  if (shown === tree) return;
  tree = shown;
  translate();
}

/** Takes the state of the page from its address. */
function restore() {
  const state = decode(location.hash);
  const known = state.panes.filter(({ model }) => server.models.some(({ name }) => name === model)).slice(0, 2);
  input.value = state.text;
  tree = state.tree;
  open(known.length > 0 ? known : [fresh(server.default)]);
  translate();
}

const fresh = (model) => ({ model, prefix: [], append: "", best: 0 });

function chooseModels() {
  const names = [models.first.value, models.second.value].filter((name) => name !== "");
  open(names.map((name) => panes.find(({ settings }) => settings.model === name)?.settings ?? fresh(name)));
  translate();
}

/** Lists the models, and asks for a key if the server wants one. */
function showServer() {
  const options = server.models.map((model) => new Option(label(model), model.name));
  models.first.append(...options);
  models.second.append(...options.map((option) => option.cloneNode(true)));
  find("#comparison").hidden = server.models.length < 2;
  find("#key").hidden = !server.limits.key;
}

function label({ name, source, target, weights }) {
  const languages = source && target ? `${languageName(source)} to ${languageName(target)}` : "";
  return [name, languages, weights].filter(Boolean).join(" · ");
}

function languageName(code) {
  return new Intl.DisplayNames("en", { type: "language" }).of(code);
}

const translateSoon = debounce(translate, typingPause);

input.addEventListener("input", () => {
  for (const pane of panes) pane.reset();
  translateSoon();
});
for (const select of Object.values(models)) select.addEventListener("change", chooseModels);
find("#key input").addEventListener("change", (event) => {
  api.useKey(event.target.value);
  translate();
});
find("#link").onclick = (event) => copyText(location.href, event.target);
find("#input").onsubmit = (event) => event.preventDefault();
window.addEventListener("hashchange", restore);

server = await new Status(find("#server")).attempt(api.models, new AbortController().signal);
if (server) {
  showServer();
  restore();
}

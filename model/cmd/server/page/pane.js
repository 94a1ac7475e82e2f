import * as api from "./api.js";
import { growingWords, largest, spanOf, units, unitWeights, weightsOf } from "./alignment.js";
import { Alternatives } from "./alternatives.js";
import { copyText, download } from "./export.js";
import { layout, png, print, svg } from "./figure.js";
import { HeatMap } from "./heatmap.js";
import { Sentences } from "./sentences.js";
import { Status } from "./status.js";
import { decimal } from "./text.js";
import { perFrame } from "./timing.js";
import { Tree } from "./tree.js";

const alternativeCount = 8;
const exportCell = 24; // pixels
const wideMap = 40; // source words, of a heat map that has nothing beside it

/** The translations of one model, with the controls that show and change them. */
export class Pane {
  /**
   * settings are {model, prefix, append, best}: the name of a model, the target tokens and then the
   * text that translations begin with, and the index of the chosen one. onChange is called when the
   * user changes them.
   */
  constructor(settings, info, { onChange, onTree }) {
    const template = document.querySelector("#pane");
    this.root = template.content.cloneNode(true).firstElementChild;
    this.find = (selector) => this.root.querySelector(selector);
    this.settings = settings;
    this.info = info;
    this.onChange = onChange;
    this.past = [];
    this.status = new Status(this.find(".status"));
    this.sentences = new Sentences(this.find(".sentences"), {
      onFocus: (focus) => this.focus(focus),
      onPress: (word, index) => this.ask(word, index),
    });
    this.map = new HeatMap(this.find(".map .scroll"), (focus) => this.focus(focus));
    this.tree = new Tree(this.find(".tree"), {
      onChoose: (best) => this.choose(best),
      onCaption: (text) => (this.find(".tree .caption").textContent = text),
    });
    this.menu = new Alternatives(this.find(".menu"));
    this.render = perFrame(() => this.draw());
    this.find(".name").textContent = settings.model;
    this.find(".tree").addEventListener("toggle", () => onTree(this.find(".tree").open));
    this.find(".best").addEventListener("change", (event) => this.choose(Number(event.target.value)));
    this.find(".undo").onclick = () => this.undo();
    this.find(".copy").onclick = (event) => copyText(this.chosen.text, event.target);
    this.find(".svg").onclick = () => this.save("svg");
    this.find(".png").onclick = () => this.save("png");
  }

  /** Ends what the pane is doing. */
  close() {
    this.controller?.abort();
  }

  /** Translates a text, of which the pane shows the words as they come, and then the best translations. */
  async translate(text, withTree) {
    this.controller?.abort();
    const { signal } = (this.controller = new AbortController());
    this.text = text;
    this.find(".tree").open = withTree;
    if (text === "") {
      this.clear();
      return;
    }
    this.setBusy(true);
    await this.status.attempt(() => this.run(withTree, signal), signal);
    if (!signal.aborted) this.setBusy(false);
  }

  clear() {
    this.status.clear();
    this.result = undefined;
    this.setBusy(false);
  }

  /** Says that the pane is busy at once, and that it is not with the result. */
  setBusy(busy) {
    this.busy = busy;
    if (busy) this.root.ariaBusy = "true";
    this.render();
  }

  async run(withTree, signal) {
    await this.stream(signal);
    const { beam } = this.info;
    const options = { nbest: beam, alignments: true, tree: withTree };
    const answer = await api.translate({ ...this.request(), ...options }, signal);
    this.show({ ...answer.translations[0], growing: false });
  }

  async stream(signal) {
    let source;
    const target = { tokens: [], words: [] };
    const alignment = [];
    for await (const { event, data } of api.stream(this.request(), signal)) {
      if (event === "source") source = data;
      if (event !== "token") continue;
      target.tokens.push(data.token);
      target.words = growingWords(target.tokens.map(({ token }) => spanOf(token, source)));
      if (data.alignment) alignment.push(data.alignment);
      this.show({ source, best: [{ text: data.text, target, alignment }], growing: true });
    }
  }

  request() {
    const { model, prefix, append } = this.settings;
    const request = { model, text: this.text };
    if (prefix.length > 0) request.prefix = prefix;
    if (append) request.append = append;
    return request;
  }

  /** Shows a result {source, best, tree, growing}. */
  show(result) {
    this.result = result;
    this.render();
  }

  get chosen() {
    const { best } = this.result;
    return best[Math.min(this.settings.best, best.length - 1)];
  }

  draw() {
    this.root.ariaBusy = this.busy;
    this.find(".result").hidden = !this.result;
    if (this.result) this.drawResult();
  }

  drawResult() {
    const { source, best, tree, growing } = this.result;
    const { target, alignment = [] } = this.chosen;
    const sides = { source: units(source), target: units(target) };
    this.alignment = { ...sides, weights: unitWeights(sides.source, sides.target, alignment) };
    this.find(".result").classList.toggle("growing", growing);
    this.find(".map").hidden = !this.info.alignments;
    this.sentences.show(this.alignment, this.fixedWords());
    this.map.show(this.alignment, growing);
    this.find(".views").classList.toggle("wide", sides.source.length > wideMap);
    this.focus(null);
    this.find(".undo").hidden = this.past.length === 0;
    if (growing) return;
    this.drawBest(best);
    this.find(".tree").hidden = false;
    if (tree) this.tree.show(tree, best.indexOf(this.chosen), source);
    if (this.refocus !== undefined && document.activeElement === document.body) this.sentences.focusTarget(this.refocus);
    this.refocus = undefined;
  }

  drawBest(best) {
    const name = `best-${this.settings.model}`;
    const items = best.map(({ text, score, logprob }, rank) => {
      const item = document.querySelector("#translation").content.cloneNode(true).firstElementChild;
      const radio = item.querySelector("input");
      Object.assign(radio, { name, value: rank, checked: best[rank] === this.chosen });
      item.querySelector(".text").textContent = text;
      const ranked = score === logprob ? "" : `score ${decimal(score)} · `;
      item.querySelector(".score").textContent = `${ranked}log p ${decimal(logprob)}`;
      return item;
    });
    const focused = this.find(".best :focus")?.value;
    this.find(".best ol").replaceChildren(...items);
    if (focused) this.find(`.best [value="${focused}"]`)?.focus();
  }

  /** Returns the number of target words that were given. */
  fixedWords() {
    const { prefix, append } = this.settings;
    const given = this.alignment.target.filter(({ end }) => end <= prefix.length).length;
    return given + (append ? append.split(/\s+/).length : 0);
  }

  /** Shows where a word looked, in both views and in words. */
  focus(focus) {
    this.sentences.highlight(focus);
    this.map.highlight(focus);
    this.find(".looked").textContent = focus ? this.describe(focus) : "";
  }

  describe({ source: j, target: i }) {
    const { source, target, weights } = this.alignment;
    if (!this.info.alignments) return "This model has no attention: every word sees the whole sentence alike.";
    if (i !== undefined && j !== undefined) {
      return `“${target[i].text}” looked at “${source[j].text}” with weight ${decimal(weights[i][j])}`;
    }
    const side = i === undefined ? "source" : "target";
    const { text, unknown } = this.alignment[side][i ?? j];
    const others = side === "source" ? target : source;
    const seen = largest(weightsOf(weights, side, i ?? j)).map((l) => `“${others[l.index].text}” ${decimal(l.weight)}`);
    const looked = side === "target" ? "looked at" : "is looked at by";
    return `“${text}” ${looked} ${seen.join(", ") || "nothing much"}${unknown ? "; the model does not know the word" : ""}`;
  }

  /** Asks which words could stand instead of a target word. */
  ask(anchor, index) {
    if (this.result.growing) return;
    const { start, text } = this.alignment.target[index];
    const prefix = this.chosen.target.tokens.slice(0, start).map(({ token }) => token);
    const request = { model: this.settings.model, text: this.text, prefix };
    const next = (extra, signal) => api.alternatives({ ...request, ...extra }, signal);
    this.menu.open(anchor, text, {
      load: async (signal) => (await next({ n: alternativeCount }, signal)).alternatives,
      check: (append, signal) => next({ append, n: 1 }, signal),
      choose: ({ token, text }) => {
        this.refocus = index;
        this.force(token === undefined ? { prefix, append: text } : { prefix: [...prefix, token], append: "" });
      },
    });
  }

  /** Translates anew, beginning with the tokens of prefix and the text append. */
  force({ prefix, append }) {
    this.past.push(this.settings);
    this.change({ ...this.settings, prefix, append, best: 0 });
  }

  undo() {
    this.change(this.past.pop());
  }

  /** Forgets what was forced, for another text. */
  reset() {
    this.past = [];
    this.settings = { ...this.settings, prefix: [], append: "", best: 0 };
  }

  change(settings) {
    this.settings = settings;
    this.onChange();
    this.translate(this.text, this.find(".tree").open);
  }

  /** Shows the alignment of another of the best translations. */
  choose(best) {
    this.settings = { ...this.settings, best };
    this.onChange();
    this.render();
  }

  /** Saves the heat map as a file. */
  async save(format) {
    const figure = layout(this.alignment, exportCell);
    const blob = format === "svg" ? new Blob([svg(figure, print)], { type: "image/svg+xml" }) : await png(figure, print);
    download(blob, `alignment.${format}`);
  }
}

import * as api from "./api.js";
import { units } from "./alignment.js";
import { Alternatives } from "./alternatives.js";
import { Details } from "./details.js";
import { copyText } from "./export.js";
import { Item } from "./item.js";
import { fresh } from "./link.js";
import { Status } from "./status.js";
import { isBroken, languageName } from "./text.js";
import { perFrame } from "./timing.js";

const alternativeCount = 8;
const mostNamed = 5; // unknown words

/** The translations of one model, sentence by sentence, with the controls that show and change them. */
export class Pane {
  /**
   * settings are {model, at, sentences}, see link.js. onChange is called when the user changes them, with
   * whether the change is one to go back from, onTree with whether the tree is wanted, and onIdle when the
   * translation is complete.
   */
  constructor(settings, info, { onChange, onTree, onIdle }) {
    this.root = document.querySelector("#pane").content.cloneNode(true).firstElementChild;
    this.find = (selector) => this.root.querySelector(selector);
    this.settings = settings;
    this.info = info;
    this.onChange = onChange;
    this.onIdle = onIdle;
    this.items = [];
    this.status = new Status(this.find(".status"));
    this.menu = new Alternatives(this.find(".menu"));
    this.render = perFrame(() => this.draw());
    this.details = new Details(info, {
      onFocus: (focus) => this.focus(this.selected, focus),
      onChoose: (best) => this.choose(best),
      onUndo: () => this.change(this.selected, this.selected.past.pop()),
      onCopy: (button) => copyText(this.whole(), button),
      onTree,
    });
    this.find(".name").textContent = settings.model;
  }

  /** Ends what the pane is doing. */
  close() {
    this.controller?.abort();
  }

  /** Translates a text, of which the pane shows the words as they come, and then the best translations. */
  async translate(text, { tree, beam }) {
    Object.assign(this, { text, tree, beam });
    this.details.openTree(tree);
    await this.update();
  }

  /** Asks for all that the pane does not show yet, in place of what it was asking for. */
  async update() {
    this.controller?.abort();
    const { signal } = (this.controller = new AbortController());
    if (this.text.trim() === "") {
      this.status.clear();
      this.set([]);
    } else {
      this.setBusy(true);
      await this.status.attempt(() => this.run(signal), signal);
    }
    if (signal.aborted) return;
    this.setBusy(false);
    if (this.text.trim() !== "" && this.items.length === 0 && !this.status.shown) this.status.show("The text has no word to translate");
  }

  /** Says that the pane is busy at once, and that it is not with the result. */
  setBusy(busy) {
    this.busy = busy;
    if (busy) this.root.ariaBusy = "true";
    else if (this.items.length > 0 && !this.status.shown) this.onIdle();
    this.render();
  }

  async run(signal) {
    const asked = JSON.stringify([this.text, this.beam]);
    if (asked !== this.divided) {
      await this.divide(signal);
      this.divided = asked;
    }
    for (const item of this.items) if (this.lacks(item)) await this.refine(item, signal);
  }

  /** Divides the text into sentences, whose words come one after the other, and translates all if there are several. */
  async divide(signal) {
    const { model } = this.settings;
    this.divided = undefined;
    const items = [];
    for await (const { event, data } of api.stream({ model, text: this.text, split: true, join_lines: isBroken(this.text) }, signal)) {
      if (event === "sentence") {
        const item = this.items[items.length] ?? this.newItem(items.length);
        item.begin(data.sentence);
        item.best = this.settingsOf(item).best;
        item.forced = fresh;
        this.items[items.length] = item;
        items.push(item);
      } else if (event === "end") {
        this.streamed = data.texts[0];
      } else {
        items.at(-1)?.take(event, data);
        if (event === "token") this.render();
      }
    }
    for (const item of items) item.first = item.streamed;
    this.set(items);
    if (items.length < 2) return;
    const nbest = this.width([...this.text].length);
    const request = { model, text: this.text, split: true, join_lines: isBroken(this.text), beam: this.beam, nbest, alignments: true };
    const { translations } = await api.translate(request, signal);
    for (const [i, item] of items.entries()) {
      item.show({ ...translations[i], growing: false });
      item.shown = { nbest, ...fresh };
    }
  }

  /** Returns how many translations of that many characters the server gives at once, at most the beam. */
  width(characters, more = 0) {
    return Math.max(1, Math.min(this.beam, Math.floor(this.info.limits.characters / characters) - more));
  }

  /** Reports whether an item does not show what its settings say. */
  lacks(item) {
    if (!item.shown || item.result.growing || !sameForcing(item.shown, this.settingsOf(item))) return true;
    return item === this.selected && (item.shown.nbest < this.request(item).nbest || (this.tree && !item.result.tree));
  }

  /** Returns the request for the translations of one item, with the tree if the pane shows it. */
  request(item) {
    const tree = this.tree && item === this.selected;
    const nbest = this.width([...item.text].length, tree ? this.beam : 0);
    return { ...this.forcing(item, this.settingsOf(item)), beam: this.beam, nbest, alignments: true, tree };
  }

  async refine(item, signal) {
    const settings = this.settingsOf(item);
    if (!sameForcing(item.forced, settings)) {
      for await (const { event, data } of api.stream(this.forcing(item, settings), signal)) {
        item.take(event, data);
        item.forced = settings;
      }
    }
    const request = this.request(item);
    const answer = await api.translate(request, signal);
    item.show({ ...answer.translations[0], growing: false });
    item.shown = { ...settings, nbest: request.nbest };
  }

  forcing({ text }, { prefix, append }) {
    const request = { model: this.settings.model, text };
    if (prefix.length > 0) request.prefix = prefix;
    if (append) request.append = append;
    return request;
  }

  newItem(index) {
    return new Item(index, {
      onFocus: (item, focus) => this.focus(item, focus),
      onPress: (item, word, i) => this.ask(item, word, i),
      onSelect: (item) => this.select(item),
      onDraw: (item) => item === this.selected && this.details.show(item),
    });
  }

  /** Shows these items and no others. */
  set(items) {
    this.items = items;
    if (items.length === 0) this.divided = undefined;
    this.render();
  }

  get selected() {
    return this.items[Math.min(this.settings.at, this.items.length - 1)];
  }

  settingsOf({ index }) {
    return this.settings.sentences[index] ?? fresh;
  }

  /** Returns the whole translation: that of the stream, with what each item shows in its place. */
  whole() {
    if (this.items.length === 0) return "";
    let text = this.streamed;
    let from = 0;
    for (const { first, chosen } of this.items) {
      const at = text.indexOf(first, from);
      if (at < 0) continue; // another text is on its way
      text = text.slice(0, at) + chosen.text + text.slice(at + first.length);
      from = at + chosen.text.length;
    }
    return text;
  }

  draw() {
    this.root.ariaBusy = this.busy;
    const { items, selected } = this;
    this.find(".result").hidden = items.length === 0;
    this.find(".list").classList.toggle("many", items.length > 1);
    const list = this.find(".list");
    while (list.children.length > items.length) list.lastChild.remove();
    for (const item of items) {
      if (!item.root.isConnected) list.append(item.root);
      item.root.classList.toggle("selected", item === selected);
      item.number.setAttribute("aria-current", item === selected);
    }
    if (!selected) return;
    if (!selected.root.contains(this.details.root)) {
      this.details.moveTo(selected);
      selected.render();
    }
    this.details.labelCopy(items.length > 1 ? "Copy whole translation" : "Copy translation");
    if (!this.busy) this.find(".note").textContent = this.note();
  }

  /** Says which words the model does not know, and which translations are cut. */
  note() {
    const sources = this.items.flatMap(({ result }) => (result ? units(result.source) : []));
    const unknown = [...new Set(sources.filter((unit) => unit.unknown).map(({ text }) => `“${text}”`))];
    const more = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : "";
    const numbers = (test) => this.items.filter(({ result, chosen }) => result && test(chosen, result)).map(({ index }) => index + 1);
    const where = (list) => (this.items.length > 1 ? ` in sentence ${list.join(", ")}` : "");
    const looped = numbers((best) => best.looped);
    const lost = numbers((best) => best.kept === false);
    const unsure = numbers((best) => best.unsure);
    const other = [...new Set(this.items.map(({ result }) => result?.language).filter(Boolean))].map(languageName);
    return [
      unknown.length > 0 &&
        `This model does not know ${unknown.slice(0, mostNamed).join(", ")}${more}: it copies or guesses ${unknown.length > 1 ? "them" : "it"}.`,
      looped.length > 0 && `The translation repeated words without end${where(looped)}: the repetitions are left out.`,
      lost.length > 0 && `A number, name or code is missing${where(lost)}.`,
      unsure.length > 0 && `The model is unsure${where(unsure)}: read with care what has a dotted line.`,
      other.length > 0 && `This looks like ${other.join(" and ")}, which this model does not read.`,
    ]
      .filter(Boolean)
      .join(" ");
  }

  /** Shows where a word of an item looked. */
  focus(item, focus) {
    item?.words.highlight(focus);
    if (item === this.selected) this.details.focus(focus);
  }

  /** Shows the details of another item. */
  select(item) {
    if (item === this.selected) return;
    this.settings = { ...this.settings, at: item.index };
    this.draw();
    this.onChange(false);
    this.update();
  }

  /** Asks which words could stand instead of a target word. */
  ask(item, anchor, index) {
    this.select(item);
    if (!item.shown || item.result.growing) return;
    const prefix = item.tokensBefore(index);
    const request = this.forcing(item, { prefix });
    const next = (extra, signal) => api.alternatives({ ...request, ...extra }, signal);
    this.menu.open(anchor, item.alignment.target[index].text, {
      load: async (signal) => (await next({ n: alternativeCount }, signal)).alternatives,
      check: (append, signal) => next({ append, n: 1 }, signal),
      choose: ({ token, text }) => {
        item.refocus = index;
        item.past.push(this.settingsOf(item));
        this.change(item, token === undefined ? { prefix, append: text, best: 0 } : { prefix: [...prefix, token], append: "", best: 0 });
      },
    });
  }

  /** Translates an item anew, with other settings. */
  change(item, settings) {
    this.setSettings(item, settings);
    this.onChange(true);
    this.update();
  }

  /** Shows the alignment of another of the best translations. */
  choose(best) {
    this.setSettings(this.selected, { ...this.settingsOf(this.selected), best });
    this.render();
    this.onChange(false);
  }

  setSettings(item, settings) {
    const sentences = [...this.settings.sentences];
    sentences[item.index] = settings;
    this.settings = { ...this.settings, sentences };
    item.best = settings.best;
  }

  /** Forgets what was changed, for another text. */
  reset() {
    this.settings = { ...this.settings, at: 0, sentences: [] };
    for (const item of this.items) item.past = [];
  }
}

/** Reports whether translations begin alike with two settings. */
function sameForcing(a, b) {
  return a.append === b.append && a.prefix.join(" ") === b.prefix.join(" ");
}

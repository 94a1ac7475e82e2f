import * as api from "./api.js";
import { Alternatives } from "./alternatives.js";
import { Details } from "./details.js";
import { copyText } from "./export.js";
import { Item } from "./item.js";
import { fresh } from "./link.js";
import { Reading } from "./reading.js";
import { Status } from "./status.js";
import { isBroken, languageName, partsOf } from "./text.js";
import { perFrame } from "./timing.js";

const alternativeCount = 8;
const mostNamed = 5; // unknown words

/** The translations of one model, sentence by sentence, with the controls that show and change them. */
export class Pane {
  /**
   * settings are {model, at, sentences}, see link.js. onChange is called when the user changes them, with
   * whether the change is one to go back from, onTree with whether the tree is wanted, onIdle when the
   * translation is complete, and onReverse, unless it is undefined, to read the text in the other language.
   */
  constructor(settings, info, { onChange, onTree, onIdle, onReverse }) {
    this.root = document.querySelector("#pane").content.cloneNode(true).firstElementChild;
    this.find = (selector) => this.root.querySelector(selector);
    this.settings = settings;
    this.info = info;
    this.onChange = onChange;
    this.onIdle = onIdle;
    this.items = [];
    this.tail = ""; // text after the items
    this.status = new Status(this.find(".status"));
    this.menu = new Alternatives(this.find(".menu"));
    this.render = perFrame(() => this.draw());
    this.reading = new Reading(this.find(".reading"), {
      onFocus: (item, focus) => this.focus(item, focus),
      onPress: (item, side, word) => (word && side === "target" ? this.ask(item, word) : this.select(item)),
    });
    this.details = new Details(this.find(".details"), info, {
      onFocus: (focus) => this.focus(focus && this.selected, focus),
      onChoose: (best) => this.choose(best),
      onTree,
    });
    this.find(".undo").onclick = () => this.change(this.selected, this.selected.past.pop());
    this.find(".copy").onclick = ({ target }) => copyText(this.whole(), target);
    this.find(".name").textContent = settings.model;
    this.reverse = this.find(".note button");
    this.reverse.onclick = onReverse;
    if (onReverse) this.reverse.textContent = `Translate from ${languageName(info.target)}`;
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

  /**
   * Divides the text into sentences, whose words come one after the other, and translates all if there are several,
   * in as many requests as the server wants.
   */
  async divide(signal) {
    this.divided = undefined;
    const parts = partsOf(this.text, this.info.limits).map((text) => ({
      model: this.settings.model, text, split: true, join_lines: isBroken(text),
    }));
    const items = [];
    let whole = "";
    for (const part of parts) {
      let line; // of the sentence before
      for await (const { event, data } of api.stream(part, signal)) {
        if (event === "sentence") {
          const item = (this.items[items.length] ??= this.newItem(items.length));
          item.begin(data.sentence);
          const gap = items.length === 0 ? "" : data.line === line ? " " : "\n"; // until the whole translation is there
          if (item.gap === "" || item.gap.includes("\n") !== gap.includes("\n")) item.gap = gap;
          item.best = this.settingsOf(item).best;
          item.forced = fresh;
          items.push(item);
          line = data.line;
        } else if (event === "end") {
          whole += data.texts[0];
        } else {
          items.at(-1)?.take(event, data);
          if (event === "token") this.render();
        }
      }
    }
    let end = 0;
    for (const item of items) {
      const at = Math.max(end, whole.indexOf(item.streamed, end));
      item.gap = whole.slice(end, at);
      end = at + item.streamed.length;
    }
    this.tail = whole.slice(end);
    this.set(items);
    if (items.length < 2) return;
    const rest = items.values();
    for (const part of parts) {
      const nbest = this.width([...part.text].length);
      const { translations } = await api.translate({ ...part, beam: this.beam, nbest, alignments: true }, signal);
      for (const translation of translations) {
        const item = rest.next().value;
        item.show({ ...translation, growing: false });
        item.shown = { nbest, ...fresh };
      }
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
      onDraw: (item) => {
        if (item === this.selected) this.details.show(item);
        if (item === this.focused) this.focus(null);
        else this.reading.draw();
      },
    });
  }

  /** Shows these items and no others. */
  set(items) {
    this.items = items;
    if (items.length === 0) this.divided = undefined;
    if (!items.includes(this.focused)) this.focus(null);
    this.render();
  }

  get selected() {
    return this.items[Math.min(this.settings.at, this.items.length - 1)];
  }

  settingsOf({ index }) {
    return this.settings.sentences[index] ?? fresh;
  }

  /** Returns the whole translation. */
  whole() {
    return this.items.map(({ gap, chosen }) => gap + (chosen?.text ?? "")).join("") + this.tail;
  }

  draw() {
    this.root.ariaBusy = this.busy;
    const { items, selected } = this;
    this.find(".result").hidden = items.length === 0;
    this.reading.arrange(items, this.tail);
    if (!selected) return;
    for (const item of items) {
      for (const { sentence } of Object.values(item.sides)) sentence.setAttribute("aria-current", item === selected);
    }
    if (!this.focused) this.reading.link(selected);
    this.find(".undo").hidden = selected.past.length === 0;
    if (this.busy) return;
    const languages = new Set(items.map(({ result }) => result?.language).filter(Boolean));
    this.reverse.hidden = !this.reverse.onclick || !languages.has(this.info.target);
    this.find(".note span").textContent = this.note([...languages].map(languageName));
  }

  /** Says which words the model does not know, and what to read with care. */
  note(languages) {
    const unknown = [...new Set(this.items.flatMap((item) => item.unknown))].map((word) => `“${word}”`);
    const more = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : "";
    const doubts = [...new Set(this.items.flatMap((item) => item.doubts))];
    return [
      unknown.length > 0 &&
        `This model does not know ${unknown.slice(0, mostNamed).join(", ")}${more}: it copies or guesses ${unknown.length > 1 ? "them" : "it"}.`,
      ...doubts,
      doubts.length > 0 && this.items.length > 1 && "A dotted line says where.",
      languages.length > 0 && `This looks like ${languages.join(" and ")}, which this model does not read.`,
    ]
      .filter(Boolean)
      .join(" ");
  }

  /** Shows where a word of an item looked, or nothing. */
  focus(item, focus) {
    if (this.focused !== item) this.focused?.highlight(null);
    this.focused = item;
    item?.highlight(focus);
    this.details.map.highlight(item === this.selected ? focus : null);
    this.find(".looked").textContent = item ? this.details.describe(item.alignment, focus) : "";
    this.reading.link(item ?? this.selected);
  }

  /** Shows the details of another item. */
  select(item) {
    if (item === this.selected) return;
    this.settings = { ...this.settings, at: item.index };
    if (item.alignment) this.details.show(item);
    if (item === this.focused) this.details.map.highlight(item.focus);
    this.render();
    this.onChange(false);
    this.update();
  }

  /** Asks which words could stand instead of a target word. */
  ask(item, anchor) {
    this.select(item);
    if (!item.shown || item.result.growing) return;
    const index = item.words("target").indexOf(anchor);
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

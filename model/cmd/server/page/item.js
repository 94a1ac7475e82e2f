import { growingWords, spanOf, units, unitWeights } from "./alignment.js";
import { Sentences } from "./sentences.js";
import { perFrame } from "./timing.js";

/** A sentence of a pane, with its translation and the attention between them. */
export class Item {
  /**
   * index is the place of the sentence in the pane. onFocus is called with the item and what its words
   * report, onPress with the item, the button and the index of a target word, onSelect and onDraw with the
   * item.
   */
  constructor(index, { onFocus, onPress, onSelect, onDraw }) {
    this.root = document.querySelector("#sentence").content.cloneNode(true).firstElementChild;
    this.index = index;
    this.number = this.root.querySelector(".number");
    this.number.textContent = index + 1;
    this.number.ariaLabel = `Sentence ${index + 1}`;
    this.onDraw = onDraw;
    this.past = []; // settings, of undo
    this.words = new Sentences(this.root.querySelector(".sentences"), {
      onFocus: (focus) => onFocus(this, focus),
      onPress: (word, i) => onPress(this, word, i),
    });
    this.root.addEventListener("click", ({ target }) => target.closest(".number, .word") && onSelect(this));
    this.render = perFrame(() => this.draw());
  }

  /** Begins with another sentence, which stands there until words of a translation come. */
  begin(sentence) {
    this.text = sentence;
    this.shown = undefined;
  }

  /** Takes an event of a stream. */
  take(event, data) {
    if (event === "source") this.stream = { source: data, tokens: [], alignment: [] };
    if (event === "done") this.streamed = data.text;
    if (event !== "token") return;
    const { source, tokens, alignment } = this.stream;
    tokens.push(data.token);
    if (data.alignment) alignment.push(data.alignment);
    const target = { tokens, words: growingWords(tokens.map(({ token }) => spanOf(token, source))) };
    this.show({ source, best: [{ text: data.text, target, alignment }], growing: true });
  }

  /** Shows a result {source, best, tree, growing}. */
  show(result) {
    this.result = result;
    this.render();
  }

  /** The index of the translation that is shown. */
  set best(best) {
    this.rank = best;
    if (this.result) this.render();
  }

  get chosen() {
    const { best } = this.result ?? { best: [] };
    return best[Math.min(this.rank, best.length - 1)];
  }

  draw() {
    if (!this.result) return;
    const { source, growing } = this.result;
    const { target, alignment = [] } = this.chosen;
    const sides = { source: units(source), target: units(target) };
    this.alignment = { ...sides, weights: unitWeights(sides.source, sides.target, alignment) };
    this.root.classList.toggle("growing", growing);
    this.root.classList.toggle("unsure", Boolean(this.chosen.unsure));
    this.words.show(this.alignment, this.fixedWords());
    this.onDraw(this);
    if (growing) return;
    if (this.refocus !== undefined && document.activeElement === document.body) this.words.focusTarget(this.refocus);
    this.refocus = undefined;
  }

  /** Returns the number of target words that were given. */
  fixedWords() {
    const { prefix, append } = this.forced ?? { prefix: [], append: "" };
    const given = this.alignment.target.filter(({ end }) => end <= prefix.length).length;
    return given + (append ? append.split(/\s+/).length : 0);
  }

  /** Returns the target tokens before a word. */
  tokensBefore(word) {
    return this.chosen.target.tokens.slice(0, this.alignment.target[word].start).map(({ token }) => token);
  }
}

import { growingWords, placesOf, spanOf, units, unitWeights } from "./alignment.js";
import { perFrame } from "./timing.js";

/** A sentence of a pane, with its translation and the attention between them, as running text of words to press. */
export class Item {
  /** index is the place of the sentence in the pane. onDraw is called with the item. */
  constructor(index, { onDraw }) {
    this.index = index;
    this.gap = ""; // the text before the sentence and its translation
    this.sides = { source: newSide(index), target: newSide(index) };
    this.onDraw = onDraw;
    this.past = []; // settings, of undo
    this.render = perFrame(() => this.draw());
  }

  /** Begins with another sentence, which is shown with the first word of a translation. */
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
    this.sentence = this.text;
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

  get unknown() {
    return units(this.result?.source ?? { words: [], tokens: [] }).filter(({ unknown }) => unknown).map(({ text }) => text);
  }

  /** What makes the translation one to read with care. */
  get doubts() {
    const { looped, kept, unsure } = this.chosen ?? {};
    return [
      looped && "The translation repeated words without end: the repetitions are left out.",
      kept === false && "A number, name or code is missing.",
      unsure && "The model is unsure: read with care.",
    ].filter(Boolean);
  }

  draw() {
    if (!this.result) return;
    const { source, growing } = this.result;
    const { text, target, alignment = [] } = this.chosen;
    const sides = { source: units(source), target: units(target) };
    this.alignment = { ...sides, weights: unitWeights(sides.source, sides.target, alignment) };
    fill(this.sides.source.sentence, sides.source, this.sentence);
    fill(this.sides.target.sentence, sides.target, text);
    const fixed = this.fixedWords();
    for (const [i, word] of this.words("target").entries()) {
      word.ariaHasPopup = "dialog";
      word.classList.toggle("fixed", i < fixed);
    }
    const shown = this.sides.target.sentence;
    shown.classList.toggle("growing", growing);
    shown.classList.toggle("unsure", this.doubts.length > 0);
    shown.title = this.doubts.join(" ");
    this.highlight(null);
    this.onDraw(this);
    if (growing) return;
    if (this.refocus !== undefined && document.activeElement === document.body) this.words("target")[this.refocus]?.focus();
    this.refocus = undefined;
  }

  words(side) {
    return [...this.sides[side].sentence.children];
  }

  /** Marks the words that a focus {source} or {target} looks at, or is looked at by. */
  highlight(focus) {
    this.focus = focus;
    const { source: j, target: i } = focus ?? {};
    const { weights } = this.alignment;
    const mark = (side, focused, weightOf) =>
      this.words(side).forEach((word, k) => {
        word.classList.toggle("focused", k === focused);
        const weight = (weightOf(k) ?? 0).toFixed(3);
        if (word.style.getPropertyValue("--weight") !== weight) word.style.setProperty("--weight", weight);
      });
    mark("source", j, (k) => (i === undefined ? 0 : weights[i]?.[k]));
    mark("target", i, (k) => (j === undefined ? 0 : weights[k]?.[j]));
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

function newSide(index) {
  const sentence = document.createElement("span");
  sentence.className = "sentence";
  sentence.role = "group";
  sentence.ariaLabel = `Sentence ${index + 1}`;
  return { gap: new Text(), sentence };
}

/** Shows units as the words of a text. It reuses words, so that one in focus keeps the focus. */
function fill(sentence, units, text) {
  while (sentence.children.length > units.length) {
    sentence.lastChild.remove();
    sentence.lastChild.remove();
  }
  const places = placesOf(units.map(({ text, isEnd }) => (isEnd ? "" : text)), text);
  let end = 0;
  units.forEach(({ isEnd = false, unknown = false }, i) => {
    const word = sentence.children[i] ?? newWord(sentence);
    const [from, to] = places[i];
    write(word.previousSibling, text.slice(end, isEnd ? to : from));
    write(word, isEnd ? "end" : text.slice(from, to));
    end = to;
    word.classList.toggle("end", isEnd);
    word.classList.toggle("unknown", unknown);
    for (const [name, value] of [["data-help", "end"], ["aria-describedby", "help-end"]]) {
      if (isEnd) word.setAttribute(name, value);
      else word.removeAttribute(name);
    }
  });
}

/** Appends a word and the text before it. */
function newWord(sentence) {
  const word = document.createElement("span");
  word.className = "word";
  word.role = "button";
  word.tabIndex = -1;
  sentence.append(new Text(), word);
  return word;
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

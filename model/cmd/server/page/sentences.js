import { perFrame } from "./timing.js";

const leastLink = 0.04; // weight of a link that is drawn

/**
 * Two sentences above each other, with links between their words, which pass behind other words where a
 * sentence has several lines. Words are buttons. Tab reaches the first of a side, and the arrow keys the others.
 */
export class Sentences {
  /**
   * onFocus is called with {source} or {target}, the index of the word under the pointer or the
   * keyboard, or null; onPress with the button and the index of a target word.
   */
  constructor(root, { onFocus, onPress }) {
    this.root = root;
    this.lists = { source: root.querySelector(".source"), target: root.querySelector(".target") };
    this.links = root.querySelector(".links");
    this.alignment = { source: [], target: [], weights: [] };
    this.draw = perFrame(() => this.drawLinks());
    this.mark = perFrame(() => this.markWords());
    for (const [side, list] of Object.entries(this.lists)) {
      const report = (word) => onFocus(focusOf(side, word ?? list.querySelector(":focus")));
      list.addEventListener("pointerover", (event) => report(event.target.closest(".word")));
      for (const type of ["pointerleave", "focusin", "focusout"]) list.addEventListener(type, () => report());
      list.addEventListener("keydown", (event) => moveFocus(list, event));
      list.addEventListener("click", (event) => {
        const word = event.target.closest(".word");
        if (word && side === "target") onPress(word, indexOf(word));
        else report(word);
      });
    }
    new ResizeObserver(this.draw).observe(root);
  }

  /**
   * Shows an alignment {source, target, weights}. The first target words, as many as fixed, are those
   * that the translation had to begin with.
   */
  show(alignment, fixed) {
    this.alignment = alignment;
    this.focus = null;
    for (const [side, list] of Object.entries(this.lists)) fill(list, alignment[side], side === "target");
    [...this.lists.target.children].forEach((word, i) => word.classList.toggle("fixed", i < fixed));
    this.markWords();
    this.draw();
  }

  /** Marks the words that a focus looks at, or is looked at by. */
  highlight(focus) {
    this.focus = focus;
    this.mark();
  }

  /** Moves the keyboard to a target word. */
  focusTarget(index) {
    this.lists.target.children[index]?.focus();
  }

  markWords() {
    const { source: j, target: i } = this.focus ?? {};
    const { weights } = this.alignment;
    const mark = (list, focused, weightOf) =>
      [...list.children].forEach((word, k) => {
        word.classList.toggle("focused", k === focused);
        const weight = (weightOf(k) ?? 0).toFixed(3);
        if (word.style.getPropertyValue("--weight") !== weight) word.style.setProperty("--weight", weight);
      });
    mark(this.lists.source, j, (k) => (i === undefined ? 0 : weights[i]?.[k]));
    mark(this.lists.target, i, (k) => (j === undefined ? 0 : weights[k]?.[j]));
    this.root.classList.toggle("focusing", this.focus !== null);
    for (const link of this.links.children) {
      const { source, target } = link.dataset;
      link.classList.toggle("focused", (j === undefined || source == j) && (i === undefined || target == i));
    }
  }

  drawLinks() {
    const boxes = this.measure();
    const wrapped = Object.values(boxes).some((list) => list.length > 0 && list.at(-1).top >= list[0].bottom);
    this.root.classList.toggle("wrapped", wrapped);
    this.links.replaceChildren(...this.paths(boxes));
    this.markWords();
  }

  /** Returns the boxes of all words, relative to the root. */
  measure() {
    const origin = this.root.getBoundingClientRect();
    const relative = ({ left, width, top, bottom }) => ({
      x: left + width / 2 - origin.left,
      top: top - origin.top,
      bottom: bottom - origin.top,
    });
    const boxes = (list) => [...list.children].map((word) => relative(word.getBoundingClientRect()));
    return { source: boxes(this.lists.source), target: boxes(this.lists.target) };
  }

  *paths({ source, target }) {
    for (const [i, row] of this.alignment.weights.entries()) {
      for (const [j, weight] of row.entries()) {
        if (weight < leastLink || !source[j] || !target[i]) continue;
        const { x: x0, bottom: y0 } = source[j];
        const { x: x1, top: y1 } = target[i];
        const middle = (y0 + y1) / 2;
        const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        path.setAttribute("d", `M${x0} ${y0}C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`);
        path.style.setProperty("--weight", weight);
        Object.assign(path.dataset, { source: j, target: i });
        yield path;
      }
    }
  }
}

const indexOf = (word) => [...word.parentElement.children].indexOf(word);

const focusOf = (side, word) => (word ? { [side]: indexOf(word) } : null);

/** Shows units as the words of a list. It reuses buttons, so that one in focus keeps the focus. */
function fill(list, units, hasMenu) {
  while (list.children.length > units.length) list.lastChild.remove();
  units.forEach(({ text, isEnd = false, unknown = false }, i) => {
    const word = list.children[i] ?? list.appendChild(newWord(i, hasMenu));
    if (word.textContent !== text) word.textContent = text;
    word.classList.toggle("end", isEnd);
    word.classList.toggle("unknown", unknown);
    for (const [name, value] of [["data-help", "end"], ["aria-describedby", "help-end"]]) {
      if (isEnd) word.setAttribute(name, value);
      else word.removeAttribute(name);
    }
  });
}

function newWord(index, hasMenu) {
  const word = document.createElement("button");
  word.type = "button";
  word.className = "word";
  if (hasMenu) word.ariaHasPopup = "dialog";
  word.tabIndex = index === 0 ? 0 : -1;
  return word;
}

/** Moves the focus along a list, in the order of the text. */
function moveFocus(list, event) {
  const words = [...list.children];
  const at = words.indexOf(document.activeElement);
  const forward = getComputedStyle(list).direction === "rtl" ? -1 : 1;
  const to = { ArrowLeft: at - forward, ArrowRight: at + forward, Home: 0, End: words.length - 1 }[event.key];
  if (at < 0 || !words[to]) return;
  event.preventDefault();
  words[at].tabIndex = -1;
  words[to].tabIndex = 0;
  words[to].focus();
}

import { perFrame } from "./timing.js";

const leastLink = 0.04; // weight of a link that is drawn
const sag = 44; // pixels, of an arc

/**
 * A text and its translation beside each other, or below each other where there is less room: a row for each line,
 * and links between the words of one sentence, which pass behind other words. Tab reaches one word of a side, the
 * arrow keys the others.
 */
export class Reading {
  /**
   * onFocus is called with an item and {source} or {target}, the index of the word under the pointer or the
   * keyboard, or with null; onPress with an item, a side, and the word if one is pressed.
   */
  constructor(root, { onFocus, onPress }) {
    this.root = root;
    this.lists = { source: root.querySelector(".source"), target: root.querySelector(".target") };
    this.links = root.querySelector(".links");
    this.tails = { source: new Text(), target: new Text() };
    this.items = new Map(); // by the elements of their sentences
    this.draw = perFrame(() => this.drawLinks());
    for (const [side, list] of Object.entries(this.lists)) {
      const itemOf = (element) => this.items.get(element.closest(".sentence"));
      const report = (pointed) => {
        const word = pointed ?? list.querySelector(".word:focus");
        if (word) onFocus(itemOf(word), { [side]: indexOf(word) });
        else onFocus(null);
      };
      list.addEventListener("pointerover", (event) => report(event.target.closest(".word")));
      for (const type of ["pointerleave", "focusout"]) list.addEventListener(type, () => report());
      list.addEventListener("focusin", ({ target }) => {
        this.makeStop(list, target);
        report();
      });
      list.addEventListener("keydown", (event) => moveFocus(list, event));
      list.addEventListener("click", ({ target }) => {
        if (!target.closest(".sentence") || !getSelection().isCollapsed) return; // text to copy
        const word = target.closest(".word");
        if (word) report(word);
        onPress(itemOf(target), side, word);
      });
    }
    new ResizeObserver(this.draw).observe(root);
  }

  /** Shows items, a row for each line of the text, and the text after them. */
  arrange(items, tail) {
    this.items = new Map();
    for (const [side, list] of Object.entries(this.lists)) {
      const rows = [];
      for (const item of items) {
        const { gap, sentence } = item.sides[side];
        this.items.set(sentence, item);
        const isFirst = rows.length === 0 || item.gap.includes("\n");
        const shown = isFirst ? item.gap.replace(/^.*\n/, "") : item.gap;
        if (gap.data !== shown) gap.data = shown;
        if (isFirst) rows.push([]);
        rows.at(-1).push(gap, sentence);
      }
      if (this.tails[side].data !== tail) this.tails[side].data = tail;
      rows.at(-1)?.push(this.tails[side]);
      rows.forEach((nodes, i) => fit(list.children[i] ?? newRow(list, i), nodes));
      while (list.children.length > rows.length) list.lastChild.remove();
      this.makeStop(list, list.querySelector('[tabindex="0"]') ?? list.querySelector(".word"));
    }
    this.draw();
  }

  /** Lets Tab reach a word, and no other of the side. */
  makeStop(list, word) {
    for (const other of list.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    if (word) word.tabIndex = 0;
  }

  /** Links the words of an item. */
  link(item) {
    this.linked = item;
    this.draw();
  }

  drawLinks() {
    const { links, linked } = this;
    if (!linked?.alignment || !this.items.has(linked.sides.source.sentence)) {
      links.replaceChildren();
      return;
    }
    const boxes = this.measure();
    const { source: j, target: i } = linked.focus ?? {};
    const wrapped = Object.values(boxes).some((list) => list.length > 0 && list.at(-1).top >= list[0].bottom);
    this.root.classList.toggle("wrapped", wrapped || this.items.size > 2); // behind other words
    this.root.classList.toggle("focusing", Boolean(linked.focus));
    links.replaceChildren(...this.paths(boxes));
    for (const link of links.children) {
      const { source, target } = link.dataset;
      link.classList.toggle("focused", (j === undefined || source == j) && (i === undefined || target == i));
    }
  }

  /** Returns the boxes of the linked words, relative to the root. */
  measure() {
    const origin = this.root.getBoundingClientRect();
    const relative = ({ left, width, top, bottom }) => ({
      x: left + width / 2 - origin.left,
      top: top - origin.top,
      bottom: bottom - origin.top,
    });
    const boxes = (side) => this.linked.words(side).map((word) => relative(word.getClientRects()[0] ?? origin));
    return { source: boxes("source"), target: boxes("target") };
  }

  /** Yields links: down from word to word, or in an arc below the words where the sides are beside each other. */
  *paths({ source, target }) {
    const beside = getComputedStyle(this.root).gridTemplateColumns.includes(" ");
    for (const [i, row] of this.linked.alignment.weights.entries()) {
      for (const [j, weight] of row.entries()) {
        if (weight < leastLink || !source[j] || !target[i]) continue;
        const { x: x0, bottom: y0 } = source[j];
        const { x: x1, top, bottom } = target[i];
        const y1 = beside ? bottom : top;
        const [c0, c1] = beside ? [y0 + sag, y1 + sag] : [(y0 + y1) / 2, (y0 + y1) / 2];
        const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        path.setAttribute("d", `M${x0} ${y0}C${x0} ${c0} ${x1} ${c1} ${x1} ${y1}`);
        path.style.setProperty("--weight", weight);
        Object.assign(path.dataset, { source: j, target: i });
        yield path;
      }
    }
  }
}

const indexOf = (word) => [...word.parentElement.children].indexOf(word);

function newRow(list, i) {
  const row = list.appendChild(document.createElement("p"));
  row.dir = "auto";
  row.style.setProperty("--row", i + 1);
  return row;
}

/** Makes nodes the children of an element. */
function fit(element, nodes) {
  const has = element.childNodes;
  if (has.length !== nodes.length || nodes.some((node, i) => node !== has[i])) element.replaceChildren(...nodes);
}

/** Moves the focus from word to word in the order of the text, and up and down to the sentence before and after. */
function moveFocus(list, event) {
  const word = event.target;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    word.click();
    return;
  }
  const all = [...list.querySelectorAll(".word")].filter((w) => w.checkVisibility());
  const own = [...word.parentElement.children];
  const at = all.indexOf(word);
  const forward = getComputedStyle(word).direction === "rtl" ? -1 : 1;
  const to = {
    ArrowLeft: all[at - forward],
    ArrowRight: all[at + forward],
    ArrowUp: all[all.indexOf(own[0]) - 1]?.parentElement.children[0],
    ArrowDown: all.slice(at).find((w) => !own.includes(w)),
    Home: own[0],
    End: own.findLast((w) => w.checkVisibility()),
  }[event.key];
  if (!to) return;
  event.preventDefault();
  to.focus();
}

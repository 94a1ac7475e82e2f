import { endOfSentence, lineOf, spanOf, visible } from "./alignment.js";
import { decimal, percent, textWidth } from "./text.js";

const boxHeight = 34;
const rowHeight = 44;
const columnGap = 28;
const font = "15px 'Iowan Old Style', 'Palatino Linotype', Palatino, P052, Georgia, serif"; // as in style.css

/**
 * The hypotheses of a beam search: a column for each step, the most probable on top, and a branch from
 * each to those that continue it. The arrow keys follow branches and columns.
 */
export class Tree {
  /** onChoose is called with the rank of a translation, onCaption with a line about a hypothesis. */
  constructor(root, { onChoose, onCaption }) {
    this.svg = root.querySelector("svg");
    this.onChoose = onChoose;
    this.onCaption = onCaption;
    const nodeOf = (event) => this.nodes?.get(event.target.closest(".node"));
    const inFocus = () => this.nodes?.get(document.activeElement);
    this.svg.addEventListener("pointerover", (event) => this.highlight(nodeOf(event) ?? inFocus()));
    for (const type of ["pointerleave", "focusin", "focusout"]) {
      this.svg.addEventListener(type, () => this.highlight(inFocus()));
    }
    this.svg.addEventListener("click", (event) => this.press(nodeOf(event)));
    this.svg.addEventListener("keydown", (event) => this.key(event, nodeOf(event)));
  }

  /** Shows the nodes of a search and the way to the chosen translation. */
  show(nodes, chosen, source) {
    this.tree = grow(nodes.map((node) => ({ ...node, text: spanOf(node.token, source) })), chosen);
    this.nodes = new Map();
    const size = place(this.tree);
    this.svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    this.svg.setAttribute("width", size.width);
    this.svg.setAttribute("height", size.height);
    const branches = this.tree.filter((node) => node.parent).map((node) => (node.branch = newBranch(node)));
    const boxes = this.tree.map((node) => {
      node.box = newBox(node);
      this.nodes.set(node.box, node);
      return node.box;
    });
    this.svg.replaceChildren(...branches, ...boxes);
    boxes[0]?.setAttribute("tabindex", 0);
  }

  /** Marks the way from the root to a node, or none. */
  highlight(node) {
    for (const marked of this.svg.querySelectorAll(".focused")) marked.classList.remove("focused");
    const path = pathTo(node);
    for (const { box, branch } of path) {
      box.classList.add("focused");
      branch?.classList.add("focused");
    }
    this.onCaption(node ? `${lineOf(path.map(({ text }) => text))} · log p ${decimal(node.total)}` : "");
  }

  press(node) {
    if (node?.best !== undefined) this.onChoose(node.best);
  }

  key(event, node) {
    if (!node) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.press(node);
      return;
    }
    const column = this.tree.filter(({ step }) => step === node.step);
    const at = column.indexOf(node);
    const to = {
      ArrowLeft: node.parent,
      ArrowRight: node.children[0],
      ArrowUp: column[at - 1],
      ArrowDown: column[at + 1],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    node.box.setAttribute("tabindex", -1);
    to.box.setAttribute("tabindex", 0);
    to.box.focus();
    to.box.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

/**
 * Returns the nodes by step and probability, with parent and children as nodes. The best of a node is
 * the rank of the first translation that goes through it; a node without one was pruned.
 */
function grow(list, chosen) {
  const label = (text) => (text === endOfSentence ? "end" : visible(text));
  const byId = new Map(list.map((node) => [node.id, { ...node, label: label(node.text), children: [], chosen: false }]));
  const nodes = [...byId.values()].sort((a, b) => a.step - b.step || b.total - a.total);
  for (const node of nodes) {
    node.parent = byId.get(node.parent);
    node.parent?.children.push(node);
  }
  for (const end of nodes.filter(({ best }) => best !== undefined)) {
    const { best } = end;
    for (const node of pathTo(end)) {
      node.best = Math.min(best, node.best ?? best);
      node.chosen ||= best === chosen;
    }
  }
  return nodes;
}

/** Gives each node its place, and returns the size of the tree. */
function place(nodes) {
  const columns = Map.groupBy(nodes, ({ step }) => step);
  let x = 1;
  let height = 0;
  for (const column of columns.values()) {
    const width = Math.ceil(Math.max(44, ...column.map(({ label }) => textWidth(label, font) + 20)));
    column.forEach((node, row) => Object.assign(node, { x, y: row * rowHeight + 1, width }));
    x += width + columnGap;
    height = Math.max(height, column.length * rowHeight);
  }
  return { width: Math.max(1, x - columnGap + 1), height };
}

function newBranch({ parent, x, y, chosen, best }) {
  const from = { x: parent.x + parent.width, y: parent.y + boxHeight / 2 };
  const middle = (from.x + x) / 2;
  const end = y + boxHeight / 2;
  const path = element("path", {
    class: classes("branch", chosen, best),
    d: `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${end} ${x} ${end}`,
  });
  return path;
}

function newBox(node) {
  const { x, y, width, label, logprob, total, finished, step, chosen, best } = node;
  const p = percent(Math.exp(logprob));
  const fate = best === undefined ? ", pruned" : finished ? `, ends translation ${best + 1}` : "";
  const box = element("g", {
    class: classes("node", chosen, best) + (finished ? " finished" : ""),
    transform: `translate(${x} ${y})`,
    role: "treeitem",
    tabindex: -1,
    "aria-level": step + 1,
    "aria-selected": chosen,
    "aria-label": `${label}, ${p}, log p ${decimal(total)}${fate}`,
  });
  const word = element("text", { x: width / 2, y: 15, class: "token" });
  word.textContent = label;
  const number = element("text", { x: width / 2, y: 28, class: "probability" });
  number.textContent = p;
  box.append(element("rect", { width, height: boxHeight, rx: 5 }), word, number);
  return box;
}

const classes = (name, chosen, best) => `${name}${chosen ? " chosen" : best === undefined ? " pruned" : ""}`;

function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Returns the nodes from the root to a node. */
function pathTo(node) {
  const path = [];
  for (; node; node = node.parent) path.unshift(node);
  return path;
}

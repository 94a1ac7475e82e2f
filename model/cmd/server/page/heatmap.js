import { layout, paint } from "./figure.js";
import { perFrame } from "./timing.js";

const cellSizes = { least: 10, most: 30 }; // pixels

/**
 * A heat map in an element that has a canvas, which it paints when the weights change, and three marks
 * over it, which are all that moves with the pointer or the arrow keys.
 */
export class HeatMap {
  /** onFocus is called with {source, target}, the indexes of a cell, or null. */
  constructor(root, onFocus) {
    this.root = root;
    this.canvas = root.querySelector("canvas");
    this.marks = {
      column: root.querySelector(".column"),
      row: root.querySelector(".row"),
      cell: root.querySelector(".cell"),
    };
    this.onFocus = onFocus;
    this.draw = perFrame(() => this.paint());
    this.place = perFrame(() => this.placeMarks());
    this.canvas.addEventListener("pointermove", (event) => this.move(this.cellAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.move(null));
    this.canvas.addEventListener("blur", () => this.move(null));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.draw);
    new MutationObserver(this.draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    new ResizeObserver(this.draw).observe(root);
  }

  /** Shows an alignment {source, target, weights}, which may still grow. */
  show(alignment, growing = false) {
    this.alignment = alignment;
    this.rows = growing ? alignment.source.length : 0;
    this.focus = null;
    this.draw();
  }

  /** Marks the row, the column or the cell of a focus. */
  highlight(focus) {
    this.focus = focus;
    this.place();
  }

  paint() {
    if (!this.alignment) return;
    const figure = (this.figure = layout(this.alignment, this.cellSize(), this.rows));
    const ratio = devicePixelRatio;
    this.canvas.width = Math.round(figure.width * ratio);
    this.canvas.height = Math.round(figure.height * ratio);
    this.canvas.style.width = figure.width + "px";
    this.canvas.style.height = figure.height + "px";
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    paint(context, figure, this.colors());
    this.placeMarks();
  }

  /** Returns the size at which all columns fit, within limits. */
  cellSize() {
    const { least, most } = cellSizes;
    const { width, columns } = layout(this.alignment, most);
    const labels = width - columns * most; // at most, since small cells have small labels
    const fitting = Math.floor((this.root.clientWidth - labels) / columns);
    return Math.min(most, Math.max(least, fitting));
  }

  colors() {
    const style = getComputedStyle(this.root);
    const value = (name) => style.getPropertyValue("--" + name).trim();
    return { paper: value("paper"), ink: value("ink"), muted: value("muted"), grid: value("grid"), heat: value("heat") };
  }

  placeMarks() {
    const { figure, focus, marks } = this;
    const { source: j, target: i } = focus ?? {};
    const at = (mark, shown, x, y, width, height) => {
      mark.hidden = !shown;
      if (!shown) return;
      mark.style.transform = `translate(${x}px, ${y}px)`;
      mark.style.width = width + "px";
      mark.style.height = height + "px";
    };
    if (!figure) return;
    const { left, top, cell, rows, columns } = figure;
    at(marks.row, i < rows, left, top + i * cell, columns * cell - 1, cell - 1);
    at(marks.column, j < columns, left + j * cell, top, cell - 1, rows * cell - 1);
    at(marks.cell, i < rows && j < columns, left + j * cell, top + i * cell, cell - 1, cell - 1);
  }

  cellAt(event) {
    if (!this.figure) return null;
    const { left, top, cell, rows, columns } = this.figure;
    const source = Math.floor((event.offsetX - left) / cell);
    const target = Math.floor((event.offsetY - top) / cell);
    return source >= 0 && source < columns && target >= 0 && target < rows ? { source, target } : null;
  }

  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step || !this.figure) return;
    event.preventDefault();
    const clamp = (value, count) => Math.min(count - 1, Math.max(0, value));
    const { source, target } = this.focus ?? {};
    this.move({
      source: source === undefined ? 0 : clamp(source + step[0], this.figure.columns),
      target: target === undefined ? 0 : clamp(target + step[1], this.figure.rows),
    });
    this.marks.cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  move(focus) {
    if (focus?.source === this.focus?.source && focus?.target === this.focus?.target) return;
    this.focus = focus;
    this.onFocus(focus);
  }
}

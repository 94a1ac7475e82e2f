// The heat map of an alignment as a figure: where its cells and labels are, on a canvas or as SVG.

import { textWidth } from "./text.js";

const font = { family: "'Iowan Old Style', 'Palatino Linotype', Palatino, P052, Georgia, serif", size: 14 };

/** The colors of a figure in a document. */
export const print = { paper: "#ffffff", ink: "#22201d", muted: "#6f6a62", grid: "#f3efe8", heat: "#c9670c" };

const gap = 6; // between cells and labels, and around the figure

/**
 * Returns the figure of weights (target by source): source labels above the columns, target labels
 * left of the rows, cells of the given size. There is room for at least the given number of rows.
 */
export function layout({ source, target, weights }, cell, rows = 0) {
  const size = Math.min(font.size, cell - 1);
  const turn = cell < 20 ? -90 : -45; // degrees, that labels of neighbors do not overlap
  const width = ({ text, isEnd }) => textWidth(text, fontOf(size, isEnd));
  const widths = { source: source.map(width), target: target.map(width) };
  const left = Math.ceil(gap + Math.max(0, ...widths.target) + gap);
  const top = Math.ceil(gap + Math.max(0, ...widths.source) * Math.abs(Math.sin(radians(turn))) + size / 2 + gap);
  const overhang = source.map((_, j) => (j + 0.5) * cell + widths.source[j] * Math.cos(radians(turn)));
  return {
    left,
    top,
    cell,
    size,
    weights,
    columns: source.length,
    rows: target.length,
    width: Math.ceil(left + Math.max(source.length * cell, ...overhang) + 2 * gap),
    height: top + Math.max(rows, target.length) * cell + gap,
    labels: [
      ...source.map((u, j) => ({ ...label(u), x: left + (j + 0.5) * cell, y: top - gap, turn, anchor: "start" })),
      ...target.map((u, i) => ({ ...label(u), x: left - gap, y: top + (i + 0.5) * cell, turn: 0, anchor: "end" })),
    ],
  };
}

const label = ({ text, isEnd }) => ({ text, isEnd });

/** Paints a figure with its origin at that of the context. */
export function paint(context, figure, colors) {
  context.fillStyle = colors.paper;
  context.fillRect(0, 0, figure.width, figure.height);
  for (const { x, y, side, weight } of cells(figure)) {
    context.globalAlpha = 1;
    context.fillStyle = colors.grid;
    context.fillRect(x, y, side, side);
    context.globalAlpha = weight;
    context.fillStyle = colors.heat;
    context.fillRect(x, y, side, side);
  }
  context.globalAlpha = 1;
  context.textBaseline = "middle";
  context.direction = "ltr";
  for (const { text, isEnd, x, y, turn, anchor } of figure.labels) {
    context.save();
    context.translate(x, y);
    context.rotate(radians(turn));
    context.font = fontOf(figure.size, isEnd);
    context.fillStyle = isEnd ? colors.muted : colors.ink;
    context.textAlign = anchor === "end" ? "right" : "left";
    context.fillText(text, 0, 0);
    context.restore();
  }
}

/** Returns a figure as an SVG document, which needs no other file. */
export function svg(figure, colors) {
  const boxes = [...cells(figure)].map(
    ({ x, y, side, weight }) =>
      `<path fill="${colors.grid}" d="M${x} ${y}h${side}v${side}h-${side}z"/>` +
      `<rect x="${x}" y="${y}" width="${side}" height="${side}" fill-opacity="${weight.toFixed(4)}"/>`,
  );
  const labels = figure.labels.map(
    ({ text, isEnd, x, y, turn, anchor }) =>
      `<text transform="translate(${x} ${y}) rotate(${turn})" text-anchor="${anchor}"` +
      `${isEnd ? ` font-style="italic" fill="${colors.muted}"` : ""}>${escape(text)}</text>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${figure.width}" height="${figure.height}" viewBox="0 0 ${figure.width} ${figure.height}">
<rect width="100%" height="100%" fill="${colors.paper}"/>
<g fill="${colors.heat}">
${boxes.join("\n")}
</g>
<g fill="${colors.ink}" font-family="${escape(font.family)}" font-size="${figure.size}" dominant-baseline="central">
${labels.join("\n")}
</g>
</svg>
`;
}

/** Returns a figure as a PNG blob of two pixels per unit. */
export async function png(figure, colors) {
  const canvas = new OffscreenCanvas(2 * figure.width, 2 * figure.height);
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  paint(context, figure, colors);
  return canvas.convertToBlob({ type: "image/png" });
}

function* cells({ weights, left, top, cell }) {
  const side = cell - 1;
  for (const [i, row] of weights.entries()) {
    for (const [j, weight] of row.entries()) {
      yield { x: left + j * cell, y: top + i * cell, side, weight: Math.min(1, Math.max(0, weight)) };
    }
  }
}

/** Returns text as XML, which has no form for control characters and lone surrogates. */
export function escape(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"']/g, (c) => entities[c]);
}

const fontOf = (size, italic) => `${italic ? "italic " : ""}${size}px ${font.family}`;

const radians = (degrees) => (degrees * Math.PI) / 180;

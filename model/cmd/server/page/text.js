// How text is measured and numbers are written.

const ruler = new OffscreenCanvas(1, 1).getContext("2d");

/** Returns the width of text in pixels. */
export function textWidth(text, font) {
  ruler.font = font;
  return ruler.measureText(text).width;
}

/** Returns a probability from 0 to 1 as a percentage. */
export function percent(p) {
  if (p > 0 && p < 0.01) return "< 1 %";
  return Math.round(100 * p) + " %";
}

/** Returns a number with two decimals, and a minus sign unless it is zero. */
export const decimal = (x) => x.toFixed(2).replace(/^-0\.00$/, "0.00").replace("-", "−");

/** Returns the English name of a language. */
export function languageName(code) {
  return code === "und" ? "another language" : new Intl.DisplayNames("en", { type: "language" }).of(code);
}

/** Returns whether the lines of a text may have been broken for their width, unlike those of a list. */
export const isBroken = (text) => text.split("\n").some((line) => line.length >= 40);

/**
 * Divides a text into parts of at most that many characters and, in case a reader finds more of them, half as many
 * sentences, where a sentence or a paragraph ends or else a line does.
 */
export function partsOf(text, { characters, texts }) {
  const parts = [];
  let [from, end, at, sentences] = [0, 0, 0, 0];
  for (const { segment } of new Intl.Segmenter("en", { granularity: "sentence" }).segment(text)) {
    if (at > from && (++sentences > texts / 2 || at + segment.length - from > characters)) {
      const to = end > from ? end : at;
      parts.push(text.slice(from, to));
      [from, sentences] = [to, 0];
    }
    at += segment.length;
    if (/[.!?…][^\p{L}\p{N}]*$|\n\s*\n$/u.test(segment) || text[at] === "\n") end = at;
  }
  return [...parts, text.slice(from)];
}

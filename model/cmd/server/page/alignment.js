// Attention weights between words. The model attends from token to token, which are parts of words
// where it uses byte-pair encoding.

/**
 * Returns the units that a side of a translation shows: its words, and one for each token that is in
 * no word, which is the end of the sentence. The tokens of a unit are [start, end), pieces has them as
 * text, and it is unknown if one of them is not in the vocabulary.
 */
export function units(side) {
  const list = side.words.map(({ text, tokens: [start, end] }) => {
    const tokens = side.tokens.slice(start, end);
    const pieces = tokens.map(({ token }) => visible(token));
    return { text, start, end, pieces, unknown: tokens.some(({ unknown }) => unknown) };
  });
  const inWord = new Set(list.flatMap(({ start, end }) => range(start, end)));
  for (const start of range(0, side.tokens.length)) {
    if (!inWord.has(start)) list.push({ text: "end", start, end: start + 1, pieces: ["end"], isEnd: true });
  }
  return list.sort((a, b) => a.start - b.start);
}

/**
 * Returns the weights between units, target by source. A source unit has the sum of its tokens, and a
 * target unit the mean over its tokens, so that every row has the sum of a row of alpha, 1.
 */
export function unitWeights(source, target, alpha) {
  return target.map((t) => {
    const rows = alpha.slice(t.start, t.end);
    return source.map((s) => {
      const sums = rows.map((row) => sum(row.slice(s.start, s.end)));
      return sums.length ? sum(sums) / sums.length : 0;
    });
  });
}

/** Returns the weights of one unit to those of the other side. */
export function weightsOf(weights, side, index) {
  return side === "target" ? weights[index] : weights.map((row) => row[index]);
}

/** Returns the largest weights, at most n of at least 0.05, as {index, weight}. */
export function largest(weights, n = 3) {
  return weights
    .map((weight, index) => ({ index, weight }))
    .filter(({ weight }) => weight >= 0.05)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, n);
}

/** The token that ends a sentence. */
export const endOfSentence = "</s>";

/** Returns a token without "@@", which joins sub-words, and "￭", which stands where there is no space, unless that is all. */
export const visible = (token) => token.replace(/@@$/, "").replace(/^￭(?=.)|(?<=.)￭$/gsu, "");

/** Returns a token, or the span of the source that it stands for if it is a placeholder such as ⟦1⟧. */
export function spanOf(token, source) {
  if (!/^⟦\d+⟧$/.test(token)) return token;
  const place = source.tokens.findIndex((t) => t.token === token);
  return source.words.find(({ tokens }) => tokens[0] === place)?.text ?? token;
}

/** Returns the words of target tokens that are still arriving, of which "@@" joins sub-words. */
export function growingWords(tokens) {
  const words = [];
  let open = false;
  tokens.forEach((token, i) => {
    if (token === endOfSentence) return;
    const text = token.replace(/@@$/, "");
    if (open) {
      words.at(-1).text += text;
      words.at(-1).tokens[1] = i + 1;
    } else {
      words.push({ text, tokens: [i, i + 1] });
    }
    open = token.endsWith("@@");
  });
  return words.map((word) => ({ ...word, text: visible(word.text) }));
}

/** Returns tokens as a line. */
export const lineOf = (tokens) => tokens.filter((token) => token !== endOfSentence).join(" ").replace(/@@( |$)| ￭|￭ /g, "");

/** Returns where words stand in a text, as [from, to). One that is not there has what is between its neighbors. */
export function placesOf(words, text) {
  const lower = text.toLowerCase();
  let end = 0;
  const found = words.map((word) => {
    const from = word === "" ? -1 : lower.indexOf(word.toLowerCase(), end);
    if (from < 0) return undefined;
    end = from + word.length;
    return [from, end];
  });
  end = 0;
  return found.map((place, i) => {
    if (!place) {
      const between = text.slice(end, found.slice(i).find(Boolean)?.[0]);
      const from = end + between.search(/\S|$/);
      place = [from, from + between.trim().length];
    }
    end = place[1];
    return place;
  });
}

const range = (start, end) => Array.from({ length: end - start }, (_, i) => start + i);

const sum = (list) => list.reduce((a, b) => a + b, 0);

"""A naive implementation of byte-pair encoding, which recounts all pairs before every merge.

Follows algorithm 1 of Sennrich, Haddow and Birch (2016) and the documentation of version 0.2
of subword-nmt: "</w>" is part of the last character of a word, the greatest pair wins a tie,
and segments less frequent than a threshold are split into the parts that were merged. Words
are segmented by applying all merges once in order.

    oracle.py DIRECTORY

reads corpus.en and corpus.fr in DIRECTORY and writes the files that TestOracle compares: codes,
and for each language vocabulary, segments and restricted.
"""

import collections
import pathlib
import sys

LANGUAGES = ["en", "fr"]
MERGES = 250
MIN_FREQUENCY = 2
THRESHOLD = 2
END = "</w>"
SEPARATOR = "@@"


def initial(word):
    return (*word[:-1], word[-1] + END)


def apply_merge(symbols, pair):
    out = []
    for symbol in symbols:
        # A symbol that this merge produced cannot be merged again.
        if out and out[-1] == (pair[0], False) and symbol == pair[1]:
            out[-1] = ("".join(pair), True)
        else:
            out.append((symbol, False))
    return tuple(symbol for symbol, _ in out)


def learn(counts):
    words = [(initial(word), n) for word, n in counts.items()]
    codes = []
    while len(codes) < MERGES:
        pairs = collections.Counter()
        for symbols, n in words:
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += n
        best = max(pairs, key=lambda pair: (pairs[pair], pair), default=None)
        if pairs[best] < MIN_FREQUENCY:
            break
        codes.append(best)
        words = [(apply_merge(symbols, best), n) for symbols, n in words]
    return codes


def segment(word, codes):
    """The symbols of a word; the last one ends with END."""
    symbols = initial(word)
    for pair in codes:
        symbols = apply_merge(symbols, pair)
    return symbols


def segment_of(symbol):
    return symbol[: -len(END)] if symbol.endswith(END) else symbol + SEPARATOR


def restrict(symbol, parts, known):
    if segment_of(symbol) in known or symbol not in parts:
        return [symbol]
    left, right = parts[symbol]
    return restrict(left, parts, known) + restrict(right, parts, known)


def save(path, lines):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.writelines(line + "\n" for line in lines)


def main(directory):
    corpus = {}
    for language in LANGUAGES:
        text = (directory / f"corpus.{language}").read_bytes().decode()
        corpus[language] = [line.split(" ") for line in text.rstrip("\n").split("\n")]
    counts = collections.Counter(word for text in corpus.values() for line in text for word in line)
    codes = learn(counts)
    save(directory / "codes", ["#version: 0.2"] + [" ".join(pair) for pair in codes])

    parts = {left + right: (left, right) for left, right in codes}
    symbols = {word: segment(word, codes) for word in counts}
    for language, text in corpus.items():
        segments = [[segment_of(s) for word in line for s in symbols[word]] for line in text]
        save(directory / f"segments.{language}", map(" ".join, segments))

        frequency = collections.Counter(s for line in segments for s in line)
        order = sorted(frequency.items(), key=lambda item: (-item[1], item[0]))
        save(directory / f"vocabulary.{language}", [f"{s} {n}" for s, n in order])

        known = {s for s, n in frequency.items() if n >= THRESHOLD}
        restricted = [
            [segment_of(part) for word in line for s in symbols[word] for part in restrict(s, parts, known)]
            for line in text
        ]
        save(directory / f"restricted.{language}", map(" ".join, restricted))


main(pathlib.Path(sys.argv[1]))

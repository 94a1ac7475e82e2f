"""RNNsearch in PyTorch, by the equations of "go doc model", which trains on any device of PyTorch.

    python3 rnnsearch.py train SOURCE TARGET MODEL [UNITS [EPOCHS]]
    python3 rnnsearch.py score SOURCE TARGET MODEL

Line n of TARGET translates line n of SOURCE; words are separated by spaces. train writes a model file of
softsearch. score prints log p of each target, and its number of words, in float64, as "rnnsearch score"
does.
"""

import collections
import random
import sys

import torch
from torch import nn

import modelfile


def shapes(v, w, e, h, a, l):
    """The names and shapes of the parameters: v source and w target words, e, h, a, l as in go doc model."""
    yield from {"source.embedding": (v, e), "target.embedding": (w, e)}.items()
    for layer in ("encoder.forward", "encoder.backward", "decoder"):
        for gate in ("z", "r", ""):
            yield from {f"{layer}.W{gate}": (h, e), f"{layer}.U{gate}": (h, h), f"{layer}.b{gate}": (h,)}.items()
            if layer == "decoder":
                yield f"{layer}.C{gate}", (h, 2 * h)
    yield from {"decoder.Ws": (h, h), "decoder.bs": (h,), "attention.Wa": (a, h), "attention.Ua": (a, 2 * h)}.items()
    yield from {"attention.va": (a,), "readout.Uo": (2 * l, h), "readout.Vo": (2 * l, e)}.items()
    yield from {"readout.Co": (2 * l, 2 * h), "readout.bo": (2 * l,), "output.Wo": (w, l), "output.b": (w,)}.items()


class RNNsearch(nn.Module):
    def __init__(self, tensors):
        super().__init__()
        self.p = nn.ParameterDict({name.replace(".", "_"): nn.Parameter(torch.tensor(t)) for name, t in tensors.items()})

    def tensors(self):
        return {name.replace("_", "."): t.detach().cpu().numpy() for name, t in self.p.items()}

    def linear(self, x, matrix):
        return x @ self.p[matrix].T

    def gru(self, layer, x, h, c=None):
        def sums(gate, state):
            y = self.linear(x, f"{layer}_W{gate}") + self.linear(state, f"{layer}_U{gate}") + self.p[f"{layer}_b{gate}"]
            return y if c is None else y + self.linear(c, f"{layer}_C{gate}")

        z, r = torch.sigmoid(sums("z", h)), torch.sigmoid(sums("r", h))
        return (1 - z) * h + z * torch.tanh(sums("", r * h))

    def encode(self, layer, x, present, steps):
        h, states = x.new_zeros(x.shape[1], len(self.p[f"{layer}_b"])), {}
        for j in steps:  # where a sentence has no word, the state stays
            h = states[j] = torch.where(present[j, :, None], self.gru(layer, x[j], h), h)
        return torch.stack([states[j] for j in range(len(x))])

    def forward(self, source, present, target):
        """Log p of each target word. source and target are [position][sentence], present says where words are."""
        x, y, steps = self.p["source_embedding"][source], self.p["target_embedding"][target], range(len(source))
        backward = self.encode("encoder_backward", x, present, reversed(steps))
        h = torch.cat([self.encode("encoder_forward", x, present, steps), backward], 2)
        keys, s = self.linear(h, "attention_Ua"), torch.tanh(self.linear(backward[0], "decoder_Ws") + self.p["decoder_bs"])
        before, logs = torch.zeros_like(y[0]), []
        for i in range(len(target)):
            e = torch.tanh(self.linear(s, "attention_Wa") + keys) @ self.p["attention_va"]
            alpha = torch.softmax(e.masked_fill(~present, -torch.inf), 0)
            c = (alpha[:, :, None] * h).sum(0)
            s = self.gru("decoder", before, s, c)
            t = self.linear(s, "readout_Uo") + self.linear(before, "readout_Vo") + self.linear(c, "readout_Co") + self.p["readout_bo"]
            m = t.view(len(t), -1, 2).amax(2)  # maxout over adjacent pairs
            logs.append(torch.log_softmax(self.linear(m, "output_Wo") + self.p["output_b"], 1).gather(1, target[i, :, None])[:, 0])
            before = y[i]
        return torch.stack(logs)


def read(path):
    with open(path, "rb") as f:  # bytes.split keeps the spaces of Unicode within words, as rnnsearch does
        return [[word.decode() for word in line.split()] for line in f]


def batch(sentences, words, device):
    """Ids of sentences with </s> behind them, and which positions they have."""
    ids = {word: i for i, word in enumerate(words)}
    rows = [torch.tensor([ids.get(word, 1) for word in sentence] + [0]) for sentence in sentences]
    present = [torch.ones(len(row), dtype=torch.bool) for row in rows]
    return nn.utils.rnn.pad_sequence(rows).to(device), nn.utils.rnn.pad_sequence(present).to(device)


def train(pairs, path, units=256, epochs=10):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    words = []
    for side in zip(*pairs):
        counts = collections.Counter(word for sentence in side for word in sentence)
        words.append(["</s>", "<unk>"] + [word for word, _ in counts.most_common(30000)])
    sizes = shapes(len(words[0]), len(words[1]), units, units, units, units)
    m = RNNsearch({name: (torch.randn(shape) * shape[-1] ** -0.5).numpy() for name, shape in sizes}).to(device)
    adam = torch.optim.Adam(m.parameters(), 1e-3)
    for epoch in range(epochs):
        random.shuffle(pairs)
        total = 0
        for first in range(0, len(pairs), 80):
            (x, present), (y, counted) = (batch(side, w, device) for side, w in zip(zip(*pairs[first : first + 80]), words))
            loss = -(m(x, present, y) * counted).sum() / y.shape[1]
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(m.parameters(), 1)
            adam.step()
            total += loss.item() * y.shape[1]
        print(f"epoch {epoch + 1}: {total / len(pairs):.4f} nats a sentence", file=sys.stderr)
    modelfile.write(path, m.tensors(), *words)


def score(pairs, path):
    tensors, metadata = modelfile.read(path)
    m = RNNsearch(tensors).double()
    for source, target in pairs:
        x, present = batch([source], metadata["source_vocabulary"], "cpu")
        y, _ = batch([target], metadata["target_vocabulary"], "cpu")
        with torch.no_grad():
            print(f"{m(x, present, y).sum().item():.9f}\t{len(y)}")


if __name__ == "__main__":
    command, source, target, path, *sizes = sys.argv[1:]
    {"train": train, "score": score}[command](list(zip(read(source), read(target))), path, *map(int, sizes))

"""RNNsearch and RNNencdec in float64 with PyTorch's automatic differentiation.

Writes the cases that TestOracle reads: parameters, a batch, and what follows from them by
the equations of Bahdanau, Cho and Bengio (arXiv 1409.0473), section 3.1 and appendix A:

    z = sigmoid(Wz x + Uz h + Cz c + bz)          the encoders have no c
    r = sigmoid(Wr x + Ur h + Cr c + br)
    h~ = tanh(W x + U (r * h) + C c + b)
    h' = (1 - z) * h + z * h~
    s_0 = tanh(Ws <-h_1 + bs)                      RNNencdec: ->h_S in place of <-h_1
    e_j = va . tanh(Wa s_{i-1} + Ua h_j),  alpha = softmax(e),  c_i = sum_j alpha_j h_j
                                                   RNNencdec: c_i = ->h_S
                                                   general: e_j = s_{i-1} . (Wa h_j)
                                                   dot: e_j = s_{i-1} . (->h_j + <-h_j)
    t = Uo s + Vo y_{i-1} + Co c_i + bo            y_{-1} = 0
    p(y_i) = softmax(Wo m + b),  m_j = max(t_{2j}, t_{2j+1})

update-first:  s_i = f(s_{i-1}, y_{i-1}, c_i), the readout sees s_i.
predict-first: the readout sees s_{i-1}, then s_i = f(s_{i-1}, y_i, c_i).

The loss is -log p summed over all words of the batch. An update is Adadelta with rho 0.95
and epsilon 1e-6 on the gradient, scaled to norm 1 where it is larger.

General and dot are equation 8 of Luong, Pham and Manning (arXiv 1508.04025).

    oracle.py --kind search --order update-first --out case.json
    oracle.py --score dot --order predict-first --out case.json
    oracle.py --check case.json ...                compares files with what it computes
"""

import argparse
import json
import os
import random
import sys

import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def shapes(kind, score, s):
    """Names and shapes of the parameters."""
    e, h, a, l = s["embedding"], s["hidden"], s["alignment"], s["maxout"]
    c = 2 * h if kind == "search" else h
    names = {"source.embedding": (s["source_vocab"], e), "target.embedding": (s["target_vocab"], e)}

    def gru(prefix, context):
        for gate in ("", "z", "r"):
            names[prefix + ".W" + gate] = (h, e)
            names[prefix + ".U" + gate] = (h, h)
            if context:
                names[prefix + ".C" + gate] = (h, c)
            names[prefix + ".b" + gate] = (h,)

    gru("encoder.forward", False)
    if kind == "search":
        gru("encoder.backward", False)
    names["decoder.Ws"], names["decoder.bs"] = (h, h), (h,)
    gru("decoder", True)
    if kind == "search" and score == "additive":
        names["attention.Wa"], names["attention.Ua"], names["attention.va"] = (a, h), (a, c), (a,)
    if score == "general":
        names["attention.Wa"] = (h, c)
    names["readout.Uo"], names["readout.Vo"], names["readout.Co"] = (2 * l, h), (2 * l, e), (2 * l, c)
    names["readout.bo"] = (2 * l,)
    names["output.Wo"], names["output.b"] = (s["target_vocab"], l), (s["target_vocab"],)
    return names


def gru(p, name, x, h, c=None):
    def before(gate, state):
        y = p[name + ".W" + gate] @ x + p[name + ".U" + gate] @ state + p[name + ".b" + gate]
        return y if c is None else y + p[name + ".C" + gate] @ c

    z, r = torch.sigmoid(before("z", h)), torch.sigmoid(before("r", h))
    return (1 - z) * h + z * torch.tanh(before("", r * h))


def encode(p, name, words, hidden):
    h, states = torch.zeros(hidden), []
    for w in words:
        h = gru(p, name, p["source.embedding"][w], h)
        states.append(h)
    return states


def scoring(p, score, annotations):
    """The scores of the annotations as a function of the state."""
    if score == "dot":
        forward, backward = annotations.chunk(2, dim=1)
        return lambda s: (forward + backward) @ s
    if score == "general":
        return lambda s: torch.stack([s @ p["attention.Wa"] @ h for h in annotations])
    keys = annotations @ p["attention.Ua"].T
    return lambda s: torch.tanh(keys + p["attention.Wa"] @ s) @ p["attention.va"]


def sentence(p, kind, order, score, hidden, source, target):
    """Log-probabilities of the target words, and alpha of each."""
    forward = encode(p, "encoder.forward", source, hidden)
    if kind == "search":
        backward = encode(p, "encoder.backward", source[::-1], hidden)[::-1]
        annotations = torch.stack([torch.cat(pair) for pair in zip(forward, backward)])
        scores = scoring(p, score, annotations)
        summary = backward[0]
    else:
        summary = forward[-1]
    s = torch.tanh(p["decoder.Ws"] @ summary + p["decoder.bs"])
    previous = torch.zeros(p["target.embedding"].shape[1])
    logs, weights = [], []
    for word in target:
        if kind == "search":
            alpha = torch.softmax(scores(s), 0)
            weights.append(alpha)
            c = alpha @ annotations
        else:
            c = summary
        if order == "update-first":
            s = gru(p, "decoder", previous, s, c)
        t = p["readout.Uo"] @ s + p["readout.Vo"] @ previous + p["readout.Co"] @ c + p["readout.bo"]
        m = t.reshape(-1, 2).amax(1)
        logs.append(torch.log_softmax(p["output.Wo"] @ m + p["output.b"], 0)[word])
        previous = p["target.embedding"][word]
        if order == "predict-first":
            s = gru(p, "decoder", previous, s, c)
    return torch.stack(logs), weights


def run(case):
    """Adds the results to a case of kind, order, score, sizes, source, target and parameters."""
    kind, order, hidden = case["kind"], case["order"], case["sizes"]["hidden"]
    score = case.get("score", "additive")
    p = {name: torch.tensor(v, requires_grad=True) for name, v in case["parameters"].items()}
    adadelta = torch.optim.Adadelta(p.values(), lr=1, rho=0.95, eps=1e-6)

    def results():
        return [sentence(p, kind, order, score, hidden, x, y) for x, y in zip(case["source"], case["target"])]

    def values(of=lambda t: t):
        return {name: of(t).tolist() for name, t in p.items()}

    for update in range(4):
        adadelta.zero_grad()
        batch = results()
        loss = -sum(logs.sum() for logs, _ in batch)
        if update == 3:
            case["loss_after_3_updates"] = loss.item()
            return case
        loss.backward()
        for t in p.values():
            if t.grad is None:
                t.grad = torch.zeros_like(t)
        norm = torch.sqrt(sum((t.grad**2).sum() for t in p.values()))
        if update == 0:
            case["log_probabilities"] = [logs.tolist() for logs, _ in batch]
            case["attention"] = [[alpha.tolist() for alpha in weights] for _, weights in batch]
            case["loss"], case["gradient_norm"] = loss.item(), norm.item()
            case["gradients"] = values(lambda t: t.grad)
        if norm > 1:
            for t in p.values():
                t.grad /= norm
        adadelta.step()
        if update != 1:
            case["parameters_after_%d_updates" % (update + 1)] = values()


def new_case(a):
    """A case of random parameters, rounded so that few digits write them exactly, and words."""
    rng = random.Random(a.seed)
    keys = ("source_vocab", "target_vocab", "embedding", "hidden", "alignment", "maxout")
    sizes = {key: getattr(a, key) for key in keys}
    if a.score != "additive":
        sizes["alignment"] = a.hidden

    def value(shape):
        if not shape:
            return round(rng.gauss(0, a.deviation), 3)
        return [value(shape[1:]) for _ in range(shape[0])]

    def sentences(longest, vocabulary):
        lengths = [longest, 1] + [rng.randint(1, longest) for _ in range(a.sentences)]
        lengths = lengths[: a.sentences]
        rng.shuffle(lengths)
        return [[rng.randrange(vocabulary) for _ in range(n)] for n in lengths]

    score = {} if a.score == "additive" else {"score": a.score}
    return {
        "case": " ".join([a.kind, a.order, *score.values(), "seed %d" % a.seed]),
        "kind": a.kind,
        "order": a.order,
        **score,
        "sizes": sizes,
        "source": sentences(a.source_length, a.source_vocab),
        "target": sentences(a.target_length, a.target_vocab),
        "parameters": {name: value(shape) for name, shape in shapes(a.kind, a.score, sizes).items()},
    }


def rounded(v, digits):
    if isinstance(v, float):
        return float("%.*g" % (digits, v))
    if isinstance(v, list):
        return [rounded(x, digits) for x in v]
    if isinstance(v, dict):
        return {key: rounded(x, digits) for key, x in v.items()}
    return v


def differences(got, want):
    """Pairs of the numbers of two structures of the same form."""
    if isinstance(want, dict):
        if got.keys() != want.keys():
            raise ValueError("keys %s, expected %s" % (sorted(got), sorted(want)))
        for key in want:
            yield from differences(got[key], want[key])
    elif isinstance(want, list):
        if len(got) != len(want):
            raise ValueError("length %d, expected %d" % (len(got), len(want)))
        for x, y in zip(got, want):
            yield from differences(x, y)
    elif isinstance(want, str):
        if got != want:
            raise ValueError("%r, expected %r" % (got, want))
    else:
        yield abs(got - want)


def check(paths, bound):
    """Exits with an error unless each file agrees with what run makes of its inputs."""
    failed = False
    for path in paths:
        with open(path) as f:
            want = json.load(f)
        given = ("case", "kind", "order", "score", "sizes", "source", "target", "parameters")
        all_differences = list(differences(run({key: want[key] for key in given if key in want}), want))
        print("%s: largest difference %.3g" % (path, max(all_differences)))
        failed = failed or not all(d <= bound for d in all_differences)  # NaN is not within the bound
    sys.exit(1 if failed else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", nargs="+", metavar="FILE")
    parser.add_argument("--bound", type=float, default=1e-9, help="on the absolute difference, for --check")
    parser.add_argument("--kind", choices=("search", "encdec"), default="search")
    parser.add_argument("--order", choices=("update-first", "predict-first"), default="update-first")
    parser.add_argument("--score", choices=("additive", "dot", "general"), default="additive")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source-vocab", type=int, default=11)
    parser.add_argument("--target-vocab", type=int, default=11)
    parser.add_argument("--embedding", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=5)
    parser.add_argument("--alignment", type=int, default=6, help="of the additive score; the others have --hidden")
    parser.add_argument("--maxout", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=3)
    parser.add_argument("--source-length", type=int, default=4)
    parser.add_argument("--target-length", type=int, default=5)
    parser.add_argument("--deviation", type=float, default=0.4, help="standard deviation of the parameters")
    parser.add_argument("--digits", type=int, default=17, help="significant digits of the results")
    parser.add_argument("--out", metavar="FILE")
    a = parser.parse_args()
    if a.check:
        check(a.check, a.bound)
    if not a.out:
        parser.error("--out or --check is required")
    if a.kind == "encdec" and a.score != "additive":
        parser.error("--kind encdec has no --score")
    case = rounded(run(new_case(a)), a.digits)
    with open(a.out + ".new", "w") as f:
        json.dump(case, f, separators=(",", ":"))
        f.write("\n")
    os.replace(a.out + ".new", a.out)


if __name__ == "__main__":
    main()

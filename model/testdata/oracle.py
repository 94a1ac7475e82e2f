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

A case may have a recipe. In an update, and nowhere else, embeddings x and y, annotations and m
are multiplied elementwise with masks of 0 and 1/(1-p): those of words have one mask for each
occurrence, annotations one for each sentence, which c, the keys and s_0 all see. The update then
minimizes -sum_v q_v log p_v over all words v of V, q_v = e/V plus 1-e for the word that is right.
A mask is a function of the seed, the number of the update, its place, and the number of the
sentence or, sentence after sentence, of the word: see mask.

A case may have links: for each sentence, positions of a target word and of a source word in turn. With a
guided_alignment of g in its recipe an update also minimizes -g log(sum_{j in A_i} alpha_ij / |A_i|), summed
over the target words i that have links, to the source words A_i.

    oracle.py --kind search --order update-first --out case.json
    oracle.py --score dot --order predict-first --out case.json
    oracle.py --dropout 0.2 0.3 0.4 --label-smoothing 0.1 --recipe-seed 5 --out case.json
    oracle.py --guided-alignment 0.5 --out case.json
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


SOURCE, TARGET, ANNOTATIONS, MAXOUT = range(4)


def split_mix(state):
    """The output of SplitMix64 in that state."""
    z = (state + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def mask(recipe, update, place, number, n):
    """n factors: column 2i and 2i+1 of the low and high 32 bits of one output."""
    key = split_mix(split_mix(split_mix(recipe["seed"]) ^ update) ^ place)
    state, factors = split_mix(key ^ number), []
    dropout = recipe["dropout"]
    p = [dropout["embedding"], dropout["embedding"], dropout["context"], dropout["readout"]][place]
    for column in range(n):
        output = split_mix((state + column // 2 * 0x9E3779B97F4A7C15) % 2**64)
        bits = output >> 32 if column % 2 else output % 2**32
        factors.append(0 if bits < int(p * 2**32) else 1 / (1 - p))
    return torch.tensor(factors, dtype=torch.float64)


def dropout(recipe, update):
    """What an update makes of values of a place, by their number."""
    return lambda x, place, number: x * mask(recipe, update, place, number, len(x))


def unchanged(x, place, number):
    return x


def encode(p, name, inputs, hidden):
    h, states = torch.zeros(hidden), []
    for x in inputs:
        h = gru(p, name, x, h)
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


def sentence(p, kind, order, score, hidden, source, target, drop, number, source_number, target_number):
    """Log-probabilities of all words at the positions of the target, and alpha of each.

    The numbers are those of the sentence and of its first words in the batch.
    """
    inputs = [drop(p["source.embedding"][w], SOURCE, source_number + j) for j, w in enumerate(source)]
    forward = encode(p, "encoder.forward", inputs, hidden)
    if kind == "search":
        backward = encode(p, "encoder.backward", inputs[::-1], hidden)[::-1]
        annotations = torch.stack([drop(torch.cat(pair), ANNOTATIONS, number) for pair in zip(forward, backward)])
        scores = scoring(p, score, annotations)
        summary = annotations[0][hidden:]
    else:
        summary = drop(forward[-1], ANNOTATIONS, number)
    s = torch.tanh(p["decoder.Ws"] @ summary + p["decoder.bs"])
    previous = torch.zeros(p["target.embedding"].shape[1])
    logs, weights = [], []
    for i, word in enumerate(target):
        if kind == "search":
            alpha = torch.softmax(scores(s), 0)
            weights.append(alpha)
            c = alpha @ annotations
        else:
            c = summary
        if order == "update-first":
            s = gru(p, "decoder", previous, s, c)
        t = p["readout.Uo"] @ s + p["readout.Vo"] @ previous + p["readout.Co"] @ c + p["readout.bo"]
        m = drop(t.reshape(-1, 2).amax(1), MAXOUT, target_number + i)
        logs.append(torch.log_softmax(p["output.Wo"] @ m + p["output.b"], 0))
        previous = drop(p["target.embedding"][word], TARGET, target_number + i)
        if order == "predict-first":
            s = gru(p, "decoder", previous, s, c)
    return torch.stack(logs), weights


def run(case):
    """Adds the results to a case of kind, order, score, sizes, source, target, parameters, recipe."""
    kind, order, hidden = case["kind"], case["order"], case["sizes"]["hidden"]
    score = case.get("score", "additive")
    p = {name: torch.tensor(v, requires_grad=True) for name, v in case["parameters"].items()}
    adadelta = torch.optim.Adadelta(p.values(), lr=1, rho=0.95, eps=1e-6)

    recipe = case.get("recipe")

    def results(drop):
        """For each sentence log p of its words, of all words, and alpha."""
        batch, words, targets = [], 0, 0
        for i, (x, y) in enumerate(zip(case["source"], case["target"])):
            logs, weights = sentence(p, kind, order, score, hidden, x, y, drop, i, words, targets)
            batch.append((logs[range(len(y)), y], logs, weights))
            words, targets = words + len(x), targets + len(y)
        return batch

    def loss_of(batch):
        return -sum(gold.sum() for gold, _, _ in batch)

    def smoothed(batch, epsilon):
        return (1 - epsilon) * loss_of(batch) - epsilon * sum(logs.mean(1).sum() for _, logs, _ in batch)

    def guided(batch):
        cost = 0
        for (_, _, weights), links in zip(batch, case["links"]):
            for i, alpha in enumerate(weights):
                linked = [j for at, j in zip(links[::2], links[1::2]) if at == i]
                if linked:
                    cost = cost - torch.log(alpha[linked].sum() / len(linked))
        return cost

    def values(of=lambda t: t):
        return {name: of(t).tolist() for name, t in p.items()}

    for update in range(4):
        adadelta.zero_grad()
        batch = results(unchanged)
        loss = aim = loss_of(batch)
        if update == 3:
            case["loss_after_3_updates"] = loss.item()
            return case
        if recipe:
            training = results(dropout(recipe, update))
            case.setdefault("update_losses", []).append(loss_of(training).item())
            aim = smoothed(training, recipe["label_smoothing"])
            if "guided_alignment" in recipe:
                aim = aim + recipe["guided_alignment"] * guided(training)
        aim.backward()
        for t in p.values():
            if t.grad is None:
                t.grad = torch.zeros_like(t)
        norm = torch.sqrt(sum((t.grad**2).sum() for t in p.values()))
        if update == 0:
            case["log_probabilities"] = [gold.tolist() for gold, _, _ in batch]
            case["attention"] = [[alpha.tolist() for alpha in weights] for _, _, weights in batch]
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
    case = {
        "case": " ".join([a.kind, a.order, *score.values(), "seed %d" % a.seed]),
        "kind": a.kind,
        "order": a.order,
        **score,
        "sizes": sizes,
        "source": sentences(a.source_length, a.source_vocab),
        "target": sentences(a.target_length, a.target_vocab),
        "parameters": {name: value(shape) for name, shape in shapes(a.kind, a.score, sizes).items()},
    }
    if a.dropout or a.label_smoothing:
        p = (a.dropout + 3 * [0])[:3]
        case["recipe"] = {
            "dropout": {"embedding": p[0], "context": p[1], "readout": p[2]},
            "label_smoothing": a.label_smoothing,
            "seed": a.recipe_seed,
        }
    if a.guided_alignment:
        case.setdefault("recipe", {"dropout": dict.fromkeys(("embedding", "context", "readout"), 0), "label_smoothing": 0, "seed": 0})
        case["recipe"]["guided_alignment"] = a.guided_alignment
        case["links"] = [
            [at for i in range(len(y)) for j in range(len(x)) if rng.random() < 0.5 for at in (i, j)]
            for x, y in zip(case["source"], case["target"])
        ]
    return case


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
        given = ("case", "kind", "order", "score", "sizes", "source", "target", "parameters", "recipe", "links")
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
    parser.add_argument("--dropout", nargs=3, type=float, default=[], metavar="P", help="of embeddings, context and readout")
    parser.add_argument("--label-smoothing", type=float, default=0)
    parser.add_argument("--guided-alignment", type=float, default=0, metavar="WEIGHT")
    parser.add_argument("--recipe-seed", type=int, default=0)
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

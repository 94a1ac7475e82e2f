"""Writes golden.json: modules of torch.nn, and what they compute of random inputs.

    python3 golden.py > golden.json
"""

import json

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

torch.manual_seed(1409)
LENGTHS = [6, 4, 4, 1]


def values(tensor):
    return {"shape": list(tensor.shape), "values": [float(f"{v:.9g}") for v in tensor.flatten().tolist()]}


def rounded(tensor):
    """Multiples of 1/256, which have few digits."""
    return torch.round(tensor * 256) / 256


def random(*shape):
    return rounded(torch.randn(*shape))


def case(module, *inputs, call=None):
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(rounded(p))
        outputs = (call or module)(*inputs)
    if not isinstance(outputs, tuple):
        outputs = (outputs,)
    return {
        "module": str(module),
        "state": {name: values(p) for name, p in module.state_dict().items()},
        "inputs": [values(x) for x in inputs],
        "outputs": [values(y) for y in outputs],
    }


def layers(module, inputs):
    """Over sequences of LENGTHS: the states of all positions, time-major without padding, and the last ones."""
    sizes = torch.tensor([sum(n > t for n in LENGTHS) for t in range(LENGTHS[0])])

    def call(x):
        states, last = module(PackedSequence(x, sizes))
        return (states.data, *(last if isinstance(last, tuple) else (last,)))

    return case(module, random(sum(LENGTHS), inputs), call=call)


def cell(module):
    return case(module, random(2, 3), random(2, 5), random(2, 5), call=lambda x, h, c: module(x, (h, c)))


cases = [
    layers(nn.GRU(3, 5), 3),
    layers(nn.GRU(3, 5, num_layers=2, bidirectional=True), 3),
    layers(nn.GRU(4, 3, num_layers=3, bias=False), 4),
    layers(nn.LSTM(3, 5), 3),
    layers(nn.LSTM(3, 5, num_layers=2, bidirectional=True), 3),
    layers(nn.LSTM(4, 3, num_layers=3, bias=False), 4),
    case(nn.GRUCell(3, 5), random(2, 3), random(2, 5)),
    cell(nn.LSTMCell(3, 5)),
    case(nn.Linear(5, 3), random(2, 5)),
    case(nn.Linear(5, 1, bias=False), random(2, 5)),
    case(nn.Conv1d(2, 3, 4, stride=2), random(1, 2, 9)),
    case(nn.Embedding(4, 3), torch.tensor([2, 0, 2])),
    case(nn.LayerNorm(7), random(2, 7)),
]
print("[" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "]")

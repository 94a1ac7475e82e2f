"""Measures PyTorch, in the names and the format of the Go benchmarks:

    torch_peers.py OPERATION,... THREADS SECONDS

runs the operations that have that number of threads, each for about that time, with all sizes where SOFTSEARCH_TEST is full.
Without arguments it reads names of benchmarks, a line each, and prints what they compute as lists in JSON.

impl=torch has the products, which PyTorch hands to its BLAS, layers, the decoder step and the training update, torch-avx2 or
torch-avx512, after the instruction set that PyTorch uses, the functions. weights=int8 is dynamic quantization by oneDNN:
every torch.nn.Linear, GRU and LSTM has weights of int8 and quantizes its inputs. precision=bf16 casts the forward pass
automatically to bfloat16.
"""

import json
import mmap
import os
import sys
import time
import zlib

import numpy
import torch

COMPARED_UPDATES = 4
STEPS = 50  # of a layer
WORDS, SENTENCES = 25, 80
HUGE_PAGE = 2 << 20


def memory(count):
    """Returns that many zeros on huge pages."""
    size = -(-4 * count // HUGE_PAGE) * HUGE_PAGE
    pages = mmap.mmap(-1, size + HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages.madvise(mmap.MADV_HUGEPAGE)
    values = numpy.frombuffer(pages, numpy.float32)
    skip = -values.ctypes.data % HUGE_PAGE // 4
    return values[skip:skip + count]


def uniform(name, limit, *shape):
    """Returns the values of uniform in agree_test.go."""
    count = int(numpy.prod(shape))
    z = numpy.arange(count, dtype=numpy.uint64) + numpy.uint64((zlib.crc32(name.encode()) << 32) + 1)
    z *= numpy.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
    z ^= z >> numpy.uint64(31)
    u = (z >> numpy.uint64(40)).astype(numpy.float32) / numpy.float32(1 << 24)
    x = memory(count)
    x[:] = numpy.float32(limit) * (2 * u - 1)
    return torch.from_numpy(x).view(shape)


def zeros(*shape):
    return torch.from_numpy(memory(int(numpy.prod(shape)))).view(shape)


def weights(source, units, vocabulary, embedding, maxout):
    """Returns the parameters of newModel in agree_test.go by their names, for that many source words."""
    v, e, h, l = vocabulary, embedding, units, maxout
    shapes = {
        "source.embedding": (source, e), "target.embedding": (v, e),
        "decoder.Ws": (h, h), "decoder.bs": (h,),
        "attention.Wa": (h, h), "attention.Ua": (h, 2 * h), "attention.va": (h,),
        "readout.Uo": (2 * l, h), "readout.Vo": (2 * l, e), "readout.Co": (2 * l, 2 * h), "readout.bo": (2 * l,),
        "output.Wo": (v, l), "output.b": (v,),
    }
    for gate in ("z", "r", ""):
        for gru in ("encoder.forward", "encoder.backward", "decoder"):
            shapes[gru + ".W" + gate], shapes[gru + ".U" + gate], shapes[gru + ".b" + gate] = (h, e), (h, h), (h,)
        shapes["decoder.C" + gate] = (h, 2 * h)

    def limit(name):
        shape = shapes[name]
        return 0.1 if len(shape) == 1 else 1 if name.endswith(".embedding") else (3 / shape[1]) ** 0.5

    return {name: uniform(name, limit(name), *shape) for name, shape in shapes.items()}


class Search(torch.nn.Module):
    """An RNNsearch of order update-first that decodes one sentence.

    Matrices that read the same values are stacked, and the annotations are projected once a sentence:
    keys for the scores, values for the sums of gates and readout.
    """

    def __init__(self, w, units, maxout):
        super().__init__()
        self.units, self.maxout = units, maxout
        self.source, self.target = w["source.embedding"], w["target.embedding"]
        self.va = w["attention.va"]

        def gru(name):
            inputs = linear(w, [name + ".Wz", name + ".Wr", name + ".W"], [name + ".bz", name + ".br", name + ".b"])
            return torch.nn.ModuleList([inputs, linear(w, [name + ".Uz", name + ".Ur"]), linear(w, [name + ".U"])])

        self.forwards, self.backwards = gru("encoder.forward"), gru("encoder.backward")
        self.initial = linear(w, ["decoder.Ws"], ["decoder.bs"])
        self.keys = linear(w, ["attention.Ua"])
        self.values = linear(w, ["decoder.Cz", "decoder.Cr", "decoder.C", "readout.Co"])
        self.query = linear(w, ["attention.Wa"])
        self.previous = linear(w,
            ["decoder.Wz", "decoder.Wr", "decoder.W", "readout.Vo"], ["decoder.bz", "decoder.br", "decoder.b", "readout.bo"])
        self.gates, self.candidate = linear(w, ["decoder.Uz", "decoder.Ur"]), linear(w, ["decoder.U"])
        self.readout, self.output = linear(w, ["readout.Uo"]), linear(w, ["output.Wo"], ["output.b"])

    def advance(self, sums, state, gates, candidate):
        """Returns the next states of a GRU from the sums of its other inputs."""
        h = self.units
        z, r = torch.sigmoid(sums[:, :2 * h] + gates(state)).split(h, 1)
        return torch.lerp(state, torch.tanh(sums[:, 2 * h:3 * h] + candidate(r * state)), z)

    def encode(self, layers, inputs):
        """Returns the states of one direction."""
        project, gates, candidate = layers
        state, states = torch.zeros(1, self.units), []
        for row in project(inputs).split(1):
            state = self.advance(row, state, gates, candidate)
            states.append(state)
        return torch.cat(states)

    def begin(self, words):
        """Encodes a sentence and returns the first state."""
        inputs = self.source[words]
        forwards, backwards = self.encode(self.forwards, inputs), self.encode(self.backwards, inputs.flip(0)).flip(0)
        annotations = torch.cat([forwards, backwards], 1)
        self.h_keys, self.h_values = self.keys(annotations), self.values(annotations)
        return torch.tanh(self.initial(backwards[:1]))

    def forward(self, state, embedding):
        """Returns the next states and the scores of all words."""
        scores = torch.tanh(self.query(state).unsqueeze(1) + self.h_keys) @ self.va
        sums = torch.addmm(self.previous(embedding), torch.softmax(scores, 1), self.h_values)
        state = self.advance(sums, state, self.gates, self.candidate)
        readout = sums[:, 3 * self.units:] + self.readout(state)
        return state, self.output(readout.view(-1, self.maxout, 2).amax(2))


class Training(Search):
    """The loss of an RNNsearch, for sentences of one length.

    The projections of all embeddings and the readout of all positions are one product each. A step of
    the decoder projects its context, as that moves less memory than sums of projected annotations do.
    """

    def __init__(self, w, units, maxout):
        super().__init__(w, units, maxout)
        self.contexts = linear(w, ["decoder.Cz", "decoder.Cr", "decoder.C"])
        self.context_readout = linear(w, ["readout.Co"])
        del self.values
        for name in ("source", "target", "va"):
            setattr(self, name, torch.nn.Parameter(getattr(self, name)))
        self.requires_grad_()

    def encode(self, layers, inputs):
        """Returns the states of one direction: positions, sentences, units."""
        project, gates, candidate = layers
        inputs = project(inputs)
        state, states = inputs.new_zeros(inputs.shape[1], self.units), []
        for row in inputs.unbind():
            state = self.advance(row, state, gates, candidate)
            states.append(state)
        return torch.stack(states)

    def forward(self, sources, targets):
        """Returns -log p of the targets, summed. Both have a column for each sentence."""
        functional = torch.nn.functional
        inputs = functional.embedding(sources, self.source)
        forwards, backwards = self.encode(self.forwards, inputs), self.encode(self.backwards, inputs.flip(0)).flip(0)
        annotations = torch.cat([forwards, backwards], 2).transpose(0, 1).contiguous()
        keys, va = self.keys(annotations), self.va.to(annotations.dtype)
        state, states, contexts = torch.tanh(self.initial(backwards[0])), [], []
        previous = functional.pad(functional.embedding(targets[:-1], self.target), (0, 0, 0, 0, 1, 0))
        sums, readout = self.previous(previous).split([3 * self.units, 2 * self.maxout], 2)
        for row in sums.unbind():
            scores = torch.tanh(self.query(state).unsqueeze(1) + keys) @ va
            alignment = torch.softmax(scores, 1).to(annotations.dtype)
            context = torch.bmm(alignment.unsqueeze(1), annotations).squeeze(1)
            state = self.advance(row + self.contexts(context), state, self.gates, self.candidate)
            states.append(state)
            contexts.append(context)
        readout = readout + self.readout(torch.stack(states)) + self.context_readout(torch.stack(contexts))
        scores = self.output(readout.unflatten(2, (self.maxout, 2)).max(3)[0])
        return functional.cross_entropy(scores.flatten(0, 1).float(), targets.flatten(), reduction="sum")


def linear(w, matrices, biases=()):
    """Returns a layer of stacked matrices."""
    matrix = stack([w[name] for name in matrices])
    layer = torch.nn.Linear(matrix.shape[1], matrix.shape[0], bias=bool(biases), device="meta")
    layer.weight = torch.nn.Parameter(matrix, requires_grad=False)
    if biases:
        layer.bias = torch.nn.Parameter(stack([w[name] for name in biases]), requires_grad=False)
    return layer


def stack(tensors):
    """Returns tensors one below the other, on huge pages."""
    result = zeros(sum(len(t) for t in tensors), *tensors[0].shape[1:])
    return torch.cat(tensors, out=result)


def decoder_step(quantized, batch, source, **sizes):
    """Returns a function that extends hypotheses by a word and one that returns log p of all words."""
    model = Search(weights(source, **sizes), sizes["units"], sizes["maxout"]).eval()
    if quantized:
        torch.backends.quantized.engine = "onednn"
        model = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    words = torch.arange(1, source + 1) % source
    state, scores = model(model.begin(words), torch.zeros(1, sizes["embedding"]))
    state, next = state.repeat(batch, 1), torch.arange(1, batch + 1)

    def run():
        nonlocal state, scores
        state, scores = model(state, model.target[next])

    return run, lambda: torch.log_softmax(scores, 1)


def recurrent_layer(cell, quantized, batch, source, units):
    """Returns a function that runs a layer and one that returns the states of all steps."""
    layer = cell(units, units)
    for name, parameter in layer.named_parameters():
        parameter.data = uniform(name, units**-0.5, *parameter.shape)
    if quantized:
        torch.backends.quantized.engine = "onednn"
        layer = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(layer), {cell}, dtype=torch.qint8)
    x, states = uniform("X", 1, source, batch, units), None

    def run():
        nonlocal states
        states, _ = layer(x)

    return run, lambda: states


def training_update(bf16, batch, source, threads=1, **sizes):
    """Returns a function that takes one step of Adadelta and one that returns the losses before the first steps."""
    with torch.enable_grad():
        model = Training(weights(sizes["vocabulary"], **sizes), sizes["units"], sizes["maxout"])
    parameters = list(model.parameters())
    optimizer = torch.optim.Adadelta(parameters, lr=1, rho=0.95, eps=1e-6)
    words = torch.arange(batch * source).view(batch, source).t().contiguous()
    pairs = [1 + words * factor % (sizes["vocabulary"] - 1) for factor in (7919, 104729)]
    for sentences in pairs:
        sentences[-1] = 0
    losses = []

    def run():
        optimizer.zero_grad(set_to_none=True)
        with torch.enable_grad(), torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            loss = model(*pairs)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1)
        optimizer.step()
        losses.append(loss.item())

    def result():
        while len(losses) < COMPARED_UPDATES:
            run()
        return torch.tensor(losses)

    return run, result


def prepare(op, batch=1, rows=0, cols=0, n=0):
    """Returns a function that does the operation once and the tensor that it writes."""
    if op == "Gemv":
        w, x, y = uniform("W", 1, rows, cols), uniform("X", 1, cols), zeros(rows)
        return lambda: torch.mv(w, x, out=y), y
    if op == "Gemm":
        w, x, y = uniform("W", 1, rows, cols).t(), uniform("X", 1, batch, cols), zeros(batch, rows)
        return lambda: torch.mm(x, w, out=y), y
    if op == "GemmInput":
        w, dy, dx = uniform("W", 1, rows, cols), uniform("DY", 1, batch, rows), zeros(batch, cols)
        return lambda: torch.mm(dy, w, out=dx), dx
    if op == "GemmGrad":
        dw, dy, x = uniform("W", 1, rows, cols), uniform("DY", 1, batch, rows).t(), uniform("X", 1, batch, cols)
        return lambda: dw.addmm_(dy, x), dw
    x, y = uniform("source", 4, n), zeros(n)
    if op == "Softmax":
        return lambda: torch._softmax(x, 0, False, out=y), y
    function = {"Tanh": torch.tanh, "Sigmoid": torch.sigmoid, "Exp": torch.exp}[op]
    return lambda: function(x, out=y), y


def capability():
    """Returns the instruction set of PyTorch's own loops."""
    for line in torch.__config__.show().splitlines():
        if "CPU capability usage:" in line:
            return line.split()[-1].lower()
    return "default"


SIZES = {  # the sizes of tables, the small ones first
    "Gemv": ["rows=256/cols=256", "rows=1000/cols=1000", "rows=3000/cols=1000", "rows=3000/cols=2000", "rows=30000/cols=500"],
    "Gemm": ["batch=12/rows=3000/cols=1000", "batch=80/rows=768/cols=256", "batch=80/rows=3000/cols=1000",
             "batch=80/rows=30000/cols=500", "batch=2000/rows=3000/cols=620"],
    "GemmInput": ["batch=80/rows=768/cols=256", "batch=2000/rows=3000/cols=620"],
    "GemmGrad": ["batch=2000/rows=768/cols=256", "batch=2000/rows=3000/cols=620"],
    "Tanh": ["n=1024"], "Sigmoid": ["n=1024"], "Exp": ["n=1024"], "Softmax": ["n=50", "n=30000"],
    "Layer": ["weights=%s/cell=%s/units=%d/batch=%d" % (w, c, u, b)
              for c in ("gru", "lstm") for u in (256, 1024) for b in (1, 16) for w in ("float32", "int8")],
    "DecoderStep": ["weights=%s/sizes=%s/threads=1/batch=%d" % (w, s, b)
                    for s in ("small", "paper") for b in (1, 12) for w in ("float32", "int8")],
    "TrainingUpdate": ["sizes=%s/threads=%d%s" % (s, t, p) for s in ("small", "paper") for t in (1, 2) for p in ("", "/precision=bf16")],
}
MODELS = {
    "small": dict(units=256, vocabulary=8000, embedding=256, maxout=256),
    "paper": dict(units=1000, vocabulary=30000, embedding=620, maxout=500),
}


def operation(name):
    """Returns a function that does the operation of a benchmark once and one that returns its result."""
    op, *parts = name.split("/")
    values = dict(part.split("=") for part in parts)
    quantized = values.pop("weights", "") == "int8"
    bf16 = values.pop("precision", "") == "bf16"
    cell = values.pop("cell", "")
    model = MODELS.get(values.pop("sizes", ""), {})
    sizes = {**model, **{key: int(value) for key, value in values.items()}}
    if op == "DecoderStep":
        sizes.pop("threads", 1)
        return decoder_step(quantized, **{"source": WORDS, **sizes})
    if op == "Layer":
        return recurrent_layer({"gru": torch.nn.GRU, "lstm": torch.nn.LSTM}[cell], quantized, **{"source": STEPS, **sizes})
    if op == "TrainingUpdate":
        return training_update(bf16, **{"source": WORDS, "batch": SENTENCES, **sizes})
    run, result = prepare(op, **sizes)
    return run, lambda: result


def measure(run, seconds):
    """Returns how often run fits into that time, at least once, and the nanoseconds that it takes."""
    def timed(n):
        start = time.perf_counter_ns()
        for _ in range(n):
            run()
        return max(1, time.perf_counter_ns() - start) / n

    fits = lambda one: max(1, int(seconds * 1e9 / one))
    run()
    one = timed(1)
    one = timed(-(-fits(one) // 8))
    n = fits(one)
    return n, timed(n)


def bench(operations, threads, seconds):
    int8 = "onednn" in torch.backends.quantized.supported_engines
    for op in operations.split(","):
        functions = op in ("Tanh", "Sigmoid", "Exp", "Softmax")
        for sizes in SIZES[op]:
            large = "paper" in sizes or "1024/" in sizes or "batch=2000/rows=3000" in sizes or "30000/cols" in sizes
            if ("threads=" in sizes and "threads=%d" % threads not in sizes or "int8" in sizes and not int8
                    or large and os.environ.get("SOFTSEARCH_TEST") != "full"):
                continue
            n, ns = measure(operation(op + "/" + sizes)[0], seconds)
            name = "torch-" + capability() if functions else "torch"
            print("Benchmark%s/impl=%s/%s %d %.5g ns/op" % (op, name, sizes, n, ns), flush=True)


def main():
    torch.set_grad_enabled(False)
    if len(sys.argv) > 1:
        torch.set_num_threads(int(sys.argv[2]))
        bench(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
        return
    torch.set_num_threads(1)
    for line in sys.stdin:
        run, result = operation(line.strip())
        run()
        print(json.dumps(result().flatten().tolist()), flush=True)


main()

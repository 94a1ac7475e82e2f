"""Runs the cases of suite with PyTorch on one thread, by the protocol of package wire.

The contender torch has the products, which PyTorch hands to its BLAS, and torch-avx2 or
torch-avx512, after the instruction set that PyTorch uses, the functions.
"""

import mmap
import sys
import time

import numpy
import torch

WARM_UP = 8
HUGE_PAGE = 2 << 20
STREAMS = {name: i + 1 for i, name in enumerate("W X DY source".split())}


def memory(count):
    """Returns that many zeros on huge pages."""
    size = -(-4 * count // HUGE_PAGE) * HUGE_PAGE
    pages = mmap.mmap(-1, size + HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages.madvise(mmap.MADV_HUGEPAGE)
    values = numpy.frombuffer(pages, numpy.float32)
    skip = -values.ctypes.data % HUGE_PAGE // 4
    return values[skip:skip + count]


def uniform(stream, limit, *shape):
    """Returns the values of suite.Uniform."""
    count = int(numpy.prod(shape))
    z = numpy.arange(count, dtype=numpy.uint64) + numpy.uint64((STREAMS[stream] << 32) + 1)
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


class Worker:
    def __init__(self):
        functions = "torch-" + capability()
        self.names = dict.fromkeys(("Gemv", "Gemm", "GemmInput", "GemmGrad"), "torch")
        self.names.update(dict.fromkeys(("Tanh", "Sigmoid", "Exp", "Softmax"), functions))
        self.case = None

    def answer(self, command, case=None, name=None, nanoseconds=None):
        if command == "facts":
            return "torch: %s\nok" % torch.__version__
        op, *sizes = case.split("/")
        offered = self.names.get(op)
        if command == "contenders":
            return " ".join(["ok"] + [offered] * (offered is not None))
        if name is None or name != offered:
            raise ValueError("%s has no %s" % (name, case))
        if case != self.case or command == "result":
            pairs = (size.split("=") for size in sizes)
            self.run, self.result = prepare(op, **{key: int(value) for key, value in pairs})
            self.case, self.one = case, None
        if command == "result":
            self.run()
            return " ".join(["ok"] + [repr(v) for v in self.result.flatten().tolist()])
        return "ok %d %d" % self.measure(int(nanoseconds))

    def measure(self, nanoseconds):
        """Does what wire.stopwatch does."""
        if self.one is None:
            self.time(1)
        if self.one < nanoseconds:
            self.time(self.fits(nanoseconds / WARM_UP))
        n = self.fits(nanoseconds)
        return n, self.time(n)

    def fits(self, nanoseconds):
        return max(1, int(nanoseconds / self.one))

    def time(self, n):
        run = self.run
        start = time.perf_counter_ns()
        for _ in range(n):
            run()
        took = max(1, time.perf_counter_ns() - start)
        self.one = took / n
        return took


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    worker = Worker()
    for line in sys.stdin:
        try:
            reply = worker.answer(*line.split())
        except Exception as e:
            reply = "error %s" % str(e).replace("\n", " ")
        print(reply, flush=True)


main()

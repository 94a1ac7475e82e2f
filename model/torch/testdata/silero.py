"""Silero VAD, written in PyTorch and scripted.

    silero.py MODEL WINDOWS

Prints what a window takes, in nanoseconds on one thread, for each line of the input.
"""

import json
import struct
import sys
import time

import numpy
import torch
from torch import nn

torch.set_num_threads(1)


class Silero(nn.Module):
    def __init__(self, shapes):
        super().__init__()
        self.stft_conv = nn.Conv1d(1, shapes["stft_conv.weight"][0], shapes["stft_conv.weight"][2], stride=128, bias=False)
        out, channels, width = zip(*(shapes[f"conv{i}.weight"] for i in (1, 2, 3, 4)))
        self.conv1 = nn.Conv1d(channels[0], out[0], width[0], padding=1)
        self.conv2 = nn.Conv1d(channels[1], out[1], width[1], padding=1, stride=2)
        self.conv3 = nn.Conv1d(channels[2], out[2], width[2], padding=1, stride=2)
        self.conv4 = nn.Conv1d(channels[3], out[3], width[3], padding=1)
        self.lstm_cell = nn.LSTMCell(out[3], shapes["lstm_cell.weight_hh"][1])
        self.final_conv = nn.Conv1d(shapes["lstm_cell.weight_hh"][1], 1, 1)
        self.half = shapes["stft_conv.weight"][0] // 2

    def forward(self, x, h, c):
        y = self.stft_conv(nn.functional.pad(x, (0, 64), "reflect"))
        y = torch.sqrt(y[:, : self.half] ** 2 + y[:, self.half :] ** 2)
        y = torch.relu(self.conv2(torch.relu(self.conv1(y))))
        y = torch.relu(self.conv4(torch.relu(self.conv3(y))))
        h, c = self.lstm_cell(y[:, :, 0], (h, c))
        return torch.sigmoid(self.final_conv(torch.relu(h)[:, :, None])), h, c


with open(sys.argv[1], "rb") as f:
    file = f.read()
start = 8 + struct.unpack("<Q", file[:8])[0]
tensors = {}
for name, t in json.loads(file[8:start]).items():
    if name != "__metadata__":
        begin, end = t["data_offsets"]
        tensors[name] = torch.from_numpy(numpy.frombuffer(file[start + begin : start + end], "<f4").reshape(t["shape"]).copy())
model = Silero({name: t.shape for name, t in tensors.items()})
model.load_state_dict(tensors)
with torch.inference_mode():
    script = torch.jit.freeze(torch.jit.script(model.eval()))
    hidden = tensors["lstm_cell.weight_hh"].shape[1]
    x, h, c = 0.1 * torch.randn(1, 1, 576), torch.zeros(1, hidden), torch.zeros(1, hidden)
    for _ in range(50):  # the first calls compile
        _, h, c = script(x, h, c)
    windows = int(sys.argv[2])
    for _ in sys.stdin:
        begin = time.perf_counter_ns()
        for _ in range(windows):
            _, h, c = script(x, h, c)
        print((time.perf_counter_ns() - begin) / windows, flush=True)

"""Writes adam.json, steps of torch.optim.Adam in float64 that TestAdamTorch reads.

Settings, parameters and gradients are float32 numbers. A gradient is as large as 10 or as small
as 1e-9, where epsilon counts, and 0 now and then.

    adam.py > adam.json
"""

import json
import torch

STEPS, SIZE = 8, 12

torch.manual_seed(1412)
single = lambda value: torch.tensor(value, dtype=torch.float32).item()
settings = {"rate": single(0.1), "beta1": single(0.9), "beta2": single(0.999), "epsilon": single(1e-8)}
magnitudes = 10.0 ** (1 - torch.arange(SIZE) % 11)
gradients = torch.randn(STEPS, SIZE) * magnitudes * (torch.rand(STEPS, SIZE) < 0.8)
gradients[:, -1] = 0

x = torch.nn.Parameter(torch.randn(SIZE).double())
case = dict(settings, x=x.tolist(), steps=[])
adam = torch.optim.Adam([x], lr=settings["rate"], betas=(settings["beta1"], settings["beta2"]), eps=settings["epsilon"])
for gradient in gradients:
    x.grad = gradient.double()
    adam.step()
    state = adam.state[x]
    case["steps"].append({"gradient": x.grad.tolist(), "x": x.tolist(),
                          "m": state["exp_avg"].tolist(), "v": state["exp_avg_sq"].tolist()})
print(json.dumps(case, indent=1))

#!/usr/bin/env python3
"""Trains a small network twice, with this tutorial's operators and with PyTorch's own.

    python3 common/torch/training.py [--device cuda] [--json PLOT]

The data is made here: points of two spirals, and which of them each is on. The layers are linear ones
with ELU, GELU (both), Swish and SwiGLU between; both networks begin with the same weights and see the
same points. Forwards and backwards every activation is one of our kernels, or one of PyTorch's chains;
all else is PyTorch's, so the losses differ by what the activations and their gradients differ by.
"""

import argparse
import math
from pathlib import Path

import elementwise_tutorial
import recorded
import runs

CHAPTERS = ("01_elu", "02_gelu", "03_swish")
POINTS, WIDTH, RATE, STEPS = 512, 32, 0.002, 150


def spirals(torch, device):
    """(points, which of two spirals each is on)."""
    t = torch.linspace(0.25, 1.0, POINTS // 2, device=device)
    arms = [torch.stack([sign * t * torch.cos(3 * math.pi * t), sign * t * torch.sin(3 * math.pi * t)], 1)
            for sign in (1, -1)]
    return 2 * torch.cat(arms), torch.cat([torch.zeros(POINTS // 2), torch.ones(POINTS // 2)]).to(device)


def theirs(torch):
    f = torch.nn.functional
    return {"elu": f.elu, "gelu": f.gelu, "gelu_tanh": lambda x: f.gelu(x, approximate="tanh"),
            "swish": f.silu, "swiglu": lambda a, b: f.silu(a) * b}


def ours(ops):
    return {"elu": ops.elu, "gelu": ops.gelu, "gelu_tanh": lambda x: ops.gelu(x, approximate="tanh"),
            "swish": ops.swish, "swiglu": ops.swiglu}


def layers(torch, device):
    """Five weights and biases; the fourth makes both inputs of SwiGLU."""
    generator = torch.Generator().manual_seed(1)
    sizes = [(2, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, 2 * WIDTH), (WIDTH, 1)]
    weights = [torch.randn(fan, out, generator=generator) / math.sqrt(fan) for fan, out in sizes]
    return [w.to(device).requires_grad_() for w in weights] + [
        torch.zeros(out, device=device, requires_grad=True) for _, out in sizes]


def losses(torch, act, device):
    """The loss before each step."""
    points, wanted = spirals(torch, device)
    parameters = layers(torch, device)
    weights, biases = parameters[:6], parameters[6:]
    optimizer = torch.optim.Adam(parameters, lr=RATE)
    found = []
    for _ in range(STEPS):
        x = points
        for name, w, b in zip(("elu", "gelu", "gelu_tanh", "swish"), weights, biases):
            x = act[name](x @ w + b)
        x = act["swiglu"](*(x @ weights[4] + biases[4]).chunk(2, dim=1))
        loss = torch.nn.functional.binary_cross_entropy_with_logits((x @ weights[5] + biases[5])[:, 0], wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def both(torch, ops, device):
    return losses(torch, ours(ops), device), losses(torch, theirs(torch), device)


def plot(torch, device, mine, peer):
    """The two curves, as `./tutorial report` plots them."""
    def series(name, values, **more):
        return {"name": name, **more, "points": [[step, float(f"{v:.5g}")] for step, v in enumerate(values)]}

    return {"title": "A small network trains with both",
            "subtitle": f"the loss before each step; PyTorch {torch.__version__} on {device} tensors",
            "desc": "Both curves fall together, from 0.69 to a thousandth: they cover each other.",
            "height": 300, "x": {"label": "step", "min": 0, "max": len(mine)},
            "y": {"label": "loss", "scale": "log", "min": 1e-4, "max": 1},
            "series": [series("our kernels", mine), series("PyTorch's", peer, style="dashed")]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    torch = elementwise_tutorial.find_torch()
    ops = elementwise_tutorial.load(*CHAPTERS, backends=[torch.device(arguments.device).type])
    mine, peer = both(torch, ops, arguments.device)
    apart = [abs(a - b) / b for a, b in zip(mine, peer)]
    for step in range(0, STEPS, STEPS // 12):
        print(f"step {step:4}   ours {mine[step]:.6f}   PyTorch's {peer[step]:.6f}   apart {apart[step]:.1e}")
    print(f"largest distance: {max(apart):.1e} of the loss, at step {apart.index(max(apart))}")
    if arguments.json:
        arguments.json.write_text(recorded.text(plot(torch, arguments.device, mine, peer)) + "\n",
                                  encoding="utf-8")


if __name__ == "__main__":
    runs.run_tool(main)

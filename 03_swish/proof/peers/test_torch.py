"""Swish's operators in PyTorch: against torch.nn.functional.silu, and SwiGLU against its formula."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common" / "torch"))
import gradients
import support


class SwishTest(gradients.GradientPromises, support.UnaryPromises, support.RungPromises, support.BindingTest):
    chapter = "03_swish"
    operator = rung_ladder = "swish"
    vanishes = True

    @staticmethod
    def reference(x):
        return support.torch.nn.functional.silu(x)

    def gradients(self):
        return [("swish", self.ops.swish, support.torch.nn.functional.silu, 1),
                ("swish", lambda x: self.ops.swish(x, beta=-1.7),
                 lambda x: x * support.torch.sigmoid(-1.7 * x), 1)]

    def test_beta(self):
        for device, dtype, beta in self.each((0.0, 0.5, 1.702, -1.0)):
            x = support.sample((1000,), dtype, device)
            wanted = (x.double() * support.torch.sigmoid(beta * x.double())).to(dtype)
            self.close(self.ops.swish(x, beta), wanted)

    def test_a_beta_out_of_range(self):
        for device in self.devices:
            for beta in (float("inf"), float("nan"), 2.0**-120):
                self.refuses("swish: beta must be finite", self.ops.swish,
                             support.sample((8,), support.torch.float32, device), beta)


class SwigluTest(gradients.GradientPromises, support.BindingTest):
    chapter = "03_swish"

    def gradients(self):
        silu = support.torch.nn.functional.silu
        return [("swiglu", self.ops.swiglu, lambda a, b: silu(a) * b, 2)]

    def test_against_the_formula(self):
        silu = support.torch.nn.functional.silu
        for device, dtype, shape in self.each(support.SHAPES):
            a, b = (support.sample(shape, dtype, device, seed) for seed in (1, 2))
            wanted = (silu(a.double()) * b.double()).to(dtype)
            self.close(self.ops.swiglu(a, b), wanted)
            self.close(self.ops.swiglu_separate(a, b), wanted, rtol=2e-2, atol=2e-2)
            self.close(self.ops.swiglu(a.expand_as(b), b), wanted)

    def test_halves_of_one_tensor(self):
        """What a model has: both inputs side by side in one matrix."""
        for device, dtype in self.each():
            a, b = support.sample((6, 64), dtype, device).chunk(2, dim=1)
            wanted = self.ops.swiglu(a.contiguous(), b.contiguous())
            self.close(self.ops.swiglu(a, b), wanted, rtol=0, atol=0)
            for d in (1, 7, 64):
                x = support.sample((2, 3, 2 * d), dtype, device)
                self.close(self.ops.swiglu_halves(x), self.ops.swiglu(x[..., :d], x[..., d:]), rtol=0, atol=0)
            self.refuses("have no halves along the last dimension", self.ops.swiglu_halves, x[..., :3])

    def test_gradient_of_halves(self):
        torch = support.torch

        def theirs(x):
            a, b = x.chunk(2, -1)
            return torch.nn.functional.silu(a) * b

        for device, dtype in self.each():
            for d in (1, 7, 64):
                x = support.sample((4, 3, 2 * d), dtype, device).requires_grad_()
                dy = support.sample((4, 3, d), dtype, device, seed=9)
                wanted, = self.double_gradients(theirs, [x], dy)
                ours = [self.ops.swiglu_halves]
                if hasattr(torch, "compile"):
                    torch._dynamo.reset()
                    ours.append(torch.compile(self.ops.swiglu_halves, fullgraph=True))
                for function in ours:
                    self.close(torch.autograd.grad(function(x), x, dy)[0], wanted)
                apart = x.detach().transpose(0, 1).requires_grad_()
                self.close(torch.autograd.grad(self.ops.swiglu_halves(apart), apart, dy.transpose(0, 1))[0],
                           wanted.transpose(0, 1))
            self.refuses("dy must have the sizes of half of x", self.ops.swiglu_halves_backward, x.detach(), dy[..., 1:])
            self.refuses("swiglu_halves_backward: has no second derivative", torch.autograd.grad,
                         self.ops.swiglu_halves(x).sum(), x, create_graph=True)
            if hasattr(torch.library, "opcheck"):
                torch.library.opcheck(self.ops.swiglu_halves.default, (x,))
                torch.library.opcheck(self.ops.swiglu_halves_backward.default, (x.detach(), dy))

    def test_in_place(self):
        for device, dtype in self.each():
            a, b = (support.sample((100,), dtype, device, seed) for seed in (1, 2))
            wanted = self.ops.swiglu(a, b)
            self.close(self.ops.swiglu.out(a, b, out=b), wanted, rtol=0, atol=0)
            self.refuses("single memory location", self.ops.swiglu_separate.out, a, b, out=b)

    def test_refusals(self):
        for device in self.devices:
            a = support.sample((4, 6), support.torch.float32, device)
            self.refuses(r"swiglu: takes tensors of one shape, not \[4, 6\] and \[6\]", self.ops.swiglu,
                         a, a[0])
            self.refuses("swiglu: takes tensors of one type, not float32 and float16", self.ops.swiglu,
                         a, a.half(), error=TypeError)

    def test_quantize(self):
        """q times its row's scale is y, to half a step of an E4m3: 2^-4 of it, and 2^-10 of the scale."""
        torch = support.torch
        for device, dtype, shape in self.each(((7, 64), (2, 3, 100), (5,))):
            a, b = (support.sample(shape, dtype, device, seed) for seed in (1, 2))
            q, scale = self.ops.swiglu_quantize(a, b)
            y = torch.nn.functional.silu(a.double()) * b.double()
            self.close(scale.double(), y.abs().amax(-1, keepdim=True) / 448, rtol=1e-6, atol=0)
            sign, exponent, fraction = 1 - (q >> 7).double() * 2, (q >> 3 & 15).double(), (q & 7).double()
            code = sign * torch.where(exponent > 0, 2 ** (exponent - 7) * (1 + fraction / 8), fraction * 2**-9)
            self.assertTrue(bool(((code * scale - y).abs() <= y.abs() * 2**-4 + scale * 2**-9).all()))

    def test_devices_that_differ(self):
        self.needs(len(self.devices) == 2, "a CUDA GPU, and modules for both devices")
        a = support.sample((8,), support.torch.float32, "cpu")
        self.refuses("swiglu: the tensors are on different devices", self.ops.swiglu, a, a.cuda())


if __name__ == "__main__":
    support.run()

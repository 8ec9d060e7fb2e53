"""The operators of chapter 04 in PyTorch: nine operations, broadcasting, NHWC8 storage, int8."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common" / "torch"))
import support
import timing

PAIRS = [((4, 5), (4, 5)), ((4, 5), (5,)), ((4, 1), (1, 5)), ((), (3, 4)), ((2, 3, 4, 5), (1, 3, 1, 1)),
         ((0, 3), (1, 3)), ((2, 1, 4, 1), (1, 3, 1, 5)), ((64, 40), (40,)), ((1,), ())]


def references(torch):
    """op -> the same by PyTorch, on floats."""
    return {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div,
            "max": torch.maximum, "min": torch.minimum, "pow": torch.pow, "mod": torch.fmod,
            "prelu": lambda a, b: torch.where(a > 0, a, a * b)}


def forms(rung):
    """Two shapes that a rung of ladder B takes."""
    return {"one_scalar": ((6, 8), ()), "one_dimension": ((6, 8), (8,)),
            "one_not_broadcast": ((2, 3, 8), (3, 1)), "one_broadcast": ((2, 3, 8), (2, 1, 8)),
            "f16x8_shared": ((2, 3, 8), (2, 1, 8))}.get(rung, ((2, 3, 8), (3, 1)))


def nhwc8(x):
    """An (N, C, H, W) tensor in NHWC8 storage, its padding filled with NaN."""
    torch = support.torch
    n, c, h, w = x.shape
    padded = torch.full((n, h, w, (c + 7) // 8 * 8), float("nan"), dtype=x.dtype, device=x.device)
    padded[..., :c] = x.permute(0, 2, 3, 1)
    return padded.flatten()


def from_nhwc8(storage, shape):
    n, c, h, w = shape
    return storage.reshape(n, h, w, -1)[..., :c].permute(0, 3, 1, 2)


class ArithmeticTest(support.BindingTest):
    chapter = "04_arithmetic"

    def test_numbers(self):
        """A Python number in the place of a tensor."""
        torch = support.torch
        for device, dtype in self.each():
            for name, x in support.layouts(dtype, device):
                self.close(self.ops.add(x, 0.1), (x.float() + 0.1).to(dtype).contiguous(), name)
                self.close(self.ops.sub(0.1, x), (0.1 - x.float()).to(dtype).contiguous(), name)
            out = torch.empty_like(x)
            self.ops.mul.Scalar_out(x, 3, out=out)
            self.close(out, x * 3)
        for device in self.devices:
            x = support.sample((70, 72), torch.int32, device).t()
            self.assertTrue(torch.equal(self.ops.sub(7, x), 7 - x))
            self.assertTrue(torch.equal(self.ops.max(x, 7), x.clamp(min=7)))
            self.refuses("add: takes whole numbers beside tensors of them", self.ops.add, x, 0.5, error=TypeError)

    def test_floats_broadcast(self):
        for device, dtype, pair in self.each(PAIRS):
            for op, reference in references(support.torch).items():
                a, b = self.operands(pair, dtype, device)
                wanted = reference(a.float(), b.float()).to(dtype)
                self.close(self.ops.arithmetic(op, a, b), wanted, f"{op} {pair}")
                self.close(getattr(self.ops, op)(a, b), wanted, f"{op} {pair}")
                self.close(getattr(self.ops, op)(b, a), reference(b.float(), a.float()).to(dtype))

    def test_special_values(self):
        torch = support.torch
        for device, dtype in self.each():
            x = torch.tensor(support.SPECIAL, device=device).to(dtype)
            for op in ("add", "sub", "mul", "div", "max", "min"):
                wanted = references(torch)[op](x[:, None].float(), x.float()).to(dtype)
                self.close(getattr(self.ops, op)(x[:, None], x), wanted, op)

    def test_integers(self):
        torch = support.torch
        for device in self.devices:
            for dtype in (torch.int32, torch.int64):
                a, b = self.operands(((4, 50), (50,)), dtype, device)
                b = torch.where(b == 0, torch.ones_like(b), b)
                wanted = {"add": a + b, "sub": a - b, "mul": a * b, "max": torch.maximum(a, b),
                          "min": torch.minimum(a, b), "mod": torch.fmod(a, b),
                          "div": torch.div(a, b, rounding_mode="trunc")}
                for op, answer in wanted.items():
                    self.close(getattr(self.ops, op)(a, b), answer, op)
                zero = torch.zeros_like(b)
                self.close(self.ops.div(a, zero), torch.zeros_like(a), "x / 0 is 0")

    def test_layouts(self):
        for device, dtype in self.each():
            a, b = self.operands(((6, 8), (8, 6)), dtype, device)
            self.close(self.ops.add(a, b.t()), a + b.t())
            self.close(self.ops.add(a[:, ::2], b.t()[:, 1::2]), a[:, ::2] + b.t()[:, 1::2])
            self.close(self.ops.add(a[:1].expand(6, 8), b.t()), a[:1] + b.t())

    def test_out_and_in_place(self):
        for device, dtype in self.each():
            a, b = self.operands(((6, 8), (8,)), dtype, device)
            wanted = a + b
            strided = support.torch.zeros(8, 6, dtype=dtype, device=device).t()
            self.close(self.ops.add.out(a, b, out=strided).contiguous(), wanted)
            self.close(self.ops.add.out(a, b, out=a), wanted)
            self.refuses("out= has the sizes", self.ops.add.out, a, b, out=b)

    def test_rungs_of_one_shape(self):
        rungs = [one for one in self.bound if one.ladder == "arithmetic" and one.kind == "rung"]
        self.assertGreater(len(rungs), 12)
        for device in self.devices:
            for one in rungs:
                a, b = self.operands(((3, 343), (3, 343)), timing.dtypes(support.torch)[one.dtype], device)
                op = getattr(self.ops, one.name)
                self.close(op("sub", a, b), a - b, one.name)
                self.refuses("takes tensors of one shape", op, "sub", a, b[0])
                self.refuses("'plus' is none of its choices, which are add, sub", op, "plus", a, b,
                             error=ValueError)

    def test_rungs_that_broadcast(self):
        torch = support.torch
        rungs = [one for one in self.bound if one.ladder == "arithmetic_broadcast" and one.kind == "rung"
                 and not one.name.endswith("_int8")]
        self.assertGreaterEqual(len(rungs), 11)
        for device in self.devices:
            for one in rungs:
                a, b = self.operands(forms(one.rung), torch.float16, device)
                op = getattr(self.ops, one.name)
                self.close(op("mul", a, b), a * b, one.name)
            a, b = self.operands(((2, 3, 8), (3, 1)), torch.float16, device)
            self.close(self.ops.your_arithmetic(a, b), a + b)
            apart = support.sample((2, 3, 16), torch.float16, device)[..., ::2]
            self.close(self.ops.your_arithmetic(apart, b), apart + b)
            self.refuses("a value for each channel", self.ops.your_arithmetic, a, a)
        a, b = self.operands(((4, 1), (1, 5)), torch.float32, self.devices[0])
        self.refuses("these two shapes are not of the kind that it takes",
                     self.ops.arithmetic_broadcast_one_scalar, "add", a, b)

    def test_int8(self):
        torch = support.torch
        scales = (0.5, 0.25, 1.0)
        for device in self.devices:
            a, b = self.operands(((4, 48), (48,)), torch.int8, device)
            wanted = (a.double() * 0.5 + b.double() * 0.25).round().clamp(-128, 127).to(torch.int8)
            self.close(self.ops.arithmetic_int8("add", a, b, *scales), wanted)
            full = b.expand(4, 48)
            for one in self.bound:
                if one.kind == "rung" and (one.ladder == "arithmetic_int8"):
                    self.close(getattr(self.ops, one.name)("add", a, full, *scales), wanted, one.name)
            self.refuses("scale", self.ops.arithmetic_int8, "add", a, b, 0.0, 1.0, 1.0)
            self.refuses("takes int8 tensors, not int32", self.ops.arithmetic_int8, "add", a.int(),
                         b.int(), *scales, error=TypeError)
            self.refuses("not int8", self.ops.add, a, b, error=TypeError)

    def test_nhwc8(self):
        torch = support.torch
        for device in self.devices:
            for shape, other in (((2, 3, 4, 5), (1, 3, 1, 1)), ((2, 16, 3, 3), (2, 16, 3, 3))):
                a, b = self.operands((shape, other), torch.float16, device)
                for name in ("arithmetic_nhwc", "arithmetic_limit_nhwc", "arithmetic_nhwc_pack"):
                    storage = getattr(self.ops, name)("add", shape, nhwc8(a), other, nhwc8(b))
                    self.close(from_nhwc8(storage, shape), a + b, name)
                    if name != "arithmetic_limit_nhwc":
                        padding = storage.reshape(-1, (shape[1] + 7) // 8 * 8)[:, shape[1]:]
                        self.assertEqual(padding.count_nonzero().item(), 0, name)
            self.refuses("has 320 elements in NHWC8 storage", self.ops.arithmetic_nhwc, "add",
                         (2, 3, 4, 5), a.flatten(), (1, 3, 1, 1), nhwc8(b))

    def test_refusals(self):
        for device in self.devices:
            a, b = self.operands(((4, 5), (4, 3)), support.torch.float32, device)
            self.refuses(r"add: the sizes \[4, 5\] and \[4, 3\] do not broadcast", self.ops.add, a, b)
            self.refuses("add: takes tensors of one type, not float32 and float16", self.ops.add, a,
                         a.half(), error=TypeError)
            self.refuses("add: takes tensors of at most 7 dimensions, not 8", self.ops.add,
                         a.reshape(1, 1, 1, 1, 1, 1, 4, 5), a)
            self.refuses("add: takes float32, float16, bfloat16, int32 or int64 tensors, not bool",
                         self.ops.add, a > 0, a > 0, error=TypeError)

    def test_tensors_without_data(self):
        torch = support.torch
        a, b = (torch.empty(shape, device="meta", dtype=torch.half) for shape in ((4, 1), (3, 1, 5)))
        y = self.ops.add(a, b)
        self.assertEqual((tuple(y.shape), y.dtype), ((3, 4, 5), torch.half))

    def test_torch_compile(self):
        for device, dtype, function in self.compiled(lambda a, b: self.ops.mul(a, b) * 2):
            for pair in (((4, 8), (8,)), ((6, 10), (10,))):
                a, b = self.operands(pair, dtype, device)
                self.close(function(a, b), a * b * 2)

    def test_second_gpu(self):
        torch = support.torch
        self.needs("cuda" in self.devices and torch.cuda.device_count() > 1, "two CUDA GPUs")
        a, b = self.operands(((6, 8), (8,)), torch.float32, "cuda:1")
        self.close(self.ops.add(a, b), a + b)
        self.refuses("the tensors are on different devices, cuda:1 and cuda:0", self.ops.add, a,
                     b.to("cuda:0"))


if __name__ == "__main__":
    support.run()

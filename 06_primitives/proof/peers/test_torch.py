"""The composed kernels of chapter 06 in PyTorch: sums, softmax, scans, sorts, bias."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common" / "torch"))
import support
import timing

MATRICES = [(1, 1), (3, 7), (5, 128), (37, 1000), (2, 3, 40), (0, 5), (4, 0), (9,)]


class PrimitivesTest(support.BindingTest):
    chapter = "06_primitives"

    def test_elementwise(self):
        torch = support.torch
        functional = torch.nn.functional
        for device, dtype, shape in self.each(support.SHAPES):
            a, b, c, d = (support.sample(shape, dtype, device, seed) for seed in range(4))
            self.close(self.ops.primitives_add(a, b), a + b)
            self.close(self.ops.primitives_add_by_hand(a, b), a + b)
            wide = [x.float() for x in (a, b, c, d)]
            self.close(self.ops.multiply_add(a, b, c), (wide[0] * wide[1] + wide[2]).to(dtype))
            self.close(self.ops.sum4(a, b, c, d), ((wide[0] + wide[1]) + (wide[2] + wide[3])).to(dtype))
            for form in ("", "_by_hand"):
                op = lambda name: getattr(self.ops, f"primitives_{name}{form}")
                self.close(op("elu")(a), functional.elu(wide[0]).to(dtype))
                self.close(op("gelu")(a), functional.gelu(wide[0], approximate="tanh").to(dtype))
                self.close(op("swish")(a), functional.silu(wide[0]).to(dtype))
        for device in self.devices:
            a, b = (support.sample((99,), torch.float16, device, seed) for seed in (1, 2))
            self.close(self.ops.primitives_add_to_float(a, b), a.float() + b.float())

    def test_rungs(self):
        rungs = [one for one in self.bound if one.rung]
        self.assertGreaterEqual(len(rungs), 13)
        for device in self.devices:
            for one in rungs:
                a, b = (support.sample((1027,), timing.dtypes(support.torch)[one.dtype], device, seed) for seed in (1, 2))
                self.close(getattr(self.ops, one.name)(a, b), a + b, one.name)

    def test_rows(self):
        torch = support.torch
        for device, dtype, shape in self.each(MATRICES):
            x = support.sample(shape, dtype, device)
            close = {} if dtype == torch.float32 else {"rtol": 2e-2, "atol": 1e-2}
            self.close(self.ops.softmax(x), torch.softmax(x.float(), -1).to(dtype), str(shape))
            self.close(self.ops.softmax_two_reductions(x), self.ops.softmax(x), **close)
            self.close(self.ops.cumsum(x), x.double().cumsum(-1).to(dtype), str(shape),
                       rtol=2e-2 if dtype != torch.float32 else 1e-4, atol=1e-3)
            bias = support.sample(shape[-1:], dtype, device, seed=5)
            for op in (self.ops.bias_add, self.ops.bias_add_broadcast):
                self.close(op(x, bias), x + bias)
            if dtype != torch.bfloat16:
                self.close(self.ops.sort(x), x.float().sort(-1).values.to(dtype))
                values, index = self.ops.sort_with_index(x)
                self.close(values, self.ops.sort(x), rtol=0, atol=0)
                self.close(x.gather(-1, index.long()), values, rtol=0, atol=0)

    def test_rows_as_they_lie(self):
        """Rows with gaps between them, and into such: nothing is copied. Other tensors are."""
        torch = support.torch
        rows = (("softmax", lambda x: torch.softmax(x.float(), -1).to(x.dtype), {"rtol": 2e-3, "atol": 1e-4}),
                ("cumsum", lambda x: x.double().cumsum(-1).to(x.dtype), {"rtol": 2e-3, "atol": 1e-3}),
                ("sort", lambda x: x.float().sort(-1).values.to(x.dtype), {"rtol": 0, "atol": 0}))

        def copies(call):
            with torch.autograd.profiler.profile() as profile:
                call()
            return sum(event.name in ("aten::copy_", "aten::clone") for event in profile.function_events)

        for device in self.devices:
            for dtype in (torch.float32, torch.float16):
                x = support.sample((3, 4, 90), dtype, device)
                for view in (x[:, :, :45], x[..., 1:], x[1, ::2, 3:40], x[0, :1].expand(4, 90)):
                    spare = torch.zeros(*view.shape[:-1], view.shape[-1] + 7, dtype=dtype, device=device)
                    out, index = spare[..., 3:-4], torch.empty_like(spare, dtype=torch.int32)[..., :-7]
                    for name, wanted, close in rows:
                        op = getattr(self.ops, name).out
                        self.assertEqual(copies(lambda: op(view, out=out)), 0, name)
                        self.close(out, wanted(view), f"{name} {view.stride()}", **close)
                    self.assertEqual(copies(lambda: self.ops.sort_with_index.out(view, values=out, indices=index)), 0)
                    self.close(view.gather(-1, index.long()), out, rtol=0, atol=0)
                    self.assertEqual(spare[..., :3].abs().sum() + spare[..., -4:].abs().sum(), 0)
                for view in (x.transpose(0, 2), x[..., ::2], x[:, :2]):
                    out = torch.zeros(*view.shape[::-1], dtype=dtype, device=device).permute(2, 1, 0)
                    for name, wanted, close in rows:
                        self.assertGreater(copies(lambda: getattr(self.ops, name).out(view, out=out)), 0, name)
                        self.close(out, wanted(view), f"{name} {view.stride()}", **close)

    def test_reductions(self):
        torch = support.torch
        for device in self.devices:
            for dtype in support.floats() + [torch.int32]:
                for shape in MATRICES:
                    x = support.sample(shape, dtype, device)
                    for dim in range(-1, x.dim()):
                        wanted = (x.sum(dim, dtype=torch.int32) if dtype == torch.int32
                                  else x.double().sum(dim).to(dtype))
                        slack = 1e-4 if dtype == torch.float32 else 1e-2
                        self.close(self.ops.reduce(x, "sum", dim), wanted, f"{shape} {dim}", rtol=slack, atol=slack)
                        if x.shape[dim] > 0:
                            most = x.float().amax(dim).to(dtype)
                            self.close(self.ops.reduce(x, "max", dim), most)

    def test_reductions_as_tensors_lie(self):
        torch = support.torch
        for device in self.devices:
            for dtype in support.floats() + [torch.int32]:
                x = support.sample((6, 40, 66), dtype, device)
                for view in (x[:, :, :33], x[:, :, 1:], x[:, ::2, ::2], x.transpose(0, 2), x.permute(1, 0, 2),
                             x[:1].expand(3, 40, 66), x[0, 0]):
                    for dim in range(view.dim()):
                        most = view.double().amax(dim).to(dtype)
                        self.close(self.ops.reduce(view, "max", dim), most, f"{view.shape} {view.stride()} {dim}")
                        out = torch.empty(2 * most.numel(), dtype=dtype, device=device)[::2].view(most.shape)
                        self.ops.reduce.out(view, "max", dim, out=out)
                        self.close(out, most)

    def test_refusals(self):
        torch = support.torch
        for device in self.devices:
            x = support.sample((3, 4, 5), torch.float32, device)
            self.refuses("x has 3 dimensions, and none with the number 3", self.ops.reduce, x, "sum", 3)
            self.refuses("'mean' is none of its choices, which are sum or max", self.ops.reduce, x,
                         "mean", error=ValueError)
            self.refuses("takes tensors of one dimension or more", self.ops.softmax, x[0, 0, 0])
            self.refuses("bias must have one dimension, as long as the last of x: 5",
                         self.ops.bias_add, x, x[0, 0, :4].clone())
            self.refuses("sort: .*8192", self.ops.sort, support.sample((1, 9000), torch.float32, device))
            self.refuses("single memory location", self.ops.reduce.out, x[0], "sum", 0, out=x[0, 0])
            out = torch.empty(3, 5, 4, device=device).transpose(1, 2)
            self.close(self.ops.softmax.out(x, out=out).contiguous(), torch.softmax(x, -1))

    def test_two_results(self):
        torch = support.torch
        for device in self.devices:
            x = support.sample((3, 40), torch.float32, device)
            values, index = torch.empty_like(x), torch.empty(3, 40, dtype=torch.int32, device=device)
            self.ops.sort_with_index.out(x, values=values, indices=index)
            self.close(values, x.sort(-1).values)
        meta = self.ops.sort_with_index(torch.empty(3, 40, device="meta"))
        self.assertEqual([(tuple(y.shape), y.dtype) for y in meta],
                         [((3, 40), torch.float32), ((3, 40), torch.int32)])

    def test_tensors_without_data(self):
        x = support.torch.empty(3, 40, 5, device="meta")
        self.assertEqual(tuple(self.ops.reduce(x, "sum", 0).shape), (40, 5))
        self.assertEqual(tuple(self.ops.reduce(x, "max").shape), (3, 40))

    def test_torch_compile(self):
        for device, dtype, function in self.compiled(lambda x: self.ops.softmax(x * 2).sum(-1)):
            for shape in ((4, 8), (6, 10)):
                x = support.sample(shape, dtype, device)
                self.close(function(x), self.ops.softmax(x * 2).sum(-1))


if __name__ == "__main__":
    support.run()

"""The operators of chapter 05 in PyTorch: relations, logic, where, answers as bytes and as bits."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common" / "torch"))
import support
import timing

PAIRS = [((4, 5), (4, 5)), ((4, 5), (5,)), ((4, 1), (1, 5)), ((), (3, 4)), ((0, 3), (1, 3)),
         ((2, 3, 4, 5), (1, 3, 1, 1)), ((33, 40), (40,))]


def relations(torch):
    return {"equal": torch.eq, "not_equal": torch.ne, "greater": torch.gt, "greater_equal": torch.ge,
            "less": torch.lt, "less_equal": torch.le}


class RelationTest(support.BindingTest):
    chapter = "05_logical_relation"

    def dtypes(self):
        torch = support.torch
        return support.floats() + [torch.int8, torch.int32, torch.int64]

    def test_relations_broadcast(self):
        for device in self.devices:
            for dtype in self.dtypes():
                for pair in PAIRS:
                    a, b = self.operands(pair, dtype, device)
                    for op, reference in relations(support.torch).items():
                        for y in (self.ops.relation(op, a, b), getattr(self.ops, op)(a, b)):
                            self.assertTrue(support.torch.equal(y, reference(a, b)), (op, pair))
                            self.assertEqual(y.dtype, support.torch.bool)

    def test_special_values(self):
        for device, dtype in self.each():
            x = support.torch.tensor(support.SPECIAL, device=device).to(dtype)
            for op, reference in relations(support.torch).items():
                y = getattr(self.ops, op)(x[:, None], x)
                self.assertTrue(support.torch.equal(y, reference(x[:, None], x)), op)

    def test_rungs(self):
        torch = support.torch
        rungs = [one for one in self.bound if one.ladder == "relation" and one.kind == "rung"
                 and one.dtype]
        self.assertGreater(len(rungs), 20)
        for device in self.devices:
            for one in rungs:
                a, b = self.operands(((3, 343), (3, 343)), timing.dtypes(torch)[one.dtype], device)
                answers, wanted = getattr(self.ops, one.name)("less", a, b), a < b
                if answers.dtype == torch.int32:  # a bit for each
                    bits = (answers[:, None] >> torch.arange(32, device=device)) & 1
                    answers = bits.flatten()[:a.numel()].reshape(a.shape).bool()
                self.assertTrue(torch.equal(answers, wanted), one.name)
                self.refuses("takes tensors of one shape", getattr(self.ops, one.name), "less", a,
                             b[0])
            a, b = self.operands(((4, 1), (1, 5)), torch.int32, device)
            self.assertTrue(torch.equal(self.ops.relation_strided("less", a, b), a < b))

    def test_logic(self):
        torch = support.torch
        wanted = {"and": torch.logical_and, "or": torch.logical_or, "xor": torch.logical_xor}
        for device in self.devices:
            for dtype in (torch.bool, torch.uint8):
                for pair in PAIRS:
                    a, b = (x % 3 if dtype == torch.uint8 else x
                            for x in self.operands(pair, dtype, device))
                    for op, reference in wanted.items():
                        for y in (self.ops.logical(op, a, b),
                                  getattr(self.ops, f"logical_{op}")(a, b),
                                  self.ops.logical_strided(op, a, b)):
                            self.assertTrue(torch.equal(y, reference(a, b)), (op, pair))
                    self.assertTrue(torch.equal(self.ops.logical_not(a), torch.logical_not(a)))
                a, b = self.operands(((3, 343), (3, 343)), dtype, device)
                for one in self.bound:
                    if one.kind == "rung" and one.ladder == "logical" and one.rung != "strided":
                        y = getattr(self.ops, one.name)("xor", a, b)
                        self.assertTrue(torch.equal(y, torch.logical_xor(a, b)), one.name)
                    if one.kind == "rung" and one.ladder == "logical_not":
                        y = getattr(self.ops, one.name)(a)
                        self.assertTrue(torch.equal(y, torch.logical_not(a)), one.name)

    def test_logic_on_numbers(self):
        torch = support.torch
        wanted = {"and": torch.logical_and, "or": torch.logical_or, "xor": torch.logical_xor}
        for device in self.devices:
            for dtype in self.dtypes():
                a, b = self.operands(((70, 72), (72,)), dtype, device)
                a, b = ((x.float() / 20).trunc().to(dtype) for x in (a, b))
                turned = a.reshape(72, 70).t()
                for op, reference in wanted.items():
                    y = getattr(self.ops, f"logical_{op}")
                    self.assertTrue(torch.equal(y(a, b), reference(a, b)), (op, dtype))
                    self.assertTrue(torch.equal(y(turned, a), reference(turned, a)), (op, dtype))
                self.assertTrue(torch.equal(self.ops.logical_not(turned), torch.logical_not(turned)))
            self.refuses("takes tensors of one type", self.ops.logical_and, a, a.float(), error=TypeError)
            nan = torch.tensor([float("nan"), -0.0], device=device)
            self.assertEqual(self.ops.logical_not(nan).tolist(), [False, True])

    def test_where_broadcasts(self):
        torch = support.torch
        for device, dtype in self.each():
            a = support.sample((70, 72), dtype, device)
            for c, b in ((a[:, :1] > 0, a[0]), (a > 0, a[1, 1]), (a.reshape(72, 70).t() > 0, a.reshape(72, 70).t())):
                self.close(self.ops.where(c, a, b), torch.where(c, a, b), rtol=0, atol=0)
            self.refuses("do not broadcast", self.ops.where, a > 0, a[:, :3], a)

    def test_where(self):
        for device, dtype in self.each():
            a, b = self.operands(((37, 16), (37, 16)), dtype, device)
            for name in ("where", "where_naive", "where_pack"):
                self.close(getattr(self.ops, name)(a > b, a, b), support.torch.maximum(a, b), name)

    def test_equal_within(self):
        torch = support.torch
        for device in self.devices:
            a = torch.tensor([1.0, 1.0, float("inf"), float("nan")], device=device)
            b = torch.tensor([1.0000005, 1.01, float("inf"), float("nan")], device=device)
            self.assertEqual(self.ops.equal_within(a, b).tolist(), [True, False, True, False])
            self.assertEqual(self.ops.equal_within(a, b, "relative", 0.1).tolist(),
                             [True, True, True, False])
            self.refuses("'close' is none of its choices", self.ops.equal_within, a, b, "close",
                         error=ValueError)
            self.refuses("equal_within: .*tolerance", self.ops.equal_within, a, b, "absolute", -1.0)

    def test_out_and_layouts(self):
        torch = support.torch
        for device, dtype in self.each():
            a, b = self.operands(((6, 8), (8, 6)), dtype, device)
            out = torch.zeros(8, 6, dtype=torch.bool, device=device).t()
            self.ops.greater.out(a, b.t(), out=out)
            self.assertTrue(torch.equal(out, a > b.t()))
            self.refuses("out= must be a tensor of Bool", self.ops.greater.out, a, b.t(), out=a)
        truth = torch.ones(8, dtype=torch.bool, device=self.devices[0])
        self.ops.logical_xor.out(truth, truth, out=truth)
        self.assertFalse(bool(truth.any()))

    def test_refusals(self):
        for device in self.devices:
            a, b = self.operands(((4, 5), (4, 3)), support.torch.float32, device)
            self.refuses("greater: the sizes .* do not broadcast", self.ops.greater, a, b)
            self.refuses("logical_and: takes bool, uint8, .* tensors, not float64", self.ops.logical_and,
                         a.double(), a.double(), error=TypeError)
            self.refuses("logical_u8: takes bool or uint8 tensors, not float32", self.ops.logical_u8,
                         "and", a, a, error=TypeError)

    def test_tensors_without_data(self):
        torch = support.torch
        a = torch.empty(4, 33, device="meta", dtype=torch.half)
        self.assertEqual(self.ops.greater(a, a[0]).shape, a.shape)
        self.assertEqual(tuple(self.ops.relation_f16x8_bits("less", a, a).shape), (5,))

    def test_torch_compile(self):
        torch = support.torch
        for device, dtype, function in self.compiled(lambda a, b: torch.where(self.ops.greater(a, b), a, b)):
            for pair in (((4, 8), (8,)), ((6, 10), (10,))):
                a, b = self.operands(pair, dtype, device)
                self.close(function(a, b), torch.maximum(a, b))


if __name__ == "__main__":
    support.run()

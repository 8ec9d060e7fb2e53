"""Tests of what report.py makes of a comparison with PyTorch. All numbers are made up."""

import unittest

import folders
import beside_torch
import made_up
import report
import runs


def rows(ladder, template, dtype, times):
    """Rows of who -> [(shape, regime, median)]."""
    kinds = {"bound": "bound", "torch": "peer", "compile": "peer"}
    return [{"name": f"{ladder}/{template.format(who)}/{shape}/{regime}", "run_type": "iteration",
             "label": f"{dtype} {kinds[who]}", "median_us": median, "GBps": 1000 / median}
            for who, cells in times.items() for shape, regime, median in cells]


def run(benchmarks):
    return {"context": {"backend": "cuda", "gpu": "NVIDIA H200"}, "benchmarks": benchmarks}


ELU = rows("elu", "{}_f16", "f16", {
    "bound": [("1024x1024", "cold", 2.0), ("2048x2048", "cold", 4.0)],
    "torch": [("1024x1024", "cold", 4.0), ("2048x2048", "cold", 32.0)],
    "compile": [("1024x1024", "cold", 1.0), ("2048x2048", "cold", 4.0)]})


class BesideTorchTest(unittest.TestCase):
    def cells(self, benchmarks):
        return beside_torch.cells(runs.Run("x.json", run(benchmarks)))

    def test_summary(self):
        (operation, dtype, regime, count, spreads), = beside_torch.summary(self.cells(ELU))
        self.assertEqual((operation, dtype, regime, count), ("elu", "f16", "cold", 2))
        self.assertEqual(spreads[0], (4.0, 2.0, 8.0))
        self.assertAlmostEqual(spreads[1][0], 0.5 ** 0.5)

    def test_operations_in_words(self):
        for ladder, template, dtype, words in (
                ("gelu", "{}_tanh_f16", "f16", "gelu tanh"), ("elu", "{}_bf16", "bf16", "elu"),
                ("arithmetic", "add_{}_f32", "f32", "arithmetic add"),
                ("arithmetic_broadcast", "{}_f16_1C11", "f16", "arithmetic broadcast 1C11"),
                ("relation", "greater_f16_row_{}", "f16", "relation greater row"),
                ("logical", "and_{}", "u8", "logical and"), ("sum", "sum_inner_f32_{}", "f32", "sum inner")):
            cell, = self.cells(rows(ladder, template, dtype, {"torch": [("1x1", "cold", 1.0)]}))
            self.assertEqual(cell.operation, words)
            self.assertIsNone(cell.ratio("torch"))

    def test_rungs_are_no_cells(self):
        own = [{"name": "elu/f16x8_pack_called/1024x1024/cold", "label": "f16 bound", "median_us": 1.0},
               {"name": "elu/bound_check/1024x1024/cold", "label": "f16 rung", "median_us": 1.0}]
        self.assertEqual([cell.shape for cell in self.cells(own + ELU)], ["1024x1024", "2048x2048"])


class ReportTorchTest(made_up.Repository):
    def test_a_run_of_pytorch_alone_and_none(self):
        self.put("01_elu/results/t.json", run([row for row in ELU if "torch" in row["name"]]))
        self.assertEqual(self.block("torch t.json"), [report.NO_RUN])


if __name__ == "__main__":
    unittest.main()

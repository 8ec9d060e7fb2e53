"""Tests of behind.py, where a peer is faster, and of its part in report.py. All numbers are made up."""

import unittest

import folders
import behind
import made_up
import report
import runs
from test_beside_torch import rows, run


def own(name, kind, median, spread=0.1, dtype="f16", **more):
    return {"name": name, "run_type": "iteration", "label": f"{dtype} {kind}", "median_us": median,
            "spread_pct": spread, **more}


OWN = run([
    own("elu/cub_f16/1024x1024/cold", "peer", 9.95), own("elu/operator_f16/1024x1024/cold", "rung", 10.0),
    own("elu/cub_f16/1024x2048/cold", "peer", 9.999, 0.3), own("elu/operator_f16/1024x2048/cold", "rung", 10.0),
    own("elu/cub_f16/1024x1024/warm", "peer", 10.0), own("elu/operator_f16/1024x1024/warm", "rung", 10.0),
    own("elu/fastest_f16/1024x1024/cold", "rung", 1.0),  # the best rung does not count
    own("elu/copy_f16/1024x1024/cold", "copy", 1.0), own("elu/f16_by_hand/1024x1024/cold", "peer", 1.0),
    own("sum/sum_f32_cub_block/8x2/warm", "peer", 9.0, dtype="f32"),
    own("sum/sum_f32/8x2/warm", "rung", 10.0, dtype="f32")])
OPERATORS = {"sum/sum_{}_cub_block": "sum/sum_{}"}
TORCH = run(rows("elu", "{}_f16", "f16", {"bound": [("2x2", "cold", 2.0)], "torch": [("2x2", "cold", 4.0)],
                                          "compile": [("2x2", "cold", 1.5)]}))


class BehindTest(unittest.TestCase):
    def cub(self, data=OWN, operators=OPERATORS):
        return behind.cub_cells(runs.Run("x.json", data), "G", "01_elu", operators)

    def test_the_operator_beside_cub(self):
        first, second, even, block = self.cub()
        self.assertEqual(first[:7], ("G", "cub", "01_elu", "elu", "f16", "1024x1024", "cold"))
        self.assertAlmostEqual(first.ratio, 0.995)
        self.assertEqual((even.regime, even.ratio), ("warm", 1.0))
        self.assertEqual((block.peer, block.operation, block.ratio), ("cub_block", "sum", 0.9))
        self.assertEqual([behind.beyond_spread(one) for one in (first, second)], [True, False])

    def test_a_peer_is_never_left_out_in_silence(self):
        with self.assertRaisesRegex(runs.ToolError, "no sum/sum_f32_operator_block at 8x2, warm.*headline.json"):
            self.cub(operators={})

    def test_a_failed_row_is_no_cell(self):
        failed = own("elu/cub_f16/1x1/cold", "peer", 1.0, error_occurred=True, error_message="no")
        self.assertEqual(self.cub(run([failed, own("elu/operator_f16/1x1/cold", "rung", 1.0)])), [])

    def test_beside_pytorch(self):
        cells = behind.torch_cells(runs.Run("x.json", TORCH), "G", "01_elu")
        self.assertEqual([(one.peer, one.ratio) for one in cells], [("torch", 2.0), ("compile", 0.75)])

    def test_summary(self):
        _, body, _ = behind.summary_table(self.cub(), ["G", "H"])
        self.assertEqual(body[0][2], "not recorded")
        self.assertEqual(body[2], ["G", "cub::DeviceTransform", "3", "2", "1", "0", "0.995", "01 elu, f16, 1024², cold"])
        self.assertEqual(body[3][2:7], ["1", "1", "1", "1", "0.900"])
        self.assertEqual([row[2] for row in body[4:]], ["not recorded"] * 4)

    def test_cells(self):
        _, body, _ = behind.cells_table(self.cub(), str)
        self.assertEqual(body, [
            ["G", "cub::DeviceTransform", "01_elu", "elu", "f16", "cold", "1024² 0.995, 1024×2048 ≈0.999", "1 of 2"],
            ["G", "CUB's block primitives", "01_elu", "sum", "f32", "warm", "8×2 0.900", "all"]])

    def test_what_is_below_one_shows_as_below_one(self):
        self.assertEqual([behind.cut(ratio) for ratio in (0.99999, 0.98999, 1.0, 2.0)],
                         ["0.999", "0.989", "1.000", "2.000"])


class ReportBehindTest(made_up.Repository):
    """In a made-up repository."""

    def test_part(self):
        self.put("01_elu/results/h200.json", OWN)
        self.put("01_elu/results/h200_torch.json", TORCH)
        self.put("01_elu/results/headline.json", {"climb": {}, "against": [], "operators": OPERATORS})
        lines = self.block("behind")
        self.assertEqual(len(lines), 11)
        self.assertIn("| H200 | torch.compile | 1 | 1 | 1 | 1 | 0.750 |", lines[3])
        self.assertIn("| H100 | PyTorch | not recorded |", lines[6])
        self.assertIn("H200, beside CUB of CUDA None: None (01); H200, beside PyTorch None: None (01).", lines[10])
        lines = self.block("behind of=cells")
        self.assertEqual(lines[2], "| H200 | torch.compile | [01](README.md) | elu | f16 | cold | 2² 0.750 | all |")
        self.assertEqual(len(lines), 5)

    def test_profile(self):
        self.put("01_elu/results/h200.json", OWN)
        self.put("01_elu/results/headline.json", {"climb": {}, "against": [], "operators": OPERATORS})
        shapes = [("4x4", "warm", 2.0), ("2x8", "warm", 2.0), ("2x2", "cold", 2.0)]
        self.put("01_elu/results/h200_torch.json", run(rows("elu", "{}_f16", "f16", {
            "bound": shapes, "torch": [("4x4", "warm", 1.9), ("2x8", "warm", 1.8), ("2x2", "cold", 1.0)],
            "compile": [("4x4", "warm", 1.96), ("2x8", "warm", 2.0), ("2x2", "cold", 1.99)]})))
        self.assertEqual(self.block("behind of=ncu"), [report.NO_RUN])
        entry = {"part": "1 of 1", "threads": 128, "elements_per_thread": 8, "registers": 16, "duration_us": 2.5, "dram_pct": 80,
                 "occupancy_pct": 70, "instructions_per_element": 3, "stalls": {"selected": 9, "wait": 2, "long_scoreboard": 4}}
        names = ["bound_f16/4x4/warm", "torch_f16/4x4/warm", "compile_f16/4x4/warm"]
        self.put("01_elu/results/h200_behind_ncu.json", {"context": {"commit": "abc"}, "ncu": [
            {"rung": f"elu/{name}", **entry} for name in names]})
        lines = self.block("behind of=ncu")
        figures = "| 128 × 8 | 16 | 2.500 | 80.0 | 70.0 | 3.00 | long scoreboard 4.00 |"
        # 2x8 is lower, and the same launch; 4x4 is profiled.
        self.assertEqual([" ".join(line.split()) for line in lines[2:]], [f"| {who} {figures}" for who in (
            "H200 01 elu, f16, 4², warm | ours", "| PyTorch, 0.950", "| torch.compile, 0.980")] + [
                "Profiled at these commits: H200 abc. Not profiled: H200 01 elu, f16, 2², cold."])

    def test_wrong_and_none(self):
        self.assertIn("unknown of=x", self.refused("behind of=x"))
        self.assertEqual(self.block("behind"), [report.NO_RUN])


if __name__ == "__main__":
    unittest.main()

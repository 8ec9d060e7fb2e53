"""Tests of behind.py, where a peer is faster. All numbers are made up."""

import unittest

import folders
import behind
import runs


def run(benchmarks):
    return {"context": {"backend": "cuda", "gpu": "NVIDIA H200"}, "benchmarks": benchmarks}


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

    def test_of_a_view_the_faster_peer_and_the_lowest_cell(self):
        rows = {f"{case}/{who}/{regime}": {"median_us": us} for case, who, regime, us in (
            ("sum_f16_2^20", "bound", "cold", 10.0), ("sum_f16_2^20", "torch", "cold", 9.0), ("sum_f16_2^20", "compile", "cold", 9.5),
            ("sum_f16_2^24", "bound", "warm", 10.0), ("sum_f16_2^24", "compile", "warm", 8.0),
            ("elu_f16_2^24", "bound", "warm", 10.0), ("elu_f16_2^24", "torch", "warm", 10.0), ("copy_f16_2^24", "torch", "cold", 1.0))}
        cells = behind.views(rows, ["sum_f16_2^20", "sum_f16_2^24", "elu_f16_2^24", "copy_f16_2^24"])
        self.assertEqual([tuple(one) for one in cells], [("sum_f16", "2^20", "cold", 0.9, "torch"),
                                                         ("sum_f16", "2^24", "warm", 0.8, "compile"), ("elu_f16", "2^24", "warm", 1.0, "torch")])
        self.assertEqual(behind.lowest_views(cells), [cells[1]])



if __name__ == "__main__":
    unittest.main()

"""Tests of behind.py, where a peer is faster: what the pages cannot show of it (report.py --check makes those again). All
numbers are made up."""

import unittest

import folders
import behind
import runs


class BehindTest(unittest.TestCase):
    def cells(self, *rows):
        """Of rows (rung, kind, microseconds, more)."""
        rows = [{"name": f"sum/{rung}/8x2/warm", "run_type": "iteration", "label": f"f32 {kind}", "median_us": us, **more}
                for rung, kind, us, more in rows]
        return behind.cub_cells(runs.Run("x.json", {"context": {"gpu": "G"}, "benchmarks": rows}), "G", "06_sum", {})

    def test_a_peer_is_never_left_out_in_silence(self):
        with self.assertRaisesRegex(runs.ToolError, "no sum/sum_f32_operator_block at 8x2, warm.*headline.json"):
            self.cells(("sum_f32_cub_block", "peer", 9.0, {}), ("sum_f32", "rung", 10.0, {}))

    def test_a_failed_row_is_no_cell(self):
        self.assertEqual(self.cells(("cub_f32", "peer", 1.0, {"error_occurred": True, "error_message": "no"}),
                                    ("operator_f32", "rung", 1.0, {})), [])
        self.assertEqual(len(self.cells(("cub_f32", "peer", 1.0, {}), ("operator_f32", "rung", 1.0, {}))), 1)


if __name__ == "__main__":
    unittest.main()

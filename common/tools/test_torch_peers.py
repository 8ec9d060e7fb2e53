"""Tests of common/torch/peers.py without PyTorch: what it says then, its shapes and its rows."""

import contextlib
import io
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "torch"))
import peers
import runs


class PeersTest(unittest.TestCase):
    def test_every_chapters_file_compiles(self):
        files = list(runs.ROOT.glob("[0-9][0-9]_*/torch_peers.py"))
        self.assertTrue(files)
        for file in files:
            compile(file.read_text(encoding="utf-8"), str(file), "exec")

    def test_without_pytorch(self):
        with mock.patch.dict(sys.modules, {"torch": None}), \
                contextlib.redirect_stderr(io.StringIO()):
            with self.assertRaisesRegex(runs.ToolError, "PyTorch is not installed"):
                peers.main(["01_elu", "nowhere.json"])

    def test_unknown_chapter(self):
        with self.assertRaisesRegex(runs.ToolError, "there is no chapter 99_none"):
            peers.main(["99_none", "nowhere.json"])

    def test_the_grid_is_the_benchmarks(self):
        shapes = peers.on_grid(inputs=2)
        self.assertEqual(len(shapes), 10)
        self.assertIn(("1024x4096", [(1024, 4096)] * 2, (1024, 4096)), shapes)
        self.assertEqual(shapes[-1][0], "16384x16384")

    def test_a_row_reads_as_one_of_a_benchmark(self):
        case = peers.Case("elu", "torch_f16", "f16", [], None)
        row = peers.row(case, "1024x1024", "cold", [2e-6, 4e-6, 2e-6], moved=4_000_000)
        run = runs.Run("x.json", {"context": {"gpu": "G"}, "benchmarks": [row]})
        self.assertEqual(len(run.rows), 1)
        only = run.rows[0]
        self.assertEqual((only.ladder, only.rung, only.shape, only.regime, only.dtype, only.kind),
                         ("elu", "torch_f16", "1024x1024", "cold", "f16", "peer"))
        self.assertAlmostEqual(only.median_us, 2.0)
        self.assertAlmostEqual(only.gbps, 2000.0)


if __name__ == "__main__":
    unittest.main()

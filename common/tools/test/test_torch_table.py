"""Tests of common/torch without PyTorch: what it says then, its shapes, its rows, its arithmetic."""

import sys
import unittest
from pathlib import Path
from unittest import mock

import folders
sys.path.insert(0, str(Path(__file__).parents[2] / "torch"))
import cases
import elementwise_tutorial
import runs
import synthetic
import table
import timing
import views


def nothing(*_):
    """Stands for an operator."""


class TableTest(synthetic.Scratch):
    def test_every_chapters_files_compile(self):
        files = [*runs.ROOT.glob("[0-9][0-9]_*/proof/peers/*torch*.py"), *(runs.ROOT / "common/torch").glob("*.py")]
        self.assertGreater(len(files), 15)
        for file in files:
            compile(file.read_text(encoding="utf-8"), str(file), "exec")

    def test_every_chapter_is_bound_and_tested(self):
        folders = elementwise_tutorial.bound_chapters()
        self.assertEqual(folders, runs.find_chapters())
        for folder in folders:
            self.assertTrue((folder / "proof/peers/test_torch.py").exists(), folder)
            self.assertTrue((folder / "proof/peers/torch_peers.py").exists(), folder)

    def test_without_pytorch(self):
        with mock.patch.dict(sys.modules, {"torch": None}):
            for call, chapter in ((table.main, ["01_elu"]), (elementwise_tutorial.load, "01_elu")):
                with self.assertRaisesRegex(runs.ToolError, "PyTorch is not installed for .*; install"):
                    synthetic.printed(call, chapter)

    def test_unknown_chapter(self):
        with self.assertRaisesRegex(runs.ToolError, "there is no chapter 99_none"):
            table.main(["99_none"])

    def test_the_grid_is_the_benchmarks(self):
        shapes = cases.on_grid(inputs=2)(cases.GRID)
        self.assertEqual(len(shapes), 10)
        self.assertIn(("1024x4096", [(1024, 4096)] * 2, (1024, 4096)), shapes)
        self.assertEqual(shapes[-1][0], "16384x16384")
        self.assertEqual(cases.on_grid()(cases.SMALL_GRID)[0], ("64x64", [(64, 64)], (64, 64)))

    def test_a_case_names_its_rows(self):
        case = cases.Case("elu/{}_f16", "f16", cases.on_grid(), nothing, nothing)
        self.assertEqual([case.named(who) for who in ("torch", "compile", "bound")],
                         ["elu/torch_f16", "elu/compile_f16", "elu/bound_f16"])
        self.assertEqual((case.ladder, case.out_dtype, case.label), ("elu", "f16", "f16"))

    def test_a_row_reads_as_one_of_a_benchmark(self):
        for kind in ("peer", "bound"):
            row = timing.row("elu/torch_f16/1024x1024/cold", "f16", kind, "W", [2e-6, 4e-6, 2e-6],
                             moved=4_000_000)
            run = runs.Run("x.json", {"context": {"gpu": "G"}, "benchmarks": [row]})
            only = run.rows[0]
            self.assertEqual((only.ladder, only.rung, only.shape, only.regime, only.dtype, only.kind, only.form),
                             ("elu", "torch_f16", "1024x1024", "cold", "f16", kind, "W"))
            self.assertAlmostEqual(only.median_us, 2.0)
            self.assertAlmostEqual(only.gbps, 2000.0)

    def test_what_spreads_is_measured_again(self):
        steady, unsteady, worse = [10.0] * 15, [10.0] * 12 + [11.0] * 3, [10.0] * 12 + [12.0] * 3
        self.assertEqual([timing.spread_pct(one) for one in (steady, unsteady, worse)], [0, 10, 20])
        for measured, kept, left in (([steady, worse], steady, 1), ([worse, steady, unsteady], steady, 1),
                                     ([worse, unsteady, worse, steady], unsteady, 1)):
            self.assertEqual(timing.steadiest(lambda: measured.pop(0)), kept)
            self.assertEqual(len(measured), left)

    def test_calls_take_turns_on_the_sets(self):
        seen = []
        call = timing.into(lambda inputs, out: seen.append((inputs, out)))([("a", "b"), ("c", "d")])
        for i in range(3):
            call(i)
        self.assertEqual(seen, [("a", "b"), ("c", "d"), ("a", "b")])

    def test_results_without_out_are_kept_until_their_turn(self):
        alive = set()

        class Result:
            def __init__(self, inputs):
                self.inputs = inputs
                alive.add(inputs)

            def __del__(self):
                alive.discard(self.inputs)

        names = iter("abcd")
        call = timing.allocating(lambda _: Result(next(names)))([(0, 0)] * 3)
        for i in range(4):
            call(i)
        self.assertEqual(alive, {"b", "c", "d"})

    def test_names_in_the_table(self):
        rung = table.writing("elu/f16x8_pack_called", "bound", nothing)
        whole = table.writing("elu/bound_f16", "bound", nothing)
        self.assertEqual([table.printed(one) for one in (rung, whole)],
                         ["out_f16x8_pack", "out_bound_f16"])
        self.assertEqual(table.shown([0.024398028, -0.88201714]), "['0.02439803 ', '-0.88201714']")
        self.assertEqual(table.shown([True]), "['True       ']")

    def test_summary(self):
        case = cases.Case("elu/{}_f16", "f16", cases.on_grid(), nothing, nothing, nothing)
        rows = [{"name": f"elu/{who}_f16/{shape}/cold", "median_us": time}
                for who, times in (("bound", (1, 2)), ("torch", (2, 16)))
                for shape, time in zip(("1x1", "2x2"), times)]
        lines = table.summary(rows, [case])
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[1], r"elu/bound_f16 +cold +PyTorch / ours +4\.000x +2\.000x +8\.000x +2$")

    @staticmethod
    def made_up():
        """(a PyTorch that notes what it is told, the events in order)."""
        log, torch = [], mock.MagicMock()
        torch.cuda.profiler.start, torch.cuda.profiler.stop = (lambda: log.append("start")), lambda: log.append("stop")
        torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop = log.append, lambda: log.append("pop")
        return torch, log

    def profiled(self, *rows):
        """What --profile does with a made-up PyTorch: (the rows, the events in order)."""
        torch, log = self.made_up()
        case = cases.Case("elu/{}_f16", "f16", cases.on_grid(), lambda x, y: log.append("torch"), nothing,
                          lambda x, y: log.append("ours"), compiled=False)
        one = table.Table(torch, runs.find_chapter("elu"), mock.Mock(profile=rows))
        with mock.patch.object(timing, "sets_of", lambda *_: [(["x"], mock.MagicMock())]), \
                mock.patch.multiple(table, check=nothing, expected=nothing, shown=nothing):
            synthetic.printed(one.profile, [case])
        return one.rows, log

    def test_what_ncu_sees(self):
        names = [f"elu/{who}_f16/1024x4096/warm" for who in ("bound", "torch")]
        found, log = self.profiled(names[0])
        self.assertEqual(found, [{"name": name, "calls": 3} for name in names])
        calls = [event for name, who in zip(names, ("ours", "torch")) for event in 3 * [name, who, "pop"]]
        self.assertEqual(log, ["ours", "torch", "start", *calls, "stop"])
        for wrong in ("elu/bound_f16/3x3/warm", "elu/bound_f16/1024x1024", "elu/torch_f16/1024x1024/cold"):
            with self.assertRaisesRegex(runs.ToolError, f"--profile {wrong}: 01_elu has no .*elu/bound_f16/1024x1024/cold$"):
                self.profiled(wrong)

    def test_what_ncu_sees_of_a_view(self):
        rows, (torch, log) = [], self.made_up()
        ours = mock.Mock(begin=lambda sets: lambda i: log.append(sets[i % 1]))
        views.profile(torch, "add_f32_at_0_1_2^28", 8, [("bound", ours)], "x", "cold", rows.append)
        name = "add_f32_at_0_1_2^28/bound/8/cold"
        self.assertEqual(rows, [{"name": name, "calls": 3}])
        self.assertEqual(log, ["start", *3 * [name, "x", "pop"], "stop"])

    def test_a_build_that_fails_is_one_line(self):
        with mock.patch.object(elementwise_tutorial, "ROOT", self.root):
            log = self.root / "logs" / "x.log"
            command = [sys.executable, "-c", "print('fine'); print('a.cpp:1: error: no'); exit(1)"]
            with self.assertRaisesRegex(runs.ToolError, r"^building x failed: a.cpp:1: error: no \(log: "):
                elementwise_tutorial.run_quietly(command, "building x", log)
            with self.assertRaisesRegex(runs.ToolError, "no_such_program is not installed"):
                elementwise_tutorial.run_quietly(["no_such_program"], "building x", log)

    def test_the_backend_of_a_build_folder(self):
        cache = self.root / "CMakeCache.txt"
        self.assertEqual(elementwise_tutorial.built_for(cache), "")
        self.put(cache.name, "A:BOOL=ON\nTUTORIAL_BACKEND:UNINITIALIZED=cuda\n")
        self.assertEqual(elementwise_tutorial.built_for(cache), "cuda")


if __name__ == "__main__":
    unittest.main()

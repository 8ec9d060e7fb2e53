#!/usr/bin/env python3
"""./tutorial export: a file of its own that says what it needs and no more, compiles, and computes the right results.

With TUTORIAL_EVERY_EXPORT=1 every rung is compiled by plain nvcc, where there is one, and run on the executor.
"""

import concurrent.futures
import os
import re
import shutil
import unittest

import folders  # noqa: F401
import export
import runs
import synthetic

#: A launcher as a whole, of tensors and of matrices; an overlap; at last the one that is broken.
SOME = (("arithmetic", "strided_fast_f16_1C11"), ("primitives", "cumsum_f16_odd"), ("elu", "e4m3x16_pack"), ("elu", "f16x8_pack_poly"))
EVERY = os.environ.get("TUTORIAL_EVERY_EXPORT") == "1"
OURS = re.compile(r'\btutorial::|\bdetail::|#include "|TUTORIAL_|\bPair<|\bPairOf\b')


def call(*words, cwd):
    return synthetic.ran(runs.ROOT / "tutorial", *words, cwd=cwd)


def chapters():
    """Those that have kernels to export, and a recorded GPU that says how exact these are."""
    return [path for path in runs.find_chapters() if export.names(path) and (path / "results/h200.json").exists()]


def some(folder):
    names = export.names(folder)
    return names if EVERY else names[::max(1, len(names) // 2)]


class TheText(unittest.TestCase):
    def test_names_nothing_of_this_repository(self):
        for folder in chapters():
            for name in some(folder):
                with self.subTest(f"{folder.name} {name}"):
                    code = re.sub("//.*", "", export.text_of(folder, name))
                    self.assertIsNone(OURS.search(code), OURS.search(code))
                    if "launch_with" in code:
                        continue  # a launcher as a whole
                    self.assertNotRegex(code, r"if constexpr \(\w+::\w+ == \w+::")
                    self.assertEqual("wait_for_previous_grid" in code, "cudaLaunchKernelEx" in code)
                    for function in re.findall(r"(?m)^__device__ __forceinline__ [\w:<>, ]+ (\w+)\(", code):
                        self.assertGreater(len(re.findall(rf"\b{function}\b", code)), 1, f"nothing calls {function}")

    def test_every_recorded_rung_is_exported_or_refused_in_a_sentence(self):
        for folder in runs.find_chapters():
            if not (folder / "results/h200.json").exists():  # a new chapter
                continue
            known = export.names(folder)
            recorded = {rung["rung"] for ladder in runs.load_json(folder / "results/h200.json")["ladders"]
                        for rung in ladder["rungs"] if rung["kind"] == "rung" and "backward" not in ladder["ladder"]}
            self.assertTrue(recorded, folder)
            for name in sorted(recorded - set(known)):
                self.assertIn(": export" if "operator" in name else ":", export.why_not(folder, name) or "", f"{folder.name} {name}")
            self.assertFalse([name for name in known if export.why_not(folder, name)], folder)

    def test_overloads_for_other_types_are_left_out(self):
        text = export.text_of(runs.find_chapter("elu"), "f16x8_pack_poly")
        self.assertNotIn("bfloat", re.sub("//.*", "", text))
        self.assertIn("half2 operator()(half2 x)", text)
        self.assertIn("Permission is hereby granted", text)


class TheFile(synthetic.Scratch):
    def write(self, path, folder, name):
        """Exports a rung into a file."""
        self.put(path, export.text_of(folder, name))
        return self.root / path

    def test_is_not_written_where_something_is_wrong(self):
        there = self.put("there.cu", "mine\n")
        for words, sentence in ((["export"], "export needs a chapter and a rung"), (["export", "elu", "none"], "no rung none"),
                                (["export", "elu", "operator_f16"], "export that one"),
                                (["export", "elu", "f16", "-o", "there.cu"], "--force writes over it"),
                                (["export", "elu", "f16", "-o", "no/such.cu"], "no/such.cu cannot be written")):
            done = call(*words, cwd=self.folder)
            self.assert_refused((done.returncode, done.stdout, done.stderr), sentence)
        self.assertEqual([path.name for path in self.root.iterdir()], ["there.cu"])
        self.assertEqual(runs.read_text(there), "mine\n")
        self.assertEqual(call("export", "elu", "f16", "-o", "there.cu", "--force", cwd=self.folder).returncode, 0)
        self.assertIn("elu_f16_kernel<<<", runs.read_text(there))

    def test_runs_and_finds_what_is_broken(self):
        chosen = [(folder, name) for folder in chapters() for name in export.names(folder)] if EVERY else \
            [(runs.find_chapter(chapter), name) for chapter, name in SOME]
        for folder, name in chosen:
            path = self.write(f"{name}.cu", folder, name)
            with self.subTest(f"{folder.name} {name}"):
                done = call("run", "--backend", "cpu", path.name, cwd=self.folder)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(": right (", done.stdout)
        self.put(path.name, runs.read_text(path).replace("i + kWidth <= n", "i + kWidth < n - 99").replace("0.49997746f", "0.49f"))
        if not EVERY:
            done = call("run", "--backend", "cpu", path.name, cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn(": wrong (", done.stdout)

    @unittest.skipUnless(EVERY and shutil.which("nvcc"), "every rung: with TUTORIAL_EVERY_EXPORT=1, and nvcc on PATH")
    def test_plain_nvcc_takes_every_rung(self):
        def compile(folder, name):
            path = self.write(f"{folder.name}_{name}.cu", folder, name)
            done = synthetic.ran("nvcc", path.name, "-o", path.stem, cwd=self.folder)
            return f"{folder.name} {name}", done.returncode, done.stdout + done.stderr

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, code, output in pool.map(lambda one: compile(*one), [(f, n) for f in chapters() for n in export.names(f)]):
                with self.subTest(name):
                    self.assertEqual((code, output), (0, ""))


if __name__ == "__main__":
    unittest.main()

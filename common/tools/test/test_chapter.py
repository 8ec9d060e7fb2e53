#!/usr/bin/env python3
"""./tutorial CHAPTER: one screen, whose files are there and whose commands name what there is."""

import re
import unittest

import folders  # noqa: F401
import runs
import synthetic


def show(*words):
    return synthetic.ran(runs.ROOT / "tutorial", *words, cwd=runs.ROOT)


class OneScreen(unittest.TestCase):
    def test_of_every_chapter(self):
        for folder in runs.find_chapters():
            with self.subTest(folder.name):
                done = show(runs.ladder_of_chapter(folder))
                self.assertEqual(done.returncode, 0, done.stderr)
                lines = done.stdout.splitlines()
                self.assertLessEqual(len(lines), 20)
                self.assertLessEqual(max(map(len, lines)), 80)
                for path in re.findall(r"\S+\.(?:cuh|md)\b", done.stdout):
                    self.assertTrue((runs.ROOT / path).exists() or (folder / path).exists(), path)
                if not (folder / "results").exists():
                    continue
                run = runs.load_run(folder / "results" / f"{runs.shown()['main']}.json")
                rung, = re.findall(r"(?m)^  (\w+).*the fastest$", done.stdout)
                row = next(row for row in run.rows if row.rung == rung and row.regime == "cold" and f"{row.gbps:.0f}" in done.stdout)
                self.assertGreater(row.copy_pct, 95)
                self.assertIn(f"bench {runs.ladder_of_chapter(folder)} {rung}", done.stdout)

    def test_by_number_and_folder_too(self):
        self.assertEqual(show("1").stdout, show("01_elu").stdout)
        self.assertIn("there is no command 'relu7'", show("relu7").stderr)


if __name__ == "__main__":
    unittest.main()

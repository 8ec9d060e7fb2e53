"""The bindings of all chapters in one process: the promises of every operator."""

from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import elementwise_tutorial
import runs
import support

CHAPTERS = [chapter.name for chapter in elementwise_tutorial.bound_chapters()]


class AllChaptersTest(support.BindingTest):
    chapter, *also = CHAPTERS

    def every(self):
        return [one for chapter in CHAPTERS for one in elementwise_tutorial.bound(chapter)]

    def test_every_operator_is_there_in_both_forms(self):
        self.assertGreater(len(self.every()), 150)
        for one in self.every():
            with self.subTest(one.name):
                operator = getattr(self.ops, one.name)
                overloads = [name for name in operator.overloads() if not name.startswith("Scalar")]
                self.assertEqual(sorted(overloads), ["default", "out"])
                self.assertIn("!", str(operator.out._schema))

    def test_names_are_unique(self):
        names = [one.name for one in self.every()]
        self.assertEqual(len(names), len(set(names)))

    def test_every_rung_of_the_ladders_is_bound(self):
        """The bindings take the tables that the tests and the benchmarks take."""
        for chapter, least in zip(CHAPTERS, (18, 40, 18, 40, 30, 13)):
            rungs = [one for one in elementwise_tutorial.bound(chapter) if one.kind != "operator"]
            self.assertGreaterEqual(len(rungs), least, chapter)
            self.assertEqual(sum(one.kind == "yours" for one in rungs), 1, chapter)

    def test_chapters_meet_in_one_process(self):
        torch = support.torch
        for device in self.devices:
            x = support.sample((1000,), torch.float32, device)
            self.close(self.ops.elu(x), torch.nn.functional.elu(x))
            self.close(self.ops.swish(x), torch.nn.functional.silu(x))
            self.close(self.ops.primitives_elu(x), torch.nn.functional.elu(x))
            self.close(self.ops.add(x, x), x + x)

    def test_threads(self):
        """Operators may be called from several threads at once."""
        torch = support.torch
        x = support.sample((5000,), torch.float32, self.devices[0])
        wanted = torch.nn.functional.elu(x)
        with ThreadPoolExecutor(4) as pool:
            for y in pool.map(lambda _: self.ops.elu(x), range(40)):
                self.close(y, wanted)

    def test_an_unknown_chapter(self):
        with self.assertRaisesRegex(runs.ToolError, "there is no chapter 99_none"):
            elementwise_tutorial.load("99_none")

    def test_a_module_that_was_not_built(self):
        with mock.patch.dict("os.environ", {"TUTORIAL_TORCH_MODULES": "/nowhere"}), \
                mock.patch.object(elementwise_tutorial, "LOADED", {}):
            with self.assertRaisesRegex(runs.ToolError, "has no module of 01_elu for cpu"):
                elementwise_tutorial.load("01_elu", backends=["cpu"])


if __name__ == "__main__":
    support.run()

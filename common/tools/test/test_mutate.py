"""Tests of mutate.py, on a made-up table and source; nothing is compiled."""

import os
import subprocess
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import folders
import mutate
import runs
import synthetic
import verdicts

SOURCE = """void first(int i) {
  if (i < n) a();
}
void second(int i) {
  if (i < n) b();
}
""" + "\n" * mutate.WITHIN_LINES + "void third() { c(); }\n"


def entry(**more):
    """A fault of the made-up source; None takes a field away."""
    data = {"id": "second_guard", "file": "x.cuh", "after": "void second(", "old": "i < n",
            "new": "i <= n", "kind": "guard", "test": "x_test", **more}
    return {key: value for key, value in data.items() if value is not None}


def result(outcome="killed", fault=None, **more):
    fault = fault or mutate.Fault(entry())
    return {"id": fault.id, "fault": fault.digest, "outcome": outcome, **more}


class FaultTest(unittest.TestCase):
    def test_breaks_one_place(self):
        broken = mutate.Fault(entry()).apply(SOURCE)
        self.assertEqual(broken, SOURCE.replace("if (i < n) b();", "if (i <= n) b();"))
        broken = mutate.Fault(entry(after=None, old="a();", new="b();")).apply(SOURCE)
        self.assertEqual(broken, SOURCE.replace("a();", "b();"))

    def test_what_does_not_fit(self):
        for more, words in (
            ({"after": None}, "has 2 times"),
            ({"after": None, "old": "i > n"}, "has 0 times"),
            ({"after": "void "}, "has 3 times the text that it begins after"),
            ({"after": "void fourth("}, "has 0 times the text that it begins after"),
            ({"after": "void first(", "old": "c();"}, "does not have it within 40 lines"),
        ):
            with self.subTest(more), self.assertRaisesRegex(runs.ToolError, words):
                mutate.Fault(entry(**more)).place(SOURCE)

    def test_what_is_no_fault(self):
        for more, words in (
            ({"kind": "magic"}, "unknown kind magic"), ({"test": None}, "has no test"),
            ({"colour": "red"}, "unknown field colour"), ({"new": "i < n"}, "two pieces"),
            ({"old": "i <\nn"}, "two pieces of one line"), ({"old": ""}, "two pieces"),
        ):
            with self.subTest(more), self.assertRaisesRegex(runs.ToolError, words):
                mutate.Fault(entry(**more))

    def test_a_change_is_another_fault(self):
        same, other = mutate.Fault(entry(kind="tail")), mutate.Fault(entry(new="i >= n"))
        self.assertEqual(mutate.Fault(entry()).digest, same.digest)
        self.assertNotEqual(mutate.Fault(entry()).digest, other.digest)


class TableTest(synthetic.Scratch):
    def setUp(self):
        super().setUp()
        self.put("x.cuh", SOURCE)

    def load(self, *entries):
        return mutate.load_table(self.put("t.json", {"faults": list(entries)}))

    def test_names_are_unique(self):
        with self.assertRaisesRegex(runs.ToolError, "second_guard: two faults"):
            self.load(entry(), entry())

    def test_every_misfit_is_named(self):
        faults = self.load(entry(), entry(id="gone", old="nothing"),
                           entry(id="no_file", file="y.cuh"))
        problems = mutate.check(faults, self.root)
        self.assertEqual([problem.split(":")[0] for problem in problems],
                         ["gone", str(self.root / "y.cuh")])

    def test_the_real_table(self):
        faults = mutate.load_table()
        self.assertEqual({fault.kind for fault in faults}, set(mutate.KINDS))
        folders = {fault.file.split("/")[0] for fault in faults}
        self.assertEqual(folders, {"common"} | {path.name for path in runs.find_chapters(runs.ROOT)})
        for path in mutate.tables():
            for fault in mutate.load_table(path):
                self.assertEqual(fault.file.split("/")[0], path.parts[-3], fault.id)

    def test_choice(self):
        faults = self.load(entry(), entry(id="b", gpu="because"), entry(id="bb"))
        for only, backend, names in (
            ([], "cpu", ["second_guard", "bb"]), ([], "cuda", ["b"]), (["b*"], "cpu", ["bb"]),
            (["b"], "cpu", ["b"]), (["bb"], "cuda", ["bb"]),
        ):
            options = SimpleNamespace(only=only, backend=backend)
            with self.subTest(only=only, backend=backend):
                self.assertEqual([fault.id for fault in mutate.chosen(faults, options)], names)
        options = SimpleNamespace(only=["c*"], backend="cpu")
        with self.assertRaisesRegex(runs.ToolError, "no fault is called"):
            mutate.chosen(faults, options)

    def test_tables(self):
        faults = self.load(entry(), entry(id="same", equivalent="they are equal"),
                           entry(id="bad", new="i | n"), entry(id="gpu", gpu="only there"),
                           entry(id="crash", new="0"))
        results = [
            result(by="x: all | of it", how="check", order="reverse"),
            result("survived", faults[1]), result("survived", faults[2]),
            result("killed", faults[4], by=None, how="crash", order="forward")]
        rows = [list(row.values()) for row in mutate.summary(faults, results)]
        self.assertEqual(rows, [[name, 5, 2, 1, 1, 0, 1, 0, 1, 1] for name in ("x_test", "together")])
        told = [mutate.told(*pair) for pair in mutate.outcomes(faults, results)]
        self.assertEqual(told, ["x: all | of it, in reverse order", "nothing notices: they are equal",
                                "nothing notices: a test is missing", "not run: only there",
                                "the program as a whole, crashes"])

    def test_results_of_another_fault_do_not_count(self):
        results = [result(by="x", how="check", order="forward")]
        changed = self.load(entry(new="i >= n"))
        self.assertEqual(mutate.told(*mutate.outcomes(changed, results)[0]), "not run")

    def test_record_keeps_what_did_not_run(self):
        options = SimpleNamespace(backend="cpu", context={"compiler": "c", "commit": "1"})
        path = self.root / "r.json"
        faults = [mutate.Fault(entry()), mutate.Fault(entry(id="other"))]
        with mock.patch.object(mutate, "load_table", return_value=faults):
            mutate.record(path, {"other": result("survived", faults[1])}, options)
            mutate.record(path, {"second_guard": result()}, options)
        data = runs.load_json(path)
        self.assertEqual([one["id"] for one in data["results"]], ["second_guard", "other"])
        self.assertEqual(data["context"], {"cpu": options.context})


class VerdictTest(synthetic.Scratch):
    """What a verdict belongs to, in a made-up chapter."""

    FILES = {
        "01_x/x.cuh": "void second(int i) {  // why\n  if (i < n) b();\n}\n",
        "01_x/x.cu": "void launch() {}\n",
        "01_x/x_test.cpp": """#include "01_x/x.h"
#include "01_x/proof/x_reference.h"
#include "common/launch.cuh"
const int kMost = 3;
TEST_CASE("x: one",
          "[tag]") {
  REQUIRE(one);
}

TEMPLATE_TEST_CASE("x: "
                   "two", "", int, float) {
  REQUIRE(two);
}
""",
        "01_x/x.h": "", "common/launch.cuh": "",
        "01_x/proof/x_test_more.cpp": '#include "common/proof/judge.h"\nTEST_CASE("x: more") {\n  more();\n}\n',
        "01_x/proof/x_reference.h": '#include "common/proof/judge.h"\n',
        "01_x/proof/x_reference_table.cpp": "int table;\n",
        "common/proof/judge.h": "bool judge();\n",
        "common/proof/judging.cpp": '#include "common/proof/judge.h"\n#include "common/launch.cuh"\nbool judge() { return true; }\n',
        "common/proof/other.cpp": '#include "common/proof/other.h"\n#include "common/proof/judge.h"\n',
        "common/proof/other.h": "",
    }

    def setUp(self):
        super().setUp()
        for name, text in self.FILES.items():
            self.put(name, text)
        self.fault = mutate.Fault(entry(file="01_x/x.cuh", after=None, test="01_x_test"))

    def digest(self, by):
        return verdicts.Sources(self.root).digest(self.fault, by)

    def changes(self, name, old, new, by):
        """Whether a verdict of this case belongs to other sources after the edit."""
        before = self.digest(by)
        text = self.FILES[name]
        self.assertIn(old, text)
        self.put(name, text.replace(old, new))
        changed = self.digest(by) != before
        self.put(name, text)
        self.assertEqual(self.digest(by), before)
        return changed

    def test_what_counts(self):
        for name, old, new, by, counts in (
            ("01_x/x.cuh", "b();", "c();", "x: one", True),
            ("01_x/x.cuh", "b();", "b( ) ;  // said", "x: one", False),
            ("01_x/x.cuh", "why", "because", "x: one", False),
            ("01_x/x_test.cpp", "REQUIRE(one)", "CHECK(one)", "x: one", True),
            ("01_x/x_test.cpp", "REQUIRE(two)", "CHECK(two)", "x: one", False),
            ("01_x/x_test.cpp", "REQUIRE(two)", "CHECK(two)", "x: two - int", True),
            ("01_x/x_test.cpp", "kMost = 3", "kMost = 4", "x: one", True),
            ("01_x/x_test.cpp", "kMost = 3", "kMost = 4", "x: more", False),
            ("01_x/x_test.cpp", "REQUIRE(two)", "CHECK(two)", None, True),
            ("01_x/x_test.cpp", "REQUIRE(two)", "CHECK(two)", "a case that is gone", True),
            ("01_x/proof/x_test_more.cpp", "more()", "less()", "x: one", False),
            ("01_x/proof/x_test_more.cpp", "more()", "less()", None, True),
            ("01_x/proof/x_reference_table.cpp", "int", "long", "x: one", True),
            ("common/proof/judging.cpp", "true", "false", "x: one", True),
            ("common/proof/other.cpp", "other.h", "another.h", "x: one", False),
            ("01_x/x.cu", "launch", "launched", "x: one", False),
        ):
            with self.subTest(name=name, new=new, by=by):
                self.assertEqual(self.changes(name, old, new, by), counts)

    def test_what_is_owed(self):
        entry_of = lambda **more: {**result(fault=self.fault, by="x: one"), "belongs": self.digest("x: one"), **more}
        for results, why in (
            ([], "not run"), ([entry_of(fault="0")], "another fault"), ([entry_of(belongs="0")], "01_x/x.cuh, or what noticed it"),
            ([result(fault=self.fault, by="x: one")], "01_x/x.cuh, or what"), ([entry_of()], None),
        ):
            with self.subTest(why):
                found = mutate.owed([self.fault], results, verdicts.Sources(self.root))
                self.assertEqual([fault.id for fault, _ in found], [self.fault.id] * bool(why))
                self.assertTrue(not why or why in found[0][1], found)

    def test_the_real_sources(self):
        sources = verdicts.Sources(runs.ROOT)
        for test in {fault.test for fault in mutate.load_table()}:
            self.assertTrue(sources.of_program(test), test)
        texts = sources.texts("01_elu_test", "elu: every launcher keeps its promises")
        self.assertLessEqual({"01_elu/elu_test.cpp", "01_elu/proof/elu_reference.h", "common/proof/promises.cpp"}, set(texts))
        self.assertIn("06_primitives/proof/test_kernels_block.cu", sources.texts("06_primitives_test", None))


#: A build system and a test program in one: "compiling" copies the source, and the program fails
#: where the source is broken.
PROGRAM = """#!/bin/sh
case $1 in
  --abort) printf '<TestCase name="x: one &amp; all"/>' ;;
  x:*) printf '<TestCase name="%s"/>' "$1" ;;
esac
if grep -q '^# sleep' "$0"; then exec sleep 60; fi
if grep -q '^# crash' "$0"; then kill -SEGV $$; fi
if grep -q '^# unordered' "$0" && [ "$TUTORIAL_CPU_ORDER" = reverse ]; then exit 1; fi
! grep -q '^# wrong' "$0"
"""


class CopyTest(synthetic.Scratch):
    """A Copy whose cmake is a line of Python."""

    def setUp(self):
        super().setUp()
        self.copy = mutate.Copy(self.root, SimpleNamespace(backend="cpu"))
        self.source = Path(synthetic.write(self.copy.tree, "x.cuh", "fine\n"))
        self.copy.make = self.make
        self.copy.prepare_target("x_test")
        self.before = self.state()

    def make(self, target):
        text = self.source.read_text(encoding="utf-8")
        synthetic.script(self.copy.build / target, PROGRAM + "# " + text)
        synthetic.write(self.copy.build, f"{len(text)}.o", text)
        return subprocess.CompletedProcess([], int("broken" in text), "x.cuh:1: error: no such thing\n")

    def state(self):
        return {path.name: path.read_bytes() for path, _ in self.copy.files()}

    def outcome(self, new, limit=60.0, last=None):
        fault = mutate.Fault(entry(after=None, old="fine", new=new))
        synthetic.write(self.copy.tree, "x/x_test.cpp", "int main() {}\n")
        outcome = self.copy.breaks(fault, {"x_test": limit}, last)
        self.assertEqual(outcome["belongs"], verdicts.Sources(self.copy.tree).digest(fault, outcome.get("by")))
        self.assertEqual(self.source.read_text(encoding="utf-8"), "fine\n")
        self.assertEqual(self.state(), self.before)
        return {key: outcome.get(key) for key in ("outcome", "by", "how", "order")}

    def test_a_record_made_in_parts_names_them_all(self):
        context = mutate.together({"compiler": "g++ 12", "commit": "a1"},
                                  {"compiler": "g++ 13", "commit": "a1"})
        self.assertEqual(context, {"compiler": "g++ 12, g++ 13", "commit": "a1"})
        self.assertEqual(mutate.together({}, {"commit": "a1"}), {"commit": "a1"})

    def test_outcomes(self):
        killed = {"outcome": "killed", "by": "x: one & all", "how": "check", "order": "forward"}
        self.assertEqual(self.outcome("wrong"), killed)
        self.assertEqual(self.outcome("crash"), {**killed, "how": "crash"})
        self.assertEqual(self.outcome("unordered"), {**killed, "order": "reverse"})
        self.assertEqual(self.outcome("sleep", 0.5)["how"], "timeout")
        self.assertEqual(self.outcome("as well")["outcome"], "survived")
        self.assertEqual(self.outcome("broken")["outcome"], "not built")

    def test_the_case_of_last_time_goes_first(self):
        self.assertEqual(self.outcome("wrong", last="x: two, [three]")["by"], "x: two\\, \\[three]")
        self.assertEqual(self.outcome("wrong", last="gone")["by"], "x: one & all")
        self.assertEqual(self.outcome("as well", last="x: two")["outcome"], "survived")

    def test_a_stopped_run_is_mended(self):
        saved = Path(synthetic.write(self.copy.kept, "source/x.cuh", "fine\n"))
        os.utime(saved, (1, 1))
        self.source.write_text("wrong\n", encoding="utf-8")
        self.copy.restore_sources()
        self.assertEqual(self.source.read_text(encoding="utf-8"), "fine\n")
        self.assertGreater(self.source.stat().st_mtime, 1, "older than the broken one's objects")
        self.assertFalse(saved.exists())


class WorkTest(unittest.TestCase):
    def work(self, tests, **options):
        """Work on three faults of each program, with a copy that does what it is told."""
        faults = [mutate.Fault(entry(id=f"{test}{i}", test=test)) for i in range(3) for test in tests]
        work = mutate.Work(faults, SimpleNamespace(**{"minutes": None, "json": None, "backend": "cpu", **options}), mock.Mock())
        work.copy.test.return_value = None
        work.copy.breaks.return_value = {"outcome": "killed", "by": "x", "how": "check", "order": "forward", "seconds": 1}
        return work

    def test_faults_of_a_program_are_tried_together(self):
        work = self.work("ab")
        synthetic.printed(work.run)
        self.assertEqual(list(work.results), ["a0", "a1", "a2", "b0", "b1", "b2"])
        self.assertGreaterEqual(work.limits["a"], 30)

    def test_the_time_is_up(self):
        work = self.work("a", minutes=-1.0)
        synthetic.printed(work.run)
        self.assertEqual([fault.id for fault in work.left], ["a1", "a2"])  # one is tried, or a run would bring nothing

    def test_an_unbroken_program_must_pass(self):
        work = self.work("ab")
        work.copy.test.side_effect = lambda test, order: {"by": "x: one", "how": "check"} if test == "a" else None
        self.assertIn("a fails as it is: x: one", synthetic.printed(work.run)[1])
        self.assertEqual((len(work.problems), list(work.results)), (1, ["b0", "b1", "b2"]))

    def test_parts_are_the_whole(self):
        faults = [mutate.Fault(entry(id=f"{test}{i}", test=test)) for i in range(5) for test in ("a", "b")]
        parts = [[fault.id for fault in mutate.part_of(faults, f"{k}/3")] for k in (1, 2, 3)]
        self.assertEqual(parts, [["a0", "a1", "a2"], ["a3", "a4", "b0"], ["b1", "b2", "b3", "b4"]])
        for part in ("0/3", "4/3", "2", "a/b"):
            with self.subTest(part), self.assertRaisesRegex(runs.ToolError, "as in 2/4"):
                mutate.part_of(faults, part)


if __name__ == "__main__":
    os.environ.pop("TUTORIAL_COMMIT", None)
    unittest.main()

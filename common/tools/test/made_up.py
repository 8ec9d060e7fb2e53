"""A made-up repository, in which the tests of report.py and of its parts run."""

import contextlib
import io
import sys
from unittest import mock

import folders
import report
import runs
import synthetic


class Repository(synthetic.Scratch):
    """A repository in a folder of its own, and what report.py makes of its page."""

    def setUp(self):
        super().setUp()
        patch = mock.patch.object(runs, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.put("common/results/shown.json", {"main": "h200", "second": "h100"})

    def put(self, name, data):
        return synthetic.write(self.root, name, data)

    def get(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def main(self, *arguments):
        """report.py's exit code and output."""
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["report.py", *arguments]), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            return report.main(), out.getvalue()

    def block(self, text, kind="report"):
        """The lines that a block becomes."""
        self.put("01_elu/README.md", f"<!-- {kind}:{text} -->\nold\n<!-- /{kind} -->\n")
        self.main()
        lines = self.get("01_elu/README.md").splitlines()
        self.assertEqual(lines[-1], f"<!-- /{kind} -->")
        return [line for line in lines[1:-1] if line]

    def refused(self, text):
        with self.assertRaises(runs.ToolError) as caught:
            self.block(text)
        self.assertRegex(str(caught.exception), r"^01_elu/README\.md:1: ")
        return str(caught.exception)

    def value(self, text):
        self.put("01_elu/README.md", f"is <!-- report:value {text} -->?<!-- /report -->.\n")
        self.main()
        return self.get("01_elu/README.md").split("-->")[1].split("<!--")[0]

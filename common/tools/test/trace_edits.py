#!/usr/bin/env python3
"""Whether ./tutorial trace shows what a reader changed in her rung.

    trace_edits.py RUNG PROGRAM=bytes,pattern,sectors,used...

PROGRAM sees a chapter's kernels, with one your_*.cuh or another (common/cmake/see.cmake), and
behind it is what the loads and stores of the rung's warp must show, as in
01_elu_see_strided=2,stride 16,16,12.5 %.
"""

import argparse
import contextlib
import io
import re
import sys
import unittest

import folders  # noqa: F401  (finds trace.py)

import trace


def accesses_of(program, rung):
    """{what a line says of an access of the warp}."""
    parser = argparse.ArgumentParser()
    trace.add_arguments(parser)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = trace.show(parser.parse_args([rung]), "", trace.ask(program, [rung]))
    rows = re.findall(r"^ *\d+(?:-\d+)? \S+ +(?:load|store) [xy] +(\d+) +32 +(\S+(?: \S+)*) +(\d+) +(\S+ %)$",
                      out.getvalue(), re.M)
    return code, {",".join(row) for row in rows}, out.getvalue()


class Edits(unittest.TestCase):
    rung, expected = "", []

    def test_each_edit_shows_its_own_accesses(self):
        self.assertGreater(len(self.expected), 1)
        for program, wanted in self.expected:
            code, found, text = accesses_of(program, self.rung)
            self.assertEqual((code, found), (0, {wanted}), text)


if __name__ == "__main__":
    Edits.rung, Edits.expected = sys.argv[1], [argument.split("=", 1) for argument in sys.argv[2:]]
    unittest.main(argv=sys.argv[:1])

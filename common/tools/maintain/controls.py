"""The control experiments' questions (common/controls/questions.json) beside what was measured.

The spec is {"ladder": NAME, "groups": [{"group": TITLE, "questions": [..]}]}. A question:

    {"question": "..",
     "a": RUNG, "b": RUNG,          the two variants; without "b" one value is asked for
     "of": "GBps",                  the number that is compared: GBps or a counter of the row
     "at": "16384x16384/cold",      the rows' shape and regime; a variant may bring its own as
                                    {"rung": RUNG, "at": ".."}
     "expect": [0.9, 1.1]}          written before the first run: where b's number over a's, or the one
                                    value, was expected; or {"h200": [..], "h100": [..]}

Whether an expectation held is computed, from the numbers as they are. A ratio that differs from 1 by less
than both rows' spreads together is marked with "=": no difference.
"""

import runs

UNITS = {"GBps": "GB/s", "median_us": "\u00b5s", "ns": "ns", "ns_per_block": "ns", "lanes_per_cycle": "",
         "copy_pct": "%", "inside_mhz": "MHz", "known_mhz": "MHz", "probe_mhz": "MHz", "sm_mhz": "MHz", "cycles": "",
         "sectors_per_ns": "/ns"}


class Question:
    """One line of the spec."""

    def __init__(self, ladder, data, where):
        self.ladder, self.data = ladder, data
        missing = [key for key in ("question", "a", "of", "at", "expect") if key not in data]
        if missing:
            raise runs.ToolError(f"{where}: a question lacks {missing[0]}: {data.get('question', data)}")

    def variant(self, key):
        """(rung, shape/regime) of a variant."""
        value = self.data[key]
        return (value["rung"], value["at"]) if isinstance(value, dict) else (value, self.data["at"])

    @property
    def paired(self):
        return "b" in self.data

    def expected(self, gpu):
        """(lowest, highest) on a GPU that a file calls h200 or h100; None where it was not foretold for that one."""
        expect = self.data["expect"]
        return expect.get(gpu) if isinstance(expect, dict) else expect

    def row(self, run, key):
        """The row of a variant, or None where the run has no such row, or one that failed."""
        rung, at = self.variant(key)
        name = f"{self.ladder}/{rung}/{at}"
        return next((row for row in run.rows if row.name == name and not row.failed), None)

    def number(self, row):
        return row.gbps if self.data["of"] == "GBps" else row.counters.get(self.data["of"])


class Answer:
    """What one run says to a question: the values of its variants, their ratio, and the verdict."""

    def __init__(self, question, run, gpu):
        rows = [question.row(run, key) for key in ("a", "b") if key in question.data]
        self.values = [None if row is None else question.number(row) for row in rows]
        self.complete = all(self.values)
        self.spread = sum(row.spread_pct for row in rows if row is not None)
        if not self.complete:
            return
        self.value = self.values[1] / self.values[0] if question.paired else self.values[0]
        self.same = question.paired and abs(self.value - 1) * 100 <= self.spread
        expected = question.expected(gpu)
        self.held = expected and expected[0] <= self.value <= expected[1]


def questions(spec, where, group):
    """The questions of a group, or of all."""
    groups = [one for one in spec.get("groups", []) if group in (None, one.get("group"))]
    if not groups:
        raise runs.ToolError(f"{where}: has no group {group}")
    return [Question(spec["ladder"], data, where) for one in groups for data in one["questions"]]

#!/usr/bin/env python3
"""Compares two recorded benchmark runs, row by row; with one file it draws that run's ladder.

    python3 common/tools/compare.py A.json [B.json] [--shape 4096x4096] [--regime cold]

A is "before" and B is "after". Rows are compared by GB/s (by time where a row has no GB/s); the
ratio is above 1 when B is faster. The verdict is "faster" or "slower" only when the change exceeds
the larger spread_pct of the two rows, which is the run's own (p90 - p10) / median; otherwise the
change is "within the spread". Rows that only one file has are listed.

A run on the CPU executor is not compared with a run on a GPU unless --across-backends says that
this is meant. Exit code: 0, or 2 when the files cannot be compared.
"""

import argparse
import sys

import ladder
import runs

WITHIN = "within the spread"


class Pair:
    """The same row before and after; either may be None when its file lacks it."""

    def __init__(self, before, after):
        self.before, self.after = before, after
        self.row = after or before

    @property
    def missing(self):
        return self.before is None or self.after is None

    @property
    def failed(self):
        return any(row is not None and row.failed for row in (self.before, self.after))

    @property
    def values(self):
        """(before, after) as speeds in one unit, or None where a row has no such number."""
        rows = (self.before, self.after)
        if all(row.gbps for row in rows):
            return tuple(row.gbps for row in rows)
        return tuple(row.elements / row.median_us if row.median_us else None for row in rows)

    @property
    def ratio(self):
        """Speed after over speed before, or None."""
        if self.missing or self.failed or None in self.values:
            return None
        before, after = self.values
        return after / before

    @property
    def spread_pct(self):
        return max(self.before.spread_pct, self.after.spread_pct)

    @property
    def verdict(self):
        """faster, slower, within the spread, or why there is nothing to compare."""
        if self.before is None:
            return "only in the second file"
        if self.after is None:
            return "only in the first file"
        if self.failed:
            return failure(self.before, self.after)
        if self.ratio is None:
            return "no time recorded"
        change = abs(self.ratio - 1.0) * 100.0
        if change <= self.spread_pct:
            return WITHIN
        return "faster" if self.ratio > 1.0 else "slower"


def failure(before, after):
    if before.failed and after.failed:
        return "failed in both files"
    return "failed in the first file" if before.failed else "failed in the second file"


def key_of(row):
    return (row.ladder, row.dtype, row.rung, row.shape, row.regime)


def merge_keys(first, second):
    """All keys: the second run's order, each row that only the first has after its predecessor."""
    merged = list(second)
    known = set(second)
    last = None
    for key in first:
        if key not in known:
            merged.insert(merged.index(last) + 1 if last in merged else 0, key)
            known.add(key)
        last = key
    return merged


def pair_rows(before, after):
    """A Pair for every row that either list has."""
    first = {key_of(row): row for row in before}
    second = {key_of(row): row for row in after}
    return [Pair(first.get(k), second.get(k)) for k in merge_keys(list(first), list(second))]


def by_rung_and_size(pairs):
    """The pairs with all sizes of a rung together, rungs in the order of the ladder."""
    order = {rung: place for place, rung in enumerate(runs.unique(p.row.rung for p in pairs))}
    return sorted(pairs, key=lambda p: (order[p.row.rung], p.row.elements))


def check_backends(first, second, across):
    """Refuses CPU against GPU; returns warning lines for what else makes a comparison doubtful."""
    if first.on_cpu != second.on_cpu:
        if not across:
            raise runs.ToolError(
                f"{first.path} ran on {first.device} and {second.path} on {second.device}: their "
                "times do not compare; add --across-backends if you mean it"
            )
        return ["Warning: one run is the CPU executor's, whose times say nothing about a GPU."]
    if first.on_cpu:
        return ["Both ran on the CPU executor: these times say nothing about a GPU."]
    if first.device != second.device:
        return [f"Warning: different GPUs: {first.device} before, {second.device} after."]
    return []


def cell(row):
    """A row's speed in the table: GB/s, else its time."""
    if row is None:
        return "-"
    if row.failed:
        return "failed"
    if row.gbps:
        return f"{row.gbps:.0f}" if row.gbps >= 100 else f"{row.gbps:.2f}"
    return f"{row.median_us:.1f} us" if row.median_us else "?"


def table_lines(pairs, paint):
    """The table of one ladder, dtype and regime."""
    name = max([len(p.row.rung) for p in pairs] + [4])
    shape = max([len(p.row.shape) for p in pairs] + [5])
    titles = f"  {'rung':<{name}}  {'shape':<{shape}}{'before':>11}{'after':>11}{'ratio':>8}  "
    lines = [titles + "verdict"]
    last = None
    for pair in pairs:
        rung = pair.row.rung if pair.row.rung != last else ""
        last = pair.row.rung
        ratio = f"{pair.ratio:.3f}" if pair.ratio else ""
        cells = f"{cell(pair.before):>11}{cell(pair.after):>11}{ratio:>8}"
        verdict = paint_verdict(pair, paint)
        lines.append(f"  {rung:<{name}}  {pair.row.shape:<{shape}}{cells}  {verdict}".rstrip())
    return lines


def paint_verdict(pair, paint):
    text = pair.verdict
    if text in ("faster", "slower"):
        text += f" (spread {pair.spread_pct:.1f} %)"
    colours = {"faster": "rung", "slower": "error"}
    name = text.split(" ")[0]
    return paint.style(text, colours[name]) if name in colours else text


def summary(pairs):
    """How many rows went which way."""
    counts = {}
    for pair in pairs:
        counts[pair.verdict] = counts.get(pair.verdict, 0) + 1
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def select(run, arguments):
    return run.select(shape=arguments.shape, regime=arguments.regime)


def compare(first, second, arguments, paint):
    """All lines of the comparison."""
    warnings = check_backends(first, second, arguments.across_backends)
    pairs = pair_rows(select(first, arguments), select(second, arguments))
    if not pairs:
        raise runs.ToolError("neither file has a row for that shape and regime")
    lines = warnings + [f"before: {first.path} ({runs.describe_context(first)})",
                        f"after:  {second.path} ({runs.describe_context(second)})"]
    if all(pair.missing for pair in pairs):
        lines.append("No row is in both files.")
    pairs = by_rung_and_size(pairs)
    groups = runs.unique((p.row.ladder, p.row.dtype, p.row.regime) for p in pairs)
    for group in groups:
        members = [p for p in pairs if (p.row.ladder, p.row.dtype, p.row.regime) == group]
        unit = " (GB/s)" if any(p.row.gbps for p in members) else ""
        lines += ["", paint.style(f"{group[0]} {group[1]} {paint.dot} {group[2]}{unit}", "title")]
        lines += table_lines(members, paint)
    return lines + ["", summary(pairs)]


def parse_arguments():
    parser = argparse.ArgumentParser(description="Compares two benchmark runs.")
    parser.add_argument("before", help="a benchmark result (JSON)")
    parser.add_argument("after", nargs="?", help="another one; without it, A's ladder is drawn")
    parser.add_argument("--shape", help="only this shape, as 4096x4096")
    parser.add_argument("--regime", help="only cold or only warm")
    parser.add_argument("--across-backends", action="store_true",
                        help="compare a CPU executor run with a GPU run all the same")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    sys.stdout.reconfigure(errors="replace")
    first = runs.load_run(arguments.before)
    if arguments.after is None:
        return ladder.show(first, arguments.shape, arguments.regime)
    second = runs.load_run(arguments.after)
    for line in compare(first, second, arguments, ladder.Paint(sys.stdout)):
        print(line)
    return 0


if __name__ == "__main__":
    runs.run_tool(main)

"""./tutorial compare: compares two recorded benchmark runs; with one file it draws that run's ladder.

A is "before" and B is "after". The summary has one line per rung and one for all of them; --all
shows every row instead. Rows are compared by GB/s (by time where a row has no GB/s); the ratio is
above 1 when B is faster.

A row is "faster" or "slower" only when its change exceeds the larger spread_pct of the two rows,
which is the run's own (p90 - p10) / median; otherwise the change is "within the spread". A rung's
line has the geometric mean of its rows' ratios, in each regime, and the smallest ratio. Its verdict
compares the geometric mean over all its rows with the mean of their spreads, and counts the rows
whose own verdict is another.

Runs of two GPUs are compared by GB/s and by percent of the copy kernel, which each GPU ran too. The
verdict is then about the percent of copy: "closer to copy" or "further from copy".

Runs of one GPU are compared so as well where the copy kernel itself changed by more than its spread:
then the machine changed (its clocks, its temperature, another card of the same name).

Runs on the CPU executor get no verdict: two runs of the same kernels there differ by far more than the
spread within a run. A run on the executor is not compared with a run on a GPU. Exit code: 0, or 2 when
the files cannot be compared.
"""

import statistics
import sys
from collections import Counter

import front
import ladder
import runs

WITHIN = "within the spread"
UNJUDGED = "not judged"  # a time on the executor
ORDER = ("faster", "closer to copy", "slower", "further from copy", WITHIN, UNJUDGED)  # then what is missing


class Pair:
    """The same row before and after; either may be None when its file lacks it.

    by: what the verdict compares: "speed"; "copy", percent of copy, as for two GPUs; "nothing".
    """

    def __init__(self, before, after, by="speed"):
        self.before, self.after, self.by, self.by_copy = before, after, by, by == "copy"
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
    def copy_pct(self):
        """(before, after) as percent of the copy kernel of the same run, or None."""
        if self.missing or self.failed or not (self.before.copy_pct and self.after.copy_pct):
            return None
        return self.before.copy_pct, self.after.copy_pct

    @property
    def ratio(self):
        """Speed after over speed before, or None."""
        if self.missing or self.failed or None in self.values:
            return None
        before, after = self.values
        return after / before

    @property
    def judged(self):
        """The ratio that the verdict is about, or None."""
        if not self.by_copy:
            return self.ratio
        return self.copy_pct[1] / self.copy_pct[0] if self.copy_pct else None

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
            both = self.before.failed and self.after.failed
            return f"failed in {'both files' if both else 'the first file' if self.before.failed else 'the second file'}"
        if self.judged is None:
            return "no percent of copy recorded" if self.by_copy else "no time recorded"
        return judge(self.judged, self.spread_pct, self.by)


def judge(ratio, spread_pct, by):
    """What a change is called."""
    if by == "nothing":
        return UNJUDGED
    if abs(ratio - 1.0) * 100.0 <= spread_pct:
        return WITHIN
    if by == "copy":
        return "closer to copy" if ratio > 1.0 else "further from copy"
    return "faster" if ratio > 1.0 else "slower"


class Rung:
    """All pairs of one rung."""

    def __init__(self, pairs, by):
        self.pairs, self.by = pairs, by
        self.row = pairs[0].row
        self.compared = [pair for pair in pairs if pair.judged is not None]

    def mean(self, regime=None):
        """The geometric mean of the rows' speed ratios, in one regime or in all; None without any."""
        return geometric_mean(pair.ratio for pair in self.pairs
                              if pair.ratio and regime in (None, pair.row.regime))

    def copy_pct(self, which):
        """The geometric mean of percent of copy before (which 0) or after (1)."""
        return geometric_mean(pair.copy_pct[which] for pair in self.pairs if pair.copy_pct)

    @property
    def worst(self):
        """The pair with the smallest ratio, or None."""
        return min(self.compared, key=lambda pair: pair.judged, default=None)

    @property
    def verdict(self):
        """The verdict on the geometric mean, or the commonest reason why there is none."""
        if not self.compared:
            verdicts = [pair.verdict for pair in self.pairs]
            return max(verdicts, key=verdicts.count)
        mean = geometric_mean(pair.judged for pair in self.compared)
        spread = sum(pair.spread_pct for pair in self.compared) / len(self.compared)
        return judge(mean, spread, self.by)


def geometric_mean(values):
    """None without values."""
    values = list(values)
    return statistics.geometric_mean(values) if values else None


def counted(items):
    """{verdict: how many of the items have it}, in a fixed order."""
    result = Counter(item.verdict for item in items)
    rank = lambda verdict: ORDER.index(verdict) if verdict in ORDER else len(ORDER)
    return {verdict: result[verdict] for verdict in sorted(result, key=rank)}


def pair_rows(before, after, by="speed"):
    """A Pair for every row that either list has."""
    first, second = ({(row.ladder, row.dtype, row.rung, row.shape, row.regime): row for row in rows} for rows in (before, after))
    return [Pair(first.get(key), second.get(key), by) for key in runs.unique([*second, *first])]


def check_backends(first, second):
    """Refuses CPU against GPU; returns warning lines for what else makes a comparison doubtful."""
    if first.on_cpu != second.on_cpu:
        raise runs.ToolError(f"{first.path} ran on {first.device} and {second.path} on {second.device}: their times "
                             "do not compare; name two runs of one kind")
    if first.on_cpu:
        return ["Both ran on the CPU executor. Its times say nothing about a GPU, and two runs of the same kernels "
                "may differ",
                "by a factor of two: no row is called faster or slower. What a kernel asks of memory does not vary:",
                f"{front.command('trace CHAPTER RUNG RUNG2')} counts it."]
    if first.device != second.device:
        return [f"Warning: different GPUs: {first.device} before, {second.device} after; the verdicts "
                "compare percent of copy."]
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


def table_lines(pairs, by_copy, paint):
    """The table of one ladder, dtype and regime."""
    name = max([len(p.row.rung) for p in pairs] + [4])
    shape = max([len(p.row.shape) for p in pairs] + [5])
    titles = f"  {'rung':<{name}}  {'shape':<{shape}}{'before':>11}{'after':>11}{'ratio':>8}"
    if by_copy:
        titles += f"{'% of copy':>18}"
    lines = [titles + "  verdict"]
    for above, pair in zip([None, *pairs], pairs):
        rung = "" if above and above.row.rung == pair.row.rung else pair.row.rung
        cells = f"{cell(pair.before):>11}{cell(pair.after):>11}{ratio_text(pair.ratio):>8}"
        if by_copy:
            cells += f"{percents(pair.copy_pct, paint):>18}"
        lines.append(f"  {rung:<{name}}  {pair.row.shape:<{shape}}{cells}  {paint_verdict(pair, paint)}".rstrip())
    return lines


def ratio_text(ratio):
    return f"{ratio:.3f}" if ratio else ""


def percents(pair, paint):
    """Percent of copy before and after."""
    arrow = "\u2192" if paint.unicode else "->"
    return f"{pair[0]:.1f} {arrow} {pair[1]:.1f} %" if pair and None not in pair else ""


COLOURS = {"faster": "rung", "closer": "rung", "slower": "error", "further": "error"}


def paint_verdict(pair, paint):
    text = pair.verdict
    colour = COLOURS.get(text.split(" ")[0])
    if colour:
        text = paint.style(f"{text} (spread {pair.spread_pct:.1f} %)", colour)
    return text


def summary(items):
    """How many of them went which way."""
    return ", ".join(f"{count} {verdict}" for verdict, count in counted(items).items())


def rung_lines(rungs, regimes, by_copy, paint):
    """The summary of one ladder and dtype: a line per rung."""
    name = max([len(rung.row.rung) for rung in rungs] + [4])
    titles = f"  {'rung':<{name}}" + "".join(f"{regime:>8}" for regime in regimes)
    if by_copy:
        titles += f"{'% of copy':>18}"
    lines = [titles + f"  {'worst':<30}verdict"]
    for rung in rungs:
        cells = "".join(f"{ratio_text(rung.mean(regime)):>8}" for regime in regimes)
        if by_copy:
            cells += f"{percents((rung.copy_pct(0), rung.copy_pct(1)), paint):>18}"
        line = f"  {rung.row.rung:<{name}}{cells}  {place(rung.worst):<30}{rung_verdict(rung, paint)}"
        lines.append(line.rstrip())
    return lines


def place(pair):
    """Where a rung's smallest ratio is."""
    return f"{pair.judged:.3f} {pair.row.shape} {pair.row.regime}" if pair else ""


def rung_verdict(rung, paint):
    """A rung's verdict, and its rows with another."""
    colour = COLOURS.get(rung.verdict.split(" ")[0])
    text = paint.style(rung.verdict, colour) if colour else rung.verdict
    for verdict, number in counted(rung.pairs).items():
        if verdict not in (rung.verdict, WITHIN):
            text += f"; {number} of {len(rung.pairs)} {verdict}"
    return text


def summary_lines(pairs, by, paint):
    """A line per rung, ladder by ladder, and one for all."""
    by_copy = by == "copy"
    rungs = [Rung(group, by) for group in runs.grouped(pairs, lambda p: (p.row.ladder, p.row.dtype, p.row.rung)).values()]
    regimes = runs.unique(pair.row.regime for pair in pairs)
    lines = []
    for group, mine in runs.grouped(rungs, lambda rung: (rung.row.ladder, rung.row.dtype)).items():
        lines += ["", paint.style(" ".join(group), "title")]
        lines += rung_lines(mine, regimes, by_copy, paint)
    total = Rung(pairs, by)
    means = [f"geometric mean {total.mean():.3f}"] if total.mean() else []
    if by_copy and total.copy_pct(0):
        means.append(percents((total.copy_pct(0), total.copy_pct(1)), paint) + " of copy")
    if total.worst:
        means.append(f"worst {total.worst.judged:.3f} ({total.worst.row.name})")
    return lines + ["", f"all {len(rungs)} rungs: {', '.join([*means, summary(rungs)])}"]


def compare(first, second, arguments, paint):
    """All lines of the comparison."""
    warnings = check_backends(first, second)
    before, after = (run.select(shape=arguments.shape, regime=arguments.regime) for run in (first, second))
    if first.on_cpu:
        by = "nothing"
    elif first.device != second.device:
        by = "copy"
    else:
        by = "speed"
        moved = machine_moved(pair_rows(before, after))
        if moved:
            by = "copy"
            warnings.append(f"The copy itself is {moved} in the second run: the machine changed (clocks, temperature, "
                            "another card), not\nthe kernels alone. The verdicts compare percent of copy.")
    pairs = pair_rows(before, after, by)
    if not pairs:
        raise runs.ToolError("neither file has a row for that shape and regime; leave out --shape and "
                             "--regime, or name what ./tutorial compare A.json lists")
    if by == "copy" and not any(pair.copy_pct for pair in pairs):
        warnings = [f"Warning: different GPUs: {first.device} before, {second.device} after."]
        by, pairs = "speed", [Pair(pair.before, pair.after) for pair in pairs]
    lines = warnings + [f"before: {first.path} ({runs.context_line(first.context)})",
                        f"after:  {second.path} ({runs.context_line(second.context)})"]
    if all(pair.missing for pair in pairs):
        lines.append("No row is in both files.")
    rungs = runs.unique(pair.row.rung for pair in pairs)  # in the order of the ladder, all sizes of each together
    pairs.sort(key=lambda pair: (rungs.index(pair.row.rung), pair.row.elements))
    if not arguments.all:
        return lines + summary_lines(pairs, by, paint) + [f"rows: {summary(pairs)} (--all shows each)"]
    return lines + row_lines(pairs, by == "copy", paint) + ["", summary(pairs)]


def machine_moved(pairs):
    """"1.2 % slower" if the copy kernel's rows changed by more than their spread; else None."""
    copies = [pair for pair in pairs if pair.row.kind == "copy" and pair.ratio]
    mean = geometric_mean(pair.ratio for pair in copies)
    if mean is None:
        return None
    spread = sum(pair.spread_pct for pair in copies) / len(copies)
    same_way = all((pair.ratio > 1) == (mean > 1) for pair in copies)
    if abs(mean - 1) * 100 <= spread or not same_way:
        return None
    return f"{abs(mean - 1) * 100:.1f} % {'faster' if mean > 1 else 'slower'}"


def row_lines(pairs, by_copy, paint):
    """Every row, in a table per ladder, dtype and regime."""
    lines = []
    for group, members in runs.grouped(pairs, lambda p: (p.row.ladder, p.row.dtype, p.row.regime)).items():
        unit = " (GB/s)" if any(p.row.gbps for p in members) else ""
        lines += ["", paint.style(f"{group[0]} {group[1]} {paint.dot} {group[2]}{unit}", "title")]
        lines += table_lines(members, by_copy, paint)
    return lines


def add_arguments(parser):
    parser.add_argument("before", metavar="A.json", help="a benchmark result")
    parser.add_argument("after", metavar="B.json", nargs="?", help="another one; without it, the first one's ladder is drawn")
    parser.add_argument("--all", action="store_true", help="show every row, not a line per rung")
    parser.add_argument("--shape", help="only this shape, e.g. 4096x4096")
    parser.add_argument("--regime", help="only cold or only warm")


def run(arguments, _=()):
    sys.stdout.reconfigure(errors="replace")
    first = runs.load_run(arguments.before)
    if arguments.after is None:
        return ladder.show(first, arguments.shape, arguments.regime)
    second = runs.load_run(arguments.after)
    print(*compare(first, second, arguments, ladder.Paint(sys.stdout)), sep="\n")
    return 0

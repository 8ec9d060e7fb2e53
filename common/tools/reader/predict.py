"""A chapter's ladder as the model has it (common/notes/model.md): predicted, and beside it what is recorded.

    ./tutorial predict CHAPTER [--gpu h100]
    ./tutorial predict CHAPTER --sms 128 --clock 2.52 --bandwidth 1008 [--l2 72] [--slots 1536]
    ./tutorial predict CHAPTER --run BENCH.json

--gpu: a GPU that is recorded here. --sms, --clock and --bandwidth: another one, by its data sheet: multiprocessors,
their clock in GHz, the memory's GB/s; --l2: its L2 in MiB, to say from which size on the prediction holds; --slots: the
threads that a multiprocessor holds (2048 on data-centre GPUs, 1536 or 1024 on others). --run: what
a benchmark wrote on your GPU: the device, what it says that a multiprocessor holds, and its copy are taken from it, and
its rungs stand beside the prediction.

The blocks, bytes, registers, shared memory and instructions are those of the main recorded GPU, and so are the fill
curve, a block's 0.6 ns, the L2's rate of partial stores and how long a thread keeps its place. Of the GPU that is predicted its
multiprocessors, what they hold, their clock, and its copy enter. "by" says which term decides, "held" how many
threads a multiprocessor holds at once.
"""

import collections
import statistics
from pathlib import Path

import front
import model
import runs

COLD = 4  # times the L2: what cold buffers take at least


# What is predicted: the device, how long its copy takes, and what it reached, where that is known.
Target = collections.namedtuple("Target", "device copy_us reached words")


def rows_by_name(run):
    return {row.name: row for row in run.rows if not row.failed}


def recorded_target(gpu, chapter):
    """A GPU with a recording: each rung's copy is the one that was timed beside it."""
    device = model.device(gpu)
    rows = rows_by_name(model.loaded(model.results(gpu, chapter)))

    def copy_us(kernel):
        row = rows.get(kernel.row.name)
        return row.median_us * row.copy_pct / 100 if row and row.copy_pct else None
    return Target(device, copy_us, lambda kernel: rows[kernel.row.name].copy_pct, "recorded")


def described_target(options, main, root=None):
    """A GPU by its data sheet: a copy is assumed to get the share of the bandwidth that it gets on the main GPU."""
    device = model.Device(f"a GPU of {options.sms} multiprocessors at {options.clock} GHz, {options.bandwidth:g} GB/s",
                          options.sms, options.clock * 1e3, options.bandwidth, options.l2, thread_slots=options.slots)
    slower = model.memory_peak(main, root) / options.bandwidth
    return Target(device, lambda kernel: kernel.copy_us * slower, lambda kernel: None, "")


def measured_target(path, chapter, main, root=None):
    """The GPU of a benchmark's file: its copy is to the main GPU's as the copies in both files are."""
    run = runs.load_run(path)
    if run.on_cpu:
        raise runs.ToolError(f"{path}: the CPU executor made it, whose times say nothing about a GPU; name a GPU's run")
    numbers = [runs.positive(run.context.get(f"gpu_{part}")) for part in ("multiprocessors", "clock_mhz", "l2_mib")]
    if None in numbers[:2]:
        raise runs.ToolError(f"{path}: does not say how many multiprocessors the GPU has, or their clock; "
                             "run the benchmark again")
    rows = rows_by_name(run)
    recorded = runs.load_run(model.results(main, chapter, root=root))
    ratios = [row.gbps / rows[row.name].gbps for row in recorded.select(kind="copy", regime="cold",
                                                                        shape=recorded.default_shape())
              if row.name in rows]
    if not ratios:
        raise runs.ToolError(f"{path}: has none of {chapter}'s copies at {recorded.default_shape()}; name a run of its "
                             "benchmark that has them")
    slower = statistics.median(ratios)

    def reached(kernel):
        row = rows.get(kernel.row.name)
        return row.copy_pct if row else None
    held = {part: runs.positive(run.context.get(f"gpu_{part}")) for part in ("thread_slots", "block_slots", "registers", "shared")}
    device = model.Device(run.device, int(numbers[0]), numbers[1], l2_mib=numbers[2],
                          **{part: int(number) for part, number in held.items() if number})  # older files do not say
    return Target(device, lambda kernel: kernel.copy_us * slower, reached, "measured")


def predictions(chapter, target, main):
    """([(kernel, prediction, percent reached or None)], rungs without counts)."""
    known, unknown = model.kernels(chapter, main)
    if not known:
        raise runs.ToolError(f"{chapter}: nothing is counted of its kernels on the {main}; record it first")
    judge, found = model.Model(main), []
    for kernel in known:
        copy_us = target.copy_us(kernel)
        if copy_us:
            found.append((kernel, judge.predict(kernel, target.device, copy_us), target.reached(kernel)))
    return found, unknown


def table(found, words, device):
    """The lines of the ladder."""
    width = max(len(kernel.row.rung) for kernel, _, _ in found)
    several = len({kernel.row.shape for kernel, _, _ in found}) > 1
    lines = [f"{'rung':{width}}  {'predicted':>9}  {'by':9}{'full':>6}{'held':>7}" + (f"  {words:>9}  {'off':>6}" if words else "")]
    shape = None
    for kernel, prediction, reached in found:
        if several and kernel.row.shape != shape:
            shape = kernel.row.shape
            lines.append(f"{shape}:")
        line = (f"{kernel.row.rung:{width}}  {prediction.percent:7.1f} %  {prediction.limit:9}"
                f"{100 * prediction.fill:4.0f} %{kernel.launches[0].resident(device):7,}")
        if reached:
            line += f"  {reached:7.1f} %  {reached - prediction.percent:+6.1f}"
        lines.append(line)
    return lines


def verdict(found, words):
    """How far off the predictions are, in a sentence or two."""
    off = [(abs(reached - prediction.percent), kernel.row.rung) for kernel, prediction, reached in found if reached]
    if not off:
        return []
    close = sum(distance <= model.CLOSE for distance, _ in off)
    mean = statistics.mean(distance for distance, _ in off)
    lines = [f"{close} of {len(off)} rungs are within {model.CLOSE:g} points of what was {words}; the mean distance is "
             f"{mean:.1f}."]
    far = [f"{rung} ({distance:.0f})" for distance, rung in sorted(off, reverse=True) if distance > model.CLOSE]
    if far:
        lines.append(f"Farther off: {', '.join(far)}.")
    return lines


def heading(chapter, target, main):
    device = target.device
    lines = [f"{chapter} on {device.name}: a PREDICTION by the model in common/notes/model.md, not a measurement.",
             f"Percent of a plain copy, cold. Counts and curve: {model.device(main).name}."]
    if device.recorded is None and not target.words:
        share = model.counted(model.results(main, what="_controls_ncu"))["copy_128bit"]["dram_pct"]
        lines.append(f"Assumed: a copy reaches {share:.0f} % of the memory's bandwidth, as it does there, and the "
                     "multiprocessors are of the same make.")
    if device.l2_mib:
        lines.append(f"It holds for buffers of {COLD * device.l2_mib:g} MiB and more in all, which the L2 "
                     f"({device.l2_mib:g} MiB) cannot keep.")
    return lines


def add_device(parser):
    """The arguments that name a GPU."""
    parser.add_argument("--gpu", help="a recorded GPU: h200, h100")
    parser.add_argument("--sms", type=int, help="of another one: multiprocessors")
    parser.add_argument("--clock", type=float, help="their clock in GHz")
    parser.add_argument("--bandwidth", type=float, help="of the memory, in GB/s")
    parser.add_argument("--l2", type=float, help="the L2's size in MiB")
    parser.add_argument("--slots", type=int, default=2048, help="threads a multiprocessor holds")


def check_device(options, *others):
    """ToolError for what names no GPU; others: more ways to name one."""
    described = [options.sms, options.clock, options.bandwidth]
    if sum((options.gpu is not None, any(value is not None for value in described), *others)) > 1:
        raise runs.ToolError("give --gpu, or --sms with --clock and --bandwidth, or --run: one of the three" if others else
                             "give --gpu, or --sms with --clock and --bandwidth: one of the two")
    if any(value is not None for value in described) and None in described:
        raise runs.ToolError("give --sms, --clock and --bandwidth together: a prediction needs all three")
    for name, value, least, most, unit in (
            ("sms", options.sms, 1, 1000, ""), ("clock", options.clock, 0.1, 10, " GHz"),
            ("bandwidth", options.bandwidth, 1, 100000, " GB/s"), ("l2", options.l2, 0.1, 10000, " MiB")):
        if value is not None and not least <= value <= most:
            raise runs.ToolError(f"--{name} {value:g}: give a value from {least:g} to {most:g}{unit}")
    if options.slots not in (1024, 1536, 2048):
        raise runs.ToolError(f"--slots {options.slots}: give 1024, 1536 or 2048")
    if options.gpu:
        model.device(options.gpu)


def main(arguments):
    parser = runs.Parser(prog=front.command("predict"), description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("chapter")
    add_device(parser)
    parser.add_argument("--run", type=Path, help="a benchmark's JSON file of your GPU")
    options = parser.parse_args(arguments)
    check_device(options, options.run is not None)
    chapter = runs.find_chapter(options.chapter).name
    main_gpu = runs.shown()["main"]
    if options.run:
        target = measured_target(options.run, chapter, main_gpu)
    elif options.sms:
        target = described_target(options, main_gpu)
    else:
        target = recorded_target(options.gpu or main_gpu, chapter)
    found, unknown = predictions(chapter, target, main_gpu)
    left_out = [f"Not predicted, for want of counts: {len(unknown)} other rungs and forms."] if unknown else []
    print(*heading(chapter, target, main_gpu), "", *table(found, target.words, target.device), "",
          *verdict(found, target.words), *left_out, sep="\n")

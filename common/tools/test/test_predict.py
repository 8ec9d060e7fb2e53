"""Tests of model.py and predict.py: what the pages cannot show of them (report.py --check makes those again), and the command
on what is recorded."""

import argparse
import dataclasses
import re
import unittest

import folders  # noqa: F401
import model
import model_report
import predict
import runs
import synthetic

#: A GPU on which everything is easy to work out: 10 multiprocessors at 1 GHz, blocks of 100 ns, 1,000 sectors a microsecond.
GPU = {"backend": "cuda", "gpu": "Toy 1", "gpu_multiprocessors": "10", "gpu_clock_mhz": "1000", "gpu_l2_mib": "8"}


def bench_row(rung, percent, microseconds, kind="rung", name="toy", shape="16384x16384", **more):
    return {"name": f"{name}/{rung}/{shape}/cold", "label": f"f32 {kind}", "GBps": 1000.0 * percent / 100,
            "copy_pct": percent, "median_us": microseconds, "spread_pct": 0.1, "bytes": microseconds * percent * 10, **more}


def count(rung, instructions, pipes=None):
    return {"kernel": f"toy_{rung}_kernel", "rung": rung, "block": "(128, 1, 1)", "grid": "(10, 1, 1)",
            "duration_us": 100.0, "sm_mhz": 1000.0, "instructions": instructions, "pipes": pipes or {},
            "dram_gbps": 900.0, "dram_pct": 90.0}


def fill_row(rung, lanes, fill, percent):
    """A row of fill.cu whose `lanes` cycles for every 16 elements fill so much of what 10 multiprocessors give."""
    copy_us = lanes * 2**28 / 16 / 32 / (fill * 40_000)
    return bench_row(rung, percent, copy_us / percent * 100, "sweep", "controls")


class ToyTest(synthetic.Scratch):
    """A copy takes 100 us, in which the slots are 100 us x 10 x 4 x 1,000 = 4,000,000."""

    def setUp(self):
        super().setUp()
        self.put("common/results/g1_controls.json", {"context": GPU, "benchmarks": [
            fill_row("fma_8", 57 * 4, 0.5, 100.0), fill_row("fma_64", 281 * 4, 1.0, 50.0),
            fill_row("xu_4", 8 * 16 * 4, 0.75, 100.0),
            {**bench_row("empty_b128", 1.0, 1.0, "sweep", "controls", "100"), "ns_per_block": 100.0},
            {**bench_row("empty_b1024", 1.0, 1.0, "sweep", "controls", "100"), "ns_per_block": 200.0},
            {**bench_row("latency_dram", 1.0, 1.0, "sweep", "controls", "268435456"), "ns": 250.0},
            bench_row("add_stride", 80.0, 100.0, "sweep", "controls")]})
        self.put("common/results/g1_controls_ncu.json", {"context": {"shape": "16384x16384"}, "ncu": [
            count("copy_128bit", 1), count("fma_8", 2_000_000), count("fma_64", 4_000_000)]})
        self.rows, self.counts = [], []

    def rung(self, name, instructions, percent=100.0, **more):
        self.rows.append(bench_row(name, percent, 10000.0 / percent))
        self.counts.append(count(name, instructions, **more))

    def predicted(self, **device):
        """{rung: prediction}; the device differs from g1 in what is given, and a copy takes 100 us on it, too."""
        self.put("01_toy/results/g1.json", {"context": GPU, "benchmarks": self.rows})
        self.put("01_toy/results/g1_ncu.json", {"context": {"shape": "16384x16384"}, "ncu": self.counts})
        known, _ = model.kernels("01_toy", "g1", self.root)
        target = model.Device("another", **{"multiprocessors": 10, "mhz": 1000.0, **device})
        judge = model.Model("g1", self.root)
        return {kernel.row.rung: judge.predict(kernel, target, 100.0) for kernel in known}

    def test_registers_shared_memory_and_blocks_say_how_many_threads_are_resident(self):
        device, small = model.Device("toy", 1, 1000.0), model.Device("toy", 1, 1000.0, thread_slots=1536)
        for launch, held in ((dict(), 2048), (dict(registers=32), 2048), (dict(registers=34), 1536), (dict(registers=64), 1024),
                             (dict(registers=255), 256), (dict(shared=64 * 1024), 384), (dict(threads=32), 1024),
                             (dict(threads=1024, registers=40), 1024), (dict(threads=40), 2048),
                             (dict(threads=64, registers=48), 1280), (dict(threads=96, registers=40), 1536)):  # by scheduler
            self.assertEqual(model.Launch(**{"blocks": 1, "threads": 128, "instructions": 1, **launch}).resident(device), held, launch)
        self.assertEqual(model.Launch(1, 1024, 1).resident(small), 1024)
        for part, number, held in (("registers", 32768, 1024), ("shared", 100 * 1024, 512), ("block_slots", 16, 1024)):
            device = model.Device("toy", 1, 1000.0, **{part: number})
            self.assertEqual(model.Launch(1, 64, 1, registers=32, shared=12 * 1024).resident(device), held, part)

    def test_another_gpu_has_other_slots_and_units(self):
        """Both recorded GPUs have as many multiprocessors, so no page can show it."""
        self.rung("slots", 3_000_000)
        self.rung("unit", 1000, pipes={"alu": 75.0})
        for device, slots in ({"multiprocessors": 20}, 100.0), ({"mhz": 750.0}, 50.0):
            seen = self.predicted(**device)
            self.assertEqual((round(seen["slots"].percent, 6), round(seen["unit"].percent, 6)), (slots, slots), device)

    def test_a_data_sheet_scales_the_copy(self):
        self.rung("plain", 1000)
        self.predicted()
        options = argparse.Namespace(sms=10, clock=1.0, bandwidth=500.0, l2=None, slots=2048)
        kernel, = model.kernels("01_toy", "g1", self.root)[0]
        target = predict.described_target(options, "g1", self.root)   # half of the 1,000 GB/s that ncu implies
        self.assertAlmostEqual(target.copy_us(kernel), 200.0)

    def test_a_benchmark_of_this_gpu_brings_its_copy(self):
        self.rung("plain", 1000, percent=50.0)
        self.rows.append(bench_row("copy_f32", 100.0, 100.0, "copy"))
        self.predicted()
        mine = {**GPU, "gpu": "Toy 2", "gpu_multiprocessors": "7", "gpu_thread_slots": "1536", "gpu_block_slots": "24",
                "gpu_registers": "32768", "gpu_shared": "102400"}
        faster = {**bench_row("copy_f32", 100.0, 50.0, "copy"), "GBps": 2000.0}
        path = self.put("mine.json", {"context": mine, "benchmarks": [faster, bench_row("plain", 80.0, 60.0)]})
        target = predict.measured_target(path, "01_toy", "g1", self.root)
        kernel = next(k for k in model.kernels("01_toy", "g1", self.root)[0] if k.row.rung == "plain")
        self.assertEqual((target.device.name, target.device.multiprocessors), ("Toy 2", 7))
        held = target.device
        self.assertEqual((held.thread_slots, held.block_slots, held.registers, held.shared), (1536, 24, 32768, 102400))
        self.assertAlmostEqual(target.copy_us(kernel), 50.0)
        self.assertEqual(target.reached(kernel), 80.0)


#: The GPUs that the pages show.
MAIN, SECOND = runs.shown().values()


class RecordedTest(synthetic.Scratch):
    def test_a_control_issues_what_its_name_counts(self):
        """FRAMES, by the controls that ncu counted."""
        for gpu in (MAIN, SECOND):
            counts = model.counted(model.results(gpu, what="_controls_ncu"))
            each, frame = model.FRAMES["f32"]
            seen = [(name, entry) for name, entry in counts.items() if re.fullmatch(r"(fma|min)_\d+", name)]
            self.assertGreaterEqual(len(seen), 11)
            for name, entry in seen:
                issued = frame["slots"] + each * int(name.rsplit("_", 1)[1])
                if name != "fma_0":  # whose frame is shorter by one
                    self.assertEqual(entry["instructions"] * each * 32, issued * 16384**2, name)

    def call(self, *arguments):
        return synthetic.call("commands.py", "predict", *arguments)

    def test_the_second_gpu_is_predicted_from_the_main_one(self):
        """The model's test: at least 85 of 100 rungs within five points, and each says how far off it is."""
        close = every = 0
        for chapter in runs.find_chapters():
            if not model.results(SECOND, chapter.name).exists():  # a new one
                continue
            found, _ = predict.predictions(chapter.name, predict.recorded_target(SECOND, chapter.name), MAIN)
            off = [abs(reached - prediction.percent) for _, prediction, reached in found if reached]
            close, every = close + sum(distance <= model.CLOSE for distance in off), every + len(off)
        self.assertGreater(every, 300)
        self.assertGreaterEqual(close / every, 0.9)

    def test_the_law_of_latency_follows_its_controls_on_both_gpus(self):
        judge = model.Model(MAIN)
        for gpu in (MAIN, SECOND):
            far = [abs(one.law(gpu, judge) - one.percent) for one in model_report.residency(gpu)]
            self.assertGreater(len(far), 80)
            self.assertLessEqual(max(far), model.CLOSE)
        page = runs.read_text(runs.ROOT / "common/notes/model.md")
        for said in (f"{model.ALONE_US:.2f} µs", f"{model.BLOCK_US:.2f} µs", f"{model.ACCESS_US:.2f} µs",
                     f"{model.INSTRUCTION_CYCLES} cycles", f"^(1/{model.SHARPNESS})"):
            self.assertIn(said, page)

    def test_no_set_of_constants_near_by_is_closer_to_the_controls(self):
        """And from those that the model had before, one comes to the same."""
        self.assertEqual(model_report.fitted(MAIN, model_report.constants()), model_report.constants())
        self.assertEqual(model_report.fitted(MAIN, (0.53, 0.10, 0.20, 2.3, 2.7)), model_report.constants())
        self.assertEqual(model_report.fitted(SECOND, model_report.OF_SECOND), model_report.OF_SECOND)

    def test_what_lessons_say_of_the_fourth_term(self):
        """01: blocks of 256 and more to three points, on both GPUs. 02 and 03: what it adds for two rungs on the main one."""
        for gpu in (MAIN, SECOND):
            sweep = {kernel.row.rung: (one.limit, abs(one.percent - reached)) for chapter, kernel, one, reached
                     in model_report.outcomes(gpu, MAIN) if chapter == "01_elu"}
            for rung in ("f32_b256", "f32_b512", "f32_b1024"):
                self.assertEqual(sweep[rung][0], "latency")
                self.assertLessEqual(sweep[rung][1], 3.05, rung)
        three, four = ({(chapter, kernel.row.rung): one.percent for chapter, kernel, one, _ in
                        model_report.outcomes(MAIN, MAIN, terms)} for terms in (3, 4))
        for rung, less in ((("02_gelu", "tanh_f16x8_pack"), 5), (("03_swish", "f16x8_pack"), 2)):
            self.assertEqual(round(three[rung] - four[rung]), less)
        self.assertEqual(round(four["02_gelu", "tanh_f16x8_pack"]), 84)
        self.assertEqual(round(four["04_arithmetic", "packed_f16_N1H1_1C1W"]), 104)

    def test_what_lesson_04_says_of_one_pack(self):
        """Predicted on the main GPU, and of two packs beside the same copy; how far the second one is off, at most."""
        judge = model.Model(MAIN)
        found = {gpu: {one.name: one for one in model_report.residency(gpu, r"outer_8_(fast|divide64)$")} for gpu in (MAIN, SECOND)}
        one_pack = found[MAIN]["outer_8_fast"]
        self.assertEqual({name: round(one.law(MAIN, judge)) for name, one in found[MAIN].items()}, {"outer_8_fast": 96, "outer_8_divide64": 77})
        self.assertEqual(round(model.place_us(one_pack.launch, model.device(MAIN)), 1), 0.7)
        self.assertEqual(round(one_pack.launch.waves(model.device(MAIN))), 24)
        two_packs = {gpu: next(rung for rung in model_report.recorded_rungs(gpu, MAIN) if rung[1].row.rung == "packed_f16_N1H1_1C1W")
                     for gpu in (MAIN, SECOND)}
        _, kernel, device, copy_us, reached = two_packs[MAIN]
        self.assertEqual(round(judge.predict(kernel, device, one_pack.copy_us).percent - one_pack.law(MAIN, judge)), 8)
        self.assertEqual(round(one_pack.copy_us / copy_us * reached - one_pack.percent), 15)
        few, = model_report.residency(MAIN, "outer_8_fast_r512$")   # the page: by the sectors' average, and by its width
        widest = dataclasses.replace(few.launch, access=16)
        self.assertEqual([round(model.place_us(launch, model.device(MAIN)), 2) for launch in (few.launch, widest)], [0.73, 0.85])
        off = [abs(one.law(SECOND, judge) - one.percent) for one in found[SECOND].values()]
        _, kernel, device, copy_us, reached = two_packs[SECOND]
        self.assertLess(max(*off, abs(judge.predict(kernel, device, copy_us).percent - reached)), 5)

    def test_the_steps_of_the_page_come_to_what_predict_says(self):
        """All but the exceptions that the steps leave out: in nine rungs of ten within two points."""
        judge, far, every = model.Model(MAIN), 0, 0

        def join(one, other):
            return (one ** model.SHARPNESS + other ** model.SHARPNESS) ** (1 / model.SHARPNESS)
        for _, kernel, device, copy_us, _ in model_report.recorded_rungs(MAIN, MAIN):
            if len(kernel.launches) > 1:
                continue
            launch = kernel.whole
            threads, held = launch.blocks * launch.threads, device.multiprocessors * launch.resident(device)
            blocks_us = launch.blocks * (0.6e-3 if launch.threads <= 512 else 0.68e-3)
            full = max(launch.instructions, launch.units.get("alu", 0) * model.SCHEDULERS) / (copy_us * device.slots_per_us)
            slots_us = copy_us / min(1, judge.curve.percent(full) / 100)
            latency_us = threads / held * model.place_us(launch, device)
            of_copy_us = kernel.moved / (48 if launch.reads_two else 32) / (device.multiprocessors * 2048) * 0.81
            joined_us = join(latency_us, slots_us) / join(of_copy_us, copy_us) * copy_us if threads > held else 0
            percent = 100 * copy_us / max(joined_us, copy_us, slots_us, blocks_us)
            far, every = far + (abs(percent - judge.predict(kernel, device, copy_us).percent) > 2), every + 1
        self.assertGreater(every, 300)
        self.assertLess(far, every / 10)

    def test_the_l2_takes_partial_sectors_in_proportion_to_its_size(self):
        """By the control on both GPUs: what the model takes for another GPU."""
        ratios = [model.sectors_per_us(SECOND) / model.sectors_per_us(MAIN), model.device(SECOND).l2_mib / model.device(MAIN).l2_mib]
        self.assertAlmostEqual(*ratios, delta=0.01)

    def test_every_rung_is_predicted(self):
        for chapter in runs.find_chapters():
            if model.results(MAIN, chapter.name).exists():
                self.assertEqual(model.kernels(chapter.name, MAIN)[1], [], chapter.name)

    def test_the_fourth_term_brings_more_rungs_close(self):
        """What notes/model.md says of the predictors, over all rungs and over those that the fourth term is for."""
        for _, name, _, _, every, _, those, _, slower, _ in model_report.predictor_rows():
            with self.subTest(name):
                least = {"a copy, or the blocks": (70, 0, 0), "three terms": (85, 70, 60), "four terms": (85, 85, 84)}[name]
                self.assertGreaterEqual(float(every.split()[0]), least[0])
                self.assertGreaterEqual(float(those.split()[0]), least[1])
                self.assertGreaterEqual(float(slower.split()[0]), least[2])

    def test_what_the_page_says_of_blocks_of_704_threads(self):
        """22 rungs that read two arrays: three terms are close, four are not; and how often both are close to the others."""
        rungs = [kernel for _, kernel, *_ in model_report.recorded_rungs(MAIN, MAIN)]
        large = [len(kernel.launches) == 1 and kernel.whole.threads == 704 for kernel in rungs]
        three, four = (model_report.distances(MAIN, terms) for terms in (3, 4))
        self.assertEqual(large.count(True), 22)
        self.assertLess(max(off for off, here in zip(three, large) if here), 1.5)
        self.assertTrue(all(5 < off < 6.2 for off, here in zip(four, large) if here))
        self.assertEqual([model_report.share([off for off, here in zip(all_of, large) if not here]) for all_of in (three, four)],
                         ["88.4 %", "93.7 %"])

    def test_every_reason_is_of_a_rung_that_is_missed(self):
        missed = [re.search(r"`(\w+)`", row[0])[1] for row in model_report.far_rows()]
        for pattern, _ in model_report.KNOWN:
            self.assertTrue(any(re.fullmatch(pattern, rung) for rung in missed), pattern)

    def test_a_row_timed_again_had_the_clock_beside_it(self):
        """What notes/model.md says of inside_mhz: more of these rows are close by it than by the data sheet's clock."""
        close = [sum(abs(reached - prediction.percent) <= model.CLOSE for *_, prediction, reached in
                     model_report.again(MAIN, beside)) for beside in (False, True)]
        self.assertGreater(close[1], close[0])

    def test_it_says_what_it_is(self):
        out = self.assert_fine(self.call("gelu", "--gpu", SECOND))
        self.assertIn("a PREDICTION", out)
        self.assertRegex(out, r"\d+ of \d+ rungs are within 5 points of what was recorded")
        out = self.assert_fine(self.call("gelu", "--sms=128", "--clock=2.52", "--bandwidth=1008", "--l2=72"))
        self.assertIn("Assumed:", out)
        self.assertNotIn("recorded", out.split("Assumed:")[1])

    def test_mistakes_are_one_sentence(self):
        for arguments, says in (
                (["elu", "--gpu", "b200"], "nothing is recorded of it"), (["elu", "--sms", "128"], "together"),
                (["elu", "--sms=0", "--clock=2", "--bandwidth=1000"], "--sms 0"),
                (["elu", "--sms=128", "--clock=2520", "--bandwidth=1008"], "10 GHz"), (["elu", "--slots=100"], "--slots 100"),
                (["elu", "--gpu=h100", "--sms=128", "--clock=2", "--bandwidth=1000"], "one of the three"),
                (["nothing"], "no chapter"), (["elu", "--run", "nowhere.json"], "no such file"),
                (["elu", "--run", str(runs.ROOT / "06_primitives" / "results" / "h100.json")], "copies")):
            with self.subTest(arguments):
                self.assert_refused(self.call(*arguments), says)


if __name__ == "__main__":
    unittest.main()

"""Tests of counts.py and speed.py: on machine code written by hand, and where nvcc and nvdisasm are, on theirs."""

import json
import re
import shutil
import unittest
import unittest.mock
from pathlib import Path

import folders
import counts
import model
import runs
import speed
import synthetic

HEAD = """//--------------------- .text.kernel --------------------------
        .type           kernel,@function
        .other          kernel,@"STO_CUDA_ENTRY STV_DEFAULT"
kernel:
.text.kernel:
"""
REPORT = "ptxas info    : Compiling entry function 'kernel' for 'sm_90'\n    0 bytes stack frame\nptxas info    : Used 16 registers"


def code(*lines):
    """Machine code: "line: instruction" or a label."""
    text, address = HEAD, 0
    for line in lines:
        number, colon, instruction = line.partition(": ")
        if not colon:
            text += f"{line}:\n"
            continue
        text += f'\t//## File "/a/k.cu", line {number}\n        /*{address:04x}*/    {instruction} ;\n'
        address += 16
    return counts.parse(text, REPORT)[0]


def launch(places, blocks=10, threads=128, **more):
    """What the trace says of a launch; places: (line, operation, bytes, requests a warp)."""
    return {"kernel": "kernel", "grid": [blocks, 1, 1], "block": [threads, 1, 1], "dynamic_shared": 0, "places": [
        {"line": f"k.cu:{line}", "operation": operation, "space": "global", "least_bytes": size, "most_bytes": size,
         "requests": int(times * blocks * threads / 32), "used": int(times * blocks * threads * size),
         "sectors": int(times * blocks * threads * size / 32)} for line, operation, size, times in places], **more}


def copied(size):
    """The arrays of a copy of so many bytes."""
    return [synthetic.buffer("x", size, loads_once=size), synthetic.buffer("y", size, stores_once=size)]


STRAIGHT = [(1, "load", 4, 1), (3, "store", 4, 1)]
LOAD, STORE = "1: LDG.E R0, desc[UR4][R2.64]", ("3: STG.E desc[UR4][R4.64], R0", "3: EXIT")


class Executed(unittest.TestCase):
    def slots(self, machine, places):
        return counts.count(machine, launch(places)).slots

    def test_a_straight_way_is_counted_once(self):
        machine = code(LOAD, "2: FADD R0, R0, R0", *STORE, "3: NOP")
        found = counts.count(machine, launch(STRAIGHT))
        self.assertEqual((found.slots, found.launch.registers, found.launch.blocks), (4, 16, 10))
        self.assertEqual(found.lines[("k.cu:3", "")], 2)

    def test_both_sides_of_a_branch_and_where_they_meet_again(self):
        machine = code(LOAD, "2: BSSY B0, `(.L_2)", "2: @P0 BRA `(.L_1)", "2: MUFU.EX2 R0, R0", ".L_1", "2: BSYNC B0", ".L_2", *STORE)
        found = counts.count(machine, launch(STRAIGHT))
        self.assertEqual(found.slots, 8)  # BSYNC by both sides
        self.assertEqual(found.units, {"xu": 8})

    def test_what_no_warp_has_reached_does_not_count(self):
        machine = code("0: @P0 BRA `(.L_1)", LOAD, *STORE, ".L_1", "5: IADD3 R2, R2, R2, RZ", "6: LDG.E.U16 R0, desc[UR4][R2.64]",
                       "6: STG.E.U16 desc[UR4][R4.64], R0", "6: EXIT")
        self.assertEqual(self.slots(machine, STRAIGHT), 4)
        self.assertEqual(self.slots(machine, [(6, "load", 2, 1), (6, "store", 2, 1)]), 5)

    def test_a_loop_runs_as_often_as_its_accesses(self):
        machine = code("0: S2R R0, SR_TID.X", ".L_1", LOAD, "2: FADD R1, R1, R0", "2: @P0 BRA `(.L_1)", *STORE)
        self.assertEqual(self.slots(machine, [(1, "load", 4, 7), (3, "store", 4, 1)]), 1 + 7 * 3 + 2)

    def test_a_loop_that_is_written_out_and_its_rest(self):
        machine = code(".L_1", *[LOAD] * 4, "2: @P0 BRA `(.L_1)", ".L_2", LOAD, "2: @P0 BRA `(.L_2)", *STORE)
        self.assertEqual(self.slots(machine, [(1, "load", 4, 10), (3, "store", 4, 1)]), 2 * 5 + 2 * 2 + 2)

    def test_one_warp_of_several(self):
        machine = code(LOAD, "2: @P0 EXIT", *STORE)
        self.assertEqual(self.slots(machine, [(1, "load", 4, 1), (3, "store", 4, 0.25)]), 2.5)

    def test_stores_back_to_back_reach_the_l2_as_one(self):
        between = ["2: FADD R0, R0, R0"] * 9
        for lines, stored in (([], 8), (between, 16)):
            machine = code("3: STG.E desc[UR4][R4.64], R0", *lines, "4: STG.E desc[UR4][R4.64+0x4], R0", "4: EXIT")
            traced = launch([(3, "store", 4, 1), (4, "store", 4, 1)])
            for place in traced["places"]:
                place["sectors"] *= 2  # each takes half of every sector
            self.assertEqual(counts.count(machine, traced).launch.stored, stored * 1280)

    def test_two_compilers_may_name_two_lines_of_one_statement(self):
        """In a function that was inlined; the caller's line and the width tell then, and a narrow tail stays uncounted."""
        inlined = "99: LDG.E.128 R0, desc[UR4][R2.64]"
        machine = code("0: @P0 BRA `(.L_1)", inlined, *STORE, ".L_1", "1: LDG.E.U16 R0, desc[UR4][R2.64]",
                       "6: STG.E.U16 desc[UR4][R4.64], R0", "6: EXIT")
        access, = (one for block in machine.blocks for one in block.accesses if one.bytes == 16)
        access.paths += ("/a/k.cu:1",)
        traced = launch([(1, "load", 16, 1), (3, "store", 4, 1)])
        for inner, slots in (("k.cu:99", 4), ("k.cu:98", 4)):
            traced["places"][0]["inner_line"] = inner
            access.__dict__.pop("lines", None)
            self.assertEqual(counts.count(machine, traced).slots, slots)

    def test_rare_operands_are_taken_not_to_happen(self):
        machine = code(LOAD, "2: @P0 BRA `(.L_1)", "2: CALL.REL.NOINC `(slow)", ".L_1",
                       *STORE, "slow", "2: FADD R0, R0, R0", "2: RET.REL.NODEC R2 `(kernel)")
        self.assertEqual(self.slots(machine, STRAIGHT), 4)


class Refused(unittest.TestCase):
    def refused(self, machine, traced):
        with self.assertRaises(counts.Unjudged) as found:
            speed.counted([machine], [traced])
        return str(found.exception)

    def test_says_what_it_cannot_judge(self):
        machine = code("0: S2R R0, SR_TID.X", ".L_1", "2: FADD R1, R1, R0", "2: @P0 BRA `(.L_1)", "3: STG.E desc[UR4][R4.64], R1", "3: EXIT")
        self.assertIn("nothing tells how often its loop at k.cu:2 runs", self.refused(machine, launch([(3, "store", 4, 1)])))
        straight = code(LOAD, *STORE)
        self.assertIn("none of its accesses was seen", self.refused(straight, launch([])))
        self.assertIn("atomic", self.refused(straight, launch([*STRAIGHT, (4, "atomic", 4, 1)])))
        straight.local = 8
        self.assertIn("8 bytes of a thread live in local memory", self.refused(straight, launch(STRAIGHT)))

    def test_bytes_that_blocks_load_again_and_again_are_a_caches(self):
        machine = code(LOAD, *STORE)
        rung = {"launches": [launch(STRAIGHT)], "buffers": copied(5120)}
        self.assertEqual(speed.counted_rung([machine], rung)[1], 10240)
        rung["buffers"][0].update(loads_once=0, loads_again=5120)
        self.assertEqual(speed.counted_rung([machine], rung)[1], 10240)
        rung["buffers"][0].update(loads_again=64)
        rung["buffers"][1].update(stores_once=2560)
        with self.assertRaisesRegex(counts.Unjudged, "which loads a cache serves"):
            speed.counted_rung([machine], rung)
        rung["launches"][0]["places"][0]["used"] = 64  # of each sector a few bytes: that moves all the same
        self.assertEqual(speed.counted_rung([machine], rung)[1], 2624)

    def test_without_a_disassembler_one_sentence_offers_it(self):
        self.assertIn("setup --nvcc", speed.missing(None))


class Predicted(unittest.TestCase):
    machine = code("1: LDG.E.128 R0, desc[UR4][R2.64]", *["2: FADD R0, R0, R0"] * 20, "3: STG.E.128 desc[UR4][R4.64], R0", "3: EXIT")

    def of(self, machine, **more):
        traced = {"buffers": copied(4 * 5120), "elements": 5120,
                  "launches": [launch([(1, "load", 16, 1), (3, "store", 16, 1)], **more)]}
        return speed.of_rung([machine], traced, speed.recorded("h200"), "k.cu")

    def test_a_copy_runs_at_the_speed_of_a_copy(self):
        found = self.of(self.machine)
        self.assertEqual(found.limit, "bytes")
        self.assertGreater(found.percent, 97)
        self.assertIn("about 100 % of a copy on an H200; the bytes limit it", found.sentence())

    def test_slots_limit_it_and_the_dearest_line_is_told(self):
        slow = code("1: LDG.E.128 R0, desc[UR4][R2.64]", *["2: FFMA R0, R0, R0, R0"] * 400, "3: STG.E.128 desc[UR4][R4.64], R0", "3: EXIT")
        found = self.of(slow)
        self.assertEqual(found.limit, "slots")
        self.assertLess(found.percent, 70)
        self.assertRegex(found.sentence(), r"the slots limit it: 101 of 62\.\d; the dearest line is 2 \(1e\+02 slots\)|dearest line is 2")

    def test_work_done_twice_takes_twice_the_slots(self):
        need = [self.of(code("1: LDG.E.128 R0, desc[UR4][R2.64]", *["2: FFMA R0, R0, R0, R0"] * n, "3: STG.E.128 desc[UR4][R4.64], R0",
                             "3: EXIT")).fills()["slots"][0] for n in (400, 800)]
        self.assertEqual(need[1] - need[0], 100)

    def test_names_for_programs_are_stable(self):
        self.assertEqual(sorted(self.of(self.machine).json()), sorted(
            ["gpu", "percent_of_copy", "us", "limit", "elements", "bytes", "blocks", "threads", "registers", "shared_bytes",
             "resident_threads", "element", "dearest_line"]))
        json.dumps(self.of(self.machine).json())


class Explained(unittest.TestCase):
    def test_a_launch_has_a_line_for_each_term(self):
        compiling = unittest.mock.Mock()
        compiling.machines.return_value = [code(LOAD, *STORE)]
        _, said = synthetic.printed(speed.explain, compiling, [launch(STRAIGHT), launch([(9, "load", 4, 1)])], speed.recorded("h100"))
        self.assertEqual(re.findall(r"(?m)^  (\w+) ", said), ["blocks", "slots", "bytes", "speed", "not"])
        self.assertIn("on an H100; the blocks limit it", said)
        self.assertIn("at this size the launch itself", " ".join(said.split()))
        self.assertIn("not predicted: none of its accesses was seen", said)


PROBES = """#include <cuda_fp16.h>
#include "common/macros.cuh"
#include "common/ptx.cuh"
using namespace tutorial;
template <class Op> __device__ void pack(const float* x, float* y, Op op) {
  alignas(16) float v[4];
  LDST128BITS(v[0]) = LDST128BITS(x[threadIdx.x * 4]);
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = op(v[k]);
  LDST128BITS(y[threadIdx.x * 4]) = LDST128BITS(v[0]);
}
"""


def lists():
    """{operation: slots} as the lessons' lists have them, with the page."""
    found = []
    for page in sorted(runs.ROOT.glob("0*/README.md")):
        for line in runs.read_text(page).splitlines():
            row = re.match(r"\| ([^|]*`\w+`[^|]*) \| ([\d.]+) \|", line)
            for name in re.findall(r"`(\w+)`", row.group(1)) if row and not row.group(1).startswith("a branch") else []:
                found.append((page.parent.name, name, float(row.group(2))))
    return found


class Table(unittest.TestCase):
    def test_the_lessons_lists_are_the_tools(self):
        named = [one for one in lists() if one[1] in speed.OPERATIONS]
        self.assertGreaterEqual(len(named), 5)
        for page, name, slots in named:
            self.assertEqual((page, name, slots), (page, name, speed.OPERATIONS[name]))


NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"


@unittest.skipIf(not Path(NVCC).exists() or speed.missing(NVCC), "skipped: no nvcc, or no nvdisasm: ./tutorial setup --nvcc")
class MachineCode(synthetic.Scratch):
    def test_operations_have_the_slots_of_the_table(self):
        names = [name for name in speed.OPERATIONS if name not in ("hexp", "fmaf")]
        kernels = "".join(f'extern "C" __global__ void {kernel}(const float* x, float* y) {{\n  pack(x, y, [](float v) {{ return {value}; }});\n}}\n'
                          for kernel, value in (("none", "v"), *((f"of_{name}", f"{name}(v)") for name in names)))
        compiling = speed.Compiling(NVCC, [Path(self.put("probes.cu", PROBES + kernels))])
        size = {one.name: sum(len(block.code) for block in one.blocks) for one in compiling.machines()}
        compiling.stop()
        for name in names:
            self.assertAlmostEqual((size[f"of_{name}"] - size["none"]) / 4, speed.OPERATIONS[name], delta=0.5, msg=name)

    def test_hexp_is_found_in_a_line_of_the_answer(self):
        chapter = runs.find_chapter("elu")
        answer = runs.read_text(chapter / "answers/climb.cuh")
        self.put("01_elu/your_elu.cuh", answer)
        compiling = speed.Compiling(NVCC, [chapter / "launchers/your_elu.cu"], [f"-I{self.folder}"])
        machine, = compiling.machines()
        compiling.stop()
        text = answer.splitlines()
        places = [(number, operation, 16, 1) for number, line in enumerate(text, 1) for operation, words in (
            ("load", "= LDST128BITS(x["), ("store", "LDST128BITS(y[")) if words in line]
        traced = launch(places)
        for place in traced["places"]:
            place["line"] = place["line"].replace("k.cu", "your_elu.cuh")
        found = counts.count(machine, traced, "your_elu.cuh")
        ncu = model.recorded_counts("01_elu", "h200")[("16384x16384", "f16x8_pack")]
        warps = model.product(ncu["grid"]) * model.product(ncu["block"]) / 32
        self.assertEqual(found.slots, ncu["instructions"] / warps)  # what ncu counted of the same code on an H200
        line = next(number for number, text_ in enumerate(text, 1) if "hexp(" in text_)
        self.assertEqual(found.lines[(f"your_elu.cuh:{line}", "hexp")] / 8, speed.OPERATIONS["hexp"])


if __name__ == "__main__":
    unittest.main()

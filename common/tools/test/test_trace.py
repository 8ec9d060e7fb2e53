#!/usr/bin/env python3
"""Tests of trace.py and trace_proof.py, on launches that are made up here."""

import argparse
import json
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

import folders

import runs
import synthetic
import trace
import trace_proof


def request(offsets, size, operation="load", space="global", **more):
    """A request at these offsets; its cost as the program would say it."""
    offsets = list(offsets) + [None] * (32 - len(offsets))
    touched = {o + k for o in offsets if o is not None for k in range(size)}
    cost = {"sectors": len({byte // 32 for byte in touched})} if space == "global" else \
        {"phases": 1, "passes": more.pop("ways", 1), "ways": 1}
    if space == "shared":
        cost["ways"] = cost["passes"]
    return {"line": "01_elu/elu_kernels.cuh:78", "operation": operation, "space": space, "bytes": size,
            "buffer": "x" if operation == "load" else "y", "offsets": offsets, "requests": 1,
            "lanes": sum(o is not None for o in offsets), "used": len(touched), **cost, **more}


def launch_of(requests, blocks=4, threads=32):
    """A launch in which every warp does the same."""
    places = [{"line": r["line"], "operation": r["operation"], "space": r["space"], "least_bytes": r["bytes"],
               "most_bytes": r["bytes"],
               **{key: r[key] * blocks for key in ("requests", "lanes", "used", "sectors", "phases", "passes")
                  if key in r}, "ways": r.get("ways", 0)} for r in requests]
    warp = {"block": [2, 0, 0], "block_number": 2, "warp": 0, "requests": requests}
    return {"kernel": "tutorial::elu_f16x8_kernel(__half const*, __half*, long)", "grid": [blocks, 1, 1],
            "block": [threads, 1, 1], "dynamic_shared": 0, "busy_blocks": blocks,
            "busy_threads": blocks * threads, "places": places, "middle": warp, "last": warp}


def rung_of(requests, name="f16x8", **more):
    size = 4 * 32 * 16
    buffers = [synthetic.buffer("x", size, loads_once=size), synthetic.buffer("y", size, stores_once=size)]
    return {"ladder": "elu", "rung": name, "dtype": "f16", "kind": "rung", "shape": "4x256", "elements": 1024,
            "claims_per_thread": 8, "buffers": buffers, "workspace_bytes": 0,
            "launches": [launch_of(requests)], **more}


PACK = [request(range(0, 512, 16), 16), request(range(0, 512, 16), 16, "store")]
STRIDED = [request(range(0, 512, 16), 4)]


class Words(unittest.TestCase):
    def pattern(self, offsets, size=4):
        return trace.pattern(request(offsets, size))

    def test_patterns(self):
        self.assertEqual(self.pattern(range(0, 128, 4)), "consecutive")
        self.assertEqual(self.pattern(range(0, 512, 16)), "stride 16")
        self.assertEqual(self.pattern([8] * 32), "one address for all")
        self.assertEqual(self.pattern([8]), "one lane")
        self.assertEqual(self.pattern([0, 4, 8, 900, 904, 908]), "2 runs")
        self.assertEqual(self.pattern([0, 8, 16, 900, 908, 916]), "stride 8, 1 jump")
        self.assertEqual(self.pattern([0, 12, 4, 100, 36, 8]), "irregular")

    def test_the_picture_names_the_lane_of_every_byte(self):
        lines = trace.global_picture(STRIDED[0], trace.painter(False))
        self.assertEqual(len(lines), 8)
        self.assertTrue(lines[0].endswith("0000............1111............ 2222............3333............"))
        self.assertTrue(all(len(line) <= 80 for line in lines))

    def test_bytes_that_several_lanes_ask_for_are_starred(self):
        self.assertIn("****....", trace.global_picture(request([0] * 32, 4), trace.painter(False))[0])

    def test_a_conflict_is_a_pass_each(self):
        lines = trace.shared_picture(request([0, 128, 256], 4, space="shared", ways=3), trace.painter(False))
        self.assertEqual([line.split()[:3] for line in lines[1:]],
                         [["pass", "1", "0"], ["pass", "2", "1"], ["pass", "3", "2"]])

    def test_lines_fit_into_80_columns(self):
        same = {"operation": "atomic", "line": "01_elu/a_name_that_is_long.cuh:1000"}
        requests = [*PACK, *STRIDED, request([0] * 32, 4, space="shared", **same), request([0] * 32, 4, **same),
                    request(range(0, 96, 3), 1), request(range(0, 2048, 64), 1)]
        rung = rung_of(requests)
        long = "tutorial::a_kernel<tutorial::" + "Functor, " * 9 + "float>(float*)"
        for kernel in (rung["launches"][0]["kernel"], long):
            rung["launches"][0]["kernel"] = kernel
            _, out = synthetic.printed(trace.show_rung, "01_elu", rung, False, trace.painter(False), None)
            self.assertEqual([line for line in out.splitlines() if len(line) > 80], [])
            self.assertIn("one address for all", out)
            self.assertIn(kernel.split("::")[1].split("<")[0].split("(")[0], out)

    def test_pieces_of_memory_are_named_where_they_are_larger_than_the_sectors(self):
        launch = launch_of(PACK)
        self.assertEqual(trace.piece_lines(launch), [])
        self.assertEqual(trace.piece_lines({**launch, "loaded_sectors": 2048, "loaded_pieces": 1025}), [])
        self.assertIn("1,536 pieces for the 2,048 sectors that blocks load, which are 66.7 %",
                      " ".join(" ".join(trace.piece_lines({**launch, "loaded_sectors": 2048, "loaded_pieces": 1536})).split()))
        rungs = [{**rung_of(STRIDED), "launches": [{**launch, "loaded_sectors": 64, "loaded_pieces": pieces}]} for pieces in (32, 64)]
        self.assertRegex(synthetic.printed(trace.comparison, rungs)[1], r"pieces of 64 from memory +32 +64\n")


class Program(synthetic.Scratch):
    """With a script in the place of the tracing program."""

    def run_with(self, body, *arguments, code=0, **others):
        """What is printed with that exit code."""
        def main():
            try:
                return trace.run(parser.parse_args(arguments), "01_elu")
            except runs.ToolError as error:
                print(error)
                return 2
        parser = argparse.ArgumentParser()
        trace.add_arguments(parser)
        with mock.patch("runs.ROOT", self.root):
            for source, text in {"your_elu": body, **others}.items():
                synthetic.script(trace.front.program("cpu", f"01_elu_see_{source}"), f"#!{sys.executable}\nimport json, sys\n{text}\n")
            synthetic.write("/", trace.named_source("01_elu"), "before;\n")
            ended, text = synthetic.printed(main)
        self.assertEqual(ended, code, text)
        return text

    def answering(self, *rungs):
        names = [{"ladder": r["ladder"], "rung": r["rung"], "dtype": "f16", "kind": "rung", "shapes": []}
                 for r in rungs]
        said = "open(__import__('os').environ['TUTORIAL_SAID'], 'w')"
        return (f"print(json.dumps({{'rungs': {names!r}}}), file={said}) if '--list' in sys.argv "
                f"else print({json.dumps({'rungs': rungs})!r}, file={said})")

    def test_two_rungs_side_by_side(self):
        text = self.run_with(self.answering(rung_of(PACK, "f16x8_pack"), rung_of(STRIDED)), "f16x8_pack", "f16x8")
        self.assertRegex(text, r"sectors a request +16\.00 +16\.00")
        self.assertRegex(text, r"bytes used of moved +100 % +25 %")
        self.assertRegex(text, r"(?s)f16x8_pack: loads: 16 bytes a lane, 1 request a warp, where\s+f16x8 has loads:")

    def count_unseen(self, kernel, refused=0):
        """(what was in the source at each build, whether the errors were shown, what is printed): of a rung that the
        small program does not see; so many of the builds fail."""
        symbols = f"libelu.a:elu.cu.o:00 W {kernel}\nlibelu.a:your_elu.cu.o:00 W mine()\n"
        unseen = rung_of([], "f16x8_pack")
        for rung in (unseen, seen := rung_of(PACK, "f16x8_pack")):
            rung["launches"][0]["kernel"] = kernel
        listed = subprocess.CompletedProcess([], 0, symbols, "")
        run, built = subprocess.run, []

        def build(backend, name, errors=True, **_):
            built.append((trace.named_source("01_elu").read_text(encoding="utf-8"), errors))
            if len(built) <= refused:
                raise trace.front.BuildFailed(1)
        with mock.patch("subprocess.run", lambda words, **how: listed if words[0] == "nm" else run(words, **how)), \
                mock.patch("trace.front.build", build), \
                mock.patch("trace.Path.rglob", lambda *_: [Path(__file__).parents[3] / "01_elu/elu.cu"]):
            text = self.run_with(self.answering(unseen), "f16x8_pack", named=self.answering(seen))
        return built, text

    def test_a_template_of_the_library_is_instantiated_alone(self):
        built, text = self.count_unseen("void k<float>(float*)")
        self.assertEqual(len(built), 1)
        self.assertIn('#include "01_elu/elu_kernels.cuh"\n', built[0][0])
        self.assertIn("\nbefore;\ntemplate void k<float>(float*);\n", built[0][0])
        self.assertIn("global load", text)

    def test_what_cannot_be_named_is_compiled_with_its_whole_source(self):
        built, text = self.count_unseen("void k<float>(float*)", refused=2)
        self.assertNotIn("before", built[1][0])
        self.assertRegex(built[2][0], r'^#include ".*/01_elu/elu\.cu"\n$')
        self.assertEqual([errors for _, errors in built], [False, False, True])
        self.assertIn("global load", text)

    def test_a_warp_that_is_not_there(self):
        text = self.run_with(self.answering(rung_of(PACK)), "f16x8", "--warp=999999", code=2)
        self.assertRegex(text, r"--warp=999999: f16x8 has 4 warps at 4x256, counted from 0")

    def test_the_line_of_the_caller_stands_beside_the_primitives(self):
        inner = [{**one, "line": "06/kernels.cuh:7", "inner_line": "06/primitives.cuh:90"} for one in PACK]
        text = self.run_with(self.answering(rung_of(inner)), "f16x8")
        self.assertIn("kernels.cuh:7 > primitives.cuh:90", text)

    def test_an_unknown_rung_names_those_that_are_like_it(self):
        text = self.run_with(self.answering(rung_of(PACK, "f16x8_pack")), "f16x8_pakc", code=2)
        self.assertIn("there is no rung f16x8_pakc; there are f16x8_pack", text)

    def test_a_kernel_that_fails_is_one_sentence(self):
        body = self.answering(rung_of(PACK)).replace("else print", "else sys.exit(print('trace: f16x8 at 1x8 "
                                                     "answers cudaErrorLaunchFailure: block (0,0,0): divergent', "
                                                     "file=sys.stderr) or 1) or print")
        self.assertIn("f16x8 at 1x8 answers cudaErrorLaunchFailure", self.run_with(body, "f16x8", code=2))

    def test_wrong_output_is_said_and_is_a_failure(self):
        text = self.run_with(self.answering(rung_of(PACK, wrong="wrong output: y[3]")), "f16x8", code=1)
        self.assertIn("its output is wrong (wrong output: y[3])", text)

    def test_files(self):
        data = self.root / "a.json"
        self.run_with(self.answering(rung_of(PACK)), "f16x8", f"--json={data}")
        self.assertEqual(runs.load_json(data)["rungs"][0]["rung"], "f16x8")


class Proof(unittest.TestCase):
    def problems(self, rung, exceptions=()):
        found = trace_proof.Findings("01_elu", exceptions)
        trace_proof.check_output(rung, found)
        trace_proof.check_inputs(rung, found)
        trace_proof.check_blocks(rung, found)
        trace_proof.check_full_launch(rung, found)
        return found.problems

    def test_a_good_rung(self):
        self.assertEqual(self.problems(rung_of(PACK)), [])

    def test_the_readers_rung_may_do_as_it_likes(self):
        rung = rung_of(PACK, "your_elu", wrong="wrong output: y[3]")
        rung["launches"][0]["grid"] = [5, 1, 1]
        self.assertEqual(self.problems(rung), [])

    def test_too_many_blocks(self):
        rung = rung_of(PACK)
        rung["launches"][0]["grid"] = [5, 1, 1]
        text = "\n".join(self.problems(rung))
        self.assertIn("launches 5 blocks of 32 threads for 1,024 elements", text)
        self.assertIn("1 of 5 blocks touch nothing", text)
        rung = rung_of(PACK)
        rung["launches"][0]["busy_threads"] -= 3
        self.assertIn("3 of 128 threads touch nothing", "\n".join(self.problems(rung)))

    def test_a_thread_that_leaves_the_fast_path(self):
        rung = rung_of(PACK)
        rung["launches"][0]["places"][0]["lanes"] -= 1
        self.assertIn("a thread has left the fast path", "\n".join(self.problems(rung)))

    def test_bytes_that_are_touched_twice_or_not_at_all(self):
        rung = rung_of(PACK)
        rung["buffers"][1]["stores_once"] -= 2
        rung["buffers"][1]["stores_again"] = 2
        rung["buffers"][0]["loads_again"] = 4
        text = "\n".join(self.problems(rung))
        self.assertIn("stores 2 bytes of its output more than once", text)
        self.assertIn("loads 4 bytes of x more than once", text)
        rung["buffers"][1]["stores_again"] = 0
        self.assertIn("2 bytes of the output were stored unseen", "\n".join(self.problems(rung)))

    def test_exceptions_excuse_and_must_be_needed(self):
        entry = {"chapter": "01_elu", "rungs": ["f16x8"], "rules": ["stored"], "reason": "why"}
        rung = rung_of(PACK)
        rung["buffers"][1]["stores_again"] = 2
        rung["buffers"][1]["stores_once"] -= 2
        self.assertEqual(self.problems(rung, [entry]), [])
        found = trace_proof.Findings("01_elu", [entry])
        found.unneeded({"f16x8"})
        self.assertIn("excuses stored, which holds", found.problems[0])

    def test_a_load_stands_before_the_store_of_its_value(self):
        copy = [request(range(0, 512, 16), 16), request(range(0, 512, 16), 16, "store", space="shared")]
        for requests, problems in ((copy, 0), (copy[::-1], 1)):
            found = trace_proof.Findings("01_elu", [])
            trace_proof.check_order(rung_of(requests), found)
            self.assertEqual(len(found.problems), problems)

    def test_calls_that_are_left_in_a_kernel(self):
        code = """
00000010 <void tutorial::(anonymous namespace)::some_kernel<__half, tutorial::Sum<(int)1> >(__half*)>:
      14: call   30 <expf@plt>
      18: callq  40 <__half2float(__half)>
      1c: call   50 <void tutorial::cpu::Block::wait<int>(int)>
      20: call   60 <memcpy@plt>
      22: call   70 <tutorial::cpu::Vector tutorial::sum<int>(int)>
      23: call   *0x10(%rax)
      24: jmp    18 <void tutorial::(anonymous namespace)::some_kernel<__half, 1>(__half*)+0x8>

00000080 <tutorial::some_launcher(int)>:
      84: call   40 <__half2float(__half)>
"""
        calls, kernels = trace_proof.calls_of(code, {"some_kernel"})
        self.assertEqual(kernels, {"some_kernel"})
        self.assertEqual([callee for _, callee in calls if not trace_proof.is_known(callee)],
                         ["__half2float(__half)", "memcpy", "tutorial::cpu::Vector tutorial::sum<int>(int)", "*0x10(%rax)"])
        names = trace_proof.kernel_names(trace_proof.runs.ROOT / "01_elu")
        self.assertIn("elementwise_pack_kernel", names)
        self.assertIn("strided_tile_kernel", names)  # its __launch_bounds__ stand before the name

    def test_a_program_in_which_nothing_is_found_fails(self):
        found = trace_proof.Findings("01_elu", [])
        with mock.patch.object(subprocess, "run", return_value=mock.Mock(stdout="")):
            trace_proof.check_calls("program", trace_proof.runs.ROOT / "01_elu", {"elementwise_pack_kernel"}, found)
        self.assertEqual(len(found.problems), 2)

    def test_widths(self):
        spec = trace_proof.claims_of({"defaults": {"load_bits": 32}, "kernels": [{"kernel": "elu_f16x8_kernel", "store_bits": 128}]})
        found = trace_proof.Findings("01_elu", [])
        trace_proof.check_widths(rung_of(PACK), [spec], found)
        self.assertEqual(len(found.problems), 1)
        self.assertIn("its widest load has 128 bits, codegen.json says 32", found.problems[0])

    def traced(self):
        """Four warps, a block each: a load and a store of 16 sectors, and shared loads of two passes."""
        rung = rung_of([*PACK, request([0, 128], 4, space="shared", ways=2)])
        return trace_proof.summary(rung, rung["launches"][0])

    def entry(self, **more):
        """What ncu would count of twice as many elements."""
        return {"kernel": "elu_f16x8_kernel", "rung": "f16x8", "block": "(32, 1, 1)", "grid": "(8, 1, 1)",
                "elements": 2048, "sectors_per_load": 16.0, "sectors_per_store": 16.0, "load_requests": 8,
                "store_requests": 8, "shared_load": {"instructions": 8, "passes": 16}, **more}

    def rules(self, **more):
        return [rule for rule, *_ in trace_proof.differences(self.entry(**more), self.traced())]

    def test_ncu(self):
        self.assertEqual(self.rules(), [])
        self.assertIs(trace_proof.traced_as(self.entry(), [traced := self.traced()]), traced)
        self.assertEqual(self.rules(sectors_per_load=4.0), ["sectors_per_load"])
        self.assertEqual(self.rules(load_requests=9), ["load_requests"])
        self.assertEqual(self.rules(store_requests=None), ["store_requests"])
        self.assertEqual(self.rules(load_requests=9, block="(64, 1, 1)"), [])  # its warps do something else
        for shared in ({"instructions": 9, "passes": 16}, {"instructions": 8, "passes": 17}):
            self.assertEqual(self.rules(shared_load=shared), ["shared_load"])

    def test_the_exceptions_are_of_rungs_and_rules_that_there_are(self):
        for entry in trace_proof.load_exceptions():
            self.assertTrue((runs.ROOT / entry["chapter"]).is_dir(), entry)
            self.assertFalse(entry["reason"].endswith("."), entry)


if __name__ == "__main__":
    unittest.main()

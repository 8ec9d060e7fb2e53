"""Tests of ncu.py, on CSV made up here."""

import unittest

import folders
import ncu
import runs
import synthetic

COLUMNS = ["ID", "Kernel Name", "Block Size", "Grid Size"] + list(ncu.METRICS.values())


def quoted(cells):
    return ",".join(f'"{cell}"' for cell in cells)


def launch(identity, kernel, duration, block="(128, 1, 1)"):
    """One launch: 2 GB read, 1 GB written, 1,000 warp instructions and so on."""
    values = {"gpu__time_duration.sum": duration, "dram__bytes_read.sum": "2,000,000,000",
              "dram__bytes_write.sum": "1,000,000,000", "smsp__inst_executed.sum": "1,000",
              "launch__registers_per_thread": "16",
              "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "1600",
              "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "100",
              "smsp__cycles_elapsed.avg.per_second": "1,980,000,000",
              "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active": "61.25",
              "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": "0",
              "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": "2.0",
              "lts__t_sectors_srcunit_tex_op_write.sum": "4,000",
              "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": "7",
              "smsp__inst_executed_op_shared_ld.sum": "10",
              "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "40",
              "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "30",
              "smsp__inst_executed_op_shared_st.sum": "5",
              "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "6",
              "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "1",
              "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "5"}
    cells = [identity, kernel, block, "(8, 1, 1)"]
    return quoted(cells + [values.get(name, "n/a") for name in ncu.METRICS.values()])


def table(*launches, unit="ns"):
    units = ["", "", "", "", unit, "byte", "byte"] + [""] * (len(COLUMNS) - 7)
    return "\n".join(["==PROF== Connected", quoted(COLUMNS), quoted(units), *launches]) + "\n"


class NcuTest(synthetic.Scratch):
    def entries(self, text):
        return ncu.summarise(ncu.read_launches(text, "raw.csv"), 1000, ncu.rung_namer("elu", None))

    def test_one_kernel(self):
        name = "tutorial::elu_f16x2_kernel(const __half *, __half *, long)"
        found, = self.entries(table(launch("0", name, "1,000,000,000")))
        self.assertEqual((found["kernel"], found["rung"]), ("elu_f16x2_kernel", "f16x2"))
        self.assertEqual((found["duration_us"], found["dram_gbps"]), (1e6, 3.0))
        self.assertEqual((found["instructions"], found["instructions_per_element"]), (1000, 32.0))
        self.assertEqual((found["registers"], found["sectors_per_load"]), (16, 16.0))
        self.assertIsNone(found["sectors_per_store"])
        self.assertEqual((found["load_requests"], found["store_requests"]), (100, None))

    def test_units_stalls_and_the_way_to_the_l2(self):
        found, = self.entries(table(launch("0", "k()", "1")))
        self.assertEqual((found["sm_mhz"], found["pipes"], found["stalls"]),
                         (1980.0, {"alu": 61.2}, {"wait": 2.0}))
        self.assertEqual((found["l2_read_sectors"], found["l2_write_sectors"], found["local_sectors"]),
                         (None, 4000, 7))
        self.assertEqual(found["shared_load"], {"instructions": 10, "wavefronts": 40, "conflicts": 30})
        self.assertEqual(found["shared_store"], {"instructions": 5, "wavefronts": 6, "conflicts": 1, "passes": 5})

    def test_what_a_gpu_does_not_have_is_null(self):
        cells = ["0", "k()", "(1, 1, 1)", "(1, 1, 1)"] + ["n/a"] * len(ncu.METRICS)
        found, = self.entries(table(quoted(cells)))
        self.assertEqual([found[key] for key in ("sm_mhz", "pipes", "stalls", "local_sectors", "shared_load")],
                         [None] * 5)

    def test_units_are_heeded(self):
        found, = self.entries(table(launch("0", "k()", "2"), unit="ms"))
        self.assertEqual(found["duration_us"], 2000.0)

    def test_the_median_launch_counts(self):
        text = table(*[launch(str(i), "k()", d) for i, d in enumerate(("9", "5", "7"))], unit="us")
        found, = self.entries(text)
        self.assertEqual((found["duration_us"], found["launches"]), (7.0, 3))

    def test_a_sweep_is_told_apart_by_its_block(self):
        text = table(launch("0", "elu_k(int)", "1"), launch("1", "elu_k(int)", "1", "(64, 1, 1)"))
        self.assertEqual([e["rung"] for e in self.entries(text)], ["k", "k (64,1,1)"])

    def test_a_spec_names_the_rungs(self):
        spec = {"kernels": [{"kernel": "pack<__half, F<G>>", "rung": "f16x8_pack"}]}
        name = "void a::pack<__half, F<G> >(const T1 *, T1 *, long)"
        launches = ncu.read_launches(table(launch("0", name, "1")), "raw.csv")
        self.assertEqual(ncu.rung_namer("elu", spec)(launches[0]), "f16x8_pack")
        spec = {"kernels": [{"kernel": "pack"}], "names": [{"kernel": "pack<__half", "rung": "p"}]}
        self.assertEqual(ncu.rung_namer("elu", spec)(launches[0]), "p")

    def test_a_name_may_hold_for_one_launch_shape_and_for_cub(self):
        spec = {"names": [{"kernel": "sum<float>", "rung": "sum"}, {"kernel": "sum<float>", "block": "(16, 2, 1)", "rung": "second"},
                          {"kernel": "One<1>, float *", "rung": "tanh_cub"}]}
        cub = "void cub::transform_kernel<cub::policy<const float *>, long, a::One<{}>, float *>(T2)"
        text = table(launch("0", "sum<float>(int)", "1", "(16, 2, 1)"), launch("1", "sum<float>(int)", "1", "(16, 32, 1)"),
                     launch("2", cub.format(1), "1"), launch("3", cub.format(0), "1"))
        found = ncu.summarise(ncu.read_launches(text, "raw.csv"), 1, ncu.rung_namer("", spec))
        self.assertEqual([one["rung"] for one in found], ["second", "sum", "tanh_cub", "cub_f32"])

    def test_output_without_a_table(self):
        for text, words in (("==PROF==\n", "holds no ncu table"),
                            ("==ERROR== ERR_NVGPUCTRPERM\n", "ERR_NVGPUCTRPERM"),
                            (table(), "no profiled launch")):
            with self.assertRaisesRegex(runs.ToolError, words):
                ncu.read_launches(text, "raw.csv")

    def test_the_program(self):
        raw, bench = self.put("raw.csv", table(launch("0", "k()", "1"))), self.put("bench.json", synthetic.run())
        out = self.folder + "/ncu.json"
        self.assert_fine(synthetic.call("ncu.py", raw, "--shape", "10x100", "--ladder", "elu", "--context", bench, "--out", out))
        data = runs.load_json(out)
        self.assertEqual((data["context"]["gpu"], data["context"]["shape"]),
                         ("Synthetic GPU", "10x100"))
        self.assertEqual(len(data["ncu"]), 1)

    OURS, THEIRS = "swish/bound_f32/8x4/warm", "swish/torch_f32/8x4/warm"

    def beside_pytorch(self, kernels, ranges, order=((OURS, 3), (THEIRS, 3)), context="one"):
        """ncu.py on launches of these kernels, each in its NVTX range if there are ranges."""
        lines = table(*[launch(str(i), kernel, f"{i + 1},000") for i, kernel in enumerate(kernels)]).splitlines()
        cells = ["thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg", ""]
        cells += [f'9  ""<default domain>:{name}:none:none:none:none:none:none""' if name else "" for name in ranges]
        if ranges:
            lines[1:] = [f'{line},"{cell}"' for line, cell in zip(lines[1:], cells)]
        orders = [self.put(f"{i}.json", {"context": {"commit": context if i else "one"}, "profiled": [
            {"name": name, "calls": calls}]}) for i, (name, calls) in enumerate(order)]
        code, _, errors = synthetic.call("ncu.py", self.put("raw.csv", "\n".join(lines)), "--order", *orders, "--out",
                                         self.folder + "/out.json")
        return (code, errors) if code else runs.load_json(self.folder + "/out.json")

    def test_launches_are_divided_by_range_and_by_order(self):
        kernels = ["void a::ours<float>(float*)"] * 3 + ["silu()", "mul()"] * 3
        ranges = [self.OURS] * 3 + [self.THEIRS] * 6
        by_order = self.beside_pytorch(kernels, [])
        self.assertEqual(by_order, self.beside_pytorch(kernels, ranges))
        self.assertEqual(by_order["context"], {"commit": "one"})
        self.assertEqual([(one["rung"], one["kernel"], one["part"], one["duration_us"]) for one in by_order["ncu"]],
                         [(self.OURS, "ours<float>", "1 of 1", 3.0), (self.THEIRS, "silu", "1 of 2", 8.0),
                          (self.THEIRS, "mul", "2 of 2", 9.0)])
        first = by_order["ncu"][0]
        self.assertEqual((first["threads"], first["elements_per_thread"], first["instructions_per_element"]),
                         (128, 32 / 1024, 1000.0))
        # A range counts more than the order, and a launch outside of all ranges is nobody's.
        turned = self.beside_pytorch(["theirs()"] * 3 + ["other()"] + ["ours()"] * 3, [self.THEIRS] * 3 + [""] + [self.OURS] * 3)
        self.assertEqual([one["kernel"] for one in turned["ncu"]], ["ours", "theirs"])

    def test_launches_that_the_order_does_not_fit(self):
        for kernels, ranges, order in ((["a()"] * 4, [], ((self.OURS, 3),)), (["a()", "b()", "b()"], [], ((self.OURS, 3),)),
                                       (["a()"] * 3, [], ((self.OURS, 3), (self.THEIRS, 3))),
                                       (["a()"] * 2, [self.OURS] * 2, ((self.OURS, 3),))):
            code, errors = self.beside_pytorch(kernels, ranges, order)
            self.assertEqual((code, errors.count("\n")), (2, 1))
            self.assertRegex(errors, f"was called 3 times .* and {len(kernels)} launches cannot be divided so")
        code, errors = self.beside_pytorch(["a()"] * 6, [], context="other")
        self.assertRegex(errors, "1.json: was not written on the machine and at the commit of .*0.json")
        for order, words in (("missing.json", "no such file"),
                             (self.put("bench.json", synthetic.run()), 'has no list "profiled"')):
            self.assert_refused(synthetic.call("ncu.py", "raw.csv", "--order", order, "--out", self.folder + "/no.json"), words)

    def test_metrics_that_the_gpu_does_not_have_are_not_asked_for(self):
        known = self.put("known.txt", "Device X\n\ndram__bytes_read   Counter   byte  # of bytes\n")
        self.assertEqual(ncu.known_metrics(known), ["dram__bytes_read.sum", "launch__registers_per_thread",
                                                    "launch__shared_mem_per_block_allocated"])


if __name__ == "__main__":
    unittest.main()

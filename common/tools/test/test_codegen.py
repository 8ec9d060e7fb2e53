"""Tests of codegen.py's reading and judging; they need no nvcc."""

import unittest
import unittest.mock

import folders
import codegen
import runs
import synthetic

PTX = """
.version 9.0
.target sm_90
.func  (.param .b64 func_retval0) _Z4slowd
(
 .param .b64 _Z4slowd_param_0
)
;
.visible .entry _Z6packedPKfPf(
 .param .u64 .ptr .align 1 _Z6packedPKfPf_param_0
)
.maxntid 128, 1, 1
{
 .reg .pred %p<2>;
 .reg .b64 %rd<4>;
 ld.param.u64 %rd1, [_Z6packedPKfPf_param_0]; // ld.global.v8.f32 in a comment
 ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
 ld.shared.v4.f64 %r1, [%rd1];
 @%p1 bra $L__BB0_2;
 ex2.approx.ftz.f32 %f5, %f1;
 st.global.v2.b32 [%rd2], {%r1, %r2};
$L__BB0_2:
 ret;
}
.visible .entry _Z6callerPf(
 .param .u64 _Z6callerPf_param_0
)
{
 { // callseq 0, 0
 call.uni (retval0),
 _Z4slowd,
 (param0);
 }
 @%p1 ld.global.u16 %rs1, [%rd1];
 st.global.L1::no_allocate.f32 [%rd1], %f1;
 ret;
}
.func  (.param .b64 func_retval0) _Z4slowd(
 .param .b64 _Z4slowd_param_0
)
{
 ld.param.f64 %fd1, [_Z4slowd_param_0];
 fma.rn.f64 %fd2, %fd1, %fd1, 0d3FF0000000000000;
 st.param.f64 [func_retval0+0], %fd2;
 ret;
}
"""
PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z6packedPKfPf' for 'sm_90'
ptxas info    : Function properties for _Z6packedPKfPf
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 16 registers, used 0 barriers, 380 bytes cmem[0]
"""
SASS = """
\t\tFunction : _Z6packedPKfPf
        /*0000*/                   LDC R1, c[0x0][0x28] ;      /* 0x00000a00ff017b82 */
        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0020*/                   STG.E desc[UR4][R2.64], R4 ;
        /*0030*/                   EXIT ;
        /*0040*/                   STG.E desc[UR4][R2.64], R5 ;
        /*0050*/                   NOP;
"""


def kernel(**more):
    base = {"kernel": "elu_f16x8_pack_kernel", "registers": 20, "stack_bytes": 0, "spill_bytes": 0,
            "load_bits": 128, "store_bits": 128, "fp64": 0, "ptx_instructions": 9,
            "arch": "sm_90", "_waits": True,
            "_text": "ex2.approx.f16x2", "_name": "elu_f16x8_pack_kernel(half*) _Zmangled"}
    return {**base, **more}


class ReadingTest(unittest.TestCase):
    def test_functions_and_their_callees(self):
        functions = codegen.functions_of(PTX)
        self.assertEqual({name: k for name, (k, _) in functions.items()},
                         {"_Z6packedPKfPf": True, "_Z6callerPf": True, "_Z4slowd": False})
        text = codegen.with_callees("_Z6callerPf", functions)
        self.assertEqual(len(codegen.FP64.findall(text)), 1)
        self.assertEqual(codegen.widest_access(text), {"ld": 16, "st": 32})

    def test_only_global_accesses_count(self):
        text = codegen.functions_of(PTX)["_Z6packedPKfPf"][1]
        self.assertEqual(codegen.widest_access(text), {"ld": 128, "st": 64})

    def test_access_widths(self):
        for modifiers, bits in ((".global.nc.v4.f32", 128), (".global.v4.u32", 128), (".v4.b32", 128),
                                (".global.v2.b64", 128), (".global.v8.f32", 256), (".global.b16", 16),
                                (".global.nc.u8", 8), (".global.b128", 128), (".volatile.f64", 64)):
            self.assertEqual(codegen.access_bits(modifiers), bits, modifiers)

    def test_ptxas(self):
        self.assertEqual(codegen.read_ptxas(PTXAS)["_Z6packedPKfPf"],
                         {"registers": 16, "stack_bytes": 8, "spill_bytes": 16})

    def test_sass(self):
        self.assertEqual(codegen.parse_sass(SASS)["_Z6packedPKfPf"],
                         {"sass_instructions": 5, "sass_load_bits": 128, "sass_store_bits": 32,
                          "_sass": ["LDG.E.128.CONSTANT", "STG.E"], "_sass_waits": None})

    def test_opcodes_are_counted_with_any_modifiers(self):
        opcodes = ["HFMA2", "HFMA2.MMA", "HFMA2X", "STG.E.U8"]
        self.assertEqual([codegen.count_opcode(opcodes, wanted)
                          for wanted in ("HFMA2", "STG", "STG.E", "STG.E.U8", "LDG")],
                         [2, 1, 1, 1, 0])


class JudgingTest(synthetic.Scratch):
    def check(self, compiled, arch="sm_90", **spec):
        return codegen.check(compiled, {"kernels": [], **spec}, arch, "elu")

    def violations(self, wanted, **more):
        entry = {"kernel": "elu_f16x8_pack_kernel", **wanted}
        return self.check([kernel(**more)], kernels=[entry])

    def test_a_kernel_as_wanted(self):
        self.assertEqual(self.violations({"load_bits": 128, "store_bits": 128, "fp64": False,
                                          "local_bytes": 0, "max_registers": 20,
                                          "contains": ["ex2.approx.f16x2"], "lacks": ["div"]}), [])

    def test_machine_instructions_are_counted(self):
        wanted = {"sass": {"HFMA2": 2, "MUFU": 0}}
        self.assertEqual(self.violations(wanted, _sass=["HFMA2", "HFMA2.MMA"]), [])
        self.assertEqual(self.violations(wanted), [])  # no cuobjdump
        self.assertEqual(len(self.violations(wanted, _sass=["HFMA2", "MUFU.EX2"])), 2)

    def test_what_is_not_counted_is_said_with_its_number(self):
        wanted = [{"kernel": "elu_f16x8_pack_kernel", "sass": {"LDG": 9},
                   "arch": {"sm_90": {"sass": {"HFMA2": 2, "MUFU": 0}}}}]
        spec = {"sources": ["elu.cu"], "kernels": wanted, "sass_nvcc": "13.0"}
        counted, other = kernel(_sass=["HFMA2"], sass_load_bits=16), kernel(sass_load_bits=16)
        self.assertEqual(codegen.unread([counted], spec, "sm_90", "13.0"), "")
        self.assertRegex(codegen.unread([other, counted], spec, "sm_80", "13.5"), "^1 claims .* 13.0, and this is 13.5$")
        self.assertRegex(codegen.unread([kernel()], spec, "sm_90", "13.0"), "^3 claims .*no cuobjdump")
        wanted[0].update(load_bits=128, store_bits=128)
        self.assertRegex(codegen.unread([kernel()], spec, "sm_90", "13.5"), "^5 claims .*no cuobjdump")
        self.assertEqual(codegen.unread([kernel()], {**spec, "kernels": []}, "sm_90", "13.5"), "")

    def test_another_toolkit_drops_no_count_silently(self):
        """The whole program, with made-up tools: nvcc answers with another release."""
        nvcc, entry = self.root / "nvcc", (PTX.index(".visible .entry _Z6packed"), PTX.index(".visible .entry _Z6caller"))
        synthetic.script(nvcc, f"""#!/bin/sh
case "$*" in
  *--version*) echo "release $RELEASE, V1" ;;
  *) while [ "$1" != --keep-dir ]; do shift; done; cp {self.root}/a.ptx "$2"; : >"$2/a.cubin"; cat {self.root}/ptxas >&2 ;;
esac
""")
        synthetic.script(self.root / "cuobjdump", f"#!/bin/sh\ncat {self.root}/sass\n")
        for name, text in (("a.ptx", PTX[entry[0]:entry[1]]), ("ptxas", PTXAS), ("sass", SASS), ("a.cu", "")):
            self.put(name, text)
        path = self.put("proof/codegen.json", {
            "sources": ["a.cu"], "sass_nvcc": "13.0", "defaults": {"waits": False},
            "kernels": [{"kernel": "packed", "arch": {"sm_90": {"sass": {"STG": 2, "LDG": 1}}}}]})
        for release, code, words in (("13.0", 1, "has 1 STG on its way, not 2"),
                                     ("13.5", 0, "skipped: 2 claims about the machine code of a.cu: they were "
                                                 "counted with nvcc 13.0, and this is 13.5")):
            with self.subTest(release=release), unittest.mock.patch.dict("os.environ", RELEASE=release):
                got, out, errors = synthetic.call("codegen.py", "--spec", path, "--nvcc", nvcc)
                self.assertEqual(got, code, errors)
                self.assertIn(words, out + errors)

    def test_kernels_that_no_source_has_are_made(self):
        spec = {"prelude": ["#include <a.h>"], "kernels": [{"kernel": "a", "make": ["a<1>", "a<2>"]}, {"kernel": "b"}]}
        source, = codegen.made_source(spec, self.folder)
        text = runs.read_text(source)
        self.assertLess(text.index("#include <a.h>"), text.index("address_of(a<1>),"))
        self.assertIn("address_of(a<2>),", text)
        self.assertEqual(codegen.made_source({"kernels": [{"kernel": "b"}]}, self.folder), [])

    def test_each_violation(self):
        for wanted, more, words in (
            ({"load_bits": 128}, {"load_bits": 16}, "widest global load in the PTX is 16 bits"),
            ({"store_bits": 128}, {"store_bits": 32}, "widest global store in the PTX is 32 bits"),
            ({"load_bits": 128}, {"sass_load_bits": 32}, "in the machine code is 32 bits"),
            ({"fp64": False}, {"fp64": 2}, "2 FP64 instructions"),
            ({"local_bytes": 0}, {"spill_bytes": 8}, "8 bytes of local memory"),
            ({"max_registers": 16}, {}, "20 registers, at most 16"),
            ({"contains": ["fma"]}, {}, "PTX lacks fma"), ({"lacks": ["ex2"]}, {}, "contains ex2"),
        ):
            with self.subTest(words=words):
                found = self.violations(wanted, **more)
                self.assertEqual(len(found), 1)
                self.assertIn(words, found[0])

    def test_the_wait_for_the_grid_before(self):
        for wanted, have, words in (
            ({}, {"_waits": None}, "PTX has no wait"), ({}, {"_waits": False}, "PTX accesses global memory before"),
            ({}, {"_sass_waits": None}, "machine code has no wait"),
            ({}, {"_sass_waits": False}, "machine code accesses global memory before"),
            ({"waits": False}, {}, "has wait_for_previous_grid(), and the spec says"),
            ({"waits": "late"}, {"_waits": False}, ""), ({"waits": "late"}, {"_waits": None}, "PTX has no wait"),
            ({"waits": False}, {"_waits": None}, ""), ({}, {"_waits": None, "arch": "sm_80"}, "")):
            with self.subTest(wanted=wanted, have=have):
                found = self.violations(wanted, **have)
                self.assertEqual(len(found), bool(words))
                self.assertIn(words, "".join(found))

    def test_where_the_wait_stands(self):
        for text, expected in (("griddepcontrol.wait;\n ld.global.u16 %r1, [%r2];", True),
                               ("ld.param.u64 %r2, [p];\n griddepcontrol.wait;\n", True),
                               (" ld.global.u16 %r1, [%r2];\n griddepcontrol.wait;", False),
                               (" @%p1 st.global.v4.f32 [%r1], {};\n griddepcontrol.wait;", False),
                               (" call.uni f, ();\n griddepcontrol.wait;", False), (" ret;", None)):
            self.assertEqual(codegen.waits(text, "griddepcontrol.wait", codegen.PTX_REQUEST), expected, text)
        for text, expected in (("LDC R1, c[0x0][0x28]\nACQBULK\nLDG.E R2, [R4.64]", True),
                               ("LDS R2, [R4]\nACQBULK", True), ("@P0 LDG.E R2, [R4.64]\nACQBULK", False),
                               ("LDG.E R2, [R4.64]", None)):
            self.assertEqual(codegen.waits(text, "ACQBULK", codegen.SASS_REQUEST), expected, text)

    def test_no_kernel_and_no_entry_escapes(self):
        self.assertIn("no entry in the spec", self.check([kernel()])[0])
        self.assertEqual(self.check([kernel()], ignore=["f16x8"]), [])
        found = self.check([], kernels=[{"kernel": "gone_kernel"}])
        self.assertIn("no kernel has that name", found[0])

    def test_the_longest_name_wins(self):
        spec = [{"kernel": "elu_"}, {"kernel": "elu_f16x8", "rung": "mine"}]
        found = runs.entry_for("a::elu_f16x8_pack_kernel(half*)", spec)
        self.assertEqual(found["rung"], "mine")

    def test_defaults_and_architectures(self):
        spec = {"defaults": {"max_registers": 10, "contains": ["a"]}}
        entry = {"kernel": "k", "contains": ["b"], "arch": {"sm_75": {"max_registers": 40}}}
        self.assertEqual(codegen.expectation(entry, spec, "sm_90")["max_registers"], 10)
        self.assertEqual(codegen.expectation(entry, spec, "sm_75")["max_registers"], 40)
        self.assertEqual(codegen.expectation(entry, spec, "sm_90")["contains"], ["a", "b"])

    def test_a_wrong_spec_is_one_line(self):
        for spec, words in (({"sources": ["a.cu"]}, "needs"), ({"sauces": []}, "unknown key"),
                            ({"sources": ["a.cu"], "kernels": [{"kernel": "k", "regs": 1}]}, "unknown key regs"),
                            ({"sources": ["a.cu"], "kernels": [], "names": [{"rung": "r"}]}, "\"names\""),
                            ({"sources": ["a.cu"], "kernels": []}, "no such file")):
            self.assert_refused(synthetic.call("codegen.py", "--spec", self.put("codegen.json", spec)), words)

    def test_a_missing_nvcc_is_one_line(self):
        self.put("a.cu", "")
        path = self.put("proof/codegen.json", {"sources": ["a.cu"], "kernels": []})
        self.assert_refused(synthetic.call("codegen.py", "--spec", path, "--nvcc", self.root / "no"), "no such program")


if __name__ == "__main__":
    unittest.main()

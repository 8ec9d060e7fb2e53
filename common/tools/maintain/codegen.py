#!/usr/bin/env python3
"""Checks the machine code of a chapter's kernels. Needs nvcc, but no GPU.

    python3 common/tools/maintain/codegen.py --nvcc /usr/local/cuda/bin/nvcc --arch sm_90 \\
        --spec 01_elu/proof/codegen.json [--json OUT.json]

Every source of the spec is compiled for the architecture, up to nvcc's host compiler: what stays in between
is its PTX, and what `ptxas -v` says of it. From the two this program reads, per kernel: registers, stack frame and spills, the
widest global load and store, FP64 instructions. It prints them as a table, compares them with the
spec and exits 1 with a line per difference (2 when it could not compile or the spec is wrong).

The spec lies in the folder proof/ of a chapter (paths are relative to the chapter):

    {
      "sources": ["elu.cu"],
      "architectures": ["sm_90"],                   CTest checks these alone, optional
      "defaults": {"fp64": false, "local_bytes": 0, "max_registers": 32},
      "ignore": ["some_helper_kernel"],             kernels that the spec says nothing about
      "sass_nvcc": "13.0",                          whose machine code `sass` counts, optional
      "prelude": ["#include \"01_elu/elu_kernels.cuh\""],  C++ before the kernels that entries `make`,
      "names": [{"kernel": "...", "rung": "..."}],  of kernels that only a profile meets, optional;
                                                    with "block": "(16, 2, 1)" only of that launch shape
      "kernels": [
        {"kernel": "elu_f16x8_pack_kernel",         part of the kernel's demangled name
         "rung": "f16x8_pack",                      how tables call it, optional
         "make": ["elu_kernel<half>"],              kernels to compile that no source instantiates, optional
         "load_bits": 128, "store_bits": 128,       the widest global access, exactly; null: nothing is said, because
                                                    the PTX and the machine code spell it differently
         "max_registers": 24,
         "contains": ["ex2.approx"],                text that the kernel's PTX must have
         "lacks": ["div.rn"],                       and must not have
         "sass": {"HFMA2": 12, "STG.E.U8": 8},      machine instructions of a pack, by opcode
         "arch": {"sm_75": {"max_registers": 40}}}  what differs on one architecture, optional
      ]
    }

A kernel that may be launched with Overlap::previous_kernel waits for the kernel before it: from sm_90 on
its PTX and its machine code must show the wait, before any access to global memory. This holds for every
kernel that does not say "waits": false, which must then have none, or "waits": "late", which reads before what
the kernel before it only reads.

`defaults` hold for every kernel; an entry overrides them ("contains" and "lacks" add up). When
several entries fit a kernel, the longest `kernel` text wins. A kernel that no entry fits and no
`ignore` names is an error, so that a new rung cannot go unchecked; so is an entry that fits no
kernel.

What is read where: `local_bytes` is the stack frame plus spill stores and loads as ptxas reports
them. Access widths, `fp64`, `contains` and `lacks` are read from the PTX, with the device functions
that a kernel calls counted in. A load or store without a state space is counted as global. When
cuobjdump is found beside nvcc or on PATH, the number of machine instructions and the widest LDG and
STG are added to the table, the widths are checked there too, and so is `sass`. It counts on one way
through the kernel, from the first global load to the EXIT behind it: in a kernel with a tail, a
whole pack. Machine code is an architecture's own, and a compiler's: `sass` stands under "arch", and
is checked only with the release of nvcc that "sass_nvcc" names. What is not checked is said in a line
that begins with "skipped: ", which ./tutorial test repeats at its end as "not checked: ".
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import counts
import runs

KEYS = {"kernel", "rung", "make", "load_bits", "store_bits", "fp64", "local_bytes", "max_registers",
        "contains", "lacks", "sass", "waits", "arch"}
SPEC_KEYS = {"architectures", "sources", "prelude", "defaults", "ignore", "names", "sass_nvcc", "kernels"}
ENTRY = re.compile(r"^\s*(?:\.(?:visible|weak|extern)\s+)*\.(entry|func)\s*(?:\([^)]*\))?\s*"
                   r"([\w$]+)", re.M)
ACCESS = re.compile(
    r"^\s*(?:@!?%?\w+\s+)?(ld|st)((?:\.(?!param|local|shared|const)[\w:]+)*)\s", re.M)
TYPE_BITS = re.compile(r"\.[bsuf](8|16|32|64|128)$|\.(?:bf16|f16)(x2)?$")
FP64 = re.compile(r"^\s*(?:@!?%?\w+\s+)?(?!ld\.param|st\.param|\.)[\w.:]*\.f64\b", re.M)
# What begins a request to global memory; and, in machine code, what waits for the grid before.
PTX_REQUEST = re.compile(r"^\s*(?:@!?%?\w+\s+)?(?:(?:ld|st)(?:\.(?!param|local|shared|const)[\w:]+)*"
                         r"|(?:atom|red|cp)\.[\w.:]*|call[\w.]*)\s", re.M)
SASS_REQUEST = re.compile(r"\b(LDG|STG|LD|ST|ATOM|ATOMG|RED|REDG|UBLKCP|LDGSTS|CALL)\b")
# An instruction of PTX; declarations and labels are none.
INSTRUCTION = re.compile(r"^\s*(?:@!?%?\w+\s+)?[a-z][\w.:]*[^;:]*;", re.M)
SASS_WIDTH = re.compile(r"\b(LDG|STG)((?:\.\w+)*)")


# -------------------------------------------------------------------------------------------------
# Compiling


def run_command(command):
    """The finished process; ToolError when the program is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise runs.ToolError(f"{command[0]}: no such program; name nvcc with --nvcc") from None
    except OSError as error:
        raise runs.ToolError(f"{command[0]}: cannot be run ({error.strerror})") from None
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise runs.ToolError(f"{Path(command[0]).name} failed; its messages are above")
    return done


def compile_source(source, arguments, folder):
    """(PTX text, ptxas report, cubin path) of one source, which nvcc's host side has taken as well."""
    kept = Path(folder, source.stem)  # releases differ in whether a file's name has the architecture
    kept.mkdir()
    strict = ["-Werror=all-warnings"] if arguments.werror else []
    done = run_command([arguments.nvcc, "-cuda", f"-arch={arguments.arch}", "-std=c++17", "-O3", "-DTUTORIAL_BACKEND_CUDA=1",
                        f"-I{runs.ROOT}", *strict, "-Xptxas", "-v", "--keep", "--keep-dir", str(kept),
                        "-o", str(kept / "host.ii"), str(source)])
    (ptx,), (cubin,) = kept.glob("*.ptx"), kept.glob("*.cubin")
    return ptx.read_text(encoding="utf-8"), done.stderr + done.stdout, cubin


def made_source(spec, folder):
    """[codegen.cu] with the kernels that entries make, [] if none does: to take its address has a kernel compiled."""
    made = [f"    address_of({kernel})," for entry in spec["kernels"] for kernel in entry.get("make", [])]
    if not made:
        return []
    source = Path(folder, "codegen.cu")
    source.write_text("\n".join([
        *spec.get("prelude", []), "using namespace tutorial;", "template <class Kernel>",
        "const void* address_of(Kernel* kernel) { return reinterpret_cast<const void*>(kernel); }",
        "extern const void* const kernels[] = {", *made, "};", ""]), encoding="utf-8")
    return [source]


def tool_version(nvcc):
    """nvcc's release, as 13.0."""
    match = re.search(r"release ([\d.]+)", run_command([nvcc, "--version"]).stdout)
    return match.group(1) if match else "unknown"


# -------------------------------------------------------------------------------------------------
# Reading PTX and ptxas


def functions_of(ptx):
    """name -> (is it a kernel, its text), of every function that the PTX defines."""
    ptx = re.sub(r"//[^\n]*", "", ptx)
    starts = list(ENTRY.finditer(ptx))
    result = {}
    for here, after in zip(starts, starts[1:] + [None]):
        text = ptx[here.end():after.start() if after else len(ptx)]
        if "{" in text:  # a declaration ends without a body
            result[here.group(2)] = (here.group(1) == "entry", text[text.index("{"):])
    return result


def with_callees(name, functions, seen=None):
    """A function's text and that of every function it calls."""
    seen = set() if seen is None else seen
    if name in seen or name not in functions:
        return ""
    seen.add(name)
    text = functions[name][1]
    called = {other for statement in re.findall(r"\bcall\b[^;]*;", text) for other in re.findall(r"[\w$]+", statement)}
    return text + "".join(with_callees(other, functions, seen) for other in sorted(called))


def access_bits(modifiers):
    """How many bits one ld or st moves, from its modifiers (.global.nc.v4.f32 is 128)."""
    kind = TYPE_BITS.search(modifiers)
    if not kind:
        return 0
    bits = int(kind.group(1)) if kind.group(1) else (32 if kind.group(2) else 16)
    vector = re.search(r"\.v(\d)\b", modifiers)
    return bits * (int(vector.group(1)) if vector else 1)


def widest_access(text, pattern=ACCESS, bits_of=access_bits, names=("ld", "st")):
    """{"ld": bits, "st": bits} of the widest global load and store; or so of machine code."""
    widest = dict.fromkeys(names, 0)
    for name, modifiers in pattern.findall(text):
        widest[name] = max(widest[name], bits_of(modifiers))
    return widest


def waits(text, wait, request):
    """Whether a kernel waits for the grid before it: None: nowhere; False: not before its first request."""
    at, first = text.find(wait), request.search(text)
    return None if at < 0 else first is None or at < first.start()


def read_ptxas(report):
    """mangled name -> registers, stack_bytes, spill_bytes, from `ptxas -v`."""
    found = re.findall(r"Compiling entry function '([^']+)'.*?Function properties for '?\1\b.*?(\d+) bytes stack frame, "
                       r"(\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers", report, re.S)
    return {name: {"registers": int(registers), "stack_bytes": int(frame), "spill_bytes": int(stores) + int(loads)}
            for name, frame, stores, loads, registers in found}


def read_sass(cubin, nvcc):
    """mangled name -> sass_instructions, sass_load_bits, sass_store_bits; {} without cuobjdump."""
    beside = Path(shutil.which(nvcc) or nvcc).resolve().parent / "cuobjdump"
    program = str(beside) if beside.exists() else shutil.which("cuobjdump")
    if not program:
        return {}
    done = subprocess.run([program, "-sass", str(cubin)], capture_output=True, text=True,
                          check=False)
    return parse_sass(done.stdout) if done.returncode == 0 else {}


def parse_sass(text):
    """As read_sass, from what cuobjdump printed."""
    result = {}
    for part in re.split(r"^\s*Function : ", text, flags=re.M)[1:]:
        name, _, body = part.partition("\n")
        code = re.findall(r"/\*[0-9a-f]{4,}\*/\s+([^;/]+);", body)
        code = [line for line in code if not re.match(r"\s*(@!?U?P\w+\s+)?NOP\b", line)]
        widths = widest_access("\n".join(code), SASS_WIDTH, sass_bits, ("LDG", "STG"))
        result[name.strip()] = {"sass_instructions": len(code), "sass_load_bits": widths["LDG"],
                                "sass_store_bits": widths["STG"], "_sass": opcodes_of_path(code),
                                "_sass_waits": waits("\n".join(code), "ACQBULK", SASS_REQUEST)}
    return result


def opcodes_of_path(code):
    """The opcodes, with their modifiers, from the first global load to the EXIT behind it."""
    code = [line.strip() for line in code]
    begin = next((i for i, line in enumerate(code) if re.search(r"\bLDG\b", line)), 0)
    end = next((i for i, line in enumerate(code) if i > begin and line.startswith("EXIT")),
               len(code))
    return [re.sub(r"^@!?U?P\w+\s+", "", line).split()[0] for line in code[begin:end]]


def count_opcode(opcodes, wanted):
    """How many opcodes are `wanted`, with or without further modifiers: HFMA2 counts HFMA2.MMA."""
    return sum(1 for opcode in opcodes if opcode == wanted or opcode.startswith(wanted + "."))


def sass_bits(modifiers):
    """Bits of one LDG or STG: .128, .64, .U16 and so on; 32 when none is written."""
    sizes = re.findall(r"\.[US]?(8|16|64|128|256)\b", modifiers)
    return int(sizes[-1]) if sizes else 32


def kernels_of(source, arguments, folder):
    """Registers, access widths and so on of every kernel in a source: a list of dicts in source order."""
    ptx, report, cubin = compile_source(source, arguments, folder)
    functions = functions_of(ptx)
    assembled, sass = read_ptxas(report), read_sass(cubin, arguments.nvcc)
    names = [name for name, (kernel, _) in functions.items() if kernel]
    readable = dict(zip(names, counts.demangled(names)))
    result = []
    for name in names:
        text = with_callees(name, functions)
        widest = widest_access(text)
        if name not in assembled:
            raise runs.ToolError(f"ptxas said nothing about {readable[name]}; is --arch right?")
        result.append({
            "kernel": runs.short_kernel_name(readable[name]),
            "source": source.name, "arch": arguments.arch,
            **assembled[name], "load_bits": widest["ld"], "store_bits": widest["st"], "fp64": len(FP64.findall(text)),
            "ptx_instructions": len(INSTRUCTION.findall(text)), **sass.get(name, {}),
            "_text": text, "_name": readable[name] + " " + name,
            "_waits": waits(functions[name][1], "griddepcontrol.wait", PTX_REQUEST),
        })
    return result


# -------------------------------------------------------------------------------------------------
# The spec


def load_spec(path):
    """The spec, checked; ToolError names what is wrong in it."""
    spec = runs.load_json(path)
    if unknown := sorted(set(spec) - SPEC_KEYS):
        raise runs.ToolError(f"{path}: unknown key {unknown[0]}; known: {', '.join(sorted(SPEC_KEYS))}")
    if "sources" not in spec or not isinstance(spec.get("kernels"), list):
        raise runs.ToolError(f"{path}: needs \"sources\" and \"kernels\"")
    for entry in spec["kernels"] + [spec.get("defaults", {})]:
        unknown = sorted(set(entry) - KEYS)
        if unknown:
            raise runs.ToolError(f"{path}: unknown key {unknown[0]} in an entry")
    if any("kernel" not in entry for entry in spec["kernels"]):
        raise runs.ToolError(f"{path}: an entry has no \"kernel\"")
    if any(set(entry) - {"block"} != {"kernel", "rung"} for entry in spec.get("names", [])):
        raise runs.ToolError(f"{path}: each of \"names\" has \"kernel\" and \"rung\", and may have \"block\"")
    return spec


def expectation(entry, spec, arch):
    """The entry's values for arch: the defaults, overridden by the entry, overridden by its arch part."""
    layers = [spec.get("defaults", {}), entry]
    layers += [layer.get("arch", {}).get(arch, {}) for layer in list(layers)]
    result = {"contains": [], "lacks": [], "sass": {}}
    for layer in layers:
        for key, value in layer.items():
            result[key] = result[key] + value if key in ("contains", "lacks") else value
    return result


def violations_of(kernel, wanted):
    """One text per violated claim."""
    found = []
    local = kernel["stack_bytes"] + kernel["spill_bytes"]
    for key, name in (("load_bits", "load"), ("store_bits", "store")):
        for prefix in ("", "sass_"):
            have = kernel.get(prefix + key)
            if wanted.get(key) is not None and have is not None and have != wanted[key]:
                where = "machine code" if prefix else "PTX"
                found.append(f"widest global {name} in the {where} is {have} bits, "
                             f"not {wanted[key]}")
    if wanted.get("fp64") is False and kernel["fp64"]:
        found.append(f"{kernel['fp64']} FP64 instructions, none wanted")
    if wanted.get("fp64") is True and not kernel["fp64"]:
        found.append("no FP64 instruction, but some are expected")
    if "local_bytes" in wanted and local > wanted["local_bytes"]:
        found.append(f"{local} bytes of local memory, at most {wanted['local_bytes']} wanted")
    if "max_registers" in wanted and kernel["registers"] > wanted["max_registers"]:
        found.append(f"{kernel['registers']} registers, at most {wanted['max_registers']} wanted")
    if can_overlap(kernel["arch"]):
        for where, key in (("PTX", "_waits"), ("machine code", "_sass_waits")):
            if key in kernel:
                found += complaint_about_wait(where, kernel[key], wanted.get("waits", True))
    found += [f"PTX lacks {text}" for text in wanted["contains"] if text not in kernel["_text"]]
    found += [f"PTX contains {text}" for text in wanted["lacks"] if text in kernel["_text"]]
    for opcode, count in wanted["sass"].items() if "_sass" in kernel else []:
        have = count_opcode(kernel["_sass"], opcode)
        if have != count:
            found.append(f"the machine code has {have} {opcode} on its way, not {count}")
    return found


def can_overlap(arch):
    """Launches overlap from compute capability 9.0 on."""
    return int(re.sub(r"\D", "", arch)) >= 90


def complaint_about_wait(where, have, wanted):
    """A list of one text if a kernel does not wait as it should."""
    if wanted and have is None:
        return [f"the {where} has no wait_for_previous_grid(); a kernel that is never launched with "
                "Overlap::previous_kernel says \"waits\": false"]
    if have is False and wanted != "late":
        return [f"the {where} accesses global memory before wait_for_previous_grid()"]
    if not wanted and have:
        return [f"the {where} has wait_for_previous_grid(), and the spec says \"waits\": false"]
    return []


def unread(kernels, spec, arch, version):
    """How many claims about machine code are not checked, and why; "" where all are."""
    count, disassembled = 0, True
    for kernel in kernels:
        entry = runs.entry_for(kernel["_name"], spec["kernels"])
        if entry is None:
            continue
        wanted = expectation(entry, spec, arch)
        if "_sass" not in kernel:
            count += len(wanted["sass"])
        if "sass_load_bits" not in kernel:
            disassembled = False
            count += sum(key in wanted for key in ("load_bits", "store_bits")) + can_overlap(arch)
    why = "there is no cuobjdump beside nvcc or on PATH"
    if disassembled:
        why = f"they were counted with nvcc {spec.get('sass_nvcc')}, and this is {version}"
    return f"{count} claims about the machine code of {(spec['sources'] or ['codegen.cu'])[0]}: {why}" if count else ""


def check(kernels, spec, arch, ladder):
    """One line per difference between the kernels and the spec; names their rungs on the way."""
    lines, used = [], set()
    for kernel in kernels:
        entry = runs.entry_for(kernel["_name"], spec["kernels"])
        if entry is None:
            kernel["rung"] = None
            ignored = spec.get("ignore", [])
            if not any(runs.has_name(kernel["_name"], text) for text in ignored):
                lines.append(f"{kernel['kernel']}: no entry in the spec; add one, or ignore it")
            continue
        used.add(entry["kernel"])
        kernel["rung"] = entry.get("rung") or runs.rung_of_kernel(kernel["kernel"], ladder)
        problems = violations_of(kernel, expectation(entry, spec, arch))
        lines += [f"{kernel['kernel']}: {text}" for text in problems]
    for entry in spec["kernels"]:
        if entry["kernel"] not in used:
            lines.append(f"{entry['kernel']}: the spec names it, but no kernel has that name")
    return lines


def table(kernels):
    width = max([len(k["kernel"]) for k in kernels] + [6])
    titles = {"registers": "registers", "stack_bytes": "stack", "spill_bytes": "spills", "load_bits": "load bits",
              "store_bits": "store bits", "fp64": "FP64", "ptx_instructions": "PTX instr.", "sass_instructions": "SASS instr."}
    if not any("sass_instructions" in k for k in kernels):
        del titles["sass_instructions"]
    lines = ["  ".join([f"{'kernel':<{width}}", *titles.values()])]
    for k in kernels:
        cells = [f"{k.get(key, ''):>{len(title)}}" for key, title in titles.items()]
        lines.append("  ".join([f"{k['kernel']:<{width}}", *cells]))
    return lines


def parse_arguments():
    parser = argparse.ArgumentParser(description="Checks the code that nvcc makes of the kernels.")
    parser.add_argument("--nvcc", default=os.environ.get("CUDACXX") or "nvcc")
    parser.add_argument("--arch", default="sm_90", help="architecture, e.g. sm_90")
    parser.add_argument("--spec", required=True, help="the chapter's codegen.json")
    parser.add_argument("--werror", action="store_true", help="nvcc's warnings are errors")
    parser.add_argument("--json", help="write the table to this file, for the report")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    spec = load_spec(arguments.spec)
    chapter = Path(arguments.spec).resolve().parents[1]
    kernels = []
    with tempfile.TemporaryDirectory() as folder:
        for source in [chapter / name for name in spec["sources"]] + made_source(spec, folder):
            if not source.exists():
                raise runs.ToolError(f"{source}: no such file; mend \"sources\" in the spec")
            kernels += kernels_of(source, arguments, folder)
    ladder = runs.ladder_of_chapter(chapter)
    version = tool_version(arguments.nvcc)
    if version != spec.get("sass_nvcc"):
        for kernel in kernels:
            kernel.pop("_sass", None)
    problems = check(kernels, spec, arguments.arch, ladder)
    print(f"{arguments.spec} on {arguments.arch}, nvcc {version}")
    skipped = unread(kernels, spec, arguments.arch, version)
    if skipped:
        print(f"skipped: {skipped}")
    print("\n".join(table(kernels)))
    for line in problems:
        print(f"codegen.py: {arguments.arch}: {line}", file=sys.stderr)
    if arguments.json:
        rows = [{key: value for key, value in k.items() if not key.startswith("_")} for k in kernels if k.get("rung")]
        runs.write_recorded(arguments.json, {"context": {"nvcc": version, "arch": arguments.arch}, "codegen": rows})
    return 1 if problems else 0


if __name__ == "__main__":
    runs.run_tool(main)

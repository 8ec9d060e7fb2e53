"""A file of the reader's: its text as it was when a build began, and what can be seen without running it.

A verdict is of one text. What is saved while the file is compiled is another one, and front.build() compiles again.
"""

import hashlib
import re
from pathlib import Path

import front
import gather
import runs
import speed


class Source:
    """The file as it is now."""

    def __init__(self, path):
        self.path = Path(path)
        self.content = content_of(self.path)
        if self.content is None:
            raise runs.ToolError(f"{front.here(path)} cannot be read: is it there?")

    @property
    def text(self):
        return self.content.decode("utf-8", errors="replace")

    @property
    def code(self):
        """Without its comments; lines stay where they are."""
        return without_comments(self.text)

    @property
    def is_on_disk(self):
        return content_of(self.path) == self.content


def content_of(path):
    """None if it cannot be read: an editor may be replacing it."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.S)


def blob(content):
    """What git calls these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


# -------------------------------------------------------------------------------------------------
# The claims


CLAIMS = re.compile(r"RungClaims\s+(\w+)\s*\{([^{}]*)\}")


def claims_of(source):
    """(per_thread, alignment, max_ulp) as the file claims them; None for what is no plain number."""
    found = CLAIMS.search(source.code)
    words = [word.strip() for word in found.group(2).split(",")] if found else []
    values = []
    for word in (words + ["", "", ""])[:3]:
        size = re.fullmatch(r"(?:alignof|sizeof)\((\w+)\)", word)
        number = {"half": 2, "float": 4, "Byte": 1}.get(size.group(1)) if size else runs.number(word.rstrip("fF"))
        values.append(int(number) if number is not None and number == int(number) and len(values) < 2 else number)
    return tuple(values)


def impossible(claims):
    """Why no kernel can keep these claims, in a sentence; None if one can."""
    per_thread, alignment, max_ulp = claims
    if per_thread is not None and (per_thread < 1 or per_thread != int(per_thread)):
        return f"per_thread is {per_thread}: a thread takes at least 1 element"
    if alignment is not None and alignment not in (1, 2, 4, 8, 16):
        return f"alignment is {alignment}: the accesses here are 1, 2, 4, 8 or 16 bytes wide, and none needs another"
    if max_ulp is not None and not 0 <= max_ulp:
        return f"max_ulp is {max_ulp:g}: an error is never below 0; a value that is rounded once is off by up to 0.5"
    return None


# -------------------------------------------------------------------------------------------------
# What the executor cannot notice


#: How many bytes each takes at once, and those of an element of an array that it may be given.
WIDE = {"LDST128BITS": 16, "FLOAT4": 16, "INT4": 16, "LDST64BITS": 8, "FLOAT2": 8, "INT2": 8, "LDST32BITS": 4, "HALF2": 4,
        "BFLOAT162": 4}
ELEMENTS = {"half": 2, "__nv_bfloat16": 2, "float": 4, "half2": 4, "float2": 8, "int": 4, "unsigned": 4, "Byte": 1,
            "std::uint8_t": 1, "std::uint32_t": 4, "std::int64_t": 8}


def unaligned(source):
    """A sentence for each array of the kernels' own that is accessed wider than its declaration aligns it. The executor
    cannot notice: g++ aligns every array of 16 bytes to 16."""
    declared, found = {}, {}
    for number, line in enumerate(source.code.splitlines(), 1):
        kind = re.match(r"\s*(?:(?:__shared__|const) +|(?:alignas|__align__)\((\d+)\) +)*([\w:]+) +\w+ *\[", line)
        if kind and kind[2] in ELEMENTS:
            align = int(kind[1] or ELEMENTS[kind[2]])
            declared.update({name: (number, align) for name in re.findall(r"(\w+) *\[", line)})
        for word, name in re.findall(rf"\b({'|'.join(WIDE)})\(\s*(\w+) *\[", line):
            where, align = declared.get(name, (0, 16))
            if align < WIDE[word]:
                found[name, where] = found.get((name, where)) or (
                    f"{front.here(source.path)}:{number}: {word} needs a multiple of {WIDE[word]} bytes, and line {where} aligns "
                    f"{name} to {align}: write alignas({WIDE[word]}) before it")
    return list(found.values())


# -------------------------------------------------------------------------------------------------
# What nvcc refuses, and a host's compiler takes


#: A definition: what stands before the name, the name, its parameters, `{`.
DEFINITION = re.compile(r"(?m)^(?P<head>[ \t]*(?:template\s*<[^;{}]*?>\s*)?[\w:<>*&, \t\n()]*?[\w>*&])[ \t\n]+(?P<name>\w+)"
                        r"\((?P<parameters>[^;{}]*?)\)[\s\w]*\{")
NO_FUNCTION = {"if", "for", "while", "switch", "return", "catch", "sizeof", "alignas", "defined"}
HOST_ONLY = re.compile(r"\bstd::(min|max|clamp|swap|exchange|sort|accumulate|cout|vector|string)\b")


def body_of(code, begin):
    """The text from behind a `{` to the `}` that closes it."""
    return code[begin:gather.closing(code, begin - 1) + 1]


def functions_of(code):
    """(name, what stands before it, its line, its body) of each function that the file defines."""
    for found in DEFINITION.finditer(code):
        head = re.sub(r"template\s*<.*?>", "", found["head"], flags=re.S)
        if found["name"] not in NO_FUNCTION and not re.search(r"\b(return|else|new|struct|class|namespace)\b", head):
            yield (found["name"], found["head"], code.count("\n", 0, found.start("name")) + 1, body_of(code, found.end()))


def not_for_the_device(source, kernels=()):
    """A sentence for each function that a kernel calls and that is none of the GPU's, and for each kernel without
    __global__; kernels: what is launched. Where nvcc is not installed, this stands in its place."""
    where = front.here(source.path)
    functions = list(functions_of(source.code))
    found = [f"{where}:{line}: {name} is launched, and is no kernel: write __global__ before void"
             for name, head, line, _ in functions if name in kernels and "__global__" not in head]
    on_device = [one for one in functions if re.search(r"__global__|__device__", one[1]) or one[0] in kernels]
    for caller, _, begin, body in on_device:
        for name, head, line, _ in functions:
            if re.search(r"__device__|__global__|constexpr", head) or name in kernels or name == caller:
                continue
            if re.search(rf"(?<![\w.:>]){re.escape(name)}\s*(?:<[^;()]*>)?\(", body):
                found.append(f"{where}:{line}: {name} is called by {caller}, on the GPU: write __device__ before it")
        host = HOST_ONLY.search(body)
        if host:
            line = begin + body.count("\n", 0, host.start())
            found.append(f"{where}:{line}: {caller} runs on the GPU, and {host.group()} on the host alone")
    return runs.unique(found)


def nvcc():
    """Where CMake found it; None without."""
    cache = front.program("cpu", "CMakeCache.txt")
    found = re.search(r"(?m)^TUTORIAL_NVCC_FOUND:INTERNAL=(.+)$", runs.read_text(cache)) if cache.exists() else None
    return found.group(1) if found and Path(found.group(1)).exists() else None


def found_here(what):
    """Where NVIDIA's headers or nvcc are on this machine, whether anything is built or not; None without."""
    done = runs.call(["cmake", f"-DWHAT={what}", "-P", "common/cmake/cuda_fetch.cmake"], cwd=runs.ROOT)
    return None if done.returncode else done.stdout.strip().splitlines()[-1]


class FrontEnd(speed.Compiling):
    """nvcc at work on a source, for what it refuses, and for the machine code of what it takes: the GPU's half alone
    takes a second or two."""

    def refused(self, source):
        """A sentence for each error in the reader's file."""
        lines = re.findall(rf"(?m){re.escape(source.path.name)}\((\d+)\): error: (.*)$", "".join(self.said))
        return runs.unique(f"{front.here(source.path)}:{line}: nvcc refuses this: {words}" for line, words in lines)

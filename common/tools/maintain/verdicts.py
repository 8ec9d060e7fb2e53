"""What a fault's verdict belongs to, beside the fault: the file that is broken, and what noticed it.

A verdict names a test case that failed. It holds as long as that case, what it is built from, and the
file with the fault are the same: `Sources.digest()`. Of a case these are its source without the other cases, and the
headers in proof/ and test/ folders that are included from there on, each with its sources: those beside it that
include it first, or begin with its name. A verdict without a case (the fault survives, or the program ends as a
whole) belongs to all of the program's cases. Comments and layout do not count.

Not in it, or each change would question every verdict: the launchers between a kernel and its test, the headers
that all kernels share, and the executor. Their own faults are in the table, and all are tried before a release."""

import functools
import hashlib
import os
import re
from pathlib import Path

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\d[\w.']*|'(?:\\.|[^'\\\n])+'|\w+|\S""", re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
STRING = r'"((?:\\.|[^"\\])*)"'
CASE = re.compile(rf"^(?:\w+_)?TEST_CASE\(\s*((?:{STRING}\s*)+).*?^}}$", re.M | re.S)


def tokens(text):
    """The text as a compiler has it: without comments and layout."""
    return "\n".join(word for word in TOKEN.findall(text) if not word.startswith(("//", "/*")))


def cases(text):
    """[(name, text)] of the test cases in a source."""
    return [("".join(re.findall(STRING, case[1])), case[0]) for case in CASE.finditer(text)]


class Sources:
    """The files of a tree. They are read once: a tree that changes takes another."""

    def __init__(self, root):
        self.root = Path(root)
        self.text = functools.lru_cache(None)(self.text_of)
        self.hash = functools.lru_cache(None)(lambda text: hashlib.sha1(tokens(text).encode()).hexdigest())
        self.reads = functools.lru_cache(None)(self.read_by)
        self.texts = functools.lru_cache(None)(self.texts_of)

    def text_of(self, path):
        return Path(self.root, path).read_text(encoding="utf-8", errors="replace")

    def glob(self, *patterns):
        return sorted(path.relative_to(self.root).as_posix() for pattern in patterns for path in self.root.glob(pattern))

    def of_program(self, test):
        """The sources that a test program alone has."""
        program, _, kind = test.partition(" ")
        folder, _, last = program.rpartition("_")
        if kind or last == "moved":
            return self.glob("common/see/*", f"common/{kind or 'trace'}/*", "common/tools/maintain/trace_proof.py",
                             "common/test/moved/*" if folder == "common" else f"{folder}/proof/moved.cpp")
        if folder.startswith("common"):
            return self.glob("common/test/bench/*.cpp" if folder == "common_bench" else "common/test/*.cpp")
        name = folder.partition("_")[2]  # as common/cmake/chapter.cmake has them
        return self.glob(f"{folder}/{name}_test.cpp", f"{folder}/proof/{name}_test_*.cpp", f"{folder}/*/{name}_*_test.cpp")

    def read_by(self, path):
        """The headers of proof/ and test/ that a file includes, and the sources that begin with this header."""
        here = Path(path).parent
        found = [name if Path(self.root, name).exists() else os.path.normpath(here / name)
                 for name in INCLUDE.findall(self.text(path))]
        if path.endswith(".h"):
            found += [source for source in self.glob(f"{here}/*.cpp", f"{here}/*.cu") if not cases(self.text(source)) and
                      (INCLUDE.findall(self.text(source))[:1] == [path] or source.startswith(path[:-2]))]
        return [name for name in found if {"proof", "test"} & set(Path(name).parts) and Path(self.root, name).exists()]

    def texts_of(self, test, by):
        """{file: what counts of it} of what a case is built from, or without one all cases of the program."""
        texts = {path: self.text(path) for path in self.of_program(test)}
        chosen = {}
        for path, text in texts.items():
            others = [case for name, case in cases(text) if by != name and not (by or "").startswith(f"{name} - ")]
            if len(others) < len(cases(text)):
                chosen[path] = functools.reduce(lambda rest, case: rest.replace(case, ""), others, text)
        texts = chosen or texts
        left = list(texts)
        while left:
            new = [name for name in self.reads(left.pop()) if name not in texts]
            texts.update((name, self.text(name)) for name in new)
            left += new
        return texts

    def digest(self, fault, by):
        """Of a fault's file, and of what noticed it: the case `by`, or where there is none, all cases."""
        hashes = sorted(self.hash(text) for text in [*self.texts(fault.test, by).values(), self.text(fault.file)])
        return hashlib.sha1("".join(hashes).encode()).hexdigest()[:8]

"""CUDA's syntax for a host compiler: `k<<<grid, block>>>(a)`, `extern __shared__`, and where `__shared__` stands.

g++ knows the rest as declarations (common/executor/cuda_language.h). A text keeps its lines, so that messages and
reports name those of the source. What a launch becomes:

    saxpy<<<blocks, 128>>>(n, x, y)
    TUTORIAL_LAUNCH("saxpy", "n,x,y", (saxpy), blocks, 128)(n, x, y)

A launch in a macro is one too, and where its arguments end need not be found.
"""

import itertools
import re
import sys
from pathlib import Path
from typing import NamedTuple


class Refused(Exception):
    """What the executor does not run: (line, one sentence)."""


class Token(NamedTuple):
    text: str
    begin: int

    @property
    def end(self):
        return self.begin + len(self.text)


# Comments, blanks and the directives' backslashes are left out of the tokens.
LEXICAL = re.compile(
    r'''(?P<skip>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|\s+|\\\n)
    |(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)")
    |(?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
    |(?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<sign><<<|>>>|::|->|\.\.\.|<<|.)''', re.S | re.X)

OPENING, CLOSING = {"(", "[", "{"}, {")", "]", "}"}
NO_CALLEE = {"return", "else", "do", "case", "throw", "co_return"}
WAITS = {"cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize"}
# The instructions of a GPU have a point in their names, or name its registers: mov.u32 %0, %%laneid;
PTX = re.compile(r"\b[a-z]+\d*\.[a-z]|%%")


def tokens_of(text):
    return [Token(found.group(), found.start()) for found in LEXICAL.finditer(text) if found.lastgroup != "skip"]


def is_name(token):
    return token.text[0].isalpha() or token.text[0] in "_$"


class Kernel(NamedTuple):
    """A declaration of a `__global__` function."""
    name: str
    parameters: tuple      # their names
    has_defaults: bool
    template: int          # parameters of its template; 0: none; -1: a pack, or not known
    declared: tuple        # the parameters' words: of two kernels of one name they differ


class Sources:
    """What all the texts of a program declare."""

    def __init__(self):
        self.kernels = {}     # name -> {Kernel}
        self.clusters = {}    # name -> {what its __cluster_dims__ say}; None: only where the template is known
        self.functions = set()  # names that a declaration gives to something else, too

    def add(self, text):
        if "__global__" in text:
            tokens = tokens_of(text)
            for i, token in enumerate(tokens):
                if token.text == "__global__":
                    self.add_kernel(tokens, i)
            self.find_functions(tokens)

    def add_kernel(self, tokens, at):
        """The kernel's name stands before the first parenthesis that no attribute has."""
        i, cluster = at + 1, None
        while i < len(tokens) and tokens[i].text not in ";{":
            if tokens[i].text == "(":
                if tokens[i - 1].text == "__cluster_dims__":
                    cluster = split(tokens[i + 1:matching(tokens, i)])[0]
                if tokens[i - 1].text not in ("__launch_bounds__", "__attribute__", "__maxnreg__", "alignas", "__cluster_dims__",
                                              "__block_size__"):
                    break
                i = matching(tokens, i)
            i += 1
        if i >= len(tokens) or tokens[i].text != "(" or not is_name(tokens[i - 1]):
            return
        parameters = split(tokens[i + 1:matching(tokens, i)])
        names = tuple(parameter_name(one) for one in parameters)
        kernel = Kernel(tokens[i - 1].text, names, any("=" in [t.text for t in one] for one in parameters),
                        template_parameters(tokens, at), tuple(" ".join(token.text for token in one) for one in parameters))
        if cluster:
            is_number = kernel.template == 0 or not any(is_name(token) for token in cluster)
            self.clusters.setdefault(kernel.name, set()).add(" ".join(token.text for token in cluster) if is_number else None)
        self.kernels.setdefault(kernel.name, set()).add(kernel)

    def find_functions(self, tokens):
        """`void add(`, `float *add(` outside of a kernel's declaration."""
        in_kernel = False
        for before, name, after in zip(tokens, tokens[1:], tokens[2:]):
            if before.text == "__global__":
                in_kernel = True
            if name.text not in self.kernels or after.text != "(":
                continue
            if not in_kernel and (is_name(before) and before.text not in NO_CALLEE or before.text in "*&"):
                self.functions.add(name.text)
            in_kernel = False

    def kernel(self, name):
        """Its declaration, if there is one and nothing else has the name."""
        known = self.kernels.get(name, ())
        return next(iter(known)) if len(known) == 1 and name not in self.functions else None


def matching(tokens, at, step=1):
    """Where the parenthesis at `at` has its other half, by step -1 that which opens; the last token if it has none."""
    depth, i = 0, at
    while 0 <= i < len(tokens):
        depth += (tokens[i].text in OPENING) - (tokens[i].text in CLOSING)
        if depth == 0:
            return i
        i += step
    return len(tokens) - 1 if step > 0 else 0


def split(tokens):
    """At the commas outside of parentheses and of template arguments."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token.text in "([{<") - (token.text in ")]}>")
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def parameter_name(tokens):
    """`float (*tile)[32] = nullptr` -> tile."""
    texts = [token.text for token in tokens]
    end = texts.index("=") if "=" in texts else len(texts)
    if "[" in texts[:end]:
        end = texts.index("[")
    names = [token.text for token in tokens[:end] if is_name(token)]
    return names[-1] if len(names) > 1 or (names and end < len(texts)) else ""


def template_parameters(tokens, at):
    """How many the template before `__global__` has."""
    i = at - 1
    while i > 0 and (is_name(tokens[i]) or tokens[i].text.startswith('"')):
        if tokens[i].text == "template":
            return -1
        i -= 1
    if i < 1 or tokens[i].text != ">":
        return 0
    begin = template_begin(tokens, i)
    if begin is not None and tokens[begin - 1].text == "include":
        return 0
    if begin is None or tokens[begin - 1].text != "template":
        return -1
    inside = tokens[begin + 1:i]
    return -1 if any(t.text in ("...", "=") for t in inside) else len(split(inside))


def template_begin(tokens, at):
    """Where the template arguments that end at `at` begin."""
    depth, i = 0, at
    while i >= 0:
        text = tokens[i].text
        if text in (")", "]", "}"):
            i = matching(tokens, i, -1)
        elif text in (">", ">>>"):
            depth += len(text)
        elif text in ("<", "<<", "<<<"):
            depth -= len(text)
        elif text in (";", "{", "(", "["):
            return None
        if depth <= 0:
            return i if depth == 0 else None
        i -= 1
    return None


def callee_begin(tokens, at):
    """The first token of what is launched, `at` the last: a::b<c>, (k), table[i], MACRO(x), p->k."""
    i = at
    while i >= 0:
        text = tokens[i].text
        if text == ">":
            begin = template_begin(tokens, i)
            if begin is None:
                return None
            i = begin - 1
            continue
        if text in (")", "]"):
            i = matching(tokens, i, -1)
            if i > 0 and (is_name(tokens[i - 1]) and tokens[i - 1].text not in NO_CALLEE or tokens[i - 1].text == ")"):
                i -= 1
                continue
        elif not is_name(tokens[i]):
            return None
        if i > 0 and tokens[i - 1].text in ("::", ".", "->"):
            i -= 1
            if tokens[i].text == "::" and (i == 0 or not (is_name(tokens[i - 1]) and tokens[i - 1].text not in NO_CALLEE
                                                          or tokens[i - 1].text == ">")):
                return i
            i -= 1
            continue
        return i
    return None


def bodies_of(tokens):
    """(begin, end) of what stands in the braces of kernels, and of functions for the device alone."""
    for i, token in enumerate(tokens):
        words = [one.text for one in tokens[max(i - 6, 0):i + 7]]
        if token.text != "__global__" and (token.text != "__device__" or "__host__" in words):
            continue
        k = i + 1
        while k < len(tokens) and tokens[k].text not in (";", "{", "}", "="):
            k = matching(tokens, k) + 1 if tokens[k].text == "(" else k + 1
        if k < len(tokens) and tokens[k].text == "{":
            yield tokens[k].begin, tokens[matching(tokens, k)].end


def launches_in_kernel(text):
    """Whether a kernel launches another: nvcc needs flags for that."""
    if "<<<" not in text:
        return False
    tokens = tokens_of(text)
    return any(token.text == "<<<" and begin < token.begin < end for begin, end in bodies_of(tokens) for token in tokens)


class Rewriter:
    def __init__(self, text, sources):
        self.text, self.sources = text, sources
        self.tokens = tokens_of(text)
        self.edits = []  # (begin, end, text)
        self.bodies = None

    def run(self):
        rules = {"__shared__": self.shared, "cudaLaunchKernel": self.uncast, "__cluster_dims__": self.cluster,
                 **dict.fromkeys(("asm", "__asm__", "__asm"), self.assembly)}
        for i, token in enumerate(self.tokens):
            if token.text in rules:
                rules[token.text](i)
            elif token.text == "<<<":
                self.launch(i, i)
            elif token.text == "<<" and self.tokens[i + 1:i + 2] and self.tokens[i + 1].text == "<":
                self.launch(i, i + 1)  # `<< <`, as some editors write it, is nothing else
            elif token.text in self.sources.kernels:
                self.keep_type(i)
            elif token.text in WAITS and self.in_kernel(token.begin) and not self.is_for_a_gpu(token.begin):
                self.refuse(token, f"{token.text} in a kernel: CUDA 12 has none, a kernel cannot wait for what it launches; "
                                   "what needs its results is launched by the host, or into cudaStreamTailLaunch")
        return self.edited()

    def cluster(self, i):
        """`__cluster_dims__(2, 1, 1)` goes to the kernel's launches."""
        end = matching(self.tokens, i + 1)
        for more in split(self.tokens[i + 2:end])[1:]:
            if [token.text for token in more] != ["1"]:
                self.refuse(self.tokens[i], "__cluster_dims__: the CPU executor has clusters of blocks that are neighbours in x")
        self.edits.append((self.tokens[i].begin, self.tokens[end].end, ""))

    def uncast(self, i):
        """`cudaLaunchKernel((void*)kernel, ...)` keeps the kernel's type."""
        texts = [token.text for token in self.tokens[i + 1:i + 7]]
        for cast in (["(", "(", "void", "*", ")"], ["(", "(", "const", "void", "*", ")"]):
            if texts[:len(cast)] == cast:
                self.edits.append((self.tokens[i + 2].begin, self.tokens[i + len(cast)].end, ""))

    def keep_type(self, i):
        """`(void*)kernel` becomes a call that notes how to launch it, for the node of a graph."""
        if self.tokens[i].text in self.sources.clusters and any(
                token.text.startswith("cudaLaunchKernel") for token in self.tokens[max(i - 9, 0):i]):
            self.refuse(self.tokens[i], f"{self.tokens[i].text} has __cluster_dims__, and is launched by `<<<` here, or has the "
                                        "attribute cudaLaunchAttributeClusterDimension instead")
        begin = callee_begin(self.tokens, i) or 0
        if begin and self.tokens[begin - 1].text == "&":
            begin -= 1
        before = [token.text for token in self.tokens[max(begin - 9, 0):begin]]
        for cast in (["(", "void", "*", ")"], ["(", "const", "void", "*", ")"], ["reinterpret_cast", "<", "void", "*", ">", "("],
                     ["reinterpret_cast", "<", "const", "void", "*", ">", "("]):
            if before[-len(cast):] != cast or before[-len(cast) - 2:-len(cast)] == ["cudaLaunchKernel", "("]:
                continue
            self.edits.append((self.tokens[begin - len(cast)].begin, self.tokens[begin - 1].end, "::tutorial::cpu::untyped("))
            if cast[0] == "(":
                end = self.end_of_name(i)
                self.edits.append((end, end, ")"))

    def end_of_name(self, i):
        """Behind `kernel` or `kernel<float, 4>`."""
        if self.tokens[i + 1:i + 2] and self.tokens[i + 1].text == "<":
            for k in range(i + 2, len(self.tokens)):
                if self.tokens[k].text == ">" and template_begin(self.tokens, k) == i + 1:
                    return self.tokens[k].end
                if self.tokens[k].text in ";{}":
                    break
        return self.tokens[i].end

    def in_kernel(self, at):
        """Whether the body of a `__global__` or `__device__` function holds the place."""
        if self.bodies is None:
            self.bodies = list(bodies_of(self.tokens))
        return any(begin < at < end for begin, end in self.bodies)

    def refuse(self, token, sentence):
        raise Refused(self.text.count("\n", 0, token.begin) + 1, sentence)

    def edited(self):
        text = self.text
        for begin, end, new in sorted(self.edits, reverse=True):
            missing = text.count("\n", begin, end) - new.count("\n")
            text = text[:begin] + new + self.line_end(begin) * missing + text[end:]
        return text

    def line_end(self, at):
        """How a line ends there: in a directive with a backslash."""
        end = self.text.find("\n", at)
        return "\\\n" if end > 0 and self.text[end - 1] == "\\" else "\n"

    # ---- Launches

    def launch(self, i, opening):
        """The launch whose `<<<` is the tokens from i to `opening`."""
        begin = callee_begin(self.tokens, i - 1) if i else None
        if begin is None:
            self.refuse(self.tokens[i], "no kernel stands before `<<<`")
        closing, end = self.end_of_shape(opening)
        callee = self.text[self.tokens[begin].begin:self.tokens[i - 1].end]
        shape = self.text[self.tokens[opening].end:self.tokens[closing].begin]
        self.edits.append((self.tokens[begin].begin, self.tokens[end].end, self.launched(i, callee) + shape + ")"))
        if self.tokens[end + 1:end + 2] and self.tokens[end + 1].text == "(":
            for token in self.tokens[end + 2:matching(self.tokens, end + 1)]:
                if token.text == "NULL":  # passed on, it would be a number
                    self.edits.append((token.begin, token.end, "nullptr"))

    def end_of_shape(self, i):
        """The first and the last token of its `>>>`, which may be `>> >`."""
        depth = 0
        for k in range(i + 1, len(self.tokens)):
            text = self.tokens[k].text
            depth += (text in OPENING) - (text in CLOSING)
            if depth == 0 and text == ">>>":
                return k, k
            if depth == 0 and [token.text for token in self.tokens[k:k + 4]] == [">", ">", ">", "("]:
                return k, k + 2
            if depth < 0 or (text == ";" and depth == 0):
                break
        self.refuse(self.tokens[i], "the launch has no `>>>`")

    def launched(self, i, callee):
        """TUTORIAL_LAUNCH for a kernel that is one function, whose arguments convert as in a call; else _ANY."""
        name, arguments = self.kernel_named(i)
        kernel = self.sources.kernel(name)
        is_one = kernel is not None and not kernel.has_defaults and kernel.template == arguments
        spelled = re.sub(r"\s+|\\\n", " ", callee).replace('"', "'")
        names = ",".join(kernel.parameters) if kernel else ""
        return f'TUTORIAL_LAUNCH{"" if is_one else "_ANY"}("{spelled}", "{names}", ({callee}), {self.clusters_of(name, i)}'

    def clusters_of(self, name, i):
        """The first argument of a launch in clusters, where the kernel's `__cluster_dims__` say so."""
        said = self.sources.clusters.get(name)
        if said is None:
            return ""
        types = {tuple(" ".join(word for word in words.split() if word != own) for words, own in zip(kernel.declared, kernel.parameters))
                 for kernel in self.sources.kernels[name]}
        if len(said) > 1 or None in said or len(types) > 1:
            self.refuse(self.tokens[i], f"which __cluster_dims__ {name} has depends on its template or overload: leave them away, and "
                                        "launch by cudaLaunchKernelEx with the attribute cudaLaunchAttributeClusterDimension")
        return f"::tutorial::run::Clusters{{{next(iter(said))}}}, "

    def kernel_named(self, i):
        """The last name of what is launched, and how many template arguments stand behind it."""
        last, count = i - 1, 0
        if self.tokens[last].text == ">":
            opening = template_begin(self.tokens, last)
            count = len(split(self.tokens[opening + 1:last]))
            last = opening - 1
        return (self.tokens[last].text if is_name(self.tokens[last]) else ""), count

    # ---- Shared memory

    def shared(self, i):
        """`__shared__` comes first in its declaration; a dynamic array becomes a pointer."""
        begin = i
        while begin > 0 and self.tokens[begin - 1].text not in (";", "{", "}", ":", "#", ")") or \
                begin > 0 and self.is_attribute(begin - 1):
            begin -= 1
            if begin < i and self.text.count("\n", self.tokens[begin].end, self.tokens[begin + 1].begin) and \
                    self.in_directive(self.tokens[begin].begin) and not self.in_directive(self.tokens[i].begin):
                begin += 1
                break
        before = self.tokens[begin:i]
        if any(token.text == "extern" for token in before):
            self.dynamic_shared(begin, i)
            return
        if not before or any(token.text in ("define", "undef", "typedef") for token in before):
            return
        rest = "".join(self.text[token.begin:following.begin] for token, following in zip(before, self.tokens[begin + 1:i + 1])
                       if token.text not in ("static", "__device__"))
        self.edits.append((before[0].begin, self.tokens[i].end, "__shared__ " + rest.rstrip() if rest.strip() else "__shared__"))

    def is_attribute(self, at):
        """Whether a `)` ends __align__(16) or alignas(16)."""
        if self.tokens[at].text != ")":
            return False
        opening = matching(self.tokens, at, -1)
        return opening > 0 and self.tokens[opening - 1].text in ("__align__", "alignas", "__attribute__")

    def in_directive(self, at):
        line = self.text.rfind("\n", 0, at) + 1
        while line > 1 and self.text[line - 2] == "\\":
            line = self.text.rfind("\n", 0, line - 1) + 1
        return self.text[line:at].lstrip().startswith("#")

    def dynamic_shared(self, begin, i):
        """`extern __shared__ float tile[][32];` -> `TUTORIAL_DYNAMIC_SHARED(float, [32], tile);`"""
        end = next((k for k in range(i, len(self.tokens)) if self.tokens[k].text == ";"), len(self.tokens))
        words = self.tokens[begin:end]
        bracket = next((k for k, token in enumerate(words) if token.text == "[" and self.text[words[k - 1].begin] != ")"), None)
        if bracket is None or not is_name(words[bracket - 1]):
            self.refuse(self.tokens[i], "`extern __shared__` declares one array: extern __shared__ float name[];")
        kept, k = [], 0
        while k < bracket - 1:
            text = words[k].text
            if text in ("alignas", "__align__", "__attribute__"):
                k = matching(words, k + 1) + 1
                continue
            if text not in ("extern", "__shared__", "static", "__device__"):
                kept.append(words[k])
            k += 1
        kind = " ".join(token.text for token in kept).replace(" :: ", "::") or "int"
        closing = matching(words, bracket)
        more = self.text[words[closing].end:self.tokens[end].begin].strip() if closing + 1 < len(words) else ""
        scope = "" if self.is_local(begin) else "_OF_FILE"
        self.edits.append((words[0].begin, self.tokens[end].begin,
                           f"TUTORIAL_DYNAMIC_SHARED{scope}(({kind}), ({more}), {words[bracket - 1].text})"))

    def is_local(self, at):
        """Whether a function's body is open there: the outermost `{` that is not a namespace's or a class's."""
        open_braces = []
        for i in range(at):
            text = self.tokens[i].text
            if text == "{":
                open_braces.append(i)
            elif text == "}" and open_braces:
                open_braces.pop()
        return any(self.tokens[i - 1].text in (")", "const", "noexcept", "else", "do", "try", ";", "{", "}")
                   for i in open_braces if i > 0)

    # ---- What is not there

    def is_for_a_gpu(self, at):
        """Whether it stands behind `#ifdef __CUDA_ARCH__`, which the executor's compiler leaves out."""
        branches = []
        for line in re.findall(r"(?m)^[ \t]*#[ \t]*((?:if|el|endif).*)", self.text[:at]):
            if line.startswith("if"):
                branches.append("")
            if line.startswith("endif"):
                branches.pop()
            elif branches:
                branches[-1] = line
        return any("__CUDA_ARCH__" in line and not re.match(r"ifndef|(?:el)?if\s*!", line) for line in branches)

    def assembly(self, i):
        statement = itertools.takewhile(lambda token: token.text != ";", self.tokens[i + 1:])
        texts = [token.text for token in statement if token.text.endswith('"')]
        if PTX.search(" ".join(texts)) and not self.is_for_a_gpu(self.tokens[i].begin):
            self.refuse(self.tokens[i], "inline PTX: the executor knows no GPU's instructions")


def rewrite(text, sources):
    """The text for g++; raises Refused."""
    if not any(word in text for word in ("<<<", "__shared__", "asm", "<< <", "__cluster_dims__", "void", "Synchronize")):
        return text
    return Rewriter(text, sources).run()


def main():
    """launch_syntax.py IN OUT: for the build, which knows no other file of the program."""
    source, target = sys.argv[1:]
    text = Path(source).read_text(encoding="utf-8")
    sources = Sources()
    sources.add(text)
    try:
        new = rewrite(text, sources)
    except Refused as refusal:
        line, sentence = refusal.args
        sys.exit(f"{source}:{line}: error: {sentence}")
    Path(target).parent.mkdir(exist_ok=True)
    Path(target).write_text(f'#line 1 "{source}"\n{new}', encoding="utf-8")


if __name__ == "__main__":
    main()

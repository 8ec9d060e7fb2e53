"""Gathers from the headers what one kernel needs, as plain as if it had been written for that kernel alone.

Declarations are found by their names: from the kernel on, each name that a text mentions brings its declaration.
The parameters that a rung settles for all of them (the element type T, its pair P, an operation) are filled in;
then overloads, branches and members that nothing reaches are left out. The sources are formatted by clang-format,
so a declaration begins at the margin; this is no parser of C++, and a test compiles what comes out.
"""

import re
from pathlib import Path

import runs

PAIRS = {"float": "float2", "half": "half2", "__nv_bfloat16": "__nv_bfloat162", "__nv_fp8_e4m3": "Fp8Pair",
         "__nv_fp8_e5m2": "Fp8Pair"}
SPELLINGS = {"bf16": "__nv_bfloat16", "e4m3": "__nv_fp8_e4m3", "e5m2": "__nv_fp8_e5m2", "Bf16": "__nv_bfloat16",
             "E4m3": "__nv_fp8_e4m3", "E5m2": "__nv_fp8_e5m2"}
FAMILY = {**{one: pair.split("<")[0] for one, pair in PAIRS.items() if one != "float"}, **{pair: pair for pair in PAIRS.values()}}
FOR_ANY_TYPE = ("macros.cuh", "pack.cuh")  # their T is not the element's
LOCAL = re.compile(r"\b(?:float[24]?|half2?|auto|int|unsigned|bool|double|std::\w+|__nv_bfloat162?)[&*]* (?:const )?(\w+)(?= ?[=;{,)\[])")
WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
HEAD = re.compile(r"template <((?:[^<>]|<[^<>]*>)*)>\s*")


# -------------------------------------------------------------------------------------------------
# Declarations


class Piece:
    """A declaration: the comment above it, its text, its name; glued: nothing but it stands between it and the one before."""

    def __init__(self, comment, text, glued):
        self.comment, self.text, self.glued, self.name, self.path = comment, text, glued, name_of(text), None


def name_of(text):
    code = re.sub(r"//.*", "", text).strip()
    found = re.match(r"#define (\w+)", code)
    if found:
        return found[1]
    while HEAD.match(code):
        code = code[HEAD.match(code).end():]
    found = re.match(r"(?:using|struct|class|enum class|enum)\s+(?:alignas\((?:[^()]|\([^()]*\))*\)\s*)?(\w+)", code)
    if found:
        return found[1]
    code = re.sub(r"__launch_bounds__\([^()]*\)|__attribute__\(\(\w+\)\)|alignas\(\d+\)", "", code)
    found = re.match(r"(?:inline |static |constexpr |const )+[\w:<>]+(?: |\* ?)(\w+)(?:<[^=;]*>)?(?:\[\d*\])? ?[={]", code)
    found = found or re.search(r"(operator\(\)|~?\w+)\s*(?:<(?:[^()<>]|<[^()<>]*>)*>)?\s*\(", code) or re.search(r"(\w+)(?:\[\w+\])?;", code)
    return found[1] if found else ""


def split(lines, margin=""):
    """The declarations that begin at that margin."""
    pieces, comment, text, depth, blank = [], [], [], 0, True
    for line in lines:
        code = re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", line)
        if not text:
            if re.match(rf"\s*($|(public|private):)|{margin}(namespace\b.*{{|}}|#include|#pragma once|#error|using namespace)", line):
                comment, blank = [], True
                continue
            if line.strip().startswith("//"):
                if not re.match(r"\s*//!", line):
                    comment.append(line)
                continue
        if re.match(r"\s*//! ?\[", line):
            continue
        text.append(line)
        depth += sum(code.count(one) for one in "({") - sum(code.count(one) for one in ")}")
        macro = text[0].startswith("#define")
        ends = not line.endswith("\\") if macro else depth == 0 and re.search(r"[;}]\s*$", code)
        if ends:
            if text[0].strip().startswith("static_assert") and pieces and not blank:
                pieces[-1].text += "\n" + "\n".join(text)
            elif not text[0].strip().startswith("static_assert"):
                pieces.append(Piece(comment, "\n".join(text), not blank and not comment))
            comment, text, blank = [], [], False
    return pieces


def without_backend(text):
    """What the preprocessor leaves of a header for nvcc; questions about __CUDA_ARCH__ stay."""
    lines, stack = [], []  # of each #if: [is it a question that stays, is a branch taken, is this one]
    for line in text.splitlines():
        word = re.match(r"#\s*(if|ifdef|elif|else|endif)\b(.*)", line)
        if not word:
            if all(level[2] for level in stack):
                lines.append(line)
            continue
        if word[1] == "endif":
            if stack.pop()[0]:
                lines.append(line)
            continue
        if word[1] in ("if", "ifdef"):
            stack.append([False, False, False])
        level, condition = stack[-1], word[2]
        if not all(one[2] for one in stack[:-1]):
            continue
        if level[0]:  # a question that stays: so do its other branches
            lines.append(line)
        elif level[1]:
            level[2] = False
        elif "__CUDA_ARCH__" in condition:
            level[:] = [True, True, True]
            lines.append("#if" + condition if word[1] == "elif" else line)
        else:
            value = word[1] == "else" or "__CUDACC__" in condition or ("CUDA" in condition and "!defined" not in condition)
            level[1] = level[2] = value
    return "\n".join(lines)


class Library:
    """The declarations of a header, and of all that it includes."""

    def __init__(self, *paths):
        self.order, self.files, self.hidden = [], set(), set()
        for path in paths:
            self.add(path)
        for name in self.hidden:  # constexpr int kWidth = detail::kWidth<...>: the namespaces go, so one gets another name
            for piece in self.order:
                piece.text = re.sub(rf"\bdetail::{name}\b|\b{name}(?=<)", name + "Of", piece.text)
                if piece.name == name:
                    piece.text = re.sub(rf"\b{name}(?= =)", name + "Of", piece.text)
                    piece.name = name + "Of"
        self.pieces = by_name(self.order)

    def add(self, path):
        path = Path(path)
        if path in self.files or not path.exists():
            return
        self.files.add(path)
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r'(?m)^#include "([^"]+)"', text):
            if "executor/" not in name:
                self.add(runs.ROOT / name)
        self.hidden.update(re.findall(r"\b(\w+) = (?:\w+::)*detail::\1\b", text))
        for piece in split(without_backend(text).splitlines()):
            if piece.name:
                piece.path = path
                self.order.append(piece)

    def enumerators(self, name):
        """Of `enum class name { a, b }`: [name::a, name::b]."""
        for piece in self.pieces.get(name, []):
            body = re.sub(r"//.*", "", piece.text)
            if body.startswith("enum class"):
                words = re.search(r"{(.*)}", body, re.S)[1].split(",")
                return [f"{name}::{word.split('=')[0].strip()}" for word in words if word.strip()]
        return []

    def parameters(self, name):
        """[(kind, name)] of the template parameters of the first declaration of that name."""
        pieces = self.pieces.get(name)
        return parameters_of(pieces[0].text) if pieces else []


def by_name(pieces):
    return runs.grouped(pieces, lambda piece: piece.name)


# -------------------------------------------------------------------------------------------------
# Template arguments


def arguments(text):
    """"a, b<c, d>" as ["a", "b<c, d>"]."""
    parts, depth, part = [], 0, ""
    for one in text:
        depth += (one in "<([{") - (one in ">)]}")
        if one == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += one
    return parts + [part.strip()] if part.strip() else parts


def parameters_of(text):
    found = HEAD.match(text)
    result = []
    for one in arguments(found[1]) if found else []:
        words = one.split("=")[0].replace("...", " ").split()
        result.append((" ".join(words[:-1]), words[-1]))
    return result


def closing(text, at):
    """Where the bracket that opens at `at` closes."""
    depth = 0
    pairs = {"<": ">", "(": ")", "{": "}"}[text[at]]
    for i in range(at, len(text)):
        depth += (text[i] == text[at]) - (text[i] == pairs and text[i - 1:i + 1] != "->")
        if depth == 0:
            return i
    return len(text)


def settle(library, expression, known):
    """Adds to `known` what the template arguments of name<...> say of parameters that stand for one thing everywhere."""
    found = re.match(r"([\w:]+)<(.*)>$", expression)
    given = arguments(found[2]) if found else []
    for (kind, name), value in zip(library.parameters(found[1]) if found else [], given):
        if kind == "class" and name == "T" and value in PAIRS:
            known.update({"T": value, "P": PAIRS[value]})
        elif value in library.enumerators(kind):
            known[name] = value
    for one in given:
        settle(library, one, known)


def spelled(library, expression):
    """An expression of a launch table, Gelu<1>, with the enumerators' names."""
    found = re.match(r"([\w:]+)<(.*)>$", expression)
    if not found:
        return expression
    given = [spelled(library, one) for one in arguments(found[2])]
    for i, (kind, _) in enumerate(library.parameters(found[1])[:len(given)]):
        values = library.enumerators(kind)
        given[i] = values[int(given[i])] if values and given[i].isdigit() else given[i]
    return f"{found[1]}<{', '.join(given)}>"


class Plain:
    """Declarations with the known parameters filled in."""

    def __init__(self, library, known):
        self.known, self.gone = known, {}  # gone: of a name, which of its template arguments are known
        for name, pieces in library.pieces.items():
            for piece in pieces:
                places = {i for i, (_, one) in enumerate(parameters_of(piece.text)) if one in known}
                if places and piece.path.name not in FOR_ANY_TYPE:
                    self.gone.setdefault(name, set()).update(places)

    def fill(self, text):
        """The text without the parameters that are known."""
        if self.known:
            text = re.sub(r"\bPair<T>", self.known.get("P", "Pair<T>"), text)
            names = {name for head in HEAD.findall(text) for name in re.findall(r"(\w+)(?:,|$| =)", head)} & set(self.known)
            text = HEAD.sub(lambda head: self.shorter(head), text)
            for name in names:
                text = re.sub(rf"\b{name}\b", self.known[name], text)
            text = self.without_arguments(text)
        for pair in re.findall(r"\bPair<(\w+)>", text):
            text = re.sub(rf"\bPair<{pair}>", PAIRS.get(pair, f"Pair<{pair}>"), text)
        text = self.without_arguments(text) if self.known else text
        return fold(text)

    def shorter(self, head):
        kept = [one for one, (_, name) in zip(arguments(head[1]), parameters_of(head[0])) if name not in self.known]
        space = re.search(r"\s*$", head[0])[0]
        if not kept:
            return "" if head[1].strip() else head[0]
        return f"template <{', '.join(kept)}>{space}"

    def without_arguments(self, text):
        for name, places in self.gone.items():
            at = 0
            while found := re.compile(rf"\b{name}<").search(text, at):
                end = closing(text, found.end() - 1)
                given = arguments(text[found.end():end])
                values = set(self.known.values())
                kept = [one for i, one in enumerate(given) if i not in places or one not in values]
                inside = f"<{', '.join(kept)}>" if kept else ""
                text = text[:found.start()] + name + inside + text[end + 1:]
                at = found.end()
        return re.sub(r"template <>\s*(?=[^{;]*\b(?:%s)\b[\s(:{])" % "|".join(self.gone or ["?"]), "", text)

    def is_other(self, piece):
        """Whether it is a specialisation for other arguments."""
        found = re.search(rf"\b{piece.name}<(.*?)>\s*(?:[({{:;]|$)", piece.text, re.M)
        if not HEAD.match(piece.text) or not found or piece.name not in self.gone:
            return False
        given = arguments(re.sub(r"^Fp8Pair<(\w+)>$", r"\1", found[1]))
        place = [i for i in self.gone[piece.name] if i < len(given)]
        spelled = [SPELLINGS.get(given[i], respelled(given[i])) for i in place]
        concrete = [one for one in spelled if one in PAIRS or one in PAIRS.values() or "::" in one]
        return any(one not in self.known.values() for one in concrete)


def respelled(text):
    return re.sub(r"\b(?:Bf16|E4m3|E5m2|bf16|e4m3|e5m2)\b", lambda word: SPELLINGS[word[0]], text)


# -------------------------------------------------------------------------------------------------
# What is decided


def truth(condition):
    """True, False, or None where it depends on what is not known here."""
    text = condition.strip()
    same = re.fullmatch(r"(!?)std::is_same_v<(\w+), (\w+)>", text)
    if same and same[2] in PAIRS and same[3] in PAIRS:
        return (same[2] == same[3]) != bool(same[1])
    whole = re.fullmatch(r"(!?)std::is_integral_v<(\w+)>", text)
    if whole and (whole[2] in PAIRS):
        return bool(whole[1])
    equal = re.fullmatch(r"(\w+::\w+) == (\w+::\w+)", text)
    return equal[1] == equal[2] if equal else None


def fold(text):
    """Every `if constexpr` that is decided, as its branch alone."""
    at = 0
    while (start := text.find("if constexpr (", at)) >= 0:
        opens = start + len("if constexpr ")
        end = closing(text, opens)
        value = truth(text[opens + 1:end])
        if value is None:
            at = end
            continue
        first, rest = branch(text, end + 1)
        other = ""
        if text[rest:].lstrip().startswith("else"):
            begin = rest + text[rest:].index("else") + 4
            other, rest = branch(text, begin)
        line = text.rfind("\n", 0, start) + 1
        taken = (first if value else other).strip("\n")
        if not taken and not text[line:start].strip():
            rest += text[rest:rest + 1] == "\n"
            text = text[:line] + text[rest:]
            at = line
        else:
            margin = text[line:start] if not text[line:start].strip() else " " * (len(text[line:]) - len(text[line:].lstrip()))
            text = text[:start] + indented(taken, margin).lstrip() + text[rest:]
            at = start
    return text


def branch(text, at):
    """(statement or the body of a block that begins there, where it ends)."""
    begin = at + len(text[at:]) - len(text[at:].lstrip())
    if text[begin] == "{":
        end = closing(text, begin)
        return text[begin + 1:end].strip("\n").rstrip(), end + 1
    if text.startswith("if constexpr (", begin):  # else if: as a whole
        condition = closing(text, begin + len("if constexpr "))
        _, end = branch(text, condition + 1)
        while text[end:].lstrip().startswith("else"):
            _, end = branch(text, end + text[end:].index("else") + 4)
        return text[begin:end], end
    end = text.index(";", begin) + 1
    return text[begin:end], end


def indented(text, margin):
    lines = text.splitlines()
    least = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip() and not line.startswith("#")), default=0)
    first = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    least = min(first, least) if len(lines) > 1 else first
    return "\n".join(line if line.startswith("#") else margin + line[least:] if line.strip() else "" for line in lines)


# -------------------------------------------------------------------------------------------------
# What is reached


def words_of(text):
    code = re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", text)
    calls, named = set(re.findall(r"\b\w+(?=\()", code)), set(re.findall(r"::(?:template )?(\w+)", code))
    return (set(WORD.findall(code)) - set(LOCAL.findall(code)) | calls) - set(re.findall(r"\bstatic [\w:<>, ]+ (\w+)\(", code)) | named


def kinds_in(text):
    """The element types and pairs that a function's parameters name."""
    opens = text.find("(")
    return families(text[opens:closing(text, opens)]) if opens >= 0 else set()


def families(text):
    return {FAMILY[word] for word in re.findall(r"\w+", text) if word in FAMILY}


def count(text, at):
    return len(arguments(text[at + 1:closing(text, at)]))


def is_callable_by(piece, text, callers, for_any_type, defaults):
    """Whether one of these callers can mean this overload: by the number of arguments and by the types that they name."""
    code = re.sub(r"//.*", "", text)
    found = re.search(rf"\b{piece.name}(?:<[^()]*>)?\(", code)
    if not found or "..." in code[found.end():closing(code, found.end() - 1)]:
        return True
    wanted, needs = count(code, found.end() - 1), kinds_in(code[found.start():])
    rows = "[NY][NX]" in code[found.end():closing(code, found.end() - 1)]
    for caller in callers:
        body = re.sub(r"//.*", "", caller)
        for call in re.finditer(rf"\b{piece.name}(?:<[^()]*>)?\(", body):
            if wanted - defaults.get(wanted, 0) <= count(body, call.end() - 1) <= wanted and (for_any_type or needs <= families(body)) and (not rows or "[NY]" in body):
                return True
        if re.search(rf"\b{piece.name}\b(?!\()", body) and not re.search(rf"\b{piece.name}(?:<[^()]*>)?\(", body):
            return True
    return False


class Gathering:
    """The declarations that the roots reach, in the order of the sources."""

    def __init__(self, library, known, roots):
        self.plain = Plain(library, known)
        self.library, self.known, self.roots = library, known, roots
        self.full = {piece: self.filled(piece) for piece in library.order if not self.plain.is_other(piece)}
        mentioned, size = set(), -1
        while len(mentioned) > size:  # a structure's members are there when something that is there mentions them
            size = len(mentioned)
            self.texts = {key: self.trimmed(text, mentioned) for key, text in self.full.items()}
            self.kept = self.reached()
            for text in [*self.roots, *(self.texts[piece] for piece in self.kept)]:
                mentioned |= words_of(text) | set(re.findall(r"(?:\.|->)(?:template )?(\w+)", text))
        self.see_through()
        if known.get("P") == "Fp8Pair":
            self.kept = self.in_order_of_use()

    def in_order_of_use(self):
        """What is declared behind a template that uses it, and is not one any more, comes before it."""
        of_name, done, result = by_name(self.kept), set(), []

        def put(piece):
            if piece in done:
                return
            done.add(piece)
            for word in sorted(words_of(self.texts[piece]) - {piece.name}):
                for other in of_name.get(word, []):
                    put(other)
            result.append(piece)

        for piece in self.kept:
            put(piece)
        return result

    def see_through(self):
        """`struct A : B {};` goes, and whoever says A says B."""
        for piece in self.kept:
            found = re.fullmatch(r"struct (\w+) : ([^{]+) {};", self.texts[piece])
            if found:
                self.kept = [one for one in self.kept if one is not piece]
                for one in self.kept:
                    self.texts[one] = re.sub(rf"\b{found[1]}\b", found[2], self.texts[one])

    def filled(self, piece):
        text = respelled(piece.text)
        text = text if piece.path.name in FOR_ANY_TYPE else self.plain.fill(text)
        text = re.sub(r"DYNAMIC_SHARED\((\w+), (\w+)\);", r"extern __shared__ __align__(16) \1 \2[];", text)
        text = re.sub(r"\balignas\((\d+)\) __shared__", r"__shared__ __align__(\1)", text)
        text = re.sub(r"(?m)^class (\w+) {", r"struct \1 {", text)
        return re.sub(r"::tutorial::|\btutorial::|\bprimitives::|\bdetail::|\btest::", "", text)

    def reached(self):
        """Pieces by name from the roots on."""
        kept = self.reached_of(self.texts)
        while len(fewer := self.without_overloads(kept)) < len(kept):
            kept = self.reached_of(fewer)
        return kept

    def reached_of(self, pieces):
        """What of these the roots reach when only these are there."""
        names, wanted, seen, waiting = by_name(pieces), set(), set(), [*self.roots]
        while waiting:
            for word in words_of(waiting.pop()) - wanted:
                wanted.add(word)
                for piece in names.get(word, []):
                    seen.add(piece)
                    waiting.append(self.texts[piece])
        return [piece for piece in pieces if piece in seen]

    def without_overloads(self, pieces):
        mine = FAMILY.get(self.known.get("T"), FAMILY.get(self.known.get("P")))
        gone, texts = set(), self.texts
        for name, group in by_name(pieces).items():
            if len(group) < 2:
                continue
            # Where nothing is known, all stay templates.
            bodies = [piece for piece in group if self.known and ("{" in texts[piece] or "=" in texts[piece])]
            if bodies and not re.match(r"(?:struct|class|enum)", HEAD.sub("", texts[group[0]])):
                gone |= {piece for piece in group if piece not in bodies and texts[piece].endswith(";")}
            elif bodies:  # of a struct: a declaration that a specialisation replaces
                own = [piece for piece in bodies if not HEAD.match(texts[piece])]
                if own and self.plain.gone.get(name):
                    gone |= {piece for piece in group if piece not in own}
            special = [types_of(texts[piece], name) for piece in group if not HEAD.match(piece.text)]
            gone |= {piece for piece in group if HEAD.match(piece.text) and (types_of(texts[piece], name) or 0) in special}
            of_mine = [piece for piece in group if mine in kinds_in(texts[piece])]
            if mine and of_mine:
                gone |= {piece for piece in group if kinds_in(texts[piece]) - {mine} and piece not in of_mine
                         and len(arguments_of(texts[piece], name)) == len(arguments_of(texts[of_mine[0]], name))}
            callers = [texts[piece] for piece in pieces if piece.name != name] + self.roots
            inside = [texts[piece] for piece in group]
            lists = [arguments_of(text, name) for text in inside]
            defaults = {len(one): max(sum("=" in part for part in other) for other in lists if len(other) == len(one)) for one in lists}
            for piece in group:
                others = [text for text in inside if text != texts[piece]]
                if not is_callable_by(piece, texts[piece], callers + [body_of(text) for text in others], not self.known, defaults):
                    gone.add(piece)
        return [piece for piece in pieces if piece not in gone]

    def trimmed(self, text, words):
        """A structure without the members that nothing mentions, and without overloads for other types."""
        found = re.search(r"(?m)^(?:struct|class) [^;{]*{\n", text)
        if not found:
            return text
        opens = found.end() - 2
        end = closing(text, opens)
        members = split(text[opens + 1:end].splitlines(), "  ")
        mine = FAMILY.get(self.known.get("P"))
        lines = []
        for member in members:
            is_type = re.match(r"\s*(using|static constexpr)", member.text)
            is_function = "(" in member.text.split("=")[0] and "{" in member.text and not re.search(r"\boperator\(\)", member.text)
            if (is_type or is_function) and member.name not in words and member.name not in text[:opens]:
                continue
            twins = [one for one in members if one is not member and one.name == member.name]
            kinds = kinds_in(member.text.split("operator()")[-1])
            if twins and mine and kinds and mine not in kinds and any(
                    mine in kinds_in(one.text.split("operator()")[-1]) for one in twins):
                continue
            if any(signature(one.text) == signature(member.text) and members.index(one) > members.index(member) for one in twins):
                continue  # the general form, where the special one is ours
            gap = [""] if lines and not member.glued and (member.comment or "\n" in member.text) else []
            lines += gap + member.comment + [member.text]
        return text[:opens + 1] + "\n" + "\n".join(lines) + "\n" + text[end:]

    def written(self, reference):
        """The declarations as text, of proof/ or of all else; a blank line between those that had one."""
        blocks, comment_of, before_of = [], {}, dict(zip(self.library.order[1:], self.library.order))
        for piece, before in before_of.items():
            if piece.glued:
                comment_of[piece] = piece.comment or (
                    comment_of.get(before, before.comment) if before.name == piece.name and before not in self.kept else [])
        for piece in self.kept:
            if (piece.path.parent.name == "proof") != reference:
                continue
            comment = comment_of.get(piece, piece.comment)
            text = "\n".join([*(re.sub(r"^(\s*)///", r"\1//", line) for line in comment), self.texts[piece]])
            glue = piece.glued and not comment and blocks and before_of.get(piece) in self.kept
            blocks.append(("\n" if glue else "\n\n") + re.sub(r"///<?", "//", text))
        return "".join(blocks).strip("\n")


def arguments_of(text, name):
    found = re.search(rf"\b{name}(?:<[^()]*>)?\(", text)
    return arguments(text[found.end():closing(text, found.end() - 1)]) if found else []


def types_of(text, name):
    """Of a function's parameters; None for what is no function."""
    return [re.sub(r"(?<=[\w&*>]) \w+$", "", one) for one in arguments_of(text, name)] or None


def body_of(text):
    return text[text.index("{"):] if "{" in text else ""


def signature(text):
    return re.sub(r"\s+", " ", re.sub(r"//.*", "", text).split("{")[0]).strip()

#!/usr/bin/env python3
"""Checks the Markdown files of the repository: links, anchors, images and math.

    python3 common/tools/maintain/links.py

Every relative link and image must lead to a file or folder of the repository, and every #anchor to
a heading (by GitHub's rules) or to an id or name written in HTML; #L10 must be a line that the file
has. Addresses with a scheme (https:, mailto:) are not followed. A link must not be absolute or
leave the repository, and the text must not name a path of somebody's machine.

Math that GitHub does not render as it stands is reported too: an unclosed $$, text on the line of
a $$, an empty line within it, macros that GitHub refuses, `\\{`, `\\,`, `\\\\` and their like within
dollars (Markdown takes the backslash; write $`...`$ or a ```math block), `<` before a letter, a `|`
within a table cell's math, and math that goes on on the next line.

Prints file:line and what is wrong, and exits 1 if anything is.
"""

import html
import os
import re
import sys
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import runs

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\]|!\[[^\]]*\]\([^)]*\))*\]\(\s*(<[^>]*>|[^\s()]*"
                  r"(?:\([^\s()]*\)[^\s()]*)*)(?:\s+[\"'(][^)]*)?\s*\)")
IMAGE = re.compile(r"!\[[^\]]*\]\(\s*(<[^>]*>|[^\s()]*)[^)]*\)")
REFERENCE = re.compile(r"^\s{0,3}\[(?!\^)[^\]]+\]:\s*(\S+)")
ATTRIBUTE = re.compile(r"<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)\s*=\s*[\"']([^\"'\s]*)",
                       re.I)
HTML_ANCHOR = re.compile(r"<\w+\b[^>]*?\b(?:id|name)\s*=\s*[\"']([^\"']+)", re.I)
HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
FENCE = re.compile(r"^\s*(?:>\s*)*(```+|~~~+)(.*)$")
CODE = re.compile(r"(`+)(?!`)(.*?)(?<!`)\1(?!`)")
SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
MACHINE_PATH = re.compile(r"(?<![\w/.])(?:/home/|/Users/|/root/|file://|[A-Z]:\\)")
REFUSED = re.compile(r"\\(operatorname|newcommand|renewcommand|def|require|DeclareMathOperator)\b")
EATEN = re.compile(r"\\([\\{},;:!#%&_])")
INLINE_MATH = re.compile(r"(?<![\\$\w])\$(?![\s$`])((?:\\.|[^$\\])*?)(?<!\s)\$(?!\d)")


class Document:
    """One Markdown file: its lines with code blanked out, and where its fences are."""

    def __init__(self, path, name):
        self.name, self.folder = name, path.parent
        self.source = runs.read_text(path).splitlines()
        self.lines = ["" if code else line for line, code in zip(self.source, fence_flags(self.source))]

    def text_lines(self):
        """(line number, line without inline code and comments) outside code fences."""
        for number, line in enumerate(self.lines, 1):
            blank = CODE.sub(lambda code: " " * len(code.group(0)), line)
            yield number, re.sub(r"<!--.*?-->", "", blank)

    def anchors(self):
        found, seen = set(), {}
        for line in self.lines:
            found.update(HTML_ANCHOR.findall(line))
            heading = HEADING.match(line)
            if heading:
                slug = slug_of(heading.group(2))
                found.add(f"{slug}-{seen[slug]}" if slug in seen else slug)
                seen[slug] = seen.get(slug, 0) + 1
        return found


def fence_flags(lines):
    """For each line: is it part of a code fence?"""
    fence = None
    for line in lines:
        mark, inside = FENCE.match(line), fence is not None
        if inside and mark and mark.group(1).startswith(fence) and not mark.group(2).strip():
            fence = None
        elif not inside and mark and "`" not in mark.group(2):
            fence = mark.group(1)
        yield inside or fence is not None


def slug_of(heading):
    """GitHub's anchor of a heading."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)  # links and images keep their words
    text = re.sub(r"<[^>]+>", "", text)
    text = re.sub(r"(?<!\w)([*_]{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2", text)
    text = html.unescape(text).strip().lower()
    text = re.sub(r"[^\w\- ]", "", text)
    return text.replace(" ", "-")


# -------------------------------------------------------------------------------------------------
# Links


class Checker:
    def __init__(self, root):
        self.root = Path(root).resolve()
        self.files = set(runs.tracked_files(self.root))
        self.folders = {str(p) for name in self.files for p in Path(name).parents}
        self.documents, self.problems = {}, []

    def report(self, document, number, text):
        self.problems.append(f"{document.name}:{number}: {text}")

    def document(self, name):
        if name not in self.documents:
            self.documents[name] = Document(self.root / name, name)
        return self.documents[name]

    def check(self, name):
        """Checks one Markdown file, given by its path from the root."""
        document = self.document(name)
        for number, line in document.text_lines():
            for target in targets_of(line):
                self.check_target(document, number, target.strip("<>"))
        self.check_paths(document)
        for number, text in math_problems(document):
            self.report(document, number, text)

    def check_target(self, document, number, target):
        path, _, anchor = target.partition("#")
        path = urllib.parse.unquote(path.partition("?")[0])
        if SCHEME.match(target):
            if target.lower().startswith("file:"):
                self.report(document, number, f"{target}: leads to somebody's machine")
            return
        if path.startswith("/"):
            self.report(document, number, f"{target}: is absolute; write it relative to this file")
            return
        name = document.name
        if path:
            name = os.path.relpath(os.path.normpath(document.folder / path), self.root)
            if name.startswith(".."):
                self.report(document, number, f"{target}: leaves the repository")
                return
            if name not in self.files and name not in self.folders:
                self.report(document, number, f"{target}: no such file in the repository")
                return
        if anchor:
            self.check_anchor(document, number, target, name, urllib.parse.unquote(anchor))
        elif not path:
            self.report(document, number, "a link without a target")

    def check_anchor(self, document, number, target, name, anchor):
        lines = re.fullmatch(r"L(\d+)(?:-L(\d+))?", anchor)
        if name.endswith(".md"):
            if anchor not in self.document(name).anchors():
                self.report(document, number, f"{target}: {name} has no such heading")
        elif lines and name in self.files:
            last = int(lines.group(2) or lines.group(1))
            if last > len(runs.read_text(self.root / name).splitlines()):
                self.report(document, number, f"{target}: {name} has no line {last}")

    def check_paths(self, document):
        for number, line in enumerate(document.source, 1):
            found = MACHINE_PATH.search(line)
            if found:
                self.report(document, number, f"names a machine's path ({found.group(0)}...)")
            elif len(self.root.parts) > 2 and str(self.root) + "/" in line:
                self.report(document, number, "names the path of this checkout")


def targets_of(line):
    found = LINK.findall(line)
    found += [target for target in IMAGE.findall(line) if target not in found]
    return found + ATTRIBUTE.findall(line) + REFERENCE.findall(line)


# -------------------------------------------------------------------------------------------------
# Math


def math_problems(document):
    """(line number, what GitHub will not render)."""
    opened = None
    for number, line in document.text_lines():
        stripped = re.sub(r"^\s*(?:>\s*)*", "", line).strip()
        if opened is None and "$$" not in line:
            yield from ((number, text) for text in inline_problems(document, number, line))
            continue
        marks = line.count("$$")
        if marks and not (stripped.startswith("$$") if opened is None else True):
            yield number, "$$ with text before it on its line; give it a line of its own"
        if marks and opened is None and marks % 2 == 0 and not stripped.endswith("$$"):
            yield number, "$$ with text after it on its line; give it a line of its own"
        if opened is not None and not stripped:
            yield number, "an empty line within $$ ends the math"
        yield from ((number, text) for text in dollar_problems(stripped.strip("$")))
        if marks % 2:
            opened = number if opened is None else None
    if opened is not None:
        yield opened, "$$ is never closed"


def inline_problems(document, number, line):
    in_table = document.lines[number - 1].lstrip().startswith("|")
    for match in INLINE_MATH.finditer(line):
        text = match.group(1)
        if not re.search(r"[a-zA-Z\\^_=<>+]", text):  # prices and shell variables are no math
            continue
        yield from dollar_problems(text)
        if in_table and re.search(r"(?<!\\)\|", text):
            yield f"${text}$: a | within a table cell's math splits the cell; write \\vert"
    rest = re.sub(r"\$ +\$", "", INLINE_MATH.sub("", line))
    if "$" in rest and re.search(r"[\\^_{}]", rest):
        yield "math that does not end on its line; GitHub may show it as text"
    for text in re.findall(r"\$`([^`]*)`\$", document.lines[number - 1]):
        if REFUSED.search(text):
            yield f"GitHub refuses {REFUSED.search(text).group(0)}; use \\mathrm or a plain form"


def dollar_problems(text):
    refused, eaten = REFUSED.search(text), EATEN.search(text)
    if refused:
        yield f"GitHub refuses {refused.group(0)}; use \\mathrm or a plain form"
    if eaten:
        yield (f"Markdown takes the backslash of {eaten.group(0)} within dollars; write "
               "$`...`$ or a ```math block")
    if re.search(r"<[a-zA-Z/]", text):
        yield "< before a letter is read as HTML within dollars; put a space after it"


def main():
    checker = Checker(runs.ROOT)
    for name in sorted(name for name in checker.files if name.endswith(".md")):
        checker.check(name)
    for line in checker.problems:
        print(line)
    return 1 if checker.problems else 0


if __name__ == "__main__":
    runs.run_tool(main)

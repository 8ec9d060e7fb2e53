"""LaTeX to MathML when the book is built, so that a browser needs no script, no font and no network."""

import re
import xml.etree.ElementTree as ET

from latex2mathml.converter import convert

SPACE = "http://www.w3.org/1998/Math/MathML"
ET.register_namespace("", SPACE)
OPERATOR, NAME, NUMBER = (f"{{{SPACE}}}{tag}" for tag in ("mo", "mi", "mn"))
ARGUMENTS = {NAME, NUMBER, *(f"{{{SPACE}}}{tag}" for tag in ("msup", "mfrac", "mstyle"))}
ROWS = {f"{{{SPACE}}}{tag}" for tag in ("math", "mrow", "mstyle", "mtd")}  # msub and its like count their children
CLOSING = {")", "]", "}", "!", "⌋", "⌉"}


def mathml(latex, block):
    """The <math> element of a formula; ValueError names one that cannot be converted."""
    try:
        tree = ET.fromstring(convert(latex, display="block" if block else "inline"))
    except Exception as error:  # the converter raises a dozen kinds of its own
        raise ValueError(f"the formula {latex!r} cannot be converted: {error!r}") from error
    for parent in list(tree.iter()):
        mend(parent)
    return ET.tostring(tree, encoding="unicode")


def mend(parent):
    """Spaces as TeX sets them: none behind a sign or beside |, a thin one behind log and its like."""
    before = None
    for place, node in enumerate(list(parent)):
        text = (node.text or "").strip()
        if node.tag == OPERATOR:
            if text == "∞":
                node.tag = NAME
            elif text in "−-+±" and is_sign(before):
                node.set("form", "prefix")
            elif text == "|":
                node.set("stretchy", "false")
                node.set("lspace", "0")
                node.set("rspace", "0")
        if parent.tag in ROWS and is_function(before) and node.tag in ARGUMENTS:
            gap = ET.Element(f"{{{SPACE}}}mspace", width="0.1667em")
            parent.insert(list(parent).index(node), gap)
        before = node


def is_sign(before):
    """Is a minus behind this node a sign, and no subtraction?"""
    return before is None or (before.tag == OPERATOR and (before.text or "").strip() not in CLOSING)


def is_function(node):
    if node is None:
        return False
    inner = node
    if node.tag in (f"{{{SPACE}}}msub", f"{{{SPACE}}}msup"):
        inner = node[0]
    return inner.tag in (NAME, OPERATOR) and re.fullmatch(r"[a-z]{2,}", inner.text or "") is not None

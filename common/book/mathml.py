"""LaTeX to MathML when the book is built, so that a browser needs no script, no font and no network."""

import re
import xml.etree.ElementTree as ET

from latex2mathml.converter import convert

SPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'  # left out while the tree is mended
ARGUMENTS = {"mi", "mn", "msup", "mfrac", "mstyle"}
ROWS = {"math", "mrow", "mstyle", "mtd"}  # msub and its like count their children
CLOSING = {")", "]", "}", "!", "⌋", "⌉"}


def mathml(latex, block):
    """The <math> element of a formula; ValueError names one that cannot be converted."""
    try:
        tree = ET.fromstring(convert(latex, display="block" if block else "inline").replace(SPACE, "", 1))
    except Exception as error:  # the converter raises a dozen kinds of its own
        raise ValueError(f"the formula {latex!r} cannot be converted: {error!r}") from error
    for parent in list(tree.iter()):
        mend(parent)
    return ET.tostring(tree, encoding="unicode").replace("<math", f"<math{SPACE}", 1)


def mend(parent):
    """Spaces as TeX sets them: none behind a sign or beside |, a thin one behind log and its like."""
    before = None
    for node in list(parent):
        text = (node.text or "").strip()
        if node.tag == "mo":
            if text == "∞":
                node.tag = "mi"
            elif text in "−-+±" and is_sign(before):
                node.set("form", "prefix")
            elif text == "|":
                node.attrib.update(stretchy="false", lspace="0", rspace="0")
        if parent.tag in ROWS and is_function(before) and node.tag in ARGUMENTS:
            parent.insert(list(parent).index(node), ET.Element("mspace", width="0.1667em"))
        before = node


def is_sign(before):
    """Is a minus behind this node a sign, and no subtraction?"""
    return before is None or (before.tag == "mo" and (before.text or "").strip() not in CLOSING)


def is_function(node):
    inner = node[0] if node is not None and node.tag in ("msub", "msup") else node
    return inner is not None and inner.tag in ("mi", "mo") and re.fullmatch(r"[a-z]{2,}", inner.text or "") is not None

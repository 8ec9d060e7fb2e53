"""The entries of common/GLOSSARY.md: their names, their terms, what they say, and where they are first met."""

import re

ENTRY = re.compile(r'^- <a id="([\w-]+)"></a>(.*?)(?=^- <a id|^## |\Z)', re.M | re.S)
TERM = re.compile(r"\*\*(.+?)\*\*")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
#: Words that also have an everyday meaning: only in italics do they stand for their entry.
EVERYDAY = {"cold", "warm", "step", "half", "host", "device", "event", "block", "kernel", "branch", "race", "vote",
            "identity", "operator", "peer", "tail", "exhibit", "broadcast", "stride", "ladder", "rung", "slot",
            "stream", "cub", "tile", "grid"}


class Entry:
    def __init__(self, name, text):
        self.name = name
        self.text = re.sub(r"\s+", " ", re.sub(r"<!--.*?-->", "", text, flags=re.S)).strip()
        head = self.text.split(". ")[0]
        self.terms = [term.rstrip(".").lower() for term in TERM.findall(head + ".")]
        aside = re.search(r"\*\* \((.*?)\)\.", self.text)
        if aside:
            self.terms += [word.strip(" `").lower() for word in re.split("[,;]", aside.group(1))]
        self.links = [target for _, target in LINK.findall(self.text)]

    def words(self):
        """The definition without marks, and without the link at its end that says where it is first met."""
        text = re.sub(r"\s*\[[^\]]*\]\([^)]*\)\.?$", "", self.text)
        return re.sub(r"[`*]", "", LINK.sub(r"\1", text)).strip()

    def is_met(self, words):
        """Whether words in italics are one of the terms."""
        return any(pattern(term).fullmatch(words.strip().rstrip(".")) for term in self.terms)


def entries(text):
    return [Entry(*found) for found in ENTRY.findall(text)]


def pattern(term):
    """A term in a text, with the endings of a plural and of a verb."""
    return re.compile(rf"(?<![\w-]){re.escape(term)}(?:s|es|d|ed)?(?![\w-])", re.I)

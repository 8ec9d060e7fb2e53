"""Our part of the book's build, as a Sphinx extension: links as the repository has them, GitHub's anchors,
MathML, and a page for every source that a page leads to."""

import html
import re
import shutil
from pathlib import Path, PurePosixPath

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

import glossary
import links
import measurements
import pages
import runs
from mathml import mathml

log = logging.getLogger(__name__)
COMMENT = re.compile(r"\s*(?:<!--.*?-->\s*)+", re.S)
PLAIN = re.compile(r'<span class="(?:w|p|n)">([^<]*)</span>')  # a third of a page, and in no colour of their own


class Links(SphinxTransform):
    """Turns the links of the repository into those of the book."""

    default_priority = 100

    def apply(self):
        name = self.app.book.page_names[self.env.docname]
        for node in self.document.findall(nodes.reference):
            target = node.get("refuri", "")
            if target and target[0] != "#" and not links.SCHEME.match(target):
                node["refuri"] = self.translated(name, target)
            if not links.SCHEME.match(target):
                node["internal"] = True

    def translated(self, name, target):
        path, mark, anchor = target.partition("#")
        address = self.app.book.address(pages.normal(str(PurePosixPath(name).parent), path))
        if address is None:
            log.warning("%s: %s leads to nothing in the repository", name, target)
            return target
        return pages.relative(address, self.env.docname) + mark + anchor


class Anchors(SphinxTransform):
    """Gives headings the anchors that GitHub gives them."""

    default_priority = 870  # before Sphinx reads the headings for its tables of contents

    def apply(self):
        seen = {}
        for section in self.document.findall(nodes.section):
            slug = links.slug_of(section[0].rawsource or section[0].astext())
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            section["ids"] = [f"{slug}-{count}" if count else slug]


class Terms(SphinxTransform):
    """Links the first use of each of the glossary's words in a lesson to its entry, whose text book.js shows;
    in italics wherever a lesson sets it so. On the glossary's own page it makes each entry known to the search."""

    default_priority = 880

    def apply(self):
        name = self.app.book.page_names[self.env.docname]
        entries = self.app.book.entries
        if name == pages.GLOSSARY:
            for entry in entries:
                self.env.get_domain("std").note_object("word", entry.terms[0], entry.name)
        if name not in self.app.book.lessons():
            return
        seen = set()
        for node in list(self.document.findall(nodes.emphasis)):  # the words that a lesson introduces
            entry = next((entry for entry in entries if entry.name not in seen and entry.is_met(node.astext())), None)
            if entry and self.is_prose(node.parent):
                seen.add(entry.name)
                node.replace_self(self.link(entry, node.astext(), node))
        for entry in entries:
            if entry.name not in seen:
                self.first_plain_use(entry)

    def first_plain_use(self, entry):
        terms = [glossary.pattern(term) for term in entry.terms if term not in glossary.EVERYDAY]
        for text in self.document.findall(nodes.Text):
            if not self.is_prose(text.parent) or not isinstance(text.parent, nodes.paragraph):
                continue
            found = next(filter(None, (term.search(text) for term in terms)), None)
            if found:
                before, after = str(text)[:found.start()], str(text)[found.end():]
                text.parent.replace(text, [nodes.Text(before), self.link(entry, found.group(0)), nodes.Text(after)])
                return

    @staticmethod
    def is_prose(node):
        """Neither in a heading or a table, nor in a figure's caption, which is a paragraph all in italics."""
        while node is not None:
            if isinstance(node, (nodes.title, nodes.table, nodes.reference)):
                return False
            if isinstance(node, nodes.paragraph) and len(node) == 1 and isinstance(node[0], nodes.emphasis):
                return False
            node = node.parent
        return True

    def link(self, entry, words, emphasis=None):
        address = pages.relative(self.app.book.address(pages.GLOSSARY), self.env.docname) + "#" + entry.name
        inside = f"<em>{html.escape(words)}</em>" if emphasis is not None else html.escape(words)
        return nodes.raw("", f'<a class="term" href="{html.escape(address)}" '
                             f'data-definition="{html.escape(entry.words())}">{inside}</a>', format="html")


class Figures(SphinxTransform):
    """Says in a figure's alternative text what the drawing says of itself: its title and its numbers."""

    default_priority = 875

    def apply(self):
        folder = PurePosixPath(self.app.book.page_names[self.env.docname]).parent
        for node in self.document.findall(nodes.image):
            path = self.app.book.root / pages.normal(str(folder), node.get("uri", "").lstrip("/"))
            if path.suffix == ".svg" and path.is_file():
                said = re.search(r"<desc[^>]*>(.*?)</desc>", path.read_text(encoding="utf-8"), re.S)
                if said:
                    node["alt"] = f'{node.get("alt", "").rstrip(".")}. {html.unescape(said.group(1)).strip()}'


class Comments(SphinxTransform):
    """Takes out the comments that `./tutorial report` finds its places by."""

    default_priority = 110

    def apply(self):
        for node in list(self.document.findall()):
            if isinstance(node, nodes.comment) or isinstance(node, nodes.raw) and COMMENT.fullmatch(node.astext()):
                node.parent.remove(node)


# -------------------------------------------------------------------------------------------------
# Math


def visit_math(translator, node):
    translator.body.append(mathml(node.astext(), block=False))
    raise nodes.SkipNode


def visit_math_block(translator, node):
    translator.body.append(f'<div class="formula">{mathml(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


# -------------------------------------------------------------------------------------------------
# Sources


def lexer_of(name):
    """CUDA for all C++: half of it is read by nvcc, and its words are C++'s and more."""
    if PurePosixPath(name).suffix in pages.CUDA:
        return get_lexer_by_name("cuda")
    try:
        return get_lexer_for_filename(name)
    except ClassNotFound:
        return TextLexer()


def link(repository, path, page, words):
    """Words on a page as a link to a file or folder of the repository, where the book has it."""
    if not (path in repository.files or path in repository.folders or f"{path}/README.md" in repository.texts):
        return words
    return f'<a href="{html.escape(pages.relative(repository.address(path), page))}">{words}</a>'


def highlighted(repository, name):
    """A source as HTML: lines with GitHub's anchors (#L10), includes as links."""
    formatter = HtmlFormatter(linespans="L", cssclass="highlight source")
    text = highlight(runs.read_text(repository.root / name), lexer_of(name), formatter)
    text = re.sub(r'<span id="L-(\d+)">', r'<span id="L\1">', text)
    text = PLAIN.sub(r"\1", text)
    return re.sub(r'(?<=class="cpf">")[\w./]+(?=")', lambda found: link(repository, found.group(), name, found.group()), text)


def trail(repository, name):
    """The folders above a file, each as a link where the book has it."""
    *above, last = name.split("/")
    words = [link(repository, "/".join(above[:depth]), name, part) for depth, part in enumerate(above, 1)]
    return " / ".join(words + [f"<strong>{html.escape(last)}</strong>"])


def listing(repository, folder):
    rows = [link(repository, f"{folder}/{name}", f"{folder}/index", html.escape(name + ("/" if is_folder else "")))
            for name, is_folder in repository.listing(folder)]
    return f'<ul class="listing">{"".join(f"<li>{row}</li>" for row in rows)}</ul>'


def made_page(name, title, body):
    """A page of no Markdown file, as Sphinx takes it."""
    return name, {"title": title, "body": f'<h1 class="source-title">{html.escape(title)}</h1>{body}'}, "page.html"


def source_pages(app):
    for name in app.book.sources:
        if app.book.is_shown(name):
            body = f'<p class="trail">{trail(app.book, name)}</p>{highlighted(app.book, name)}'
            yield made_page(name, PurePosixPath(name).name, body)
    for folder in app.book.folders:
        yield made_page(f"{folder}/index", folder, listing(app.book, folder))


# -------------------------------------------------------------------------------------------------
# The extension


def prepare(app):
    app.book = pages.Repository()
    app.book.sources, app.book.folders = app.book.linked()
    app.book.entries = glossary.entries(app.book.texts[pages.GLOSSARY])


def finish(app, error):
    if error is None:
        site = Path(app.outdir)
        for name in app.book.sources:
            if not app.book.is_shown(name):  # it is handed out
                (site / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(app.book.root / name, site / name)
        (site / "404.html").write_text(MISSING, encoding="utf-8")
        measurements.write(app.book, site / pages.TOOLS / "ladders")
        measurements.write_traces(app.book, site / pages.TOOLS / "traces", site)


#: For a web server that shows it at any address: it needs no other file, and finds the book's first page by itself.
MISSING = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>There is no such page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><meta name="color-scheme" content="light dark"></head>
<body style="font-family: system-ui, sans-serif; margin: 15vh auto; max-width: 34rem; padding: 0 1rem">
<h1>There is no such page</h1>
<p>It may have moved. <a id="home" href="index.html">The first page</a> lists the lessons, and its search finds the rest.</p>
<script>
(async () => {
  for (let at = location.pathname; at.length > 1;) {
    at = at.replace(/[^/]*\\/?$/, "");
    if (!(await fetch(at + "searchindex.js", { method: "HEAD" })).ok) continue;
    document.getElementById("home").href = at + "index.html";
    break;
  }
})();
</script></body></html>
"""


def no_tree(app, page, template, context, doctree):
    """A source is in no tree, so the theme need not make one: its sidebar is page_context's."""
    if page not in app.book.page_names:
        context.pop("toctree", None)


def page_context(app, page, template, context, doctree):
    """A source has nothing beside it; a page of ours has its own script, or below its title how long it takes, and
    the sidebar's captions have a level."""
    if page not in app.book.page_names:
        context["furo_hide_toc"] = True
        home = html.escape(context["pathto"]("index"))
        context["furo_navigation_tree"] = f'<ul><li class="toctree-l1"><a class="reference" href="{home}">The lessons</a></li></ul>'
        return
    name = app.book.page_names[page]
    minutes = app.book.minutes(name)
    if pages.is_tool(name):
        app.add_js_file(f"{PurePosixPath(page).name}.js", priority=900, type="module")  # behind book.js
    elif minutes and page != "index":
        words = f"about {minutes} minute{'s' if minutes > 1 else ''}"
        context["body"] = context["body"].replace("</h1>", f'</h1>\n<p class="place">{words}</p>', 1)
    for way, other in zip(("prev", "next"), app.book.neighbours(name)):
        context[way] = other and {"link": context["pathto"](pages.page_of(other)), "title": app.book.title(other)}
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app):
    app.add_config_value("read_by", "", "env")
    app.connect("builder-inited", prepare)
    app.connect("html-collect-pages", source_pages)
    app.connect("html-page-context", no_tree, priority=100)  # before the theme
    app.connect("html-page-context", page_context, priority=900)  # behind the theme
    app.connect("build-finished", finish)
    for transform in (Links, Anchors, Terms, Figures, Comments):
        app.add_transform(transform)
    app.add_object_type("word", "word", objname="glossary")
    app.add_html_math_renderer("mathml", inline_renderers=(visit_math, None),
                               block_renderers=(visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

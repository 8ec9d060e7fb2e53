"""Sphinx's settings for the book. Their reasons stand in README.md beside this file."""

import hashlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "common/tools/reader"), str(ROOT / "common/tools/maintain")]

# Pages are read again when what reads them has changed.
read_by = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))).hexdigest()

project = "CUDA kernels, from naive to the speed of memory"
html_title = "Elementwise CUDA kernels"
extensions = ["myst_parser", "sphinx.ext.githubpages", "extension"]

# Markdown as GitHub reads it.
myst_enable_extensions = ["dollarmath", "strikethrough"]
myst_dmath_allow_space = False
myst_dmath_allow_digits = False
myst_fence_as_directive = ["math"]
myst_all_links_external = True  # ours to translate, in extension.py
suppress_warnings = ["myst.strikethrough", "misc.highlighting_failure"]

smartquotes = False

html_theme = "furo"
html_favicon = "static/favicon.svg"
html_static_path = ["static"]
html_css_files = ["book.css"]
html_js_files = [("book.js", {"defer": "defer"})]
html_search_scorer = str(HERE / "static" / "scorer.js")
html_math_renderer = "mathml"
html_copy_source = False
html_use_index = False
html_show_copyright = False
html_show_search_summary = False  # it would load every page that is found
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"
html_theme_options = {"top_of_page_buttons": []}

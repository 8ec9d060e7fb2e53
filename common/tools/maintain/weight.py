#!/usr/bin/env python3
"""How many lines people have written here, by purpose: code, prose, and the JSON of faults, claims and exercises.

Recordings, drawings, launch tables and what ./tutorial report writes between its markers are not counted.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reader"))
import runs  # noqa: E402

PURPOSES = (  # the first that matches a path
    ("controls", r"common/controls/"),
    ("tools", r"common/tools/|common/torch/|common/cmake/|common/book/|CMake|tutorial$|\.ci/|common/CMakeLists|.*/CMakeLists"),
    ("pages", r".*\.md$"),
    ("peers", r"\d\d_\w+/proof/peers/|\d\d_\w+/peers/"),
    ("benchmark", r"common/bench/|.*_bench\.cpp$|.*/results/.*\.py$"),
    ("proof", r"common/(proof|test)/|\d\d_\w+/(proof|museum|answers)/|.*_test(_\w+)?\.cpp$|.*/codegen\w*\.json$|.*/exercises\.json$"),
    ("executor", r"common/(executor|run|check|trace|see)/"),
    ("kernels", r".*\.(cu|cuh|h|cpp)$"),
    ("tools", r".*"),
)
LEFT_OUT = r"(.*/results/(?!.*\.py$)(?!.*\.md$).*|.*\.(svg|png|ico|woff2|txt|csv|ipynb)|.*LICENSE|.*\.gitignore)$"


def by_hand(name, text):
    """The lines of a file that somebody wrote."""
    if name.endswith(".md"):
        text = re.sub(r"(<!-- (report|excerpt):[^>]*-->\n).*?<!-- /\2", r"\1<!-- /\2", text, flags=re.S)
    return len(text.splitlines())


def weights(names, read):
    found = {}
    for name in names:
        if re.match(LEFT_OUT, name):
            continue
        purpose = next(purpose for purpose, pattern in PURPOSES if re.match(pattern, name))
        found[purpose] = found.get(purpose, 0) + by_hand(name, read(name))
    return found


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=runs.ROOT, capture_output=True, text=True, errors="replace", check=True).stdout


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", help="whose lines to compare those of the working tree with")
    commit, before = parser.parse_args(arguments).commit, None
    now = weights(runs.tracked_files(), lambda name: runs.read_text(runs.ROOT / name, "replace"))
    if commit:
        try:
            names = git("ls-tree", "-r", "--name-only", "--end-of-options", commit).splitlines()
        except subprocess.CalledProcessError:
            parser.error(f"there is no commit '{commit}' here")
        before = weights(names, lambda name: git("show", f"{commit}:{name}"))
    for purpose in sorted(now, key=now.get, reverse=True) + ["all"]:
        total = sum(now.values()) if purpose == "all" else now[purpose]
        was = before and (sum(before.values()) if purpose == "all" else before.get(purpose, 0))
        print(f"{purpose:10} {total:8,}" + (f"   {was:8,} {total - was:+7,}" if before else ""))


if __name__ == "__main__":
    main(sys.argv[1:])

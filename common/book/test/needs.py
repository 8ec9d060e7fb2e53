"""What the tests of the built book need, and how they are skipped where it is not there."""

import functools
import http.server
import os
import shutil
import sys
import threading
import time
from pathlib import Path

BOOK = Path(__file__).resolve().parents[1]
ROOT = BOOK.parents[1]
sys.path[:0] = [str(BOOK), str(ROOT / "common/tools/reader"), str(ROOT / "common/tools/maintain"),
                str(ROOT / "common/tools/test")]

WORK = ROOT / "build" / "book"
SITE = WORK / "tested"
SKIPPED = 4


def enter(name, requirements):
    """Goes on in the virtual environment of that name, which holds what drives a browser; the book is built."""
    import book
    if not (SITE / "index.html").is_file():
        sys.exit("build/book/tested is not there: run common/book/test/test_site.py first")
    python = book.environment(WORK / name, [BOOK / requirements])
    if Path(sys.prefix).resolve() != (WORK / name).resolve():
        os.execv(python, [str(python), *sys.argv])


def serve(case, handler):
    """The address of a server of the built book, which is at work until the test case has ended."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(SITE)))
    case.addClassCleanup(server.server_close)
    case.addClassCleanup(server.shutdown)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def wait(js, code, seconds=20):
    """Waits until an expression of the page is true, and returns it; `js` runs code in the page."""
    end = time.time() + seconds
    while time.time() < end:
        value = js("return " + code)
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{js('return location.href')}: never true: {code}")


def first(*names):
    return next((path for path in map(shutil.which, names) if path), None)


def browser():
    """(Chromium, its driver); ends the test, skipped with its reason, where one is not there."""
    chromium = first("chromium", "chromium-browser", "google-chrome")
    driver = first("chromedriver")
    if chromium and driver:
        return chromium, driver
    missing = " and ".join(word for word, path in (("Chromium", chromium), ("chromedriver", driver)) if not path)
    if os.environ.get("TUTORIAL_REQUIRE_BROWSER") == "1":
        sys.exit(f"no {missing} here, and TUTORIAL_REQUIRE_BROWSER is 1: apt-get install chromium chromium-driver")
    print(f"skipped: no {missing} here; on Debian: apt-get install chromium chromium-driver")
    sys.exit(SKIPPED)


def firefox():
    """Firefox; ends the test, skipped with its reason, where it is not there."""
    found = first("firefox-esr", "firefox")
    if not found:
        print("skipped: no Firefox here; on Debian: apt-get install firefox-esr")
        sys.exit(SKIPPED)
    return found

#!/usr/bin/env python3
"""Opens the book, which test_site.py has built, in headless Chromium: every page without an error and without
a request to another host, formulas, figures, search, keyboard, the two schemes, a phone's width, and what
axe-core says of it. Pictures go to build/book/pictures."""

import json
import os
import time
import unittest
from pathlib import Path
from urllib.parse import urlsplit

import needs

import book
import pages
import runs
import share
import synthetic

PICTURES = needs.WORK / "pictures"
PREFIX = "/some/where"  # the site is tried under a path, as a project's pages are published
WIDTHS = {"phone": (390, 844), "desk": (1280, 900), "wide": (1440, 900)}
SCHEMES = ("light", "dark")
AXE = """
const done = arguments[arguments.length - 1];
const rules = arguments[0] ? {} : {"color-contrast": {enabled: false}};
axe.run({exclude: [[".highlight span"], ["math"]]}, {resultTypes: ["violations"], rules,
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"].slice(0, arguments[0] ? 6 : 5)})
  .then((result) => done(result.violations
    .filter((violation) => ["serious", "critical"].includes(violation.impact))
    .map((violation) => violation.id + ": " + violation.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" "))));
"""


class Handler(book.Handler):
    """Serves the site below PREFIX, and nothing beside it."""

    def translate_path(self, path):
        inside = path.startswith(PREFIX + "/")
        return super().translate_path(path[len(PREFIX):] if inside else "/no such file")


class Browser:
    """Chromium, with what it printed and what it asked for."""

    def __init__(self, base):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        chromium, driver = needs.browser()
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                     "--disable-background-networking", "--disable-component-update", "--no-first-run"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.driver.set_script_timeout(100)
        self.base = base
        self.show("desk", "light")

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def show(self, width, scheme):
        wide, high = WIDTHS[width]
        self.command("Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1,
                     mobile=width == "phone")
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, page):
        self.driver.get(self.base + page)

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def wait(self, code):
        return needs.wait(self.js, code)

    def press(self, key):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        ActionChains(self.driver).send_keys(getattr(Keys, key)).perform()

    def printed(self):
        """What the console has shown since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "DEBUG"]

    def asked(self):
        """The addresses asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events
                if event["method"] == "Network.requestWillBeSent"]

    def brightness(self, png):
        """The mean of a picture's red, green and blue, in base64; the browser decodes it."""
        return self.driver.execute_async_script("""
          const [data, done] = arguments, image = new Image();
          image.onload = () => {
            const { width, height } = image, canvas = Object.assign(document.createElement("canvas"), { width, height });
            const drawn = canvas.getContext("2d");
            drawn.drawImage(image, 0, 0);
            const values = drawn.getImageData(0, 0, width, height).data.filter((_, i) => i % 4 < 3);
            done(values.reduce((sum, value) => sum + value, 0) / values.length);
          };
          image.src = "data:image/png;base64," + data;""", png)

    def picture(self, name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(PICTURES / f"{name}.png"))


class Book(synthetic.Scratch):
    @classmethod
    def setUpClass(cls):
        cls.origin = needs.serve(cls, Handler)
        cls.browser = Browser(f"{cls.origin}{PREFIX}/")
        cls.addClassCleanup(cls.browser.driver.quit)
        [axe] = (needs.WORK / "venv_test").glob("lib/python*/site-packages/axe_playwright_python/axe.min.js")
        cls.axe = axe.read_text(encoding="utf-8")
        repository = pages.Repository()
        cls.lessons = [pages.page_of(page) + ".html" for page in repository.lessons()]
        cls.every = os.environ.get("TUTORIAL_EVERY_PAGE") == "1"
        cls.read = cls.lessons if cls.every else [cls.lessons[0], cls.lessons[-1]]  # by axe
        # One page of each kind, looked at by axe with every rule and in both schemes.
        sources, folders = repository.linked()
        cls.source = next(name for name in sources if name.endswith("_kernels.cuh")) + ".html"
        cls.kinds = ["index.html", "common/book/explorer.html", "common/book/warps.html", "common/GLOSSARY.html",
                     cls.source, f"{folders[0]}/index.html", "search.html?q=bank+conflict"]

    def setUp(self):
        super().setUp()
        self.browser.show("desk", "light")
        self.browser.printed()
        self.browser.asked()

    def open(self, page):
        """Opens a page, which must print nothing and ask no other host."""
        self.browser.open(page)
        self.check(page)

    def check(self, page):
        self.assertEqual(self.browser.printed(), [], page)
        foreign = [url for url in self.browser.asked()
                   if urlsplit(url).scheme not in ("data", "blob") and not url.startswith(self.origin + PREFIX)]
        self.assertEqual(foreign, [], page)

    def tool(self, name, query=""):
        """Opens the explorer or the warp view, which has drawn."""
        self.browser.open(f"common/book/{name}.html{query}")
        self.browser.wait(f"document.querySelector('#{name}').dataset.ready === 'yes'")
        self.check(name + query)

    def drop(self, path, words=""):
        """Drops a file on it, of which it says these words, or its name."""
        self.browser.driver.find_element("css selector", ".explorer-drop input").send_keys(str(path))
        wanted = json.dumps(words or Path(path).name)
        self.browser.wait(f"document.querySelector('.explorer-says').textContent.includes({wanted})")

    def change(self, control, value):
        self.browser.js("const part = document.getElementById(arguments[0]);"
                        "if (part.type === 'checkbox') part.checked = arguments[1]; else part.value = arguments[1];"
                        "part.dispatchEvent(new Event('change'))", control, value)

    # ---------------------------------------------------------------------------------------------
    # The explorer

    def bars(self):
        """{(rung's name, GPU's id): (GB/s as drawn, width in percent, percent of copy, spread)}"""
        rows = self.browser.js("return [...document.querySelectorAll('.bars tbody tr')].map(row => [row.dataset.name,"
                               "row.dataset.gpu, ...[...row.querySelectorAll('td.n')].map(cell => cell.textContent),"
                               "row.querySelector('.fill').getBoundingClientRect().width])")
        return {(name, gpu): (speed, copy, spread, width) for name, gpu, speed, copy, spread, width in rows}

    def compare_bars(self, run, gpu, dtype, shape, regime, ladder):
        """Every bar says what the recorded row says, and is as long."""
        drawn = {name: bar for (name, of), bar in self.bars().items() if of == gpu}
        rows = run.select(dtype=dtype, shape=shape, regime=regime, ladder=ladder)
        wanted = {f"{row.ladder}/{row.rung}": row for row in rows if row.kind != "yours" and not row.failed}
        drawn = {name: bar for name, bar in drawn.items() if "/your_" not in name}
        self.assertEqual(set(drawn), set(wanted))
        per_pixel = []
        for name, row in wanted.items():
            speed, copy, spread, width = drawn[name]
            self.assertAlmostEqual(float(speed.replace(",", "")), row.gbps, delta=0.56, msg=name)
            self.assertAlmostEqual(float(copy.rstrip(" %")), row.copy_pct, delta=0.06, msg=name)
            self.assertAlmostEqual(float(spread.rstrip(" %")), row.spread_pct, delta=0.06, msg=name)
            per_pixel.append(width / row.gbps)
        self.assertLess(max(per_pixel) / min(per_pixel), 1.02)

    def test_the_explorers_bars_are_the_recorded_rows(self):
        for chapter, dtype, shape, regime, ladder in (
                ("01_elu", "f16", "16384x16384", "cold", "elu"), ("01_elu", "f32", "1024x1024", "warm", "elu"),
                ("03_swish", "bf16", "4096x4096", "warm", "swiglu")):
            run = runs.load_run(needs.ROOT / chapter / "results" / "h200.json")
            self.tool("explorer", f"?chapter={chapter}&op={ladder}&type={dtype}&size={shape}&regime={regime}&gpus=h200")
            self.compare_bars(run, "h200", dtype, shape, regime, ladder)

    def test_every_chapter_and_operation_has_bars(self):
        self.tool("explorer")
        drawn = self.browser.driver.execute_async_script("""
          const done = arguments[0], seen = [];
          const change = async (id, value) => {
            const list = document.getElementById(id);
            if (!list) return;
            list.value = value;
            list.dispatchEvent(new Event("change"));
            await new Promise((resolve) => setTimeout(resolve, 30));
          };
          const values = (id) => [...(document.getElementById(id)?.options ?? [])].map((option) => option.value);
          (async () => {
            for (const chapter of values("explorer-chapter")) {
              await change("explorer-chapter", chapter);
              for (let i = 0; i < 100 && !location.search.includes(chapter); ++i) await new Promise((r) => setTimeout(r, 30));
              for (const op of values("explorer-op").length ? values("explorer-op") : [""]) {
                await change("explorer-op", op);
                seen.push([chapter, op, document.querySelectorAll(".bars tbody tr").length,
                           document.querySelectorAll(".explorer-lines circle").length]);
              }
            }
            done(seen);
          })();""")
        self.assertEqual({row[0] for row in drawn}, {folder.name for folder in runs.find_chapters()})
        self.assertEqual([row for row in drawn if row[2] < 1 or row[3] < 1], [])

    def test_a_view_can_be_linked(self):
        self.tool("explorer", "?chapter=02_gelu&op=gelu.none&type=f32&regime=warm&size=2048x2048&y=copy&lines=gelu/none_f32x4")
        address = self.browser.js("return location.href")
        shown = self.browser.js("return document.querySelector('#explorer').innerText")
        self.browser.open("index.html")
        self.tool("explorer", "?" + urlsplit(address).query)
        self.assertEqual(self.browser.js("return document.querySelector('#explorer').innerText"), shown)
        for part in ("op=gelu.none", "size=2048x2048", "y=copy", "regime=warm"):
            self.assertIn(part, address)
        self.assertEqual(self.browser.js("return document.querySelectorAll('.legend li').length") %
                         max(1, self.browser.js("return document.querySelectorAll('fieldset input:checked').length")), 0)

    def test_a_dropped_file_is_drawn_beside_the_recorded_ones(self):
        run = runs.load_run(needs.ROOT / "01_elu" / "results" / "h200.json")
        self.tool("explorer", "?chapter=01_elu&type=f16&size=16384x16384&regime=cold&gpus=h200")
        before = self.bars()
        self.drop(run.path)
        self.compare_bars(run, "h200", "f16", "16384x16384", "cold", "elu")
        self.compare_bars(run, "own1", "f16", "16384x16384", "cold", "elu")
        self.assertGreater(len(self.bars()), 2 * len(before) - 1)
        self.assertEqual(self.browser.asked(), [])

    def test_a_shared_file_is_drawn(self):
        """What ./tutorial bench all --share writes, in each of its chapters."""
        files = [needs.ROOT / chapter / "results" / "h200.json" for chapter in ("01_elu", "02_gelu")]
        self.tool("explorer", "?chapter=01_elu&type=f16&size=16384x16384&regime=cold&gpus=h200")
        self.drop(self.put("mine.json", share.ladders(files)))
        self.compare_bars(runs.load_run(files[0]), "own1", "f16", "16384x16384", "cold", "elu")
        self.change("explorer-chapter", "02_gelu")
        self.browser.wait("document.querySelector('.bars tr[data-gpu=own1][data-name^=gelu]')")
        self.assertEqual(self.browser.printed(), [])

    def test_a_rung_is_chosen_with_the_keyboard(self):
        self.tool("explorer", "?chapter=01_elu&type=f16&regime=cold&gpus=h200")
        self.browser.js("document.querySelectorAll('.bars button')[2].focus()")
        for pressed in ("true", "false"):
            self.browser.press("ENTER")
            self.assertEqual(self.browser.js("const button = document.activeElement;"
                                             "return [button.textContent, button.getAttribute('aria-pressed')]"),
                             ["f16x8", pressed])

    def test_what_is_no_result_gets_a_sentence(self):
        self.tool("explorer")
        before = self.bars()
        for name, text, words in (("a.json", "{", "a.json is not JSON"),
                                  ("b.json", '{"a": 1}', "b.json is no benchmark result"),
                                  ("c.json", '{"context": {}, "ladders": []}', "c.json has no row named"),
                                  ("d.json", '{"runs": []}', "d.json is no benchmark result"),
                                  ("e.json", '{"runs": [{"context": {}, "ladders": [{}]}]}', "e.json is no benchmark result"),
                                  ("f.json", "null", "f.json is no benchmark result"),
                                  ("g.json", '{"context": null, "ladders": []}', "g.json is no benchmark result"),
                                  ("h.json", '{"context": {}, "ladders": [{"ladder": "none", "places": [["8", "cold"]], "rungs": '
                                   '[{"rung": "f16", "dtype": "f16", "kind": "rung", "GBps": 1}]}]}', "h.json is the run of no chapter")):
            self.drop(self.put(name, text), words)
        self.assertEqual(self.bars(), before)
        self.assertEqual(self.browser.printed(), [])

    # ---------------------------------------------------------------------------------------------
    # The warp view

    def trace_of(self, width, stride):
        """A trace of one rung: 32 lanes load `width` bytes each, `stride` bytes apart."""
        offsets = [256 + lane * stride for lane in range(32)]
        sectors = len({at // 32 for offset in offsets for at in range(offset, offset + width)})
        request = {"line": "01_elu/elu_kernels.cuh:50", "operation": "load", "space": "global", "buffer": "x",
                   "bytes": width, "offsets": offsets, "sectors": sectors, "used": 32 * width}
        shared = {**request, "space": "shared", "buffer": "", "bytes": 4, "ways": 2,
                  "offsets": [lane * 8 for lane in range(32)]}
        place = {"operation": "load", "space": "global", "requests": 1, "sectors": sectors, "used": 32 * width}
        launch = {"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "places": [place],
                  "middle": {"block": [0, 0, 0], "warp": 0, "requests": [request, shared]}}
        return {"context": {"chapter": "01_elu"},
                "rungs": [{"ladder": "elu", "rung": "f16", "dtype": "f16", "shape": "32", "launches": [launch]}]}

    def drawn_right(self):
        """(sectors drawn, bytes' worth of them that are asked for) of the right rung."""
        return self.browser.js("const part = document.querySelectorAll('.warp-rung')[1];"
                               "const lines = [...part.querySelectorAll('.warp-sectors .sector')];"
                               "const asked = lines.flatMap(l => [...l.querySelectorAll('.lane')]);"
                               "return [lines.length, asked.reduce((sum, cell) => sum + Number(cell.style.flexGrow), 0)]")

    def test_a_dropped_trace_is_drawn_sector_by_sector(self):
        self.tool("warps")
        for width, stride, sectors in ((2, 2, 2), (2, 16, 16), (16, 16, 16), (4, 64, 32)):
            self.drop(self.put(f"w{width}_{stride}.json", self.trace_of(width, stride)))
            self.assertEqual(self.drawn_right(), [sectors, 32 * width], (width, stride))
        for _ in range(2):  # past the recorded rung's store, beside which it has none
            self.browser.js("document.querySelector('#warps-on').click()")
        banks = self.browser.js("return document.querySelectorAll('.warp-rung')[1]"
                                ".querySelectorAll('.warp-banks .sector').length")
        self.assertEqual(banks, 2)
        for name, text in (("x.json", "{"), ("y.json", '{"rungs": [{"rung": 1}]}'), ("z.json", "null")):
            self.drop(self.put(name, text))
            self.assertTrue(self.browser.js("return document.querySelector('.explorer-says').matches('.wrong')"))
        self.assertEqual(self.browser.printed(), [])

    def test_recorded_traces_are_drawn(self):
        """As the trace says: its sectors, access by access."""
        index = json.loads((needs.SITE / "common/book/traces/index.json").read_text(encoding="utf-8"))
        for entry in index["chapters"]:
            rungs = json.loads((needs.SITE / f"common/book/traces/{entry['chapter']}.json").read_text(encoding="utf-8"))["rungs"]
            for rung in rungs[:3]:
                requests = [r for launch in rung["launches"] for r in launch.get("middle", {}).get("requests", [])]
                if not requests or requests[0]["space"] != "global" or requests[0]["sectors"] > 64:
                    continue
                self.tool("warps", f"?chapter={entry['chapter']}&b={rung['rung']}")
                self.assertEqual(self.drawn_right()[0], requests[0]["sectors"], rung["rung"])

    def test_the_warp_view_leads_to_the_source_and_takes_the_keyboard(self):
        self.tool("warps", "?chapter=01_elu&a=f16&b=f16x8")
        link = self.browser.js("return document.querySelector('.warp-rung a').href")
        self.browser.js("document.querySelector('#warps-on').focus()")
        steps = int(self.browser.js("return document.querySelector('#warps-step').max"))
        self.assertGreater(steps, 2)
        for step in range(2, steps + 1):
            self.browser.press("ENTER")
            self.assertIn(f"step={step}", self.browser.js("return location.search"))
        self.browser.press("ARROW_LEFT")  # at the end the slider has the focus
        self.assertIn(f"step={steps - 1}", self.browser.js("return location.search"))
        self.browser.driver.get(link)
        self.check(link)
        self.assertIn("x[i]", self.browser.js("return document.querySelector(':target').textContent"))

    def test_an_access_of_no_known_line_is_told_by_its_number(self):
        """As in a trace whose program had no lines."""
        self.tool("warps")
        data = self.trace_of(2, 2)
        for request in data["rungs"][0]["launches"][0]["middle"]["requests"]:
            del request["line"]
        self.drop(self.put("no_lines.json", data))
        self.assertEqual(self.right(".warp-access"), "Access 1 of 2")
        self.assertEqual(self.drawn_right(), [2, 64])
        self.assertEqual(self.browser.printed(), [])

    def launch(self, query):
        """The kernels at work in the warp view; skipped where emscripten was not there when the book was built."""
        if not (needs.SITE / "common/book/live/live.wasm").is_file():
            self.skipTest("the book was built without emscripten")
        self.tool("warps", f"?live=yes&{query}")

    def set(self, control, value):
        self.change(f"live-{control}", value)
        self.assertEqual(self.browser.js("return document.activeElement.id"), f"live-{control}")

    def right(self, what):
        return self.browser.js(f"return [...document.querySelectorAll('.warp-rung')].at(-1).querySelector('{what}')?.textContent")

    def test_a_launch_in_a_lesson_begins_at_its_first_store(self):
        for query, words in (("chapter=01_elu&a=f16x8&b=f16x8_stores", "store of 4 bytes"),
                             ("chapter=04_arithmetic&a=one_not_broadcast_f16_1C11&b=packed_f16_1C11", "store of 16 bytes"),
                             ("chapter=06_primitives&a=block_sum&b=block_sum", "store of 4 bytes a lane, 1 lane, y"),
                             ("chapter=01_elu&a=f16x8&b=f16x8_stores&step=1", "load of 4 bytes")):
            self.launch(query)
            self.assertIn(words, self.right(".warp-access + p") or "", query)

    def test_a_launch_follows_its_controls(self):
        self.launch("chapter=01_elu&a=f16x8&b=f16x8_stores&warp=middle&step=1")
        self.assertIn("stores ask for 64 sectors, 16 different", self.right(".warp-all"))
        self.set("width", 3)
        self.assertIn("stores ask for 16 sectors, 16 different", self.right(".warp-all"))
        self.set("y", 4)
        self.assertIn("cudaErrorMisalignedAddress", self.right(".warp-refused"))
        self.set("y", 0)
        self.assertIn("01_elu/proof/live.cu.html#L", self.browser.js("return document.querySelectorAll('.warp-access a')[1].href"))
        self.set("n", 2050)
        self.assertIn("2,050 elements", self.right(".warp-where"))
        self.assertIn("n=2050", self.browser.js("return location.search"))
        self.assertEqual(self.axe_says(False), [])
        self.assertEqual(self.browser.printed(), [])

    def test_a_barrier_can_be_taken_away(self):
        self.launch("chapter=06_primitives&a=block_sum&b=block_sum")
        self.assertIn("All sums are right", self.right("p[role=status]"))
        self.set("second", False)
        self.assertRegex(self.right("p[role=status]"), r"wrong\. Thread 1 reads slot 1 .* before thread 32 has written it")
        for scheme in SCHEMES:
            for kind, (width, _) in WIDTHS.items():
                self.browser.show(kind, scheme)
                self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth - innerWidth"), 0, width)
                self.browser.picture(f"live_{kind}_{scheme}")

    # ---------------------------------------------------------------------------------------------
    # All pages

    def test_every_page_opens(self):
        """test_site.py has read each, and axe opens lessons: of the notes every fourth is opened here, of the
        sources, which all come from one template, every twentieth; with TUTORIAL_EVERY_PAGE=1, all."""
        names = sorted(str(path.relative_to(needs.SITE)) for path in needs.SITE.rglob("*.html"))
        known = {pages.page_of(name) + ".html" for name in pages.Repository().pages}
        sources = [name for name in names if name not in known and "/" in name]
        notes = [name for name in names if "/notes/" in name and name in known]
        opened = {*names} - {*sources, *notes, *self.read} | {*notes[::4], *sources[::20]}
        for name in names:
            if name in opened or self.every:
                with self.subTest(name):
                    self.open(name)
        self.assertGreater(len(opened), 20)

    def test_formulas_have_a_size(self):
        for page in self.lessons:
            self.open(page)
            sizes = self.browser.js("return [...document.querySelectorAll('math')].map(m => {"
                                    "const r = m.getBoundingClientRect(); return [r.width, r.height]})")
            hidden = self.browser.js("return [...document.querySelectorAll('details math')].length")
            self.assertGreater(len(sizes), 0, page)
            flat = [size for size in sizes if min(size) < 4]
            self.assertLessEqual(len(flat), hidden, page)

    def test_search(self):
        self.open("index.html")
        self.browser.js("const field = document.querySelector('.sidebar-search');"
                        "field.value = 'bank conflict'; field.form.requestSubmit()")
        self.browser.wait("document.querySelectorAll('#search-results li a').length")
        address = self.browser.js("return document.querySelector('#search-results li a').href")
        self.assertTrue(address.startswith(f"{self.browser.base}common/GLOSSARY.html"), f"the definition is not first: {address}")
        self.browser.wait("/finished/i.test(document.querySelector('.search-summary')?.textContent) || "
                          "/found/i.test(document.querySelector('#search-results')?.textContent)")
        self.check("search")
        self.browser.driver.get(address)
        text = self.browser.js("return document.querySelector('article').textContent").lower()
        self.assertRegex(text, r"\bbank")
        self.assertRegex(text, r"\bconflict")

    def test_pages_lead_from_lesson_to_lesson_and_notes_lead_back(self):
        order = ["index.html", *self.lessons]
        self.open(order[0])
        for page in order[1:]:
            self.browser.press("ARROW_RIGHT")
            self.browser.wait(f"location.pathname.endsWith('/{page}')")
        self.assertFalse(self.browser.js("return document.querySelector('.next-page')"))
        self.browser.press("ARROW_LEFT")
        self.browser.wait(f"location.pathname.endsWith('/{order[-2]}')")
        note = next(page for page in pages.Repository().pages if page.startswith("02_gelu/notes/"))
        self.open(pages.page_of(note) + ".html")
        self.browser.js("document.querySelector('.prev-page').click()")
        self.browser.wait("location.pathname.endsWith('/02_gelu/index.html')")

    def test_the_place_where_one_stopped_is_offered(self):
        self.open(self.lessons[1])
        self.assertFalse(self.browser.js("return document.querySelector('.resume')"))
        wanted = self.browser.js(  # a heading with text below it
            "const all = [...document.querySelectorAll('article section[id] > :is(h2, h3)')];"
            "const top = (heading) => heading.getBoundingClientRect().top;"
            "const one = all.find((heading, i) => i > 3 && top(all[i + 1]) - top(heading) > 300);"
            "one.scrollIntoView({behavior: 'instant'}); return one.parentElement.id")
        self.browser.wait("Object.values(localStorage).length")
        self.open(self.lessons[1])
        self.assertEqual(self.browser.js("return document.querySelector('.resume a').hash"), f"#{wanted}")
        self.browser.js("localStorage.clear()")

    def test_a_word_shows_its_definition(self):
        self.open(self.lessons[0])
        words = self.browser.js("return [...document.querySelectorAll('a.term')].map(link => link.hash)")
        self.assertGreater(len(words), 10)
        self.assertEqual(sorted(set(words)), sorted(words))
        self.browser.js("document.querySelector('a.term[href$=\"#warp\"]').focus({focusVisible: true})")
        said = self.browser.wait("document.querySelector('[role=tooltip]')?.textContent")
        self.assertIn("32", said)
        self.browser.press("ESCAPE")
        self.assertFalse(self.browser.js("return document.querySelector('[role=tooltip]')"))
        self.browser.press("ENTER")
        self.browser.wait("location.pathname.endsWith('GLOSSARY.html') && location.hash === '#warp'")
        self.check("the glossary")

    def test_code_can_be_copied(self):
        self.browser.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.open("index.html")
        self.browser.js("document.querySelector('.highlight .copy').click()")
        self.browser.wait("document.querySelector('.highlight .copy').textContent === 'Copied'")

    def test_the_sidebar_opens_with_the_keyboard(self):
        self.open("index.html")
        self.browser.js("document.querySelector('.sidebar-tree label[for]').focus()")
        before = self.browser.js("return document.activeElement.ariaExpanded")
        self.browser.press("ENTER")
        self.assertNotEqual(self.browser.js("return document.activeElement.ariaExpanded"), before)

    def test_back_takes_back_a_choice_in_the_explorer(self):
        self.tool("explorer", "?chapter=01_elu&type=f16&size=16384x16384&regime=cold")
        self.change("explorer-regime", "warm")
        self.browser.wait("location.search.includes('regime=warm')")
        self.browser.driver.back()
        self.browser.wait("document.getElementById('explorer-regime').value === 'cold'")

    def test_a_tool_opens_inside_a_lesson(self):
        """And beside a figure of a ladder, which leads to the figure's rung."""
        opened = 0
        for page in self.lessons:
            self.open(page)
            views = self.browser.js("return [...document.querySelectorAll('a.view')].map(link => link.search)")
            if page.endswith("/index.html"):
                self.assertTrue(views, page)
            for i, query in enumerate(views):
                self.browser.js("document.querySelectorAll('a.view')[arguments[0]].previousElementSibling.click()", i)
                self.browser.driver.switch_to.frame(self.browser.driver.find_element("css selector", "iframe.view"))
                self.browser.wait("document.querySelector('[data-ready=yes]')")
                drawn, rung = self.browser.js(
                    "return [[...document.querySelectorAll('.bars tbody tr, .warp-lanes')].map(row => row.dataset.name ?? ''),"
                    "new URL(location).searchParams.get('rung')]")
                self.assertTrue(drawn, f"{page}{query}")
                if "explorer" in self.browser.js("return location.pathname") and rung:
                    self.assertIn(rung, [name.split("/")[-1] for name in drawn], f"{page}{query}")
                self.browser.wait("document.querySelector('#warps, #explorer').getBoundingClientRect().right < innerWidth - 8")  # not cut
                self.browser.driver.switch_to.default_content()
                self.browser.js("document.querySelectorAll('a.view')[arguments[0]].previousElementSibling.click()", i)
                opened += 1
            self.check(page)
        self.assertGreater(opened, 5)

    def test_a_fold_asks_for_a_prediction_and_tells_the_distance(self):
        self.open(self.lessons[0])
        asked = self.browser.js("return document.querySelectorAll('form.predict').length")
        self.assertGreaterEqual(asked, 3)
        for said, distance in (("1", "times too low"), ("999999", "times too high"), ("", "")):
            self.browser.js("const form = document.querySelector('form.predict');"
                            "form.querySelector('input').value = arguments[0]; form.requestSubmit()", said)
            answer = self.browser.js("return document.querySelector('form.predict [role=status]').textContent")
            self.assertIn(distance, answer)
            self.assertEqual(bool(answer), bool(said))
        self.assertTrue(self.browser.js("return document.querySelector('form.predict').nextElementSibling.open"))

    def test_a_page_that_is_not_there(self):
        self.browser.open("04_arithmetic/no/such.html")
        self.browser.wait(f"document.getElementById('home').href === '{self.browser.base}index.html'")
        self.browser.printed()

    def test_a_tool_that_is_opened_as_a_file_says_why_it_is_empty(self):
        self.browser.driver.get((needs.SITE / "common/book/explorer.html").as_uri())
        self.assertIn("./tutorial read", self.browser.js("return document.querySelector('#explorer').innerText"))
        self.browser.printed()

    def test_a_page_can_be_printed(self):
        """In the dark scheme too: on white, with nothing cut at its side."""
        self.browser.show("desk", "dark")
        self.open(self.lessons[0])
        self.browser.command("Emulation.setEmulatedMedia", media="print")
        wide = self.browser.js("return [...document.querySelectorAll('article pre, article .table-wrapper')]"
                               ".filter(part => part.scrollWidth > part.clientWidth + 1).length")
        scheme = self.browser.js("return getComputedStyle(document.body).colorScheme")
        self.browser.command("Emulation.setEmulatedMedia", media="")
        self.assertEqual((wide, scheme), (0, "light"))

    def test_a_figure_opens_and_closes(self):
        self.open(self.lessons[0])
        self.browser.js("document.querySelector('article a.figure').click()")
        self.assertTrue(self.browser.js("return document.querySelector('dialog.figure').open"))
        wide = self.browser.js("const r = document.querySelector('dialog.figure'); return r.scrollWidth - r.clientWidth")
        self.assertEqual(wide, 0)
        self.browser.js("document.querySelector('dialog.figure button').click()")
        self.browser.wait("!document.querySelector('dialog')")

    def test_a_line_of_a_source_can_be_addressed(self):
        self.open(f"{self.source}#L20")
        self.assertEqual(self.browser.js("return document.querySelector(':target').id"), "L20")
        self.assertGreater(self.browser.js("return document.querySelectorAll('.source .k, .source .kt').length"), 10)
        counted = self.browser.js("return [...document.querySelectorAll('.source pre *')].filter(part => "
                                  "getComputedStyle(part).counterIncrement !== 'none').map(part => part.id)")
        lines = (needs.ROOT / self.source.removesuffix(".html")).read_text(encoding="utf-8").splitlines()
        self.assertEqual(counted, [f"L{number}" for number in range(1, len(lines) + 1)])

    def test_no_page_is_wider_than_a_phone(self):
        self.browser.show("phone", "light")
        for page in ["index.html", *self.lessons, *self.kinds[1:]]:
            self.open(page)
            wide, there = self.browser.js("return [document.documentElement.scrollWidth, innerWidth]")
            self.assertLessEqual(wide, there, page)

    def test_figures_follow_the_scheme(self):
        """A figure chooses its colours by itself; the button of the page must reach it too."""
        self.open(self.lessons[0])
        self.browser.js("document.querySelector('article img').scrollIntoView({block: 'center'})")
        seen = {}
        for chosen in ("light", "dark"):
            self.browser.js("document.body.dataset.theme = arguments[0]", chosen)
            time.sleep(0.3)
            box = self.browser.js("const r = document.querySelector('article img').getBoundingClientRect();"
                                  "return [r.x + scrollX, r.y + scrollY, r.width, r.height]")
            clip = dict(zip(("x", "y", "width", "height"), box), scale=0.25)
            shot = self.browser.command("Page.captureScreenshot", format="png", clip=clip)
            seen[chosen] = self.browser.brightness(shot["data"])
        self.assertGreater(seen["light"], 180)
        self.assertLess(seen["dark"], 90)

    def test_pictures_in_both_schemes_and_widths(self):
        for page in ("index.html", self.lessons[0], "common/book/explorer.html", "common/book/warps.html"):
            for width in ("phone", "desk"):
                self.browser.show(width, SCHEMES[0])
                self.open(page)
                for scheme in SCHEMES:
                    self.browser.show(width, scheme)
                    name = page.replace("/", "_").replace(".html", "")
                    self.browser.picture(f"{name}_{width}_{scheme}")
                    colour = self.browser.js("return getComputedStyle(document.body).backgroundColor")
                    light = sum(map(int, colour[colour.index("(") + 1:-1].split(",")[:3])) / 3 > 127
                    self.assertEqual(light, scheme == "light", f"{page} {scheme}: {colour}")

    def axe_says(self, everything):
        self.browser.js(self.axe)
        return self.browser.driver.execute_async_script(AXE, everything)

    def test_axe_finds_nothing_serious(self):
        for page in self.kinds:
            self.open(page)
            for scheme in SCHEMES:
                self.browser.show("wide", scheme)
                with self.subTest(f"{page} {scheme}"):
                    self.assertEqual(self.axe_says(True), [])
            self.browser.show("desk", SCHEMES[0])

    def test_axe_finds_nothing_serious_in_the_lessons(self):
        for page in self.read:
            with self.subTest(page):
                self.open(page)
                self.assertEqual(self.axe_says(False), [])


if __name__ == "__main__":
    needs.browser()
    needs.enter("venv_test", "requirements_test.txt")
    unittest.main()

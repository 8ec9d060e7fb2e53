#!/usr/bin/env python3
"""Opens the book, which test_site.py has built, in headless Firefox: what its scripts do, and what another
engine may draw in another way. Every page, the keyboard and axe are test_browser.py's."""

import unittest

import needs

import book
import pages


class Firefox(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from marionette_driver.marionette import Marionette
        cls.base = needs.serve(cls, book.Handler)
        cls.browser = Marionette(bin=needs.firefox(), headless=True, gecko_log=str(needs.WORK / "firefox.log"))
        cls.browser.start_session()
        cls.addClassCleanup(cls.browser.cleanup)
        cls.addClassCleanup(cls.browser.delete_session)
        cls.lessons = [pages.page_of(page) + ".html" for page in pages.Repository().lessons()]

    def open(self, page):
        self.browser.navigate(f"{self.base}/{page}")

    def js(self, code):
        return self.browser.execute_script(code)

    def wait(self, code):
        needs.wait(self.js, code)

    def test_lessons_have_formulas_figures_and_words(self):
        for page in self.lessons:
            self.open(page)
            flat = self.js("return [...document.querySelectorAll('math')].filter(part => !part.closest('details') && "
                           "part.getBoundingClientRect().height < 4).length")
            broken = self.js("return [...document.querySelectorAll('article img')].filter(part => !part.closest('details') && "
                             "part.complete && !part.naturalWidth).length")
            wide = self.js("return document.documentElement.scrollWidth - innerWidth")
            self.assertEqual((flat, broken), (0, 0), page)
            self.assertLessEqual(wide, 0, page)
            self.js("document.querySelector('a.term').focus({focusVisible: true})")
            self.wait("document.querySelector('[role=tooltip]')?.textContent.length > 20")

    def test_the_explorer_and_the_warp_view_draw(self):
        for page, drawn in (("explorer", ".bars tbody tr"), ("warps", ".warp-lanes span")):
            self.open(f"common/book/{page}.html")
            self.wait("document.querySelector('[data-ready=yes]')")
            self.assertGreater(self.js(f"return document.querySelectorAll('{drawn}').length"), 5, page)

    def test_kernels_run_in_the_warp_view(self):
        if not (needs.SITE / "common/book/live/live.wasm").is_file():
            self.skipTest("the book was built without emscripten")
        self.open("common/book/warps.html?live=yes&chapter=06_primitives&a=block_sum&b=block_sum")
        for says in ("All sums are right", "Thread 1 reads slot 1"):
            self.wait(f"document.querySelector('.warp-rung p[role=status]')?.textContent.includes('{says}')")
            self.js("document.getElementById('live-second')?.click()")
        self.open("common/book/warps.html?live=yes&chapter=01_elu&a=f16x8&b=f16x8_stores&width=16")
        self.wait("[...document.querySelectorAll('.warp-all')].at(-1)?.textContent.includes('stores ask for 16 sectors')")

    def test_the_search_finds_an_entry_of_the_glossary(self):
        self.open("search.html?q=bank+conflict")
        self.wait("document.querySelectorAll('#search-results li a').length")
        self.assertIn("GLOSSARY.html#", self.js("return document.querySelector('#search-results li a').href"))


if __name__ == "__main__":
    needs.firefox()
    needs.enter("venv_firefox", "requirements_firefox.txt")
    unittest.main()

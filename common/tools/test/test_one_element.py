#!/usr/bin/env python3
"""Holds ONE_ELEMENT.md, its table and its figure to the kernel's source."""

import re
import unittest

import folders
import one_element
import runs

AT = one_element.Place()
VALUES = one_element.Values()


def read(name):
    return (runs.ROOT / name).read_text(encoding="utf-8")


def region(name, mark):
    return read(name).split(f"//! [{mark}]\n")[1]


class OneElement(unittest.TestCase):
    def test_nothing_is_stale(self):
        self.assertEqual([path.name for path, _ in one_element.stale()], [])

    def test_the_kernel_has_this_index(self):
        kernel = region("01_elu/elu_kernels.cuh", "f16x8_pack")
        self.assertIn("i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * "
                      f"{one_element.WIDTH};", kernel)
        self.assertIn(f"half pack[{one_element.WIDTH}];", kernel)
        row = region("01_elu/elu.cu", "f16x8_pack")
        self.assertIn(f"elu_f16x8_pack_kernel, {one_element.WIDTH}, 16,", row)
        self.assertIn(f"constexpr int kThreads = {one_element.THREADS};", read("common/launch.cuh"))

    def test_the_index_leads_back_to_the_element(self):
        i = (AT.block * one_element.THREADS + AT.thread_in_block) * one_element.WIDTH
        self.assertEqual(i + AT.slot, one_element.ELEMENT)
        self.assertEqual(AT.warp * one_element.LANES + AT.lane, AT.thread_in_block)
        self.assertLess(AT.block, AT.blocks)

    def test_the_kernels_test_has_these_values(self):
        test = read("01_elu/elu_test.cpp").split("one element, followed through a launch")[1]
        for words in (f"element = {one_element.ELEMENT}", f"block = {AT.block}",
                      f"half({one_element.VALUE}f)", f"0x{one_element.bits(VALUES.y):04X}",
                      f"0x{one_element.bits(VALUES.nearest):04X}"):
            self.assertIn(words, test)

    def test_the_page_has_these_numbers(self):
        page = re.sub(r"\s+", " ", read("common/ONE_ELEMENT.md").replace("−", "-"))
        number = one_element.number
        error = abs(VALUES.y - VALUES.exact) / VALUES.ulp
        for words in (f"thread {AT.thread_in_block} of block {AT.block}",
                      f"`i` is {number(AT.first_of_pack)}", f"{number(AT.blocks)} blocks",
                      f"lanes of warp {AT.warp} ", f"share sector {number(AT.sector)}",
                      f"Lane {AT.lane} and lane {AT.lane + 1}", f"number {AT.slot} of its pack",
                      f"upper half of the {one_element.ORDINALS[AT.register]}",
                      f"{VALUES.exponential:.6f}", f"{VALUES.difference:.6f} exactly",
                      f"{VALUES.y:.6f}, `{one_element.bits(VALUES.y):04X}`",
                      f"`{one_element.bits(VALUES.nearest):04X}`, {VALUES.nearest:.6f}",
                      f"`{one_element.bits(VALUES.exponential):04X}`",
                      f"{error:.2f} ULP off", f"{number(AT.elements)} is a multiple"):
            self.assertIn(words, page)

    def test_the_last_element(self):
        last = one_element.Place(one_element.ROWS * one_element.COLUMNS - 1)
        self.assertEqual((last.block, last.thread_in_block, last.slot), (last.blocks - 1, 127, 7))


if __name__ == "__main__":
    unittest.main()

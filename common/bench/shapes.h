// Which shapes and which regimes every ladder is timed in.
#pragma once

#include "common/bench/bench.h"

#include <string>
#include <vector>

namespace tutorial::bench {

/// `cold`: every launch finds its data in device memory, because the launches take turns on sets of
/// buffers that together exceed the L2 cache several times. `warm`: every launch works on the same
/// buffers, and finds what fits in the L2 there.
enum class Regime { cold, warm };

/// "4096x4096", "cold", "rung".
std::string name_of(const Shape& shape);
std::string name_of(Regime regime);
std::string name_of(Kind kind);

/// On a GPU {1024, 2048, 4096}^2 and 16384x16384, on the CPU executor 1024x1024, unless set_shapes()
/// has set others.
const std::vector<Shape>& shapes();
void set_shapes(std::vector<Shape> shapes);

/// cold and warm on a GPU. The CPU executor has no L2 cache to flush; all of its rows are warm.
std::vector<Regime> regimes();

/// "1024x1024,4096x16384" as shapes. Throws std::invalid_argument with one line that says what is
/// wrong.
std::vector<Shape> parse_shapes(const std::string& text);

}  // namespace tutorial::bench

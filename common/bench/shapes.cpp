// The shapes of the grid, and --shapes.

#include "common/bench/shapes.h"

#include <regex>
#include <sstream>
#include <stdexcept>

namespace tutorial::bench {

namespace {

/// With this many elements the bytes of any operation are still far from 2^64.
constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

std::vector<Shape> default_shapes() {
  if (!on_gpu) return {{1024, 1024}};
  std::vector<Shape> grid;
  for (const std::int64_t rows : {1024, 2048, 4096}) {
    for (const std::int64_t columns : {1024, 2048, 4096}) grid.push_back({rows, columns});
  }
  grid.push_back({16384, 16384});
  return grid;
}

std::vector<Shape>& current_shapes() {
  static std::vector<Shape> current = default_shapes();
  return current;
}

}  // namespace

std::string name_of(const Shape& shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.columns);
}

std::string name_of(Regime regime) { return regime == Regime::cold ? "cold" : "warm"; }

std::string name_of(Kind kind) {
  constexpr const char* kNames[] = {"rung", "sweep", "yours", "peer", "copy"};
  return kNames[static_cast<int>(kind)];
}

const std::vector<Shape>& shapes() { return current_shapes(); }

void set_shapes(std::vector<Shape> shapes) { current_shapes() = std::move(shapes); }

std::vector<Regime> regimes() {
  if (on_gpu) return {Regime::cold, Regime::warm};
  return {Regime::warm};
}

std::vector<Shape> parse_shapes(const std::string& text) {
  static const std::regex pattern("([1-9][0-9]{0,8})x([1-9][0-9]{0,8})");
  std::vector<Shape> parsed;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::smatch numbers;
    if (!std::regex_match(part, numbers, pattern)) {
      std::string why = "--shapes=" + text;
      why.append(": \"").append(part).append("\" is no shape; write ROWSxCOLUMNS, as in 1024x4096");
      throw std::invalid_argument(why);
    }
    const Shape shape{std::stoll(numbers[1]), std::stoll(numbers[2])};
    if (shape.elements() > kMostElements) {
      throw std::invalid_argument("--shapes=" + part + " has more than 2^48 elements; choose a " +
                                  "smaller shape");
    }
    parsed.push_back(shape);
  }
  if (parsed.empty()) {
    throw std::invalid_argument("--shapes= has no shape; write ROWSxCOLUMNS, as in 1024x4096");
  }
  return parsed;
}

}  // namespace tutorial::bench

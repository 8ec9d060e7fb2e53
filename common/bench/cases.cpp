// What a chapter's benchmark registers: rows of the benchmark, and what is traced and checked (common/see).

#include "common/bench/bench.h"
#include "common/bench/shapes.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace tutorial::bench {

namespace {

std::vector<Case>& all() {
  static std::vector<Case> cases;
  return cases;
}

}  // namespace

Case named(Case operation, const std::string& ladder, const std::string& rung,
           const std::string& dtype, Kind kind) {
  operation.ladder = ladder;
  operation.rung = rung;
  operation.dtype = dtype;
  operation.kind = kind;
  return operation;
}

void add(const Case& operation) { all().push_back(operation); }

const std::vector<Case>& cases() { return all(); }

std::size_t element_bytes(const Case& operation, const Shape& shape, std::size_t bytes) {
  const std::size_t digit = operation.dtype.find_first_of("123456789");  // f32, bf16, u8, e4m3
  const bool is_fp8 = operation.dtype[0] == 'e';
  const int bits =
      is_fp8 || digit == std::string::npos ? 8 : std::atoi(operation.dtype.c_str() + digit);
  const auto elements = static_cast<std::size_t>(shape.elements());
  const auto element = static_cast<std::size_t>(bits / 8);
  return elements > 0 && bytes >= elements ? std::min(element, bytes / elements) : element;
}

bool takes_any_shape(const Case& operation) {
  const auto& own = operation.own_shapes;
  return std::all_of(own.begin(), own.end(),
                     [](const NamedShape& s) { return s.name == name_of(s.shape); });
}

}  // namespace tutorial::bench

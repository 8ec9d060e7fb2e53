// What a chapter's benchmark registers: rows of the benchmark, and what is traced and checked (common/see).

#include "common/bench/bench.h"
#include "common/bench/shapes.h"

#include <algorithm>

namespace tutorial::bench {

namespace {

std::vector<Case>& all() {
  static std::vector<Case> cases;
  return cases;
}

}  // namespace

void add(const Case& operation) { all().push_back(operation); }

const std::vector<Case>& cases() { return all(); }

bool takes_any_shape(const Case& operation) {
  const auto& own = operation.own_shapes;
  return std::all_of(own.begin(), own.end(),
                     [](const NamedShape& s) { return s.name == name_of(s.shape); });
}

}  // namespace tutorial::bench

// The program 01_elu_check_all: every rung and operator of a chapter under the checks. Its benchmark says
// what they are called and on what they run.

#include "common/check/buffer.h"
#include "common/check/checker.h"
#include "common/trace/cases.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>

//   01_elu_check_all [all]    exit codes and output as those of 01_elu_check (yours.h)

namespace tutorial::bench {

bool on_gpu = false;

/// In a benchmark this registers a row.
void add(const Case& operation) { cases().push_back(operation); }

}  // namespace tutorial::bench

namespace {

using tutorial::bench::Case;
using tutorial::bench::Kind;
using tutorial::bench::NamedShape;
using tutorial::bench::Shape;
using namespace tutorial::check;

/// Of an element, if there are as many as the shape has; else 1.
std::size_t element_bytes(std::size_t bytes, const Shape& shape) {
  const auto elements = static_cast<std::size_t>(shape.elements());
  return elements > 0 && bytes >= elements ? bytes / elements : 1;
}

/// Launches once with each pointer `offset` elements past a boundary of 256 bytes, or `bytes` bytes.
void launch(const Case& operation, const Shape& shape, std::size_t elements, std::size_t bytes,
            bool in_place) {
  std::vector<std::unique_ptr<Buffer>> inputs;
  tutorial::bench::Buffers buffers;
  const auto offset = [&](std::size_t size) {
    return bytes + elements * element_bytes(size, shape);
  };
  for (const auto& input : operation.inputs) {
    const std::size_t size = input.bytes(shape);
    inputs.push_back(std::make_unique<Buffer>(size, offset(size)));
    inputs.back()->fill(*input.tile);
    buffers.inputs.push_back(inputs.back()->data());
  }
  const std::size_t size = operation.output_bytes(shape);
  const Buffer output(size, offset(size));
  buffers.output = in_place ? inputs[0]->data() : output.data();
  std::string context = operation.ladder + "/" + operation.rung + " at " + name_of(shape);
  if (elements + bytes != 0) context += ", misaligned";
  if (in_place) context += ", in place";
  Checker::instance().set_context(context);
  operation.launch(buffers, shape, nullptr);  // a refusal is an answer
}

void check(const Case& operation) {
  const auto everywhere = [&](const Shape& shape) {
    for (const auto& [elements, bytes] : {std::pair{0, 0}, {1, 0}, {0, 4}, {0, 8}}) {
      launch(operation, shape, static_cast<std::size_t>(elements), static_cast<std::size_t>(bytes),
             false);
    }
  };
  if (!takes_any_shape(operation)) {
    for (const NamedShape& own : operation.own_shapes) {
      launch(operation, own.shape, 0, 0, false);
    }
    return;
  }
  const bool has_own = !operation.own_shapes.empty();
  if (has_own) {
    constexpr std::int64_t kElements = 1 << 18;  // of more rows nothing new is seen
    Shape shape = operation.own_shapes.front().shape;
    shape.rows = std::min(shape.rows, std::max<std::int64_t>(kElements / shape.columns, 1));
    everywhere(shape);
  }
  for (const std::int64_t n : {1, 37, 1027, 8191}) {
    if (has_own) break;
    const Shape shape{1, n};
    everywhere(shape);
    if (operation.inputs[0].bytes(shape) == operation.output_bytes(shape)) {
      launch(operation, shape, 0, 0, true);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && std::strcmp(argv[1], "all") != 0)) {
    std::fprintf(stderr, "usage: %s [all]\n", argv[0]);
    return 2;
  }
  tutorial::bench::register_benchmarks();
  Checker::instance().start();
  for (const Case& operation : tutorial::bench::cases()) {
    if (operation.kind != Kind::peer && operation.kind != Kind::copy) check(operation);
  }
  return Checker::instance().finish();
}

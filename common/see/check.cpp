// Which launches of a chapter are checked.

#include "common/bench/shapes.h"
#include "common/check/checker.h"
#include "common/launch.cuh"
#include "common/see/buffer.h"
#include "common/see/see.h"
#include "common/see/yours.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>

namespace tutorial::see {

namespace {

using bench::Case;
using bench::Kind;
using bench::NamedShape;
using bench::Shape;
using check::Checker;

/// How the pointers of a launch lie: each so many elements and bytes past a boundary of 256 bytes.
struct Way {
  std::size_t elements = 0, bytes = 0;
  bool in_place = false;
};

/// Finds a launch that answers what it must not: the rows say which pointers they refuse.
void judge_answer(cudaError_t answer, const Case& operation, bool is_aligned) {
  const cudaError_t wanted = is_aligned ? cudaSuccess : cudaErrorMisalignedAddress;
  const bool is_refusal = answer == cudaErrorMisalignedAddress || answer == cudaErrorInvalidValue;
  if (answer == wanted || (operation.may_refuse && is_refusal)) return;
  Checker::instance().problems().add_once(Checker::instance().problems().context(), {},
                                          std::string("the launcher answers ") +
                                              cudaGetErrorName(answer) + ", and should " +
                                              cudaGetErrorName(wanted));
}

void launch(const Case& operation, const Shape& shape, const Way& way, const std::string& context,
            bool is_judged = false) {
  std::vector<std::unique_ptr<Buffer>> inputs;
  bench::Buffers buffers;
  bool is_aligned = true;
  const auto offset = [&](std::size_t size, std::size_t alignment) {
    const std::size_t element = bench::element_bytes(operation, shape, size);
    const std::size_t begin = way.bytes + way.elements * element;
    is_aligned &= begin % std::max(alignment, element) == 0;
    return begin;
  };
  for (const auto& input : operation.inputs) {
    const std::size_t size = input.bytes(shape);
    inputs.push_back(std::make_unique<Buffer>(size, offset(size, operation.alignment)));
    if (inputs.back()->data() == nullptr) return;  // a machine without so many addresses
    if (input.tile != nullptr) inputs.back()->fill(*input.tile);
    buffers.inputs.push_back(inputs.back()->data());
  }
  const std::size_t size = operation.output_bytes(shape);
  const Buffer output(size, offset(size, operation.out_alignment));
  if (output.data() == nullptr) return;
  buffers.output = way.in_place ? inputs[0]->data() : output.data();
  Checker::instance().problems().set_context(context + (way.in_place ? ", in place" : ""));
  const cudaError_t answer = operation.launch(buffers, shape, nullptr);
  if (is_judged) judge_answer(answer, operation, is_aligned);
}

// ---- Every rung and operator --------------------------------------------------------------------

void check_case(const Case& operation) {
  const auto in_way = [&](const Shape& shape, const Way& way) {
    const bool is_misaligned = way.elements + way.bytes != 0;
    launch(operation, shape, way,
           operation.ladder + "/" + operation.rung + " at " + name_of(shape) +
               (is_misaligned ? ", misaligned" : ""),
           true);
  };
  const auto everywhere = [&](const Shape& shape) {
    for (const Way& way : {Way{0, 0}, Way{1, 0}, Way{0, 4}, Way{0, 8}}) in_way(shape, way);
    if (operation.inputs.empty()) return;
    if (operation.inputs[0].bytes(shape) == operation.output_bytes(shape)) {
      in_way(shape, {0, 0, true});
    }
  };
  if (!takes_any_shape(operation)) {
    for (const NamedShape& own : operation.own_shapes) in_way(own.shape, {});
    return;
  }
  if (!operation.own_shapes.empty()) {
    constexpr std::int64_t kElements = 1 << 18;  // of more rows nothing new is seen
    Shape shape = operation.own_shapes.front().shape;
    shape.rows = std::min(shape.rows, std::max<std::int64_t>(kElements / shape.columns, 1));
    everywhere(shape);
    return;
  }
  for (const std::int64_t n : {1, 37, 1027, 8191}) everywhere({1, n});
}

void check_cases() {
  bench::register_benchmarks();
  for (const Case& operation : bench::cases()) {
    if (operation.kind != Kind::peer && operation.kind != Kind::copy) check_case(operation);
  }
}

// ---- The reader's rung --------------------------------------------------------------------------

constexpr int kMostPerThread = 4096;

/// Of every floating type small numbers of both signs.
std::shared_ptr<const std::vector<unsigned char>> some_values() {
  std::vector<unsigned char> values(191);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<unsigned char>(i * 37 & 0xBF);
  }
  return std::make_shared<const std::vector<unsigned char>>(values);
}

/// Around a pack, a warp and a block, and some blocks with a tail.
std::set<std::int64_t> sizes(std::int64_t pack) {
  std::set<std::int64_t> all;
  const std::int64_t block = kThreads * pack;
  for (const std::int64_t around : {pack, std::int64_t{32}, std::int64_t{kThreads}, block}) {
    all.insert({around - 1, around, around + 1});
  }
  all.insert({1, 2 * pack - 1, 2 * block + pack + 3});
  all.erase(all.begin(), all.lower_bound(1));
  return all;
}

/// Aligned as the rung claims and no more, in place, in both thread orders.
void check_yours(Yours rung) {
  for (auto& input : rung.operation.inputs) input.tile = some_values();
  const std::size_t least = rung.claims.alignment;
  const std::string aligned = ", pointers aligned to " + std::to_string(least) + " bytes";
  for (const cpu::Order order : {cpu::Order::forward, cpu::Order::reverse}) {
    cpu::set_thread_order(order);
    for (const std::int64_t n : sizes(rung.claims.per_thread)) {
      const std::string at = rung.size + (" = " + std::to_string(n)) + rung.more;
      launch(rung.operation, {1, n}, {}, at);
      launch(rung.operation, {1, n}, {0, least}, at + aligned);
      if (rung.in_place) launch(rung.operation, {1, n}, {0, 0, true}, at);
    }
  }
}

/// With more elements than a signed, and than an unsigned number of 32 bits counts: so few more that an index which has
/// begun again at 0 is one of the first blocks'.
void check_far(Yours rung) {
  for (auto& input : rung.operation.inputs) input.tile = nullptr;
  Checker::instance().look_far();
  const auto elements =
      static_cast<std::int64_t>(rung.operation.output_bytes({1, 1}) / rung.out_bytes);
  for (const int bits : {31, 32}) {
    if (!Checker::instance().problems().empty()) return;
    const std::int64_t columns = ((std::int64_t{1} << bits) + 1026) / elements + 1;
    launch(rung.operation, {1, columns}, {},
           "n = " + std::to_string(columns * elements) + ", which takes an index of 64 bits");
  }
}

}  // namespace

int check(int count, char** arguments) {
  const bool is_yours = count == 1 && std::strcmp(arguments[0], "yours") == 0;
  if (count != 0 && !is_yours) {
    std::fprintf(stderr, "check: write yours, or nothing\n");
    return 2;
  }
  const Yours rung = yours();
  if (is_yours && (rung.claims.per_thread < 1 || rung.claims.per_thread > kMostPerThread)) {
    std::fprintf(stderr, "check: per_thread is %d; write a number from 1 to %d\n",
                 rung.claims.per_thread, kMostPerThread);
    return 2;
  }
  Checker::instance().start();
  is_yours ? check_yours(rung) : check_cases();
  if (is_yours) check_far(rung);
  return Checker::instance().finish() ? 0 : 1;
}

}  // namespace tutorial::see

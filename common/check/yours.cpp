// Which launches of the reader's rung are checked.

#include "common/check/yours.h"

#include "common/check/buffer.h"
#include "common/check/checker.h"
#include "common/launch.cuh"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>

namespace tutorial::check {

namespace {

constexpr int kMostPerThread = 4096;

/// Of every floating type small numbers of both signs.
std::vector<unsigned char> some_values() {
  std::vector<unsigned char> values(191);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<unsigned char>(i * 37 & 0xBF);
  }
  return values;
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

struct Way {
  std::int64_t n;
  std::size_t offset;  ///< bytes past a boundary of 256
  bool in_place;
};

void launch(const Rung& rung, const Way& way) {
  std::string context = rung.size + (" = " + std::to_string(way.n)) + rung.more;
  if (way.offset != 0) {
    context += ", pointers aligned to " + std::to_string(way.offset) + " bytes";
  }
  if (way.in_place) context += ", in place";
  Checker::instance().set_context(context);
  const auto n = static_cast<std::size_t>(way.n);
  std::vector<std::unique_ptr<Buffer>> inputs;
  std::vector<const void*> pointers;
  for (const std::size_t element : rung.inputs) {
    inputs.push_back(std::make_unique<Buffer>(n * element, way.offset));
    inputs.back()->fill(some_values());
    pointers.push_back(inputs.back()->data());
  }
  const Buffer output(n * rung.output, way.offset);
  rung.launch(pointers, way.in_place ? inputs[0]->data() : output.data(), way.n);
}

}  // namespace

int check_yours(int argc, char** argv, const Rung& rung, const RungClaims& claims) {
  if (argc > 2 || (argc == 2 && std::strcmp(argv[1], "yours") != 0)) {
    std::fprintf(stderr, "usage: %s [yours]\n", argv[0]);
    return 2;
  }
  if (claims.per_thread < 1 || claims.per_thread > kMostPerThread) {
    std::fprintf(stderr, "check: per_thread is %d; write a number from 1 to %d\n",
                 claims.per_thread, kMostPerThread);
    return 2;
  }
  Checker& checker = Checker::instance();
  checker.start();
  for (const cpu::Order order : {cpu::Order::forward, cpu::Order::reverse}) {
    cpu::set_thread_order(order);
    for (const std::int64_t n : sizes(claims.per_thread)) {
      const std::size_t least = claims.alignment;
      for (const Way& way : {Way{n, 0, false}, Way{n, least, false}, Way{n, 0, true}}) {
        if (way.in_place && !rung.in_place) continue;
        launch(rung, way);
      }
    }
  }
  return checker.finish();
}

}  // namespace tutorial::check

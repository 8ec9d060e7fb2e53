// Tests of broadcasting on the host: padding, the result's shape, strides, merging, refusals.

#include "common/broadcast.h"
#include "common/proof/broadcast_cases.h"
#include "common/proof/catch.h"
#include "common/refusal.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace tutorial;
using tutorial::test::ShapePair;

namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

/// Where the operands' elements lie, in the order of the result.
using Walk = std::vector<std::pair<std::int64_t, std::int64_t>>;

Walk walk(const Broadcast& broadcast) {
  Walk steps;
  for (std::int64_t i = 0; i < broadcast.elements; ++i) {
    std::int64_t rest = i, offset0 = 0, offset1 = 0;
    for (int d = broadcast.rank; d-- > 0;) {
      const std::int64_t along = rest % broadcast.extent[d];
      rest /= broadcast.extent[d];
      offset0 += along * broadcast.stride0[d];
      offset1 += along * broadcast.stride1[d];
    }
    steps.emplace_back(offset0, offset1);
  }
  return steps;
}

Walk plainest_walk(const ShapePair& shapes) {
  Walk steps;
  tutorial::test::walk_broadcast(
      shapes, [&](std::int64_t, std::int64_t i0, std::int64_t i1) { steps.emplace_back(i0, i1); });
  return steps;
}

/// Whether another dimension could go: one of size 1, or two neighbours through which both operands
/// step evenly.
bool could_merge_more(const Broadcast& broadcast) {
  for (int i = 0; i < broadcast.rank; ++i) {
    if (broadcast.extent[i] == 1) return true;
    if (i + 1 == broadcast.rank) continue;
    const std::int64_t inner = broadcast.extent[i + 1];
    if (broadcast.stride0[i] == inner * broadcast.stride0[i + 1] &&
        broadcast.stride1[i] == inner * broadcast.stride1[i + 1]) {
      return true;
    }
  }
  return false;
}

std::string violation(const ShapePair& shapes) {
  TensorShape result;
  Broadcast merged;
  if (broadcast_shape(shapes.shape0, shapes.shape1, &result) != cudaSuccess ||
      make_broadcast(shapes.shape0, shapes.shape1, &merged) != cudaSuccess) {
    return "refused: " + last_refusal();
  }
  if (result != tutorial::test::result_shape(shapes)) return "the result's shape is wrong";
  const Walk expected = plainest_walk(shapes);
  const Broadcast plain = broadcast_strides(shapes.shape0, shapes.shape1);
  if (plain.elements != static_cast<std::int64_t>(expected.size()) ||
      merged.elements != plain.elements || elements_of(result) != plain.elements) {
    return "the number of elements is wrong";
  }
  if (walk(plain) != expected) return "the strides lead elsewhere";
  if (walk(merged) != expected) return "the merged strides lead elsewhere";
  if (merged.elements > 0 && could_merge_more(merged)) return "more could be merged";
  return "";
}

std::vector<std::int64_t> extents(const Broadcast& broadcast) {
  return {broadcast.extent, broadcast.extent + broadcast.rank};
}
std::vector<std::int64_t> strides0(const Broadcast& broadcast) {
  return {broadcast.stride0, broadcast.stride0 + broadcast.rank};
}
std::vector<std::int64_t> strides1(const Broadcast& broadcast) {
  return {broadcast.stride1, broadcast.stride1 + broadcast.rank};
}

Broadcast merged(const TensorShape& shape0, const TensorShape& shape1) {
  Broadcast broadcast;
  REQUIRE(make_broadcast(shape0, shape1, &broadcast) == cudaSuccess);
  return broadcast;
}

using Sizes = std::vector<std::int64_t>;

/// What the two shapes are refused with; nothing may have been written.
std::string refusal(const TensorShape& shape0, const TensorShape& shape1) {
  TensorShape result{12345};
  Broadcast broadcast;
  broadcast.rank = -1;
  CHECK(broadcast_shape(shape0, shape1, &result) == cudaErrorInvalidValue);
  std::string why;
  why.assign(last_refusal());  // a copy: the next call writes its own
  CHECK(result == TensorShape{12345});
  CHECK(make_broadcast(shape0, shape1, &broadcast) == cudaErrorInvalidValue);
  CHECK(broadcast.rank == -1);
  CHECK(last_refusal() == why);
  return why;
}

}  // namespace

TEST_CASE("broadcast: a shape in words") {
  CHECK(tutorial::to_string(TensorShape{}) == "()");
  CHECK(tutorial::to_string(TensorShape{3}) == "(3,)");
  CHECK(tutorial::to_string(TensorShape{64, 256, 0}) == "(64, 256, 0)");
}

TEST_CASE("broadcast: padding puts ones in front") {
  CHECK(pad_tensor_shape({}, 0).empty());
  CHECK(pad_tensor_shape({}, 3) == TensorShape{1, 1, 1});
  CHECK(pad_tensor_shape({256, 1, 1}, 4) == TensorShape{1, 256, 1, 1});
  CHECK(pad_tensor_shape({2, 3}, 2) == TensorShape{2, 3});
  CHECK(pad_tensor_shape({2, 3}, 1) == TensorShape{2, 3});
}

TEST_CASE("broadcast: what merging makes of the usual shapes") {
  const Broadcast channels = merged({64, 256, 56, 56}, {256, 1, 1});
  CHECK(extents(channels) == Sizes{64, 256, 3136});
  CHECK(strides0(channels) == Sizes{256 * 3136, 3136, 1});
  CHECK(strides1(channels) == Sizes{0, 1, 0});

  const Broadcast equal = merged({64, 256, 56, 56}, {64, 256, 56, 56});
  CHECK(extents(equal) == Sizes{64 * 256 * 3136});
  CHECK(strides1(equal) == Sizes{1});

  const Broadcast scalar = merged({1, 1}, {64, 256, 56, 56});
  CHECK(extents(scalar) == Sizes{64 * 256 * 3136});
  CHECK(strides0(scalar) == Sizes{0});
  CHECK(strides1(scalar) == Sizes{1});

  const Broadcast row = merged({64, 256, 56, 56}, {56});
  CHECK(extents(row) == Sizes{64 * 256 * 56, 56});
  CHECK(strides1(row) == Sizes{0, 1});

  const Broadcast image = merged({64, 1, 56, 56}, {64, 256, 56, 56});
  CHECK(extents(image) == Sizes{64, 256, 3136});
  CHECK(strides0(image) == Sizes{3136, 0, 1});

  const Broadcast both = merged({64, 1, 56, 1}, {1, 256, 1, 56});
  CHECK(extents(both) == Sizes{64, 256, 56, 56});
  CHECK(strides0(both) == Sizes{56, 0, 1, 0});
  CHECK(strides1(both) == Sizes{0, 56, 0, 1});

  CHECK(merged({}, {}).rank == 0);
  CHECK(merged({}, {}).elements == 1);
  CHECK(merged({1, 1, 1}, {1}).rank == 0);
}

TEST_CASE("broadcast: sizes of zero give an empty result") {
  for (const auto& [shape0, shape1] :
       std::vector<ShapePair>{{{0}, {}}, {{0}, {1}}, {{3, 0}, {3, 1}}, {{0, 4}, {7, 0, 1}}}) {
    INFO(tutorial::to_string(shape0) << " and " << tutorial::to_string(shape1));
    CHECK(merged(shape0, shape1).elements == 0);
  }
  CHECK(refusal({0}, {2}) == "the shapes (0,) and (2,) do not broadcast: 0 meets 2");
}

TEST_CASE("broadcast: the merged walk visits what the plainest walk visits") {
  const std::uint64_t seed = tutorial::test::random_seed();
  CHECK(tutorial::test::first_failure(seed, 20000, violation) == "");
}

TEST_CASE("broadcast: bad shapes are refused, a sentence each") {
  CHECK(refusal({2, 3}, {4}) == "the shapes (2, 3) and (4,) do not broadcast: 3 meets 4");
  CHECK(refusal({2, 4}, {3}) == "the shapes (2, 4) and (3,) do not broadcast: 4 meets 3");
  CHECK(refusal({2}, {3, 1, 1, 1, 1, 1, 1, 1}) ==
        "a shape of 8 dimensions, and at most 7 are supported");
  CHECK(refusal({2, -1}, {2}) == "the shape (2, -1) has a negative size");
  CHECK(refusal({2}, {std::numeric_limits<std::int64_t>::min()}) ==
        "the shape (-9223372036854775808,) has a negative size");
  CHECK(refusal({kHuge, 2}, {2}) == "the shape (9223372036854775807, 2) has 2^63 elements or more");
  CHECK(refusal({kHuge, 1}, {1, 2}) ==
        "the shapes (9223372036854775807, 1) and (1, 2) broadcast to 2^63 elements or more");
  // Empty, and yet not countable: its strides would overflow.
  CHECK(refusal({0, kHuge, kHuge}, {}) ==
        "the shape (0, 9223372036854775807, 9223372036854775807) has 2^63 elements or more");
}

TEST_CASE("broadcast: the largest shapes are counted, not refused") {
  CHECK(merged({kHuge}, {1}).elements == kHuge);
  CHECK(merged({std::int64_t{1} << 40, 1}, {1, (std::int64_t{1} << 22) - 1}).elements ==
        ((std::int64_t{1} << 40) * ((std::int64_t{1} << 22) - 1)));
}

// ---- The cases themselves -----------------------------------------------------------------------

TEST_CASE("broadcast cases: a seed is a sequence, and everything occurs in it") {
  tutorial::test::ShapePairs first(3), second(3), other(4);
  int same = 0, empty = 0, both_sided = 0, different_ranks = 0, equal = 0;
  std::vector<int> ranks(kMaxDimensions + 1);
  for (int i = 0; i < 4000; ++i) {
    const ShapePair pair = first.next();
    CHECK(tutorial::test::to_string(pair) == tutorial::test::to_string(second.next()));
    same += tutorial::test::to_string(pair) == tutorial::test::to_string(other.next()) ? 1 : 0;
    const TensorShape result = tutorial::test::result_shape(pair);
    ++ranks.at(result.size());
    empty += elements_of(result) == 0 ? 1 : 0;
    equal += pair.shape0 == pair.shape1 ? 1 : 0;
    different_ranks += pair.shape0.size() != pair.shape1.size() ? 1 : 0;
    const bool full0 = pad_tensor_shape(pair.shape0, result.size()) == result;
    const bool full1 = pad_tensor_shape(pair.shape1, result.size()) == result;
    both_sided += !full0 && !full1 ? 1 : 0;
  }
  CHECK(same < 1000);
  for (const int count : ranks) CHECK(count > 200);
  CHECK(empty > 40);
  CHECK(both_sided > 400);
  CHECK(different_ranks > 400);
  CHECK(equal > 400);
}

TEST_CASE("broadcast cases: a failure is told with its seed") {
  const auto run = [](const ShapePair& shapes) { return shapes.shape0.empty() ? "there" : ""; };
  CHECK(tutorial::test::first_failure(1, 1000, run).find("TUTORIAL_SEED=1)") != std::string::npos);
  CHECK(tutorial::test::first_failure(1, 1000, [](const ShapePair&) { return ""; }) == "");
}

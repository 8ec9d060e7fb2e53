// The bug museum's exhibits about shapes: each fails in the way that the README tells.
#include <cstdint>
#include <vector>

#include "04_arithmetic/arithmetic.h"
#include "04_arithmetic/proof/arithmetic_broadcast_reference.h"
#include "04_arithmetic/proof/museum/exhibits_broadcast.cuh"
#include "common/proof/broadcast_cases.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

TEST_CASE("museum: the wrong example of one_broadcast takes a channel vector for a batch vector",
          "[exhibit]") {
  require_device();
  // (N,C,H,W) with (1,C,1,1) by outer_stride = C H W and inner = 1, as its text says.
  const std::int64_t images = 3, channels = 5, plane = 4, n = images * channels * plane;
  const TensorShape shape = {images, channels, plane};
  const auto in0 =
      values_of<float>(shape, [](std::int64_t i) { return static_cast<float>(i * 100); });
  const std::vector<float> in1 = {1, 2, 3, 4, 5};
  const GuardedBuffer<float> a(in0), b(in1), y(in0.size());
  const auto minus = [](float p, float q) { return p - q; };
  const ArithmeticCall<float> call{ArithmeticOp::Sub, a.data(), b.data(), y.data()};

  REQUIRE(arithmetic_one_broadcast(call, n, channels * plane, 1, false) == cudaSuccess);
  const std::vector<float> wrong = y.download();
  CHECK(wrong != broadcast_reference({shape, {channels, 1}}, in0, in1, minus));
  // What it computes: one element for each image. With more images than channels it reads past the
  // vector's end.
  const std::vector<float> per_image(in1.begin(), in1.begin() + images);
  CHECK(wrong == broadcast_reference({shape, {images, 1, 1}}, in0, per_image, minus));

  REQUIRE(arithmetic_one_not_broadcast(call, n, channels, plane, false) == cudaSuccess);
  CHECK(y.download() == broadcast_reference({shape, {channels, 1}}, in0, in1, minus));
}

TEST_CASE("museum: merging that stops at the first mismatch leaves dimensions behind",
          "[exhibit]") {
  const auto ranks = [](const ShapePair& shapes) {
    const Broadcast plain = broadcast_strides(shapes.shape0, shapes.shape1);
    return std::vector<int>{plain.rank, exhibits::merge_until_a_mismatch(plain).rank,
                            merge_dimensions(plain).rank};
  };
  CHECK(ranks({{64, 256, 56, 56}, {64, 256, 56, 56}}) == std::vector<int>{4, 1, 1});
  CHECK(ranks({{64, 256, 56, 56}, {256, 56, 56}}) == std::vector<int>{4, 2, 2});
  // From the inside: (H,W) merge, (C,HW) do not, and there it stops. N and C would have.
  CHECK(ranks({{64, 256, 56, 56}, {64, 256, 1, 1}}) == std::vector<int>{4, 3, 2});
  CHECK(ranks({{8, 4, 6, 1, 5}, {8, 4, 1, 6, 5}}) == std::vector<int>{5, 5, 4});
  CHECK(ranks({{2, 3, 1, 5, 7, 11}, {2, 3, 1, 5, 1, 11}}) == std::vector<int>{6, 6, 3});
  // Slower, not wrong: the walk is the same.
  const ShapePair shapes{{4, 3, 2, 5}, {4, 3, 1, 1}};
  require_device();
  using Int = std::int32_t;
  const BroadcastTrial<Int, Int> trial(
      shapes, [](std::int64_t i) { return Int(i * 64); }, [](std::int64_t i) { return Int(i); },
      [](Int a, Int b) { return a - b; });
  const Broadcast less =
      exhibits::merge_until_a_mismatch(broadcast_strides(shapes.shape0, shapes.shape1));
  CHECK(trial.violation([&](const Int* a, const Int* b, Int* y) {
    return arithmetic_strided<Int>({ArithmeticOp::Sub, a, b, y}, less);
  }) == "");
}

TEST_CASE("museum: NHWC strides that are zero for one broadcast axis only", "[exhibit]") {
  require_device();
  const auto wrong_elements = [](const TensorShape& shape1) {
    const TensorShape shape0 = {2, 8, 3, 4};
    // An operand's storage is longer than it says, so that a read past its end finds memory.
    const GuardedBuffer<float> a(values_of<float>(
        {2 * 8 * 12}, [](std::int64_t i) { return 1000.0f * static_cast<float>(i); }));
    const GuardedBuffer<float> b(
        values_of<float>({2 * 8 * 12}, [](std::int64_t i) { return static_cast<float>(i); }));
    const GuardedBuffer<float> y(2 * 8 * 12), right(2 * 8 * 12);
    REQUIRE(exhibits::limit_nhwc_one_axis(shape0, a.data(), shape1, b.data(), y.data(), nullptr) ==
            cudaSuccess);
    REQUIRE(arithmetic_limit_nhwc<float>({ArithmeticOp::Add, a.data(), b.data(), right.data()},
                                         shape0, shape1) == cudaSuccess);
    const std::vector<float> actual = y.download(), expected = right.download();
    int wrong = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) wrong += actual[i] == expected[i] ? 0 : 1;
    return wrong;
  };
  CHECK(wrong_elements({2, 8, 3, 4}) == 0);
  CHECK(wrong_elements({1, 8, 3, 4}) == 0);  // one axis is broadcast: right
  CHECK(wrong_elements({2, 8, 1, 4}) == 0);
  CHECK(wrong_elements({2, 8, 1, 1}) > 0);  // two: wrong
  CHECK(wrong_elements({1, 8, 1, 1}) > 0);  // the per-channel vector of every normalization
}

TEST_CASE("museum: 32-bit parameters and indices of one_dimension", "[exhibit]") {
  require_device();
  const auto places = [](std::int64_t first, std::int64_t inner) {
    const GuardedBuffer<std::int64_t> place(4);
    REQUIRE(exhibits::one_dimension_narrow(first, inner, place.data(), 4, nullptr) == cudaSuccess);
    return place.download();
  };
  using Places = std::vector<std::int64_t>;
  constexpr std::int64_t k2to31 = std::int64_t{1} << 31, k2to32 = std::int64_t{1} << 32;
  CHECK(places(6, 7) == Places{6, 0, 1, 2});  // small numbers: nothing to see
  // A shorter operand of 2^32 + 3 elements: its length arrives as 3.
  CHECK(places(0, k2to32 + 3) == Places{0, 1, 2, 0});
  // One of 2^31 + 2: the length arrives negative, and as an unsigned 64-bit divisor it is larger
  // than every index; then the place itself wraps, to the front of the operand.
  CHECK(places(k2to31 - 2, k2to31 + 2) == Places{k2to31 - 2, k2to31 - 1, -k2to31, -k2to31 + 1});
}

// Ladder C: NHWC8 storage against the plainest walk over the indices, on shapes made at random.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "04_arithmetic/launchers/nhwc.h"
#include "04_arithmetic/proof/arithmetic_broadcast_reference.h"
#include "04_arithmetic/proof/arithmetic_test_values.h"
#include "common/proof/broadcast_cases.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/proof/views.h"
#include "common/refusal.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// The elements of storage: the last index there is, rounded up to a whole group of eight.
std::size_t storage_of(const TensorShape& shape) {
  std::int64_t last = -1;
  for_each_index(shape, [&](const TensorShape& index) {
    last = std::max(last, nhwc8_reference_index(shape, index));
  });
  return static_cast<std::size_t>((last + 8) / 8 * 8);
}

/// Row-major values in NHWC8 storage; the padding is that of `storage`.
template <class T>
std::vector<T> to_nhwc8(const TensorShape& shape, const std::vector<T>& values,
                        std::vector<T> storage) {
  std::size_t i = 0;
  for_each_index(shape, [&](const TensorShape& index) {
    storage[static_cast<std::size_t>(nhwc8_reference_index(shape, index))] = values[i++];
  });
  return storage;
}

/// `n` elements whose neighbours differ: quiet and signaling NaNs of both signs where T has them.
template <class T>
std::vector<T> marks(std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    unsigned char bytes[sizeof(T)];
    for (std::size_t b = 0; b < sizeof(T); ++b) bytes[b] = static_cast<unsigned char>(37 * i + b);
    if constexpr (sizeof(T) > 1) {
      bytes[sizeof(T) - 1] |= 0x7d;  // the exponent of half; with the next byte, of the others
      if (!std::is_same_v<T, half>) bytes[sizeof(T) - 1] |= 0x7f, bytes[sizeof(T) - 2] |= 0x80;
    }
    std::memcpy(static_cast<void*>(&all[i]), bytes, sizeof(T));
  }
  return all;
}

/// The pair in at least two dimensions each, and in the same number.
ShapePair image_of(ShapePair shapes) {
  const std::size_t rank =
      std::max({shapes.shape0.size(), shapes.shape1.size(), static_cast<std::size_t>(2)});
  for (TensorShape* shape : {&shapes.shape0, &shapes.shape1}) {
    shape->insert(shape->begin(), rank - shape->size(), 1);
  }
  return shapes;
}

/// Runs each of the rungs, and again in place of each operand that has the result's shape: what is
/// wrong, or an empty string. The result's padding must be zero, or keep every bit; the marks in
/// the operands' must not matter.
template <class T>
std::string violation(ArithmeticOp op, const ShapePair& random, const std::vector<T>& in0,
                      const std::vector<T>& in1, const std::vector<T>& expected,
                      Offsets offsets = {}) {
  const ShapePair shapes = image_of(random);
  const TensorShape result = result_shape(shapes);
  const std::vector<T> padding = marks<T>(storage_of(result));
  const BroadcastTrial<T, T> trial(
      to_nhwc8(shapes.shape0, in0, marks<T>(storage_of(shapes.shape0))),
      to_nhwc8(shapes.shape1, in1, marks<T>(storage_of(shapes.shape1))),
      to_nhwc8(result, expected, padding), offsets);
  const auto channels = static_cast<std::size_t>(result[1]), group = (channels + 7) / 8 * 8;
  const auto equal_of = [&](const NhwcRung<T>& rung) {
    return [&](const T& right, const T& actual) {
      const auto at = static_cast<std::size_t>(&right - trial.expected().data());
      if (at % group < channels) {
        return std::memcmp(&right, &actual, sizeof(T)) == 0 || same_value(right, actual);
      }
      const unsigned char zeros[sizeof(T)] = {};
      return std::memcmp(&actual, rung.writes_zeros ? static_cast<const void*>(zeros) : &right,
                         sizeof(T)) == 0;
    };
  };
  const bool aligned = offsets.in0 == 0 && offsets.in1 == 0 && offsets.out == 0;
  const bool over0 = shapes.shape0 == result, over1 = shapes.shape1 == result;
  for (const NhwcRung<T>& rung : arithmetic_nhwc_rungs<T>()) {
    if (!aligned && rung.alignment > sizeof(T)) continue;
    // The operator also takes the shapes as they are, before they are padded to each other.
    const bool wide = std::max(random.shape0.size(), random.shape1.size()) >= 2;
    const ShapePair& given = wide ? random : shapes;
    const auto run = [&](const std::vector<T>& before, bool on0, bool on1) {
      return trial.violation(
          [&](const T* a, const T* b, T* y) {
            require_success(
                cudaMemcpy(y, before.data(), before.size() * sizeof(T), cudaMemcpyHostToDevice),
                "cudaMemcpy");
            return rung.launch({op, on0 ? y : a, on1 ? y : b, y, nullptr, kTestScales},
                               given.shape0, given.shape1);
          },
          equal_of(rung));
    };
    std::string wrong = run(padding, false, false);
    if (wrong.empty() && over0) wrong = run(to_nhwc8(result, in0, padding), true, false);
    if (wrong.empty() && over1) wrong = run(to_nhwc8(result, in1, padding), false, true);
    if (!wrong.empty()) return rung.name + ", " + name_of(op) + ": " + wrong;
  }
  return "";
}

template <class T>
std::string violation(ArithmeticOp op, const ShapePair& shapes, Offsets offsets = {}) {
  const std::vector<T> in0 = test_values<T>(shapes.shape0, 0);
  const std::vector<T> in1 = test_values<T>(shapes.shape1, 1);
  return violation(op, shapes, in0, in1,
                   contiguous_results(op, expanded(shapes, in0, 0), expanded(shapes, in1, 1)),
                   offsets);
}

/// Broadcast along each axis and along several, with channels in whole groups, in a part of one, in
/// more than one, and alone.
const std::vector<ShapePair>& images() {
  static const std::vector<ShapePair> shapes = {
      {{2, 16, 3, 5}, {2, 16, 3, 5}}, {{2, 13, 3, 5}, {2, 13, 3, 5}},
      {{2, 16, 3, 5}, {1}},           {{2, 11, 3, 5}, {}},
      {{2, 16, 3, 5}, {1, 16, 1, 1}}, {{11, 1, 1}, {2, 11, 3, 5}},
      {{2, 16, 3, 5}, {2, 1, 3, 5}},  {{2, 5, 3, 5}, {2, 1, 3, 5}},
      {{2, 9, 3, 5}, {2, 9, 1, 1}},   {{2, 9, 3, 5}, {5}},
      {{2, 1, 3, 1}, {1, 19, 1, 5}},  {{1, 8, 3, 1}, {2, 1, 1, 5}},
      {{2, 1, 3, 5}, {2, 1, 3, 5}},   {{3, 17}, {3, 1}},
      {{2, 24, 7}, {24, 1}},          {{2, 3, 2, 1, 2, 1, 2}, {1, 3, 1, 2, 1, 2, 2}},
  };
  return shapes;
}

template <class T>
void check_every_op() {
  for (const ArithmeticOp op : kArithmeticOps) {
    for (const ShapePair& shapes : images()) {
      INFO(test::to_string(shapes));
      CHECK(violation<T>(op, shapes) == "");
    }
  }
}

}  // namespace

TEST_CASE("nhwc8: 20,000 random pairs through each kernel") {
  require_device();
  const std::uint64_t seed = random_seed();
  std::printf("TUTORIAL_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const auto run = [](const ShapePair& shapes) {
    using Int = std::int32_t;
    const auto in0 = values_of<Int>(shapes.shape0, [](std::int64_t i) { return Int(i * 4096); });
    const auto in1 = values_of<Int>(shapes.shape1, [](std::int64_t i) { return Int(i); });
    const auto expected = broadcast_reference(shapes, in0, in1, [](Int a, Int b) { return a - b; });
    return violation<Int>(ArithmeticOp::Sub, shapes, in0, in1, expected);
  };
  CHECK(first_failure(seed, 20000, run) == "");
}

TEST_CASE("nhwc8: every operation in every type, broadcast along every axis") {
  require_device();
  in_every_type([](auto zero) { check_every_op<decltype(zero)>(); });
}

TEST_CASE("nhwc8: the operator takes any pointer, the packs refuse what is not aligned") {
  require_device();
  for (const ShapePair& shapes : images()) {
    for (const Offsets& offsets : {Offsets{1, 0, 0}, Offsets{0, 3, 0}, Offsets{0, 0, 5}}) {
      INFO(test::to_string(shapes));
      CHECK(violation<half>(ArithmeticOp::Sub, shapes, offsets) == "");
      CHECK(violation<std::int8_t>(ArithmeticOp::Sub, shapes, offsets) == "");
    }
  }
  const GuardedBuffer<half> in(std::vector<half>(64, half(1.0f)));
  const GuardedBuffer<half> out(64);
  const TensorShape shape = {1, 8, 7};
  const auto run = [&](std::size_t offset0, std::size_t offset1, std::size_t offset) {
    return arithmetic_nhwc_pack<half>(
        {ArithmeticOp::Add, in.data() + offset0, in.data() + offset1, out.data() + offset}, shape,
        shape);
  };
  CHECK(run(1, 0, 0) == cudaErrorMisalignedAddress);
  CHECK(last_refusal() == "in0 is not aligned to 16 bytes");
  CHECK(run(0, 1, 0) == cudaErrorMisalignedAddress);
  CHECK(last_refusal() == "in1 is not aligned to 16 bytes");
  CHECK(run(0, 0, 1) == cudaErrorMisalignedAddress);
  CHECK(last_refusal() == "out is not aligned to 16 bytes");
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.untouched());
}

TEST_CASE("nhwc8: storage and strides in numbers") {
  CHECK(nhwc8_elements({2, 13, 3, 5}) == 2 * 16 * 15);
  CHECK(nhwc8_elements({1, 1, 1, 1}) == 8);
  CHECK(nhwc8_elements({4, 0}) == 0);
  CHECK(nhwc8_elements({0, 5}) == 0);

  NhwcBroadcast broadcast;
  REQUIRE(make_nhwc_broadcast({2, 13, 3, 5}, {13, 1, 1}, &broadcast) == cudaSuccess);
  const auto list = [](const std::int64_t* values) {
    return std::vector<std::int64_t>(values, values + 4);
  };
  using Sizes = std::vector<std::int64_t>;
  CHECK(broadcast.rank == 4);
  CHECK(broadcast.elements == 2 * 13 * 15);
  CHECK(list(broadcast.extent) == Sizes{2, 13, 3, 5});
  CHECK(list(broadcast.stride_ndarray) == Sizes{13 * 15, 15, 5, 1});
  CHECK(list(broadcast.stride_out) == Sizes{16 * 15, 1, 16 * 5, 16});
  CHECK(list(broadcast.stride0) == Sizes{16 * 15, 1, 16 * 5, 16});
  CHECK(list(broadcast.stride1) == Sizes{0, 1, 0, 0});
  REQUIRE(make_nhwc_broadcast({2, 1, 3, 5}, {2, 13, 3, 5}, &broadcast) == cudaSuccess);
  CHECK(list(broadcast.stride0) == Sizes{8 * 15, 0, 8 * 5, 8});
}

TEST_CASE("nhwc8: bad input is refused, a sentence each, and nothing is written") {
  require_device();
  const GuardedBuffer<float> in(std::vector<float>(64, 1.0f));
  const GuardedBuffer<float> out(64);
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  const auto add = [](const float* a, const float* b, float* y) {
    return ArithmeticCall<float>{ArithmeticOp::Add, a, b, y};
  };
  for (const NhwcRung<float>& rung : arithmetic_nhwc_rungs<float>()) {
    const auto why = [&](const TensorShape& shape0, const TensorShape& shape1,
                         cudaError_t expected = cudaErrorInvalidValue) {
      refuse(cudaSuccess, "");
      CHECK(rung.launch(add(in.data(), in.data(), out.data()), shape0, shape1) == expected);
      return last_refusal();
    };
    CHECK(why({8}, {8}) == "the shapes (8,) and (8,) have no second dimension for the channels");
    CHECK(why({}, {}) == "the shapes () and () have no second dimension for the channels");
    CHECK(why({2, 3}, {2, 4}) == "the shapes (2, 3) and (2, 4) do not broadcast: 3 meets 4");
    CHECK(why({1, 1, 1, 1, 1, 1, 1, 1}, {}) ==
          "a shape of 8 dimensions, and at most 7 are supported");
    CHECK(why({2, -3}, {}) == "the shape (2, -3) has a negative size");
    CHECK(why({kHuge, 1}, {1, 1}) ==
          "NHWC8 storage of the shape (9223372036854775807, 1) has 2^63 elements or more");
    CHECK(why({1, kHuge}, {1, 1}) ==
          "NHWC8 storage of the shape (1, 9223372036854775807) has 2^63 elements or more");

    const TensorShape good = {1, 8, 7};
    const auto bad_pointers = [&](const float* a, const float* b, float* y) {
      refuse(cudaSuccess, "");
      const cudaError_t error = rung.launch(add(a, b, y), good, good);
      CHECK(error != cudaSuccess);
      return last_refusal();
    };
    float *a = in.data(), *y = out.data();
    CHECK(bad_pointers(nullptr, a, y) == "in0 is a null pointer");
    CHECK(bad_pointers(a, nullptr, y) == "in1 is a null pointer");
    CHECK(bad_pointers(a, a, nullptr) == "out is a null pointer");
    auto* odd = reinterpret_cast<float*>(reinterpret_cast<char*>(y) + 2);
    CHECK(bad_pointers(a, a, odd).find("out is not aligned to ") == 0);
    CHECK(rung.launch({static_cast<ArithmeticOp>(-1), a, a, y}, good, good) ==
          cudaErrorInvalidValue);
    CHECK(last_refusal() == "the operation is none of the nine");
    CHECK(rung.launch(add(nullptr, nullptr, nullptr), {0, 3}, {1, 3}) == cudaSuccess);
  }
  for (const Int8Scales& scales : {Int8Scales{0, 1, 1}, Int8Scales{1, -1, 1}}) {
    CHECK(arithmetic_nhwc<std::int8_t>(
              {ArithmeticOp::Add, nullptr, nullptr, nullptr, nullptr, scales}, {1, 8}, {1, 8}) ==
          cudaErrorInvalidValue);
    CHECK(last_refusal().find("the scale of ") == 0);
  }
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.untouched());
}

TEST_CASE("nhwc8: the packs refuse what 32 bits do not count, and the operator does not") {
  CHECK_FALSE(fits_nhwc_pack({1 << 16, 1, 1 << 13, 1}, {}));  // 2^29 pixels, eight elements each
  CHECK(fits_nhwc_pack({(1 << 16) - 1, 1, 1 << 13, 1}, {}));
  CHECK_FALSE(fits_nhwc_pack({1 << 16, 1, 1, 1}, {1, 8, 1 << 13, 1}));
  require_device();
  const GuardedBuffer<half> in(std::vector<half>(64, half(1.0f)));
  const GuardedBuffer<half> out(64);
  CHECK(arithmetic_nhwc_pack<half>({ArithmeticOp::Add, in.data(), in.data(), out.data()},
                                   {1 << 16, 1, 1 << 13, 1}, {}) == cudaErrorInvalidValue);
  CHECK(last_refusal() == "2^32 elements or more, and this rung counts in 32 bits");
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.untouched());
}

// Ladder B: every rung against the plainest walk over the indices, on shapes made at random.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "04_arithmetic/launchers/broadcast.h"
#include "04_arithmetic/launchers/contiguous.h"
#include "04_arithmetic/proof/arithmetic_broadcast_reference.h"
#include "04_arithmetic/proof/arithmetic_test_values.h"
#include "common/proof/broadcast_cases.h"
#include "common/proof/catch.h"
#include "common/proof/promises.h"
#include "common/proof/support.h"
#include "common/refusal.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

Broadcast merged_of(const ShapePair& shapes) {
  Broadcast broadcast;
  require_success(make_broadcast(shapes.shape0, shapes.shape1, &broadcast), "make_broadcast");
  return broadcast;
}

template <class T>
std::string violation(const BroadcastRung<T>& rung, ArithmeticOp op, const Broadcast& broadcast,
                      const BroadcastTrial<T, T>& trial) {
  const std::string wrong = trial.violation(
      [&](const T* in0, const T* in1, T* out) {
        return rung.launch({op, in0, in1, out, nullptr, kTestScales}, broadcast);
      },
      same_value<T>);
  return wrong.empty() ? "" : rung.name + ", " + name_of(op) + ": " + wrong;
}

/// Runs the pair through every rung that takes it: the first one that is wrong, in words.
template <class T>
std::string first_violation(const std::vector<BroadcastRung<T>>& rungs, ArithmeticOp op,
                            const ShapePair& shapes, const BroadcastTrial<T, T>& trial) {
  const Broadcast broadcast = broadcast_strides(shapes.shape0, shapes.shape1);
  for (const BroadcastRung<T>& rung : rungs) {
    if (!rung.claims(broadcast)) continue;
    const std::string wrong = violation(rung, op, broadcast, trial);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

/// Operands of the pair, and what the contiguous kernel makes of them once they are written out in
/// the result's shape: bits that every rung must give.
template <class T>
BroadcastTrial<T, T> trial_of(const ShapePair& shapes, ArithmeticOp op, Offsets offsets = {}) {
  const std::vector<T> in0 = test_values<T>(shapes.shape0, 0);
  const std::vector<T> in1 = test_values<T>(shapes.shape1, 1);
  const std::vector<T> all0 = expanded(shapes, in0, 0), all1 = expanded(shapes, in1, 1);
  return {in0, in1, contiguous_results(op, all0, all1), offsets};
}

/// A shape of each kind, with rows of every remainder, and packs that are whole and that are not.
const std::vector<ShapePair>& shapes_of_each_kind() {
  static const std::vector<ShapePair> shapes = {
      {{}, {}},
      {{7, 33}, {7, 33}},
      {{3, 5, 19}, {1}},
      {{}, {4, 64}},
      {{6, 5, 16}, {16}},
      {{1, 1, 35}, {3, 4, 35}},
      {{2, 9, 4, 8}, {9, 1, 1}},
      {{1, 6, 1}, {3, 6, 17}},
      {{12, 1}, {12, 32}},
      {{3, 4, 5, 16}, {3, 1, 5, 16}},
      {{2, 1, 21}, {2, 7, 21}},
      {{4, 1, 6, 1}, {1, 5, 1, 16}},
      {{3, 1}, {1, 130}},
      {{2, 1, 2, 1, 2, 1, 5}, {1, 3, 1, 2, 1, 2, 1}},
  };
  return shapes;
}

template <class T>
void check_every_op() {
  const std::vector<BroadcastRung<T>>& rungs = arithmetic_broadcast_rungs<T>();
  for (const ArithmeticOp op : kArithmeticOps) {
    for (const ShapePair& shapes : shapes_of_each_kind()) {
      INFO(test::to_string(shapes));
      CHECK(first_violation(rungs, op, shapes, trial_of<T>(shapes, op)) == "");
    }
  }
}

template <class T>
void check_random_shapes(std::uint64_t seed, int count) {
  const std::vector<BroadcastRung<T>>& rungs = arithmetic_broadcast_rungs<T>();
  const auto run = [&](const ShapePair& shapes) {
    // The shape chooses the operation, so that a pair that fails, fails again.
    const auto index =
        static_cast<std::size_t>(elements_of(shapes.shape0) + 2 + elements_of(shapes.shape1) * 5);
    const ArithmeticOp op = kArithmeticOps[index % std::size(kArithmeticOps)];
    return first_violation(rungs, op, shapes, trial_of<T>(shapes, op));
  };
  CHECK(first_failure(seed, count, run) == "");
}

/// Each of the three buffers at every offset from an aligned address, for the rungs that have wide
/// accesses.
template <class T>
void check_misaligned(std::size_t step) {
  const std::vector<BroadcastRung<T>>& all = arithmetic_broadcast_rungs<T>();
  const auto rows = std::find_if(all.begin(), all.end(),
                                 [](const BroadcastRung<T>& rung) { return rung.name == "rows"; });
  const std::vector<BroadcastRung<T>> rungs(rows, all.end());
  REQUIRE(rungs.size() >= 2);
  for (const ShapePair& shapes : shapes_of_each_kind()) {
    for (std::size_t offset = 1; offset < 16 / sizeof(T); offset += step) {
      for (const Offsets& offsets : {Offsets{offset, 0, 0}, Offsets{0, offset, 0},
                                     Offsets{0, 0, offset}, Offsets{offset, offset, offset}}) {
        INFO(test::to_string(shapes) << ", " << offsets.in0 << offsets.in1 << offsets.out);
        const auto trial = trial_of<T>(shapes, ArithmeticOp::Sub, offsets);
        CHECK(first_violation(rungs, ArithmeticOp::Sub, shapes, trial) == "");
      }
    }
  }
}

/// What the reader's rung promises for `images` of any number of channels, of `pixels` halves each.
Promises promises_of_yours(std::int64_t images, std::int64_t pixels) {
  const auto a = [](std::int64_t i) { return half(static_cast<float>(i % 61)); };
  const auto b = [](std::int64_t channel) {
    return half(static_cast<float>(64 + channel % 29 * 64));
  };
  const RungClaims claims = your_arithmetic_claims();
  Promises promises;
  promises.size_name = "channels";
  promises.sizes = {1, 2, 3, 7, 31, 32, 33, 257};
  promises.any_size = 5;
  const std::int64_t most = promises.sizes.back();
  promises.inputs = {
      input_array("a", values_of<half>({most * images * pixels}, a), claims.alignment, true),
      input_array("b", values_of<half>({most}, b), sizeof(half), false)};
  promises.inputs[0].per_n = images * pixels;
  promises.out_element_bytes = sizeof(half);
  promises.out_alignment = claims.alignment;
  promises.out_bytes = [=](std::int64_t channels) {
    return static_cast<std::size_t>(images * channels * pixels) * sizeof(half);
  };
  promises.launch = [=](const std::vector<const void*>& in, void* y, std::int64_t channels,
                        cudaStream_t stream) {
    const std::int64_t n = channels < 0 ? channels : images * channels * pixels;
    return your_arithmetic(static_cast<const half*>(in[0]), static_cast<const half*>(in[1]),
                           static_cast<half*>(y), n, channels, pixels, stream);
  };
  promises.judge = [=](const unsigned char* output, std::int64_t channels) -> Complaint {
    const auto* y = reinterpret_cast<const half*>(output);
    for (std::int64_t i = 0; i < images * channels * pixels; ++i) {
      if (to_bits(y[i]) == 0xffff) return not_written(i);
      const std::int64_t channel = i / pixels % channels;
      const double expected = to_double(a(i)) + to_double(b(channel)), actual = to_double(y[i]);
      if (actual == expected) continue;
      std::ostringstream words;
      words << "y[" << i << "] = " << actual << ", expected " << expected << " = a[" << i
            << "] + b[" << channel << "] (channel " << channel << " of image "
            << i / pixels / channels << ", of " << pixels << " pixels)";
      const double other = actual - to_double(a(i));  // the b that was added: b[0] is 64, b[1] 128
      for (std::int64_t c = 0; c < std::min<std::int64_t>(channels, 29); ++c) {
        if (other == to_double(b(c))) words << "; it is a[" << i << "] + b[" << c << "]";
      }
      return {"value",
              words.str(),
              {{"index", static_cast<double>(i)}, {"expected", expected}, {"actual", actual}}};
    }
    return {};
  };
  return promises;
}

}  // namespace

TEST_CASE("arithmetic: your rung") {
  require_device();
  check_promises("your_arithmetic", promises_of_yours(1, 16));
  check_promises("your_arithmetic", promises_of_yours(3, 48));
}

TEST_CASE("broadcast rungs: each takes 20,000 random pairs, and gives all of them right") {
  require_device();
  constexpr int kPairs = 20000;
  const std::uint64_t seed = random_seed();
  std::printf("TUTORIAL_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const auto rungs = arithmetic_broadcast_rungs<std::int32_t>();
  std::vector<int> taken(rungs.size());
  const auto run = [&](const ShapePair& shapes) {
    const Broadcast broadcast = broadcast_strides(shapes.shape0, shapes.shape1);
    std::vector<BroadcastRung<std::int32_t>> chosen;  // those that still need pairs
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      if (taken[i] >= kPairs || !rungs[i].claims(broadcast)) continue;
      ++taken[i];
      chosen.push_back(rungs[i]);
    }
    if (chosen.empty()) return std::string();
    // All differences are distinct: an operand that is read at another place shows.
    const BroadcastTrial<std::int32_t, std::int32_t> trial(
        shapes, [](std::int64_t i) { return static_cast<std::int32_t>(i * 4096); },
        [](std::int64_t i) { return static_cast<std::int32_t>(i); },
        [](std::int32_t a, std::int32_t b) { return a - b; });
    return first_violation(chosen, ArithmeticOp::Sub, shapes, trial);
  };
  CHECK(first_failure(seed, 30 * kPairs, run) == "");
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    INFO(rungs[i].name << " took " << taken[i]);
    CHECK(taken[i] >= kPairs);
  }
}

TEST_CASE("broadcast rungs: random pairs in every type, the operations in turn") {
  require_device();
  const std::uint64_t seed = random_seed();
  std::printf("TUTORIAL_SEED=%llu\n", static_cast<unsigned long long>(seed));
  SECTION("f32") { check_random_shapes<float>(seed, 1000); }
  SECTION("f16") { check_random_shapes<half>(seed, 1000); }
  SECTION("bf16") { check_random_shapes<__nv_bfloat16>(seed, 1000); }
  SECTION("i64") { check_random_shapes<std::int64_t>(seed, 1000); }
  SECTION("i8") { check_random_shapes<std::int8_t>(seed, 1000); }
}

TEST_CASE("broadcast rungs: every operation in every type on a shape of each kind") {
  require_device();
  in_every_type([](auto zero) { check_every_op<decltype(zero)>(); });
}

TEST_CASE("broadcast rungs: wide accesses take any pointer") {
  require_device();
  SECTION("i64") { check_misaligned<std::int64_t>(1); }
  SECTION("f32") { check_misaligned<float>(1); }
  SECTION("f16") { check_misaligned<half>(2); }
  SECTION("i8") { check_misaligned<std::int8_t>(3); }
}

TEST_CASE("broadcast rungs: the result may take the place of an operand of its shape") {
  require_device();
  const ShapePair shapes{{5, 6, 20}, {6, 1}};
  const std::vector<float> in0 =
      values_of<float>(shapes.shape0, [](std::int64_t i) { return float(i); });
  const std::vector<float> in1 = {1, 2, 4, 8, 16, 32};
  const auto expected =
      broadcast_reference(shapes, in0, in1, [](float a, float b) { return a - b; });
  const Broadcast broadcast = merged_of(shapes);
  for (const auto& rung : arithmetic_broadcast_rungs<float>()) {
    if (!rung.claims(broadcast)) continue;
    INFO(rung.name);
    const GuardedBuffer<float> full(in0), shorter(in1);
    REQUIRE(rung.launch({ArithmeticOp::Sub, full.data(), shorter.data(), full.data()}, broadcast) ==
            cudaSuccess);
    CHECK(full.download() == expected);
    CHECK(full.intact());
  }
}

TEST_CASE("broadcast rungs: the work goes to the stream that it was given") {
  require_device();
  const ShapePair shapes{{5, 6, 20}, {6, 1}};
  const auto trial = trial_of<float>(shapes, ArithmeticOp::Add);
  const Broadcast broadcast = merged_of(shapes);
  const Stream stream;
  for (const auto& rung : arithmetic_broadcast_rungs<float>()) {
    if (!rung.claims(broadcast)) continue;
    CHECK(trial.violation([&](const float* in0, const float* in1, float* out) {
      const cudaError_t error =
          rung.launch({ArithmeticOp::Add, in0, in1, out, stream.get()}, broadcast);
      stream.synchronize();
      return error;
    }) == "");
  }
}

// ---- What is refused ----------------------------------------------------------------------------

namespace {

/// What the launch is refused with, and that nothing was written.
template <class Launch>
std::string refusal_of(const GuardedBuffer<float>& out, const Launch& launch,
                       cudaError_t expected = cudaErrorInvalidValue) {
  refuse(cudaSuccess, "");
  CHECK(launch() == expected);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.untouched());
  return last_refusal();
}

/// A broadcast that no two shapes have.
Broadcast made_by_hand(std::int64_t extent, std::int64_t stride0, std::int64_t elements) {
  Broadcast broadcast;
  broadcast.rank = 1;
  broadcast.extent[0] = extent;
  broadcast.stride0[0] = stride0;
  broadcast.stride1[0] = 1;
  broadcast.elements = elements;
  return broadcast;
}

}  // namespace

TEST_CASE("broadcast rungs: numbers that describe no broadcast are refused, a sentence each") {
  require_device();
  const GuardedBuffer<float> in0(std::vector<float>(64, 1.0f)), in1(std::vector<float>(64, 2.0f));
  const GuardedBuffer<float> out(64);
  const ArithmeticCall<float> call{ArithmeticOp::Add, in0.data(), in1.data(), out.data()};
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto refused = [&](auto launch) { return refusal_of(out, launch); };
  CHECK(refused([&] { return arithmetic_one_scalar(call, -1, false); }) ==
        "-1 elements are less than none");
  CHECK(refused([&] { return arithmetic_one_dimension(call, 64, 0, false); }) ==
        "inner is 0, and must be positive");
  CHECK(refused([&] { return arithmetic_one_dimension(call, 64, 12, false); }) ==
        "64 elements do not divide by inner = 12");
  CHECK(refused([&] { return arithmetic_one_not_broadcast(call, 64, -4, 8, false); }) ==
        "axis is -4, and must be positive");
  CHECK(refused([&] { return arithmetic_one_not_broadcast(call, 64, kMost, 4, false); }) ==
        "16 elements do not divide by axis = 9223372036854775807");
  CHECK(refused([&] { return arithmetic_one_broadcast(call, 64, 32, 5, false); }) ==
        "32 elements do not divide by inner = 5");
  CHECK(refused([&] { return arithmetic_one_broadcast(call, 64, 48, 8, false); }) ==
        "64 elements do not divide by outer_stride = 48");
  ArithmeticCall<float> tenth = call;
  tenth.op = static_cast<ArithmeticOp>(9);
  CHECK(refused([&] { return arithmetic_one_scalar(tenth, 64, false); }) ==
        "the operation is none of the nine");
  // No elements: nothing is launched, whatever the rest says.
  const ArithmeticCall<float> empty{ArithmeticOp::Add, nullptr, nullptr, nullptr};
  CHECK(arithmetic_one_dimension(empty, 0, 0, false) == cudaSuccess);
}

TEST_CASE("broadcast rungs: every rung refuses bad pointers and broadcasts that are none") {
  require_device();
  const GuardedBuffer<float> in0(std::vector<float>(64, 1.0f)), in1(std::vector<float>(64, 2.0f));
  const GuardedBuffer<float> out(64);
  const auto odd = [](const float* pointer) {
    return reinterpret_cast<const float*>(reinterpret_cast<const char*>(pointer) + 2);
  };
  const std::vector<ShapePair> claimed_by_all_between_them = {
      {{64}, {}}, {{8, 8}, {8}}, {{8, 8}, {8, 1}}, {{2, 4, 8}, {2, 1, 8}}};
  for (const auto& rung : arithmetic_broadcast_rungs<float>()) {
    INFO(rung.name);
    const auto run = [&](const Broadcast& broadcast, const float* a, const float* b,
                         const float* y) {
      return [&rung, &broadcast, a, b, y] {
        return rung.launch({ArithmeticOp::Add, a, b, const_cast<float*>(y)}, broadcast);
      };
    };
    for (const ShapePair& shapes : claimed_by_all_between_them) {
      const Broadcast good = merged_of(shapes);
      if (!rung.claims(good)) continue;
      const float *a = in0.data(), *b = in1.data(), *y = out.data();
      CHECK(refusal_of(out, run(good, nullptr, b, y)) == "in0 is a null pointer");
      CHECK(refusal_of(out, run(good, a, nullptr, y)) == "in1 is a null pointer");
      CHECK(refusal_of(out, run(good, a, b, nullptr)) == "out is a null pointer");
      const cudaError_t misaligned = cudaErrorMisalignedAddress;
      const std::string why = " is not aligned to 4 bytes";
      CHECK(refusal_of(out, run(good, odd(a), b, y), misaligned) == "in0" + why);
      CHECK(refusal_of(out, run(good, a, odd(b), y), misaligned) == "in1" + why);
      CHECK(refusal_of(out, run(good, a, b, odd(y)), misaligned) == "out" + why);
    }
    if (rung.name.rfind("one_", 0) == 0) continue;  // those take numbers, not a Broadcast
    const float *a = in0.data(), *b = in1.data(), *y = out.data();
    const auto why = [&](const Broadcast& bad) { return refusal_of(out, run(bad, a, b, y)); };
    Broadcast ranks = made_by_hand(8, 1, 8);
    ranks.rank = 8;
    CHECK(why(ranks) == "a broadcast of 8 dimensions, and 0 to 7 are supported");
    CHECK(why(made_by_hand(-8, 1, -8)) == "a broadcast with a negative extent");
    CHECK(why(made_by_hand(8, -1, 8)) == "a broadcast with a negative stride");
    CHECK(why(made_by_hand(8, 1, 9)) ==
          "a broadcast whose number of elements is not the product of its extents");
    CHECK(why(made_by_hand(8, std::numeric_limits<std::int64_t>::max() / 2, 8)) ==
          "a broadcast whose strides lead beyond 2^63 elements");
  }
}

TEST_CASE("broadcast rungs: what a rung does not claim, it refuses") {
  require_device();
  const GuardedBuffer<float> in(std::vector<float>(64, 1.0f));
  const GuardedBuffer<float> out(64);
  const ArithmeticCall<float> call{ArithmeticOp::Add, in.data(), in.data(), out.data()};
  const Broadcast large = merged_of({{1 << 16, 1 << 16}, {1 << 16}});
  CHECK_FALSE(fits_32_bits(large));
  CHECK(fits_32_bits(merged_of({{(1 << 16) - 1, 1 << 16}, {1 << 16}})));
  CHECK(fits_32_bits(merged_of({{(std::int64_t{1} << 32) - 1}, {1}})));
  const std::string too_large = "2^32 elements or more, and this rung counts in 32 bits";
  CHECK(refusal_of(out, [&] { return arithmetic_strided_32(call, large); }) == too_large);
  CHECK(refusal_of(out, [&] { return arithmetic_strided_fast(call, large); }) == too_large);
  const Broadcast far = made_by_hand(3, std::int64_t{1} << 31, 3);
  CHECK_FALSE(fits_32_bits(far));
  Broadcast second_far = far;
  std::swap(second_far.stride0, second_far.stride1);
  CHECK_FALSE(fits_32_bits(second_far));
  CHECK(refusal_of(out, [&] { return arithmetic_strided_32(call, far); }) == too_large);

  const Broadcast four = merged_of({{2, 1, 2, 1}, {1, 2, 1, 2}});
  CHECK(four.rank == 4);
  CHECK_FALSE(fits_rows(four));
  CHECK(refusal_of(out, [&] { return arithmetic_rows(call, four); }) ==
        "more than three dimensions are left after merging, or the last one is strided");
  const Broadcast every_other = made_by_hand(8, 2, 8);
  CHECK_FALSE(fits_rows(every_other));
  CHECK_FALSE(is_of_shapes(every_other));
  Broadcast one_each = made_by_hand(8, 0, 8);  // of one element each, no shape makes eight
  one_each.stride1[0] = 0;
  CHECK_FALSE(is_of_shapes(one_each));
  CHECK(refusal_of(out, [&] { return arithmetic_packed(call, every_other); }) ==
        "strides that are not those of two contiguous tensors");
}

TEST_CASE("broadcast rungs: strides that no shape has are the strided kernels' own") {
  require_device();
  // Every other column of a matrix of ten, minus a column of another: no tensor of any shape.
  Broadcast by_hand;
  by_hand.rank = 2;
  by_hand.extent[0] = 6;
  by_hand.extent[1] = 5;
  by_hand.stride0[0] = 10;
  by_hand.stride0[1] = 2;
  by_hand.stride1[0] = 7;
  by_hand.elements = 30;
  const auto in0 = values_of<float>({6, 10}, [](std::int64_t i) { return static_cast<float>(i); });
  const auto in1 =
      values_of<float>({6, 7}, [](std::int64_t i) { return 1000.0f * static_cast<float>(i); });
  std::vector<float> expected;
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t column = 0; column < 5; ++column) {
      expected.push_back(in0[row * 10 + column * 2] - in1[row * 7]);
    }
  }
  const BroadcastTrial<float, float> trial(in0, in1, expected);
  for (const auto& rung : arithmetic_broadcast_rungs<float>()) {
    INFO(rung.name);
    const bool strided = rung.name.rfind("strided", 0) == 0;
    CHECK(rung.claims(by_hand) == strided);
    if (strided) CHECK(violation(rung, ArithmeticOp::Sub, by_hand, trial) == "");
  }
}

TEST_CASE("broadcast rungs: int8 refuses bad scales") {
  require_device();
  const GuardedBuffer<std::int8_t> in(std::vector<std::int8_t>(64, 1));
  const GuardedBuffer<std::int8_t> out(64);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<ShapePair> pairs = {
      {{64}, {}}, {{8, 8}, {8}}, {{8, 8}, {8, 1}}, {{2, 4, 8}, {2, 1, 8}}};
  for (const auto& rung : arithmetic_broadcast_rungs<std::int8_t>()) {
    for (const ShapePair& shapes : pairs) {
      const Broadcast broadcast = merged_of(shapes);
      if (!rung.claims(broadcast)) continue;
      for (const float bad : {0.0f, -1.0f, kInfinity, nan}) {
        for (const Int8Scales& scales :
             {Int8Scales{bad, 1, 1}, Int8Scales{1, bad, 1}, Int8Scales{1, 1, bad}}) {
          INFO(rung.name << " " << bad);
          refuse(cudaSuccess, "");
          CHECK(rung.launch({ArithmeticOp::Add, in.data(), in.data(), out.data(), nullptr, scales},
                            broadcast) == cudaErrorInvalidValue);
          CHECK(last_refusal().find("the scale of ") == 0);
        }
      }
    }
  }
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.untouched());
}

// ---- Beside the ladder --------------------------------------------------------------------------

TEST_CASE("arithmetic_fp16_strided: groups of eight halves, for any block size") {
  require_device();
  const auto run = [](const ShapePair& random) {
    ShapePair shapes = random;  // rows of 8, 16 or 24 halves
    if (shapes.shape0.size() == kMaxDimensions) shapes.shape0.erase(shapes.shape0.begin());
    if (shapes.shape1.size() == kMaxDimensions) shapes.shape1.erase(shapes.shape1.begin());
    const std::int64_t row = 8 * (1 + static_cast<std::int64_t>(shapes.shape0.size()) % 3);
    shapes.shape0.push_back(row);
    shapes.shape1.push_back(row);
    const Broadcast broadcast = broadcast_strides(shapes.shape0, shapes.shape1);
    if (broadcast.elements > 0 && !fits_half8(broadcast)) return std::string("not taken");
    const auto trial = trial_of<half>(shapes, ArithmeticOp::Sub);
    const int threads = 32 + 37 * static_cast<int>(shapes.shape1.size());
    return trial.violation(
        [&](const half* in0, const half* in1, half* out) {
          // The guard of a trial is a multiple of 16 bytes, and so is what lies before `out`.
          return arithmetic_fp16_strided({ArithmeticOp::Sub, in0, in1, out}, broadcast, threads);
        },
        same_value<half>);
  };
  CHECK(first_failure(random_seed(), 1000, run) == "");
}

TEST_CASE("arithmetic_fp16_strided: refuses what is not groups of eight, and bad blocks") {
  require_device();
  const GuardedBuffer<half> in(std::vector<half>(64, half(1.0f)));
  const GuardedBuffer<half> out(64);
  const auto run = [&](const ShapePair& shapes, std::size_t offset, int threads) {
    refuse(cudaSuccess, "");
    return arithmetic_fp16_strided({ArithmeticOp::Add, in.data() + offset, in.data(), out.data()},
                                   merged_of(shapes), threads);
  };
  const std::string no_groups = "the broadcast does not consist of groups of eight";
  for (const ShapePair& shapes : std::vector<ShapePair>{
           {{63}, {63}}, {{8, 8}, {8, 1}}, {{64}, {}}, {{5, 12}, {12}}, {{12}, {12}}}) {
    CHECK_FALSE(fits_half8(merged_of(shapes)));
    CHECK(run(shapes, 0, 128) == cudaErrorInvalidValue);
    CHECK(last_refusal() == no_groups);
  }
  CHECK(run({{7, 8}, {8}}, 1, 128) == cudaErrorMisalignedAddress);
  CHECK(last_refusal() == "in0 is not aligned to 16 bytes");
  CHECK(run({{8, 8}, {8}}, 0, 0) == cudaErrorInvalidConfiguration);
  CHECK(run({{8, 8}, {8}}, 0, 1025) == cudaErrorInvalidConfiguration);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(out.untouched());
}

// ---- Large --------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t kPeriod = 251 * 241;  // odd, and no divisor of the sizes below

std::int8_t large_value(std::int64_t i) { return static_cast<std::int8_t>(i % kPeriod % 97 - 48); }

/// in0 + in1, with in0 of `shapes.shape0` full and large and in1 small: what is wrong around 2^31,
/// 2^32 and the ends.
std::string violation_past_2_32(const BroadcastRung<std::int8_t>& rung, const ShapePair& shapes,
                                const DeviceBytes& in0, const DeviceBytes& out) {
  const Broadcast broadcast = merged_of(shapes);
  const std::vector<std::int8_t> small =
      values_of<std::int8_t>(shapes.shape1, [](std::int64_t i) { return large_value(3 * i + 1); });
  const GuardedBuffer<std::int8_t> in1(small);
  require_success(cudaMemset(out.data(), 0xff, out.size()), "cudaMemset");
  const cudaError_t error = rung.launch({ArithmeticOp::Add,
                                         reinterpret_cast<const std::int8_t*>(in0.data()),
                                         in1.data(),
                                         reinterpret_cast<std::int8_t*>(out.data()),
                                         nullptr,
                                         {1.0f, 1.0f, 1.0f}},
                                        broadcast);
  if (error != cudaSuccess) return cudaGetErrorName(error);
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

  const std::int64_t n = broadcast.elements, slice = 1 << 16;
  const TensorShape result = result_shape(shapes);
  for (const std::int64_t middle :
       {slice, std::int64_t{1} << 31, std::int64_t{1} << 32, n - slice}) {
    std::vector<std::int8_t> host(static_cast<std::size_t>(2 * slice));
    require_success(
        cudaMemcpy(host.data(), out.data() + middle - slice, host.size(), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
    for (std::int64_t k = 0; k < 2 * slice; ++k) {
      const std::int64_t i = middle - slice + k;
      TensorShape index(result.size());
      std::int64_t rest = i;
      for (std::size_t d = result.size(); d-- > 0; rest /= result[d]) index[d] = rest % result[d];
      const int sum =
          large_value(i) + small[static_cast<std::size_t>(operand_index(shapes.shape1, index))];
      if (host[static_cast<std::size_t>(k)] != std::clamp(sum, -128, 127)) {
        return "element " + std::to_string(i) + " is wrong";
      }
    }
  }
  return "";
}

}  // namespace

TEST_CASE("broadcast rungs: more than 2^32 elements", "[long]") {
  require_device();
  const TensorShape full = {67, 8009, 8011};  // 2^32 and some 3.8 million
  const auto n = static_cast<std::size_t>(elements_of(full));
  if (!on_gpu) SKIP("2^32 elements take a GPU");
  REQUIRE(elements_of(full) > (std::int64_t{1} << 32) + (1 << 17));
  std::size_t free_bytes = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &total) == cudaSuccess);
  if (free_bytes < 2 * n + (std::size_t{1} << 28)) SKIP("not enough memory");

  const DeviceBytes in0(n), out(n);
  const auto tile = values_of<std::int8_t>({kPeriod}, large_value);
  fill_with_tile(in0.data(), n, tile.data(), tile.size());
  for (const TensorShape& shorter : std::vector<TensorShape>{
           {}, {8011}, {8009, 1}, {67, 1, 1}, {67, 1, 8011}, {1, 8009, 8011}}) {
    const ShapePair shapes{full, shorter};
    for (const auto& rung : arithmetic_broadcast_rungs<std::int8_t>()) {
      if (!rung.claims(merged_of(shapes))) continue;
      INFO(rung.name << " " << test::to_string(shapes));
      CHECK(violation_past_2_32(rung, shapes, in0, out) == "");
    }
  }
}

// What only a GPU is fast and large enough for: all pairs of 16-bit patterns, and more than 2^32
// elements.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "05_logical_relation/logical_relation.h"
#include "05_logical_relation/proof/logical_relation_promises.h"
#include "05_logical_relation/proof/logical_relation_reference.h"
#include "05_logical_relation/proof/logical_relation_values.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/proof/tiled.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// All ordered pairs of 16-bit patterns, in launches of 2^26.
///
/// Operand a repeats all 65,536 patterns. Operand b repeats them with the first once more at the
/// end, 65,537 in all, so that b moves on by one against a from period to period: 1024 periods
/// bring 1024 different b to each a. A launch begins its b 1024 patterns after the last one did; 65
/// of them, and every a has met every b. So nothing is uploaded but once, and b stays aligned.
template <class T>
class AllPairs {
 public:
  static constexpr int kLaunches = 65;
  static constexpr std::int64_t kPairs = std::int64_t{1} << 26;  // in a launch
  static constexpr std::int64_t kPeriodA = 65536, kPeriodB = 65537;

  AllPairs()
      : a_(kPairs * sizeof(T)),
        b_((kPairs + kLaunches * 1024) * sizeof(T)),
        y_(kPairs),
        host_(kPairs) {
    std::vector<T> patterns = all_values<T>();
    fill_with_tile(a_.data(), a_.size(), patterns.data(), patterns.size() * sizeof(T));
    patterns.push_back(patterns[0]);
    fill_with_tile(b_.data(), b_.size(), patterns.data(), patterns.size() * sizeof(T));
    // As relation_of_bits() has it, worked out once: places in the order of all numbers.
    for (const T value : patterns) {
      place_.push_back(order_of(value));
      nan_.push_back(std::isnan(to_double(value)) ? 1 : 0);
    }
    for (std::size_t i = 0; i < 2 * kPeriodB; ++i) {
      place_b_.push_back(place_[i % kPeriodB]);
      nan_b_.push_back(nan_[i % kPeriodB]);
    }
  }

  /// How many of the answers of all pairs are wrong.
  std::int64_t wrong(const RelationRung<T>& rung, RelationOp op) {
    std::int64_t count = 0;
    for (int launch = 0; launch < kLaunches; ++launch) count += wrong_in(rung, op, launch);
    return count;
  }

 private:
  std::int64_t wrong_in(const RelationRung<T>& rung, RelationOp op, int launch) {
    const std::size_t bytes = answer_bytes(rung.answers, kPairs);
    require_success(cudaMemset(y_.data(), 0xff, bytes), "cudaMemset");
    require_success(rung.launch(op, reinterpret_cast<const T*>(a_.data()),
                                reinterpret_cast<const T*>(b_.data()) + launch * 1024, y_.data(),
                                kPairs, nullptr),
                    "launch");
    require_success(cudaMemcpy(host_.data(), y_.data(), bytes, cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
    std::atomic<std::int64_t> count{0};
    parallel_pieces(kPairs / kPeriodA, [&](int, std::int64_t begin, std::int64_t end) {
      std::vector<Byte> expected(kPeriodA);
      for (std::int64_t period = begin; period < end; ++period) {
        expect(op, (period * kPeriodA + launch * 1024) % kPeriodB, expected);
        count += differences(rung.answers, period, expected);
      }
    });
    return count;
  }

  /// The answers of all a with the b from place `first` of their period on. Written so that the
  /// host's compiler makes SIMD of it: there are 2^32 of these.
  void expect(RelationOp op, std::int64_t first, std::vector<Byte>& expected) const {
    const auto fill = [&](auto compare) {
      const int *left = place_.data(), *right = place_b_.data() + first;
      const Byte *nan_left = nan_.data(), *nan_right = nan_b_.data() + first;
      Byte* out = expected.data();
      for (std::int64_t i = 0; i < kPeriodA; ++i) {
        const int numbers = 1 - (nan_left[i] | nan_right[i]);
        out[i] = static_cast<Byte>(numbers & (compare(left[i], right[i]) ? 1 : 0));
      }
    };
    switch (op) {
      case RelationOp::Equal:
      case RelationOp::NotEqual:
        fill([](int a, int b) { return a == b; });
        break;
      case RelationOp::Greater:
        fill([](int a, int b) { return a > b; });
        break;
      case RelationOp::GreaterOrEqual:
        fill([](int a, int b) { return a >= b; });
        break;
      case RelationOp::Less:
        fill([](int a, int b) { return a < b; });
        break;
      case RelationOp::LessOrEqual:
        fill([](int a, int b) { return a <= b; });
        break;
    }
    if (op == RelationOp::NotEqual) {
      for (Byte& answer : expected) answer = answer ^ 1u;
    }
  }

  std::int64_t differences(Answers answers, std::int64_t period,
                           const std::vector<Byte>& expected) const {
    std::int64_t count = 0;
    if (answers == Answers::bytes) {
      const unsigned char* actual = host_.data() + period * kPeriodA;
      for (std::size_t i = 0; i < expected.size(); ++i) count += actual[i] != expected[i] ? 1 : 0;
      return count;
    }
    const std::vector<Byte> bits = packed_bits(expected);
    const unsigned char* actual = host_.data() + period * kPeriodA / 8;
    for (std::size_t i = 0; i < bits.size(); ++i) count += actual[i] != bits[i] ? 1 : 0;
    return count;
  }

  DeviceBytes a_, b_, y_;
  PinnedBuffer<unsigned char> host_;
  std::vector<int> place_, place_b_;
  std::vector<Byte> nan_, nan_b_;
};

/// The operator as a rung: it chooses the operation at run time.
template <class T>
RelationRung<T> operator_rung() {
  const auto launch = [](RelationOp op, const T* a, const T* b, Byte* y, std::int64_t n,
                         cudaStream_t stream) { return relation(op, {n}, a, {n}, b, y, stream); };
  return {"operator", launch, 16 / static_cast<int>(sizeof(T)), sizeof(T), 1};
}

/// Of the rungs with `part` in their names.
template <class T, std::size_t N>
void check_all_pairs(const std::vector<RelationRung<T>>& rungs, const RelationOp (&ops)[N],
                     const char* part = "") {
  if (!on_gpu) SKIP("2^32 pairs take a GPU");
  AllPairs<T> pairs;
  bool any = false;
  for (const RelationRung<T>& rung : rungs) {
    if (rung.name.find(part) == std::string::npos) continue;
    any = true;
    for (const RelationOp op : ops) {
      INFO(rung.name << " " << name_of(op));
      CHECK(pairs.wrong(rung, op) == 0);
    }
  }
  CHECK(any);
}

// ---- More elements than 32 bits count ----------------------------------------------------------

/// Runs a rung on n elements of two tiles of an odd length, and looks at every answer.
template <class Operation, class In>
std::string violation_of_large(const AnswerRung<Operation, In>& rung, Operation op,
                               const std::vector<In>& values, std::int64_t n) {
  constexpr std::int64_t kPeriod = (std::int64_t{1} << 19) - 1;
  const std::vector<In> a = OperandSample<In>(values, 1).first(kPeriod),
                        b = OperandSample<In>(values, 2).first(kPeriod);
  const std::vector<Byte> expected = expected_answers(op, a, b, Answers::bytes);
  const std::size_t in_bytes = static_cast<std::size_t>(n) * sizeof(In);
  const DeviceBytes left(in_bytes), right(in_bytes);
  const GuardedBytes y(answer_bytes(rung.answers, static_cast<std::size_t>(n)), 0);
  fill_with_tile(left.data(), in_bytes, a.data(), a.size() * sizeof(In));
  fill_with_tile(right.data(), in_bytes, b.data(), b.size() * sizeof(In));
  require_success(rung.launch(op, reinterpret_cast<const In*>(left.data()),
                              reinterpret_cast<const In*>(right.data()), y.data(), n, nullptr),
                  "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  if (!y.damage().empty()) return "the output was " + y.damage();

  constexpr std::int64_t kChunk = std::int64_t{1} << 26;  // bytes of answers
  const std::int64_t per_byte = rung.answers == Answers::bits ? 8 : 1;
  const PinnedBuffer<unsigned char> host(kChunk);
  const auto total = static_cast<std::int64_t>(y.size());
  for (std::int64_t first = 0; first < total; first += kChunk) {
    const std::int64_t count = std::min(kChunk, total - first);
    require_success(cudaMemcpy(host.data(), y.data() + first, static_cast<std::size_t>(count),
                               cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
    std::atomic<std::int64_t> wrong{-1};
    parallel_pieces(count, [&](int, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        unsigned byte = 0;
        for (std::int64_t k = 0; k < per_byte; ++k) {
          const std::int64_t element = (first + i) * per_byte + k;
          const unsigned answer =
              element < n ? expected[static_cast<std::size_t>(element % kPeriod)] : 0u;
          byte |= answer << k;
        }
        if (host.data()[i] != byte) wrong = first + i;
      }
    });
    if (wrong >= 0) return "byte " + std::to_string(wrong) + " of the answers is wrong";
  }
  return "";
}

template <class Operation, class In>
void check_large(const AnswerRung<Operation, In>& rung, Operation op,
                 const std::vector<In>& values) {
  if (!on_gpu) SKIP("takes gigabytes of a GPU's memory");
  std::size_t free_bytes = 0, total_bytes = 0;
  require_success(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const auto needs = [&](std::int64_t n) {
    return static_cast<std::size_t>(n) * (2 * sizeof(In) + 1) + (std::size_t{1} << 30);
  };
  if (free_bytes < needs(past_2_31)) SKIP("the GPU has too little memory");
  const std::int64_t n = free_bytes < needs(past_2_32) ? past_2_31 : past_2_32;
  INFO(rung.name << ", n = " << n);
  CHECK(violation_of_large(rung, op, values, n) == "");
}

}  // namespace

TEST_CASE("pairs: all 2^32 pairs of halves, the last rung, every operation", "[long]") {
  require_device();
  check_all_pairs(relation_rungs<half>(), kRelationOps, "_pdl");
}

TEST_CASE("pairs: all 2^32 pairs of bf16, the last rung, every operation", "[long]") {
  require_device();
  check_all_pairs(relation_rungs<Bf16>(), kRelationOps, "_pdl");
}

TEST_CASE("pairs: all 2^32 pairs of halves, every rung, greater", "[long]") {
  require_device();
  check_all_pairs(relation_rungs<half>(), {RelationOp::Greater});
}

TEST_CASE("pairs: all 2^32 pairs of bf16, every rung, not equal", "[long]") {
  require_device();
  check_all_pairs(relation_rungs<Bf16>(), {RelationOp::NotEqual});
}

TEST_CASE("pairs: all 2^32 pairs of halves and of bf16, the operator", "[long]") {
  require_device();
  SECTION("f16") { check_all_pairs(std::vector{operator_rung<half>()}, kRelationOps); }
  SECTION("bf16") { check_all_pairs(std::vector{operator_rung<Bf16>()}, kRelationOps); }
}

TEST_CASE("logical_relation: more than 2^32 elements", "[long]") {
  require_device();
  SECTION("and") { check_large(logical_rungs().back(), LogicalOp::And, truth_values()); }
  SECTION("and, naive") { check_large(logical_rungs().front(), LogicalOp::And, truth_values()); }
  SECTION("not") { check_large(logical_not_rungs().back(), LogicalOp::Not, truth_values()); }
  for (const char* name : {"f16", "f16x8_pdl", "f16x16_wide", "f16x16_ballot", "f16x8_bits"}) {
    SECTION(name) {
      check_large(rung_named(name, relation_rungs<half>()), RelationOp::Greater,
                  special_values<half>());
    }
  }
  SECTION("f32x4_pdl") {
    check_large(rung_named("f32x4_pdl", relation_rungs<float>()), RelationOp::Less,
                special_values<float>());
  }
}

// The bug museum: each exhibit fails in the way that notes/bugs.md explains. The two that do not
// compile are CTest tests of their own; those that read out of bounds also run under
// AddressSanitizer.
#include <cmath>
#include <string>
#include <vector>

#include "05_logical_relation/logical_relation.h"
#include "05_logical_relation/proof/logical_relation_promises.h"
#include "05_logical_relation/proof/museum/exhibits.cuh"
#include "common/proof/catch.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// The answers of an exhibit with two inputs.
template <class In, class Launch>
std::vector<Byte> answers_of(const Launch& launch, const std::vector<In>& a,
                             const std::vector<In>& b) {
  const GuardedBuffer<In> left(a), right(b);
  const GuardedBuffer<Byte> y(a.size());
  require_success(
      launch(left.data(), right.data(), y.data(), static_cast<std::int64_t>(a.size()), nullptr),
      "launch");
  return y.download();
}

/// The same pair of lists through the operator.
template <class T>
std::vector<Byte> operator_answers(RelationOp op, const std::vector<T>& a,
                                   const std::vector<T>& b) {
  const auto n = static_cast<std::int64_t>(a.size());
  return answers_of(
      [&](const T* left, const T* right, Byte* y, std::int64_t, cudaStream_t stream) {
        return relation(op, {n}, left, {n}, right, y, stream);
      },
      a, b);
}

std::vector<Byte> equal_answers(const Equality& equality, const std::vector<float>& a,
                                const std::vector<float>& b) {
  const auto n = static_cast<std::int64_t>(a.size());
  return answers_of(
      [&](const float* left, const float* right, Byte* y, std::int64_t, cudaStream_t stream) {
        return equal(equality, {n}, left, {n}, right, y, stream);
      },
      a, b);
}

}  // namespace

TEST_CASE("museum: a body under an #if that is never true is an empty kernel, and success",
          "[exhibit]") {
  require_device();
  const GuardedBuffer<Byte> a(std::vector<Byte>(1027, 0)), y(1027);
  CHECK(exhibits::compiled_away(a.data(), y.data(), 1027, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(y.untouched());  // still the 0xff of a fresh buffer; zeroed memory would have hidden it

  const GuardedBuffer<Byte> zeroed(std::vector<Byte>(1027, 0)), ones(std::vector<Byte>(1027, 1));
  REQUIRE(exhibits::compiled_away(ones.data(), zeroed.data(), 1027, nullptr) == cudaSuccess);
  CHECK(zeroed.download() == std::vector<Byte>(1027, 0));  // !1 is 0: a test on this would pass
}

// The faults absolute_equal, relative_infinity and not_equal_nan are the exhibits of the next three.
TEST_CASE("museum: a tolerance alone says that inf is not inf", "[exhibit]") {
  require_device();
  const float inf = HUGE_VALF;
  CHECK(equal_answers(Equality::absolute(1e-6f), {inf, -inf, inf, 1e-7f},
                      {inf, -inf, -inf, 5e-7f}) == std::vector<Byte>{1, 1, 0, 1});
}

TEST_CASE("museum: a ratio alone says that every number is inf", "[exhibit]") {
  require_device();
  const float inf = HUGE_VALF;
  CHECK(equal_answers(Equality::relative(1e-6f), {inf, inf, 0.0f, inf}, {1.0f, -inf, -inf, inf}) ==
        std::vector<Byte>{0, 0, 0, 1});
}

TEST_CASE("museum: one_scalar for (2,) against (3, 1) reads past the end", "[exhibit]") {
  require_device();
  const std::vector<float> a = {1.0f, 2.0f};
  // What happens to lie behind b: three more numbers of somebody else's.
  const std::vector<float> b = {0.5f, 1.5f, 2.5f, 0.0f, 0.0f, 0.0f};
  const GuardedBuffer<float> in0(a), in1(b);
  const GuardedBuffer<Byte> y(6), right(6);
  REQUIRE(exhibits::one_scalar_for_both_sided(in0.data(), in1.data(), y.data(), nullptr) ==
          cudaSuccess);
  // It compares a[0] with b[0] to b[5]. The last three answers are of numbers that are not there.
  CHECK(y.download() == std::vector<Byte>{1, 0, 0, 1, 1, 1});
  REQUIRE(relation(RelationOp::Greater, {2}, in0.data(), {3, 1}, in1.data(), right.data(),
                   nullptr) == cudaSuccess);
  CHECK(right.download() == std::vector<Byte>{1, 1, 0, 1, 0, 0});
}

TEST_CASE("museum: __hne says that a NaN is not different", "[exhibit]") {
  require_device();
  const half nan = from_double<half>(NAN), one = from_double<half>(1.0),
             two = from_double<half>(2.0);
  const std::vector<half> a = {nan, nan, one, one}, b = {nan, one, one, two};
  CHECK(operator_answers(RelationOp::NotEqual, a, b) == std::vector<Byte>{1, 1, 0, 1});
}

TEST_CASE("museum: And on bits is not And on truth", "[exhibit]") {
  require_device();
  const std::vector<Byte> a(64, 1), b(64, 2);
  CHECK(answers_of(exhibits::and_of_bits, a, b) == std::vector<Byte>(64, 0));  // 1 & 2
  const auto mended = [](const Byte* left, const Byte* right, Byte* y, std::int64_t n,
                         cudaStream_t stream) {
    return logical(LogicalOp::And, {n}, left, {n}, right, y, stream);
  };
  CHECK(answers_of(mended, a, b) == std::vector<Byte>(64, 1));
  // With canonical bytes the two agree, which is why nobody notices.
  const std::vector<Byte> zeros_and_ones = OperandSample<Byte>({0, 1, 0, 1, 1}, 1).first(1027);
  const std::vector<Byte> others = OperandSample<Byte>({0, 1, 1}, 2).first(1027);
  CHECK(answers_of(exhibits::and_of_bits, zeros_and_ones, others) ==
        answers_of(mended, zeros_and_ones, others));
}

// Tests of what common has for operations with two inputs: the kernels, their checks, their peer.

#include "common/proof/binary.h"
#include "common/bench/yardsticks.h"
#include "common/proof/answer.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"
#include "common/test/binary_kernels.h"

#include <cmath>
#include <string>
#include <vector>

using namespace tutorial;
using namespace tutorial::test;

namespace {

double reference(double a, double b) { return a - 2 * b; }

BinaryRung<float> rung(BinaryLauncher<float> launch) {
  return {"minus_twice", std::move(launch), 4, sizeof(float), 0.5};
}

cudaError_t right(const float* a, const float* b, float* y, std::int64_t n, cudaStream_t stream) {
  return minus_twice(a, b, y, n, stream);
}

std::string violations(BinaryLauncher<float> launch) {
  require_device();
  std::string text;
  for (const Complaint& complaint :
       promise_violations(promises_of(rung(std::move(launch)), reference))) {
    text += complaint.sentence + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a good launcher with two inputs breaks no promise", "[binary]") {
  CHECK(violations(right).empty());
  const BinaryLauncher<half> any = [](const half* a, const half* b, half* y, std::int64_t n,
                                      cudaStream_t stream) {
    return minus_twice(a, b, y, n, stream);
  };
  check_launcher_promises(BinaryRung<half>{"any", any, 8, sizeof(half), 0.501}, reference);
  check_launcher_promises(BinaryRung<half>{"pack", minus_twice_pack, 8, 16, 0.501}, reference);
}

TEST_CASE("two inputs: right on both sides of the size where blocks change", "[binary]") {
  require_device();
  constexpr std::int64_t kMost = (std::int64_t{64} << 20) / 12, kItems = 704 * 4;
  const std::int64_t full = (kMost / kItems + 1) * kItems;
  std::vector<float> a, b;
  for (std::int64_t i = 0; i <= full; ++i) {
    a.push_back(static_cast<float>(i % 4099));
    b.push_back(static_cast<float>(i % 1021));
  }
  const GuardedBuffer<float> left(a), right_b(b);
  for (const std::int64_t n : {kMost, kMost + 1, full - 1, full, full + 1}) {
    const GuardedBuffer<float> y(static_cast<std::size_t>(n));
    REQUIRE(right(left.data(), right_b.data(), y.data(), n, nullptr) == cudaSuccess);
    REQUIRE(y.intact());
    const std::vector<float> answers = y.download();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i] != a[i] - 2 * b[i]) ++wrong;
    }
    INFO("n = " << n);
    CHECK(wrong == 0);
  }
}

TEST_CASE("exchanged inputs are noticed", "[binary]") {
  const std::string text =
      violations([](const float* a, const float* b, float* y, std::int64_t n, cudaStream_t stream) {
        return minus_twice(b, a, y, n, stream);
      });
  CHECK(text.find("\nn = 7: y[0] = ") != std::string::npos);
  CHECK(text.find("one array as every input") == std::string::npos);
}

TEST_CASE("two inputs read at different places are noticed", "[binary]") {
  const std::string text =
      violations([](const float* a, const float* b, float* y, std::int64_t n, cudaStream_t stream) {
        if (n < 2) return minus_twice(a, b, y, n, stream);
        const cudaError_t error = minus_twice(a, b, y, 1, stream);
        return error != cudaSuccess ? error : minus_twice(a + 1, b, y + 1, n - 1, stream);
      });
  CHECK(text.find("one array as every input, n = 7: y[1] = ") != std::string::npos);
}

TEST_CASE("a launcher that writes over its second input is noticed", "[binary]") {
  const std::string text =
      violations([](const float* a, const float* b, float* y, std::int64_t n, cudaStream_t stream) {
        const cudaError_t error = minus_twice(a, b, nullptr, n, stream);  // checks what is null
        if (n <= 0 || a == nullptr || b == nullptr || y == nullptr) return error;
        const auto bytes = static_cast<std::size_t>(n) * sizeof(float);
        const cudaError_t copied = cudaMemcpyAsync(y, a, bytes, cudaMemcpyDeviceToDevice, stream);
        return copied != cudaSuccess ? copied : minus_twice(y, b, y, n, stream);
      });
  CHECK(text.find("in place of b") != std::string::npos);
  CHECK(text.find("in place of a") == std::string::npos);
}

TEST_CASE("the worst of all pairs is found", "[binary]") {
  require_device();
  const std::vector<float> a = {1, 2, 3}, b = {0.5, 1, 4, 8};
  const WorstError good = worst_error_of_pairs<float>(right, a, b, reference);
  CHECK(good.ulp == 0);
  CHECK(good.count == 12);
  const auto off_by_one = [](double left, double right) {
    return reference(left, right) + (left == 3 && right == 8 ? 1 : 0);
  };
  const WorstError bad = worst_error_of_pairs<float>(right, a, b, off_by_one);
  CHECK(bad.at_input == 3);
  CHECK(bad.expected == -12);
  CHECK(bad.actual == -13);
}

TEST_CASE("an answer's error names a small input, and what came instead of a number") {
  CHECK(error_sentence(0.5, 9.5e-41, -0.0, std::nan("")) ==
        "largest error 0.5 ULP, at x = 9.5e-41 (expected -0, got nan)");
}

TEST_CASE("xor_128bit combines every byte and touches no other", "[binary]") {
  require_device();
  for (const std::size_t bytes : {0u, 1u, 15u, 16u, 17u, 4099u}) {
    std::vector<unsigned char> left(bytes), right_bytes(bytes), expected(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      left[i] = static_cast<unsigned char>(i % 251);
      right_bytes[i] = static_cast<unsigned char>(i % 241 + 7);
      expected[i] = static_cast<unsigned char>(left[i] ^ right_bytes[i]);
    }
    const GuardedBuffer<unsigned char> a(left), b(right_bytes), to(bytes);
    REQUIRE(tutorial::bench::xor_128bit(a.data(), b.data(), to.data(), bytes, nullptr) ==
            cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(to.download() == expected);
    CHECK(to.intact());
  }
}

TEST_CASE("xor_128bit refuses what it cannot read", "[binary]") {
  require_device();
  const GuardedBuffer<unsigned char> a(64), b(64), to(64);
  using tutorial::bench::xor_128bit;
  CHECK(xor_128bit(nullptr, b.data(), to.data(), 64, nullptr) == cudaErrorInvalidValue);
  CHECK(xor_128bit(a.data(), b.data() + 1, to.data(), 32, nullptr) == cudaErrorMisalignedAddress);
  CHECK(to.untouched());
}

// What a fuzz program looks at (common/proof/fuzz), tried on launchers that break their promises.

#include "common/proof/catch.h"
#include "common/proof/fuzz/rungs.h"
#include "common/proof/fuzz/shapes.h"
#include "common/proof/support.h"
#include "common/refusal.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace tutorial;        // NOLINT(google-build-using-namespace)
using namespace tutorial::test;  // NOLINT(google-build-using-namespace)

namespace {

using fuzz::FuzzInput;
using fuzz::Sequence;
using fuzz::Trial;

cudaError_t negate(const float* x, float* y, std::int64_t n, cudaStream_t) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = -x[i];
  return cudaSuccess;
}

/// What a launcher of pointers that need 16 bytes answers.
cudaError_t checked(const float* x, const float* y, std::int64_t n) {
  if (n > std::int64_t{1} << 40) return cudaErrorInvalidConfiguration;
  if (n < 0 || (n > 0 && (x == nullptr || y == nullptr))) return cudaErrorInvalidValue;
  const auto bits = reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y);
  return n > 0 && bits % 16 != 0 ? cudaErrorMisalignedAddress : cudaSuccess;
}

/// What the first of 2000 random inputs says of the launcher, from the colon on; empty if none
/// says anything.
std::string complaint(const UnaryLauncher<float>& launch) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Sequence sequence(seed);
    std::vector<std::uint8_t> bytes(40);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(sequence.next());
    FuzzInput input(bytes.data(), bytes.size());
    try {
      Trial trial(input, "negate");
      fuzz::try_unary<float>(trial, {"", launch, 4, 16, 0.0}, [](double x) { return -x; });
    } catch (const fuzz::Violation& violation) {
      return violation.what.substr(violation.what.find(": ") + 2);
    }
  }
  return "";
}

/// The launcher in good order, but for what `instead` does after the checks.
template <class Instead>
std::string complaint_of(const Instead& instead) {
  return complaint([&](const float* x, float* y, std::int64_t n, cudaStream_t stream) {
    const cudaError_t error = checked(x, y, n);
    return instead(error, x, y, n, stream);
  });
}

}  // namespace

TEST_CASE("fuzz: a launcher that keeps its promises") {
  CHECK(complaint_of(
            [](cudaError_t error, const float* x, float* y, std::int64_t n, cudaStream_t stream) {
              return error == cudaSuccess ? negate(x, y, n, stream) : error;
            }) == "");
}

TEST_CASE("fuzz: each broken promise is noticed") {
  const auto starts = [](const std::string& text, const std::string& with) {
    INFO(text);
    CHECK(text.rfind(with, 0) == 0);
  };
  const auto drops_the_tail = [](cudaError_t error, const float* x, float* y, std::int64_t n,
                                 cudaStream_t stream) {
    return error == cudaSuccess ? negate(x, y, n / 4 * 4, stream) : error;
  };
  starts(complaint_of(drops_the_tail), "element ");
  const auto takes_any_pointer = [](cudaError_t error, const float* x, float* y, std::int64_t n,
                                    cudaStream_t stream) {
    if (error == cudaErrorMisalignedAddress) return cudaSuccess;
    return error == cudaSuccess ? negate(x, y, n, stream) : error;
  };
  starts(complaint_of(takes_any_pointer), "the call answers cudaSuccess, expected ");
  const auto refuses_wrongly = [](cudaError_t error, const float* x, float* y, std::int64_t n,
                                  cudaStream_t stream) {
    return error == cudaSuccess ? negate(x, y, n, stream) : cudaErrorNotSupported;
  };
  starts(complaint_of(refuses_wrongly),
         "the call answers cudaErrorNotSupported, expected cudaError");
  const auto writes_when_it_refuses = [](cudaError_t error, const float* x, float* y,
                                         std::int64_t n, cudaStream_t stream) {
    if (error == cudaSuccess) return negate(x, y, n, stream);
    if (n < 0 && y != nullptr) std::memset(y, 0, 1);
    return error;
  };
  starts(complaint_of(writes_when_it_refuses), "the call was refused and wrote to ");
  const auto writes_to_its_input = [](cudaError_t error, const float* x, float* y, std::int64_t n,
                                      cudaStream_t stream) {
    if (error != cudaSuccess) return error;
    negate(x, y, n, stream);
    if (n > 0 && x != y) const_cast<float*>(x)[0] = 77.0f;
    return cudaSuccess;
  };
  starts(complaint_of(writes_to_its_input), "the call wrote to its input x");
  const auto complains_all_the_same = [](cudaError_t error, const float* x, float* y,
                                         std::int64_t n, cudaStream_t stream) {
    if (error != cudaSuccess) return error;
    static_cast<void>(refuse(cudaSuccess, "never mind"));
    return negate(x, y, n, stream);
  };
  starts(complaint_of(complains_all_the_same), "succeeded, and said: never mind");
}

TEST_CASE("fuzz: a refusal needs its sentence where there is one") {
  FuzzInput nothing(nullptr, 0);
  Trial trial(nothing, "mute");
  trial.says_why();
  trial.mistake(cudaErrorInvalidValue);
  CHECK_THROWS_AS(trial.call([] { return cudaErrorInvalidValue; }), fuzz::Violation);
  CHECK_FALSE(trial.call([] { return refuse(cudaErrorInvalidValue, "it is wrong"); }));
}

TEST_CASE("fuzz: what broadcasts by the rule is what broadcast_shape() takes") {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Sequence sequence(seed);
    std::vector<std::uint8_t> bytes(60);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(sequence.next());
    FuzzInput input(bytes.data(), bytes.size());
    Trial trial(input, "shapes");
    const fuzz::FuzzShapes shapes = fuzz::fuzz_shapes(trial);
    TensorShape result;
    const bool taken = broadcast_shape(shapes.shape0, shapes.shape1, &result) == cudaSuccess;
    INFO(to_string(shapes));
    REQUIRE(taken == shapes.broadcast);
    if (taken) REQUIRE(elements_of(result) == static_cast<std::int64_t>(shapes.elements));
    refused += taken ? 0 : 1;
  }
  CHECK(refused > 200);
  CHECK(refused < 2000);
}

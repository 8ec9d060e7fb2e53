// The ladder of ElementwiseAdd, and the same kernel with other functors.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "06_primitives/primitives.h"
#include "06_primitives/proof/primitives_reference.h"
#include "common/proof/binary.h"
#include "common/proof/catch.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Every `step`th value of a 16-bit type.
template <class T>
std::vector<T> every(std::size_t step) {
  const std::vector<T> all = all_values<T>();
  std::vector<T> values;
  for (std::size_t i = 0; i < all.size(); i += step) values.push_back(all[i]);
  return values;
}

/// Values whose sums with each other are tried.
template <class T>
std::vector<T> addends() {
  if constexpr (std::is_same_v<T, float>) {
    return dense_floats(2);
  } else {
    return every<T>(61);
  }
}

template <class T>
void check_add(const BinaryRung<T>& rung) {
  check_launcher_promises(rung, add_reference);
  check_accuracy<T>(rung, add_reference, addends<T>(), addends<T>(), "primitives");
}

template <class T>
void check_multiply_add() {
  const auto launch = [](const std::vector<const T*>& in, T* y, std::int64_t n,
                         cudaStream_t stream) {
    return multiply_add(in[0], in[1], in[2], y, n, stream);
  };
  constexpr int kWidth = 16 / static_cast<int>(sizeof(T));
  check_launcher_promises<T>({"multiply_add", 3, launch, kWidth, sizeof(T), kAddUlp},
                             [](const double* in) { return in[0] * in[1] + in[2]; });
}

template <class T>
void check_sum4() {
  const auto launch = [](const std::vector<const T*>& in, T* y, std::int64_t n,
                         cudaStream_t stream) {
    return sum4(in[0], in[1], in[2], in[3], y, n, stream);
  };
  // In float, as the kernel adds: where terms cancel, its roundings are many ULP of the sum.
  const auto sum = [](const double* in) {
    const auto of = [](double a, double b) {
      return static_cast<float>(a) + static_cast<float>(b);
    };
    return double{of(of(in[0], in[1]), of(in[2], in[3]))};
  };
  constexpr int kWidth = 16 / static_cast<int>(sizeof(T));
  check_launcher_promises<T>({"sum4", 4, launch, kWidth, sizeof(T), kAddUlp}, sum);
}

/// Inputs of which the activation is a normal number of T, or zero because x is.
template <class T>
std::vector<T> with_normal_result(const std::vector<T>& values, Reference reference) {
  // 2^-118 for float and bf16: 1 + e^-x must not leave the range of what rcp_approx takes.
  const double least = Format<T>::min_exponent < -24 ? std::ldexp(1.0, -110) : 0.0;
  std::vector<T> kept;
  for (const T value : values) {
    const double y = std::fabs(reference(to_double(value)));
    if (to_double(value) == 0.0 || (std::isfinite(y) && y >= least)) kept.push_back(value);
  }
  return kept;
}

template <class T>
std::vector<T> activation_inputs() {
  if constexpr (std::is_same_v<T, float>) {
    return dense_floats(200);
  } else {
    return all_values<T>();
  }
}

template <class T>
void check_activation(const std::string& name, UnaryLauncher<T> launch, Reference reference) {
  INFO(name << ", " << dtype_name<T>());
  const UnaryRung<T> rung = activation_rung<T>(name, launch);
  check_launcher_promises(rung, reference);
  const std::vector<T> inputs = with_normal_result(activation_inputs<T>(), reference);
  const WorstError worst = worst_error(inputs, run_unary<T>(launch, inputs), reference);
  INFO("at " << worst.at_input << ": " << worst.actual << ", expected " << worst.expected);
  CHECK(worst.ulp <= rung.max_ulp);
  const std::vector<T> ends = {T(kNaN), T(kInfinity), T(-kInfinity), T(0.0f), T(-0.0f), T(-3e4f)};
  const std::vector<T> y = run_unary<T>(launch, ends);
  CHECK(std::isnan(to_double(y[0])));
  CHECK(to_double(y[1]) == kInfinity);
  CHECK(to_double(y[2]) == reference(-1e30));
  CHECK((to_double(y[3]) == 0.0 && !std::signbit(to_double(y[3]))));
  CHECK((to_double(y[4]) == 0.0 && std::signbit(to_double(y[4]))));
  CHECK(to_double(y[5]) == reference(-3e4));
}

template <class T>
void check_activations() {
  check_activation<T>("elu", elu<T>, elu_reference);
  check_activation<T>("gelu", gelu<T>, gelu_reference);
  check_activation<T>("swish", swish<T>, swish_reference);
}

template <class T>
void check_by_hand(const std::string& name, UnaryLauncher<T> launch, UnaryLauncher<T> by_hand) {
  INFO(name << ", " << dtype_name<T>());
  const std::vector<T> inputs = activation_inputs<T>();
  const std::vector<T> a = run_unary<T>(launch, inputs), b = run_unary<T>(by_hand, inputs);
  int different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool nan = std::isnan(to_double(a[i])) && std::isnan(to_double(b[i]));
    if (!nan && to_double(a[i]) != to_double(b[i])) ++different;
  }
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("every rung of ElementwiseAdd keeps the launcher's promises and adds") {
  require_device();
  for (const BinaryRung<float>& rung : add_rungs<float>()) check_add(rung);
  for (const BinaryRung<half>& rung : add_rungs<half>()) check_add(rung);
}

TEST_CASE("the operator adds float, half and bf16, and so does the kernel by hand") {
  require_device();
  check_add(add_operator_rung<float>());
  check_add(add_operator_rung<half>());
  check_add(add_operator_rung<Bf16>());
  check_accuracy<float>(add_by_hand_rung<float>(), add_reference, addends<float>(),
                        addends<float>(), "primitives");
  check_accuracy<half>(add_by_hand_rung<half>(), add_reference, addends<half>(), addends<half>(),
                       "primitives");
  check_accuracy<Bf16>(add_by_hand_rung<Bf16>(), add_reference, addends<Bf16>(), addends<Bf16>(),
                       "primitives");
}

TEST_CASE("your rung of ElementwiseAdd") {
  require_device();
  check_add(your_primitives_rung());
}

TEST_CASE("more elements than a grid has blocks for are refused") {
  require_device();
  constexpr std::int64_t n = std::numeric_limits<std::int64_t>::max();
  const GuardedBuffer<half> x(std::vector<half>(64, half(1.0f))), y(std::size_t{64});
  for (const BinaryRung<half>& rung : add_rungs<half>()) {
    if (rung.name == "add_f16_grid_stride") continue;  // its blocks walk on
    INFO(rung.name);
    CHECK(rung.launch(x.data(), x.data(), y.data(), n, nullptr) == cudaErrorInvalidConfiguration);
    static_cast<void>(cudaGetLastError());
  }
  CHECK(y.untouched());
}

TEST_CASE("halves in, floats out") {
  require_device();
  const std::vector<half> a = every<half>(1);
  std::vector<half> b(a.rbegin(), a.rend());
  for (const std::int64_t n : n_ladder(8)) {
    for (const std::size_t offset : {0u, 1u, 4u, 8u}) {
      if (n > static_cast<std::int64_t>(a.size())) continue;
      const auto count = static_cast<std::size_t>(n);
      const GuardedBuffer<half> x(std::vector<half>(a.begin(), a.begin() + n), offset);
      const GuardedBuffer<half> y(std::vector<half>(b.begin(), b.begin() + n));
      const GuardedBuffer<float> out(count, offset);
      REQUIRE(add_to_float(x.data(), y.data(), out.data(), n, nullptr) == cudaSuccess);
      REQUIRE(out.intact());
      const std::vector<float> sums = out.download();
      int wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double sum = to_double(a[i]) + to_double(b[i]);
        const bool right =
            std::isnan(sum) ? std::isnan(sums[i]) : sums[i] == static_cast<float>(sum);
        if (!right) ++wrong;
      }
      INFO("n = " << n << ", offset " << offset);
      CHECK(wrong == 0);
    }
  }
  const GuardedBuffer<half> x(std::size_t{8});
  const GuardedBuffer<float> out(std::size_t{8});
  CHECK(add_to_float(x.data(), x.data(), out.data(), -1, nullptr) == cudaErrorInvalidValue);
  CHECK(add_to_float(x.data(), nullptr, out.data(), 8, nullptr) == cudaErrorInvalidValue);
  CHECK(add_to_float(nullptr, nullptr, nullptr, 0, nullptr) == cudaSuccess);
  auto* odd = reinterpret_cast<float*>(reinterpret_cast<char*>(out.data()) + 2);
  CHECK(add_to_float(x.data(), x.data(), odd, 1, nullptr) == cudaErrorMisalignedAddress);
  CHECK(out.untouched());
}

TEST_CASE("three inputs: multiply_add") {
  require_device();
  check_multiply_add<float>();
  check_multiply_add<half>();
  check_multiply_add<Bf16>();
}

TEST_CASE("four inputs: sum4") {
  require_device();
  check_sum4<float>();
  check_sum4<half>();
  check_sum4<Bf16>();
}

TEST_CASE("one input: ELU, GELU and Swish in five lines each") {
  require_device();
  check_activations<float>();
  check_activations<half>();
  check_activations<Bf16>();
}

TEST_CASE("by primitives and by hand an activation is the same, bit for bit") {
  require_device();
  check_by_hand<float>("elu", elu<float>, elu_by_hand<float>);
  check_by_hand<float>("gelu", gelu<float>, gelu_by_hand<float>);
  check_by_hand<float>("swish", swish<float>, swish_by_hand<float>);
  check_by_hand<half>("elu", elu<half>, elu_by_hand<half>);
  check_by_hand<half>("gelu", gelu<half>, gelu_by_hand<half>);
  check_by_hand<half>("swish", swish<half>, swish_by_hand<half>);
  check_by_hand<Bf16>("elu", elu<Bf16>, elu_by_hand<Bf16>);
  check_by_hand<Bf16>("gelu", gelu<Bf16>, gelu_by_hand<Bf16>);
  check_by_hand<Bf16>("swish", swish<Bf16>, swish_by_hand<Bf16>);
}

TEST_CASE("more than 2^32 elements") {
  require_device();
  const auto twice = with_both_inputs_the_same(add_operator_rung<half>());
  check_past_2_31(twice, [](double x) { return x + x; });
}

#include "03_swish/backward/swish_backward.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "03_swish/proof/museum/exhibits.cuh"
#include "03_swish/proof/swish_reference.h"
#include "common/proof/backward.h"
#include "common/proof/launches.h"
#include "common/proof/operators.h"
#include "common/proof/record.h"
#include "common/proof/support.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

constexpr BinaryReference kReference = swish_backward_reference;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The operator, as a rung that takes any pointer.
template <class T>
TwoGradientsRung<T> swiglu_operator_rung() {
  return {std::string("operator_") + dtype_name<T>(), swiglu_backward<T>,
          16 / static_cast<int>(sizeof(T)), sizeof(T), kSwishBackwardUlp<T>};
}

/// What da and db must be, of {a, b, dy}.
double expected_a(const double* in) { return swiglu_backward_a_reference(in[0], in[1], in[2]); }
double expected_b(const double* in) { return swiglu_backward_b_reference(in[0], in[2]); }

/// A rung as one with one output, da or db; the other goes to memory that nobody looks at.
template <class T>
FloatRung<T> with_one_output(const TwoGradientsRung<T>& rung, bool is_a) {
  const auto other = std::make_shared<DeviceBytes>(std::size_t{1} << 23);
  const auto launch = [=](const std::vector<const T*>& in, T* y, std::int64_t n,
                          cudaStream_t stream) {
    auto* const unseen = reinterpret_cast<T*>(other->data());
    return rung.launch(in[0], in[1], in[2], is_a ? y : unseen, is_a ? unseen : y, n, stream);
  };
  return {rung.name + (is_a ? " da" : " db"), 3, launch, rung.width, rung.alignment, rung.max_ulp};
}

/// da and db of the arrays.
template <class T>
std::vector<std::vector<T>> run_swiglu_backward(const TwoGradientsRung<T>& rung,
                                                const std::vector<T>& a, const std::vector<T>& b,
                                                const std::vector<T>& dy) {
  const GuardedBuffer<T> in_a(a), in_b(b), in_dy(dy), da(a.size()), db(a.size());
  require_success(rung.launch(in_a.data(), in_b.data(), in_dy.data(), da.data(), db.data(),
                              static_cast<std::int64_t>(a.size()), nullptr),
                  "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  return {da.download(), db.download()};
}

/// The largest error of both outputs, for every a with one b and one dy.
template <class T>
WorstError worst_of_swiglu(const TwoGradientsRung<T>& rung, const std::vector<T>& a, T b, T dy) {
  const auto out =
      run_swiglu_backward<T>(rung, a, std::vector<T>(a.size(), b), std::vector<T>(a.size(), dy));
  WorstError worst;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double in[] = {to_double(a[i]), to_double(b), to_double(dy)};
    for (const bool is_a : {true, false}) {
      const T actual = out[is_a ? 0 : 1][i];
      const double expected = is_a ? expected_a(in) : expected_b(in);
      worst.observe(in[0], expected, to_double(actual), signed_ulp_error(actual, expected),
                    rung.max_ulp);
    }
  }
  return worst;
}

}  // namespace

// ---- Swish ------------------------------------------------------------------------------------

TEST_CASE("swish backward: every launcher keeps its promises") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    check_backward_promises(swish_backward_rungs<T>(), kReference);
    check_launcher_promises(swish_backward_operator_rung<T>(), kReference);
  });
}

TEST_CASE("swish backward: largest error over all inputs and many gradients") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    check_backward_accuracy(swish_backward_rungs<decltype(type)>(), kReference, "swish");
  });
}

TEST_CASE("swish backward: other betas") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    const std::vector<T> x = arguments_of_derivative<T>();
    const auto check = [&](float beta, BinaryReference reference) {
      const WorstError worst = worst_error_of_pairs(swish_backward_operator_rung<T>(beta).launch, x,
                                                    {T(1.0f), T(-3.7f)}, reference);
      INFO("beta = " << beta << ": " << worst.description(kSwishBackwardUlp<T>));
      CHECK(worst.ulp <= kSwishBackwardUlp<T>);
    };
    check(1.702f, [](double at, double dy) { return swish_backward_reference(at, dy, 1.702f); });
    check(-1.0f, [](double at, double dy) { return swish_backward_reference(at, dy, -1.0); });
    check(0.0f, [](double at, double dy) { return swish_backward_reference(at, dy, 0.0); });
    constexpr float kRootAt = 0.85230970f;  // the root lies at x = -1.5, to a float's last bit
    check(kRootAt, [](double at, double dy) { return swish_backward_reference(at, dy, kRootAt); });
    check(0.1f, [](double at, double dy) { return swish_backward_reference(at, dy, 0.1f); });
    check(1e30f, [](double at, double dy) { return swish_backward_reference(at, dy, 1e30f); });
    check(-3e38f, [](double at, double dy) { return swish_backward_reference(at, dy, -3e38f); });
    check(1e-30f, [](double at, double dy) { return swish_backward_reference(at, dy, 1e-30f); });
  });
}

TEST_CASE("swish backward: zeros, infinities and NaN, in packs and in the tail") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    check_backward_special_values(swish_backward_operator_rung<decltype(type)>(), kReference);
  });
}

TEST_CASE(
    "swish backward: the textbook's derivative at infinity is NaN, and no digit at its zero") {
  require_device();
  const std::vector<float> x = {-kInfinity, kInfinity, -1.2784645f}, one(3, 1.0f);
  const auto& ladder = swish_backward_rungs<float>();
  const std::vector<float> lost = run_binary<float>(ladder[1].launch, x, one);
  const std::vector<float> kept = run_binary<float>(ladder[2].launch, x, one);
  CHECK(std::isnan(lost[0]));
  CHECK(std::isnan(lost[1]));
  CHECK(ulp_error(lost[2], kReference(x[2], 1.0)) > 1e5);
  CHECK(kept[0] == 0.0f);
  CHECK(kept[1] == 1.0f);
  CHECK(ulp_error(kept[2], kReference(x[2], 1.0)) <= kSwishBackwardUlp<float>);
}

TEST_CASE("swish backward: refuses a beta that is not finite or too small, and writes nothing") {
  require_device();
  for (const float beta : {kInfinity, -kInfinity, kNaN, 0x1p-101f}) {
    check_refused<float>(
        [=](auto* x, auto* dx, auto n) { return swish_backward(x, x, dx, n, beta, nullptr); });
  }
}

// ---- SwiGLU -----------------------------------------------------------------------------------

TEST_CASE("swiglu backward: every launcher keeps its promises") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    auto rungs = swiglu_backward_rungs<T>();
    for (const auto& rung : rungs) check_width_in_name(rung.name, rung.width);
    rungs.push_back(swiglu_operator_rung<T>());
    for (const bool is_a : {true, false}) {
      for (const auto& rung : rungs) {
        check_launcher_promises(with_one_output(rung, is_a), is_a ? expected_a : expected_b);
      }
    }
  });
}

TEST_CASE("swiglu backward: largest error, every a with many b and gradients") {
  require_device();
  const float sizes[][2] = {{1.0f, 1.0f},      {-0.37f, 2.718f}, {0x1p10f, 0x1p-12f},
                            {3.3f, -0.0f},     {0.0f, 1.0f},     {0x1p-14f, 1.0f},
                            {-1000.0f, 31.0f}, {0x1p-12f, 7.0f}, {0x1p14f, 0.001f}};
  for_each_type(Floats{}, [&](auto type) {
    using T = decltype(type);
    const std::vector<T> all = arguments_of_derivative<T>();
    for (const TwoGradientsRung<T>& rung : swiglu_backward_rungs<T>()) {
      const bool has_digits = &rung == &swiglu_backward_rungs<T>().back();
      const std::vector<T> a = has_digits ? all : for_the_textbook(all, kReference);
      WorstError worst;
      for (const auto& [b, dy] : sizes) worst.merge(worst_of_swiglu(rung, a, T(b), T(dy)));
      record({"swish", "swiglu_backward_" + rung.name, dtype_name<T>(), rung.max_ulp, worst});
      INFO(rung.name << " is off by " << worst.description(rung.max_ulp, "a", "triples"));
      CHECK(worst.ulp <= rung.max_ulp);
    }
  });
}

TEST_CASE("swiglu backward: both gradients in the place of any two of the inputs") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    const TiledReference<T> tile(kReference, 8.0);
    constexpr std::int64_t n = 1027;
    const std::vector<T> a = tile.inputs(n), b(a.rbegin(), a.rend()), dy(n, T(0.75f));
    for (const TwoGradientsRung<T>& rung :
         {swiglu_backward_rungs<T>().back(), swiglu_operator_rung<T>()}) {
      const auto wanted = run_swiglu_backward<T>(rung, a, b, dy);
      for (std::size_t first = 0; first < 3; ++first) {
        for (std::size_t second = 0; second < 3; ++second) {
          if (first == second) continue;
          const GuardedBuffer<T> in[] = {GuardedBuffer<T>(a), GuardedBuffer<T>(b),
                                         GuardedBuffer<T>(dy)};
          REQUIRE(rung.launch(in[0].data(), in[1].data(), in[2].data(), in[first].data(),
                              in[second].data(), n, nullptr) == cudaSuccess);
          REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
          INFO(rung.name << ": da over input " << first << ", db over input " << second);
          CHECK(std::memcmp(in[first].download().data(), wanted[0].data(), n * sizeof(T)) == 0);
          CHECK(std::memcmp(in[second].download().data(), wanted[1].data(), n * sizeof(T)) == 0);
        }
      }
    }
  });
}

TEST_CASE("swiglu backward: rows of both halves give the same bits, also in place") {
  require_device();
  for_each_type(Floats{}, [](auto type) {
    using T = decltype(type);
    constexpr std::int64_t rows = 5;
    for (const std::int64_t d : {1, 7, 8, 64, 100, 1027, 4096}) {
      const std::vector<T> ab = normal_values<T>(rows * 2 * d);
      const std::vector<T> dy(static_cast<std::size_t>(rows * d), T(0.75f));
      std::vector<T> a, b;
      for (std::size_t i = 0; i < ab.size(); ++i) {
        (static_cast<std::int64_t>(i) / d % 2 == 0 ? a : b).push_back(ab[i]);
      }
      const auto parts = run_swiglu_backward<T>(swiglu_operator_rung<T>(), a, b, dy);
      std::vector<T> wanted;
      for (std::size_t i = 0; i < ab.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i) / (2 * d),
                   at = static_cast<std::int64_t>(i) % d;
        const bool is_b = static_cast<std::int64_t>(i) / d % 2 == 1;
        wanted.push_back(parts[is_b ? 1 : 0][static_cast<std::size_t>(row * d + at)]);
      }
      for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
        const GuardedBuffer<T> in(ab, offset), in_dy(dy), out(ab.size());
        for (T* const to : {out.data(), in.data()}) {
          INFO(dtype_name<T>() << ", d = " << d << ", " << offset << " elements off, "
                               << (to == in.data() ? "in place" : "beside"));
          REQUIRE(swiglu_backward_halves(in.data(), in_dy.data(), to, rows, d, nullptr) ==
                  cudaSuccess);
          REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
          const std::vector<T> got = to == in.data() ? in.download() : out.download();
          CHECK(std::memcmp(got.data(), wanted.data(), got.size() * sizeof(T)) == 0);
          CHECK(in.intact());
          CHECK(out.intact());
        }
      }
    }
  });
  const GuardedBuffer<float> x(64), to(64);
  const auto call = [&](const float* ab, const float* dy, std::int64_t rows, std::int64_t d) {
    return swiglu_backward_halves(ab, dy, to.data(), rows, d, nullptr);
  };
  const float* const none = nullptr;
  CHECK(call(x.data(), x.data(), -1, 4) == cudaErrorInvalidValue);
  CHECK(call(x.data(), x.data(), 4, -1) == cudaErrorInvalidValue);
  CHECK(call(x.data(), x.data(), 1, std::int64_t{1} << 31) == cudaErrorInvalidValue);
  CHECK(call(none, x.data(), 2, 4) == cudaErrorInvalidValue);
  CHECK(call(x.data(), none, 2, 4) == cudaErrorInvalidValue);
  CHECK(call(none, none, 0, 4) == cudaSuccess);
  CHECK(to.untouched());
}

TEST_CASE("swiglu backward: refuses one array for both gradients, and writes nothing") {
  require_device();
  const auto& packs = swiglu_backward_rungs<float>().back().launch;
  for (const std::int64_t n : {64, 63}) {
    check_refused<float>(
        [n](auto* x, auto* dx, auto) { return swiglu_backward(x, x, x, dx, dx, n, nullptr); });
    check_refused<float>(
        [&](auto* x, auto* dx, auto) { return packs(x, x, x, dx, dx, n, nullptr); });
  }
}

TEST_CASE("swiglu backward: infinities and NaN") {
  require_device();
  const std::vector<float> a = {kNaN, 1.0f, 1.0f, -kInfinity, kInfinity, -kInfinity};
  const std::vector<float> b = {1.0f, kNaN, 1.0f, 2.0f, 2.0f, kInfinity};
  const std::vector<float> dy = {1.0f, 1.0f, kNaN, 1.0f, 1.0f, 1.0f};
  const auto out = run_swiglu_backward<float>(swiglu_operator_rung<float>(), a, b, dy);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double in[] = {a[i], b[i], dy[i]};
    INFO("a = " << in[0] << ", b = " << in[1] << ", dy = " << in[2]);
    CHECK(signed_ulp_error(out[0][i], expected_a(in)) <= 8.0);
    CHECK(signed_ulp_error(out[1][i], expected_b(in)) <= 8.0);
  }
}

TEST_CASE("museum: the gradient of a, in the place of a, is what the other gradient reads",
          "[exhibit]") {
  require_device();
  const std::vector<float> a = {2.0f, -1.0f}, b = {3.0f, 5.0f}, dy = {1.0f, 1.0f};
  const auto wanted = run_swiglu_backward<float>(swiglu_operator_rung<float>(), a, b, dy);
  const GuardedBuffer<float> in_a(a), in_b(b), in_dy(dy), db(2);
  REQUIRE(exhibits::swiglu_backward_f32_overwriting(in_a.data(), in_b.data(), in_dy.data(),
                                                    db.data(), 2, nullptr) == cudaSuccess);
  CHECK(in_a.download() == wanted[0]);  // the first gradient is right,
  for (std::size_t i = 0; i < 2; ++i) {
    const double of_da = swish_reference(double{wanted[0][i]});
    CHECK(ulp_error(db.download()[i], of_da) <= 8.0);  // and the second is swish(da)
    CHECK(ulp_error(db.download()[i], double{wanted[1][i]}) > 1e5);
  }
}

TEST_CASE("swish backward: more than 2^31 elements", "[long]") {
  require_device();
  check_past_2_31(with_both_inputs_the_same(swish_backward_rungs<half>().back()),
                  [](double x) { return kReference(x, x); });
}

TEST_CASE("swish backward: which kernel runs, in how many blocks") {
  LaunchTable table;
  constexpr std::int64_t n = 1'048'579;
  for_each_type(Floats{}, [&](auto type) {
    using T = decltype(type);
    const auto call = [](const auto& launch, std::int64_t count) {
      return [&launch, count](const Addresses& at, cudaStream_t stream) {
        return launch(at.of<T>(0), at.of<T>(1), at.of<T>(2), at.of<T>(3), at.of<T>(4), count,
                      stream);
      };
    };
    table.add_binary<T>(std::string("swish_backward ") + dtype_name<T>(), {n, past_l2<T>},
                        swish_backward_operator_rung<T>().launch);
    table.add_rungs(swish_backward_rungs<T>(), n);
    constexpr std::int64_t most = (std::int64_t{64} << 20) / (5 * sizeof(T));  // in blocks of 256
    for (const std::int64_t count : {most, most + 1}) {
      table.add(std::string("swiglu_backward ") + dtype_name<T>(), LaunchTable::number(count),
                std::vector<std::size_t>(5, sizeof(T)), call(swiglu_backward<T>, count));
    }
    table.add(std::string("swiglu_backward_halves ") + dtype_name<T>(), "4,096 x 1,024",
              std::vector<std::size_t>(3, sizeof(T)), [](const Addresses& at, cudaStream_t stream) {
                return swiglu_backward_halves(at.of<T>(0), at.of<T>(1), at.of<T>(2), 4096, 1024,
                                              stream);
              });
    for (const TwoGradientsRung<T>& rung : swiglu_backward_rungs<T>()) {
      table.add_rung("swiglu " + rung.name, n, rung.width,
                     std::vector<std::size_t>(5, rung.alignment), call(rung.launch, n));
    }
  });
  table.check("03_swish/backward/launches_backward.txt");
}

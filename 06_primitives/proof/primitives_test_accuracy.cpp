// How large the errors of sums, softmax and running sums are: measured, held to their bounds, and
// recorded for the chapter's page.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "06_primitives/primitives.h"
#include "06_primitives/proof/primitives_reference.h"
#include "06_primitives/proof/test_data.h"
#include "common/proof/record.h"

using namespace tutorial;
using namespace tutorial::test;

namespace {

/// Numbers of T in [low, high). Sums of positive numbers do not cancel, so their error can be counted
/// in ULP of the sum.
template <class T>
std::vector<T> numbers(std::size_t n, double low, double high, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(n);
  for (T& value : values) {
    value = from_double<T>(low + (high - low) * std::ldexp(static_cast<double>(random()), -32));
  }
  return values;
}

template <class T>
using Launcher = std::function<cudaError_t(const T*, T*)>;

template <class T>
std::vector<T> run(const Launcher<T>& launch, const std::vector<T>& x, std::size_t results) {
  const GuardedBuffer<T> in(x), out(results);
  require_success(launch(in.data(), out.data()), "launch");
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return out.download();
}

/// The largest error of some results, and whether each was within its bound.
template <class T>
class Worst {
 public:
  /// bound: of the error, in ULP of the expected result.
  void add(T actual, double expected, double bound) {
    const double error = std::fabs(to_double(actual) - expected) / ulp<T>(expected);
    ++worst_.count;
    if (!(error <= bound)) ++wrong_;
    bound_ = std::max(bound_, bound);
    if (error > worst_.ulp) {
      worst_.ulp = error;
      worst_.expected = expected;
      worst_.actual = to_double(actual);
    }
  }
  void finish(const std::string& rung) const {
    INFO(rung << ": " << worst_.ulp << " ULP");
    CHECK(wrong_ == 0);
    record({"primitives", rung + "_" + dtype_name<T>(), dtype_name<T>(), bound_, worst_});
  }

 private:
  WorstError worst_{0, std::nan(""), 0, 0, 0};  // no single input is to blame
  double bound_ = 0;
  int wrong_ = 0;
};

constexpr std::int64_t kRows = 64, kColumns = 4096, kCumsumColumns = 1024;

/// The bound on a sum of positive numbers by `depth` additions at most, in ULP of T.
template <class T>
double sum_ulp(int depth, double sum) {
  return sum_bound(depth, sum) / ulp<T>(sum) + (std::is_same_v<T, float> ? 0.0 : 0.51);
}

template <class T>
void sums_of_rows() {
  const std::vector<T> x = numbers<T>(kRows * kColumns, 0.0, 1.0, 1);
  const Launcher<T> sum = [](const T* in, T* out) {
    return reduce(Reduction::sum, Dimension::inner, in, out, kRows, kColumns, nullptr, 0, nullptr,
                  1);
  };
  const std::vector<T> y = run(sum, x, kRows);
  Worst<T> tree, loop;
  for (std::int64_t row = 0; row < kRows; ++row) {
    ExactSum exact;
    float one_by_one = 0.0f;
    for (std::int64_t k = 0; k < kColumns; ++k) {
      const T v = x[static_cast<std::size_t>(row * kColumns + k)];
      exact.add(to_double(v));
      one_by_one += static_cast<float>(to_double(v));
    }
    // A thread's 16 or 32 numbers in a tree, onto its total, then up to 256 threads in a tree.
    tree.add(y[static_cast<std::size_t>(row)], exact.value(), sum_ulp<T>(5 + 1 + 8, exact.value()));
    loop.add(from_double<T>(one_by_one), exact.value(), sum_ulp<T>(kColumns, exact.value()));
  }
  tree.finish("sum_inner");
  loop.finish("sum_one_by_one");
}

template <class T>
void sums_of_columns() {
  const std::vector<T> x = numbers<T>(kRows * kColumns, 0.0, 1.0, 2);
  const Launcher<T> sum = [](const T* in, T* out) {
    return reduce(Reduction::sum, Dimension::outer, in, out, kColumns, kRows, nullptr, 0, nullptr,
                  1);
  };
  const std::vector<T> y = run(sum, x, kRows);
  Worst<T> worst;
  for (std::int64_t column = 0; column < kRows; ++column) {
    ExactSum exact;
    for (std::int64_t k = 0; k < kColumns; ++k) {
      exact.add(to_double(x[static_cast<std::size_t>(k * kRows + column)]));
    }
    // Tiles of four or eight rows in a tree, 32 or more rows of threads: at most 4096 / 128 steps.
    worst.add(y[static_cast<std::size_t>(column)], exact.value(),
              sum_ulp<T>(3 + 32 + 9, exact.value()));
  }
  worst.finish("sum_outer");
}

template <class T>
void softmaxes(const std::string& name,
               cudaError_t (*launch)(const T*, T*, std::int64_t, std::int64_t, cudaStream_t)) {
  const std::vector<T> x = numbers<T>(kRows * kColumns, -8.0, 8.0, 3);
  const Launcher<T> softmax_rows = [&](const T* in, T* out) {
    return launch(in, out, kRows, kColumns, nullptr);
  };
  const std::vector<T> y = run(softmax_rows, x, x.size());
  Worst<T> worst;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const auto first = static_cast<std::size_t>(row * kColumns);
    std::vector<double> wide;
    for (std::size_t k = 0; k < kColumns; ++k) wide.push_back(to_double(x[first + k]));
    const double max = *std::max_element(wide.begin(), wide.end());
    const std::vector<double> expected = softmax_reference(wide);
    for (std::size_t k = 0; k < kColumns; ++k) {
      worst.add(y[first + k], expected[k],
                softmax_bound(wide[k], max, expected[k], kColumns) / ulp<T>(expected[k]) +
                    (std::is_same_v<T, float> ? 0.0 : 0.51));
    }
  }
  worst.finish(name);
}

template <class T>
void running_sums() {
  const std::vector<T> x = numbers<T>(kRows * kCumsumColumns, 0.0, 1.0, 4);
  const Launcher<T> cumsum_rows = [](const T* in, T* out) {
    return cumsum(in, out, kRows, kCumsumColumns, nullptr);
  };
  const std::vector<T> y = run(cumsum_rows, x, x.size());
  Worst<T> worst;
  for (std::int64_t row = 0; row < kRows; ++row) {
    ExactSum exact;
    for (std::int64_t k = 0; k < kCumsumColumns; ++k) {
      const auto i = static_cast<std::size_t>(row * kCumsumColumns + k);
      exact.add(to_double(x[i]));
      // Within a vector 8, over the lanes 5, over the rounds 8, and three to put them together.
      worst.add(y[i], exact.value(), sum_ulp<T>(8 + 5 + 8 + 3, exact.value()));
    }
  }
  worst.finish("cumsum");
}

template <class T>
void all_errors() {
  sums_of_rows<T>();
  sums_of_columns<T>();
  softmaxes<T>("softmax", softmax<T>);
  softmaxes<T>("softmax_two_reductions", softmax_two_reductions<T>);
  running_sums<T>();
}

}  // namespace

TEST_CASE("the error of a sum of mixed signs is counted in the sum of its magnitudes",
          "[exchange]") {
  const std::vector<float> x = numbers<float>(kRows * kColumns, -1.0, 1.0, 7);
  const Launcher<float> sum = [](const float* in, float* out) {
    return reduce(Reduction::sum, Dimension::inner, in, out, kRows, kColumns, nullptr, 0, nullptr,
                  1);
  };
  const std::vector<float> y = run(sum, x, kRows);
  double tree = 0, loop = 0, tree_ulp = 0;
  for (std::int64_t row = 0; row < kRows; ++row) {
    ExactSum exact;
    double magnitudes = 0;
    float one_by_one = 0.0f;
    for (std::int64_t k = 0; k < kColumns; ++k) {
      const float v = x[static_cast<std::size_t>(row * kColumns + k)];
      exact.add(v);
      magnitudes += std::fabs(v);
      one_by_one += v;
    }
    const double error = std::fabs(y[static_cast<std::size_t>(row)] - exact.value());
    CHECK(error <= sum_bound(5 + 1 + 8, magnitudes));
    tree = std::max(tree, error / magnitudes);
    tree_ulp = std::max(tree_ulp, error / ulp<float>(exact.value()));
    loop = std::max(loop, std::fabs(one_by_one - exact.value()) / magnitudes);
  }
  INFO("of the magnitudes: tree " << tree << ", loop " << loop << "; tree in ULP of its sum "
                                  << tree_ulp);
  CHECK(tree * 5 < loop);
  CHECK(tree_ulp > 1);  // more than for positive numbers: the sum is small, and its ULP with it
}

TEST_CASE("errors of sums, softmax and running sums: float", "[exchange]") {
  require_device();
  all_errors<float>();
}

TEST_CASE("errors of sums, softmax and running sums: half and bf16", "[exchange]") {
  require_device();
  all_errors<half>();
  all_errors<Bf16>();
}

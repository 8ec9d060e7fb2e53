/// Ladders with two inputs and one output of the same type.

#include "common/bench/binary.h"

#include "common/bench/measure.h"
#include "common/proof/tiled.h"

#include <cmath>
#include <memory>
#include <mutex>
#include <sstream>
#include <vector>

namespace tutorial::bench {

namespace {

using test::to_double;

constexpr std::int64_t kPeriod = test::TiledReference<float>::default_period;

/// The tile of b: that of a in reverse order.
template <class T>
std::vector<T> values_of_b() {
  const std::vector<T> values = test::normal_values<T>(kPeriod);
  return {values.rbegin(), values.rend()};
}

/// The accepted results of y[i] = f(a[i], b[i]) where a and b repeat their tiles.
template <class T>
class TiledPairs {
 public:
  TiledPairs(double (*reference)(double, double), double max_ulp)
      : reference_(reference),
        a_(test::normal_values<T>(kPeriod)),
        b_(values_of_b<T>()),
        accepted_(a_.size()) {
    test::parallel_pieces(kPeriod, [&](int, std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        accepted_[i] = test::accepted<T>(expected(i), max_ulp);
      }
    });
  }

  /// Describes the first wrong element of y[first] to y[first + count - 1]; empty if all are right.
  std::string complaint(const T* outputs, std::size_t first, std::size_t count) const {
    for (std::size_t i = 0, at = first % a_.size(); i < count; ++i) {
      if (!accepts(accepted_[at], outputs[i])) return describe(first + i, at, outputs[i]);
      if (++at == a_.size()) at = 0;
    }
    return "";
  }

 private:
  static bool accepts(const test::Accepted& interval, T output) {
    const std::int32_t order = test::order_of(output);
    if (interval.lowest <= order && order <= interval.highest) return true;
    return interval.only_nan() && std::isnan(to_double(output));
  }

  double expected(std::size_t at) const { return reference_(to_double(a_[at]), to_double(b_[at])); }

  std::string describe(std::size_t index, std::size_t at, T output) const {
    std::ostringstream text;
    text.precision(9);
    text << "y[" << index << "] = " << to_double(output) << ", expected " << expected(at)
         << " for a = " << to_double(a_[at]) << ", b = " << to_double(b_[at]) << " ("
         << test::ulp_error(output, expected(at)) << " ULP)";
    return text.str();
  }

  double (*reference_)(double, double);
  std::vector<T> a_, b_;
  std::vector<test::Accepted> accepted_;
};

/// A case without names, launch and verify.
template <class T>
Case two_input_case() {
  Case operation = copy2_case(sizeof(T), normal_tile<T>(), reversed_tile<T>());
  operation.dtype = test::Format<T>::name;
  return operation;
}

}  // namespace

template <class T>
void add_binary(const std::string& ladder, const std::string& rung, Kind kind, Binary<T> launch,
                double (*reference)(double, double), double max_ulp, int per_thread) {
  const bool exists = launch(nullptr, nullptr, nullptr, 0, nullptr) != cudaErrorNotSupported;
  if (kind == Kind::peer && !exists) return;
  Case operation = two_input_case<T>();
  operation.ladder = ladder;
  operation.rung = rung;
  operation.kind = kind;
  operation.per_thread = per_thread;
  operation.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(static_cast<const T*>(set.inputs[0]), static_cast<const T*>(set.inputs[1]),
                  static_cast<T*>(set.output), shape.elements(), stream);
  };
  // Computed for the first row that is verified, since most runs filter out most rows.
  const auto once = std::make_shared<std::once_flag>();
  const auto tiled = std::make_shared<std::unique_ptr<TiledPairs<T>>>();
  operation.verify = [reference, max_ulp, once, tiled](const Shape&, const void* bytes,
                                                       std::size_t begin, std::size_t count) {
    std::call_once(*once, [&] { *tiled = std::make_unique<TiledPairs<T>>(reference, max_ulp); });
    return (*tiled)->complaint(static_cast<const T*>(bytes), begin / sizeof(T), count / sizeof(T));
  };
  add(operation);
}

template <class T>
void add_two_in_one_out_peer(const std::string& ladder) {
  Case operation = two_input_case<T>();
  operation.ladder = ladder;
  operation.rung = "copy2_" + operation.dtype;
  operation.kind = Kind::peer;
  add(operation);
}

#define TUTORIAL_INSTANTIATE(T)                                                     \
  template void add_binary(const std::string&, const std::string&, Kind, Binary<T>, \
                           double (*)(double, double), double, int);                \
  template void add_two_in_one_out_peer<T>(const std::string&);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(__half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::bench

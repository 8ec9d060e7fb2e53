// Outputs of two inputs against a reference in double.

#include "common/proof/binary.h"

#include "common/proof/catch.h"
#include "common/proof/parallel.h"
#include "common/proof/record.h"

#include <algorithm>

namespace tutorial::test {

namespace {

/// The worst error of outputs[i] against the reference for (a[i], b), in one thread.
template <class T>
WorstError worst_in_row(const std::vector<T>& a, T b, const T* outputs, BinaryReference reference) {
  WorstError worst;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double expected = reference(to_double(a[i]), to_double(b));
    const double error = ulp_error(outputs[i], expected);
    if (worst.count++ > 0 && error <= worst.ulp) continue;
    worst = {error, to_double(a[i]), expected, to_double(outputs[i]), worst.count};
  }
  return worst;
}

/// All of a against each of the `rows` values of b from `first` on: one launch, one row for each b.
template <class T>
std::vector<T> outputs_of_rows(const BinaryLauncher<T>& launch, const std::vector<T>& a, const T* b,
                               std::size_t rows) {
  std::vector<T> left, right;
  for (std::size_t row = 0; row < rows; ++row) {
    left.insert(left.end(), a.begin(), a.end());
    right.insert(right.end(), a.size(), b[row]);
  }
  const GuardedBuffer<T> device_a(left), device_b(right), y(left.size());
  require_success(launch(device_a.data(), device_b.data(), y.data(),
                         static_cast<std::int64_t>(left.size()), nullptr),
                  "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  return y.download();
}

}  // namespace

template <class T>
WorstError worst_error_of_pairs(const BinaryLauncher<T>& launch, const std::vector<T>& a,
                                const std::vector<T>& b, BinaryReference reference) {
  const std::size_t rows_at_once = std::max<std::size_t>(1, (std::size_t{1} << 24) / a.size());
  WorstError worst;
  for (std::size_t first = 0; first < b.size(); first += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, b.size() - first);
    const std::vector<T> outputs = outputs_of_rows(launch, a, b.data() + first, rows);
    std::vector<WorstError> of_row(rows);
    parallel_pieces(static_cast<std::int64_t>(rows), [&](int, std::int64_t begin,
                                                         std::int64_t end) {
      for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
        of_row[row] = worst_in_row(a, b[first + row], outputs.data() + row * a.size(), reference);
      }
    });
    for (const WorstError& row : of_row) {
      const std::int64_t count = worst.count + row.count;
      if (worst.count == 0 || row.ulp > worst.ulp) worst = row;
      worst.count = count;
    }
  }
  return worst;
}

template <class T>
void check_accuracy(const BinaryRung<T>& rung, BinaryReference reference, const std::vector<T>& a,
                    const std::vector<T>& b, const std::string& chapter) {
  const WorstError worst = worst_error_of_pairs(rung.launch, a, b, reference);
  record({chapter, rung.name, Format<T>::name, rung.max_ulp, worst});
  INFO(rung.name << " is off by " << worst.ulp << " ULP at a = " << worst.at_input << ": expected "
                 << worst.expected << ", got " << worst.actual << " (" << worst.count << " pairs)");
  CHECK(worst.ulp <= rung.max_ulp);
}

#define TUTORIAL_INSTANTIATE(T)                                                              \
  template WorstError worst_error_of_pairs(const BinaryLauncher<T>&, const std::vector<T>&,  \
                                           const std::vector<T>&, BinaryReference);          \
  template void check_accuracy(const BinaryRung<T>&, BinaryReference, const std::vector<T>&, \
                               const std::vector<T>&, const std::string&);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(__half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::test

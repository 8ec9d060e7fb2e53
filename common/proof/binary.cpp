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
WorstError worst_in_row(const std::vector<T>& a, T b, const T* outputs, BinaryReference reference,
                        double allowed) {
  WorstError worst;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double expected = reference(to_double(a[i]), to_double(b));
    worst.observe(to_double(a[i]), expected, to_double(outputs[i]),
                  signed_ulp_error(outputs[i], expected), allowed);
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
                                const std::vector<T>& b, BinaryReference reference,
                                double allowed) {
  const std::size_t rows_at_once = std::max<std::size_t>(1, (std::size_t{1} << 24) / a.size());
  WorstError worst;
  for (std::size_t first = 0; first < b.size(); first += rows_at_once) {
    const std::size_t rows = std::min(rows_at_once, b.size() - first);
    const std::vector<T> outputs = outputs_of_rows(launch, a, b.data() + first, rows);
    std::vector<WorstError> of_row(rows);
    parallel_pieces(static_cast<std::int64_t>(rows), [&](int, std::int64_t begin,
                                                         std::int64_t end) {
      for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
        of_row[row] =
            worst_in_row(a, b[first + row], outputs.data() + row * a.size(), reference, allowed);
      }
    });
    for (const WorstError& row : of_row) worst.merge(row);
  }
  return worst;
}

template <class T>
void check_accuracy(const BinaryRung<T>& rung, BinaryReference reference, const std::vector<T>& a,
                    const std::vector<T>& b, const std::string& chapter) {
  const WorstError worst = worst_error_of_pairs(rung.launch, a, b, reference, rung.max_ulp);
  record({chapter, rung.name, dtype_name<T>(), rung.max_ulp, worst});
  INFO(rung.name << " is off by " << worst.description(rung.max_ulp, "a", "pairs"));
  CHECK(worst.ulp <= rung.max_ulp);
}

#define TUTORIAL_INSTANTIATE(T)                                                              \
  template WorstError worst_error_of_pairs(const BinaryLauncher<T>&, const std::vector<T>&,  \
                                           const std::vector<T>&, BinaryReference, double);  \
  template void check_accuracy(const BinaryRung<T>&, BinaryReference, const std::vector<T>&, \
                               const std::vector<T>&, const std::string&);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::test

// Sorted rows.
#include "06_primitives/launchers/sort_launch.h"

namespace tutorial {

using namespace primitives;

template <class T>
cudaError_t sort_rows(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                      cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  return launch_sort<false>(x, y, nullptr, matrix_rows(rows, columns), stream);
}

template <class T>
cudaError_t sort_rows(const TensorView<const T>& x, const TensorView<T>& y, cudaStream_t stream) {
  AnyRows of{};
  if (const cudaError_t error = make_any_rows(&of, x, y); error != cudaSuccess) return error;
  return launch_sort<false>(x.data, y.data, nullptr, of, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                           \
  template cudaError_t sort_rows(const T*, T*, std::int64_t, std::int64_t, cudaStream_t); \
  template cudaError_t sort_rows(const TensorView<const T>&, const TensorView<T>&, cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

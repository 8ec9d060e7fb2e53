// Sorted rows, and where their elements came from.
#include "06_primitives/launchers/sort_launch.h"

namespace tutorial {

using namespace primitives;

template <class T>
cudaError_t sort_rows(const T* x, T* y, std::int32_t* index, std::int64_t rows,
                      std::int64_t columns, cudaStream_t stream) {
  cudaError_t error = check_rows(x, y, rows, columns);
  const bool any = rows > 0 && columns > 0;
  if (error == cudaSuccess) {
    error = check_buffers({{index, alignof(std::int32_t), "index", any}});
  }
  if (error != cudaSuccess) return error;
  return launch_sort<true>(x, y, index, matrix_rows(rows, columns), stream);
}

template <class T>
cudaError_t sort_rows(const TensorView<const T>& x, const TensorView<T>& y,
                      const TensorView<std::int32_t>& index, cudaStream_t stream) {
  AnyRows of{};
  if (const cudaError_t error = make_any_rows(&of, x, y, index); error != cudaSuccess) return error;
  return launch_sort<true>(x.data, y.data, index.data, of, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                           \
  template cudaError_t sort_rows(const T*, T*, std::int32_t*, std::int64_t, std::int64_t, \
                                 cudaStream_t);                                           \
  template cudaError_t sort_rows(const TensorView<const T>&, const TensorView<T>&,        \
                                 const TensorView<std::int32_t>&, cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

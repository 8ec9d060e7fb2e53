// Sorted rows.
#include "06_primitives/launchers/sort_launch.h"

namespace tutorial {

using namespace primitives;

namespace {

template <class T>
cudaError_t launch_sort(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  if (const cudaError_t error = check_sort(of.columns); error != cudaSuccess) return error;
  if (of.rows == 0 || of.columns == 0) return cudaSuccess;
  return with_sort_tile(
      of.rows, of.columns, [&](auto held, auto together, auto block, LaunchShape shape) {
        constexpr int kHeld = held, kTogether = together, kBlock = block;
        if (fills_tile<T>(of, std::int64_t{shape.block.x} * kHeld, {x, y})) {
          return launch(SortRows<kHeld, kTogether, kBlock, false, Interleaved<T>, T>, shape, stream,
                        x, y, of.rows, of.columns);
        }
        return launch(SortAnyRows<kHeld, kTogether, kBlock, false, T>, shape, stream, x, y, nullptr,
                      of.rows, of.columns, of.pitch);
      });
}

}  // namespace

template <class T>
cudaError_t sort_rows(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                      cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  return launch_sort(x, y, matrix_rows(rows, columns), stream);
}

template <class T>
cudaError_t sort_rows(const TensorView<const T>& x, const TensorView<T>& y, cudaStream_t stream) {
  AnyRows of{};
  if (const cudaError_t error = make_any_rows(&of, x, y); error != cudaSuccess) return error;
  return launch_sort(x.data, y.data, of, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                           \
  template cudaError_t sort_rows(const T*, T*, std::int64_t, std::int64_t, cudaStream_t); \
  template cudaError_t sort_rows(const TensorView<const T>&, const TensorView<T>&, cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

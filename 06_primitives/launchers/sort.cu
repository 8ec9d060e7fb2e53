// Sorted rows.
#include "06_primitives/launchers/sort_launch.h"

namespace tutorial {

using namespace primitives;

template <class T>
cudaError_t sort_rows(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                      cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  if (const cudaError_t error = check_sort(columns); error != cudaSuccess) return error;
  if (rows == 0 || columns == 0) return cudaSuccess;
  return with_sort_tile(
      rows, columns, [&](auto held, auto together, auto block, LaunchShape shape) {
        constexpr int kHeld = held, kTogether = together, kBlock = block;
        const auto kernel = fills_tile<T>(columns, std::int64_t{shape.block.x} * kHeld, {x, y})
                                ? SortRows<kHeld, kTogether, kBlock, false, Interleaved<T>, T>
                                : SortRows<kHeld, kTogether, kBlock, true, Striped, T>;
        return launch(kernel, shape, stream, x, y, rows, columns);
      });
}

#define TUTORIAL_INSTANTIATE(T) \
  template cudaError_t sort_rows(const T*, T*, std::int64_t, std::int64_t, cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

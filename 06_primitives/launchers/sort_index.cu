// Sorted rows, and where their elements came from.
#include "06_primitives/launchers/sort_launch.h"

namespace tutorial {

using namespace primitives;

template <class T>
cudaError_t sort_rows(const T* x, T* y, std::int32_t* index, std::int64_t rows,
                      std::int64_t columns, cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  if (const cudaError_t error = check_sort(columns); error != cudaSuccess) return error;
  const bool any = rows > 0 && columns > 0;
  if (const cudaError_t error = check_buffers({{index, alignof(std::int32_t), "index", any}});
      error != cudaSuccess || !any) {
    return error;
  }
  return with_sort_tile(
      rows, columns, [&](auto held, auto together, auto block, LaunchShape shape) {
        constexpr int kHeld = held, kTogether = together, kBlock = block;
        const bool fills =
            fills_tile<T>(columns, std::int64_t{shape.block.x} * kHeld, {x, y, index});
        const auto kernel =
            fills ? SortRowsWithIndex<kHeld, kTogether, kBlock, false, Interleaved<T>, T>
                  : SortRowsWithIndex<kHeld, kTogether, kBlock, true, Striped, T>;
        return launch(kernel, shape, stream, x, y, index, rows, columns);
      });
}

#define TUTORIAL_INSTANTIATE(T)                                                           \
  template cudaError_t sort_rows(const T*, T*, std::int32_t*, std::int64_t, std::int64_t, \
                                 cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

// Running sums: a warp for each row, or a block for each long one.
#include "06_primitives/launchers/launch.h"
#include "06_primitives/primitives.h"
#include "06_primitives/primitives_any_rows_kernels.cuh"

namespace tutorial {

using namespace primitives;

namespace {

/// A warp for each row has no barrier; four rows make a block.
constexpr std::int64_t kWarpRows = 4;
/// Rows of more elements get a block each.
constexpr std::int64_t kWarpRowLength = 4096;
constexpr std::int64_t kLongRowThreads = 256;

/// `kWhole`: the rows are whole vectors, at multiples of their size.
template <int VecSize, bool kWhole, class T>
cudaError_t launch_cumsum(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                          cudaStream_t stream) {
  const LaunchShape shape = columns > kWarpRowLength ? rows_shape(rows, kLongRowThreads, 1)
                                                     : rows_shape(rows, 32, kWarpRows);
  if constexpr (kWhole) {
    return launch(CumsumRows<VecSize, Interleaved<T>, AccOf<T>, T>, shape, stream, x, y, rows,
                  columns);
  } else {
    return launch(CumsumAnyRows<VecSize, AccOf<T>, T>, shape, stream, x, y, rows, columns);
  }
}

}  // namespace

template <class T>
cudaError_t cumsum(const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  if (rows == 0 || columns == 0) return cudaSuccess;
  const bool vectors = in_vectors<T>(columns, {x, y});
  const bool long_row = columns > kWarpRowLength;
  if (vectors && !long_row && columns % (32 * 32) == 0) {
    return launch_cumsum<32, true>(x, y, rows, columns, stream);
  }
  if (vectors && long_row) return launch_cumsum<16, true>(x, y, rows, columns, stream);
  if (vectors && columns % (32 * 8) == 0) {
    return launch_cumsum<8, true>(x, y, rows, columns, stream);
  }
  if (long_row) return launch_cumsum<16, false>(x, y, rows, columns, stream);
  return columns > 32 * 16 ? launch_cumsum<32, false>(x, y, rows, columns, stream)
                           : launch_cumsum<8, false>(x, y, rows, columns, stream);
}

#define TUTORIAL_INSTANTIATE(T) \
  template cudaError_t cumsum(const T*, T*, std::int64_t, std::int64_t, cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

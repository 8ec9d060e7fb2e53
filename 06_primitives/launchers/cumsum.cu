// Running sums: a warp for each row, or a block for each long one.
#include "06_primitives/launchers/any_rows.h"
#include "06_primitives/primitives.h"

namespace tutorial {

using namespace primitives;

namespace {

/// A warp for each row has no barrier; four rows make a block.
constexpr std::int64_t kWarpRows = 4;
/// Rows of more elements get a block each.
constexpr std::int64_t kWarpRowLength = 4096;
constexpr std::int64_t kLongRowThreads = 256;

/// `kWhole`: the rows are whole vectors, at multiples of their size, without gaps.
template <int VecSize, bool kWhole, class T>
cudaError_t launch_cumsum(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  const LaunchShape shape = of.columns > kWarpRowLength ? rows_shape(of.rows, kLongRowThreads, 1)
                                                        : rows_shape(of.rows, 32, kWarpRows);
  if constexpr (kWhole) {
    return launch(CumsumRows<VecSize, Interleaved<T>, AccOf<T>, T>, shape, stream, x, y, of.rows,
                  of.columns);
  } else {
    return launch(CumsumAnyRows<VecSize, AccOf<T>, T>, shape, stream, x, y, of.rows, of.columns,
                  of.pitch);
  }
}

template <class T>
cudaError_t launch_cumsum(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  if (of.rows == 0 || of.columns == 0) return cudaSuccess;
  const bool vectors = !of.have_gaps() && in_vectors<T>(of.columns, {x, y});
  const bool long_row = of.columns > kWarpRowLength;
  if (vectors && !long_row && of.columns % (32 * 32) == 0) {
    return launch_cumsum<32, true>(x, y, of, stream);
  }
  if (vectors && long_row) return launch_cumsum<16, true>(x, y, of, stream);
  if (vectors && of.columns % (32 * 8) == 0) return launch_cumsum<8, true>(x, y, of, stream);
  if (long_row) return launch_cumsum<16, false>(x, y, of, stream);
  return of.columns > 32 * 16 ? launch_cumsum<32, false>(x, y, of, stream)
                              : launch_cumsum<8, false>(x, y, of, stream);
}

}  // namespace

template <class T>
cudaError_t cumsum(const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  return launch_cumsum(x, y, matrix_rows(rows, columns), stream);
}

template <class T>
cudaError_t cumsum_rows(const TensorView<const T>& x, const TensorView<T>& y, cudaStream_t stream) {
  AnyRows of{};
  if (const cudaError_t error = make_any_rows(&of, x, y); error != cudaSuccess) return error;
  return launch_cumsum(x.data, y.data, of, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                        \
  template cudaError_t cumsum(const T*, T*, std::int64_t, std::int64_t, cudaStream_t); \
  template cudaError_t cumsum_rows(const TensorView<const T>&, const TensorView<T>&, cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

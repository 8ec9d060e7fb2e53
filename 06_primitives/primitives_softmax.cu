#include "06_primitives/primitives.h"
#include "06_primitives/primitives_launch.h"
#include "06_primitives/primitives_rows_kernels.cuh"

namespace tutorial {

using namespace primitives;

namespace {

/// Elements that a thread holds.
constexpr int kHeld = 16;
constexpr std::int64_t kBlockThreads = 128;
/// Threads of a block that walks along a long row.
constexpr std::int64_t kLongRowThreads = 512;

/// Threads that hold a row: whole warps, no more than are needed.
std::int64_t threads_for(std::int64_t columns) {
  return ceil_div(ceil_div(columns, kHeld), 32) * 32;
}

/// Rows that fill their threads' registers move in vectors; others one element at a time, in
/// whichever layout wastes nothing on that.
template <class T>
bool fills_registers(const T* x, const T* y, std::int64_t columns) {
  return columns % (32 * kHeld) == 0 && in_vectors<T>(columns, {x, y});
}

template <class Kernel, class T>
cudaError_t launch_rows(Kernel kernel, const T* x, T* y, std::int64_t rows, std::int64_t columns,
                        cudaStream_t stream) {
  const std::int64_t threads = threads_for(columns);
  const std::int64_t rows_each = threads < kBlockThreads ? kBlockThreads / threads : 1;
  return launch(kernel, rows_shape(rows, threads, rows_each), stream, x, y, rows, columns);
}

template <class T>
cudaError_t launch_long_rows(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                             cudaStream_t stream) {
  const auto kernel = in_vectors<T>(columns, {x, y}) ? SoftmaxLongRows<kHeld, Interleaved<T>, T>
                                                     : SoftmaxLongRows<kHeld, Striped, T>;
  return launch(kernel, rows_shape(rows, kLongRowThreads, 1), stream, x, y, columns);
}

}  // namespace

template <class T>
cudaError_t softmax(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                    cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  if (rows == 0 || columns == 0) return cudaSuccess;
  if (columns > kSoftmaxTile) return launch_long_rows(x, y, rows, columns, stream);
  const auto kernel = fills_registers(x, y, columns)
                          ? SoftmaxOnline<kHeld, false, Interleaved<T>, T>
                          : SoftmaxOnline<kHeld, true, Striped, T>;
  return launch_rows(kernel, x, y, rows, columns, stream);
}

template <class T>
cudaError_t softmax_two_reductions(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                                   cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  if (columns > kSoftmaxTile) {
    return refuse(cudaErrorInvalidValue, "rows of " + std::to_string(columns) +
                                             " elements do not fit into the registers of a block, "
                                             "which hold " +
                                             std::to_string(kSoftmaxTile));
  }
  if (rows == 0 || columns == 0) return cudaSuccess;
  const auto kernel = fills_registers(x, y, columns)
                          ? SoftmaxTwoReductions<kHeld, false, Interleaved<T>, T>
                          : SoftmaxTwoReductions<kHeld, true, Striped, T>;
  return launch_rows(kernel, x, y, rows, columns, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                         \
  template cudaError_t softmax(const T*, T*, std::int64_t, std::int64_t, cudaStream_t); \
  template cudaError_t softmax_two_reductions(const T*, T*, std::int64_t, std::int64_t, \
                                              cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

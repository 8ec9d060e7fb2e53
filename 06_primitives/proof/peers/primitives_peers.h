// What one would use instead of the kernels of this chapter: CUB's block primitives, put together
// in kernels of the same shape, and cub::DeviceTransform. All of them: cudaErrorNotSupported in the
// cpu backend. T: float, half.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial {

/// The longest row that softmax_cub_block() and sort_rows_cub_block() take; longer ones are
/// cudaErrorInvalidValue.
inline constexpr std::int64_t kCubSoftmaxTile = 4096;
inline constexpr std::int64_t kCubSortTile = 1024;

/// How a block's items come from memory and go there: VECTORIZE or WARP_TRANSPOSE.
enum class CubItems { vectorize, transpose };

/// out = a + b by cub::DeviceTransform (CCCL 2.8 or newer).
template <class T>
cudaError_t add_cub(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream);
/// out = a + b by cub::BlockLoad and cub::BlockStore.
template <class T, CubItems items>
cudaError_t add_cub_block(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream);
/// The sum of each row by cub::BlockReduce.
template <class T, CubItems items>
cudaError_t sum_cub_block(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                          cudaStream_t stream);
/// Softmax of each row by two cub::BlockReduce.
template <class T, CubItems items>
cudaError_t softmax_cub_block(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                              cudaStream_t stream);
/// The running sum of each row by cub::BlockScan.
template <class T, CubItems items>
cudaError_t cumsum_cub_block(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                             cudaStream_t stream);
/// Each row sorted by cub::BlockRadixSort.
template <class T>
cudaError_t sort_rows_cub_block(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                                cudaStream_t stream);

}  // namespace tutorial

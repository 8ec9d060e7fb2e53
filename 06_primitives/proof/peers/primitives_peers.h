// What one would use instead of the kernels of this chapter: CUB's block primitives, put together
// in kernels of the same shape, and cub::DeviceTransform.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial {

/// The longest row that CubPeers::softmax and CubPeers::sort take; longer ones are
/// cudaErrorInvalidValue.
inline constexpr std::int64_t kCubSoftmaxTile = 4096;
inline constexpr std::int64_t kCubSortTile = 1024;

template <class T>
using OnLists = cudaError_t (*)(const T* a, const T* b, T* out, std::int64_t n,
                                cudaStream_t stream);
template <class T>
using OnRows = cudaError_t (*)(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                               cudaStream_t stream);

/// Launchers. Of two, a block's items come from memory and go there by WARP_TRANSPOSE in the first, by
/// VECTORIZE in the second.
template <class T>
struct CubPeers {
  OnLists<T> add;           ///< out = a + b by cub::DeviceTransform (CCCL 2.8 or newer)
  OnLists<T> add_block[2];  ///< the same by cub::BlockLoad and cub::BlockStore
  OnRows<T> sum[2];         ///< of each row, by cub::BlockReduce
  OnRows<T> softmax[2];     ///< of each row, by two cub::BlockReduce
  OnRows<T> cumsum[2];      ///< the running sum of each row, by cub::BlockScan
  OnRows<T> sort;           ///< each row, by cub::BlockRadixSort
};

/// All null in the cpu backend. T: float, half.
template <class T>
CubPeers<T> cub_peers();

}  // namespace tutorial

// Some rows of a batch, for the tests: what many rows run is seen on few.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/types.h"

namespace tutorial {

/// softmax(), softmax_split(), cumsum() and cumsum_split() of `rows` rows, by the kernels that a matrix of `batch` rows runs: on
/// the same GPU and at the same alignment they have the bits that they have in that matrix. T, and what is refused, as there;
/// a workspace that is too small is refused with the bytes that are needed.
template <class T>
cudaError_t softmax_of_batch(std::int64_t batch, const T* x, T* y, std::int64_t rows,
                             std::int64_t columns, cudaStream_t stream);
template <class T>
cudaError_t softmax_split_of_batch(std::int64_t batch, const T* x, T* y, std::int64_t rows,
                                   std::int64_t columns, void* workspace,
                                   std::size_t workspace_bytes, cudaStream_t stream);
template <class T>
cudaError_t cumsum_of_batch(std::int64_t batch, const T* x, T* y, std::int64_t rows,
                            std::int64_t columns, cudaStream_t stream);
template <class T>
cudaError_t cumsum_split_of_batch(std::int64_t batch, const T* x, T* y, std::int64_t rows,
                                  std::int64_t columns, void* workspace,
                                  std::size_t workspace_bytes, cudaStream_t stream);

}  // namespace tutorial

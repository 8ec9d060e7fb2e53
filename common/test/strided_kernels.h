// Operations on tensors of any strides, for the tests of launch_strided().
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/strided.h"

namespace tutorial::test {

/// In place of StridedLimits::most: the limits as they are.
inline constexpr std::int64_t kUsualLimits = -1;

/// y = 2 - x; y = a - 2 b; y = 1 where a > b, else 0; y = c ? a : b. `most`: StridedLimits::most, 0 for
/// the usual one, with pieces wherever they can be; or kUsualLimits.
template <class T>
cudaError_t two_minus(const TensorView<const T>& x, const TensorView<T>& y, std::int64_t most,
                      cudaStream_t stream = nullptr);
template <class T>
cudaError_t minus_twice(const TensorView<const T>& a, const TensorView<const T>& b,
                        const TensorView<T>& y, std::int64_t most, cudaStream_t stream = nullptr);
template <class T>
cudaError_t is_greater(const TensorView<const T>& a, const TensorView<const T>& b,
                       const TensorView<std::uint8_t>& y, std::int64_t most,
                       cudaStream_t stream = nullptr);
template <class T>
cudaError_t choose(const TensorView<const std::uint8_t>& c, const TensorView<const T>& a,
                   const TensorView<const T>& b, const TensorView<T>& y, std::int64_t most,
                   cudaStream_t stream = nullptr);

/// Mistakes of is_inside() for all places, shifts and spans, or nothing. Runs nothing.
std::string mistakes_of_is_inside();

/// The most lanes that want the same banks at once where a tile of packs of sixteen bytes is stored and
/// where it is loaded, or 0 if two packs share a place; of all shapes of tiles.
int most_in_a_bank();

}  // namespace tutorial::test

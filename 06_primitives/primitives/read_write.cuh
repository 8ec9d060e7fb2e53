// Between memory and registers: Init, ReadData, ReadDataBc, WriteData.
//
// A block works on a tile; each of its blockDim.x threads keeps VecSize elements of it in an array
// of registers, which the primitives take by reference. The layout decides which elements these are
// (layout.cuh). The 2-D forms take an array [NY][NX] and use blockDim.y too. Every loop over the
// registers is unrolled: an array with a run-time index would move to local memory.
//
// The IsBoundary contract:
// - `IsBoundary == false`: the caller promises that the tile is full (all VecSize * blockDim.x
//   elements exist, or at least those of every thread that calls), and that the base pointer is
//   aligned to the access, which is the largest of 16, 8, 4, 2, 1 bytes that divides a vector (W
//   elements of the layout). `num` is not used. One instruction moves up to 16 bytes.
// - `IsBoundary == true`: the caller promises only alignment to the element. Of the tile, the first
//   min(num, tile) elements are read or written, one at a time, and no other byte is touched; a num
//   of 0 or below touches nothing. Registers whose elements do not exist keep their value: Init them
//   first.
//
// The names and the contract are those of PaddlePaddle's kernel primitives; the code is not.
#pragma once

#include <cstdint>

#include "06_primitives/primitives/layout.cuh"
#include "common/fast_division.h"

namespace tutorial::primitives {

// ---- Init -------------------------------------------------------------------------------------

/// Fills a thread's registers with `value`, converted to *their* type. (The original
/// library converts to the type of the result: proof/museum/exhibits.cuh shows what becomes of 1.5.)
template <class T, int VecSize, class Value>
__device__ __forceinline__ void Init(T (&x)[VecSize], Value value) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) x[k] = Convert<T>(value);
}
template <class T, int NX, int NY, class Value>
__device__ __forceinline__ void Init(T (&x)[NY][NX], Value value) {
#pragma unroll
  for (int y = 0; y < NY; ++y) Init(x[y], value);
}

// ---- One dimension ----------------------------------------------------------------------------

namespace detail {

/// Reads Width adjacent elements by accesses of up to 16 bytes.
template <int Width, class Dst, class Src>
__device__ __forceinline__ void read_vector(Dst* dst, const Src* src) {
  constexpr int kBytes = kAccessBytes<Width, Src>;
  constexpr int kElements = kBytes / static_cast<int>(sizeof(Src));
  static_assert(kElements > 0, "elements of more than 16 bytes");
  using Access = typename AccessOf<kBytes>::type;
#pragma unroll
  for (int first = 0; first < Width; first += kElements) {
    alignas(16) Src pack[kElements];
    tutorial::detail::storage_as<Access>(pack[0]) =
        tutorial::detail::storage_as<Access>(src[first]);
#pragma unroll
    for (int k = 0; k < kElements; ++k) dst[first + k] = Convert<Dst>(pack[k]);
  }
}

/// *to = value, to global memory, in one instruction. The compiler splits the assignment of a uint4
/// into four and joins them again in most kernels, but not where two paths end in stores to the
/// same address. __stwb is never split. (Its machine code is a STRONG.SM store; that takes no longer.)
template <class Access>
__device__ __forceinline__ void store_whole(Access* to, Access value) {
#ifdef __CUDA_ARCH__
  __stwb(to, value);
#else
  *to = value;
#endif
}

/// Writes Width adjacent elements by accesses of up to 16 bytes.
template <int Width, class Dst, class Src>
__device__ __forceinline__ void write_vector(Dst* dst, const Src* src) {
  constexpr int kBytes = kAccessBytes<Width, Dst>;
  constexpr int kElements = kBytes / static_cast<int>(sizeof(Dst));
  static_assert(kElements > 0, "elements of more than 16 bytes");
  using Access = typename AccessOf<kBytes>::type;
#pragma unroll
  for (int first = 0; first < Width; first += kElements) {
    alignas(16) Dst pack[kElements];
#pragma unroll
    for (int k = 0; k < kElements; ++k) pack[k] = Convert<Dst>(src[first + k]);
    store_whole(&tutorial::detail::storage_as<Access>(dst[first]),
                tutorial::detail::storage_as<Access>(pack[0]));
  }
}

/// min(num, tile), at least 0: how many elements of the tile exist.
__device__ __forceinline__ int clamp_to_tile(std::int64_t num, int tile) {
  return num < tile ? (num < 0 ? 0 : static_cast<int>(num)) : tile;
}

}  // namespace detail

/// x[k] = src[element of the tile in register k], converted to the type of x.
///
/// - IsBoundary, num: see the top of this file. `src` is the tile's first element, so the caller
///   adds the block's offset, in 64 bits, and `num` is what is left of the data from there on.
/// - Layout: ByType is Interleaved<Src>, 16 bytes a thread and access.
/// - Alignment without IsBoundary: see the contract; 16 bytes always suffice.
//! [ReadData]
template <bool IsBoundary, class Layout = ByType, class T, int VecSize, class Src>
__device__ __forceinline__ void ReadData(T (&x)[VecSize], const Src* src, std::int64_t num) {
  constexpr int kWidth = detail::kWidth<Layout, VecSize, Src>;
  static_assert(VecSize % kWidth == 0, "a thread holds whole vectors");
  if constexpr (IsBoundary) {
    const int count = detail::clamp_to_tile(num, VecSize * static_cast<int>(blockDim.x));
#pragma unroll
    for (int k = 0; k < VecSize; ++k) {
      const int i = detail::element_at<kWidth>(k);
      if (i < count) x[k] = Convert<T>(src[i]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < VecSize; k += kWidth) {
      detail::read_vector<kWidth>(&x[k], src + detail::element_at<kWidth>(k));
    }
  }
}
//! [ReadData]

/// dst[element of the tile in register k] = x[k], converted to the type of dst. Layout: ByType is
/// Interleaved<Dst>. Otherwise as ReadData.
template <bool IsBoundary, class Layout = ByType, class Dst, class T, int VecSize>
__device__ __forceinline__ void WriteData(Dst* dst, const T (&x)[VecSize], std::int64_t num) {
  constexpr int kWidth = detail::kWidth<Layout, VecSize, Dst>;
  static_assert(VecSize % kWidth == 0, "a thread holds whole vectors");
  if constexpr (IsBoundary) {
    const int count = detail::clamp_to_tile(num, VecSize * static_cast<int>(blockDim.x));
#pragma unroll
    for (int k = 0; k < VecSize; ++k) {
      const int i = detail::element_at<kWidth>(k);
      if (i < count) dst[i] = Convert<Dst>(x[k]);
    }
  } else {
#pragma unroll
    for (int k = 0; k < VecSize; k += kWidth) {
      detail::write_vector<kWidth>(dst + detail::element_at<kWidth>(k), &x[k]);
    }
  }
}

// ---- Two dimensions ---------------------------------------------------------------------------

/// Rows of adjacent elements: row j * blockDim.y + threadIdx.y of the tile begins at src + row *
/// stride_ny, and is read into x[j] as the 1-D ReadData reads a tile of NX * blockDim.x elements,
/// by wide accesses. Without IsBoundary every row's beginning is aligned, so stride_ny is a
/// multiple of the access too.
template <bool IsBoundary, class Layout = ByType, class T, int NX, int NY, class Src>
__device__ __forceinline__ void ReadData(T (&x)[NY][NX], const Src* src, std::int64_t size_nx,
                                         std::int64_t size_ny, std::int64_t stride_ny) {
#pragma unroll
  for (int j = 0; j < NY; ++j) {
    const std::int64_t row = std::int64_t{blockDim.y} * j + threadIdx.y;
    if (!IsBoundary || row < size_ny) {
      ReadData<IsBoundary, Layout>(x[j], src + row * stride_ny, size_nx);
    }
  }
}

/// Rows of adjacent elements, the other way.
template <bool IsBoundary, class Layout = ByType, class Dst, class T, int NX, int NY>
__device__ __forceinline__ void WriteData(Dst* dst, const T (&x)[NY][NX], std::int64_t size_nx,
                                          std::int64_t size_ny, std::int64_t stride_ny) {
#pragma unroll
  for (int j = 0; j < NY; ++j) {
    const std::int64_t row = std::int64_t{blockDim.y} * j + threadIdx.y;
    if (!IsBoundary || row < size_ny) {
      WriteData<IsBoundary, Layout>(dst + row * stride_ny, x[j], size_nx);
    }
  }
}

// ---- Through an index -------------------------------------------------------------------------

/// From the number of an element in a box of `Rank` dimensions to its offset in memory. The number
/// is divided by the extents, innermost dimension first; the remainders are the coordinates, and
/// coordinates times strides give the offset. A stride of 0 broadcasts a dimension; a map over the
/// reduced dimensions alone enumerates what a reduction reads.
///
/// Numbers are 32 bits wide, in [0, 2^32), because the division is (common/fast_division.h);
/// offsets are 64 bits wide. The outermost extent is never divided by: it needs no divisor, and a
/// number beyond the box runs on along the outermost dimension.
template <int Rank>
struct IndexMap {
  static_assert(Rank >= 1);
  FastDivisor extent[Rank];   ///< innermost first
  std::int64_t stride[Rank];  ///< in elements, innermost first

  __host__ __device__ __forceinline__ std::int64_t offset(std::uint32_t number) const {
    std::int64_t sum = 0;
#pragma unroll
    for (int d = 0; d + 1 < Rank; ++d) {
      const DivMod parts = extent[d].divmod(number);
      sum += static_cast<std::int64_t>(parts.remainder) * stride[d];
      number = parts.quotient;
    }
    return sum + static_cast<std::int64_t>(number) * stride[Rank - 1];
  }
};

/// An IndexMap from extents (each 1 to 2^32 - 1) and strides in elements, both innermost first.
/// Host.
template <int Rank>
IndexMap<Rank> make_index_map(const std::int64_t (&extent)[Rank],
                              const std::int64_t (&stride)[Rank]) {
  IndexMap<Rank> map;
  for (int d = 0; d < Rank; ++d) {
    map.extent[d] = FastDivisor(static_cast<std::uint32_t>(extent[d]));
    map.stride[d] = stride[d];
  }
  return map;
}

/// Broadcast: x[k] = src[map.offset(block_offset + element of the tile in register k)], where the
/// tile is one of the *output* and the map takes the output's elements to the input's.
///
/// - block_offset: the number of the tile's first element; block_offset + the tile's elements is at
///   most 2^32.
/// - num: the elements of the output from block_offset on; IsBoundary as in ReadData, except that
///   no alignment is needed (the accesses are scalar).
/// - Layout: that of the other tiles in the kernel. ByType is Interleaved<Src>.
template <bool IsBoundary, class Layout = ByType, class T, int VecSize, class Src, int Rank>
__device__ __forceinline__ void ReadDataBc(T (&x)[VecSize], const Src* src,
                                           std::uint32_t block_offset, const IndexMap<Rank>& map,
                                           std::int64_t num) {
  constexpr int kWidth = detail::kWidth<Layout, VecSize, Src>;
  static_assert(VecSize % kWidth == 0, "a thread holds whole vectors");
  const int count = detail::clamp_to_tile(num, VecSize * static_cast<int>(blockDim.x));
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    const int i = detail::element_at<kWidth>(k);
    if (!IsBoundary || i < count) {
      x[k] = Convert<T>(src[map.offset(block_offset + static_cast<std::uint32_t>(i))]);
    }
  }
}

}  // namespace tutorial::primitives

/// Between memory and registers: Init, InitWithDataIndex, ReadData, ReadDataBc, ReadDataReduce,
/// WriteData.
///
/// **What a block and a thread hold.** A block works on a tile; each of its blockDim.x threads
/// keeps VecSize elements of it in an array of registers, which the primitives take by reference:
/// the array knows its own size and type, so a call states neither. Which elements these are is the
/// layout's business (layout.cuh). The 2-D forms take an array [NY][NX]; there, blockDim.y counts
/// too.
///
/// **The IsBoundary contract.**
/// - `IsBoundary == false` is a promise of the caller: the tile is full (all VecSize * blockDim.x
///   elements exist, or at least those of every thread that calls), and the base pointer is aligned
///   to the access, which is the largest of 16, 8, 4, 2, 1 bytes that divides a vector (W elements
///   of the layout). `num` is not looked at. The access is one instruction for each 16 bytes.
/// - `IsBoundary == true` promises nothing but alignment to the element. Of the tile, the first
///   min(num, tile) elements are read or written, one at a time, and no other byte is touched; a
///   num of 0 or below touches nothing. Registers whose elements do not exist keep their value:
///   Init them first.
///
/// Registers must be arrays that only compile-time indices reach, or they move to local memory;
/// that is why every loop here is unrolled.
///
/// Source: the names and the contract are those of PaddlePaddle's kernel primitives, which
/// this chapter follows; the code is not.
#pragma once

#include <cstdint>

#include "06_primitives/primitives/layout.cuh"
#include "common/fast_division.h"

namespace tutorial::primitives {

// ---- Init -------------------------------------------------------------------------------------

/// Fills a thread's registers with `value`, converted to *their* type. (The library converts to the
/// type of the result instead; exhibits.cuh shows what becomes of 1.5.)
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

/// Register k becomes `block_offset` plus the element of the tile that it stands for: the index of
/// the data, for kernels that need to know where they are. T must hold it.
///
/// Data: the type in memory of the data that the indices belong to, which the default layout
/// depends on; Layout as in ReadData.
template <class Data, class Layout = ByType, class T, int VecSize>
__device__ __forceinline__ void InitWithDataIndex(T (&x)[VecSize], std::int64_t block_offset) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    x[k] = Convert<T>(block_offset + ElementIndex<Data, VecSize, Layout>(k));
  }
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

/// *to = value, to global memory, in one instruction. To the compiler the assignment of a uint4 is
/// four; it puts them together again in most kernels, and where two paths end in stores to the same
/// place it does not. This is the same store (.wb is the default), as one statement.
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
/// adds
///   the block's offset, in 64 bits, and `num` is what is left of the data from there on.
/// - Layout: ByType is Interleaved<Src>, 16 bytes a thread and access.
/// - Alignment without IsBoundary: see the contract; 16 bytes always suffice.
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

/// Any strides: x[j][i] = src[column * stride_nx + row * stride_ny], where
///
///     column = i * blockDim.x + threadIdx.x   of a tile that is NX * blockDim.x wide,
///     row    = j * blockDim.y + threadIdx.y   of one that is NY * blockDim.y high.
///
/// size_nx, size_ny: the columns and rows that exist; strides in elements of Src. With IsBoundary
/// only columns below size_nx and rows below size_ny are read; without it the tile is full, and the
/// sizes are not looked at. Accesses are scalar, so the element's alignment is enough either way.
template <bool IsBoundary, class T, int NX, int NY, class Src>
__device__ __forceinline__ void ReadData(T (&x)[NY][NX], const Src* src, std::int64_t size_nx,
                                         std::int64_t size_ny, std::int64_t stride_nx,
                                         std::int64_t stride_ny) {
#pragma unroll
  for (int j = 0; j < NY; ++j) {
    const std::int64_t row = std::int64_t{blockDim.y} * j + threadIdx.y;
#pragma unroll
    for (int i = 0; i < NX; ++i) {
      const std::int64_t column = std::int64_t{blockDim.x} * i + threadIdx.x;
      if (!IsBoundary || (row < size_ny && column < size_nx)) {
        x[j][i] = Convert<T>(src[column * stride_nx + row * stride_ny]);
      }
    }
  }
}

/// Any strides, the other way: dst[column * stride_nx + row * stride_ny] = x[j][i].
template <bool IsBoundary, class Dst, class T, int NX, int NY>
__device__ __forceinline__ void WriteData(Dst* dst, const T (&x)[NY][NX], std::int64_t size_nx,
                                          std::int64_t size_ny, std::int64_t stride_nx,
                                          std::int64_t stride_ny) {
#pragma unroll
  for (int j = 0; j < NY; ++j) {
    const std::int64_t row = std::int64_t{blockDim.y} * j + threadIdx.y;
#pragma unroll
    for (int i = 0; i < NX; ++i) {
      const std::int64_t column = std::int64_t{blockDim.x} * i + threadIdx.x;
      if (!IsBoundary || (row < size_ny && column < size_nx)) {
        dst[column * stride_nx + row * stride_ny] = Convert<Dst>(x[j][i]);
      }
    }
  }
}

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

/// From the number of an element in a box of `Rank` dimensions to its offset in memory: the number
/// is taken apart, innermost dimension first, and each coordinate counts its dimension's stride. A
/// stride of 0 makes a dimension that is broadcast; the strides of the reduced dimensions alone
/// make the walk of a reduction.
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
/// no
///   alignment is needed (the accesses are scalar).
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

/// What a reduction over any set of dimensions reads: x[j][i] = transform(src[kept.offset(column) +
/// reduced.offset(row)]), where
///
///     column = kept_offset    + i * blockDim.x + threadIdx.x   numbers the elements of the result,
///     row    = reduced_offset + j * blockDim.y + threadIdx.y   numbers what each is reduced from.
///
/// `kept` and `reduced` are maps over the two sets of dimensions. Columns are neighbouring threads,
/// so this is the form for reductions whose innermost dimension is kept (Reduce with Axis::y
/// follows).
///
/// - size_nx, size_ny: the columns and rows that exist from the two offsets on; with IsBoundary
///   nothing else is read, and registers beyond keep their value (Init them with the identity).
/// - transform: applied to the element as it is in memory (Src -> anything that converts to T).
/// - Scalar accesses; the element's alignment is enough.
template <bool IsBoundary, class T, int NX, int NY, class Src, int KeptRank, int ReducedRank,
          class Transform>
__device__ __forceinline__ void ReadDataReduce(
    T (&x)[NY][NX], const Src* src, std::uint32_t kept_offset, const IndexMap<KeptRank>& kept,
    std::uint32_t reduced_offset, const IndexMap<ReducedRank>& reduced, std::int64_t size_nx,
    std::int64_t size_ny, Transform transform) {
  std::int64_t column_offset[NX];
#pragma unroll
  for (int i = 0; i < NX; ++i) {
    column_offset[i] =
        kept.offset(kept_offset + blockDim.x * static_cast<unsigned>(i) + threadIdx.x);
  }
#pragma unroll
  for (int j = 0; j < NY; ++j) {
    const unsigned row = blockDim.y * static_cast<unsigned>(j) + threadIdx.y;
    const std::int64_t row_offset = reduced.offset(reduced_offset + row);
#pragma unroll
    for (int i = 0; i < NX; ++i) {
      const unsigned column = blockDim.x * static_cast<unsigned>(i) + threadIdx.x;
      if (!IsBoundary || (row < size_ny && column < size_nx)) {
        x[j][i] = Convert<T>(transform(src[column_offset[i] + row_offset]));
      }
    }
  }
}

/// The same for one element of the result, all of whose elements the block's threads share: x[k] =
/// transform(src[reduced.offset(reduced_offset + element of the tile in register k)]). `src`
/// already points at the result's element. Striped by default: neighbouring threads read
/// neighbouring elements, so this is the form for reductions whose innermost dimension is reduced
/// (Reduce with Axis::x follows).
template <bool IsBoundary, class Layout = Striped, class T, int VecSize, class Src, int Rank,
          class Transform>
__device__ __forceinline__ void ReadDataReduce(T (&x)[VecSize], const Src* src,
                                               std::uint32_t reduced_offset,
                                               const IndexMap<Rank>& reduced, std::int64_t num,
                                               Transform transform) {
  constexpr int kWidth = detail::kWidth<Layout, VecSize, Src>;
  static_assert(VecSize % kWidth == 0, "a thread holds whole vectors");
  const int count = detail::clamp_to_tile(num, VecSize * static_cast<int>(blockDim.x));
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    const int i = detail::element_at<kWidth>(k);
    if (!IsBoundary || i < count) {
      x[k] = Convert<T>(
          transform(src[reduced.offset(reduced_offset + static_cast<std::uint32_t>(i))]));
    }
  }
}

}  // namespace tutorial::primitives

// Kernels that run one primitive each, so that a test can look at it alone. Everything here
// launches one block, unless it says otherwise, and returns the launch's error.
//
// "registers" is what the threads hold when the primitive has returned: [k][thread], with thread =
// threadIdx.y * blockDim.x + threadIdx.x.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace tutorial::test {

/// adjacent, interleaved and striped as in layout.cuh; `interleaved` is the primitive's default.
/// both: Interleaved of the two types in memory.
enum class TileLayout { adjacent, interleaved, striped, both };

/// How a primitive is called. vec is VecSize: 1, 2, 4 or 8.
struct Tile {
  int vec = 1;
  TileLayout layout = TileLayout::adjacent;
  unsigned threads = 32;  ///< blockDim.x
  unsigned rows = 1;      ///< blockDim.y
  std::int64_t size() const { return std::int64_t{threads} * vec; }
};

/// Init(x, initial); ReadData; registers; WriteData of the registers.
/// <Src, Reg, Dst>: <float, float, float>, <half, float, half>, <half, half, float>,
/// <std::int8_t, std::int32_t, std::int8_t>, <double, double, double>.
template <class Src, class Reg, class Dst>
cudaError_t read_write(const Tile& tile, bool boundary, const Src* src, Dst* dst, Reg* registers,
                       float initial, std::int64_t num);

/// The 2-D forms: a block of threads * rows, registers [ny][nx] (k = y * nx + x).
struct Tile2d {
  int nx = 1;  ///< 1, 2 or 4
  int ny = 1;  ///< 1, 2 or 3
  unsigned threads = 32;
  unsigned rows = 1;
};
struct Window {
  std::int64_t size_nx, size_ny, stride_nx, stride_ny;
};
/// ReadData and WriteData of rows of adjacent elements; stride_nx is 1.
cudaError_t read_write_rows(const Tile2d& tile, bool boundary, const float* src, float* dst,
                            float* registers, Window from, Window to);

/// Extents and strides of an IndexMap, innermost first.
struct Box {
  int rank = 1;  ///< 1 to 3
  std::int64_t extent[3] = {1, 1, 1};
  std::int64_t stride[3] = {0, 0, 0};
};
/// offsets[i] = map.offset(numbers[i]), for n numbers.
cudaError_t index_offsets(const Box& box, const std::uint32_t* numbers, std::int64_t* offsets,
                          std::int64_t n);
/// Init(x, -1), ReadDataBc.
cudaError_t read_broadcast(const Tile& tile, bool boundary, const float* src,
                           std::uint32_t block_offset, const Box& box, std::int64_t num,
                           float* registers);
/// The elementwise primitives on a thread's registers a, b, c (float [k][thread]) of one block of 32.
/// Results, each [k][thread], one after the other:
///
///     0 Unary 2a               3 Any of no input: 7
///     1 Binary a - b           4 Binary into an int, rounded towards 0
///     2 Any a - b / 4 + 3c     5 Unary in place
inline constexpr int kComputeResults = 6;
cudaError_t compute(int vec, const float* a, const float* b, const float* c, float* results);
/// CycleBinary row[x] - in[y][x] on the registers [ny][nx] of one thread.
cudaError_t cycle(int nx, int ny, const float* row, const float* in, float* results);

/// out[i] = in[i] by Convert, n <= 1024. T: half, bf16.
template <class T>
cudaError_t convert(const double* in, T* out, unsigned n);

enum class Functor { add, mul, max, min, logical_and, logical_or };
/// out[i] = functor(a[i], b[i]). T: float, double, half, bf16, bool (as unsigned char), int8,
/// int32, int64, uint32.
template <class T>
cudaError_t apply(Functor functor, const T* a, const T* b, T* out, std::int64_t n);
/// The same on the host, which the functors work on too.
template <class T>
T apply_on_host(Functor functor, T a, T b);
/// *out = the functor's identity, on the device and on the host.
template <class T>
cudaError_t identity_of(Functor functor, T* out);
template <class T>
T identity_on_host(Functor functor);

/// Reduce<kLocalMode> of in [k][thread]: results [thread].
/// <T>: float, half, std::int32_t. Functors: add, max.
template <class T>
cudaError_t reduce_local(int vec, Functor functor, const T* in, T* results, unsigned threads);
/// Of one thread's [ny][nx] registers: along x (ny results) or y (nx results). nx, ny as in Tile2d.
cudaError_t reduce_local_2d(int nx, int ny, bool along_x, const float* in, float* results);
/// Reduce<kGlobalMode> of in [call][k][thread], `calls` times over in a row, without anything
/// between the calls: results [call][k][thread]. T: float, double, half, bf16, int8, int32, int64,
/// bool (as unsigned char). Functors: add, mul, max, min, logical_and, logical_or.
template <class T>
cudaError_t reduce_global(const Tile& tile, bool along_x, Functor functor, int calls, const T* in,
                          T* results);

/// Cumsum of a tile in `calls` calls one after the other: tile c begins at in + c * tile.size() *
/// tile.rows, that of each row of threads behind the row before. results alike; totals
/// [call][thread]. carried: the total of a call is the carry of the next. T: float, int32, int64,
/// half.
template <class T>
cudaError_t cumsum(const Tile& tile, bool carried, int calls, const T* in, T* results, T* totals);
/// The same with an operation that does not commute: x -> a x + b, with a and b modulo 2^16 in the
/// upper and the lower half; first the left operand, then the right.
cudaError_t cumsum_affine(const Tile& tile, const std::uint32_t* in, std::uint32_t* results);
std::uint32_t compose_affine(std::uint32_t first, std::uint32_t second);

/// Sorts rows: `blocks` blocks of tile.rows rows; row r sorts the first num[r] elements of
/// keys + r * tile.size(), and writes its sorted registers to the same place (in the order of the
/// positions), and the indices if `index` is not null. One call to Sort for each row; whole: with
/// MaxThreads 32, for 32 threads a row. vec 16 and 32 too, with whole alone. T: float, half, bf16,
/// double, int8, int32, uint32, int64, bool (as unsigned char).
template <class T>
cudaError_t sort(const Tile& tile, int blocks, bool descending, bool whole, const std::int64_t* num,
                 const T* keys, T* sorted, int* index);

/// Rearrange<from, to> of two tiles, one after the other: registers [tile][k][thread] in and out.
/// T: float, half, std::int8_t, double. `interleaved` is Interleaved<T>.
template <class T>
cudaError_t rearrange(const Tile& tile, TileLayout to, const T* in, T* out);

}  // namespace tutorial::test

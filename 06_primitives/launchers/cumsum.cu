// Running sums: a warp for each row, or a block for each long one, or a cluster of blocks where these are few; a few lanes
// for each of many short ones.
#include "06_primitives/launchers/any_rows.h"
#include "06_primitives/launchers/batch.h"
#include "06_primitives/launchers/short_rows.cuh"
#include "06_primitives/primitives.h"

namespace tutorial {

using namespace primitives;

namespace {

/// Whether every row of x begins as far behind a multiple of sixteen bytes as that of y.
template <class T>
bool begin_alike(const T* x, const T* y, const AnyRows& of) {
  const auto past = [](const T* first) { return reinterpret_cast<std::uintptr_t>(first) % 16; };
  return past(x) == past(y) && past(x + of.pitch.x) == past(y + of.pitch.y);
}

/// A warp for each row has no barrier; four rows make a block.
constexpr std::int64_t kWarpRows = 4;
/// Rows of more elements may get a block each: of so many threads, or twice as many below kManyRows.
constexpr std::int64_t kWarpRowLength = 4096;
constexpr std::int64_t kLongRowThreads = 256, kManyRows = 1024;
/// At most so many rows, longer than this, get a block each too: of so few warps each would load its row in
/// several tiles, one after the other, and none would hide another's wait.
constexpr std::int64_t kFewRows = 256, kFewRowLength = 2048;

/// A row of at most so many elements is one tile of its block, which loads it at once.
constexpr std::int64_t kBlockTile = 2 * kLongRowThreads * 16;
/// At most so many rows, longer than kCutLength, are cut.
constexpr std::int64_t kCutRows = 32, kCutLength = 16384;
/// The packs that a block of a cluster holds in registers.
constexpr std::int64_t kClusterTile = kCumsumClusterThreads * kCumsumClusterPacks;

struct ClusterShape {
  std::int64_t blocks = 0;  ///< of a row; 0: none
  bool in_registers = false;
};

/// Of so many rows, those of at most four blocks' packs are held in registers: where an H200 was faster so (notes/scan.md).
template <class T>
std::int64_t most_held_by_four(std::int64_t packs) {
  if (sizeof(T) == 4)
    return packs <= 3 * kClusterTile ? kManyRows - 1 : std::numeric_limits<std::int64_t>::max();
  return packs <= kClusterTile * 3 / 2 || packs > 3 * kClusterTile ? 160
         : packs <= 2 * kClusterTile                               ? 64
                                                                   : 96;
}

/// Which rows get a cluster: where an H200 computed them faster by one than by a block each (notes/scan.md).
template <class T>
ClusterShape cluster_for(std::int64_t rows, std::int64_t columns) {
  const std::int64_t packs = columns / kPackWidth<T>;
  constexpr bool kHalves = sizeof(T) == 2;
  if (columns < kBlockTile || (columns == kBlockTile && (kHalves || rows > 24))) return {};
  if (packs <= 4 * kClusterTile && rows <= most_held_by_four<T>(packs)) return {4, true};
  if (packs <= 8 * kClusterTile && rows <= (kHalves ? 47 : 128)) return {8, true};
  const std::int64_t tiles = !kHalves || rows <= 96 ? 4 : rows <= 160 ? 6 : 8;
  const bool is_short = packs <= 4 * kClusterTile || packs < tiles * kClusterTile;
  const bool is_long = packs > 48 * kClusterTile && rows > 192;
  if (is_short || is_long || packs * 16 > kMostInCluster * most_share_bytes()) return {};
  return {rows > 64 && packs <= 12 * kClusterTile ? 4 : 8, false};
}

/// The same of the largest clusters, on a GPU that has them. In shared memory: rows that eight blocks hold, where these are
/// slower, and rows that they do not hold, unless these are cut.
template <class T>
ClusterShape largest_for(std::int64_t rows, std::int64_t columns) {
  using Acc = AccOf<T>;
  constexpr bool kHalves = sizeof(T) == 2;
  const std::int64_t packs = columns / kPackWidth<T>;
  if (packs > 8 * kClusterTile && packs <= 16 * kClusterTile && rows <= (kHalves ? 16 : 32)) {
    const bool runs = runs_in_largest_clusters(CumsumCluster<true, Acc, T>, kCumsumClusterThreads);
    return runs ? ClusterShape{kLargestCluster, true} : ClusterShape{};
  }
  const std::int64_t bytes = packs * 16, most = most_share_bytes();
  const bool too_long = bytes > kMostInCluster * most;
  const bool pays = too_long  ? rows > kCutRows && rows < 96
                    : kHalves ? rows >= (packs <= 64 * kClusterTile ? 12 : 16) && rows <= 192
                              : rows > kCutRows;
  const bool fits = packs >= 32 * kClusterTile && bytes <= kLargestCluster * most;
  if (!pays || !fits ||
      !shares_in_largest_clusters(CumsumCluster<false, Acc, T>, kCumsumClusterThreads)) {
    return {};
  }
  return {kLargestCluster, false};
}

template <class T>
ClusterShape cluster_of(const T* x, const T* y, const AnyRows& of) {
  const bool can = !of.have_gaps() && in_vectors<T>(of.columns, {x, y}) &&
                   runs_in_clusters(CumsumCluster<true, AccOf<T>, T>);
  if (!can) return {};
  const ClusterShape largest = largest_for<T>(of.batch, of.columns);
  return largest.blocks != 0 ? largest : cluster_for<T>(of.batch, of.columns);
}

/// Whether the parts of so few rows, each a block, take less time than a cluster for each row.
template <class T>
bool are_better_in_parts(std::int64_t rows, std::int64_t columns) {
  const bool is_long = columns / kPackWidth<T> > 24 * kClusterTile;
  return rows < 8 || (is_long && (sizeof(T) == 4 || rows < 12));
}

template <class T>
cudaError_t launch_clusters(const T* x, T* y, const AnyRows& of, const ClusterShape& cluster,
                            cudaStream_t stream) {
  using Acc = AccOf<T>;
  const std::int64_t packs = of.columns / kPackWidth<T>, share = ceil_div(packs, cluster.blocks);
  LaunchShape shape = rows_shape(of.rows * cluster.blocks, kCumsumClusterThreads, 1);
  shape.cluster = static_cast<unsigned>(cluster.blocks);
  const int row = static_cast<int>(packs), each = static_cast<int>(share);
  if (cluster.in_registers) {
    return launch(CumsumCluster<true, Acc, T>, shape, stream, x, y, row, each);
  }
  shape.shared_bytes = static_cast<std::size_t>(share) * 16;
  return launch_sharing(CumsumCluster<false, Acc, T>, shape, stream, x, y, row, each);
}

template <class T>
cudaError_t launch_cumsum(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  if (of.rows == 0 || of.columns == 0) return cudaSuccess;
  using Acc = AccOf<T>;
  if (const ClusterShape cluster = cluster_of(x, y, of); cluster.blocks != 0) {
    return launch_clusters(x, y, of, cluster, stream);
  }
  const bool vectors = !of.have_gaps() && in_vectors<T>(of.columns, {x, y});
  if (const ShortRows by = short_rows<CumsumShort<Acc>, T>(of.batch, of.columns, vectors);
      by != ShortRows::none && !of.have_gaps()) {
    return launch_short_rows<CumsumShort<Acc>, Acc>(by, x, y, of.rows, of.columns, stream);
  }
  const bool many = of.batch >= kManyRows;
  // Of many rows those of floats in vectors alone are faster in a block (notes/scan.md).
  const bool long_rows = of.columns > kWarpRowLength && !(many && (!vectors || sizeof(T) == 2));
  const bool few_rows = of.batch <= kFewRows && of.columns > kFewRowLength &&
                        (!vectors || of.columns == kLongRowThreads * 16);  // a tail is slow
  const bool in_block = long_rows || few_rows;
  const std::int64_t threads =
      many || of.columns <= kWarpRowLength ? kLongRowThreads : 2 * kLongRowThreads;
  const LaunchShape shape =
      in_block ? rows_shape(of.rows, threads, 1) : rows_shape(of.rows, 32, kWarpRows);
  const auto whole = [&](auto kernel) {
    return launch(kernel, shape, stream, x, y, of.rows, of.columns);
  };
  if (vectors && in_block) return whole(CumsumRows<16, Interleaved<T>, Acc, T>);
  if (vectors && of.columns % (32 * 32) == 0) return whole(CumsumRows<32, Interleaved<T>, Acc, T>);
  if (vectors && of.columns % (32 * 8) == 0) return whole(CumsumRows<8, Interleaved<T>, Acc, T>);
  const auto any = [&](auto alike) {
    constexpr bool kAlike = decltype(alike)::value;
    const auto kernel = in_block               ? CumsumAnyRows<16, kAlike, Acc, T>
                        : of.columns > 32 * 16 ? CumsumAnyRows<32, kAlike, Acc, T>
                                               : CumsumAnyRows<8, kAlike, Acc, T>;
    return launch(kernel, shape, stream, x, y, of.rows, of.columns, of.pitch);
  };
  return begin_alike(x, y, of) ? any(std::true_type{}) : any(std::false_type{});
}

template <class T>
cudaError_t launch_split(const T* x, T* y, const AnyRows& of, void* workspace, std::size_t bytes,
                         cudaStream_t stream) {
  using Acc = AccOf<T>;
  const RowParts parts = parts_of(of, kCutRows, kCutLength);
  const std::size_t needed = workspace_of<Acc>(parts, of.rows);
  if (needed == 0) return launch_cumsum(x, y, of, stream);
  cudaError_t error = check_buffers({{workspace, 16, "the workspace"}});
  if (error == cudaSuccess) error = check_workspace(bytes, needed);
  if (error != cudaSuccess) return error;
  const ClusterShape cluster = cluster_of(x, y, of);
  if (cluster.in_registers ||
      (cluster.blocks != 0 && !are_better_in_parts<T>(of.batch, of.columns))) {
    return launch_cumsum(x, y, of, stream);
  }
  auto* const totals = static_cast<Acc*>(workspace);
  const LaunchShape shape = parts_shape(parts, of.rows);
  error = launch(CumsumTotals<kPartHeld, Acc, T>, shape, stream, x, totals, parts);
  if (error != cudaSuccess) return error;
  const auto kernel = begin_alike(x, y, of) ? CumsumFromTotals<kPartHeld, true, Acc, T>
                                            : CumsumFromTotals<kPartHeld, false, Acc, T>;
  return launch(kernel, shape, stream, x, y, totals, parts);
}

}  // namespace

template <class T>
cudaError_t cumsum_of_batch(std::int64_t batch, const T* x, T* y, std::int64_t rows,
                            std::int64_t columns, cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  return launch_cumsum(x, y, rows_of_batch(rows, columns, batch), stream);
}

template <class T>
cudaError_t cumsum(const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream) {
  return cumsum_of_batch(rows, x, y, rows, columns, stream);
}

template <class T>
cudaError_t cumsum_rows(const TensorView<const T>& x, const TensorView<T>& y, cudaStream_t stream) {
  AnyRows of{};
  if (const cudaError_t error = make_any_rows(&of, x, y); error != cudaSuccess) return error;
  return launch_cumsum(x.data, y.data, of, stream);
}

template <class T>
std::size_t cumsum_workspace(std::int64_t rows, std::int64_t columns) {
  if (check_matrix(rows, columns) != cudaSuccess) return 0;
  return workspace_of<AccOf<T>>(parts_of(matrix_rows(rows, columns), kCutRows, kCutLength), rows);
}

template <class T>
std::size_t cumsum_workspace(const TensorLayout& x) {
  if (x.shape.empty() || check_layout(x, "x") != cudaSuccess) return 0;
  const std::int64_t columns = x.shape.back();
  return columns == 0 ? 0 : cumsum_workspace<T>(elements_of(x.shape) / columns, columns);
}

template <class T>
cudaError_t cumsum_split_of_batch(std::int64_t batch, const T* x, T* y, std::int64_t rows,
                                  std::int64_t columns, void* workspace,
                                  std::size_t workspace_bytes, cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  return launch_split(x, y, rows_of_batch(rows, columns, batch), workspace, workspace_bytes,
                      stream);
}

template <class T>
cudaError_t cumsum_split(const T* x, T* y, std::int64_t rows, std::int64_t columns, void* workspace,
                         std::size_t workspace_bytes, cudaStream_t stream) {
  return cumsum_split_of_batch(rows, x, y, rows, columns, workspace, workspace_bytes, stream);
}

template <class T>
cudaError_t cumsum_split(const TensorView<const T>& x, const TensorView<T>& y, void* workspace,
                         std::size_t workspace_bytes, cudaStream_t stream) {
  AnyRows of{};
  if (const cudaError_t error = make_any_rows(&of, x, y); error != cudaSuccess) return error;
  return launch_split(x.data, y.data, of, workspace, workspace_bytes, stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                                   \
  template cudaError_t cumsum(const T*, T*, std::int64_t, std::int64_t, cudaStream_t);            \
  template cudaError_t cumsum_of_batch(std::int64_t, const T*, T*, std::int64_t, std::int64_t,    \
                                       cudaStream_t);                                             \
  template cudaError_t cumsum_split_of_batch(std::int64_t, const T*, T*, std::int64_t,            \
                                             std::int64_t, void*, std::size_t, cudaStream_t);     \
  template cudaError_t cumsum_rows(const TensorView<const T>&, const TensorView<T>&,              \
                                   cudaStream_t);                                                 \
  template std::size_t cumsum_workspace<T>(std::int64_t, std::int64_t);                           \
  template std::size_t cumsum_workspace<T>(const TensorLayout&);                                  \
  template cudaError_t cumsum_split(const T*, T*, std::int64_t, std::int64_t, void*, std::size_t, \
                                    cudaStream_t);                                                \
  template cudaError_t cumsum_split(const TensorView<const T>&, const TensorView<T>&, void*,      \
                                    std::size_t, cudaStream_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

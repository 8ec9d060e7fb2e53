// Running sums: a warp for each row, or a block for each long one, or a cluster of blocks where these are few; a few lanes
// for each of many short ones.
#include "06_primitives/launchers/any_rows.h"
#include "06_primitives/launchers/batch.h"
#include "06_primitives/launchers/short_rows.cuh"
#include "06_primitives/primitives.h"

namespace tutorial {

using namespace primitives;

namespace {

/// So many rows are many, and so many few: limits of trials on an H200 (notes/scan.md).
constexpr std::int64_t kManyRows = 1024, kFewRows = 256;
/// Many rows of two-byte elements from anywhere, longer than this, have a warp each.
constexpr std::int64_t kFewTiles = 1536;
/// The threads of all rows, where two packs for each are faster than four.
constexpr std::int64_t kThreadsAtOnce = 1 << 18;

/// A row of at most so many elements is not worth a cluster.
constexpr std::int64_t kBlockTile = 8192;
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
    return packs <= 3 * kClusterTile ? kFewRows : std::numeric_limits<std::int64_t>::max();
  return packs <= 2 * kClusterTile ? 32 : packs <= 3 * kClusterTile ? 96 : 160;
}

/// Which rows get a cluster: where an H200 computed them faster by one than by a block each (notes/scan.md).
template <class T>
ClusterShape cluster_for(std::int64_t rows, std::int64_t columns) {
  const std::int64_t packs = columns / kPackWidth<T>;
  constexpr bool kHalves = sizeof(T) == 2;
  if (columns < kBlockTile || (columns == kBlockTile && (kHalves || rows > 24))) return {};
  if (packs <= 4 * kClusterTile && rows <= most_held_by_four<T>(packs)) return {4, true};
  if (kHalves && packs <= 2 * kClusterTile) return {};
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

/// All others: a warp for each of many rows, and of short ones; else a block.
template <class T>
cudaError_t launch_any(const T* x, T* y, const AnyRows& of, bool alike, cudaStream_t stream) {
  using Acc = AccOf<T>;
  const auto run = [&](auto each, std::int64_t threads) {
    constexpr int kEach = decltype(each)::value;
    auto* kernel = CumsumAnyRows<kEach, false, Acc, T>;
    if constexpr (sizeof(T) == 2) {
      if (alike) kernel = CumsumAnyRows<kEach, true, Acc, T>;
    }
    return launch(kernel, shape_of_rows(of.rows, threads), stream, x, y, of.rows, of.columns,
                  of.pitch);
  };
  constexpr std::integral_constant<int, 8> kEight;
  constexpr std::integral_constant<int, 16> kSixteen;
  constexpr std::integral_constant<int, 32> kThirtyTwo;
  if (of.batch < kManyRows && of.columns > 32 * 32) {
    const std::int64_t most = of.batch <= kFewRows ? kBlockTile : kBlockTile / 2;
    return run(kSixteen, threads_for_row(ceil_div(of.columns, ceil_div(of.columns, most)), 16));
  }
  if (of.columns <= 32 * 8) return run(kEight, 32);
  return of.columns <= 32 * 16 ? run(kSixteen, 32) : run(kThirtyTwo, 32);
}

/// Rows that PackedRow takes: a warp for each that four packs a lane hold; of others a thread has one pack or two where all
/// rows are under way at once so (two in any number of rows of few packs), and else four, of a row of one tile or of several.
template <bool kEdges, class T>
cudaError_t launch_packed(const T* x, T* y, const AnyRows& of, InPacks in, cudaStream_t stream) {
  using Acc = AccOf<T>;
  const std::int64_t packs = packs_of<T>(of.columns, in);
  const auto run = [&](auto each, std::int64_t threads) {
    constexpr int kPacks = decltype(each)::value;
    return launch(CumsumPackedRows<kPacks, kEdges, Acc, T>, shape_of_rows(of.rows, threads), stream,
                  x, y, of.rows, static_cast<int>(of.columns), of.pitch);
  };
  constexpr std::integral_constant<int, 1> kOne;
  constexpr std::integral_constant<int, 2> kTwo;
  constexpr std::integral_constant<int, 4> kFour;
  if (packs <= 32 * 2) return run(kTwo, 32);
  if (packs <= 32 * 4) return run(kFour, 32);
  const std::int64_t one = threads_for_row(packs, 1), two = threads_for_row(packs, 2);
  const std::int64_t at_once = kEdges ? kThreadsAtOnce / 4 : kThreadsAtOnce / 2;
  if (one <= kCumsumPackedThreads && of.batch <= at_once / one) return run(kOne, one);
  const bool many_packs = packs > 32 * 6;  // few would leave half of the threads with none
  if (two <= kCumsumPackedThreads && (!many_packs || of.batch <= 2 * at_once / two)) {
    return run(kTwo, two);
  }
  const std::int64_t most = of.batch <= kFewRows ? kCumsumPackedThreads : kCumsumPackedThreads / 2;
  // A tile of CumsumAnyRows holds one pack more: single elements beside it.
  if (kEdges && of.batch <= kFewRows && packs == 4 * most + 1)
    return launch_any(x, y, of, true, stream);
  return run(kFour, threads_for_row(ceil_div(packs, ceil_div(packs, 4 * most)), 4));
}

template <class T>
cudaError_t launch_cumsum(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  if (of.rows == 0 || of.columns == 0) return cudaSuccess;
  using Acc = AccOf<T>;
  if (const ClusterShape cluster = cluster_of(x, y, of); cluster.blocks != 0) {
    return launch_clusters(x, y, of, cluster, stream);
  }
  const InPacks in = in_packs(x, y, of);
  const bool whole = in == InPacks::whole && !of.have_gaps();
  if (const ShortRows by = short_rows<CumsumShort<Acc>, T>(of.batch, of.columns, whole);
      by != ShortRows::none && !of.have_gaps()) {
    return launch_short_rows<CumsumShort<Acc>, Acc>(by, x, y, of.rows, of.columns, stream);
  }
  // Rows that fill the registers of a warp, or, if they are few, of a block, need no guards.
  const auto fill = [&](auto kernel, std::int64_t threads) {
    return launch(kernel, shape_of_rows(of.rows, threads), stream, x, y, of.rows, of.columns);
  };
  if (whole) {
    if (of.columns == 32 * 32) return fill(CumsumRows<32, Interleaved<T>, Acc, T>, 32);
    if (of.batch <= kFewRows && (of.columns == 256 * 16 || of.columns == 512 * 16)) {
      return fill(CumsumRows<16, Interleaved<T>, Acc, T>, of.columns / 16);
    }
  }
  if (of.columns <= kMostPacked) {
    if (whole) return launch_packed<false>(x, y, of, in, stream);
    const bool by_warps = sizeof(T) == 2 && of.batch >= kManyRows && of.columns > kFewTiles;
    if (in != InPacks::differently && of.columns > 32 * 16 && !by_warps) {
      return launch_packed<true>(x, y, of, in, stream);
    }
  }
  return launch_any(x, y, of, in != InPacks::differently, stream);
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
  const auto kernel = in_packs(x, y, of) != InPacks::differently
                          ? CumsumFromTotals<kPartHeld, true, Acc, T>
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

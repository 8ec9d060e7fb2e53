// Softmax: which kernel and how many threads for rows of which length.
#include "06_primitives/launchers/any_rows.h"
#include "06_primitives/launchers/batch.h"
#include "06_primitives/launchers/short_rows.cuh"
#include "06_primitives/primitives.h"

namespace tutorial {

using namespace primitives;

namespace {

static_assert(kSoftmaxTile == kAnyRowTile);

/// Elements that a thread holds: 64 bytes, where rows of halves fill that many registers. Floats in rows of 2,049 to 4,096 have
/// half as many a thread, in blocks of up to 512: measured faster (notes/softmax.md).
constexpr int kHeld = 16, kHeldOfHalves = 32, kHeldByMany = 8;
constexpr std::int64_t kManyThreads = 512;
constexpr std::int64_t kBlockThreads = 128;
/// Threads of a block that walks along a long row.
constexpr std::int64_t kLongRowThreads = 512;

/// How a thread holds N elements of a row.
template <int N>
struct Full {};

template <class T>
struct Online {
  template <int N>
  auto operator()(Full<N>) const {
    return SoftmaxOnline<N, false, Interleaved<T>, T>;
  }
};
template <class T>
struct TwoReductions {
  template <int N>
  auto operator()(Full<N>) const {
    return SoftmaxTwoReductions<N, false, Interleaved<T>, T>;
  }
};

/// Launches a kernel for rows of so many elements a thread.
template <class Kernel, class T>
cudaError_t launch_rows(Kernel kernel, int held, const T* x, T* y, std::int64_t rows,
                        std::int64_t columns, cudaStream_t stream) {
  const std::int64_t threads = threads_for_row(columns, held);
  const std::int64_t rows_each = threads < kBlockThreads ? kBlockThreads / threads : 1;
  return launch(kernel, rows_shape(rows, threads, rows_each), stream, x, y, rows, columns);
}

/// Elements a thread where rows in vectors fill the registers of whole warps; 0: they do not.
template <class T>
int held_of_full(std::int64_t columns) {
  if (sizeof(T) == 2 && columns % (32 * kHeldOfHalves) == 0) return kHeldOfHalves;
  constexpr std::int64_t kMost = kManyThreads * kHeldByMany;
  if (sizeof(T) == 4 && columns % (32 * kHeldByMany) == 0 && columns > kMost / 2 &&
      columns <= kMost) {
    return kHeldByMany;
  }
  return columns % (32 * kHeld) == 0 ? kHeld : 0;
}

/// Launches the kernel for these, of which kernel_of says which it is.
template <class T, class KernelOf>
cudaError_t launch_full(KernelOf kernel_of, int held, const T* x, T* y, std::int64_t rows,
                        std::int64_t columns, cudaStream_t stream) {
  constexpr int kOther = sizeof(T) == 2 ? kHeldOfHalves : kHeldByMany;
  return launch_rows(held == kHeld ? kernel_of(Full<kHeld>{}) : kernel_of(Full<kOther>{}), held, x,
                     y, rows, columns, stream);
}

/// In so many elements the kernel of full registers is as fast as SoftmaxPackedRows, and the one that the ladder shows.
constexpr std::int64_t kManyElements = std::int64_t{1} << 24;

// The limits of the following are of trials on an H200 (notes/softmax.md).

/// The packs a thread of rows of which x and y lie alike, or which are whole packs without gaps; 0: not by this kernel.
template <class T>
int packs_each(std::int64_t packs, bool whole) {
  constexpr bool kHalves = sizeof(T) == 2;
  if (whole) {
    if (!kHalves) return packs <= 128 ? 4 : packs <= 1024 ? 2 : packs <= 3072 ? 4 : 8;
    if (packs <= 32 * 4) return packs <= 32 * 2 ? 2 : packs <= 32 * 3 ? 3 : 4;
    return packs <= 1024 ? 2 : 4;
  }
  // Where one warp holds the row, AnyRow is faster: it has single elements beside its packs, so 128 hold what may touch 129.
  if (!kHalves) return packs <= 129 ? 0 : packs <= 1024 ? 2 : packs <= 2304 ? 4 : 0;
  if (packs <= 32 * 3) return packs <= 32 * 2 ? 2 : 3;
  return packs <= 129 ? 0 : packs <= 256 ? 2 : packs <= 1568 ? 3 : 0;
}

template <bool kEdges, class T>
cudaError_t launch_packed(int each, const T* x, T* y, const AnyRows& of, std::int64_t packs,
                          cudaStream_t stream) {
  const auto run = [&](auto kernel) {
    return launch(kernel, shape_of_rows(of.rows, threads_for_row(packs, each)), stream, x, y,
                  of.rows, static_cast<int>(of.columns), of.pitch);
  };
  if (each == 2) return run(SoftmaxPackedRows<2, kEdges, T>);
  if constexpr (sizeof(T) == 2 && kEdges) {
    return run(SoftmaxPackedRows<3, true, T>);
  } else {
    if constexpr (sizeof(T) == 2) {
      if (each == 3) return run(SoftmaxPackedRows<3, false, T>);
    } else if constexpr (!kEdges) {
      if (each == 8) return run(SoftmaxPackedRows<8, false, T>);
    }
    return run(SoftmaxPackedRows<4, kEdges, T>);
  }
}

/// All other rows that a block holds.
template <class T>
cudaError_t launch_any(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  const auto run = [&](auto each) {
    constexpr int kEach = decltype(each)::value;
    return launch(SoftmaxAnyRows<kEach, false, T>,
                  shape_of_rows(of.rows, threads_for_row(of.columns, kEach)), stream, x, y, of.rows,
                  of.columns, of.pitch);
  };
  if constexpr (sizeof(T) == 2) {
    if (of.columns > 1024 && of.columns <= 12288) return run(std::integral_constant<int, 24>{});
  } else {
    if (of.columns <= 4096 || of.batch <= 256) return run(std::integral_constant<int, 16>{});
  }
  return run(std::integral_constant<int, 32>{});
}

/// Rows of at most a tile.
template <class T>
cudaError_t launch_in_registers(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  const InPacks in = in_packs(x, y, of);
  const bool whole = in == InPacks::whole && !of.have_gaps();
  if (const int held = held_of_full<T>(of.columns);
      held != 0 && whole && of.batch >= kManyElements / of.columns) {
    return launch_full(Online<T>{}, held, x, y, of.rows, of.columns, stream);
  }
  const std::int64_t packs = packs_of<T>(of.columns, in);
  const int each = in == InPacks::differently ? 0 : packs_each<T>(packs, whole);
  if (each == 0) return launch_any(x, y, of, stream);
  return whole ? launch_packed<false>(each, x, y, of, packs, stream)
               : launch_packed<true>(each, x, y, of, packs, stream);
}

/// Whether all rows are whole vectors, one behind the other.
template <class T>
bool are_in_vectors(const T* x, const T* y, const AnyRows& of) {
  return !of.have_gaps() && in_vectors<T>(of.columns, {x, y});
}

/// How a block of SoftmaxCluster holds its share of a row: its threads, the packs that each has in registers, and for how
/// many blocks a multiprocessor must have registers.
template <int threads, int held, int blocks>
struct Form {
  static constexpr int kThreads = threads;
  static constexpr std::int64_t kHeldBytes = std::int64_t{threads} * held * 16;

  template <class T>
  static auto kernel() {
    return SoftmaxCluster<threads, held, blocks, T>;
  }
  template <class T>
  static auto kernel_of_any() {
    return SoftmaxAnyCluster<threads, held, blocks, T>;
  }
};
using InThree = Form<256, 0, 3>;
using InTwo = Form<512, 0, 1>;
using InTwoAndRegisters = Form<256, 8, 3>;
using AloneAndRegisters = Form<512, 14, 1>;

/// The most bytes of a share of which a multiprocessor of compute capability 9.0 holds three, or two, or two with a part
/// in registers. Above that it has one, in the second form.
constexpr std::int64_t kThreeBytes = 75 << 10, kTwoBytes = 112 << 10,
                       kTwoAndRegistersBytes = 144 << 10;
/// Rows are cut into shares of as many, in 1, 2, 4 or 8 (an H200 was faster with them than with 75 KiB); few rows into
/// smaller ones, since there are multiprocessors left. No row is in one block unless there are many.
constexpr std::int64_t kShareBytes = 40 << 10, kFewRowsShareBytes = 20 << 10, kFewRows = 128,
                       kManyRows = 512;
/// As many clusters of eight have a multiprocessor for each block on an H200, and then hold nothing in registers.
constexpr std::int64_t kRowsAlone = 15;

// The threads have all packs that they hold: the last block has up to fifteen packs less, and of a row from anywhere one more.
constexpr std::int64_t kMissing = kLargestCluster * 16;
static_assert(InTwoAndRegisters::kHeldBytes + kMissing < kTwoBytes);
static_assert(AloneAndRegisters::kHeldBytes + kMissing < kTwoAndRegistersBytes);

/// The most bytes of a share on the current device; with a part in registers where a block can have so much shared memory
/// that all threads of the longest form hold their packs, as on compute capability 9.0 and 10.0.
std::int64_t longest_share() {
  const std::int64_t most = most_share_bytes();
  return most >= kTwoAndRegistersBytes ? most + AloneAndRegisters::kHeldBytes : most;
}

/// The blocks of a row's cluster; 0: the row does not fit into one.
template <class T>
std::int64_t cluster_of(const AnyRows& of) {
  const std::int64_t row_bytes = of.columns * static_cast<std::int64_t>(sizeof(T));
  if (row_bytes > kMostInCluster * longest_share()) {
    const bool fits =
        row_bytes <= kLargestCluster * longest_share() &&
        shares_in_largest_clusters(AloneAndRegisters::kernel<T>(), AloneAndRegisters::kThreads);
    return fits ? kLargestCluster : 0;
  }
  const bool few = of.batch < kFewRows;
  if (!few && of.batch < kManyRows && row_bytes <= kShareBytes) return 2;
  const std::int64_t share = few ? kFewRowsShareBytes : kShareBytes;
  std::int64_t blocks = 1;
  while (blocks < kMostInCluster && blocks * share < row_bytes) blocks *= 2;
  return blocks;
}

/// Whether a cluster can take each row.
template <class T>
bool fit_clusters(const T* x, const T* y, const AnyRows& of) {
  return of.columns > kSoftmaxTile && in_packs(x, y, of) != InPacks::differently &&
         cluster_of<T>(of) > 0 && runs_in_clusters(InThree::kernel<T>());
}

/// Launches a kernel for each row in clusters; kernel for rows in vectors, any_kernel for others.
template <class Kernel, class AnyKernel, class T>
cudaError_t launch_in_clusters(Kernel kernel, AnyKernel any_kernel, const LaunchShape& shape,
                               const T* x, T* y, const AnyRows& of, std::int64_t share,
                               cudaStream_t stream) {
  const auto share_of = static_cast<int>(share), columns = static_cast<int>(of.columns);
  const auto run = [&](auto chosen, auto... arguments) {
    if (shape.shared_bytes > 0) return launch_sharing(chosen, shape, stream, x, y, arguments...);
    return launch(chosen, shape, stream, x, y, arguments...);
  };
  if (are_in_vectors(x, y, of)) return run(kernel, columns / kPackWidth<T>, share_of);
  return run(any_kernel, columns, share_of, of.pitch);
}

template <class T>
cudaError_t launch_clusters(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  const std::int64_t blocks = cluster_of<T>(of);
  const std::int64_t packs = of.columns / kPackWidth<T>, share = ceil_div(packs, blocks);
  const auto run = [&](auto form) {
    using Of = decltype(form);
    LaunchShape shape = rows_shape(of.rows * blocks, Of::kThreads, 1);
    shape.cluster = static_cast<unsigned>(blocks);
    shape.shared_bytes = static_cast<std::size_t>(share * 16 - Of::kHeldBytes);
    return launch_in_clusters(Of::template kernel<T>(), Of::template kernel_of_any<T>(), shape, x,
                              y, of, share, stream);
  };
  const std::int64_t bytes = share * 16;
  if (bytes <= kThreeBytes) return run(InThree{});
  const bool in_two = bytes > kTwoBytes && bytes <= kTwoAndRegistersBytes;
  if (in_two && of.batch > kRowsAlone) return run(InTwoAndRegisters{});
  if (bytes <= most_share_bytes()) return run(InTwo{});
  return run(AloneAndRegisters{});
}

/// The most packs of a block that holds its share of a row in registers; and of one whose threads have four each, or two.
constexpr std::int64_t kMostHeld = 8 * kHeldClusterThreads;
template <class T>
constexpr std::int64_t kHeldInFours = sizeof(T) == 2 ? 1536 : 1280;
constexpr std::int64_t kHeldInTwos = 512;
/// The most packs of a row that eight blocks hold.
constexpr std::int64_t kHeldByEight = 8192;

/// Few rows are held in the registers of a cluster each, where an H200 computed them faster from memory so than in one
/// block, in parts or in shared memory (notes/few_rows.md). Whether by the largest cluster:
template <class T>
bool are_held_by_largest(std::int64_t rows, std::int64_t packs) {
  constexpr bool kHalves = sizeof(T) == 2;
  if (packs <= kHeldByEight / 2 || packs > kLargestCluster * kMostHeld) return false;
  if (packs <= kHeldByEight) return rows < 8;
  if (!kHalves) {
    const std::int64_t least = packs <= 12288 ? 1 : packs <= 49152 ? 4 : 5;
    const std::int64_t most = packs <= 16384 ? 64 : packs < 24576 ? 48 : 256;
    return rows >= least && rows <= most;
  }
  if (packs <= 24576) {
    return rows >= (packs <= 12288 ? 1 : 3) && rows <= (packs <= 20480 ? 48 : 32);
  }
  // More than 256 threads of the kernel for halves, of 104 registers, leave a multiprocessor no room for a second block.
  if (packs > kLargestCluster * 8 * 256) return rows >= 4 && rows <= 7;
  return rows >= 3 && rows <= 32 && (rows <= 12 || rows > kRowsAlone);
}
/// The blocks of the others; 0: none.
template <class T>
std::int64_t blocks_that_hold(std::int64_t rows, std::int64_t packs) {
  constexpr std::int64_t kMany = sizeof(T) == 2 ? 3072 : 4096;
  const std::int64_t most_rows = packs <= 1536 ? 32 : packs <= 2048 ? 64 : packs < kMany ? 96 : 128;
  if (packs <= 1024 || packs > kHeldByEight || rows > most_rows) return 0;
  return rows >= 48 && packs <= kHeldByEight / 2 ? 4 : kMostInCluster;
}
template <class T>
std::int64_t held_by(const T* x, const T* y, const AnyRows& of) {
  const std::int64_t packs = of.columns / kPackWidth<T>;
  const auto kernel = SoftmaxHeldCluster<8, T>;
  if (in_packs(x, y, of) == InPacks::differently || !runs_in_clusters(kernel)) return 0;
  if (are_held_by_largest<T>(of.batch, packs) &&
      runs_in_largest_clusters(kernel, kHeldClusterThreads)) {
    return kLargestCluster;
  }
  return blocks_that_hold<T>(of.batch, packs);
}

template <class T>
cudaError_t launch_held(const T* x, T* y, const AnyRows& of, std::int64_t blocks,
                        cudaStream_t stream) {
  const std::int64_t packs = of.columns / kPackWidth<T>, share = ceil_div(packs, blocks);
  const auto run = [&](auto each) {
    constexpr int kEach = decltype(each)::value;
    const std::int64_t threads = ceil_div(ceil_div(share, kEach), 32) * 32;  // whole warps
    LaunchShape shape = rows_shape(of.rows * blocks, threads, 1);
    shape.cluster = static_cast<unsigned>(blocks);
    return launch_in_clusters(SoftmaxHeldCluster<kEach, T>, SoftmaxHeldAnyCluster<kEach, T>, shape,
                              x, y, of, share, stream);
  };
  if (share <= kHeldInTwos) return run(std::integral_constant<int, 2>{});
  if (share <= kHeldInFours<T>) return run(std::integral_constant<int, 4>{});
  return run(std::integral_constant<int, 8>{});
}

/// Rows of as many floats as the registers of a block of 1,024 threads hold. On an H200 that is 6 % faster than two
/// blocks of a cluster, and on an H100 as fast (notes/softmax.md).
constexpr int kHeldOfAll = 32;
constexpr std::int64_t kAllThreads = 1024;

template <class T>
bool fill_a_block(const T* x, const T* y, const AnyRows& of) {
  return sizeof(T) == 4 && of.columns == kHeldOfAll * kAllThreads && of.batch >= kFewRows &&
         are_in_vectors(x, y, of);
}

template <class T>
cudaError_t launch_softmax(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  if (of.rows == 0 || of.columns == 0) return cudaSuccess;
  if (const std::int64_t blocks = held_by(x, y, of); blocks > 0) {
    return launch_held(x, y, of, blocks, stream);
  }
  const bool vectors = are_in_vectors(x, y, of);
  if (const ShortRows by = short_rows<SoftmaxShort, T>(of.batch, of.columns, vectors);
      by != ShortRows::none && !of.have_gaps()) {
    return launch_short_rows<SoftmaxShort, float>(by, x, y, of.rows, of.columns, stream);
  }
  if (of.columns <= kSoftmaxTile) return launch_in_registers(x, y, of, stream);
  if (fill_a_block(x, y, of)) {
    return launch(SoftmaxOnline<kHeldOfAll, false, Interleaved<T>, T>,
                  rows_shape(of.rows, kAllThreads, 1), stream, x, y, of.rows, of.columns);
  }
  if (fit_clusters(x, y, of)) return launch_clusters(x, y, of, stream);
  return launch(SoftmaxAnyRows<kHeld, true, T>, rows_shape(of.rows, kLongRowThreads, 1), stream, x,
                y, of.rows, of.columns, of.pitch);
}

/// At most so many rows are cut into parts; and where a cluster can take each row, which is faster for more on an H200,
/// so many (notes/few_rows.md).
constexpr std::int64_t kRowsInParts = 64;
template <class T>
constexpr std::int64_t kRowsBeforeClusters = sizeof(T) == 2 ? 9 : 7;
constexpr std::int64_t kRowsBeforeLargest = 23;
template <class T>
bool are_better_in_clusters(const T* x, const T* y, const AnyRows& of) {
  constexpr bool kHalves = sizeof(T) == 2;
  if (held_by(x, y, of) > 0) return true;
  if (of.batch <= kRowsBeforeClusters<T> || !fit_clusters(x, y, of)) return false;
  const std::int64_t blocks = cluster_of<T>(of),
                     row_bytes = of.columns * static_cast<std::int64_t>(sizeof(T));
  const bool alone = row_bytes > blocks * kTwoAndRegistersBytes;
  const std::int64_t rows = of.batch;
  if (blocks > kMostInCluster) return rows > kRowsBeforeLargest;
  // Clusters of eight that have a multiprocessor for each block: kRowsAlone run at once. More rows wait for them, and fewer
  // leave multiprocessors idle.
  if (kHalves) {
    const std::int64_t waiting = alone ? 20 : are_in_vectors(x, y, of) ? 18 : kRowsAlone;
    return rows <= kRowsAlone || rows > waiting;
  }
  return rows == kRowsAlone - 1 || rows == kRowsAlone || rows > (alone ? 23 : 24);
}

template <class Row, class T>
cudaError_t launch_parts(const T* x, T* y, std::int64_t rows, const RowParts& of,
                         std::uint64_t* pairs, cudaStream_t stream) {
  const LaunchShape shape = parts_shape(of, rows);
  const cudaError_t error = launch(SoftmaxPairs<kPartHeld, Row, T>, shape, stream, x, pairs, of);
  if (error != cudaSuccess) return error;
  return launch(SoftmaxFromPairs<kPartHeld, Row, T>, shape, stream, x, y, pairs, of);
}

template <class T>
cudaError_t launch_split(const T* x, T* y, const AnyRows& of, void* workspace, std::size_t bytes,
                         cudaStream_t stream) {
  const RowParts parts = parts_of(of, kRowsInParts, kSoftmaxTile);
  const std::size_t needed = workspace_of<std::uint64_t>(parts, of.rows);
  if (needed == 0) return launch_softmax(x, y, of, stream);
  cudaError_t error = check_buffers({{workspace, 16, "the workspace"}});
  if (error == cudaSuccess) error = check_workspace(bytes, needed);
  if (error != cudaSuccess) return error;
  if (are_better_in_clusters(x, y, of)) return launch_softmax(x, y, of, stream);
  auto* const pairs = static_cast<std::uint64_t*>(workspace);
  return are_in_vectors(x, y, of) ? launch_parts<VectorRow<T>>(x, y, of.rows, parts, pairs, stream)
                                  : launch_parts<AnyRow<T>>(x, y, of.rows, parts, pairs, stream);
}

}  // namespace

template <class T>
cudaError_t softmax_of_batch(std::int64_t batch, const T* x, T* y, std::int64_t rows,
                             std::int64_t columns, cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  return launch_softmax(x, y, rows_of_batch(rows, columns, batch), stream);
}

template <class T>
cudaError_t softmax(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                    cudaStream_t stream) {
  return softmax_of_batch(rows, x, y, rows, columns, stream);
}

template <class T>
cudaError_t softmax_rows(const TensorView<const T>& x, const TensorView<T>& y,
                         cudaStream_t stream) {
  AnyRows of{};
  if (const cudaError_t error = make_any_rows(&of, x, y); error != cudaSuccess) return error;
  return launch_softmax(x.data, y.data, of, stream);
}

template <class T>
std::size_t softmax_workspace(std::int64_t rows, std::int64_t columns) {
  if (check_matrix(rows, columns) != cudaSuccess) return 0;
  const RowParts parts = parts_of(matrix_rows(rows, columns), kRowsInParts, kSoftmaxTile);
  return workspace_of<std::uint64_t>(parts, rows);
}

template <class T>
std::size_t softmax_workspace(const TensorLayout& x) {
  if (x.shape.empty() || check_layout(x, "x") != cudaSuccess) return 0;
  const std::int64_t columns = x.shape.back();
  return columns == 0 ? 0 : softmax_workspace<T>(elements_of(x.shape) / columns, columns);
}

template <class T>
cudaError_t softmax_split_of_batch(std::int64_t batch, const T* x, T* y, std::int64_t rows,
                                   std::int64_t columns, void* workspace,
                                   std::size_t workspace_bytes, cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  return launch_split(x, y, rows_of_batch(rows, columns, batch), workspace, workspace_bytes,
                      stream);
}

template <class T>
cudaError_t softmax_split(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                          void* workspace, std::size_t workspace_bytes, cudaStream_t stream) {
  return softmax_split_of_batch(rows, x, y, rows, columns, workspace, workspace_bytes, stream);
}

template <class T>
cudaError_t softmax_split(const TensorView<const T>& x, const TensorView<T>& y, void* workspace,
                          std::size_t workspace_bytes, cudaStream_t stream) {
  AnyRows of{};
  if (const cudaError_t error = make_any_rows(&of, x, y); error != cudaSuccess) return error;
  return launch_split(x.data, y.data, of, workspace, workspace_bytes, stream);
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
  if (const int held = held_of_full<T>(columns); held != 0 && in_vectors<T>(columns, {x, y})) {
    return launch_full(TwoReductions<T>{}, held, x, y, rows, columns, stream);
  }
  return launch_rows(SoftmaxTwoReductions<kHeld, true, Striped, T>, kHeld, x, y, rows, columns,
                     stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                                    \
  template cudaError_t softmax(const T*, T*, std::int64_t, std::int64_t, cudaStream_t);            \
  template cudaError_t softmax_of_batch(std::int64_t, const T*, T*, std::int64_t, std::int64_t,    \
                                        cudaStream_t);                                             \
  template cudaError_t softmax_split_of_batch(std::int64_t, const T*, T*, std::int64_t,            \
                                              std::int64_t, void*, std::size_t, cudaStream_t);     \
  template cudaError_t softmax_rows(const TensorView<const T>&, const TensorView<T>&,              \
                                    cudaStream_t);                                                 \
  template std::size_t softmax_workspace<T>(std::int64_t, std::int64_t);                           \
  template std::size_t softmax_workspace<T>(const TensorLayout&);                                  \
  template cudaError_t softmax_split(const T*, T*, std::int64_t, std::int64_t, void*, std::size_t, \
                                     cudaStream_t);                                                \
  template cudaError_t softmax_split(const TensorView<const T>&, const TensorView<T>&, void*,      \
                                     std::size_t, cudaStream_t);                                   \
  template cudaError_t softmax_two_reductions(const T*, T*, std::int64_t, std::int64_t,            \
                                              cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

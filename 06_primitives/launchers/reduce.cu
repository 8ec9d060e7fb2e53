// Reductions along either dimension, in one kernel or in two.
//
// How the work is cut depends on the sizes and the pointers' alignment, not on the GPU: a sum has
// the same bits on all of them.
#include <algorithm>

#include "06_primitives/launchers/launch.h"
#include "06_primitives/primitives.h"
#include "06_primitives/primitives_rows_kernels.cuh"

namespace tutorial {

using namespace primitives;

namespace {

constexpr std::int64_t kBlockThreads = 256;
/// A block of ReduceOuter: 16 threads across, 256 bytes of a row, and as many rows of threads as
/// that leaves. The narrower and the taller a block, the fewer parts a column is cut into.
constexpr std::int64_t kOuterThreads = 512, kOuterAcross = 16;
/// Tiles that a part has at least, so that the second kernel has little to do.
constexpr std::int64_t kTilesEach = 4;
/// Rows that a thread of ReduceOuter holds: that many loads are under way at once. A vector of
/// halves takes as long to add up as two of floats, and wants more loads behind it.
template <class T>
constexpr int kRowsEach = sizeof(T) == 2 ? 8 : 4;

/// Sixteen bytes of T, and four and eight times that: the loads that a thread has under way.
template <class T>
constexpr int kVector = 16 / static_cast<int>(sizeof(T));
template <class T>
constexpr int kFourVectors = 4 * kVector<T>;
template <class T>
constexpr int kEightVectors = 8 * kVector<T>;

/// How a reduction is cut: the block, the groups that do not meet (of rows, or of columns), and the
/// `splits` parts that each result is reduced in; inner parts have `chunk` elements.
struct Plan {
  std::int64_t across, down;  ///< threads
  std::int64_t groups, splits, chunk;
};

/// Cuts `length` into whole tiles, as many parts as bring the blocks up to `blocks`.
void cut(Plan& plan, std::int64_t length, std::int64_t tile, std::int64_t blocks) {
  const std::int64_t wanted = plan.groups < blocks ? blocks / plan.groups : 1;
  const std::int64_t parts = std::clamp<std::int64_t>(length / (kTilesEach * tile), 1, wanted);
  plan.chunk = ceil_div(std::max<std::int64_t>(length, 1), parts);
  if (parts > 1) plan.chunk = ceil_div(plan.chunk, tile) * tile;
  plan.splits = std::max<std::int64_t>(ceil_div(length, plan.chunk), 1);
}

/// A row of threads for each row: as many as have a full tile, a warp at least.
template <class T>
Plan plan_inner(std::int64_t rows, std::int64_t columns, std::int64_t blocks) {
  Plan plan{32, 0, 0, 1, columns};
  while (plan.across < kBlockThreads && plan.across * 2 * kFourVectors<T> <= columns) {
    plan.across *= 2;
  }
  plan.down = kBlockThreads / plan.across;
  plan.groups = ceil_div(rows, plan.down);
  if (plan.groups > 0) cut(plan, columns, plan.across * kFourVectors<T>, blocks);
  return plan;
}

/// A pack of columns for each thread; no more rows of threads than have rows to read.
template <class T>
Plan plan_outer(std::int64_t rows, std::int64_t columns, std::int64_t blocks) {
  Plan plan{power_of_two(ceil_div(columns, kVector<T>), kOuterAcross), 0, 0, 1, rows};
  plan.down = 32 / plan.across;
  while (plan.across * plan.down < kOuterThreads && plan.down * 2 * kRowsEach<T> <= rows) {
    plan.down *= 2;
  }
  plan.groups = ceil_div(columns, plan.across * kVector<T>);
  const std::int64_t wanted = ceil_div(blocks, kOuterThreads / kBlockThreads);
  if (plan.groups > 0) cut(plan, rows, plan.down * kRowsEach<T>, wanted);
  return plan;
}

template <class T>
Plan plan_for(Dimension dimension, std::int64_t rows, std::int64_t columns, std::int64_t blocks) {
  return dimension == Dimension::inner ? plan_inner<T>(rows, columns, blocks)
                                       : plan_outer<T>(rows, columns, blocks);
}

std::int64_t results_of(Dimension dimension, std::int64_t rows, std::int64_t columns) {
  return dimension == Dimension::inner ? rows : columns;
}

LaunchShape shape_of(const Plan& plan) {
  const bool fits = plan.groups <= 0x7fffffff / plan.splits;
  return {grid_1d(fits ? plan.groups * plan.splits : std::int64_t{1} << 32, 1),
          dim3(static_cast<unsigned>(plan.across), static_cast<unsigned>(plan.down)), 0,
          Overlap::previous_kernel};
}

template <class InT, class OutT, class Op>
cudaError_t launch_plan(Dimension dimension, const Plan& plan, const InT* x, OutT* y,
                        std::int64_t rows, std::int64_t columns, Op op, cudaStream_t stream) {
  using Acc = AccOf<InT>;
  if (dimension == Dimension::inner) {
    const auto kernel = in_vectors<InT>(columns, {x})
                            ? ReduceInner<kFourVectors<InT>, Interleaved<InT>, Acc, InT, OutT, Op>
                            : ReduceInner<kFourVectors<InT>, Striped, Acc, InT, OutT, Op>;
    return launch(kernel, shape_of(plan), stream, x, y, rows, columns, plan.chunk,
                  static_cast<unsigned>(plan.splits), op);
  }
  const auto kernel =
      in_vectors<InT>(columns, {x, y})
          ? ReduceOuter<kVector<InT>, kRowsEach<InT>, Interleaved<InT>, Acc, InT, OutT, Op>
          : ReduceOuter<kVector<InT>, kRowsEach<InT>, Striped, Acc, InT, OutT, Op>;
  return launch(kernel, shape_of(plan), stream, x, y, rows, columns,
                static_cast<unsigned>(plan.groups), op);
}

/// Whether ReduceLongRows takes the rows: no parts, and whole tiles of 64 KiB. Measured faster
/// for rows of 32,768 elements (notes/outer_sums.md).
template <class T>
bool are_long_rows(const Plan& plan, const T* x, std::int64_t columns) {
  return plan.splits == 1 && columns % (kReduceLongThreads * kEightVectors<T>) == 0 &&
         in_vectors<T>(columns, {x});
}

/// One kernel, or one that writes a partial result for each part and one that reduces those.
template <class T, class Op>
cudaError_t launch_reduce(Dimension dimension, const T* x, T* y, std::int64_t rows,
                          std::int64_t columns, void* workspace, std::int64_t blocks, Op op,
                          cudaStream_t stream) {
  using Acc = AccOf<T>;
  const Plan plan = plan_for<T>(dimension, rows, columns, blocks);
  if (dimension == Dimension::inner && are_long_rows(plan, x, columns)) {
    return launch(ReduceLongRows<kEightVectors<T>, Interleaved<T>, Acc, T, Op>,
                  rows_shape(rows, kReduceLongThreads, 1), stream, x, y, columns, op);
  }
  if (plan.splits == 1) return launch_plan(dimension, plan, x, y, rows, columns, op, stream);
  auto* partial = static_cast<Acc*>(workspace);
  const cudaError_t error = launch_plan(dimension, plan, x, partial, rows, columns, op, stream);
  if (error != cudaSuccess) return error;
  const std::int64_t rows2 = dimension == Dimension::inner ? rows : plan.splits;
  const std::int64_t columns2 = dimension == Dimension::inner ? plan.splits : columns;
  Plan last = plan_for<Acc>(dimension, rows2, columns2, 1);
  const Acc* partial_in = partial;
  return launch_plan(dimension, last, partial_in, y, rows2, columns2, op, stream);
}

}  // namespace

template <class T>
std::size_t reduce_workspace(Dimension dimension, std::int64_t rows, std::int64_t columns,
                             std::int64_t blocks) {
  if (check_matrix(rows, columns) != cudaSuccess || blocks < 1) return 0;
  const Plan plan = plan_for<T>(dimension, rows, columns, blocks);
  if (plan.splits == 1) return 0;
  return static_cast<std::size_t>(results_of(dimension, rows, columns) * plan.splits) *
         sizeof(AccOf<T>);
}

template <class T>
cudaError_t reduce(Reduction reduction, Dimension dimension, const T* x, T* y, std::int64_t rows,
                   std::int64_t columns, void* workspace, std::size_t workspace_bytes,
                   cudaStream_t stream, std::int64_t blocks) {
  if (const cudaError_t error = check_matrix(rows, columns); error != cudaSuccess) return error;
  if (blocks < 1) {
    return refuse(cudaErrorInvalidValue, std::to_string(blocks) + " blocks cannot reduce anything");
  }
  const std::int64_t results = results_of(dimension, rows, columns);
  const std::size_t needed = reduce_workspace<T>(dimension, rows, columns, blocks);
  if (const cudaError_t error = check_buffers({{x, alignof(T), "x", rows > 0 && columns > 0},
                                               {y, alignof(T), "y", results > 0},
                                               {workspace, 16, "the workspace", needed > 0}});
      error != cudaSuccess || results == 0) {
    return error;
  }
  if (workspace_bytes < needed) {
    return refuse(cudaErrorInvalidValue, "the workspace has " + std::to_string(workspace_bytes) +
                                             " bytes, and this reduction needs " +
                                             std::to_string(needed));
  }
  using Acc = AccOf<T>;
  if (reduction == Reduction::sum) {
    return launch_reduce(dimension, x, y, rows, columns, workspace, blocks, AddFunctor<Acc>{},
                         stream);
  }
  return launch_reduce(dimension, x, y, rows, columns, workspace, blocks, MaxFunctor<Acc>{},
                       stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                                  \
  template std::size_t reduce_workspace<T>(Dimension, std::int64_t, std::int64_t, std::int64_t); \
  template cudaError_t reduce(Reduction, Dimension, const T*, T*, std::int64_t, std::int64_t,    \
                              void*, std::size_t, cudaStream_t, std::int64_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

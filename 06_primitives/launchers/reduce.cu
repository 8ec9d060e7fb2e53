// Reductions along one dimension, in one kernel or in two: of matrices without gaps, and of tensors of any
// strides.
//
// How the work is cut depends on the sizes, the strides and the pointers' alignment, not on the GPU: a
// sum has the same bits on all of them.
#include <algorithm>
#include <limits>

#include "06_primitives/launchers/launch.h"
#include "06_primitives/primitives.h"
#include "06_primitives/primitives_any_rows_kernels.cuh"

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

/// The same of ReduceAnyColumns, where a vector is two loads.
constexpr int kRowsOfAny = 4;

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

/// A pack of columns for each thread; no more rows of threads than have rows to read. Of `matrices`.
template <class T>
Plan plan_outer(std::int64_t rows, std::int64_t columns, std::int64_t blocks,
                std::int64_t matrices = 1) {
  Plan plan{power_of_two(ceil_div(columns, kVector<T>), kOuterAcross), 0, 0, 1, rows};
  plan.down = 32 / plan.across;
  while (plan.across * plan.down < kOuterThreads && plan.down * 2 * kRowsEach<T> <= rows) {
    plan.down *= 2;
  }
  plan.groups = ceil_div(columns, plan.across * kVector<T>) * matrices;
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

/// A reduction as a loop over its results (tensor 0 is y, tensor 1 is x), each of `length` elements that
/// are `step` apart in x.
struct ReduceLoop {
  StridedLoop results;
  std::int64_t length, step;
  int columns;  ///< the dimension in which neighbours in x are reduced side by side; -1: there is none
};

/// The loop over a matrix without gaps.
ReduceLoop matrix_loop(Dimension dimension, std::int64_t rows, std::int64_t columns) {
  const bool inner = dimension == Dimension::inner;
  ReduceLoop loop{{}, inner ? columns : rows, inner ? 1 : columns, inner ? -1 : 0};
  loop.results.rank = 1;
  loop.results.extent[0] = loop.results.elements = inner ? rows : columns;
  loop.results.stride[0][0] = 1;
  loop.results.stride[1][0] = inner ? columns : 1;
  return loop;
}

/// Whether the loop is that.
bool to_matrix(const ReduceLoop& loop, Dimension* dimension, std::int64_t* rows,
               std::int64_t* columns) {
  const StridedLoop& results = loop.results;
  if (results.rank > 1 || (results.rank == 1 && results.stride[0][0] != 1)) return false;
  if (loop.step == 1 && (results.rank == 0 || results.stride[1][0] == loop.length)) {
    *dimension = Dimension::inner, *rows = results.elements, *columns = loop.length;
    return true;
  }
  *dimension = Dimension::outer, *rows = loop.length, *columns = results.elements;
  return results.rank == 1 && results.stride[1][0] == 1 && loop.step == results.elements;
}

/// The dimension that `columns` is. Where elements of a result lie closer together than results do,
/// threads share a result.
int columns_of(const StridedLoop& results, std::int64_t step) {
  const auto distance = [](std::int64_t stride) {
    return stride > 0 ? stride : std::numeric_limits<std::int64_t>::max();
  };
  int best = -1;
  std::int64_t least = distance(step);
  for (int d = 0; d < results.rank; ++d) {
    if (distance(results.stride[1][d]) >= least) continue;
    least = distance(results.stride[1][d]);
    best = d;
  }
  return best;
}

template <class T>
Plan plan_for(const ReduceLoop& loop, std::int64_t blocks) {
  const StridedLoop& results = loop.results;
  if (loop.columns < 0) return plan_inner<T>(results.elements, loop.length, blocks);
  const std::int64_t columns = results.extent[loop.columns];
  return plan_outer<T>(loop.length, columns, blocks, results.elements / columns);
}

/// The kernels for any rows and any columns. The parts of a result are `part_step` apart in y.
template <class InT, class OutT, class Op>
cudaError_t launch_any(const ReduceLoop& loop, const Plan& plan, const InT* x, OutT* y,
                       std::int64_t part_step, Op op, cudaStream_t stream) {
  using Acc = AccOf<InT>;
  const StridedLoop& results = loop.results;
  AnyReduction of{{}, loop.length, loop.step, static_cast<unsigned>(plan.splits), part_step};
  for (int d = results.rank - 1; d >= 0; --d) {
    if (d == loop.columns) continue;
    if (d > 0) {  // nothing is divided by the outermost, which may have 2^32 and more
      of.walk.size[of.walk.rank] = FastDivisor(static_cast<std::uint32_t>(results.extent[d]));
    }
    of.walk.stride[of.walk.rank++] = {results.stride[1][d], results.stride[0][d]};
  }
  if (loop.columns < 0) {
    return launch(ReduceAnyRows<kFourVectors<InT>, Acc, InT, OutT, Op>, shape_of(plan), stream, x,
                  y, results.elements, plan.chunk, of, op);
  }
  const int d = loop.columns;
  const std::int64_t tiles = ceil_div(results.extent[d], plan.across * kVector<InT>);
  const AnyColumns across{results.extent[d],
                          {results.stride[1][d], results.stride[0][d]},
                          static_cast<unsigned>(tiles),
                          span_of(results, 1) + (loop.length - 1) * loop.step};
  return launch(ReduceAnyColumns<kVector<InT>, kRowsOfAny, Acc, InT, OutT, Op>, shape_of(plan),
                stream, x, y, of, across, op);
}

template <class InT, class OutT, class Op>
cudaError_t launch_plan(Dimension dimension, const Plan& plan, const InT* x, OutT* y,
                        std::int64_t rows, std::int64_t columns, Op op, cudaStream_t stream) {
  using Acc = AccOf<InT>;
  const bool inner = dimension == Dimension::inner;
  if (!(inner ? in_vectors<InT>(columns, {x}) : in_vectors<InT>(columns, {x, y}))) {
    ReduceLoop loop = matrix_loop(dimension, rows, columns);
    if (inner) loop.results.stride[0][0] = plan.splits;
    return launch_any(loop, plan, x, y, inner ? 1 : columns, op, stream);
  }
  if (inner) {
    return launch(ReduceInner<kFourVectors<InT>, Interleaved<InT>, Acc, InT, OutT, Op>,
                  shape_of(plan), stream, x, y, rows, columns, plan.chunk,
                  static_cast<unsigned>(plan.splits), op);
  }
  return launch(ReduceOuter<kVector<InT>, kRowsEach<InT>, Interleaved<InT>, Acc, InT, OutT, Op>,
                shape_of(plan), stream, x, y, rows, columns, static_cast<unsigned>(plan.groups),
                op);
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

/// launch_reduce() of any loop. Partial results lie in the loop's order: side by side where threads share
/// a result, else part after part.
template <class T, class Op>
cudaError_t launch_reduce(const ReduceLoop& loop, const T* x, T* y, void* workspace,
                          std::int64_t blocks, Op op, cudaStream_t stream) {
  using Acc = AccOf<T>;
  const Plan plan = plan_for<T>(loop, blocks);
  if (plan.splits == 1) return launch_any(loop, plan, x, y, 0, op, stream);
  const bool by_rows = loop.columns < 0;
  const std::int64_t part_step = by_rows ? 1 : loop.results.elements;
  ReduceLoop first = loop, last = loop;
  last.length = plan.splits;
  last.step = part_step;
  std::int64_t place = by_rows ? plan.splits : 1;
  for (int d = loop.results.rank - 1; d >= 0; --d) {
    first.results.stride[0][d] = last.results.stride[1][d] = place;
    place *= loop.results.extent[d];
  }
  auto* const partial = static_cast<Acc*>(workspace);
  const cudaError_t error = launch_any(first, plan, x, partial, part_step, op, stream);
  if (error != cudaSuccess) return error;
  const Acc* partial_in = partial;
  return launch_any(last, plan_for<Acc>(last, 1), partial_in, y, 0, op, stream);
}

/// The loop that reduces dimension `dim` of x into y.
cudaError_t make_reduce_loop(const TensorLayout& x, std::int64_t dim, const TensorLayout& y,
                             ReduceLoop* out) {
  if (const cudaError_t error = check_layout(x, "x"); error != cudaSuccess) return error;
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  if (dim < 0 || dim >= rank) {
    return refuse(cudaErrorInvalidValue, "x has " + std::to_string(rank) +
                                             " dimensions, and none with the number " +
                                             std::to_string(dim));
  }
  TensorLayout rest = x;
  rest.shape.erase(rest.shape.begin() + dim);
  rest.strides.erase(rest.strides.begin() + dim);
  if (y.shape != rest.shape) {
    return refuse(cudaErrorInvalidValue, "the result has the shape " + to_string(y.shape) +
                                             ", and the reduction gives " + to_string(rest.shape));
  }
  ReduceLoop loop{
      {}, x.shape[static_cast<std::size_t>(dim)], x.strides[static_cast<std::size_t>(dim)], -1};
  if (const cudaError_t error = make_strided_loop(y, {rest}, &loop.results); error != cudaSuccess) {
    return error;
  }
  if (loop.results.rank > 1 && loop.results.elements >= std::int64_t{1} << 32) {
    return refuse(cudaErrorInvalidValue,
                  "the reduction has 2^32 results or more: reduce parts of x one by one");
  }
  if (loop.length == 1) loop.step = 1;
  loop.columns = columns_of(loop.results, loop.step);
  *out = loop;
  return cudaSuccess;
}

/// f(functor) for the reduction.
template <class T, class F>
cudaError_t with_functor(Reduction reduction, F f) {
  using Acc = AccOf<T>;
  return reduction == Reduction::sum ? f(AddFunctor<Acc>{}) : f(MaxFunctor<Acc>{});
}

cudaError_t check_blocks(std::int64_t blocks) {
  if (blocks >= 1) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, std::to_string(blocks) + " blocks cannot reduce anything");
}

/// The checks of pointers and workspace.
template <class T>
cudaError_t check_operands(const T* x, bool any_x, const T* y, bool any_y, const void* workspace,
                           std::size_t workspace_bytes, std::size_t needed) {
  const cudaError_t error = check_buffers({{x, alignof(T), "x", any_x},
                                           {y, alignof(T), "y", any_y},
                                           {workspace, 16, "the workspace", needed > 0}});
  if (error != cudaSuccess || workspace_bytes >= needed) return error;
  return refuse(cudaErrorInvalidValue, "the workspace has " + std::to_string(workspace_bytes) +
                                           " bytes, and this reduction needs " +
                                           std::to_string(needed));
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
  if (const cudaError_t error = check_blocks(blocks); error != cudaSuccess) return error;
  const std::int64_t results = results_of(dimension, rows, columns);
  const std::size_t needed = reduce_workspace<T>(dimension, rows, columns, blocks);
  const cudaError_t error = check_operands(x, rows > 0 && columns > 0, y, results > 0, workspace,
                                           workspace_bytes, needed);
  if (error != cudaSuccess || results == 0) return error;
  return with_functor<T>(reduction, [&](auto op) {
    return launch_reduce(dimension, x, y, rows, columns, workspace, blocks, op, stream);
  });
}

template <class T>
std::size_t reduce_workspace(const TensorLayout& x, std::int64_t dim, const TensorLayout& y,
                             std::int64_t blocks) {
  ReduceLoop loop{};
  if (make_reduce_loop(x, dim, y, &loop) != cudaSuccess || blocks < 1) return 0;
  if (loop.results.elements == 0) return 0;
  const Plan plan = plan_for<T>(loop, blocks);
  if (plan.splits == 1) return 0;
  return static_cast<std::size_t>(loop.results.elements * plan.splits) * sizeof(AccOf<T>);
}

template <class T>
cudaError_t reduce(Reduction reduction, const TensorView<const T>& x, std::int64_t dim,
                   const TensorView<T>& y, void* workspace, std::size_t workspace_bytes,
                   cudaStream_t stream, std::int64_t blocks) {
  ReduceLoop loop{};
  cudaError_t error = make_reduce_loop(x.layout, dim, y.layout, &loop);
  if (error == cudaSuccess) error = check_blocks(blocks);
  if (error != cudaSuccess) return error;
  const std::int64_t results = loop.results.elements;
  const std::size_t needed = reduce_workspace<T>(x.layout, dim, y.layout, blocks);
  error = check_operands(x.data, results > 0 && loop.length > 0, y.data, results > 0, workspace,
                         workspace_bytes, needed);
  if (error != cudaSuccess || results == 0) return error;
  return with_functor<T>(reduction, [&](auto op) {
    Dimension dimension{};
    std::int64_t rows = 0, columns = 0;
    return to_matrix(loop, &dimension, &rows, &columns)
               ? launch_reduce(dimension, x.data, y.data, rows, columns, workspace, blocks, op,
                               stream)
               : launch_reduce(loop, x.data, y.data, workspace, blocks, op, stream);
  });
}

#define TUTORIAL_INSTANTIATE(T)                                                                    \
  template std::size_t reduce_workspace<T>(Dimension, std::int64_t, std::int64_t, std::int64_t);   \
  template cudaError_t reduce(Reduction, Dimension, const T*, T*, std::int64_t, std::int64_t,      \
                              void*, std::size_t, cudaStream_t, std::int64_t);                     \
  template std::size_t reduce_workspace<T>(const TensorLayout&, std::int64_t, const TensorLayout&, \
                                           std::int64_t);                                          \
  template cudaError_t reduce(Reduction, const TensorView<const T>&, std::int64_t,                 \
                              const TensorView<T>&, void*, std::size_t, cudaStream_t,              \
                              std::int64_t);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
TUTORIAL_INSTANTIATE(std::int32_t)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

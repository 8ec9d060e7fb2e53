// Rows of tensors as the kernels for any rows take them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "06_primitives/ladders/primitives_any_rows_kernels.cuh"
#include "06_primitives/launchers/launch.h"
#include "common/strided.h"

namespace tutorial::primitives {

/// `rows` rows of `columns` elements each, of a matrix of `batch` rows: the kernel is chosen for as many.
struct AnyRows {
  std::int64_t rows, columns;
  RowPitch pitch;
  std::int64_t batch;
  bool have_gaps() const {
    return pitch.x != columns || pitch.y != columns || pitch.index != columns;
  }
};

/// Rows of matrices without gaps.
inline AnyRows rows_of_batch(std::int64_t rows, std::int64_t columns, std::int64_t batch) {
  return {rows, columns, {columns, columns, columns}, batch};
}
inline AnyRows matrix_rows(std::int64_t rows, std::int64_t columns) {
  return rows_of_batch(rows, columns, rows);
}

/// How rows of x and y lie in packs of sixteen bytes: differently; alike, from anywhere; or each row is whole packs.
enum class InPacks { differently, alike, whole };
template <class T>
InPacks in_packs(const T* x, const T* y, const AnyRows& of) {
  const auto past = [](const T* first) { return reinterpret_cast<std::uintptr_t>(first) % 16; };
  const bool alike = past(x) == past(y) && past(x + of.pitch.x) == past(y + of.pitch.y);
  if (!alike) return InPacks::differently;
  const bool whole = past(x) == 0 && past(x + of.pitch.x) == 0 && of.columns % kPackWidth<T> == 0;
  return whole ? InPacks::whole : InPacks::alike;
}

/// The packs that hold a row: of rows from anywhere at most so many.
template <class T>
std::int64_t packs_of(std::int64_t columns, InPacks in) {
  const std::int64_t before = in == InPacks::whole ? 0 : kPackWidth<T> - 1;
  return ceil_div(columns + before, kPackWidth<T>);
}

/// The threads of a row, whole warps, that hold `each` a thread; and a launch with so many: a block for a row, or for four that
/// have a warp each.
inline std::int64_t threads_for_row(std::int64_t elements, std::int64_t each) {
  return ceil_div(ceil_div(elements, each), 32) * 32;
}
inline LaunchShape shape_of_rows(std::int64_t rows, std::int64_t threads) {
  return rows_shape(rows, threads, threads == 32 ? 4 : 1);
}

/// The elements that a thread of a part of a row holds.
constexpr int kPartHeld = 16;

/// The threads of a part: few, so that there are many parts; more where those are tiles of several.
inline std::int64_t part_threads(std::int64_t columns) {
  return columns <= kMostParts * 128 * kPartHeld ? 128 : 256;
}

/// How few rows, longer than `held`, are cut: into parts of a tile each, or of as many tiles as make kMostParts of
/// them. So few blocks would each go along a row tile by tile, and wait for every one (notes/few_rows.md). One
/// part: they are not cut.
inline RowParts parts_of(const AnyRows& of, std::int64_t few, std::int64_t held) {
  if (of.batch > few || of.columns <= held) return {of.columns, of.columns, 1, of.pitch};
  const std::int64_t tile = part_threads(of.columns) * kPartHeld;
  const std::int64_t chunk = ceil_div(of.columns, kMostParts * tile) * tile;
  return {of.columns, chunk, static_cast<unsigned>(ceil_div(of.columns, chunk)), of.pitch};
}

/// The bytes of a workspace with a word for each part.
template <class Word>
std::size_t workspace_of(const RowParts& of, std::int64_t rows) {
  return of.parts == 1 ? 0 : static_cast<std::size_t>(rows) * of.parts * sizeof(Word);
}

/// A launch of a block for each part.
inline LaunchShape parts_shape(const RowParts& of, std::int64_t rows) {
  return rows_shape(rows * of.parts, part_threads(of.columns), 1);
}

/// The last dimension of x, and of results of its shape: y, and perhaps an index.
inline cudaError_t make_any_rows(const TensorLayout& x, const std::vector<TensorLayout>& results,
                                 AnyRows* out) {
  if (const cudaError_t error = check_layout(x, "x"); error != cudaSuccess) return error;
  if (x.shape.empty()) return refuse(cudaErrorInvalidValue, "x has no dimension to go along");
  for (const TensorLayout& result : results) {
    if (result.shape != x.shape) {
      return refuse(cudaErrorInvalidValue, "the result has the shape " + to_string(result.shape) +
                                               ", and x has " + to_string(x.shape));
    }
    StridedLoop elements;  // no two of which share a place
    if (const cudaError_t error = make_strided_loop(result, {}, &elements); error != cudaSuccess) {
      return error;
    }
  }
  std::vector<TensorLayout> before = {results.front(), x};  // in the loop's order
  before.insert(before.end(), results.begin() + 1, results.end());
  const std::int64_t columns = x.shape.back();
  for (TensorLayout& each : before) {
    if (columns > 1 && each.strides.back() != 1) {
      return refuse(cudaErrorInvalidValue,
                    "the elements of a row lie " + std::to_string(each.strides.back()) +
                        " apart, not side by side: pass a copy of the tensor");
    }
    each.shape.pop_back();
    each.strides.pop_back();
  }
  StridedLoop loop;
  const cudaError_t error =
      make_strided_loop(before.front(), {before.begin() + 1, before.end()}, &loop);
  if (error != cudaSuccess) return error;
  if (loop.rank > 1) {
    return refuse(cudaErrorInvalidValue,
                  "the rows of a tensor are not all equally far apart: pass a copy of it");
  }
  *out = matrix_rows(loop.elements, columns);
  if (loop.rank == 1) {
    out->pitch.y = loop.stride[0][0];
    out->pitch.x = loop.stride[1][0];
    if (results.size() > 1) out->pitch.index = loop.stride[2][0];
  }
  return cudaSuccess;
}

/// The same with the checks of the pointers.
template <class T, class... Index>
cudaError_t make_any_rows(AnyRows* out, const TensorView<const T>& x, const TensorView<T>& y,
                          const TensorView<Index>&... index) {
  const cudaError_t error = make_any_rows(x.layout, {y.layout, index.layout...}, out);
  if (error != cudaSuccess) return error;
  const bool any = out->rows > 0 && out->columns > 0;
  return check_buffers({{x.data, alignof(T), "x", any},
                        {y.data, alignof(T), "y", any},
                        {index.data, alignof(Index), "index", any}...});
}

// ---- Clusters that hold a row in shared memory ------------------------------------------------

/// The most bytes of a row that a block may be asked to hold on the current device: 220 KiB where a block can have as much
/// beside the kernel's own variables, and what remains where it cannot.
inline std::int64_t most_share_bytes() {
  constexpr std::int64_t kMost = 220 << 10, kOwn = 4 << 10;
  int device = 0, bytes = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                            device) == cudaSuccess;
  return known ? std::min(kMost, bytes - kOwn) : 0;
}

/// Lets a kernel have most_share_bytes() of dynamic shared memory, on multiprocessors that give all they can to it: the
/// driver's own choice may leave room for fewer blocks.
inline cudaError_t give_shared(const void* kernel) {
  const cudaError_t error = cudaFuncSetAttribute(
      kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  if (error != cudaSuccess) return error;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(most_share_bytes()));
}

/// launch() of a kernel that has as much.
template <class... Params, class... Arguments>
cudaError_t launch_sharing(void (*kernel)(Params...), const LaunchShape& shape, cudaStream_t stream,
                           const Arguments&... arguments) {
  const cudaError_t error = give_shared(reinterpret_cast<const void*>(kernel));
  return error == cudaSuccess ? launch(kernel, shape, stream, arguments...) : error;
}

/// Whether as much may lie in each block of the largest clusters.
template <class... Params>
bool shares_in_largest_clusters(void (*kernel)(Params...), unsigned threads) {
  return runs_in_clusters(kernel) &&
         give_shared(reinterpret_cast<const void*>(kernel)) == cudaSuccess &&
         runs_in_largest_clusters(kernel, threads, static_cast<std::size_t>(most_share_bytes()));
}

}  // namespace tutorial::primitives

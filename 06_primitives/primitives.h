// Chapter 06's functions for the host: the ladder of ElementwiseAdd, and the operators that are put
// together from the primitives in primitives/.
//
// Every function keeps the promises of common/rung.h. Unless its comment says otherwise, its pointers
// need the alignment of their elements, and its output may be any input of the same type. It also answers
//   cudaErrorInvalidValue          to a matrix of 2^63 elements or more
//   cudaErrorInvalidConfiguration  where the grid would need more than 2^31 - 1 blocks
// Functions on matrices say what is wrong in a sentence, which last_refusal() (common/refusal.h)
// returns.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/rung.h"
#include "common/strided.h"
#include "common/types.h"

namespace tutorial {

// ---- The ladder: out[i] = a[i] + b[i] for i in [0, n) -------------------------------------------

/// The largest error of a sum that is rounded once, in ULP.
inline constexpr double kAddUlp = 0.51;

/// Rungs 1 to 6 (the table is in primitives.cu), each with its launcher, the alignment that it needs and
/// what it claims. T: float, half.
template <class T>
const std::vector<BinaryRung<T>>& add_rungs();

/// 7 · `add`, the operator. Rung 3 by the kernel for any functor, launched so that it may begin while
/// the kernel before it ends. T: float, half, bf16.
template <class T>
cudaError_t add(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream);
template <class T>
BinaryRung<T> add_operator_rung() {
  return {std::string("add_") + dtype_name<T>(), add<T>, 16 / static_cast<int>(sizeof(T)),
          sizeof(T), kAddUlp};
}

/// The comparison for rung 7: the kernel of common/broadcast.cuh, without primitives. T as add().
template <class T>
cudaError_t add_by_hand(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream);
template <class T>
BinaryRung<T> add_by_hand_rung() {
  return {std::string("add_") + dtype_name<T>() + "_by_hand", add_by_hand<T>,
          16 / static_cast<int>(sizeof(T)), sizeof(T), kAddUlp};
}

/// The reader's (your_primitives.cuh); half.
cudaError_t your_primitives(const half* a, const half* b, half* out, std::int64_t n,
                            cudaStream_t stream);
RungClaims your_primitives_claims();
inline BinaryRung<half> your_primitives_rung() {
  const RungClaims claims = your_primitives_claims();
  return {"your_primitives", your_primitives, claims.per_thread, claims.alignment, claims.max_ulp};
}

// ---- The same kernel, other functors. T: float, half, bf16. -----------------------------------

/// out[i] = float(a[i]) + float(b[i]): InT is not OutT.
cudaError_t add_to_float(const half* a, const half* b, float* out, std::int64_t n,
                         cudaStream_t stream);
/// out[i] = a[i] * b[i] + c[i], fused, in float.
template <class T>
cudaError_t multiply_add(const T* a, const T* b, const T* c, T* out, std::int64_t n,
                         cudaStream_t stream);
/// out[i] = (a[i] + b[i]) + (c[i] + d[i]), in float.
template <class T>
cudaError_t sum4(const T* a, const T* b, const T* c, const T* d, T* out, std::int64_t n,
                 cudaStream_t stream);
/// y[i] = ELU(x[i]), alpha = 1; GELU(x[i]), the tanh form; Swish(x[i]). Float inside.
template <class T>
cudaError_t elu(const T* x, T* y, std::int64_t n, cudaStream_t stream);
template <class T>
cudaError_t gelu(const T* x, T* y, std::int64_t n, cudaStream_t stream);
template <class T>
cudaError_t swish(const T* x, T* y, std::int64_t n, cudaStream_t stream);
/// The same arithmetic in the kernel of common/elementwise.cuh, without primitives.
template <class T>
cudaError_t elu_by_hand(const T* x, T* y, std::int64_t n, cudaStream_t stream);
template <class T>
cudaError_t gelu_by_hand(const T* x, T* y, std::int64_t n, cudaStream_t stream);
template <class T>
cudaError_t swish_by_hand(const T* x, T* y, std::int64_t n, cudaStream_t stream);

/// The largest errors of these three by five lines each, on inputs of which the result is a normal
/// number, in ULP of T. In float the exponent is a rounded product: far from zero its last bit weighs
/// more.
template <class T>
inline constexpr double kActivationUlp = 0.52;
template <>
inline constexpr double kActivationUlp<float> = 256.0;

template <class T>
UnaryRung<T> activation_rung(const std::string& name, UnaryLauncher<T> launch) {
  return {name, launch, 16 / static_cast<int>(sizeof(T)), sizeof(T), kActivationUlp<T>};
}

// ---- Matrices: row-major, rows x columns, without gaps ------------------------------------------

/// y[r][c] = x[r][c] + bias[c], bias of `columns` elements. By CycleBinary, and by ReadDataBc.
/// T: float, half, bf16. bias may not be y.
template <class T>
cudaError_t bias_add_cycle(const T* x, const T* bias, T* y, std::int64_t rows, std::int64_t columns,
                           cudaStream_t stream);
template <class T>
cudaError_t bias_add_broadcast(const T* x, const T* bias, T* y, std::int64_t rows,
                               std::int64_t columns, cudaStream_t stream);

enum class Reduction {
  sum,  ///< in float for half, bf16 and float; integers wrap
  max,  ///< NaN if there is one
};
/// Which dimension is reduced away.
enum class Dimension {
  outer,  ///< rows: y has `columns` elements
  inner,  ///< columns: y has `rows` elements
};

/// The blocks that reduce() cuts the work into, if a matrix has so few rows or columns that it
/// would have fewer: about as many as a large GPU runs at once. Counted in blocks of 256 threads;
/// over the outer dimension they have 512, and are half as many. From the default on, columns of few
/// rows, few columns, matrices one behind the other, and many rows of whole packs take kernels that cut
/// them otherwise or not at all. With 1 nothing is cut, and many short
/// rows or columns take the kernels of longer ones.
inline constexpr std::int64_t kReduceBlocks = 512;

/// Bytes of device memory that reduce() asks for besides its operands for a matrix of T: by the shape, the type and
/// `blocks` alone, whichever kernel runs; 0 for shapes that it never cuts, and for arguments that it refuses.
template <class T>
std::size_t reduce_workspace(Dimension dimension, std::int64_t rows, std::int64_t columns,
                             std::int64_t blocks = kReduceBlocks);

/// y[c] = x[0][c] op x[1][c] op ... (outer), or y[r] = x[r][0] op x[r][1] op ... (inner). What is
/// reduced from nothing is 0, or minus infinity (the smallest integer) for max.
///
/// The order of the operations depends on the sizes, the types, the pointers' alignment and
/// `blocks`, and on nothing else: repeated calls agree bit for bit.
///
/// workspace: reduce_workspace() bytes (for the same `blocks`), aligned to 16 (what cudaMalloc
/// returns is), of the caller's until the work is done; may be null where that is 0. A smaller one
/// is refused with cudaErrorInvalidValue. y must not overlap x or the workspace. T: float, half,
/// bf16, std::int32_t.
template <class T>
cudaError_t reduce(Reduction reduction, Dimension dimension, const T* x, T* y, std::int64_t rows,
                   std::int64_t columns, void* workspace, std::size_t workspace_bytes,
                   cudaStream_t stream, std::int64_t blocks = kReduceBlocks);

/// The same for dimension `dim` of a tensor of any strides, none of them negative, and y of its other
/// dimensions, in their order. Reads x and writes y where they lie. Two elements of y that may share a
/// place, more than seven dimensions of y that do not merge, and 2^32 results in several dimensions are
/// refused with cudaErrorInvalidValue.
template <class T>
std::size_t reduce_workspace(const TensorLayout& x, std::int64_t dim, const TensorLayout& y,
                             std::int64_t blocks = kReduceBlocks);
template <class T>
cudaError_t reduce(Reduction reduction, const TensorView<const T>& x, std::int64_t dim,
                   const TensorView<T>& y, void* workspace, std::size_t workspace_bytes,
                   cudaStream_t stream, std::int64_t blocks = kReduceBlocks);

/// The longest row that a block of softmax() holds in its registers on every GPU, and so reads once.
inline constexpr std::int64_t kSoftmaxTile = 16384;

/// y[r][c] = e^x[r][c] / sum over c of e^x[r][c]. T: float, half, bf16; float inside.
///
/// - Nothing overflows: exponents are taken above the row's maximum.
/// - A row with a NaN or with plus infinity is NaN everywhere, and so is a row of nothing but minus
///   infinity (0 / 0); in other rows minus infinity gives 0. (As PyTorch.)
/// - Probabilities below 2^-126 may become 0.
/// - Relative error in float: (16 + 2 t + columns / 16,384) 2^-24 where t = (max - x) log2(e); plus one rounding
///   to T.
/// - Rows of more than kSoftmaxTile elements are read once by a cluster of blocks (compute capability 9.0 or later, x
///   and y as far past a multiple of 16 bytes, up to 2,656 KiB where a block can have 220 of shared memory, or twice
///   that), and else twice, each by one block. 128 and more rows of 32,768 floats, aligned to 16 bytes, are read once by
///   a block each. Few rows of 1,025 to 8,192 packs are held in the registers of a cluster each.
template <class T>
cudaError_t softmax(const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream);
/// The same with two reductions instead of one, for rows of at most kSoftmaxTile elements; longer
/// ones are cudaErrorInvalidValue.
template <class T>
cudaError_t softmax_two_reductions(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                                   cudaStream_t stream);
/// softmax() along the last dimension of a tensor, and of y of its shape, where they lie: the elements of a
/// row side by side, and the rows equally far apart, with gaps or without. Other tensors, and a y with
/// elements that may share a place, are refused with cudaErrorInvalidValue.
template <class T>
cudaError_t softmax_rows(const TensorView<const T>& x, const TensorView<T>& y, cudaStream_t stream);

/// Bytes of device memory that softmax_split() asks for besides its operands: by the shape and the type alone, whichever
/// kernel runs; 0 for shapes that it never cuts.
template <class T>
std::size_t softmax_workspace(std::int64_t rows, std::int64_t columns);
template <class T>
std::size_t softmax_workspace(const TensorLayout& x);
/// softmax() and softmax_rows(), but few long rows are cut into parts, each with a block of its own: so one row
/// keeps all multiprocessors busy. workspace: as reduce() takes it.
template <class T>
cudaError_t softmax_split(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                          void* workspace, std::size_t workspace_bytes, cudaStream_t stream);
template <class T>
cudaError_t softmax_split(const TensorView<const T>& x, const TensorView<T>& y, void* workspace,
                          std::size_t workspace_bytes, cudaStream_t stream);

/// y[r][c] = x[r][0] + ... + x[r][c], rows of any length, each by one block, warp or a few lanes, or few long ones by a
/// cluster of blocks where the GPU has clusters. T: float, half, bf16 (float inside, rounded when written), std::int32_t
/// (wraps).
///
/// Every output is a tree over the inputs up to it: a NaN or an infinity changes nothing before it. The tree, and so a
/// float's last bits, follow from the shape, the alignment and whether the GPU has clusters.
template <class T>
cudaError_t cumsum(const T* x, T* y, std::int64_t rows, std::int64_t columns, cudaStream_t stream);
/// The same of tensors, as softmax_rows() takes them.
template <class T>
cudaError_t cumsum_rows(const TensorView<const T>& x, const TensorView<T>& y, cudaStream_t stream);

/// Bytes of device memory that cumsum_split() asks for besides its operands, as softmax_workspace() says it.
template <class T>
std::size_t cumsum_workspace(std::int64_t rows, std::int64_t columns);
template <class T>
std::size_t cumsum_workspace(const TensorLayout& x);
/// cumsum() and cumsum_rows(), but few long rows are cut into parts, as softmax_split() cuts them.
template <class T>
cudaError_t cumsum_split(const T* x, T* y, std::int64_t rows, std::int64_t columns, void* workspace,
                         std::size_t workspace_bytes, cudaStream_t stream);
template <class T>
cudaError_t cumsum_split(const TensorView<const T>& x, const TensorView<T>& y, void* workspace,
                         std::size_t workspace_bytes, cudaStream_t stream);

/// The longest row that sort_rows() takes.
inline constexpr std::int64_t kSortTile = 8192;

/// y[r] = x[r] in ascending order: -inf, ..., -0, +0, ..., inf, NaN. Rows of more than kSortTile
/// elements are refused with cudaErrorInvalidValue. T: float, half, std::int32_t.
template <class T>
cudaError_t sort_rows(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                      cudaStream_t stream);
/// The same, and y[r][c] is x[r][index[r][c]]; equal elements keep their order. index: rows x
/// columns, no overlap with x or y.
template <class T>
cudaError_t sort_rows(const T* x, T* y, std::int32_t* index, std::int64_t rows,
                      std::int64_t columns, cudaStream_t stream);
/// Both of tensors, as softmax_rows() takes them.
template <class T>
cudaError_t sort_rows(const TensorView<const T>& x, const TensorView<T>& y, cudaStream_t stream);
template <class T>
cudaError_t sort_rows(const TensorView<const T>& x, const TensorView<T>& y,
                      const TensorView<std::int32_t>& index, cudaStream_t stream);

}  // namespace tutorial

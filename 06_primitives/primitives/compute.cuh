/// From registers to registers: ElementwiseUnary, Binary, Ternary, Any, Constant, CycleBinary and
/// the operators on whole arrays.
///
/// Each applies a functor to the registers of the calling thread, one element at a time; threads do
/// not meet. The arrays are of the same size, the types may differ (the functor's result is
/// converted to the type of `out`), and `out` may be one of the inputs. [NY][NX] arrays go in too,
/// where that makes sense. Elements beyond a tail are computed like any other, on whatever Init put
/// there, and their results are not written: that is why a tail needs no case of its own here.
///
/// Source: PaddlePaddle's kernel primitives, as in read_write.cuh.
#pragma once

#include <cstdint>

#include "06_primitives/primitives/layout.cuh"

namespace tutorial::primitives {

/// out[k] = op(), a functor without operands.
template <class Out, int VecSize, class Op>
__device__ __forceinline__ void ElementwiseConstant(Out (&out)[VecSize], Op op) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op());
}

/// out[k] = op(in[k])
template <class Out, class In, int VecSize, class Op>
__device__ __forceinline__ void ElementwiseUnary(Out (&out)[VecSize], const In (&in)[VecSize],
                                                 Op op) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op(in[k]));
}
template <class Out, class In, int NX, int NY, class Op>
__device__ __forceinline__ void ElementwiseUnary(Out (&out)[NY][NX], const In (&in)[NY][NX],
                                                 Op op) {
#pragma unroll
  for (int y = 0; y < NY; ++y) ElementwiseUnary(out[y], in[y], op);
}

/// out[k] = op(in0[k], in1[k])
template <class Out, class In0, class In1, int VecSize, class Op>
__device__ __forceinline__ void ElementwiseBinary(Out (&out)[VecSize], const In0 (&in0)[VecSize],
                                                  const In1 (&in1)[VecSize], Op op) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op(in0[k], in1[k]));
}
template <class Out, class In0, class In1, int NX, int NY, class Op>
__device__ __forceinline__ void ElementwiseBinary(Out (&out)[NY][NX], const In0 (&in0)[NY][NX],
                                                  const In1 (&in1)[NY][NX], Op op) {
#pragma unroll
  for (int y = 0; y < NY; ++y) ElementwiseBinary(out[y], in0[y], in1[y], op);
}

/// out[k] = op(in0[k], in1[k], in2[k])
template <class Out, class In0, class In1, class In2, int VecSize, class Op>
__device__ __forceinline__ void ElementwiseTernary(Out (&out)[VecSize], const In0 (&in0)[VecSize],
                                                   const In1 (&in1)[VecSize],
                                                   const In2 (&in2)[VecSize], Op op) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op(in0[k], in1[k], in2[k]));
}
template <class Out, class In0, class In1, class In2, int NX, int NY, class Op>
__device__ __forceinline__ void ElementwiseTernary(Out (&out)[NY][NX], const In0 (&in0)[NY][NX],
                                                   const In1 (&in1)[NY][NX],
                                                   const In2 (&in2)[NY][NX], Op op) {
#pragma unroll
  for (int y = 0; y < NY; ++y) ElementwiseTernary(out[y], in0[y], in1[y], in2[y], op);
}

/// out[k] = op(ins[k]...), any number of inputs of any types.
template <class Out, int VecSize, class Op, class... Ins>
__device__ __forceinline__ void ElementwiseAny(Out (&out)[VecSize], Op op,
                                               const Ins (&... ins)[VecSize]) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op(ins[k]...));
}

/// out[y][x] = op(cycle[x], in[y][x]): the first operand is one row, used again for every row. A
/// bias that each thread reads once and adds to all the rows that it holds.
template <class Out, class Cycle, class In, int NX, int NY, class Op>
__device__ __forceinline__ void CycleBinary(Out (&out)[NY][NX], const Cycle (&cycle)[NX],
                                            const In (&in)[NY][NX], Op op) {
#pragma unroll
  for (int y = 0; y < NY; ++y) ElementwiseBinary(out[y], cycle, in[y], op);
}

/// op(out, in, num): the functor sees the whole array, for operations in which a thread's elements
/// belong together. num is handed on: what it counts is between the caller and the functor.
template <class Out, class In, int VecSize, class Op>
__device__ __forceinline__ void OperatorBinary(Out (&out)[VecSize], const In (&in)[VecSize], Op op,
                                               std::int64_t num) {
  op(out, in, num);
}

/// op(out, in0, in1, num), as OperatorBinary.
template <class Out, class In0, class In1, int VecSize, class Op>
__device__ __forceinline__ void OperatorTernary(Out (&out)[VecSize], const In0 (&in0)[VecSize],
                                                const In1 (&in1)[VecSize], Op op,
                                                std::int64_t num) {
  op(out, in0, in1, num);
}

}  // namespace tutorial::primitives

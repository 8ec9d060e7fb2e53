// From registers to registers: ElementwiseUnary, ElementwiseBinary, ElementwiseAny, CycleBinary.
//
// Each applies a functor to the registers of the calling thread, one element at a time, without any
// exchange between threads. The arrays have the same size; their types may differ (the functor's
// result is converted to the type of `out`), and `out` may be one of the inputs. Elements beyond a
// tail are computed like any other, on whatever Init put there, and their results are not written:
// a tail needs no case of its own here.
//
// The names are those of PaddlePaddle's kernel primitives, as in read_write.cuh.
#pragma once

#include "06_primitives/primitives/layout.cuh"

namespace tutorial::primitives {

/// out[k] = op(in[k])
template <class Out, class In, int VecSize, class Op>
__device__ __forceinline__ void ElementwiseUnary(Out (&out)[VecSize], const In (&in)[VecSize],
                                                 Op op) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op(in[k]));
}
/// out[k] = op(in0[k], in1[k])
template <class Out, class In0, class In1, int VecSize, class Op>
__device__ __forceinline__ void ElementwiseBinary(Out (&out)[VecSize], const In0 (&in0)[VecSize],
                                                  const In1 (&in1)[VecSize], Op op) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op(in0[k], in1[k]));
}
/// out[k] = op(ins[k]...), any number of inputs of any types.
template <class Out, int VecSize, class Op, class... Ins>
__device__ __forceinline__ void ElementwiseAny(Out (&out)[VecSize], Op op,
                                               const Ins (&... ins)[VecSize]) {
#pragma unroll
  for (int k = 0; k < VecSize; ++k) out[k] = Convert<Out>(op(ins[k]...));
}

/// out[y][x] = op(cycle[x], in[y][x]): the first operand is one row, used again for every row, such
/// as a bias that each thread reads once and adds to all the rows that it holds.
template <class Out, class Cycle, class In, int NX, int NY, class Op>
__device__ __forceinline__ void CycleBinary(Out (&out)[NY][NX], const Cycle (&cycle)[NX],
                                            const In (&in)[NY][NX], Op op) {
#pragma unroll
  for (int y = 0; y < NY; ++y) ElementwiseBinary(out[y], cycle, in[y], op);
}

}  // namespace tutorial::primitives

// The ladder: one elementwise kernel, put together from primitives, in seven steps; then the same
// kernel for any functor.
//
// Every kernel of this chapter has four steps: Init, Read, Compute, Write. What changes from rung
// to rung is which elements a thread holds (VecSize, Layout), which path a tile takes (Tail), and
// how the kernel is launched (primitives.cu).
#pragma once

#include <cstdint>

#include "06_primitives/primitives/primitives.cuh"
#include "common/launch.cuh"
#include "common/ptx.cuh"

namespace tutorial::primitives {

/// Which of the two paths the tiles of a kernel take.
enum class Tail {
  everywhere,  ///< every tile is treated as if it were the last one
  split,       ///< full tiles take the fast path, the last one the careful path
};

// One tile. The names, the parameters and the four steps are the original library's; the chapter
// says what is mended.
template <int VecSize, class InT, class OutT, class OpFunc, bool IsBoundary, class Layout>
__device__ __forceinline__ void ElementwiseAddImpl(const InT* in0, const InT* in1, OutT* out,
                                                   OpFunc func, std::int64_t num) {
  InT arg0[VecSize];
  InT arg1[VecSize];
  OutT result[VecSize];
  Init(arg0, 1.0f);  // what lies beyond the tail is computed too, and func may divide by it
  Init(arg1, 1.0f);
  ReadData<IsBoundary, Layout>(arg0, in0, num);
  ReadData<IsBoundary, Layout>(arg1, in1, num);
  ElementwiseBinary(result, arg0, arg1, func);
  WriteData<IsBoundary, Layout>(out, result, num);
}

// All tiles. With a block for each tile the loop runs once; with fewer blocks it is a grid-stride
// loop.
template <int VecSize, class InT, class OutT, class Layout, Tail tail>
__global__ void ElementwiseAdd(const InT* in0, const InT* in1, OutT* out, std::int64_t size) {
  wait_for_previous_grid();
  using Add = AddFunctor<InT>;
  const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
  for (std::int64_t offset = blockIdx.x * tile; offset < size; offset += gridDim.x * tile) {
    const InT *a = in0 + offset, *b = in1 + offset;
    if (tail == Tail::split && offset + tile <= size) {
      ElementwiseAddImpl<VecSize, InT, OutT, Add, false, Layout>(a, b, out + offset, Add{}, tile);
    } else {
      ElementwiseAddImpl<VecSize, InT, OutT, Add, true, Layout>(a, b, out + offset, Add{},
                                                                size - offset);
    }
  }
}

/// A thread's registers for one input.
template <class T, int VecSize>
struct Registers {
  T at[VecSize];
};

// The same tile for a functor of any number of operands, of any types: `in...` is the list of inputs.
//! [ElementwiseImpl]
template <int VecSize, bool IsBoundary, class Layout, class OutT, class OpFunc, class... InT>
__device__ __forceinline__ void ElementwiseImpl(OutT* out, std::int64_t num, OpFunc func,
                                                const InT*... in) {
  const auto run = [&](auto... arg) {
    OutT result[VecSize];
    (Init(arg.at, 1.0f), ...);
    (ReadData<IsBoundary, Layout>(arg.at, in, num), ...);
    ElementwiseAny(result, func, arg.at...);
    WriteData<IsBoundary, Layout>(out, result, num);
  };
  run(Registers<InT, VecSize>{}...);
}
//! [ElementwiseImpl]

/// out[i] = func(in[i]...) for i in [0, size), a tile of VecSize * blockDim.x elements a block, one
/// block for each tile.
///
/// Layout: one for all pointers, which must then be aligned to its vectors: Interleaved<OutT,
/// InT...> and 16 bytes, or Striped and the alignment of the elements. `out` may be one of the
/// inputs, if it is of the same type.
//! [Elementwise]
template <int VecSize, class Layout, class OutT, class OpFunc, class... InT>
__global__ void Elementwise(OutT* out, std::int64_t size, OpFunc func, const InT*... in) {
  wait_for_previous_grid();
  const std::int64_t tile = std::int64_t{blockDim.x} * VecSize;
  const std::int64_t offset = blockIdx.x * tile;
  // A thread whose last element exists has whole vectors, in the last tile too.
  if (offset + ElementIndex<OutT, VecSize, Layout>(VecSize - 1) < size) {
    ElementwiseImpl<VecSize, false, Layout>(out + offset, tile, func, (in + offset)...);
  } else {
    ElementwiseImpl<VecSize, true, Layout>(out + offset, size - offset, func, (in + offset)...);
  }
}
//! [Elementwise]

// ---- Functors ---------------------------------------------------------------------------------

/// a * b + c, fused.
struct MultiplyAddFunctor {
  __device__ __forceinline__ float operator()(float a, float b, float c) const {
    return fmaf(a, b, c);
  }
};

/// (a + b) + (c + d).
struct Sum4Functor {
  __device__ __forceinline__ float operator()(float a, float b, float c, float d) const {
    return (a + b) + (c + d);
  }
};

inline constexpr float kLog2E = 1.44269504f;
/// The least factor x in GELU and Swish: both are 0 long before it, and minus infinity times 0 would
/// be NaN. fmaxf() drops a NaN, but the other factor restores it.
inline constexpr float kLowestFactor = -65504.0f;

/// x >= 0 ? x : e^x - 1. Near zero, where the subtraction would lose all digits, by the series of
/// (e^x - 1) / x; elsewhere by the special-function unit.
struct EluFunctor {
  __device__ __forceinline__ float operator()(float x) const {
    const float q = fmaf(x, fmaf(x, fmaf(x, fmaf(x, 8.28e-3f, 0.04166f), 0.16666666f), 0.5f), 1.0f);
    const float near_zero = x * q, elsewhere = exp2_approx(x * kLog2E) - 1.0f;
    return x < 0.0f ? (x > -0.25f ? near_zero : elsewhere) : x;
  }
};

/// x / (1 + e^(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3): GELU's tanh form, tanh written as an
/// exponential. In powers of two, 2 u log2(e) = x (2.3022082 + 0.10294324 x^2).
struct GeluFunctor {
  __device__ __forceinline__ float operator()(float x) const {
    const float t = x * fmaf(x * x, -0.10294324f, -2.3022082f);
    return fmaxf(x, kLowestFactor) * rcp_approx(1.0f + exp2_approx(t));
  }
};

/// x / (1 + e^-x).
//! [SwishFunctor]
struct SwishFunctor {
  __device__ __forceinline__ float operator()(float x) const {
    return fmaxf(x, kLowestFactor) * rcp_approx(1.0f + exp2_approx(x * -kLog2E));
  }
};
//! [SwishFunctor]

}  // namespace tutorial::primitives

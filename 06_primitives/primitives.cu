// The launchers of the ladder, each rung a choice of VecSize, layout and tail; then the operators
// that run the same kernel with other functors.
#include "06_primitives/primitives.h"

#include <algorithm>

#include "06_primitives/launchers/launch_any.cuh"
#include "common/broadcast.cuh"
#include "common/elementwise.cuh"

namespace tutorial {

using namespace primitives;

namespace {

/// Elements in 16 bytes.
template <class T>
constexpr int kWide = 16 / static_cast<int>(sizeof(T));

/// A rung of ElementwiseAdd: a block for each tile, or `most_blocks` that walk on.
template <int VecSize, class Layout, Tail tail, class T>
cudaError_t launch_add(const T* a, const T* b, T* out, std::int64_t n, std::size_t alignment,
                       cudaStream_t stream, unsigned most_blocks = 0) {
  const cudaError_t error = check_arguments(n, {{a, alignment}, {b, alignment}, {out, alignment}});
  if (error != cudaSuccess || n == 0) return error;
  dim3 grid = grid_1d(n, std::int64_t{kThreads} * VecSize);
  if (most_blocks > 0) grid.x = std::min(grid.x, most_blocks);
  return launch(ElementwiseAdd<VecSize, T, T, Layout, tail>, {grid, dim3(kThreads)}, stream, a, b,
                out, n);
}

/// As many blocks as the GPU holds at once.
unsigned resident_blocks() {
  return static_cast<unsigned>(std::max<std::int64_t>(resident_threads() / kThreads, 1));
}

/// The hand-written kernel with the same functor.
template <class F, class T>
cudaError_t launch_by_hand(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_elementwise(x, y, n, FloatInside<F>{}, stream,
                            {kThreads, Overlap::previous_kernel});
}

}  // namespace

// 1 · boundary: every tile is treated as the last one
template <class T>
cudaError_t add_boundary(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  return launch_add<2, Adjacent, Tail::everywhere>(a, b, out, n, alignof(T), stream);
}

// 2 · split: full tiles take the fast path
template <class T>
cudaError_t add_split(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  return launch_add<2, Adjacent, Tail::split>(a, b, out, n, 2 * sizeof(T), stream);
}

// 3 · wide: 16 bytes a thread
template <class T>
cudaError_t add_wide(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  if (is_aligned(a, 16) && is_aligned(b, 16) && is_aligned(out, 16)) {
    return launch_add<kWide<T>, Adjacent, Tail::split>(a, b, out, n, 16, stream);
  }
  return launch_add<kWide<T>, Striped, Tail::split>(a, b, out, n, alignof(T), stream);
}

// 4 · adjacent: 32 bytes a thread, side by side
template <class T>
cudaError_t add_adjacent(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  return launch_add<2 * kWide<T>, Adjacent, Tail::split>(a, b, out, n, 16, stream);
}

// 5 · interleaved: 32 bytes a thread, two vectors dealt in turn
template <class T>
cudaError_t add_interleaved(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  return launch_add<2 * kWide<T>, Interleaved<T>, Tail::split>(a, b, out, n, 16, stream);
}

// 6 · grid_stride: as many blocks as the GPU holds at once
template <class T>
cudaError_t add_grid_stride(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  return launch_add<kWide<T>, Interleaved<T>, Tail::split>(a, b, out, n, 16, stream,
                                                           resident_blocks());
}

// 7 · add: any functor, any number of inputs
template <class T>
cudaError_t add(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  return launch_any(AddFunctor<T>{}, out, n, stream, a, b);
}

template <class T>
cudaError_t add_by_hand(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  if (n < 0) return cudaErrorInvalidValue;
  Broadcast contiguous;
  contiguous.rank = 1;
  contiguous.extent[0] = contiguous.elements = n;
  contiguous.stride0[0] = contiguous.stride1[0] = 1;
  return launch_broadcast(contiguous, a, b, out, AddFunctor<T>{}, stream);
}

cudaError_t add_to_float(const half* a, const half* b, float* out, std::int64_t n,
                         cudaStream_t stream) {
  return launch_any(AddFunctor<float>{}, out, n, stream, a, b);
}

template <class T>
cudaError_t multiply_add(const T* a, const T* b, const T* c, T* out, std::int64_t n,
                         cudaStream_t stream) {
  return launch_any(MultiplyAddFunctor{}, out, n, stream, a, b, c);
}

template <class T>
cudaError_t sum4(const T* a, const T* b, const T* c, const T* d, T* out, std::int64_t n,
                 cudaStream_t stream) {
  return launch_any(Sum4Functor{}, out, n, stream, a, b, c, d);
}

template <class T>
cudaError_t elu(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_any(EluFunctor{}, y, n, stream, x);
}

template <class T>
cudaError_t gelu(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_any(GeluFunctor{}, y, n, stream, x);
}

template <class T>
cudaError_t swish(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_any(SwishFunctor{}, y, n, stream, x);
}

template <class T>
cudaError_t elu_by_hand(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_by_hand<EluFunctor>(x, y, n, stream);
}
template <class T>
cudaError_t gelu_by_hand(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_by_hand<GeluFunctor>(x, y, n, stream);
}
template <class T>
cudaError_t swish_by_hand(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_by_hand<SwishFunctor>(x, y, n, stream);
}

#define TUTORIAL_BINARY(name, T) \
  template cudaError_t name(const T*, const T*, T*, std::int64_t, cudaStream_t);
#define TUTORIAL_UNARY(name, T) template cudaError_t name(const T*, T*, std::int64_t, cudaStream_t);
#define TUTORIAL_LADDER(T)            \
  TUTORIAL_BINARY(add_boundary, T)    \
  TUTORIAL_BINARY(add_split, T)       \
  TUTORIAL_BINARY(add_wide, T)        \
  TUTORIAL_BINARY(add_adjacent, T)    \
  TUTORIAL_BINARY(add_interleaved, T) \
  TUTORIAL_BINARY(add_grid_stride, T)
#define TUTORIAL_OPERATORS(T)                                                                      \
  TUTORIAL_BINARY(add, T)                                                                          \
  TUTORIAL_BINARY(add_by_hand, T)                                                                  \
  template cudaError_t multiply_add(const T*, const T*, const T*, T*, std::int64_t, cudaStream_t); \
  template cudaError_t sum4(const T*, const T*, const T*, const T*, T*, std::int64_t,              \
                            cudaStream_t);                                                         \
  TUTORIAL_UNARY(elu, T)                                                                           \
  TUTORIAL_UNARY(gelu, T)                                                                          \
  TUTORIAL_UNARY(swish, T)                                                                         \
  TUTORIAL_UNARY(elu_by_hand, T)                                                                   \
  TUTORIAL_UNARY(gelu_by_hand, T)                                                                  \
  TUTORIAL_UNARY(swish_by_hand, T)
TUTORIAL_LADDER(float)
TUTORIAL_LADDER(half)
TUTORIAL_OPERATORS(float)
TUTORIAL_OPERATORS(half)
TUTORIAL_OPERATORS(__nv_bfloat16)
#undef TUTORIAL_OPERATORS
#undef TUTORIAL_LADDER
#undef TUTORIAL_UNARY
#undef TUTORIAL_BINARY

}  // namespace tutorial

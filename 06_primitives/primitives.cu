// The ladder's table, each rung a choice of VecSize, layout and tail; then the operators that run the
// same kernel with other functors.
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

/// Rung 3. Pointers that are not aligned to 16 take the same kernel with another layout.
template <class T>
cudaError_t add_wide(const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
  if (is_aligned(a, 16) && is_aligned(b, 16) && is_aligned(out, 16)) {
    return launch_add<kWide<T>, Adjacent, Tail::split>(a, b, out, n, 16, stream);
  }
  return launch_add<kWide<T>, Striped, Tail::split>(a, b, out, n, alignof(T), stream);
}

template <class T>
std::string named(const char* rung) {
  return std::string("add_") + dtype_name<T>() + "_" + rung;
}

/// A row of the table: its name, and the alignment of its pointers.
template <int VecSize, class Layout, Tail tail, class T>
BinaryRung<T> add_rung(const char* name, std::size_t alignment, bool walks = false) {
  const auto launch = [=](const T* a, const T* b, T* out, std::int64_t n, cudaStream_t stream) {
    return launch_add<VecSize, Layout, tail>(a, b, out, n, alignment, stream,
                                             walks ? resident_blocks() : 0);
  };
  return {named<T>(name), launch, VecSize, alignment, kAddUlp};
}

/// The hand-written kernel with the same functor.
template <class F, class T>
cudaError_t launch_by_hand(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_elementwise(x, y, n, FloatInside<F>{}, stream,
                            {kThreads, Overlap::previous_kernel});
}

}  // namespace

template <class T>
const std::vector<BinaryRung<T>>& add_rungs() {
  constexpr int kTwoWide = 2 * kWide<T>;
  static const std::vector<BinaryRung<T>> rungs = {
      // 1 · the library's kernel, two elements a thread, every tile treated as the last one
      add_rung<2, Adjacent, Tail::everywhere, T>("boundary", sizeof(T)),
      // 2 · full tiles take the fast path: two elements in one access
      add_rung<2, Adjacent, Tail::split, T>("split", 2 * sizeof(T)),
      // 3 · 16 bytes a thread
      {named<T>("wide"), add_wide<T>, kWide<T>, sizeof(T), kAddUlp},
      // 4 · 32 bytes a thread, side by side
      add_rung<kTwoWide, Adjacent, Tail::split, T>("adjacent", 16),
      // 5 · 32 bytes a thread, in two vectors that alternate with the neighbours'
      add_rung<kTwoWide, Interleaved<T>, Tail::split, T>("interleaved", 16),
      // 6 · rung 3 with as many blocks as the GPU holds at once, each of which loops over several tiles
      add_rung<kWide<T>, Interleaved<T>, Tail::split, T>("grid_stride", 16, true),
  };
  return rungs;
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

template const std::vector<BinaryRung<float>>& add_rungs();
template const std::vector<BinaryRung<half>>& add_rungs();

#define TUTORIAL_BINARY(name, T) \
  template cudaError_t name(const T*, const T*, T*, std::int64_t, cudaStream_t);
#define TUTORIAL_UNARY(name, T) template cudaError_t name(const T*, T*, std::int64_t, cudaStream_t);
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
TUTORIAL_FOR_FLOATS(TUTORIAL_OPERATORS)
#undef TUTORIAL_OPERATORS
#undef TUTORIAL_UNARY
#undef TUTORIAL_BINARY

}  // namespace tutorial

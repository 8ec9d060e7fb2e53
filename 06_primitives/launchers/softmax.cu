// Softmax: which kernel and how many threads for rows of which length.
#include "06_primitives/launchers/any_rows.h"
#include "06_primitives/primitives.h"

namespace tutorial {

using namespace primitives;

namespace {

static_assert(kSoftmaxTile == kAnyRowTile);

/// How a thread holds N elements of a row.
template <int N>
struct Full {};
template <int N>
struct Ragged {};

/// Elements that a thread holds: 64 bytes, where rows of halves fill that many registers.
constexpr int kHeld = 16;
constexpr int kHeldOfHalves = 32;

template <class T>
struct Online {
  /// Of a ragged row of more than 32 x kHeld elements.
  static constexpr int kRagged = sizeof(T) == 2 ? kHeldOfHalves : kHeld;

  template <int N>
  auto operator()(Full<N>) const {
    return SoftmaxOnline<N, false, Interleaved<T>, T>;
  }
  template <int N>
  auto operator()(Ragged<N>) const {
    return SoftmaxAnyRows<N, false, T>;
  }
};
template <class T>
struct TwoReductions {
  static constexpr int kRagged = kHeld;

  template <int N>
  auto operator()(Full<N>) const {
    return SoftmaxTwoReductions<N, false, Interleaved<T>, T>;
  }
  template <int N>
  auto operator()(Ragged<N>) const {
    return SoftmaxTwoReductions<N, true, Striped, T>;
  }
};

/// Floats in rows of 2,049 to 4,096 have half as many elements a thread, in blocks of up to 512:
/// measured faster (notes/softmax.md).
constexpr int kHeldByMany = 8;
constexpr std::int64_t kManyThreads = 512;
constexpr std::int64_t kBlockThreads = 128;
/// Threads of a block that walks along a long row.
constexpr std::int64_t kLongRowThreads = 512;

/// Launches the kernel for rows of that length: one for rows that fill their threads' registers and move
/// in vectors, and one for all others. kernel_of says which these are; `pitch` is what the latter takes
/// besides.
template <class T, class KernelOf, class... Pitch>
cudaError_t launch_rows(KernelOf kernel_of, const T* x, T* y, std::int64_t rows,
                        std::int64_t columns, bool vectors, cudaStream_t stream,
                        const Pitch&... pitch) {
  const auto run = [&](auto kernel, int held, const auto&... more) {
    const std::int64_t threads = ceil_div(ceil_div(columns, held), 32) * 32;  // whole warps
    const std::int64_t rows_each = threads < kBlockThreads ? kBlockThreads / threads : 1;
    return launch(kernel, rows_shape(rows, threads, rows_each), stream, x, y, rows, columns,
                  more...);
  };
  if constexpr (sizeof(T) == 2) {
    if (vectors && columns % (32 * kHeldOfHalves) == 0) {
      return run(kernel_of(Full<kHeldOfHalves>{}), kHeldOfHalves);
    }
  } else {
    constexpr std::int64_t kMost = kManyThreads * kHeldByMany;
    if (vectors && columns % (32 * kHeldByMany) == 0 && columns > kMost / 2 && columns <= kMost) {
      return run(kernel_of(Full<kHeldByMany>{}), kHeldByMany);
    }
  }
  if (vectors && columns % (32 * kHeld) == 0) return run(kernel_of(Full<kHeld>{}), kHeld);
  if (columns <= 32 * kHeld) return run(kernel_of(Ragged<kHeld>{}), kHeld, pitch...);
  return run(kernel_of(Ragged<KernelOf::kRagged>{}), KernelOf::kRagged, pitch...);
}

template <class T>
cudaError_t launch_softmax(const T* x, T* y, const AnyRows& of, cudaStream_t stream) {
  if (of.rows == 0 || of.columns == 0) return cudaSuccess;
  const bool vectors = !of.have_gaps() && in_vectors<T>(of.columns, {x, y});
  if (of.columns <= kSoftmaxTile) {
    return launch_rows(Online<T>{}, x, y, of.rows, of.columns, vectors, stream, of.pitch);
  }
  const LaunchShape shape = rows_shape(of.rows, kLongRowThreads, 1);
  if (vectors) {
    return launch(SoftmaxLongRows<kHeld, Interleaved<T>, T>, shape, stream, x, y, of.columns);
  }
  return launch(SoftmaxAnyRows<kHeld, true, T>, shape, stream, x, y, of.rows, of.columns, of.pitch);
}

}  // namespace

template <class T>
cudaError_t softmax(const T* x, T* y, std::int64_t rows, std::int64_t columns,
                    cudaStream_t stream) {
  if (const cudaError_t error = check_rows(x, y, rows, columns); error != cudaSuccess) return error;
  return launch_softmax(x, y, matrix_rows(rows, columns), stream);
}

template <class T>
cudaError_t softmax_rows(const TensorView<const T>& x, const TensorView<T>& y,
                         cudaStream_t stream) {
  AnyRows of{};
  if (const cudaError_t error = make_any_rows(&of, x, y); error != cudaSuccess) return error;
  return launch_softmax(x.data, y.data, of, stream);
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
  return launch_rows(TwoReductions<T>{}, x, y, rows, columns, in_vectors<T>(columns, {x, y}),
                     stream);
}

#define TUTORIAL_INSTANTIATE(T)                                                         \
  template cudaError_t softmax(const T*, T*, std::int64_t, std::int64_t, cudaStream_t); \
  template cudaError_t softmax_rows(const TensorView<const T>&, const TensorView<T>&,   \
                                    cudaStream_t);                                      \
  template cudaError_t softmax_two_reductions(const T*, T*, std::int64_t, std::int64_t, \
                                              cudaStream_t);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial

#include "common/test/strided_kernels.h"

#include <algorithm>
#include <set>

#include "common/elementwise.cuh"
#include "common/strided.cuh"

namespace tutorial::test {
namespace strided {  // a kernel of something without a name has none itself, and a test asks for it

struct TwoMinus {
  template <class T>
  __device__ T operator()(T x) const {
    return static_cast<T>(static_cast<T>(2) - x);
  }
};
struct MinusTwice {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return static_cast<T>(a - static_cast<T>(b + b));
  }
};
struct IsGreater {
  template <class T>
  __device__ std::uint8_t operator()(T a, T b) const {
    return a > b ? 1 : 0;
  }
};
struct Choose {
  template <class T>
  __device__ T operator()(std::uint8_t c, T a, T b) const {
    return c != 0 ? a : b;
  }
};

}  // namespace strided

namespace {

using namespace strided;  // NOLINT(google-build-using-namespace)

template <int W, class Op, class Out, class... In>
cudaError_t launch_any(std::int64_t most, cudaStream_t stream, const TensorView<Out>& y,
                       const TensorView<const In>&... x) {
  StridedLoop loop;
  const cudaError_t error = make_strided_loop(y.layout, {x.layout...}, &loop);
  if (error != cudaSuccess) return error;
  StridedLimits limits;
  if (most > 0) limits.most = most;
  limits.always_in_pieces = most != kUsualLimits;
  return launch_strided<W>(loop, OnElements<Out, Op>{}, stream, limits, y.data, x.data...);
}

template <class T, int W>
std::string mistake_inside() {
  constexpr std::int64_t kPiece = Pieces<T, W>::kBytes / sizeof(T);
  for (std::int64_t span = 1; span < W + 3 * kPiece; ++span) {
    for (std::int64_t first = -2 * W; first < span + 2 * W; ++first) {
      for (std::int64_t before = 0; before < kPiece; ++before) {
        const std::int64_t begin = first - before;
        const std::int64_t end = begin + W + (before == 0 ? 0 : kPiece);
        const bool inside = begin >= 0 && end <= span;
        if (is_inside<T, W>(static_cast<std::uint32_t>(first),
                            static_cast<unsigned>(before) * static_cast<unsigned>(sizeof(T)),
                            static_cast<std::uint32_t>(span)) == inside) {
          continue;
        }
        return "place " + std::to_string(first) + " of " + std::to_string(span) + ", " +
               std::to_string(before) + " elements past a piece";
      }
    }
  }
  return "";
}

/// The most of so many lanes that want the same banks at once, where lane k has the word_of(k)-th word,
/// and `words` from there.
template <class WordOf>
int most_in_a_bank(int lanes, int words, const WordOf& word_of) {
  int wanted[32] = {};
  for (int lane = 0; lane < lanes; ++lane) {
    for (int w = 0; w < words; ++w) ++wanted[(word_of(lane) + w) % 32];
  }
  return *std::max_element(wanted, wanted + 32);
}

/// Packs of W have sixteen bytes.
template <int W, int kRows>
int most_in_a_bank_of() {
  using Shape = TileShape<W, kRows, false>;
  constexpr int kWords = 4 * kRows / W, kLanes = 32 / kWords;  // of a part; that are served at once
  int most = 0;
  std::set<int> places;
  for (int row = 0; row < Shape::kSide; ++row) {
    for (int unit = 0; unit < Shape::kSquares; ++unit) {
      places.insert(detail::tile_place<Shape>(row, unit));
    }
    for (int unit = 0; unit < Shape::kSquares; unit += 8) {
      most = std::max(most, most_in_a_bank(8, 4, [=](int lane) {
                        return 4 * detail::tile_place<Shape>(row, unit + lane);
                      }));
    }
  }
  for (int first = 0; first < Shape::kThreads; first += kLanes) {
    for (int k = 0; k < W; ++k) {
      most = std::max(most, most_in_a_bank(kLanes, kWords, [=](int lane) {
                        const auto mine = detail::tile_element<Shape>(first + lane);
                        return 4 * detail::tile_place<Shape>(mine.across + k, mine.down / W) +
                               mine.down % W * 4 / W;
                      }));
    }
  }
  return places.size() == static_cast<std::size_t>(Shape::kSide * Shape::kSquares) ? most : 0;
}

}  // namespace

int most_in_a_bank() {
  return std::max({most_in_a_bank_of<8, 2>(), most_in_a_bank_of<8, 4>(), most_in_a_bank_of<4, 4>(),
                   most_in_a_bank_of<2, 2>()});
}

template <class T>
cudaError_t two_minus(const TensorView<const T>& x, const TensorView<T>& y, std::int64_t most,
                      cudaStream_t stream) {
  return launch_any<16 / sizeof(T), TwoMinus>(most, stream, y, x);
}
template <class T>
cudaError_t minus_twice(const TensorView<const T>& a, const TensorView<const T>& b,
                        const TensorView<T>& y, std::int64_t most, cudaStream_t stream) {
  return launch_any<16 / sizeof(T), MinusTwice>(most, stream, y, a, b);
}
template <class T>
cudaError_t is_greater(const TensorView<const T>& a, const TensorView<const T>& b,
                       const TensorView<std::uint8_t>& y, std::int64_t most, cudaStream_t stream) {
  return launch_any<32 / sizeof(T), IsGreater>(most, stream, y, a, b);
}
template <class T>
cudaError_t choose(const TensorView<const std::uint8_t>& c, const TensorView<const T>& a,
                   const TensorView<const T>& b, const TensorView<T>& y, std::int64_t most,
                   cudaStream_t stream) {
  return launch_any<16 / sizeof(T), Choose>(most, stream, y, c, a, b);
}

#define TUTORIAL_INSTANTIATE(T)                                                                  \
  template cudaError_t two_minus(const TensorView<const T>&, const TensorView<T>&, std::int64_t, \
                                 cudaStream_t);                                                  \
  template cudaError_t minus_twice(const TensorView<const T>&, const TensorView<const T>&,       \
                                   const TensorView<T>&, std::int64_t, cudaStream_t);            \
  template cudaError_t is_greater(const TensorView<const T>&, const TensorView<const T>&,        \
                                  const TensorView<std::uint8_t>&, std::int64_t, cudaStream_t);
TUTORIAL_INSTANTIATE(half)
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(std::int64_t)
#undef TUTORIAL_INSTANTIATE
template cudaError_t two_minus(const TensorView<const std::uint8_t>&,
                               const TensorView<std::uint8_t>&, std::int64_t, cudaStream_t);
template cudaError_t choose(const TensorView<const std::uint8_t>&, const TensorView<const half>&,
                            const TensorView<const half>&, const TensorView<half>&, std::int64_t,
                            cudaStream_t);

std::string mistakes_of_is_inside() {
  return mistake_inside<half, 8>() + mistake_inside<half, 16>() + mistake_inside<float, 4>() +
         mistake_inside<std::uint8_t, 8>();
}

}  // namespace tutorial::test

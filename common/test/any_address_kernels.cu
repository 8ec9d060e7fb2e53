#include "common/test/any_address_kernels.h"

#include "common/any_address.cuh"
#include "common/elementwise.cuh"
#include "common/fp8.cuh"

namespace tutorial::test {

namespace {

struct Negate {
  __device__ __forceinline__ float operator()(float x) const { return -x; }
};

/// Whether the pieces of the packs lie inside the array.
template <int W, class T>
bool is_inside(const T* array, std::int64_t n, const AnyAddress& parts) {
  const auto begin = reinterpret_cast<std::uintptr_t>(array);
  const auto first = reinterpret_cast<std::uintptr_t>(array + parts.head);
  const std::uintptr_t piece = Pieces<T, W>::kBytes, shift = first % piece;
  const std::uintptr_t packs_end =
      first - shift + static_cast<std::uintptr_t>(parts.packs) * W * sizeof(T);
  return first - shift >= begin &&
         packs_end + (shift == 0 ? 0 : piece) <= reinterpret_cast<std::uintptr_t>(array + n);
}

template <int W, class Out, class In>
std::string mistake() {
  const auto at = [](auto* base, std::size_t offset) { return base + offset; };
  constexpr std::int64_t kLine = 128 / sizeof(Out);
  for (std::size_t of_y = 0; of_y < 128 / sizeof(Out); ++of_y) {
    for (std::size_t of_a = 0; of_a < 16 / sizeof(In); ++of_a) {
      for (std::size_t of_b = 0; of_b < 16 / sizeof(In); ++of_b) {
        auto* const y = at(reinterpret_cast<Out*>(4096), of_y);
        const auto* const a = at(reinterpret_cast<const In*>(8192), of_a);
        const auto* const b = at(reinterpret_cast<const In*>(16384), of_b);
        for (std::int64_t n = 0; n < 4 * kLine; ++n) {
          const AnyAddress parts = divide<W>(y, n, a, b);
          const std::int64_t rest = n - parts.head - parts.packs * W;
          const auto store = reinterpret_cast<std::uintptr_t>(y + parts.head);
          std::string what;
          if (parts.head < 0 || parts.packs < 0 || rest < 0) what = "counts that cannot be";
          if (parts.head >= 2 * kLine || rest >= 2 * W) what = "too many single elements";
          if (parts.packs > 0 && store % kStoreBoundary != 0) what = "a store that is not aligned";
          if (parts.packs > 0 && !(is_inside<W>(a, n, parts) && is_inside<W>(b, n, parts))) {
            what = "a piece outside of its array";
          }
          if (what.empty()) continue;
          return what + " at n = " + std::to_string(n) + ", offsets " + std::to_string(of_y) +
                 ", " + std::to_string(of_a) + ", " + std::to_string(of_b);
        }
      }
    }
  }
  return "";
}

}  // namespace

template <class T>
cudaError_t negate(const T* x, T* y, std::int64_t n, cudaStream_t stream) {
  return launch_elementwise(x, y, n, FloatInside<Negate>{}, stream, {});
}
template cudaError_t negate(const float*, float*, std::int64_t, cudaStream_t);
template cudaError_t negate(const half*, half*, std::int64_t, cudaStream_t);
template cudaError_t negate(const E4m3*, E4m3*, std::int64_t, cudaStream_t);

std::string mistakes_of_divide() {
  return mistake<8, half, half>() + mistake<4, float, float>() + mistake<16, std::uint8_t, half>() +
         mistake<4, std::int32_t, std::int8_t>();
}

}  // namespace tutorial::test

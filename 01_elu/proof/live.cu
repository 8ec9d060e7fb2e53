// The ladder's kernels as a page of the book runs them (common/live).
#include "01_elu/elu_kernels.cuh"
#include "common/launch.cuh"
#include "common/live/live.h"

namespace tutorial::live {

namespace {

/// Rung 5 with its stores as wide as the page says: eight halves a thread, in pieces of kBytes.
template <class Piece>
__global__ void elu_f16x8_stores_kernel(const half* x, half* y, std::int64_t n) {
  constexpr int kHalves = sizeof(Piece) / sizeof(half);
  const std::int64_t i = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i + 8 <= n) {
    alignas(16) half v[8];
    for (int k = 0; k < 8; k += 2) {
      HALF2(v[k]) = HALF2(x[i + k]);
    }
    for (int k = 0; k < 8; ++k) {
      v[k] = elu_half(v[k]);
    }
    for (int k = 0; k < 8; k += kHalves) {
      tutorial::detail::storage_as<Piece>(y[i + k]) = tutorial::detail::storage_as<Piece>(v[k]);
    }
  } else {
    for (std::int64_t k = i; k < n; ++k) {
      y[k] = elu_half(x[k]);
    }
  }
}

template <class T>
Kernel row(const char* rung, void (*kernel)(const T*, T*, std::int64_t), int per_thread,
           std::size_t alignment) {
  const auto launch = [=](const Pointers& at, const Controls& set) {
    return launch_unary(kernel, static_cast<const T*>(at[0]), static_cast<T*>(at[1]), set.n,
                        per_thread, alignment, nullptr, {set.threads});
  };
  return {"01_elu", rung, {{"x", sizeof(T)}, {"y", sizeof(T)}}, launch};
}

Kernel stores() {
  Kernel of_any = row<half>("f16x8_stores", nullptr, 8, 4);
  of_any.controls.emplace_back("width");
  of_any.launch = [](const Pointers& at, const Controls& set) {
    const auto by = [&](auto kernel) {
      const auto alignment = static_cast<std::size_t>(set.width < 4 ? 4 : set.width);
      return row<half>("", kernel, 8, alignment).launch(at, set);
    };
    if (set.width == 2) return by(elu_f16x8_stores_kernel<unsigned short>);
    if (set.width == 4) return by(elu_f16x8_stores_kernel<unsigned>);
    if (set.width == 8) return by(elu_f16x8_stores_kernel<float2>);
    return by(elu_f16x8_stores_kernel<float4>);
  };
  return of_any;
}

// The rows of elu.cu.
[[maybe_unused]] const bool added = add({
    row("f16", elu_f16_kernel, 1, 2),
    row("f16x2", elu_f16x2_kernel, 2, 4),
    row("f16x8", elu_f16x8_kernel, 8, 4),
    stores(),
    row("f16x8_wide_load", elu_f16x8_wide_load_kernel, 8, 16),
    row("f16x8_wide_store", elu_f16x8_wide_store_kernel, 8, 16),
    row("f16x8_pack", elu_f16x8_pack_kernel, 8, 16),
    row("f32", elu_f32_kernel, 1, 4),
    row("f32x4", elu_f32x4_kernel, 4, 16),
});

}  // namespace

}  // namespace tutorial::live

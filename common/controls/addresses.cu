// y = x and y = a + b where the arrays begin a few elements past a line: the ladder of
// 01_elu/notes/any_address.md. What the operators launch is two_loads.

#include "common/any_address.cuh"
#include "common/controls/controls.h"
#include "common/elementwise_binary.cuh"

namespace tutorial::controls {

namespace {

enum class AddressRung { element, narrow_loads, two_loads_16, two_loads, shuffle };

/// A copy, or an addition.
struct Compute {
  template <class P>
  __device__ __forceinline__ P operator()(const P& x) const {
    return x;
  }
  template <class T, int N>
  __device__ __forceinline__ Pack<T, N> operator()(const Pack<T, N>& a, const Pack<T, N>& b) const {
    Pack<T, N> y;
#pragma unroll
    for (int k = 0; k < N; ++k) y.at[k] = a.at[k] + b.at[k];
    return y;
  }
};

template <class T, class... In>
__global__ void control_element_kernel(T* y, std::int64_t n, const In*... in) {
  wait_for_previous_grid();
  let_next_grid_begin();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = Compute{}(load_pack<1>(in + i)...).at[0];
}

/// W elements by as many loads.
template <int W, class T>
__device__ __forceinline__ Pack<T, W> load_each(const T* from) {
  Pack<T, W> pack;
#pragma unroll
  for (int k = 0; k < W; ++k) pack.at[k] = from[k];
  return pack;
}

/// The element that a thread without a pack does; n if there is none.
__device__ __forceinline__ std::int64_t single_of(std::int64_t thread, std::int64_t n,
                                                  AnyAddress parts, int width) {
  const std::int64_t i = thread - first_single(parts.packs);
  if (i < 0 || i >= n - parts.packs * width) return n;
  return i < parts.head ? i : i + parts.packs * width;
}

/// Stores of sixteen bytes, loads of one element.
template <int W, class T, class... In>
__global__ void control_narrow_loads_kernel(T* y, std::int64_t n, AnyAddress parts,
                                            const In*... in) {
  wait_for_previous_grid();
  let_next_grid_begin();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t i = parts.head + thread * W;
  if (thread < parts.packs) {
    store_pack(y + i, Compute{}(load_each<W>(in + i)...));
  } else if (const std::int64_t k = single_of(thread, n, parts, W); k < n) {
    y[k] = Compute{}(load_pack<1>(in + k)...).at[0];
  }
}

/// load_pieces(), whose second piece is the next lane's first. The warp's last pack has no such lane.
/// All lanes of the warp call it.
template <int W, class T>
__device__ __forceinline__ Pieces<T, W> load_and_shuffle(const T* first, std::int64_t index,
                                                         std::int64_t packs) {
  static_assert(W * sizeof(T) == 16);
  Pieces<T, W> pieces{};
  pieces.shift = Pieces<T, W>::shift_of(first);
  const auto* const from =
      reinterpret_cast<const unsigned char*>(first) - pieces.shift + index * 16;
  if (index < packs) detail::move_bits<16>(pieces.word, from);
  if (pieces.shift == 0) return pieces;
  const bool is_last = threadIdx.x % 32 == 31 || index == packs - 1;
  if (is_last && index < packs) detail::move_bits<16>(pieces.word + 4, from + 16);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const unsigned next = __shfl_down_sync(~0u, pieces.word[k], 1);
    if (!is_last) pieces.word[4 + k] = next;
  }
  return pieces;
}

template <int W, class T, class... In>
__global__ void control_shuffle_kernel(T* y, std::int64_t n, AnyAddress parts, const In*... in) {
  wait_for_previous_grid();
  let_next_grid_begin();
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (thread < first_single(parts.packs)) {
    const Pack<T, W> pack =
        apply_to_pieces(Compute{}, load_and_shuffle<W>(in + parts.head, thread, parts.packs)...);
    if (thread < parts.packs) store_pack(y + parts.head + thread * W, pack);
  } else if (const std::int64_t k = single_of(thread, n, parts, W); k < n) {
    y[k] = Compute{}(load_pack<1>(in + k)...).at[0];
  }
}

// ---- Launches ---------------------------------------------------------------------------------

template <class T, class... In>
LaunchOptions options_for(std::int64_t n) {
  return sizeof...(In) == 2 ? two_inputs(n, 3 * sizeof(T))
                            : LaunchOptions{256, Overlap::previous_kernel};
}

template <class T, class... In>
LaunchShape shape_for(const AnyAddress& parts, std::int64_t n) {
  const LaunchOptions options = options_for<T, In...>(n);
  const std::int64_t singles = n - parts.packs * static_cast<std::int64_t>(16 / sizeof(T));
  return {grid_1d(threads_for(parts.packs, singles), options.threads),
          dim3(static_cast<unsigned>(options.threads)), 0, options.overlap};
}

template <class T, class... In, class... Params>
cudaError_t launch_divided(void (*kernel)(Params...), T* y, std::int64_t n, cudaStream_t stream,
                           const In*... in) {
  const AnyAddress parts = divide<16 / sizeof(T)>(y, n, in...);
  return launch(kernel, shape_for<T, In...>(parts, n), stream, y, n, parts, in...);
}

/// The operators' kernel, with the first store at a multiple of kBoundary bytes.
template <std::size_t kBoundary, class T, class... In>
cudaError_t launch_two_loads(T* y, std::int64_t n, cudaStream_t stream, const In*... in) {
  constexpr int kWidth = 16 / sizeof(T);
  const AnyAddress parts = divide<kWidth, kBoundary>(y, n, in...);
  return launch(elementwise_any_address_kernel<kWidth, T, Compute, In...>,
                shape_for<T, In...>(parts, n), stream, y, n, parts, Compute{}, in...);
}

template <class T, class... In>
cudaError_t any_address(AddressRung rung, T* y, std::int64_t n, cudaStream_t stream,
                        const In*... in) {
  constexpr int kWidth = 16 / sizeof(T);
  switch (rung) {
    case AddressRung::element:
      return launch_elements(control_element_kernel<T, In...>, n, 1, {{y, sizeof(T)}}, stream,
                             options_for<T, In...>(n), y, n, in...);
    case AddressRung::narrow_loads:
      return launch_divided(control_narrow_loads_kernel<kWidth, T, In...>, y, n, stream, in...);
    case AddressRung::two_loads_16:
      return launch_two_loads<16>(y, n, stream, in...);
    case AddressRung::two_loads:
      return launch_two_loads<kStoreBoundary>(y, n, stream, in...);
    case AddressRung::shuffle:
      return launch_divided(control_shuffle_kernel<kWidth, T, In...>, y, n, stream, in...);
  }
  return cudaErrorInvalidValue;
}

}  // namespace

template <class T>
std::vector<TwoInputs<T>> any_addresses(int inputs) {
  std::vector<TwoInputs<T>> rows;
  const std::string type = sizeof(T) == 4 ? "f32" : "f16";
  const auto add = [&](const std::string& name, AddressRung rung) {
    rows.push_back({(inputs == 1 ? "copy_" : "add_") + type + "_address_" + name,
                    [=](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
                      return inputs == 1 ? any_address(rung, y, n, stream, a)
                                         : any_address(rung, y, n, stream, a, b);
                    }});
  };
  add("element", AddressRung::element);
  add("narrow_loads", AddressRung::narrow_loads);
  add("two_loads_16", AddressRung::two_loads_16);
  add("two_loads", AddressRung::two_loads);
  add("shuffle", AddressRung::shuffle);
  return rows;
}
template std::vector<TwoInputs<float>> any_addresses(int);
template std::vector<TwoInputs<half>> any_addresses(int);

}  // namespace tutorial::controls

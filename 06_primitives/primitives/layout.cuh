// Layouts: which element of a block's tile each register of a thread holds; and Convert, from one
// type to another.
//
// A tile is what one block works on at a time: VecSize elements in the registers of each of its
// blockDim.x threads. A layout is one number, its width W: vectors of W adjacent elements are dealt
// to the threads in turn. Register k is element k % W of the thread's vector v = k / W, and vector v
// of thread t begins at element (v * blockDim.x + t) * W.
//
// | layout            | W                                         | a warp's access           |
// |-------------------|-------------------------------------------|---------------------------|
// | Adjacent          | VecSize                                   | gaps beyond 16 B a thread |
// | Interleaved<T...> | 16 bytes of the widest T, at most VecSize | contiguous, 16 B a lane   |
// | Striped           | 1                                         | contiguous, 1 element     |
//
// PaddlePaddle's library has Adjacent alone; CUB calls the three blocked, (vectorised) warp-striped
// and striped arrangement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "common/launch.cuh"
#include "common/macros.cuh"

namespace tutorial::primitives {

/// A thread's elements lie side by side: register k of thread t is element t * VecSize + k.
struct Adjacent {
  template <int VecSize>
  static constexpr int width = VecSize;
};

/// Vectors of `Width` adjacent elements, dealt to the threads in turn. Width divides VecSize, or
/// exceeds it and then counts as VecSize.
template <int Width>
struct InVectorsOf {
  template <int VecSize>
  static constexpr int width = Width < VecSize ? Width : VecSize;
};

namespace detail {
constexpr int widest_of(std::initializer_list<std::size_t> sizes) {
  std::size_t bytes = 1;
  for (const std::size_t size : sizes) bytes = size > bytes ? size : bytes;
  return static_cast<int>(bytes);
}

/// How many of the widest of Ts fit into 16 bytes; at least one.
template <class... Ts>
inline constexpr int kPerAccess = widest_of({sizeof(Ts)...}) < 16 ? 16 / widest_of({sizeof(Ts)...})
                                                                  : 1;
}  // namespace detail

/// Vectors of 16 bytes of the widest of Ts (one element, if that is wider), dealt to the threads in
/// turn: the layout in which a warp's 128-bit accesses touch 512 adjacent bytes however many
/// elements a thread holds. It is Adjacent while VecSize elements fit into 16 bytes.
///
/// **Name every type that the kernel reads and writes.** Elements of 2 and of 4 bytes have
/// different layouts by default (eight and four to a vector); a kernel that reads half and writes
/// float, eight a thread, must use Interleaved<half, float> on both sides, or its results are
/// permuted.
template <class... Ts>
using Interleaved = InVectorsOf<detail::kPerAccess<Ts...>>;

/// Register k of thread t is element k * blockDim.x + t: scalar accesses, contiguous over a warp,
/// at any alignment.
using Striped = InVectorsOf<1>;

/// Stands for Interleaved<T>, where T is the type in memory.
struct ByType {};

namespace detail {

template <class Layout, class T>
struct Resolve {
  using type = Layout;
};
template <class T>
struct Resolve<ByType, T> {
  using type = Interleaved<T>;
};

/// W of a layout, for a thread with VecSize elements; T is the type in memory.
template <class Layout, int VecSize, class T>
inline constexpr int kWidth = Resolve<Layout, T>::type::template width<VecSize>;

/// The element of the tile in register k of the calling thread.
//! [element_at]
template <int Width>
__device__ __forceinline__ int element_at(int k) {
  return ((k / Width) * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x)) * Width +
         k % Width;
}
//! [element_at]

constexpr int access_bytes(int bytes) {
  int access = 16;
  while (bytes % access != 0) access /= 2;
  return access;
}

/// Bytes of the widest access that a vector of `Width` Ts can be made of: 16, 8, 4, 2 or 1.
template <int Width, class T>
inline constexpr int kAccessBytes = access_bytes(Width* static_cast<int>(sizeof(T)));

template <int Bytes>
struct AccessOf;
template <>
struct AccessOf<16> {
  using type = uint4;
};
template <>
struct AccessOf<8> {
  using type = uint2;
};
template <>
struct AccessOf<4> {
  using type = unsigned;
};
template <>
struct AccessOf<2> {
  using type = unsigned short;
};
template <>
struct AccessOf<1> {
  using type = unsigned char;
};

template <class T>
inline constexpr bool is_16_bit_float =
    std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

template <class T>
inline constexpr bool is_float =
    std::is_same_v<T, float> || std::is_same_v<T, double> || is_16_bit_float<T>;

/// The calling thread's number in its block, x first.
__device__ __forceinline__ int thread_in_block() {
  return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
}

/// Waits for the threads of the row (same threadIdx.y). A row that lies within one warp needs no
/// more than that warp.
__device__ __forceinline__ void sync_row() {
  if (blockDim.x <= 32) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

}  // namespace detail

/// The element of the tile that register k of the calling thread holds, in [0, VecSize *
/// blockDim.x). T is the type in memory, which the default layout depends on.
template <class T, int VecSize, class Layout = ByType>
__device__ __forceinline__ int ElementIndex(int k) {
  return detail::element_at<detail::kWidth<Layout, VecSize, T>>(k);
}

/// `value` as a To. Between float, double, half, bf16, integers and bool; to nearest even where
/// digits are lost. Conversions from integers to the 16-bit types go through float. As everywhere
/// in C++, a float beyond an integer's range is undefined behaviour.
template <class To, class From>
__host__ __device__ __forceinline__ To Convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, __half>) {
    return Convert<To>(__half2float(value));
  } else if constexpr (std::is_same_v<From, __nv_bfloat16>) {
    return Convert<To>(__bfloat162float(value));
  } else if constexpr (std::is_same_v<To, __half>) {
    if constexpr (std::is_same_v<From, double>) {
      return __double2half(value);
    } else {
      return __float2half_rn(static_cast<float>(value));
    }
  } else if constexpr (std::is_same_v<To, __nv_bfloat16>) {
    if constexpr (std::is_same_v<From, double>) {
      return __double2bfloat16(value);
    } else {
      return __float2bfloat16_rn(static_cast<float>(value));
    }
  } else {
    return static_cast<To>(value);
  }
}

/// Moves the tile from one layout to another, through shared memory: afterwards register k of a
/// thread holds the element that layout To puts there. In place.
///
/// Template parameters: From, To: the layouts (no default: there is no memory here whose type could
/// choose); MaxThreads: at least blockDim.x * blockDim.y, all of whose threads must call; each row
/// of threads (same threadIdx.y) moves a tile of its own. Shared memory: MaxThreads * VecSize
/// elements and a pad of one word in 32. Two barriers; a row of at most 32 threads waits for its
/// warp only.
///
/// The pad prevents bank conflicts: without it, neighbouring threads would access words at a
/// distance of VecSize, which lie in the same few banks; with it they access all 32.
template <class From, class To, int MaxThreads = 256, class T, int VecSize>
__device__ __forceinline__ void Rearrange(T (&x)[VecSize]) {
  constexpr int kFrom = From::template width<VecSize>;
  constexpr int kTo = To::template width<VecSize>;
  if constexpr (kFrom != kTo) {
    constexpr int kPerWord = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;
    constexpr int kElements = MaxThreads * VecSize + MaxThreads * VecSize / 32 * kPerWord;
    static_assert(kElements * sizeof(T) <= 48 * 1024, "more than a block's static shared memory");
    __shared__ T tile[kElements];
    const int first = static_cast<int>(threadIdx.y * blockDim.x) * VecSize;
    const auto padded = [](int i) { return i + i / 32 * kPerWord; };
    detail::sync_row();  // an earlier call may still be reading
#pragma unroll
    for (int k = 0; k < VecSize; ++k) {
      tile[padded(first + detail::element_at<kFrom>(k))] = x[k];
    }
    detail::sync_row();
#pragma unroll
    for (int k = 0; k < VecSize; ++k) {
      x[k] = tile[padded(first + detail::element_at<kTo>(k))];
    }
  }
}

}  // namespace tutorial::primitives

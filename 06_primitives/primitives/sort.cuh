// Sort: the elements of a block's tile in order, with or without the indices they came from.
//
// A bitonic network: a fixed sequence of compare-and-exchange steps that sorts any 2^k elements. The
// sequence does not depend on the data, so no thread waits for another's data to decide what to do.
// A step compares elements whose positions differ in one bit (in all low bits, in the first step of
// a merge, so that every comparison has the same direction). Position p is register p % VecSize of
// thread p / VecSize, so the bit decides what the step costs:
//
// | the bit is in | the step is                                   |
// |---------------|-----------------------------------------------|
// | the register  | a minimum and a maximum                       |
// | the lane      | a shuffle and a selection for each key        |
// | the warp      | a trip through shared memory and two barriers |
//
// The lowest bits are used most often: bit b of n in n - b steps. So the more keys a thread holds,
// the fewer steps leave it, and a row of one warp has no barrier at all.
//
// Keys are compared as unsigned integers: encode() maps every type to bits whose integer order is
// the type's order. Floats: -inf < ... < -0 < +0 < ... < inf < NaN; all NaNs are equal (a NaN's
// payload is lost).
//
// K. Batcher, "Sorting Networks and Their Applications", 1968; the order of the bits of floats:
// M. Herf, "Radix Tricks", 2001. PaddlePaddle's Sort is the same network through shared memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "06_primitives/primitives/layout.cuh"
#include "06_primitives/primitives/reduce.cuh"

namespace tutorial::primitives {

namespace detail {

/// The bits of a float as an integer, and back.
template <class T>
__device__ __forceinline__ auto float_bits(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<std::uint32_t>(__float_as_uint(value));
  } else if constexpr (std::is_same_v<T, double>) {
    return static_cast<std::uint64_t>(__double_as_longlong(value));
  } else if constexpr (std::is_same_v<T, __half>) {
    return static_cast<std::uint16_t>(__half_as_ushort(value));
  } else {
    return static_cast<std::uint16_t>(__bfloat16_as_ushort(value));
  }
}
template <class T, class Bits>
__device__ __forceinline__ T float_of_bits(Bits bits) {
  if constexpr (std::is_same_v<T, float>) {
    return __uint_as_float(bits);
  } else if constexpr (std::is_same_v<T, double>) {
    return __longlong_as_double(static_cast<long long>(bits));
  } else if constexpr (std::is_same_v<T, __half>) {
    return __ushort_as_half(bits);
  } else {
    return __ushort_as_bfloat16(bits);
  }
}

/// An unsigned integer of T's size, whose order is T's.
template <std::size_t Bytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using type = std::uint8_t;
};
template <>
struct BitsOf<2> {
  using type = std::uint16_t;
};
template <>
struct BitsOf<4> {
  using type = std::uint32_t;
};
template <>
struct BitsOf<8> {
  using type = std::uint64_t;
};
template <class T>
using Bits = typename BitsOf<sizeof(T)>::type;

template <class T>
inline constexpr Bits<T> kTopBit = static_cast<Bits<T>>(Bits<T>{1} << (8 * sizeof(T) - 1));
template <class T>
inline constexpr Bits<T> kAllBits = static_cast<Bits<T>>(~Bits<T>{0});

/// The bits of a positive float grow with its value: setting the top bit puts them above the
/// negative ones. Those of a negative float grow with its magnitude: inverting all of them reverses
/// the order.
template <class T>
__device__ __forceinline__ Bits<T> encode_ascending(T value) {
  if constexpr (is_float<T>) {
    const Bits<T> bits = float_bits(value);
    const Bits<T> turned =
        static_cast<Bits<T>>(bits ^ ((bits & kTopBit<T>) != 0 ? kAllBits<T> : kTopBit<T>));
    return Convert<bool>(value != value) ? kAllBits<T> : turned;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Bits<T>>(static_cast<Bits<T>>(value) ^ kTopBit<T>);
  } else {
    return static_cast<Bits<T>>(value);
  }
}
template <class T>
__device__ __forceinline__ T decode_ascending(Bits<T> key) {
  if constexpr (is_float<T>) {
    return float_of_bits<T>(
        static_cast<Bits<T>>(key ^ ((key & kTopBit<T>) != 0 ? kTopBit<T> : kAllBits<T>)));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<Bits<T>>(key ^ kTopBit<T>));
  } else {
    return static_cast<T>(key);
  }
}
template <bool Descending, class T>
__device__ __forceinline__ Bits<T> encode(T value) {
  const Bits<T> key = encode_ascending(value);
  return Descending ? static_cast<Bits<T>>(~key) : key;
}
template <bool Descending, class T>
__device__ __forceinline__ T decode(Bits<T> key) {
  return decode_ascending<T>(Descending ? static_cast<Bits<T>>(~key) : key);
}

/// What the network moves: `Item<T, WithIndex>::word` holds the key, and below it the index, which
/// decides between equal keys. 16-bit keys and their index fit into 32 bits, 32-bit keys into 64.
struct KeyAndIndex {
  std::uint64_t key;
  std::uint32_t index;
};
__device__ __forceinline__ bool operator<(const KeyAndIndex& a, const KeyAndIndex& b) {
  return a.key < b.key || (a.key == b.key && a.index < b.index);
}

template <class T, bool WithIndex>
using Item = std::conditional_t<
    WithIndex,
    std::conditional_t<sizeof(T) <= 2, std::uint32_t,
                       std::conditional_t<sizeof(T) == 4, std::uint64_t, KeyAndIndex>>,
    std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>>;

/// Stands behind every element: the largest item that there is.
template <class I>
__device__ __forceinline__ I last_item() {
  if constexpr (std::is_same_v<I, KeyAndIndex>) {
    return {~std::uint64_t{0}, ~std::uint32_t{0}};
  } else {
    return static_cast<I>(~I{0});
  }
}
template <class I>
__device__ __forceinline__ I make_item(std::uint64_t key, std::uint32_t index) {
  if constexpr (std::is_same_v<I, KeyAndIndex>) {
    return {key, index};
  } else {
    constexpr int kIndexBits = sizeof(I) * 4;
    return static_cast<I>(static_cast<I>(key) << kIndexBits | index);
  }
}
template <class T, class I>
__device__ __forceinline__ Bits<T> key_of(I item) {
  if constexpr (std::is_same_v<I, KeyAndIndex>) {
    return item.key;
  } else {
    return static_cast<Bits<T>>(item >> (sizeof(I) * 4));
  }
}
template <class I>
__device__ __forceinline__ std::uint32_t index_of(I item) {
  if constexpr (std::is_same_v<I, KeyAndIndex>) {
    return item.index;
  } else {
    return static_cast<std::uint32_t>(item & ((I{1} << (sizeof(I) * 4)) - 1));
  }
}

template <class I>
__device__ __forceinline__ I item_from_lane(I item, int lane_mask) {
  if constexpr (std::is_same_v<I, KeyAndIndex>) {
    return {shuffle_xor(item.key, lane_mask), shuffle_xor(item.index, lane_mask)};
  } else {
    return shuffle_xor(item, lane_mask);
  }
}

/// Puts a and b in order.
template <class I>
__device__ __forceinline__ void order(I& a, I& b) {
  const bool swap = b < a;
  const I low = swap ? b : a;
  const I high = swap ? a : b;
  a = low;
  b = high;
}

/// Of mine and the partner's, the smaller (for the partner further down) or the larger.
template <class I>
__device__ __forceinline__ I choose(I mine, I other, bool smaller) {
  return (other < mine) == smaller ? other : mine;
}

/// Sorts a thread's N registers.
template <class I, int N>
__device__ __forceinline__ void sort_registers(I (&x)[N]) {
#pragma unroll
  for (int size = 2; size <= N; size *= 2) {
#pragma unroll
    for (int k = 0; k < N; ++k) {  // partner < N and k + distance < N hold anyway: g++ 13 asks
      const int partner = k ^ (size - 1);
      if (k < partner && partner < N) order(x[k], x[partner]);
    }
#pragma unroll
    for (int distance = size / 4; distance > 0; distance /= 2) {
#pragma unroll
      for (int k = 0; k < N; ++k) {
        if ((k & distance) == 0 && k + distance < N) order(x[k], x[k + distance]);
      }
    }
  }
}

/// The last steps of a merge: those whose bit is in the register.
template <class I, int N>
__device__ __forceinline__ void merge_registers(I (&x)[N]) {
#pragma unroll
  for (int distance = N / 2; distance > 0; distance /= 2) {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if ((k & distance) == 0 && k + distance < N) order(x[k], x[k + distance]);
    }
  }
}

/// Compares with thread `threadIdx.x ^ mask` of the same warp; mirrored: register k with the
/// partner's N - 1 - k.
template <bool Mirrored, class I, int N>
__device__ __forceinline__ void exchange_lanes(I (&x)[N], int mask, bool smaller) {
  I other[N];
#pragma unroll
  for (int k = 0; k < N; ++k) other[k] = item_from_lane(x[Mirrored ? N - 1 - k : k], mask);
#pragma unroll
  for (int k = 0; k < N; ++k) x[k] = choose(x[k], other[k], smaller);
}

constexpr int items_at_a_time(int items, std::size_t bytes_each) {
  while (items > 1 && static_cast<std::size_t>(items) * bytes_each > 16 * 1024) items /= 2;
  return items;
}

/// How many of a thread's N items go through shared memory at a time: those that fit into 16 KiB.
template <class I, int N, int MaxThreads>
inline constexpr int kItemsAtATime = items_at_a_time(N, MaxThreads * sizeof(I));

/// The same with a thread of another warp. All threads of the block call.
template <bool Mirrored, int MaxThreads, class I, int N>
__device__ __forceinline__ void exchange_warps(I (&x)[N], int mask, bool smaller) {
  constexpr int kItems = kItemsAtATime<I, N, MaxThreads>;
  __shared__ I tile[kItems][MaxThreads];
  const int mine = thread_in_block();
  const int partner = mine ^ mask;
  I other[N];
#pragma unroll
  for (int first = 0; first < N; first += kItems) {
    __syncthreads();  // the exchange before this one may still be reading
#pragma unroll
    for (int k = 0; k < kItems; ++k) tile[k][mine] = x[Mirrored ? N - 1 - (first + k) : first + k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) other[first + k] = tile[k][partner];
  }
#pragma unroll
  for (int k = 0; k < N; ++k) x[k] = choose(x[k], other[k], smaller);
}

/// Sorts the items of each row of threads: item k of thread t is at position t * N + k.
template <int MaxThreads, class I, int N>
__device__ __forceinline__ void sort_items(I (&x)[N]) {
  static_assert(N > 0 && (N & (N - 1)) == 0, "a power of two of keys a thread");
  const int thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  sort_registers(x);
  // Merges sorted runs of size / 2 threads into runs of size.
  for (int size = 2; size <= threads; size *= 2) {
    const bool lower_half = (thread & (size / 2)) == 0;
    int distance = size / 4;
    if (size <= 32) {
      exchange_lanes<true>(x, size - 1, lower_half);
    } else if constexpr (MaxThreads > 32) {
      exchange_warps<true, MaxThreads>(x, size - 1, lower_half);
      for (; distance >= 32; distance /= 2) {
        exchange_warps<false, MaxThreads>(x, distance, (thread & distance) == 0);
      }
    }
    for (; distance > 0; distance /= 2) {
      exchange_lanes<false>(x, distance, (thread & distance) == 0);
    }
    merge_registers(x);
  }
}

}  // namespace detail

/// Sort() of elements that were read in any order: element(k), a different one for each register of the
/// row's threads, is the number of that in register k, and there is one if it is less than num.
template <bool Descending, int MaxThreads, class T, int VecSize, class Element>
__device__ __forceinline__ void SortFrom(T (&keys)[VecSize], std::int64_t num, Element element) {
  using Item = detail::Item<T, false>;
  Item x[VecSize];
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    x[k] = element(k) < num ? Item{detail::encode<Descending>(keys[k])} : detail::last_item<Item>();
  }
  detail::sort_items<MaxThreads>(x);
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    keys[k] = detail::decode<Descending, T>(static_cast<detail::Bits<T>>(x[k]));
  }
}
/// The same, and index[k] becomes the number of the element that keys[k] came from.
template <bool Descending, int MaxThreads, class T, class Index, int VecSize, class Element>
__device__ __forceinline__ void SortFrom(T (&keys)[VecSize], Index (&index)[VecSize],
                                         std::int64_t num, Element element) {
  using Item = detail::Item<T, true>;
  static_assert(VecSize * MaxThreads <= 65536, "an index has 16 bits beside a 16-bit key");
  Item x[VecSize];
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    const int i = element(k);
    x[k] = i < num ? detail::make_item<Item>(detail::encode<Descending>(keys[k]),
                                             static_cast<std::uint32_t>(i))
                   : detail::last_item<Item>();
  }
  detail::sort_items<MaxThreads>(x);
#pragma unroll
  for (int k = 0; k < VecSize; ++k) {
    keys[k] = detail::decode<Descending, T>(detail::key_of<T>(x[k]));
    index[k] = static_cast<Index>(detail::index_of(x[k]));
  }
}

/// Sorts the first min(num, tile) elements of the block's tile. Afterwards element p of the sorted
/// tile is in register p % VecSize of thread p / VecSize, **Adjacent**, whatever the layout before;
/// registers at positions of num and beyond are unspecified. (To write more than 16 bytes a thread:
/// Rearrange<Adjacent, Interleaved<T>> first.)
///
/// Template parameters: Layout: how the tile was read, which says which registers lie beyond num.
/// Descending: largest first, NaN before all. MaxThreads: at least blockDim.x * blockDim.y; or 32
/// if blockDim.x is 32, at any number of rows: a warp needs no shared memory.
///
/// - T is float, double, half, bf16, bool or an integer; VecSize is a power of two.
/// - blockDim.x is a power of two >= 32. Each row of threads (same threadIdx.y) sorts a tile of its
///   own. All threads of the block call.
/// - Equal keys cannot be told apart, so this form is neither stable nor not.
/// - Shared memory: at most 16 KiB; none with MaxThreads 32. Barriers: for w = log2(warps a row),
///   two in each of w (w + 1) / 2 steps, or more where the items exceed 16 KiB.
template <class Layout, bool Descending = false, int MaxThreads = 1024, class T, int VecSize>
__device__ __forceinline__ void Sort(T (&keys)[VecSize], std::int64_t num) {
  constexpr int kWidth = Layout::template width<VecSize>;
  SortFrom<Descending, MaxThreads>(keys, num, [](int k) { return detail::element_at<kWidth>(k); });
}

/// The same, and index[k] becomes the element of the tile, in [0, num), that keys[k] came from
/// (what PyTorch calls argsort).
///
/// **Stable**: equal keys keep their order, ascending and descending, because the index is part of
/// what is compared. (+0 and -0 are not equal here; all NaNs are.) The tile has at most 65536
/// elements.
template <class Layout, bool Descending = false, int MaxThreads = 1024, class T, class Index,
          int VecSize>
__device__ __forceinline__ void Sort(T (&keys)[VecSize], Index (&index)[VecSize],
                                     std::int64_t num) {
  constexpr int kWidth = Layout::template width<VecSize>;
  SortFrom<Descending, MaxThreads>(keys, index, num,
                                   [](int k) { return detail::element_at<kWidth>(k); });
}

}  // namespace tutorial::primitives

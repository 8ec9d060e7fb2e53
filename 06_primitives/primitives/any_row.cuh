// Rows that begin anywhere.
//
// Rows of 8,191 halves begin at eight different places between two multiples of sixteen bytes. So each row
// is divided by itself: single elements up to such a multiple, whole packs of sixteen bytes, single
// elements. Where results go to a row that lies otherwise, the packs follow the results, and are
// loaded as aligned pieces and shifted (common/any_address.cuh). Nothing outside of the row is touched.
//
// The packs are dealt to the threads of the row in turn, as Interleaved deals them. The single elements
// are fewer than 32, and go one to a thread.
#pragma once

#include <cstdint>

#include "06_primitives/primitives/read_write.cuh"
#include "common/any_address.cuh"

namespace tutorial::primitives {

/// Elements of T in a pack of sixteen bytes.
template <class T>
inline constexpr int kPackWidth = 16 / static_cast<int>(sizeof(T));

/// `columns` elements from x on, and y[c] for results; y may be x.
template <class T>
class AnyRow {
 public:
  static constexpr int kWidth = kPackWidth<T>;
  static_assert(4 * kWidth <= 32, "a warp has a lane for each single element");

  __device__ __forceinline__ AnyRow(const T* x, T* y, std::int64_t columns)
      : x_(x), y_(y), columns_(columns), parts_(divide<kWidth, 16>(y, columns, x)) {}
  /// A row that is only read.
  __device__ __forceinline__ AnyRow(const T* x, std::int64_t columns)
      : x_(x), y_(nullptr), columns_(columns), parts_(divide<kWidth, 16>(x, columns)) {}

  /// Elements of the row before the packs, in them, and from its beginning to their end.
  __device__ __forceinline__ std::int64_t head() const { return parts_.head; }
  __device__ __forceinline__ std::int64_t packed() const { return parts_.packs * kWidth; }
  __device__ __forceinline__ std::int64_t behind() const { return parts_.head + packed(); }

  /// The single element that the calling thread has, or -1.
  //! [single]
  __device__ __forceinline__ std::int64_t single() const {
    const std::int64_t i = threadIdx.x;
    if (i >= columns_ - packed()) return -1;
    return i < parts_.head ? i : i + packed();
  }
  //! [single]

  /// x[k] = the element in register k of the tile that begins `column` elements into the packs;
  /// registers without one keep their value. column: a multiple of kWidth.
  //! [ReadPacks]
  template <int VecSize, class Acc>
  __device__ __forceinline__ void ReadPacks(Acc* x, std::int64_t column) const {
    constexpr int kPacks = VecSize / kWidth;
    const T* const first = x_ + parts_.head + column;
    const int count = packs_from<kPacks>(column);
    if (Pieces<T, kWidth>::shift_of(first) == 0) {
      read<kPacks, kPacks>(x, count, [&](int i) { return load_pack<kWidth>(first + i * kWidth); });
    } else {  // twice the loads for a pack: half the packs at once need as many registers
      read<kPacks, (kPacks + 1) / 2>(x, count,
                                     [&](int i) { return load_pieces<kWidth>(first, i); });
    }
  }
  //! [ReadPacks]

  /// Stores the same elements of y.
  template <int VecSize, class Acc>
  __device__ __forceinline__ void WritePacks(const Acc* x, std::int64_t column) const {
    constexpr int kPacks = VecSize / kWidth;
    T* const first = y_ + parts_.head + column;
    const int count = packs_from<kPacks>(column);
#pragma unroll
    for (int v = 0; v < kPacks; ++v) {
      if (place(v) < count) detail::write_vector<kWidth>(first + place(v) * kWidth, x + v * kWidth);
    }
  }

  /// The same with the single elements, which are in the last register of the first tile.
  template <class Acc, int Registers>
  __device__ __forceinline__ void Read(Acc (&x)[Registers], std::int64_t column) const {
    const std::int64_t one = column == 0 ? single() : -1;
    if (one >= 0) x[Registers - 1] = Convert<Acc>(x_[one]);
    ReadPacks<Registers - 1>(x, column);
  }
  template <class Acc, int Registers>
  __device__ __forceinline__ void Write(const Acc (&x)[Registers], std::int64_t column) const {
    const std::int64_t one = column == 0 ? single() : -1;
    if (one >= 0) y_[one] = Convert<T>(x[Registers - 1]);
    WritePacks<Registers - 1>(x, column);
  }

 private:
  /// Loads kAtOnce packs, or their pieces, before it needs the first. load(i): number i of `count`.
  template <int kPacks, int kAtOnce, class Acc, class Load>
  __device__ __forceinline__ static void read(Acc* x, int count, Load load) {
    static_assert(kAtOnce > 0 && kPacks % kAtOnce == 0);
#pragma unroll
    for (int v = 0; v < kPacks; v += kAtOnce) {
      decltype(load(0)) held[kAtOnce] = {};
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        if (place(v + k) < count) held[k] = load(place(v + k));
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        if (place(v + k) < count) convert(x + (v + k) * kWidth, held[k]);
      }
    }
  }
  template <class Acc>
  __device__ __forceinline__ static void convert(Acc* x, const Pack<T, kWidth>& pack) {
#pragma unroll
    for (int k = 0; k < kWidth; ++k) x[k] = Convert<Acc>(pack.at[k]);
  }
  template <class Acc>
  __device__ __forceinline__ static void convert(Acc* x, const Pieces<T, kWidth>& pieces) {
    convert(x, pack_of(pieces));
  }

  /// The packs from there on, and at most those of a tile.
  template <int kPacks>
  __device__ __forceinline__ int packs_from(std::int64_t column) const {
    const std::int64_t left = parts_.packs - column / kWidth;
    const int tile = kPacks * static_cast<int>(blockDim.x);
    return static_cast<int>(left < tile ? left : tile);
  }
  /// Of the thread's pack v in the tile.
  __device__ __forceinline__ static int place(int v) {
    return v * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  }

  const T* x_;
  T* y_;
  std::int64_t columns_;
  AnyAddress parts_;
};

}  // namespace tutorial::primitives

// Rows that begin anywhere.
//
// Rows of 8,191 halves begin at eight different places between two multiples of sixteen bytes. So each row
// is divided by itself: single elements up to such a multiple, whole packs of sixteen bytes, single
// elements. Where results go to a row that lies otherwise, the packs follow the results, and are
// loaded as aligned pieces and shifted (common/any_address.cuh). Nothing outside of the row is touched.
//
// The packs are dealt to the threads of the row in turn, as Interleaved deals them. The single elements
// are fewer than 32, and go one to a thread; or, where the threads hold a row at once and in order, they are
// parts of its first and last vectors (RowOnTile).
#pragma once

#include <cstdint>
#include <type_traits>

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
  static constexpr int kSingles = 1;  ///< registers for single elements, behind those of a tile
  static constexpr bool kFromL2 = false;
  static_assert(4 * kWidth <= 32, "a warp has a lane for each single element");

  __device__ __forceinline__ AnyRow(const T* x, T* y, std::int64_t columns)
      : AnyRow(x, y, columns, divide<kWidth, 16>(y, columns, x)) {}
  /// A row that is only read.
  __device__ __forceinline__ AnyRow(const T* x, std::int64_t columns)
      : AnyRow(x, nullptr, columns, divide<kWidth, 16>(x, columns)) {}

  /// Elements of the row before the packs, in them, and from its beginning to their end.
  __device__ __forceinline__ int head() const { return head_; }
  __device__ __forceinline__ std::int64_t packed() const { return packs_ * kWidth; }
  __device__ __forceinline__ std::int64_t behind() const { return head_ + packed(); }

  /// The single element that the calling thread has, or -1.
  //! [single]
  __device__ __forceinline__ std::int64_t single() const {
    const int i = static_cast<int>(threadIdx.x);
    if (i >= singles_) return -1;
    return i < head_ ? i : i + packed();
  }
  //! [single]

  /// x[k] = the element in register k of the tile that begins `column` elements into the packs;
  /// registers without one keep their value. column: a multiple of kWidth.
  //! [ReadPacks]
  template <int VecSize, class Acc>
  __device__ __forceinline__ void ReadPacks(Acc* x, std::int64_t column) const {
    constexpr int kPacks = VecSize / kWidth;
    if (Pieces<T, kWidth>::shift_of(x_ + head_) == 0) {
      ReadAligned<VecSize>(x, column);
    } else {  // twice the loads for a pack: half the packs at once need as many registers
      ReadPieces<VecSize, kPacks % 2 == 0 ? kPacks / 2 : kPacks>(x, column);
    }
  }
  //! [ReadPacks]
  /// The same where x and y begin alike, or there is no y.
  template <int VecSize, class Acc>
  __device__ __forceinline__ void ReadAligned(Acc* x, std::int64_t column) const {
    constexpr int kPacks = VecSize / kWidth;
    const T* const first = x_ + head_ + column;
    if constexpr (std::is_same_v<Acc, T>) {
      // Straight to x: by way of other registers nvcc waits for each load before the next.
      const int count = packs_from<kPacks>(column);
#pragma unroll
      for (int v = 0; v < kPacks; ++v) {
        const int at = place(v);
        if (at < count) detail::read_vector<kWidth>(x + v * kWidth, first + at * kWidth);
      }
    } else {
      read<kPacks, kPacks>(x, column, [&](int i) { return load_pack<kWidth>(first + i * kWidth); });
    }
  }
  /// The same wherever they begin, kAtOnce packs at a time.
  template <int VecSize, int kAtOnce, class Acc>
  __device__ __forceinline__ void ReadPieces(Acc* x, std::int64_t column) const {
    const T* const first = x_ + head_ + column;
    read<VecSize / kWidth, kAtOnce>(x, column,
                                    [&](int i) { return load_pieces<kWidth>(first, i); });
  }

  /// Stores the same elements of y.
  template <int VecSize, class Acc>
  __device__ __forceinline__ void WritePacks(const Acc* x, std::int64_t column) const {
    constexpr int kPacks = VecSize / kWidth;
    T* const first = y_ + head_ + column;
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
  __device__ __forceinline__ AnyRow(const T* x, T* y, std::int64_t columns, AnyAddress parts)
      : x_(x),
        y_(y),
        packs_(parts.packs),
        head_(static_cast<int>(parts.head)),
        singles_(static_cast<int>(columns - parts.packs * kWidth)) {}

  /// Loads kAtOnce packs, or their pieces, before it needs the first. load(i): number i of the tile.
  template <int kPacks, int kAtOnce, class Acc, class Load>
  __device__ __forceinline__ void read(Acc* x, std::int64_t column, Load load) const {
    static_assert(kAtOnce > 0 && kPacks % kAtOnce == 0);
    const int count = packs_from<kPacks>(column);
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
    const std::int64_t left = packs_ - column / kWidth;
    const int tile = kPacks * static_cast<int>(blockDim.x);
    return static_cast<int>(left < tile ? left : tile);
  }
  /// Of the thread's pack v in the tile.
  __device__ __forceinline__ static int place(int v) {
    return v * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  }

  const T* x_;
  T* y_;
  std::int64_t packs_;
  int head_, singles_;  // a thread's registers are scarce: no 64 bits for these
};

/// The longest row that PackedRow takes.
inline constexpr std::int64_t kMostPacked = std::int64_t{1} << 30;

/// A row in the aligned packs of sixteen bytes that hold it; the threads of a row have a tile of kPacks each at a time.
/// kEdges: it begins anywhere, y as far behind a multiple of sixteen bytes as x. Then its first and its last pack may hold
/// elements of others, and those of the row go one by one. Else the row is whole packs.
template <int kPacks, bool kEdges, class T>
class PackedRow {
 public:
  static constexpr int kWidth = kPackWidth<T>, kElements = kPacks * kWidth;

  __device__ __forceinline__ PackedRow(const T* x, T* y, int columns)
      : x_(x), y_(y), columns_(columns) {
    if constexpr (kEdges) {
      before_ = static_cast<int>(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T));
    }
  }

  /// Where the first tile begins: with the pack that holds the row's first element.
  __device__ __forceinline__ int begin() const { return -before_; }
  __device__ __forceinline__ static int tile() { return kElements * static_cast<int>(blockDim.x); }

  /// arg = the thread's elements of the tile that begins there, in Interleaved order, and `none` where there is none.
  template <class Acc>
  __device__ __forceinline__ void Read(Acc (&arg)[kElements], int tile, Acc none) const {
    Pack<T, kWidth> held[kPacks];
#pragma unroll
    for (int v = 0; v < kPacks; ++v) {
#pragma unroll
      for (int k = 0; k < kWidth; ++k) held[v].at[k] = Convert<T>(none);
      if (is_whole(first(tile, v))) held[v] = load_pack<kWidth>(x_ + first(tile, v));
    }
#pragma unroll
    for (int v = 0; v < kPacks; ++v) {
      each_of_edge(first(tile, v), [&](int k, int i) { held[v].at[k] = x_[i]; });
#pragma unroll
      for (int k = 0; k < kWidth; ++k) arg[v * kWidth + k] = Convert<Acc>(held[v].at[k]);
    }
  }

  template <class Acc>
  __device__ __forceinline__ void Write(const Acc (&arg)[kElements], int tile) const {
#pragma unroll
    for (int v = 0; v < kPacks; ++v) {
      const int i = first(tile, v);
      if (is_whole(i)) detail::write_vector<kWidth>(y_ + i, arg + v * kWidth);
      each_of_edge(i, [&](int k, int at) { y_[at] = Convert<T>(arg[v * kWidth + k]); });
    }
  }

 private:
  /// The first element of the thread's pack v, perhaps before the row or behind it.
  __device__ __forceinline__ static int first(int tile, int v) {
    const int threads = static_cast<int>(blockDim.x);
    return tile + (v * threads + static_cast<int>(threadIdx.x)) * kWidth;
  }
  __device__ __forceinline__ bool is_whole(int i) const {
    return kEdges ? i >= 0 && i + kWidth <= columns_ : i < columns_;
  }
  /// use(k, i + k) for the elements of a pack that is the row's in part.
  template <class Use>
  __device__ __forceinline__ void each_of_edge(int i, Use use) const {
    if constexpr (kEdges) {
      if (is_whole(i) || i >= columns_) return;
#pragma unroll
      for (int k = 0; k < kWidth; ++k) {
        if (i + k >= 0 && i + k < columns_) use(k, i + k);
      }
    }
  }

  const T* x_;
  T* y_;
  int columns_, before_ = 0;
};

/// A row that one tile of `VecSize` elements a thread holds, in vectors of up to sixteen bytes. Its first
/// element is at the position of the tile at which the vectors lie as memory wants them, and what then
/// reaches beyond the tile's end is at its front:
///
///     position   0 1 2 3 | 4 5 6 7      a tile of two vectors
///     element    6 . 0 1 | 2 3 4 5      seven elements that begin 2 past a multiple of a vector
template <int VecSize, class T>
class RowOnTile {
 public:
  static constexpr int kWidth = Interleaved<T>::template width<VecSize>;

  __device__ __forceinline__ RowOnTile(T* row, int columns) : row_(row), columns_(columns) {
    constexpr std::size_t kBytes = kWidth * sizeof(T);
    first_ = static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % kBytes / sizeof(T));
  }

  /// The position of the first element, less than kWidth.
  __device__ __forceinline__ int first() const { return first_; }
  /// The element at a position; there is one if it is less than the columns.
  __device__ __forceinline__ int element(int position) const {
    const int i = position - first_;
    return i < 0 ? i + VecSize * static_cast<int>(blockDim.x) : i;
  }

  /// x[k] = the element in register k of the tile, which has `Layout`; without one x[k] keeps its value.
  template <class Layout, class Value>
  __device__ __forceinline__ void Read(Value (&x)[VecSize]) const {
    each_vector<Layout>([&](int k, int i) { detail::read_vector<kWidth>(&x[k], row_ + i); },
                        [&](int k, int i) { x[k] = Convert<Value>(row_[i]); });
  }
  template <class Layout, class Value>
  __device__ __forceinline__ void Write(const Value (&x)[VecSize]) const {
    each_vector<Layout>([&](int k, int i) { detail::write_vector<kWidth>(row_ + i, &x[k]); },
                        [&](int k, int i) { row_[i] = Convert<T>(x[k]); });
  }

 private:
  /// vector(k, i) for each vector of elements that is whole, single(k, i) for the elements of the others:
  /// element i is in register k.
  template <class Layout, class Vector, class Single>
  __device__ __forceinline__ void each_vector(Vector vector, Single single) const {
    constexpr int kLayout = Layout::template width<VecSize>;
    static_assert(kLayout % kWidth == 0, "whole vectors");
#pragma unroll
    for (int first = 0; first < VecSize; first += kWidth) {
      const int position = detail::element_at<kLayout>(first), i = position - first_;
      if (i >= 0 && i + kWidth <= columns_) {
        vector(first, i);
        continue;
      }
#pragma unroll
      for (int k = 0; k < kWidth; ++k) {
        if (element(position + k) < columns_) single(first + k, element(position + k));
      }
    }
  }

  T* row_;
  int columns_;
  int first_;
};

/// Moves the elements of a tile, Adjacent, `by` positions on, 0 <= by < Most, and the last ones to the
/// front. A thread takes what it lacks from the one before it. `by` is the same for the row of threads.
/// Shared memory: Most elements for each of MaxThreads threads.
template <int Most, int MaxThreads, class T, int VecSize>
__device__ __forceinline__ void MoveOn(T (&x)[VecSize], int by) {
  static_assert(Most <= VecSize && (Most & (Most - 1)) == 0);
  __shared__ T last[Most][MaxThreads];
  if (by == 0) return;
  const int mine = detail::thread_in_block(), in_row = static_cast<int>(threadIdx.x);
  const int before = mine + (in_row > 0 ? 0 : static_cast<int>(blockDim.x)) - 1;
  T all[Most + VecSize];  // what the thread before it had last, and its own
  detail::sync_row();     // an earlier call may still be reading
#pragma unroll
  for (int k = 0; k < Most; ++k) last[k][mine] = x[VecSize - Most + k];
  detail::sync_row();
#pragma unroll
  for (int k = 0; k < Most; ++k) all[k] = last[k][before];
#pragma unroll
  for (int k = 0; k < VecSize; ++k) all[Most + k] = x[k];
#pragma unroll
  for (int step = 1; step < Most; step *= 2) {
    if (((Most - by) & step) == 0) continue;
#pragma unroll
    for (int k = 0; k < Most + VecSize; ++k) {  // fixed bounds, or the array leaves the registers
      if (k + step < Most + VecSize) all[k] = all[k + step];
    }
  }
#pragma unroll
  for (int k = 0; k < VecSize; ++k) x[k] = all[k];
}

}  // namespace tutorial::primitives

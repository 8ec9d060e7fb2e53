// Elementwise operations on tensors of any strides: what launch_strided() does with a StridedLoop
// (strided.h) and any function of packs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/any_address.cuh"
#include "common/fast_division.h"
#include "common/strided.h"

// A row is the loop's innermost dimension, that in which the result's elements lie closest together.
// - strided_pack_kernel: rows of whole packs that all lie where packs want to, or repeat one element.
// - strided_flat_kernel: the same of a result without gaps whose rows are no whole packs. An operand
//   lies as the result does, repeats one element along a row, or is, in a broadcast, loaded by element.
// - strided_pieces_kernel: the same of operands whose elements lie side by side along a row, in pieces
//   (any_address.cuh). A single one may be every second element of what is loaded. A warp shares the packs in which a
//   row ends.
// - strided_elements_kernel: all others. A lane an element, so that a warp's accesses are narrow, and
//   lie together if the elements do.
// - strided_tile_kernel: an operand's elements lie side by side along another dimension: it is
//   transposed through shared memory.
// - strided_turned_kernel: all of several operands do, in whole tiles of elements of two bytes: the result is
//   transposed instead.
// All indices have 32 bits; what is larger is cut into parts on the host.

namespace tutorial {

/// The dimensions above the row, innermost first.
template <int kTensors>
struct StridedWalk {
  struct Dimension {
    FastDivisor size;
    std::uint32_t stride[kTensors] = {};
  };
  int rank = 0;
  Dimension at[kMaxDimensions - 1];
};

template <int kTensors>
struct StridedOffsets {
  std::uint32_t of[kTensors];
};

/// Where the `index`-th row begins in each tensor: a division for each dimension but the last.
template <int kTensors>
__device__ __forceinline__ StridedOffsets<kTensors> locate(const StridedWalk<kTensors>& walk,
                                                           std::uint32_t index) {
  StridedOffsets<kTensors> at{};
#pragma unroll
  for (int d = 0; d < kMaxDimensions - 1; ++d) {
    if (d >= walk.rank) break;
    const DivMod step = d == walk.rank - 1 ? DivMod{0, index} : walk.at[d].size.divmod(index);
#pragma unroll
    for (int t = 0; t < kTensors; ++t) at.of[t] += step.remainder * walk.at[d].stride[t];
    index = step.quotient;
  }
  return at;
}

/// `columns` steps along a row.
template <int kTensors>
__device__ __forceinline__ void advance(StridedOffsets<kTensors>& at, std::uint32_t columns,
                                        const StridedOffsets<kTensors>& step) {
#pragma unroll
  for (int t = 0; t < kTensors; ++t) at.of[t] += columns * step.of[t];
}

namespace detail {

/// W elements of T as words, because elements of one or two bytes that are kept one by one would take a
/// register each.
template <class T, int W>
struct alignas(kPackAlignment<T, W>) PackWords {
  static_assert(W * sizeof(T) % 4 == 0);
  unsigned at[W * sizeof(T) / 4];

  __device__ __forceinline__ Pack<T, W> pack() const {
    Pack<T, W> elements;
    detail::move_bits<W * sizeof(T)>(elements.at, at);
    return elements;
  }
};

template <int W, class T>
__device__ __forceinline__ PackWords<T, W> load_words(const T* from) {
  PackWords<T, W> words;
  detail::move_bits<W * sizeof(T)>(words.at, from);
  return words;
}

template <int W, class T>
__device__ __forceinline__ PackWords<T, W> splat_words(T value) {
  constexpr int kWords = sizeof(T) <= 4 ? 1 : sizeof(T) / 4;  // of a unit that is repeated
  unsigned unit[kWords];
  move_bits<4 * kWords>(unit, splat<4 * kWords / sizeof(T)>(value).at);
  PackWords<T, W> words;
#pragma unroll
  for (int k = 0; k < static_cast<int>(W * sizeof(T) / 4); ++k) words.at[k] = unit[k % kWords];
  return words;
}

}  // namespace detail

/// A pack, or the element that it repeats.
template <class T, int W>
struct PackOrOne {
  detail::PackWords<T, W> pack;
  T one;
  bool is_one;

  __device__ __forceinline__ Pack<T, W> value() const {
    return (is_one ? detail::splat_words<W>(one) : pack).pack();
  }
};

template <int W, class T>
__device__ __forceinline__ PackOrOne<T, W> load_pack_or_one(const T* from, bool is_one) {
  PackOrOne<T, W> loaded{};
  loaded.is_one = is_one;
  if (is_one) {
    loaded.one = *from;
  } else {
    loaded.pack = detail::load_words<W>(from);
  }
  return loaded;
}

/// All operands are loaded before a thread waits for one.
template <class F, class... Loaded>
__device__ __forceinline__ auto apply_to_loaded(F f, Loaded... loaded) {
  return f(loaded.value()...);
}

/// The launches that strided_pack_kernel is compiled for, so that no block of a small one spends an instruction on a
/// question.
enum class PackLaunch {
  repeated,  ///< a row of some operand repeats one element
  narrow,    ///< none does; an operand's elements are wider than the result's
  large,     ///< neither, and the result exceeds the L2: no block lets the next launch begin
  small,     ///< neither, and every block lets it begin
};

/// out[...] = f(in[...]...) where a row is whole packs of W: of operand t, packs lie step.of[t] elements
/// apart along a row, W or, where a row repeats one element, 0.
///
/// `f` maps a Pack<In, W> of each operand to a Pack<Out, W>.
//! [strided_pack_kernel]
template <int W, PackLaunch kLaunch, class Out, class F, class... In, std::size_t... I>
__device__ __forceinline__ void do_strided_pack(const StridedOffsets<sizeof...(In) + 1>& at,
                                                const StridedOffsets<sizeof...(In) + 1>& step, F f,
                                                std::index_sequence<I...>, Out* out,
                                                const In*... in) {
  if constexpr (kLaunch == PackLaunch::repeated) {
    store_pack(out + at.of[0],
               apply_to_loaded(f, load_pack_or_one<W>(in + at.of[I + 1], step.of[I + 1] == 0)...));
  } else {
    store_pack(out + at.of[0], f(load_pack<W>(in + at.of[I + 1])...));
  }
}

template <int W, PackLaunch kLaunch, class Out, class F, class... In>
__global__ void strided_pack_kernel(Out* out, std::uint32_t packs, FastDivisor columns,
                                    StridedWalk<sizeof...(In) + 1> outer,
                                    StridedOffsets<sizeof...(In) + 1> step, F f, const In*... in) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= packs) return;
  const DivMod place = columns.divmod(i);
  auto at = locate(outer, place.quotient);
  advance(at, place.remainder, step);
  wait_for_previous_grid();  // arithmetic need not wait
  if constexpr (kLaunch == PackLaunch::small) {
    let_next_grid_begin(kEveryBlock);
  } else if constexpr (kLaunch != PackLaunch::large) {
    let_next_grid_begin();
  }
  do_strided_pack<W, kLaunch>(at, step, f, std::index_sequence_for<In...>{}, out, in...);
}
//! [strided_pack_kernel]

/// How strided_flat_kernel and strided_pieces_kernel load an operand.
enum class FlatLoad {
  dense,         ///< it lies as the result does, and its packs are aligned
  repeated,      ///< a row has one element
  pieces,        ///< a row's elements lie side by side; strided_flat_kernel loads them by element
  every_second,  ///< two apart; by strided_pieces_kernel alone
};

/// How they find their elements.
template <int kTensors>
struct StridedFlat {
  StridedWalk<kTensors> outer;
  FastDivisor columns;
  std::uint32_t elements = 0;
  FlatLoad load[kTensors] = {};
  StridedOffsets<kTensors> step = {};  ///< along a row
  std::uint32_t span[kTensors] = {};   ///< places from an operand's first element to its last
};

/// Whether the pieces of the W places from `first` on lie inside of the operand.
template <class T, int W>
__host__ __device__ __forceinline__ bool is_inside(std::uint32_t first, unsigned shift,
                                                   std::uint32_t span) {
  const auto before = static_cast<std::uint32_t>(shift / sizeof(T));
  const std::uint32_t behind = before == 0 ? 0 : Pieces<T, W>::kBytes / sizeof(T) - before;
  return first >= before && first < span && first + W + behind <= span;
}

/// The W places of a thread of strided_flat_kernel.
template <int kTensors>
struct FlatPlace {
  std::uint32_t first;                   ///< in the result
  int left;                              ///< places until the row ends
  int end;                               ///< places that exist, at most W
  StridedOffsets<kTensors> here, there;  ///< of the first, and of the first behind the row's end
};

/// The elements of an operand that belong to W places.
template <class T, int W>
struct FlatElements {
  Pieces<T, W> pieces;  ///< or, first in its first word and in its last ones, what two rows repeat
  int left;             ///< places of the first row
  bool is_repeated;

  __device__ __forceinline__ T& of_row(int row) {
    return detail::storage_as<T>(pieces.word[row * (Pieces<T, W>::kPack / 4)]);
  }

  __device__ __forceinline__ Pack<T, W> value() {
    if (!is_repeated) return shifted(pieces);
    const T before = of_row(0), behind = of_row(1);
    Pack<T, W> pack = detail::splat_words<W>(before).pack();
    if (left >= W) return pack;  // most packs
#pragma unroll
    for (int k = 0; k < W; ++k) pack.at[k] = k < left ? before : behind;
    return pack;
  }
};

template <class T, int W>
__device__ __forceinline__ Pack<T, W / 2> every_second(const Pack<T, W>& pack) {
  Pack<T, W / 2> half;
#pragma unroll
  for (int k = 0; k < W / 2; ++k) half.at[k] = pack.at[2 * k];
  return half;
}

//! [load_flat]
template <int W, int kTensors, class T>
__device__ __forceinline__ FlatElements<T, W> load_flat(const StridedFlat<kTensors>& flat,
                                                        const FlatPlace<kTensors>& place, int t,
                                                        const T* in) {
  const std::uint32_t here = place.here.of[t], there = place.there.of[t];
  FlatElements<T, W> loaded{};
  loaded.left = place.left;
  loaded.is_repeated = flat.load[t] == FlatLoad::repeated;
  if (loaded.is_repeated) {
    loaded.of_row(0) = in[here];
    loaded.of_row(1) = in[there];
  } else if (flat.load[t] == FlatLoad::dense && place.end == W) {
    loaded.pieces = as_pieces(load_pack<W>(in + here));
  } else {  // by element
    Pack<T, W> pack{};
#pragma unroll
    for (int k = 0; k < W; ++k) {
      const std::uint32_t from =
          k < place.left ? here : there - static_cast<std::uint32_t>(place.left);
      if (k < place.end) pack.at[k] = in[from + static_cast<std::uint32_t>(k)];
    }
    loaded.pieces = as_pieces(pack);
  }
  return loaded;
}
//! [load_flat]

template <int W, class Out, class F, class... In, std::size_t... I>
__device__ __forceinline__ void do_flat(const StridedFlat<sizeof...(In) + 1>& flat,
                                        const FlatPlace<sizeof...(In) + 1>& place, F f,
                                        std::index_sequence<I...>, Out* out, const In*... in) {
  const Pack<Out, W> pack =
      apply_to_loaded(f, load_flat<W>(flat, place, static_cast<int>(I) + 1, in)...);
  if (place.end == W) {
    store_pack(out + place.first, pack);
    return;
  }
#pragma unroll
  for (int k = 0; k < W; ++k) {
    if (k < place.end) out[place.first + static_cast<std::uint32_t>(k)] = pack.at[k];
  }
}

/// out[...] = f(in[...]...) for a result without gaps that is aligned to its packs, W elements a thread.
/// Rows have at least W elements. `f` as in strided_pack_kernel; of places that do not exist its results
/// are not used. `out` may be an operand that lies as it does.
template <int W, class Out, class F, class... In>
__global__ void strided_flat_kernel(Out* out, StridedFlat<sizeof...(In) + 1> flat, F f,
                                    const In*... in) {
  FlatPlace<sizeof...(In) + 1> place;
  place.first = (blockIdx.x * blockDim.x + threadIdx.x) * W;
  if (place.first >= flat.elements) return;
  const DivMod at = flat.columns.divmod(place.first);
  place.left = static_cast<int>(flat.columns.divisor() - at.remainder);
  place.end = static_cast<int>(min(flat.elements - place.first, std::uint32_t{W}));
  place.here = place.there = locate(flat.outer, at.quotient);
  if (place.left < place.end) place.there = locate(flat.outer, at.quotient + 1);
  advance(place.here, at.remainder, flat.step);
  wait_for_previous_grid();  // arithmetic need not wait
  let_next_grid_begin();
  do_flat<W>(flat, place, f, std::index_sequence_for<In...>{}, out, in...);
}

// A pack whose row ends within it, or whose pieces are not all inside the operand, has no pieces to load. One thread
// would load it element by element, and 31 others would wait. So its warp shares it: W lanes take an element each.

/// Whether strided_pieces_kernel loads the W elements from `at` on, of one row, as pieces or as one that repeats.
template <int W, int kStep, int kTensors, class T>
__device__ __forceinline__ bool is_loaded_whole(const StridedFlat<kTensors>& flat, std::uint32_t at,
                                                int t, const T* in) {
  constexpr int kPlaces = W * kStep;
  return flat.load[t] == FlatLoad::repeated ||
         is_inside<T, kPlaces>(at, Pieces<T, kPlaces>::shift_of(in + at), flat.span[t]);
}

/// Those elements. (Most launches could be spared the question. Without it nvcc 13.0 puts the second operand's loads
/// behind the first one's shifts: 9 % more time for a sum of 2^24 halves, 513 in a row, on an H200.)
template <int W, int kStep, int kTensors, class T>
__device__ __forceinline__ FlatElements<T, W> load_whole(const StridedFlat<kTensors>& flat,
                                                         std::uint32_t at, int t, const T* in) {
  FlatElements<T, W> loaded{};
  loaded.left = W;
  loaded.is_repeated = flat.load[t] == FlatLoad::repeated;
  if (loaded.is_repeated) {
    loaded.of_row(0) = in[at];
  } else if constexpr (kStep == 1) {
    loaded.pieces = load_pieces<W>(in + at, 0);
  } else {
    loaded.pieces = as_pieces(every_second(shifted(load_pieces<W * kStep>(in + at, 0))));
  }
  return loaded;
}

/// How the lanes of a warp share packs.
template <int W>
struct SharedPacks {
  unsigned left;          ///< the lanes whose packs nobody has taken yet
  std::uint32_t element;  ///< the calling lane's, of the result
  bool is_mine;           ///< whether it has one

  /// Takes the next packs, at most 32 / W. Every lane of the warp calls it, with the first element of its own pack.
  //! [take]
  __device__ __forceinline__ void take(std::uint32_t first, std::uint32_t elements) {
    unsigned mine = left;
#pragma unroll
    for (unsigned k = 0; k < 32 / W; ++k) {
      if (k < threadIdx.x % 32 / W) mine &= mine - 1;
      left &= left - 1;
    }
    const int lane = mine != 0 ? __ffs(static_cast<int>(mine)) - 1 : 0;
    element = __shfl_sync(0xffffffff, first, lane) + threadIdx.x % W;
    is_mine = mine != 0 && element < elements;
  }
  //! [take]
};

/// Where the element at `place` (a row, and an element of it) is in each operand.
template <int kTensors>
__device__ __forceinline__ StridedOffsets<kTensors> locate_element(
    const StridedFlat<kTensors>& flat, const DivMod& place) {
  auto at = locate(flat.outer, place.quotient);
  advance(at, place.remainder, flat.step);
  return at;
}

//! [do_pieces]
template <int W, int kStep, class Out, class F, class... In, std::size_t... I>
__device__ __forceinline__ void do_pieces(const StridedFlat<sizeof...(In) + 1>& flat, F f,
                                          std::index_sequence<I...>, Out* out, const In*... in) {
  const std::uint32_t first = (blockIdx.x * blockDim.x + threadIdx.x) * W;
  const DivMod place = flat.columns.divmod(first);
  const auto at = locate_element(flat, place);
  const bool is_whole =
      first + W <= flat.elements && place.remainder + W <= flat.columns.divisor() &&
      (is_loaded_whole<W, kStep>(flat, at.of[I + 1], static_cast<int>(I) + 1, in) && ...);
  SharedPacks<W> shared{};
  shared.left = __ballot_sync(0xffffffff, first < flat.elements && !is_whole);
  wait_for_previous_grid();  // arithmetic need not wait
  let_next_grid_begin();
  const auto load_and_store = [&](Pack<In, 1>... one) {
    if (shared.left != 0) {  // loaded first, and used when the packs are on their way
      shared.take(first, flat.elements);
      if (shared.is_mine) {
        const auto from = locate_element(flat, flat.columns.divmod(shared.element));
        ((one = load_pack<1>(in + from.of[I + 1])), ...);
      }
    }
    if (is_whole) {
      store_pack(out + first,
                 apply_to_loaded(
                     f, load_whole<W, kStep>(flat, at.of[I + 1], static_cast<int>(I) + 1, in)...));
    }
    if (shared.is_mine) store_pack(out + shared.element, f(one...));
  };
  load_and_store(Pack<In, 1>{}...);
  while (shared.left != 0) {  // more than 32 / W packs: rows are short, or W is 16
    shared.take(first, flat.elements);
    if (shared.is_mine) {
      const auto from = locate_element(flat, flat.columns.divmod(shared.element));
      store_pack(out + shared.element, f(load_pack<1>(in + from.of[I + 1])...));
    }
  }
}
//! [do_pieces]

/// As strided_flat_kernel, for operands whose elements lie side by side along a row, or repeat (one that lies as the result
/// does has pieces that need no shift); or for a single one of which every kStep-th element is wanted. Blocks of whole warps.
template <int W, int kStep, class Out, class F, class... In>
__global__ void strided_pieces_kernel(Out* out, StridedFlat<sizeof...(In) + 1> flat, F f,
                                      const In*... in) {
  static_assert(W <= 32 && 32 % W == 0);
  static_assert(kStep == 1 || sizeof...(In) == 1, "all operands step alike");
  do_pieces<W, kStep>(flat, f, std::index_sequence_for<In...>{}, out, in...);
}

/// Elements of a thread of strided_elements_kernel. They lie a block's width apart.
inline constexpr int kStridedElements = 4;

/// How strided_elements_kernel finds its elements.
template <int kTensors>
struct StridedElements {
  StridedWalk<kTensors> outer;
  FastDivisor columns;
  DivMod block;  ///< the rows and columns of so many elements as a block has threads
  std::uint32_t elements = 0;
  StridedOffsets<kTensors> step = {};  ///< along a row
  StridedOffsets<kTensors> row = {};   ///< to the next row, if `outer` has at most one dimension
};

template <class T>
struct ThreadElements {
  Pack<T, 1> at[kStridedElements];
};

/// Where a thread's elements are in each tensor.
template <int kTensors>
struct ElementPlaces {
  StridedOffsets<kTensors> at[kStridedElements];
};

template <int kTensors>
__device__ __forceinline__ ElementPlaces<kTensors> places_of(
    const StridedElements<kTensors>& elements, std::uint32_t first) {
  DivMod place = elements.columns.divmod(first);
  ElementPlaces<kTensors> places{};
#pragma unroll
  for (int k = 0; k < kStridedElements; ++k) {
    if (elements.outer.rank <= 1) {
      advance(places.at[k], place.quotient, elements.row);
    } else {
      places.at[k] = locate(elements.outer, place.quotient);
    }
    advance(places.at[k], place.remainder, elements.step);
    place.quotient += elements.block.quotient;
    place.remainder += elements.block.remainder;
    if (place.remainder >= elements.columns.divisor()) {  // one division a thread
      place.remainder -= elements.columns.divisor();
      ++place.quotient;
    }
  }
  return places;
}

template <int kTensors, class T>
__device__ __forceinline__ ThreadElements<T> load_elements(const ElementPlaces<kTensors>& places,
                                                           int t, int count, const T* in) {
  ThreadElements<T> loaded{};
#pragma unroll
  for (int k = 0; k < kStridedElements; ++k) {
    if (k < count) loaded.at[k] = load_pack<1>(in + places.at[k].of[t]);
  }
  return loaded;
}

template <int kTensors, class Out, class F, class... In>
__device__ __forceinline__ void store_elements(const ElementPlaces<kTensors>& places, int count,
                                               F f, Out* out, const ThreadElements<In>&... in) {
#pragma unroll
  for (int k = 0; k < kStridedElements; ++k) {
    if (k < count) store_pack(out + places.at[k].of[0], f(in.at[k]...));
  }
}

/// The first `count` elements of a thread.
template <class Out, class F, class... In, std::size_t... I>
__device__ __forceinline__ void do_elements(const ElementPlaces<sizeof...(In) + 1>& places,
                                            int count, F f, std::index_sequence<I...>, Out* out,
                                            const In*... in) {
  store_elements(places, count, f, out,
                 load_elements(places, static_cast<int>(I) + 1, count, in)...);
}

/// out[...] = f(in[...]...), whatever the strides. `f` as in strided_pack_kernel, of packs of one
/// element. `out` may be an operand that lies as it does.
//! [strided_elements_kernel]
template <class Out, class F, class... In>
__global__ void strided_elements_kernel(Out* out, StridedElements<sizeof...(In) + 1> elements, F f,
                                        const In*... in) {
  constexpr auto kIndices = std::index_sequence_for<In...>{};
  const std::uint32_t block = blockIdx.x * blockDim.x * kStridedElements;
  const std::uint32_t first = block + threadIdx.x;
  const auto places = places_of(elements, first);
  wait_for_previous_grid();  // arithmetic need not wait
  let_next_grid_begin();
  if (block + blockDim.x * kStridedElements <= elements.elements) {
    do_elements(places, kStridedElements, f, kIndices, out, in...);
  } else if (first < elements.elements) {
    int count = 1;
    while (first + static_cast<std::uint32_t>(count) * blockDim.x < elements.elements) ++count;
    do_elements(places, count, f, kIndices, out, in...);
  }
}
//! [strided_elements_kernel]

// ---- Transposed ---------------------------------------------------------------------------------
// A tile is squares of W x W elements. A thread loads packs of W along the operand's own direction, and
// puts them into shared memory. Then it takes a part of each of the W packs of a square, some elements
// long, exchanges rows and columns in registers, and has as many packs along the result's direction.
//
// Shared memory serves 128 bytes at a time, from 32 banks of four bytes. Eight lanes that store packs of
// sixteen bytes side by side fill the banks once. Lanes that take parts of the same row of eight squares
// would all want the same four banks, so the packs of a row are permuted: pack u of a row of square s
// lies at place u ^ s. (Packs of eight bytes, of elements of one byte, meet in pairs.)

/// How large a tile is, and what a thread does of it: kRows packs of W elements, one below the other.
/// Without kWithEdges all tiles are whole and aligned, and small launches are spared the question. Those
/// with edges are smaller, because a thread may load one pack after the other.
template <int W, int kRowsOfThread, bool kWithEdges>
struct TileShape {
  static constexpr int kPack = W, kRows = kRowsOfThread;
  static constexpr bool kEdges = kWithEdges;
  static constexpr int kSquares = W == 8 || kEdges ? 8 : 16;  ///< along either side
  static constexpr int kSide = kSquares * W;
  static constexpr int kThreads = kSquares * kSide / kRows;
  /// So many of the last blocks let the next launch begin. (H200, one operand of 16 bits, 128 threads: 2^16 to 2^18
  /// elements take 15 to 17 % less time from memory, and none more than 1 % longer; if 1,024 blocks do, 2^22 from
  /// the cache take 15 % longer.)
  static constexpr int kLastThatTrigger = kThreads > 128 ? 8 * (kThreads - 128) : 256;
  /// 2^kMostGroup tiles below each other may be neighbours in the grid.
  static constexpr int kMostGroup = kEdges ? 3 : W == 8 ? 1 : 0;
};

/// How an operand of strided_tile_kernel comes to a thread.
enum class TileLoad {
  transposed,  ///< its elements lie side by side down the tile
  across,      ///< along the result's rows: its packs are the thread's own
};

/// How strided_tile_kernel finds its elements. `across` is the direction of the result's rows, `down`
/// that in which a transposed operand's elements lie side by side.
template <int kTensors>
struct StridedTiles {
  StridedWalk<kTensors> outer;
  int group = 0;  ///< 2^group tiles are neighbours down and in the grid; `tiles_down` counts groups
  FastDivisor tiles_across, tiles_down;
  int extent_across = 0, extent_down = 0;
  std::uint32_t across[kTensors] = {}, down[kTensors] = {};  ///< strides
  std::uint32_t span[kTensors] = {};
  TileLoad load[kTensors] = {};
  bool aligned[kTensors] = {};  ///< wherever it has a pack, the address suits it
};

namespace detail {

/// Packs of an operand that belong to one thread.
template <class T, class Shape>
struct TilePacks {
  PackWords<T, Shape::kPack> row[Shape::kRows];
};

/// Where a block is, and where in its tile a thread's first element.
template <int kTensors>
struct TilePlace {
  StridedOffsets<kTensors> at;
  int across, down;  ///< of the tile's first element
  bool whole;        ///< the tile does not reach beyond the result
};

/// Where pack `unit` of row `row` lies in a tile.
//! [tile_place]
template <class Shape>
__host__ __device__ __forceinline__ unsigned tile_place(unsigned row, unsigned unit) {
  return row * Shape::kSquares + (unit ^ (row / Shape::kPack % 8));
}
//! [tile_place]

/// The packs that thread `thread` computes: where the first is in the result's tile, in elements.
struct TileElement {
  unsigned across, down;
};
template <class Shape>
__host__ __device__ __forceinline__ TileElement tile_element(unsigned thread) {
  constexpr unsigned kDown = Shape::kSide / Shape::kRows;  // threads above each other
  return {(thread % 8 + thread / 8 / kDown * 8) * Shape::kPack, thread / 8 % kDown * Shape::kRows};
}

/// Those that it loads for shared memory: pack `unit` of the rows `row(s)`.
template <class Shape>
struct TileFill {
  unsigned unit = threadIdx.x % Shape::kSquares;
  __device__ __forceinline__ static unsigned row(unsigned s) {
    return threadIdx.x / Shape::kSquares + s * (Shape::kThreads / Shape::kSquares);
  }
};

/// W elements from (across, down) on, down the tile of a transposed operand, or else across it; zeros
/// where there are none.
template <int W, int kTensors, class T>
__device__ __forceinline__ Pack<T, W> load_of_tile(const StridedTiles<kTensors>& tiles,
                                                   const TilePlace<kTensors>& place, int t,
                                                   const T* in, int across, int down) {
  const bool is_down = tiles.load[t] == TileLoad::transposed;
  const std::uint32_t along = is_down ? tiles.down[t] : tiles.across[t];
  const std::uint32_t begin =
      place.at.of[t] + (is_down ? static_cast<std::uint32_t>(across) * tiles.across[t]
                                : static_cast<std::uint32_t>(down) * tiles.down[t]);
  const int column = is_down ? down : across;
  const int left = (is_down ? tiles.extent_down : tiles.extent_across) - column;
  Pack<T, W> pack{};
  if (is_down ? across >= tiles.extent_across : down >= tiles.extent_down) return pack;
  const std::uint32_t first = begin + static_cast<std::uint32_t>(column) * along;
  if (left >= W && along == 1 &&
      is_inside<T, W>(first, Pieces<T, W>::shift_of(in + first), tiles.span[t])) {
    return shifted(load_pieces<W>(in + first, 0));
  }
#pragma unroll
  for (int k = 0; k < W; ++k) {
    if (k < left) pack.at[k] = in[first + static_cast<std::uint32_t>(k) * along];
  }
  return pack;
}

/// Whether a thread loads its packs of an operand as packs.
template <class Shape, int kTensors>
__device__ __forceinline__ bool is_fast(const StridedTiles<kTensors>& tiles,
                                        const TilePlace<kTensors>& place, int t) {
  return !Shape::kEdges || (tiles.aligned[t] && place.whole);
}

/// Those packs: of a transposed operand for shared memory, of any other those that the thread computes
/// with.
template <class Shape, int kTensors, class T>
__device__ __forceinline__ TilePacks<T, Shape> load_packs(const StridedTiles<kTensors>& tiles,
                                                          const TilePlace<kTensors>& place, int t,
                                                          const T* in) {
  TilePacks<T, Shape> packs{};
  if (!is_fast<Shape>(tiles, place, t)) return packs;
  const bool is_transposed = tiles.load[t] == TileLoad::transposed;
  const TileElement mine = tile_element<Shape>(threadIdx.x);
  const TileFill<Shape> fill;
  const int across = place.across + (is_transposed ? fill.row(0) : mine.across);
  const int down = place.down + (is_transposed ? fill.unit * Shape::kPack : mine.down);
  const T* const from = in + place.at.of[t] + static_cast<std::uint32_t>(across) * tiles.across[t] +
                        static_cast<std::uint32_t>(down) * tiles.down[t];
  const std::uint32_t step =
      is_transposed ? Shape::kThreads / Shape::kSquares * tiles.across[t] : tiles.down[t];
#pragma unroll
  for (int s = 0; s < Shape::kRows; ++s) {
    packs.row[s] = load_words<Shape::kPack>(from + static_cast<std::uint32_t>(s) * step);
  }
  return packs;
}

/// What goes into shared memory: a transposed operand, and one that is not fast.
template <class Shape, int kTensors, class T>
__device__ __forceinline__ void fill_tile(PackWords<T, Shape::kPack>* tile,
                                          const TilePacks<T, Shape>& packs,
                                          const StridedTiles<kTensors>& tiles,
                                          const TilePlace<kTensors>& place, int t, const T* in) {
  constexpr int W = Shape::kPack;
  const bool is_transposed = tiles.load[t] == TileLoad::transposed;
  const TileFill<Shape> fill;
  if (is_fast<Shape>(tiles, place, t)) {
    if (!is_transposed) return;
#pragma unroll
    for (int s = 0; s < Shape::kRows; ++s) {
      tile[tile_place<Shape>(fill.row(static_cast<unsigned>(s)), fill.unit)] = packs.row[s];
    }
    return;
  }
#pragma unroll 1
  for (unsigned s = 0; s < unsigned{Shape::kRows}; ++s) {
    const unsigned row = fill.row(s);
    const int across = place.across + (is_transposed ? row : fill.unit * W);
    const int down = place.down + (is_transposed ? fill.unit * W : row);
    store_pack(reinterpret_cast<T*>(tile[tile_place<Shape>(row, fill.unit)].at),
               load_of_tile<W>(tiles, place, t, in, across, down));
  }
}

/// The s-th elements of W parts of a pack, as one pack.
template <int W, int kPart, class T>
__device__ __forceinline__ PackWords<T, W> across_packs(const PackWords<T, kPart>* column, int s) {
  constexpr int kSize = sizeof(T);
  PackWords<T, W> row;
  if constexpr (kSize >= 4) {
    constexpr int kWords = kSize / 4;
#pragma unroll
    for (int k = 0; k < W * kWords; ++k) {
      row.at[k] = column[k / kWords].at[s * kWords + k % kWords];
    }
  } else if constexpr (kSize == 2) {
#pragma unroll
    for (int k = 0; k < W; k += 2) {
      row.at[k / 2] =
          __byte_perm(column[k].at[s / 2], column[k + 1].at[s / 2], s % 2 == 0 ? 0x5410 : 0x7632);
    }
  } else {
    const int pick = s % 4 | (s % 4 + 4) << 4;  // of two words, a byte each
    const auto two = [&](int k) {
      return __byte_perm(column[k].at[s / 4], column[k + 1].at[s / 4], pick);
    };
#pragma unroll
    for (int k = 0; k < W; k += 4) row.at[k / 4] = __byte_perm(two(k), two(k + 2), 0x5410);
  }
  return row;
}

/// The packs of any other operand that the thread computes with, from the tile.
template <class Shape, int kTensors, class T>
__device__ __forceinline__ void take_packs(TilePacks<T, Shape>& packs,
                                           const PackWords<T, Shape::kPack>* tile,
                                           const StridedTiles<kTensors>& tiles,
                                           const TilePlace<kTensors>& place, int t) {
  constexpr int W = Shape::kPack, kRows = Shape::kRows;
  const TileElement mine = tile_element<Shape>(threadIdx.x);
  if (tiles.load[t] == TileLoad::transposed) {
    PackWords<T, kRows> column[W];
#pragma unroll
    for (int k = 0; k < W; ++k) {
      const auto* pack =
          &tile[tile_place<Shape>(mine.across + static_cast<unsigned>(k), mine.down / W)];
      column[k] = load_words<kRows>(reinterpret_cast<const T*>(pack->at) + mine.down % W);
    }
#pragma unroll
    for (int s = 0; s < kRows; ++s) packs.row[s] = across_packs<W>(column, s);
  } else if (!is_fast<Shape>(tiles, place, t)) {
#pragma unroll
    for (int s = 0; s < kRows; ++s) {
      packs.row[s] = tile[tile_place<Shape>(mine.down + static_cast<unsigned>(s), mine.across / W)];
    }
  }
}

/// Where the tile of operand `index` begins in the block's shared memory.
template <class Shape, class... In>
__host__ __device__ constexpr int tile_begin(std::size_t index) {
  constexpr int kSizes[] = {static_cast<int>(sizeof(In))...};
  int bytes = 0;
  for (std::size_t i = 0; i < index; ++i) bytes += Shape::kSide * Shape::kSide * kSizes[i];
  return bytes;
}

template <int kBytes>
struct alignas(16) TileMemory {
  unsigned char bytes[kBytes];
};

template <class Shape, class T, class... In>
__device__ __forceinline__ PackWords<T, Shape::kPack>* tile_of(unsigned char* memory,
                                                               std::size_t index) {
  return reinterpret_cast<PackWords<T, Shape::kPack>*>(memory + tile_begin<Shape, In...>(index));
}

/// `packs`: what load_packs() gave, so that all loads are under way before a thread waits for one.
template <class Shape, class Out, class F, class... In, std::size_t... I>
__device__ __forceinline__ void do_tile(const StridedTiles<sizeof...(In) + 1>& tiles,
                                        const TilePlace<sizeof...(In) + 1>& place, F f,
                                        std::index_sequence<I...>, unsigned char* memory, Out* out,
                                        const In*... in, TilePacks<In, Shape>... packs) {
  (fill_tile<Shape>(tile_of<Shape, In, In...>(memory, I), packs, tiles, place,
                    static_cast<int>(I) + 1, in),
   ...);
  __syncthreads();
  (take_packs<Shape>(packs, tile_of<Shape, In, In...>(memory, I), tiles, place,
                     static_cast<int>(I) + 1),
   ...);
  const TileElement mine = tile_element<Shape>(threadIdx.x);
  const int across = place.across + mine.across, first = place.down + mine.down;
  Out* const to = out + place.at.of[0] + static_cast<std::uint32_t>(first) * tiles.down[0] +
                  static_cast<std::uint32_t>(across);
#pragma unroll
  for (int s = 0; s < Shape::kRows; ++s) {
    const Pack<Out, Shape::kPack> pack = f(packs.row[s].pack()...);
    Out* const row = to + static_cast<std::uint32_t>(s) * tiles.down[0];
    if (is_fast<Shape>(tiles, place, 0)) {
      store_pack(row, pack);
    } else if (first + s < tiles.extent_down) {
#pragma unroll
      for (int k = 0; k < Shape::kPack; ++k) {
        if (across + k < tiles.extent_across) row[k] = pack.at[k];
      }
    }
  }
}

template <class Shape, class Out, class F, class... In, std::size_t... I>
__device__ __forceinline__ void load_and_do_tile(const StridedTiles<sizeof...(In) + 1>& tiles,
                                                 const TilePlace<sizeof...(In) + 1>& place, F f,
                                                 std::index_sequence<I...> indices,
                                                 unsigned char* memory, Out* out, const In*... in) {
  do_tile<Shape, Out, F, In...>(tiles, place, f, indices, memory, out, in...,
                                load_packs<Shape>(tiles, place, static_cast<int>(I) + 1, in)...);
}

/// Where the block is.
template <class Shape, int kTensors>
__device__ __forceinline__ TilePlace<kTensors> place_of_block(const StridedTiles<kTensors>& tiles) {
  constexpr int kSide = Shape::kSide;
  const std::uint32_t near = blockIdx.x & ((1U << tiles.group) - 1);
  const DivMod x = tiles.tiles_across.divmod(blockIdx.x >> tiles.group);
  const DivMod y = tiles.tiles_down.divmod(x.quotient);
  const int across = static_cast<int>(x.remainder) * kSide;
  const int down = static_cast<int>((y.remainder << tiles.group) + near) * kSide;
  const bool whole = across + kSide <= tiles.extent_across && down + kSide <= tiles.extent_down;
  return {locate(tiles.outer, y.quotient), across, down, whole};
}

/// All operands are transposed: what they come to goes through shared memory, and is turned once.
template <class Shape, class Out, class F, class... In>
__device__ __forceinline__ void turn_tile(const StridedTiles<sizeof...(In) + 1>& tiles,
                                          const TilePlace<sizeof...(In) + 1>& place, F f,
                                          PackWords<Out, Shape::kPack>* tile, Out* out,
                                          const TilePacks<In, Shape>&... packs) {
  const TileFill<Shape> fill;
#pragma unroll
  for (int s = 0; s < Shape::kRows; ++s) {
    const unsigned to = tile_place<Shape>(fill.row(static_cast<unsigned>(s)), fill.unit);
    const Pack<Out, Shape::kPack> pack = f(packs.row[s].pack()...);
    store_pack(reinterpret_cast<Out*>(tile[to].at), pack);
  }
  __syncthreads();
  TilePacks<Out, Shape> turned;
  take_packs<Shape>(turned, tile, tiles, place, 1);
  const TileElement mine = tile_element<Shape>(threadIdx.x);
  Out* const to = out + place.at.of[0] +
                  static_cast<std::uint32_t>(place.down + mine.down) * tiles.down[0] +
                  static_cast<std::uint32_t>(place.across + mine.across);
#pragma unroll
  for (int s = 0; s < Shape::kRows; ++s) {
    store_pack(to + static_cast<std::uint32_t>(s) * tiles.down[0], turned.row[s].pack());
  }
}

template <class Shape, class Out, class F, class... In, std::size_t... I>
__device__ __forceinline__ void load_and_turn_tile(const StridedTiles<sizeof...(In) + 1>& tiles,
                                                   const TilePlace<sizeof...(In) + 1>& place, F f,
                                                   std::index_sequence<I...>,
                                                   PackWords<Out, Shape::kPack>* tile, Out* out,
                                                   const In*... in) {
  turn_tile<Shape, Out, F, In...>(tiles, place, f, tile, out,
                                  load_packs<Shape>(tiles, place, static_cast<int>(I) + 1, in)...);
}

}  // namespace detail

/// out[...] = f(in[...]...) over tiles, one a block of Shape::kThreads. At least one operand is
/// transposed; the result's stride along a row is 1. `f` as in strided_pack_kernel.
template <class Shape, class Out, class F, class... In>
__global__ void __launch_bounds__(Shape::kThreads)
    strided_tile_kernel(Out* out, StridedTiles<sizeof...(In) + 1> tiles, F f, const In*... in) {
  __shared__ detail::TileMemory<detail::tile_begin<Shape, In...>(sizeof...(In))> memory;
  const auto place = detail::place_of_block<Shape>(tiles);
  wait_for_previous_grid();  // arithmetic need not wait
  let_next_grid_begin(Shape::kLastThatTrigger);
  detail::load_and_do_tile<Shape>(tiles, place, f, std::index_sequence_for<In...>{}, memory.bytes,
                                  out, in...);
}

/// The same where all of several operands are transposed, and have two bytes like the result: that is turned, once. Whole
/// tiles only.
/// (1,024 threads a multiprocessor leave each 64 registers. Of itself the compiler takes 32, and the second pack's loads
/// stand behind what is computed with the first. In SwiGLU of floats they do even so: not taken.)
template <class Shape, class Out, class F, class... In>
__global__ void __launch_bounds__(Shape::kThreads, 1024 / Shape::kThreads)
    strided_turned_kernel(Out* out, StridedTiles<sizeof...(In) + 1> tiles, F f, const In*... in) {
  static_assert(!Shape::kEdges && sizeof(Out) == 2 && ((sizeof(In) == 2) && ...));
  __shared__ detail::TileMemory<detail::tile_begin<Shape, Out>(1)> memory;
  const auto place = detail::place_of_block<Shape>(tiles);
  wait_for_previous_grid();  // arithmetic need not wait
  let_next_grid_begin(Shape::kLastThatTrigger);
  detail::load_and_turn_tile<Shape>(tiles, place, f, std::index_sequence_for<In...>{},
                                    detail::tile_of<Shape, Out, Out>(memory.bytes, 0), out, in...);
}

// ---- Launches -----------------------------------------------------------------------------------

namespace detail {

/// Threads a block: more than 128, of which let_next_grid_begin() triggers nothing.
inline constexpr int kStridedThreads = 256;

template <int kTensors>
void append(StridedWalk<kTensors>& walk, const StridedLoop& loop, int d) {
  auto& dimension = walk.at[walk.rank++];
  dimension.size = FastDivisor(static_cast<std::uint32_t>(loop.extent[d]));
  for (int t = 0; t < kTensors; ++t) {
    dimension.stride[t] = static_cast<std::uint32_t>(loop.stride[t][d]);
  }
}

template <int kTensors>
void set_spans(std::uint32_t (&span)[kTensors], const StridedLoop& loop) {
  for (int t = 0; t < kTensors; ++t) span[t] = static_cast<std::uint32_t>(span_of(loop, t));
}

/// Whether the result has no gaps.
inline bool is_flat(const StridedLoop& loop) {
  std::int64_t step = 1;
  for (int d = loop.rank - 1; d >= 0; --d) {
    if (loop.stride[0][d] != step) return false;
    step *= loop.extent[d];
  }
  return true;
}

/// Threads a block of kernels whose threads move sixteen bytes of an array: a result that exceeds the L2
/// is written a little faster in blocks of 128.
inline int threads_of_packs(std::int64_t bytes) {
  const std::size_t l2 = device_limits().l2_bytes;
  const std::size_t fits = fits_l2(l2 > 0 ? l2 : std::size_t{60} << 20);
  return bytes > static_cast<std::int64_t>(fits) ? kThreads : kStridedThreads;
}

inline LaunchShape strided_shape(std::int64_t items, int threads) {
  return {grid_1d(items, threads), dim3(static_cast<unsigned>(threads)), 0,
          Overlap::previous_kernel};
}

/// The strides along a row, times `places`.
template <int kTensors>
StridedOffsets<kTensors> steps_along(const StridedLoop& loop, int places) {
  StridedOffsets<kTensors> step;
  for (int t = 0; t < kTensors; ++t) {
    step.of[t] = static_cast<std::uint32_t>(loop.stride[t][loop.rank - 1] * places);
  }
  return step;
}

/// The walk over the dimensions above the row.
template <int kTensors>
StridedWalk<kTensors> walk_of_rows(const StridedLoop& loop) {
  StridedWalk<kTensors> outer;
  for (int d = loop.rank - 2; d >= 0; --d) append(outer, loop, d);
  return outer;
}

/// Whether a tensor has packs of W along each row, or one element.
template <int W, class T>
bool is_in_packs(const StridedLoop& loop, int t, const T* data) {
  const int inner = loop.rank - 1;
  if (t > 0 && loop.stride[t][inner] == 0) return true;
  bool fits = loop.stride[t][inner] == 1 && is_aligned(data, kPackAlignment<T, W>);
  for (int d = 0; d < inner; ++d) fits = fits && loop.stride[t][d] % W == 0;
  return fits;
}

/// Whether strided_pack_kernel takes the loop.
template <int W, class Out, class... In>
bool is_in_packs(const StridedLoop& loop, const Out* out, const In*... in) {
  int t = 0;
  bool fits = loop.extent[loop.rank - 1] % W == 0 && is_in_packs<W>(loop, 0, out);
  ((fits = fits && is_in_packs<W>(loop, ++t, in)), ...);
  return fits;
}

/// At most so many packs are in blocks of kThreads too (H200, SwiGLU of halves side by side in a row, from the cache:
/// 17 % less time at 55 such blocks, 18 % more at 220).
inline constexpr std::int64_t kFewStridedPacks = 64 * kThreads;

/// `threads`: as threads_of_packs() says.
template <int W, class Out, class F, class... In>
cudaError_t launch_strided_packs(const StridedLoop& loop, F f, cudaStream_t stream, int threads,
                                 Out* out, const In*... in) {
  constexpr int kTensors = sizeof...(In) + 1;
  constexpr bool kNarrow = ((sizeof(In) > sizeof(Out)) || ...);
  const std::int64_t packs = loop.elements / W, columns = loop.extent[loop.rank - 1] / W;
  const auto step = steps_along<kTensors>(loop, W);
  bool repeats = false;
  for (int t = 1; t < kTensors; ++t) repeats = repeats || step.of[t] == 0;
  const bool small = !repeats && !kNarrow && threads == kStridedThreads;
  const auto kernel = [&] {
    if (repeats) return strided_pack_kernel<W, PackLaunch::repeated, Out, F, In...>;
    if constexpr (kNarrow) {
      return strided_pack_kernel<W, PackLaunch::narrow, Out, F, In...>;
    } else {
      return small ? strided_pack_kernel<W, PackLaunch::small, Out, F, In...>
                   : strided_pack_kernel<W, PackLaunch::large, Out, F, In...>;
    }
  }();
  if (small && packs <= kFewStridedPacks) threads = kThreads;
  return launch(kernel, strided_shape(packs, threads), stream, out,
                static_cast<std::uint32_t>(packs), FastDivisor(static_cast<std::uint32_t>(columns)),
                walk_of_rows<kTensors>(loop), step, f, in...);
}

/// Whether no element has more than two bytes.
template <class... T>
inline constexpr bool kAllNarrow = ((sizeof(T) <= 2) && ...);

/// Whether a tensor has an element for each of the result's, where that has it.
inline bool lies_as_result(const StridedLoop& loop, int t) {
  return std::equal(loop.stride[t], loop.stride[t] + loop.rank, loop.stride[0]);
}

/// How operand t is loaded by strided_flat_kernel or strided_pieces_kernel; false if by neither.
template <int W, class T>
bool flat_load(const StridedLoop& loop, int t, const T* in, FlatLoad* load) {
  const std::int64_t along = loop.stride[t][loop.rank - 1];
  const bool is_dense = lies_as_result(loop, t) && is_aligned(in, kPackAlignment<T, W>);
  *load = is_dense     ? FlatLoad::dense
          : along == 0 ? FlatLoad::repeated
          : along == 1 ? FlatLoad::pieces
                       : FlatLoad::every_second;
  return is_dense || along <= (loop.tensors == 2 ? 2 : 1);
}

/// Whether one of these kernels takes the loop.
template <int W, class Out, class... In>
bool is_flat_in_packs(const StridedLoop& loop, FlatLoad* load, const Out* out, const In*... in) {
  int t = 0;
  bool fits =
      is_flat(loop) && loop.extent[loop.rank - 1] >= W && is_aligned(out, kPackAlignment<Out, W>);
  ((++t, fits = fits && flat_load<W>(loop, t, in, &load[t])), ...);
  return fits;
}

/// How many operands are loaded in this way.
template <int kTensors>
auto count_loads(const FlatLoad (&load)[kTensors], FlatLoad way) {
  return std::count(load + 1, load + kTensors, way);
}

/// Whether strided_pieces_kernel is faster than strided_elements_kernel, as timed in
/// 04_arithmetic/notes/any_stride.md: from so many elements on, in rows of so many bytes. (What is wider than two bytes and
/// comes here is a single operand of which every second element is wanted.)
template <int W, class... In>
bool pays_in_pieces(const StridedLoop& loop, const FlatLoad (&load)[sizeof...(In) + 1]) {
  constexpr std::int64_t kWidest = std::max({sizeof(In)...});
  const bool is_many = loop.elements >= 16'000'000;
  const std::int64_t row = loop.extent[loop.rank - 1] * kWidest;
  if (kWidest > 2) return is_many && row >= 3072 * kWidest;
  const bool two = kWidest == 2 && count_loads(load, FlatLoad::pieces) > 1;
  const std::int64_t least = W * kWidest > 16 ? 4'000'000 : 2'000'000;
  return (is_many || (sizeof...(In) < 3 && loop.elements >= least)) && row >= (two ? 1024 : 128);
}

/// strided_flat_kernel or strided_pieces_kernel.
template <class Out, class F, class... In>
using FlatKernel = void(Out*, StridedFlat<sizeof...(In) + 1>, F, const In*...);

/// `load`: as is_flat_in_packs() says, of which `kernel` is the instance.
template <int W, class Out, class F, class... In>
cudaError_t launch_strided_flat(FlatKernel<Out, F, In...>* kernel, const StridedLoop& loop,
                                const FlatLoad* load, F f, cudaStream_t stream, int threads,
                                Out* out, const In*... in) {
  constexpr int kTensors = sizeof...(In) + 1;
  StridedFlat<kTensors> flat;
  flat.outer = walk_of_rows<kTensors>(loop);
  flat.columns = FastDivisor(static_cast<std::uint32_t>(loop.extent[loop.rank - 1]));
  flat.elements = static_cast<std::uint32_t>(loop.elements);
  std::copy_n(load, kTensors, flat.load);
  flat.step = steps_along<kTensors>(loop, 1);
  set_spans(flat.span, loop);
  return launch(kernel, strided_shape((loop.elements - 1) / W + 1, threads), stream, out, flat, f,
                in...);
}

/// The kernel for operands that are loaded as is_flat_in_packs() says; null if only strided_elements_kernel should.
template <int W, class Out, class F, class... In>
FlatKernel<Out, F, In...>* flat_kernel(const StridedLoop& loop, bool always_in_pieces,
                                       const FlatLoad (&load)[sizeof...(In) + 1]) {
  const bool by_two = count_loads(load, FlatLoad::every_second) > 0;
  if (!by_two && count_loads(load, FlatLoad::pieces) == 0) {
    return strided_flat_kernel<W, Out, F, In...>;
  }
  if (!always_in_pieces && !pays_in_pieces<W, In...>(loop, load)) return nullptr;
  if constexpr (sizeof...(In) == 1) {
    if (by_two) return strided_pieces_kernel<W, 2, Out, F, In...>;
  }
  if constexpr (kAllNarrow<Out, In...>) return strided_pieces_kernel<W, 1, Out, F, In...>;
  return nullptr;
}

/// Threads a block of strided_elements_kernel: twice as many in a launch that just fills the GPU. (H200, 2^20
/// elements from the cache: up to 18 % less time, and none more than 1 % longer. Launches of half or of twice as many
/// gain or lose, by the operation.)
inline int threads_of_elements(std::int64_t threads) {
  const std::int64_t most = resident_threads();
  return threads > most * 9 / 10 && threads <= most ? 2 * kStridedThreads : kStridedThreads;
}

template <class Out, class F, class... In>
cudaError_t launch_strided_elements(const StridedLoop& loop, F f, cudaStream_t stream, Out* out,
                                    const In*... in) {
  constexpr int kTensors = sizeof...(In) + 1;
  const std::int64_t threads = (loop.elements - 1) / kStridedElements + 1;
  const auto block = static_cast<std::uint32_t>(threads_of_elements(threads));
  const auto columns = static_cast<std::uint32_t>(loop.extent[loop.rank - 1]);
  StridedElements<kTensors> elements;
  elements.outer = walk_of_rows<kTensors>(loop);
  elements.columns = FastDivisor(columns);
  elements.block = {block / columns, block % columns};
  elements.elements = static_cast<std::uint32_t>(loop.elements);
  elements.step = steps_along<kTensors>(loop, 1);
  for (int t = 0; t < kTensors; ++t) elements.row.of[t] = elements.outer.at[0].stride[t];
  return launch(strided_elements_kernel<Out, F, In...>,
                strided_shape(threads, static_cast<int>(block)), stream, out, elements, f, in...);
}

/// The dimension along which an operand's elements lie side by side, while along the rows it makes
/// long steps; -1 if there is none. Both must be a few packs long.
template <int W>
int transposed_dimension(const StridedLoop& loop) {
  constexpr std::int64_t kLeast = 2 * W;
  const int inner = loop.rank - 1;
  if (loop.stride[0][inner] != 1 || loop.extent[inner] < kLeast) return -1;
  for (int t = 1; t < loop.tensors; ++t) {
    for (int d = 0; loop.stride[t][inner] > 2 && d < inner; ++d) {
      if (loop.stride[t][d] == 1 && loop.extent[d] >= kLeast) return d;
    }
  }
  return -1;
}

/// Packs of a thread of strided_tile_kernel. Few, where many threads hide what small launches wait for;
/// of a single operand of halves more, so that enough bytes are under way. And at least four bytes of
/// each column.
template <int W, class... In>
inline constexpr int kTileRows = std::max({W == 8 && sizeof...(In) == 2 ? 2 : std::min(W, 4),
                                           4 / static_cast<int>(sizeof(In))...});

template <int W, class Out, class F, class... In>
cudaError_t launch_strided_tiles(const StridedLoop& loop, int down, F f, cudaStream_t stream,
                                 Out* out, const In*... in) {
  constexpr int kTensors = sizeof...(In) + 1, kRows = kTileRows<W, In...>;
  const int inner = loop.rank - 1;
  StridedTiles<kTensors> tiles;
  for (int d = inner - 1; d >= 0; --d) {
    if (d != down) append(tiles.outer, loop, d);
  }
  tiles.extent_across = static_cast<int>(loop.extent[inner]);
  tiles.extent_down = static_cast<int>(loop.extent[down]);
  for (int t = 0; t < kTensors; ++t) {
    tiles.across[t] = static_cast<std::uint32_t>(loop.stride[t][inner]);
    tiles.down[t] = static_cast<std::uint32_t>(loop.stride[t][down]);
    const bool is_transposed = t > 0 && tiles.down[t] == 1 && tiles.across[t] > 2;
    tiles.load[t] = is_transposed ? TileLoad::transposed : TileLoad::across;
    const int along = is_transposed ? down : inner;
    tiles.aligned[t] = loop.stride[t][along] == 1;
    for (int d = 0; d < loop.rank; ++d) {
      if (d != along) tiles.aligned[t] = tiles.aligned[t] && loop.stride[t][d] % W == 0;
    }
  }
  set_spans(tiles.span, loop);
  int t = 0;
  tiles.aligned[t] = tiles.aligned[t] && is_aligned(out, kPackAlignment<Out, W>);
  ((++t, tiles.aligned[t] = tiles.aligned[t] && is_aligned(in, kPackAlignment<In, W>)), ...);
  const auto run = [&](auto shape, auto* kernel) {
    using Shape = decltype(shape);
    const std::int64_t of_row = (loop.extent[inner] - 1) / Shape::kSide + 1;
    const std::int64_t of_column = (loop.extent[down] - 1) / Shape::kSide + 1;
    const std::int64_t blocks =
        loop.elements / loop.extent[inner] / loop.extent[down] * of_row * of_column;
    tiles.tiles_across = FastDivisor(static_cast<std::uint32_t>(of_row));
    while (tiles.group < Shape::kMostGroup && of_column % (std::int64_t{2} << tiles.group) == 0) {
      ++tiles.group;
    }
    tiles.tiles_down = FastDivisor(static_cast<std::uint32_t>(of_column >> tiles.group));
    return launch(kernel, {grid_1d(blocks, 1), dim3(Shape::kThreads), 0, Overlap::previous_kernel},
                  stream, out, tiles, f, in...);
  };
  using Whole = TileShape<W, kRows, false>;
  using Cut = TileShape<W, kRows, true>;
  const bool is_whole = tiles.extent_across % Whole::kSide == 0 &&
                        tiles.extent_down % Whole::kSide == 0 &&
                        std::count(tiles.aligned, tiles.aligned + kTensors, false) == 0;
  if (!is_whole) return run(Cut{}, strided_tile_kernel<Cut, Out, F, In...>);
  if constexpr (sizeof...(In) > 1 && ((sizeof(Out) == 2 && sizeof(In) == 2) && ...)) {
    const auto* const loads = tiles.load + 1;
    if (std::count(loads, loads + sizeof...(In), TileLoad::transposed) == sizeof...(In)) {
      return run(Whole{}, strided_turned_kernel<Whole, Out, F, In...>);
    }
  }
  return run(Whole{}, strided_tile_kernel<Whole, Out, F, In...>);
}

template <std::size_t... I, class F, class Out, class... In>
cudaError_t with_advanced(std::index_sequence<I...>, const StridedLoop& loop, std::int64_t begin,
                          F&& f, Out* out, const In*... in) {
  return f(out + begin * loop.stride[0][0], in + begin * loop.stride[I + 1][0]...);
}

/// launch(part, out, in...) of parts of the outermost dimension, `step` long.
template <class Launch, class Out, class... In>
cudaError_t launch_parts(const StridedLoop& loop, std::int64_t step, const Launch& launch, Out* out,
                         const In*... in) {
  for (std::int64_t begin = 0; begin < loop.extent[0]; begin += step) {
    const StridedLoop part = slice(loop, begin, std::min(begin + step, loop.extent[0]));
    const cudaError_t error = with_advanced(
        std::index_sequence_for<In...>{}, loop, begin,
        [&](Out* to, const In*... from) { return launch(part, to, from...); }, out, in...);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace detail

/// Elements of a pack in strided_tile_kernel: sixteen bytes of the widest type, and at most eight.
template <class... T>
inline constexpr int kTileWidth = std::min(8, 16 / static_cast<int>(std::max({sizeof(T)...})));

/// out[...] = f(in[...]...) over a loop that make_strided_loop() made, W elements a thread; W elements
/// of Out have at most 16 bytes. `f` maps a Pack<In, N> of each operand to a Pack<Out, N>, N being W or
/// kTileWidth.
///
/// Without `kTiles` the compiler is spared strided_tile_kernel, and what it does best is slow.
///
/// Pointers need the alignment of their elements. `out` may be an operand that lies as it does; no
/// other overlap. Several launches where there are more than 2^31 - 4096 elements, or a tensor reaches
/// over as many. Errors: those of launch().
template <int W, bool kTiles = true, class Out, class F, class... In>
cudaError_t launch_strided(StridedLoop loop, F f, cudaStream_t stream, const StridedLimits& limits,
                           Out* out, const In*... in) {
  constexpr int kWidth = kTileWidth<Out, In...>;
  if (loop.elements == 0) return cudaSuccess;
  if (loop.rank == 0) {  // a single element: a row of one
    loop.extent[loop.rank++] = 1;
    for (auto& stride : loop.stride) stride[0] = 1;
  }
  std::int64_t most = loop.elements;
  for (int t = 0; t < loop.tensors; ++t) most = std::max(most, span_of(loop, t));
  if (most <= limits.most || loop.elements == 1) {
    if constexpr (kTiles) {
      const int down = detail::transposed_dimension<kWidth>(loop);
      if (down >= 0) {
        return detail::launch_strided_tiles<kWidth>(loop, down, f, stream, out, in...);
      }
    }
    const int threads = detail::threads_of_packs(loop.elements * sizeof(Out));
    if (detail::is_in_packs<W>(loop, out, in...)) {
      return detail::launch_strided_packs<W>(loop, f, stream, threads, out, in...);
    }
    FlatLoad load[sizeof...(In) + 1] = {};
    if (detail::is_flat_in_packs<W>(loop, load, out, in...)) {
      auto* const kernel =
          detail::flat_kernel<W, Out, F, In...>(loop, limits.always_in_pieces, load);
      if (kernel != nullptr) {
        return detail::launch_strided_flat<W>(kernel, loop, load, f, stream, threads, out, in...);
      }
    }
    return detail::launch_strided_elements(loop, f, stream, out, in...);
  }
  // Cut the outermost dimension, at multiples of 64 where it is long enough, which keeps every part's
  // alignment.
  std::int64_t step = std::max<std::int64_t>(loop.extent[0] / (most / limits.most + 1), 1);
  if (step > 64) step -= step % 64;
  const auto launch_part = [&](const StridedLoop& part, Out* to, const In*... from) {
    return launch_strided<W, kTiles>(part, f, stream, limits, to, from...);
  };
  return detail::launch_parts(loop, step, launch_part, out, in...);
}

/// y = f(x...) for tensors that lie anywhere: `contiguous(n)` where all of them are arrays of one shape
/// without gaps, launch_strided() elsewhere. An empty result launches nothing and succeeds.
///
/// Errors: those of make_strided_loop() and check_buffers(), each with its sentence in last_refusal(),
/// in which the operands are in0, in1 and so on; those of the launches.
template <int W, class F, class Contiguous, class Out, class... In>
cudaError_t launch_views(F f, const Contiguous& contiguous, cudaStream_t stream,
                         const TensorView<Out>& y, const TensorView<const In>&... x) {
  StridedLoop loop;
  cudaError_t error = make_strided_loop(y.layout, {x.layout...}, &loop);
  if (error != cudaSuccess || loop.elements == 0) return error;
  const char* const names[] = {"in0", "in1", "in2"};
  int i = 0;
  error =
      check_buffers({Buffer{y.data, alignof(Out), "out"}, {x.data, alignof(In), names[i++]}...});
  if (error != cudaSuccess) return error;
  if (is_contiguous(loop)) return contiguous(loop.elements);
  return launch_strided<W>(loop, f, stream, {}, y.data, x.data...);
}

}  // namespace tutorial

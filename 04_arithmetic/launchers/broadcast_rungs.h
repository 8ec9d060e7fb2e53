// Ladder B as a list, for the test and the benchmark: which broadcasts each rung takes, and how it
// is called with one.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "04_arithmetic/launchers/broadcast.h"

namespace tutorial {

/// One call of a rung. `scales` matters to int8 alone.
template <class T>
struct BroadcastCall {
  ArithmeticOp op;
  const Broadcast& broadcast;
  const T* in0;
  const T* in1;
  T* out;
  cudaStream_t stream;
  Int8Scales scales;
};

template <class T>
struct BroadcastRung {
  std::string name;
  bool (*claims)(const Broadcast&);  ///< whether the rung takes this one
  cudaError_t (*launch)(const BroadcastCall<T>&);
};

namespace detail {

inline bool claims_all(const Broadcast&) { return true; }

/// Calls the launcher of T's form: plain(numbers..., in0, in1, out, stream), or the int8 form with
/// the scales.
template <class T, class Launcher, class... Numbers>
cudaError_t call(Launcher launcher, const BroadcastCall<T>& c, const Numbers&... numbers) {
  if constexpr (std::is_same_v<T, std::int8_t>) {
    return launcher(c.op, numbers..., c.in0, c.in1, c.out, c.scales, c.stream);
  } else {
    return launcher(c.op, numbers..., c.in0, c.in1, c.out, c.stream);
  }
}

}  // namespace detail

/// The launcher of a rung for T: its template, or its _int8 form.
#define TUTORIAL_RUNG_OF(T, name)                   \
  [](auto... arguments) {                           \
    if constexpr (std::is_same_v<T, std::int8_t>) { \
      return name##_int8(arguments...);             \
    } else {                                        \
      return name(arguments...);                    \
    }                                               \
  }

/// The rungs in reading order. T: float, half, __nv_bfloat16, std::int32_t, std::int64_t, and
/// std::int8_t with scales.
template <class T>
std::vector<BroadcastRung<T>> arithmetic_broadcast_rungs() {
  using Call = BroadcastCall<T>;
  using detail::call;
  return {
      {"one_scalar", is_one_scalar,
       [](const Call& c) {
         return call(TUTORIAL_RUNG_OF(T, arithmetic_one_scalar), c, c.broadcast.elements,
                     is_first_shorter(c.broadcast));
       }},
      {"one_dimension", is_one_dimension,
       [](const Call& c) {
         const Broadcast merged = merge_dimensions(c.broadcast);
         return call(TUTORIAL_RUNG_OF(T, arithmetic_one_dimension), c, merged.elements,
                     merged.extent[1], is_first_shorter(merged));
       }},
      {"one_not_broadcast", is_one_not_broadcast,
       [](const Call& c) {
         const Broadcast merged = merge_dimensions(c.broadcast);
         const int last = merged.rank - 1;
         return call(TUTORIAL_RUNG_OF(T, arithmetic_one_not_broadcast), c, merged.elements,
                     merged.extent[last - 1], merged.extent[last], is_first_shorter(merged));
       }},
      {"one_broadcast", is_one_broadcast,
       [](const Call& c) {
         const Broadcast merged = merge_dimensions(c.broadcast);
         return call(TUTORIAL_RUNG_OF(T, arithmetic_one_broadcast), c, merged.elements,
                     merged.extent[1] * merged.extent[2], merged.extent[2],
                     is_first_shorter(merged));
       }},
      {"strided", detail::claims_all,
       [](const Call& c) { return call(TUTORIAL_RUNG_OF(T, arithmetic_strided), c, c.broadcast); }},
      {"strided_merged", detail::claims_all,
       [](const Call& c) {
         return call(TUTORIAL_RUNG_OF(T, arithmetic_strided_merged), c, c.broadcast);
       }},
      {"strided_32", fits_32_bits,
       [](const Call& c) {
         return call(TUTORIAL_RUNG_OF(T, arithmetic_strided_32), c, c.broadcast);
       }},
      {"strided_fast", fits_32_bits,
       [](const Call& c) {
         return call(TUTORIAL_RUNG_OF(T, arithmetic_strided_fast), c, c.broadcast);
       }},
      {"rows", fits_rows,
       [](const Call& c) { return call(TUTORIAL_RUNG_OF(T, arithmetic_rows), c, c.broadcast); }},
      {"packed", is_of_shapes,
       [](const Call& c) { return call(TUTORIAL_RUNG_OF(T, arithmetic_packed), c, c.broadcast); }},
  };
}

#undef TUTORIAL_RUNG_OF

}  // namespace tutorial

// Ladder B as a list, for the test and the benchmark: which broadcasts each rung takes, and how it
// is called with one.
#pragma once

#include <string>
#include <vector>

#include "04_arithmetic/launchers/broadcast.h"

namespace tutorial {

template <class T>
struct BroadcastRung {
  std::string name;
  bool (*claims)(const Broadcast&);  ///< whether the rung takes this one
  cudaError_t (*launch)(const ArithmeticCall<T>&, const Broadcast&);
};

/// The rungs in reading order. T: float, half, __nv_bfloat16, std::int32_t, std::int64_t, and
/// std::int8_t with scales.
template <class T>
std::vector<BroadcastRung<T>> arithmetic_broadcast_rungs() {
  using Call = ArithmeticCall<T>;
  const auto claims_all = [](const Broadcast&) { return true; };
  return {
      {"one_scalar", is_one_scalar,
       [](const Call& call, const Broadcast& broadcast) {
         return arithmetic_one_scalar(call, broadcast.elements, is_first_shorter(broadcast));
       }},
      {"one_dimension", is_one_dimension,
       [](const Call& call, const Broadcast& broadcast) {
         const Broadcast merged = merge_dimensions(broadcast);
         return arithmetic_one_dimension(call, merged.elements, merged.extent[1],
                                         is_first_shorter(merged));
       }},
      {"one_not_broadcast", is_one_not_broadcast,
       [](const Call& call, const Broadcast& broadcast) {
         const Broadcast merged = merge_dimensions(broadcast);
         const int last = merged.rank - 1;
         return arithmetic_one_not_broadcast(call, merged.elements, merged.extent[last - 1],
                                             merged.extent[last], is_first_shorter(merged));
       }},
      {"one_broadcast", is_one_broadcast,
       [](const Call& call, const Broadcast& broadcast) {
         const Broadcast merged = merge_dimensions(broadcast);
         const std::int64_t inner = merged.extent[2];
         return arithmetic_one_broadcast(call, merged.elements, merged.extent[1] * inner, inner,
                                         is_first_shorter(merged));
       }},
      {"strided", claims_all, arithmetic_strided<T>},
      {"strided_merged", claims_all, arithmetic_strided_merged<T>},
      {"strided_32", fits_32_bits, arithmetic_strided_32<T>},
      {"strided_fast", fits_32_bits, arithmetic_strided_fast<T>},
      {"rows", fits_rows, arithmetic_rows<T>},
      {"packed", is_of_shapes, arithmetic_packed<T>},
  };
}

/// The reader's rung: it adds, and takes a second operand with a value for each channel.
inline BroadcastRung<half> your_arithmetic_rung() {
  const auto claims = [](const Broadcast& broadcast) {
    const Broadcast merged = merge_dimensions(broadcast);
    return is_one_not_broadcast(merged) && !is_first_shorter(merged) &&
           merged.extent[merged.rank - 1] % your_arithmetic_claims().per_thread == 0;
  };
  return {"your_arithmetic", claims,
          [](const ArithmeticCall<half>& call, const Broadcast& broadcast) {
            const Broadcast merged = merge_dimensions(broadcast);
            const int last = merged.rank - 1;
            return your_arithmetic(call.in0, call.in1, call.out, merged.elements,
                                   merged.extent[last - 1], merged.extent[last], call.stream);
          }};
}

}  // namespace tutorial

// Ladders with two inputs and one output of the same type.

#include "common/bench/binary.h"

#include "common/bench/measure.h"

namespace tutorial::bench {

namespace {

/// A case without names, launch and verify.
template <class T>
Case two_input_case() {
  Case operation = copy2_case(sizeof(T), normal_tile<T>(), reversed_tile<T>());
  operation.dtype = dtype_name<T>();
  return operation;
}

}  // namespace

template <class T>
void add_binary(const std::string& ladder, const std::string& rung, Kind kind,
                BinaryLauncher<T> launch, BinaryReference reference, double max_ulp,
                int per_thread) {
  const bool exists = launch(nullptr, nullptr, nullptr, 0, nullptr) != cudaErrorNotSupported;
  if (kind == Kind::peer && !exists) return;
  Case operation = two_input_case<T>();
  operation.ladder = ladder;
  operation.rung = rung;
  operation.kind = kind;
  operation.per_thread = per_thread;
  operation.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(static_cast<const T*>(set.inputs[0]), static_cast<const T*>(set.inputs[1]),
                  static_cast<T*>(set.output), shape.elements(), stream);
  };
  operation.verify = judge<T>(reference, max_ulp);
  add(operation);
}

template <class T>
void add_two_in_one_out_peer(const std::string& ladder) {
  Case operation = two_input_case<T>();
  operation.ladder = ladder;
  operation.rung = "copy2_" + operation.dtype;
  operation.kind = Kind::peer;
  add(operation);
}

#define TUTORIAL_INSTANTIATE(T)                                                             \
  template void add_binary(const std::string&, const std::string&, Kind, BinaryLauncher<T>, \
                           BinaryReference, double, int);                                   \
  template void add_two_in_one_out_peer<T>(const std::string&);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::bench

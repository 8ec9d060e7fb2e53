// Ladders with one input and one output of the same type.

#include "common/bench/bench.h"
#include "common/bench/measure.h"

namespace tutorial::bench {

namespace {

/// A case without names, launch and verify.
template <class T>
Case one_input_case() {
  Case operation = copy_case(sizeof(T), normal_tile<T>());
  operation.dtype = dtype_name<T>();
  return operation;
}

cudaError_t memcpy_device(const Buffers& set, std::size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(set.output, set.inputs[0], bytes, cudaMemcpyDeviceToDevice, stream);
}

template <class T>
bool exists(const UnaryLauncher<T>& launch) {
  return launch(nullptr, nullptr, 0, nullptr) != cudaErrorNotSupported;
}

}  // namespace

template <class T>
void add_unary(const std::string& ladder, const std::string& rung, Kind kind,
               UnaryLauncher<T> launch, Reference reference, double max_ulp, int per_thread) {
  if (kind == Kind::peer && !exists<T>(launch)) return;
  Case operation = one_input_case<T>();
  operation.ladder = ladder;
  operation.rung = rung;
  operation.kind = kind;
  operation.per_thread = per_thread;
  operation.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(static_cast<const T*>(set.inputs[0]), static_cast<T*>(set.output),
                  shape.elements(), stream);
  };
  operation.verify = judge<T>(reference, max_ulp);
  add(operation);
}

template <class T>
void add_copy_peers(const std::string& ladder) {
  Case copy = one_input_case<T>();
  copy.ladder = ladder;
  copy.rung = "copy_" + copy.dtype;
  add(copy);

  Case memcpy = copy;
  memcpy.rung = "memcpy_" + copy.dtype;
  memcpy.launch = [bytes = copy.output_bytes](const Buffers& set, const Shape& shape,
                                              cudaStream_t stream) {
    return memcpy_device(set, bytes(shape), stream);
  };
  add(memcpy);
}

#define TUTORIAL_INSTANTIATE(T)                                                           \
  template void add_unary(const std::string&, const std::string&, Kind, UnaryLauncher<T>, \
                          Reference, double, int);                                        \
  template void add_copy_peers<T>(const std::string&);
TUTORIAL_FOR_ALL_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::bench

/// Ladders with one input and one output of the same type.

#include "common/bench/bench.h"
#include "common/bench/measure.h"
#include "common/proof/tiled.h"

#include <map>
#include <mutex>
#include <utility>

namespace tutorial::bench {

namespace {

using test::TiledReference;

/// The reference's outputs for the input tile of T. Computed for the first row that needs them, and
/// shared by all rungs with the same reference and bound.
template <class T>
const TiledReference<T>& tiled_reference(double (*reference)(double), double max_ulp) {
  static std::mutex mutex;
  static std::map<std::pair<double (*)(double), double>, TiledReference<T>> known;
  const std::lock_guard<std::mutex> lock(mutex);
  return known.try_emplace({reference, max_ulp}, reference, max_ulp).first->second;
}

template <class T>
std::string complaint(const TiledReference<T>& tiled, const void* bytes, std::size_t begin,
                      std::size_t count) {
  const auto* outputs = static_cast<const T*>(bytes);
  const auto first = static_cast<std::int64_t>(begin / sizeof(T));
  const std::int64_t wrong =
      tiled.first_wrong(outputs, first, static_cast<std::int64_t>(count / sizeof(T)));
  return wrong < 0 ? "" : tiled.describe(wrong, outputs[wrong - first]);
}

/// A case without names, launch and verify.
template <class T>
Case one_input_case() {
  Case operation = copy_case(sizeof(T), normal_tile<T>());
  operation.dtype = test::Format<T>::name;
  return operation;
}

cudaError_t memcpy_device(const Buffers& set, std::size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(set.output, set.inputs[0], bytes, cudaMemcpyDeviceToDevice, stream);
}

template <class T>
bool exists(const Unary<T>& launch) {
  return launch(nullptr, nullptr, 0, nullptr) != cudaErrorNotSupported;
}

}  // namespace

template <class T>
void add_unary(const std::string& ladder, const std::string& rung, Kind kind, Unary<T> launch,
               double (*reference)(double), double max_ulp, int per_thread) {
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
  operation.verify = [reference, max_ulp](const Shape&, const void* bytes, std::size_t begin,
                                          std::size_t count) {
    return complaint(tiled_reference<T>(reference, max_ulp), bytes, begin, count);
  };
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

#define TUTORIAL_INSTANTIATE(T)                                                   \
  template void add_unary(const std::string&, const std::string&, Kind, Unary<T>, \
                          double (*)(double), double, int);                       \
  template void add_copy_peers<T>(const std::string&);
TUTORIAL_INSTANTIATE(float)
TUTORIAL_INSTANTIATE(__half)
TUTORIAL_INSTANTIATE(__nv_bfloat16)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::bench

// Ladders with one or two inputs and one output of the same type.

#include "common/bench/binary.h"
#include "common/bench/measure.h"

namespace tutorial::bench {

template <class T>
void add_unary(const std::string& ladder, const std::string& rung, Kind kind,
               UnaryLauncher<T> launch, Reference reference, double max_ulp, int per_thread,
               std::size_t alignment) {
  const bool exists = launch(nullptr, nullptr, 0, nullptr) != cudaErrorNotSupported;
  if (kind == Kind::peer && !exists) return;
  Case row = copy_row<T>(1, ladder, rung, kind);
  row.per_thread = per_thread;
  row.alignment = row.out_alignment = alignment;
  row.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(set.in<T>(0), set.out<T>(), shape.elements(), stream);
  };
  row.verify = judge<T>(reference, max_ulp);
  add(row);
}

template <class T>
void add_binary(const std::string& ladder, const std::string& rung, Kind kind,
                BinaryLauncher<T> launch, BinaryReference reference, double max_ulp, int per_thread,
                std::size_t alignment) {
  const bool exists = launch(nullptr, nullptr, nullptr, 0, nullptr) != cudaErrorNotSupported;
  if (kind == Kind::peer && !exists) return;
  Case row = copy_row<T>(2, ladder, rung, kind);
  row.per_thread = per_thread;
  row.alignment = row.out_alignment = alignment;
  row.launch = [launch](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return launch(set.in<T>(0), set.in<T>(1), set.out<T>(), shape.elements(), stream);
  };
  row.verify = judge<T>(reference, max_ulp);
  add(row);
}

template <class T>
void add_copy_peers(const std::string& ladder) {
  const std::string dtype = dtype_name<T>();
  add(copy_row<T>(1, ladder, "copy_" + dtype, Kind::copy));
  Case memcpy = copy_row<T>(1, ladder, "memcpy_" + dtype, Kind::copy);
  memcpy.launch = [bytes = memcpy.output_bytes](const Buffers& set, const Shape& shape,
                                                cudaStream_t stream) {
    return cudaMemcpyAsync(set.output, set.inputs[0], bytes(shape), cudaMemcpyDeviceToDevice,
                           stream);
  };
  add(memcpy);
}

template <class T>
void add_two_in_one_out_peer(const std::string& ladder) {
  add(copy_row<T>(2, ladder, std::string("copy2_") + dtype_name<T>(), Kind::peer));
}

#define TUTORIAL_INSTANTIATE(T)                                                           \
  template void add_unary(const std::string&, const std::string&, Kind, UnaryLauncher<T>, \
                          Reference, double, int, std::size_t);                           \
  template void add_copy_peers<T>(const std::string&);
TUTORIAL_FOR_ALL_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

#define TUTORIAL_INSTANTIATE(T)                                                             \
  template void add_binary(const std::string&, const std::string&, Kind, BinaryLauncher<T>, \
                           BinaryReference, double, int, std::size_t);                      \
  template void add_two_in_one_out_peer<T>(const std::string&);
TUTORIAL_FOR_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::bench

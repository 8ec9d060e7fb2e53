// Yardsticks for operations that write less than they read, or read nothing.

#include "common/bench/mixed.h"

#include "common/bench/measure.h"
#include "common/bench/yardsticks.h"

namespace tutorial::bench {

void add_narrow_peer(const std::string& ladder, const std::string& dtype,
                     std::size_t element_bytes) {
  const std::size_t narrow = 16 / element_bytes;  // answers to a vector
  const auto a = normal_tile<float>(), b = reversed_tile<float>();
  Case operation =
      named(copy2_case(element_bytes, a, b), ladder, "bytes_" + dtype, dtype, Kind::peer);
  operation.output_bytes = bytes_of<unsigned char>(every_element);
  operation.launch = [narrow](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return narrow_128bit(set.inputs[0], set.inputs[1], set.output,
                         static_cast<std::size_t>(shape.elements()) / narrow,
                         static_cast<int>(narrow), stream);
  };
  operation.verify = must_be<unsigned char>([a, b, narrow](const Shape& shape, std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    if (index / narrow >= static_cast<std::size_t>(shape.elements()) / narrow) {
      return static_cast<unsigned char>(0xff);  // elements that fill no vector are left out
    }
    unsigned byte = 0;
    for (std::size_t k = index % narrow; k < 16; k += narrow) {
      const std::size_t at = index / narrow * 16 + k;
      byte ^= static_cast<unsigned>((*a)[at % a->size()] ^ (*b)[at % b->size()]);
    }
    return static_cast<unsigned char>(byte);
  });
  add(operation);
}

Case fill_case(std::function<std::size_t(const Shape&)> bytes,
               cudaError_t (*fill)(void*, std::size_t, cudaStream_t)) {
  Case operation{};
  operation.launch = [bytes, fill](const Buffers& set, const Shape& shape, cudaStream_t stream) {
    return fill(set.output, bytes(shape), stream);
  };
  operation.output_bytes = std::move(bytes);
  operation.verify = must_be<unsigned char>(
      [](const Shape&, std::int64_t) { return static_cast<unsigned char>(1); });
  return operation;
}

void add_fill_peers(const std::string& ladder) {
  const auto bytes = bytes_of<unsigned char>(every_element);
  add(named(fill_case(bytes, write_128bit), ladder, "fill_u8", "u8", Kind::peer));
  add(named(fill_case(bytes, fill_memset), ladder, "memset_u8", "u8", Kind::peer));
}

}  // namespace tutorial::bench

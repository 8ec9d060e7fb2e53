// Parts of a Case: its buffers, and outputs that must have given bits (those within an error are measure.h's
// to judge). And the yardsticks of operations whose inputs and output differ in type or in length.
#pragma once

#include "common/bench/bench.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace tutorial::bench {

/// How many elements a buffer has at a shape.
using Elements = std::function<std::int64_t(const Shape&)>;

/// Every element of the shape, for a buffer that is not broadcast.
inline std::int64_t every_element(const Shape& shape) { return shape.elements(); }

/// The bytes of `elements` elements of T.
template <class T>
std::function<std::size_t(const Shape&)> bytes_of(const Elements& elements) {
  return [elements](const Shape& shape) {
    return static_cast<std::size_t>(elements(shape)) * sizeof(T);
  };
}

/// The bytes of the values, for inputs to repeat.
template <class T>
std::shared_ptr<const std::vector<unsigned char>> tile_of(const std::vector<T>& values) {
  const auto tile = std::make_shared<std::vector<unsigned char>>(values.size() * sizeof(T));
  std::memcpy(tile->data(), values.data(), tile->size());
  return tile;
}

/// An input of `elements` elements that repeats `values`.
template <class T>
Input input_of(const std::vector<T>& values, const Elements& elements) {
  return {tile_of(values), bytes_of<T>(elements)};
}

namespace detail {
/// The bits of a value, so that two NaNs can be compared.
template <class T>
std::array<unsigned char, sizeof(T)> bytes_in(const T& value) {
  std::array<unsigned char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
}  // namespace detail

/// A verify's answer where element `index` of the output is not what it must be.
template <class Index>
std::string wrong(Index index) {
  return "element " + std::to_string(index) + " is wrong";
}

/// A Case's verify: output element i must have the bits of expected(shape, i). Several threads call
/// `expected` at once.
template <class T, class Expected>
auto must_be(Expected expected) {
  return [expected](const Shape& shape, const void* bytes, std::size_t begin, std::size_t count) {
    const auto* outputs = static_cast<const T*>(bytes);
    const auto first = static_cast<std::int64_t>(begin / sizeof(T));
    for (std::size_t i = 0; i < count / sizeof(T); ++i) {
      const std::int64_t index = first + static_cast<std::int64_t>(i);
      if (detail::bytes_in(expected(shape, index)) != detail::bytes_in(outputs[i])) {
        return wrong(index);
      }
    }
    return std::string();
  };
}

/// A Case's verify: the output repeats the elements of make(), bit for bit; integers may be `most_off`
/// from them. They are made when the first row is judged, as most runs filter most rows away.
template <class T>
auto must_repeat(std::function<std::vector<T>()> make, int most_off = 0) {
  const auto once = std::make_shared<std::once_flag>();
  const auto tile = std::make_shared<std::vector<T>>();
  const auto is_right = [=](const T& output, const T& expected) {
    if constexpr (std::is_integral_v<T>) {
      const std::int64_t off = std::int64_t{output} - std::int64_t{expected};
      return -most_off <= off && off <= most_off;
    } else {
      return detail::bytes_in(output) == detail::bytes_in(expected);
    }
  };
  return [=](const Shape&, const void* bytes, std::size_t begin, std::size_t count) {
    std::call_once(*once, [&] { *tile = make(); });
    const auto* outputs = static_cast<const T*>(bytes);
    const std::size_t first = begin / sizeof(T);
    for (std::size_t i = 0, at = first % tile->size(); i < count / sizeof(T); ++i) {
      if (!is_right(outputs[i], (*tile)[at])) return wrong(first + i);
      if (++at == tile->size()) at = 0;
    }
    return std::string();
  };
}

/// An operation that writes the value 1 to each of `bytes` bytes: fill(output, bytes, stream).
Case fill_case(std::function<std::size_t(const Shape&)> bytes,
               cudaError_t (*fill)(void*, std::size_t, cudaStream_t));

/// Registers `bytes_<dtype>`, the yardstick of an operation that reads two arrays of `element_bytes`
/// bytes per element (2 to 8) and writes one byte for each: the kernel of narrow_128bit(), which
/// moves the same bytes with just enough arithmetic that the compiler cannot remove a load.
void add_narrow_peer(const std::string& ladder, const std::string& dtype,
                     std::size_t element_bytes);

/// Registers the yardsticks of an operation that only writes, one byte per element: `fill_u8`, a
/// kernel of 16-byte stores, and `memset_u8`, cudaMemsetAsync.
void add_fill_peers(const std::string& ladder);

}  // namespace tutorial::bench

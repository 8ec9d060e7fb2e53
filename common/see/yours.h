// The reader's rung as a case of a benchmark.
#pragma once

#include "common/bench/bench.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tutorial::see {

struct Yours {
  bench::Case operation;
  RungClaims claims;
  bool in_place = false;   ///< the output's type is that of the inputs
  std::size_t out_bytes;   ///< of an element of the output
  const char* size = "n";  ///< what a shape's columns are called in the sentences
  const char* more = "";   ///< what the sentences say behind them
};

/// Defined for each chapter.
Yours yours();

/// An operation whose arrays have `elements` elements for each column; but the last input, if there are two
/// and `elements` is not 1, has one.
template <class In, class Out, class Launch>
Yours yours_of(std::size_t inputs, std::int64_t elements, const RungClaims& claims, Launch launch) {
  const auto bytes_of = [](std::int64_t each, std::size_t size) {
    return [=](const bench::Shape& shape) {
      return static_cast<std::size_t>(each * shape.columns) * size;
    };
  };
  Yours rung{{}, claims, std::is_same_v<In, Out>, sizeof(Out)};
  rung.operation.output_bytes = bytes_of(elements, sizeof(Out));
  for (std::size_t i = 0; i < inputs; ++i) {
    rung.operation.inputs.push_back({nullptr, bytes_of(i == 0 ? elements : 1, sizeof(In))});
  }
  rung.operation.launch = [launch](const bench::Buffers& set, const bench::Shape& shape,
                                   cudaStream_t stream) {
    const auto* const a = static_cast<const In*>(set.inputs.front());
    const auto* const b = static_cast<const In*>(set.inputs.back());
    return launch(a, b, static_cast<Out*>(set.output), shape.columns, stream);
  };
  return rung;
}

template <class T>
Yours yours_of(const UnaryRung<T>& rung) {
  return yours_of<T, T>(
      1, 1, {rung.width, rung.alignment, rung.max_ulp},
      [launch = rung.launch](const T* x, const T*, T* y, std::int64_t n, cudaStream_t stream) {
        return launch(x, y, n, stream);
      });
}

template <class In, class Out>
Yours yours_of(cudaError_t (*launch)(const In*, const In*, Out*, std::int64_t, cudaStream_t),
               const RungClaims& claims) {
  return yours_of<In, Out>(2, 1, claims, launch);
}

/// Of three images of `channels` planes of 16 elements, and a value for each channel.
template <class In, class Out>
Yours yours_of(cudaError_t (*launch)(const In*, const In*, Out*, std::int64_t n,
                                     std::int64_t channels, std::int64_t pixels, cudaStream_t),
               const RungClaims& claims) {
  constexpr std::int64_t kImages = 3, kPixels = 16;
  Yours rung = yours_of<In, Out>(
      2, kImages * kPixels, claims,
      [launch](const In* x, const In* b, Out* y, std::int64_t channels, cudaStream_t stream) {
        return launch(x, b, y, kImages * channels * kPixels, channels, kPixels, stream);
      });
  rung.size = "channels";
  rung.more = " of 16 pixels, in each of 3 images";
  return rung;
}

}  // namespace tutorial::see

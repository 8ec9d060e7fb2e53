// The program 01_elu_check: the reader's rung under the checks.
#pragma once

#include "common/rung.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

//   01_elu_check [yours]    exit code 0: nothing was found; 1: something was; 3: a loop was stopped;
//                           2: the claims or the arguments mean nothing
//
// What is found is printed as `check: FILE:LINE: sentence`, and below it the line of the source.

namespace tutorial::check {

/// A launcher with the types of its pointers hidden: bytes of an element of each input, and of the
/// output.
struct Rung {
  std::vector<std::size_t> inputs;
  std::size_t output;
  bool in_place;  ///< the output's type is that of the inputs
  std::function<cudaError_t(const std::vector<const void*>& inputs, void* output, std::int64_t n)>
      launch;
  const char* size = "n";  ///< what n is called in the sentences
  const char* more = "";   ///< what the sentences say behind it
};

template <class In, class Out>
Rung rung_of(cudaError_t (*launch)(const In*, Out*, std::int64_t, cudaStream_t)) {
  return {{sizeof(In)},
          sizeof(Out),
          std::is_same_v<In, Out>,
          [launch](const std::vector<const void*>& in, void* out, std::int64_t n) {
            return launch(static_cast<const In*>(in[0]), static_cast<Out*>(out), n, nullptr);
          }};
}

template <class In, class Out>
Rung rung_of(cudaError_t (*launch)(const In*, const In*, Out*, std::int64_t, cudaStream_t)) {
  return {{sizeof(In), sizeof(In)},
          sizeof(Out),
          std::is_same_v<In, Out>,
          [launch](const std::vector<const void*>& in, void* out, std::int64_t n) {
            return launch(static_cast<const In*>(in[0]), static_cast<const In*>(in[1]),
                          static_cast<Out*>(out), n, nullptr);
          }};
}

/// Of three images of `channels` planes of 16 elements, and a value for each channel: n is that of
/// the channels, and three planes are an element.
template <class In, class Out>
Rung rung_of(cudaError_t (*launch)(const In*, const In*, Out*, std::int64_t n,
                                   std::int64_t channels, std::int64_t pixels, cudaStream_t)) {
  constexpr std::int64_t kImages = 3, kPixels = 16;
  return {{kImages * kPixels * sizeof(In), sizeof(In)},
          kImages * kPixels * sizeof(Out),
          std::is_same_v<In, Out>,
          [launch](const std::vector<const void*>& in, void* out, std::int64_t channels) {
            return launch(static_cast<const In*>(in[0]), static_cast<const In*>(in[1]),
                          static_cast<Out*>(out), kImages * channels * kPixels, channels, kPixels,
                          nullptr);
          },
          "channels",
          " of 16 pixels, in each of 3 images"};
}

/// main(): launches the rung at the sizes around its packs and blocks, aligned as it claims and no
/// more, in place, in both thread orders.
int check_yours(int argc, char** argv, const Rung& rung, const RungClaims& claims);

template <class T>
int check_yours(int argc, char** argv, const UnaryRung<T>& rung) {
  const auto launch = [&rung](const std::vector<const void*>& in, void* out, std::int64_t n) {
    return rung.launch(static_cast<const T*>(in[0]), static_cast<T*>(out), n, nullptr);
  };
  return check_yours(argc, argv, {{sizeof(T)}, sizeof(T), true, launch},
                     {rung.width, rung.alignment, rung.max_ulp});
}

}  // namespace tutorial::check

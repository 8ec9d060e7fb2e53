// A rung of a ladder and what it claims. The test holds it to that, the benchmark times it, and the
// README prints it.
//
// Unless its header says otherwise, every launcher of every chapter keeps these promises:
//   x, y    device pointers to n elements each; y == x is allowed, any other overlap is not
//   n       any n >= 0; 0 launches nothing and succeeds
//   stream  where the kernel runs; no launcher waits for it
// and returns
//   cudaErrorInvalidValue       n < 0, or a null pointer with n > 0
//   cudaErrorMisalignedAddress  a pointer without the alignment that the rung needs
//   the launch's own error otherwise, cudaSuccess if there is none
// After an error nothing has been written.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/types.h"

namespace tutorial {

/// What a reader's rung claims of itself.
struct RungClaims {
  int per_thread;         ///< elements a thread
  std::size_t alignment;  ///< bytes that its pointers need
  double max_ulp;         ///< largest error that the test allows, in ULP of the output type
};

/// A formula in double; several threads call it at once.
using Reference = double (*)(double);
using BinaryReference = double (*)(double, double);

/// A launcher: y[i] = f(x[i]) for i in [0, n), enqueued on the stream.
template <class T>
using UnaryLauncher =
    std::function<cudaError_t(const T* x, T* y, std::int64_t n, cudaStream_t stream)>;

/// A launcher: y[i] = f(a[i], b[i]) for i in [0, n), enqueued on the stream.
template <class T>
using BinaryLauncher =
    std::function<cudaError_t(const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream)>;

template <class T>
struct UnaryRung {
  std::string name;  ///< as in the README and in the benchmark: "f16x8_pack"
  UnaryLauncher<T> launch;
  int width;              ///< elements per thread
  std::size_t alignment;  ///< bytes that x and y need; sizeof(T) if any element will do
  double max_ulp;         ///< the largest error allowed, in ULP of T, over all inputs
};

template <class T>
struct BinaryRung {
  std::string name;  ///< as in the README and in the benchmark: "swiglu_f16"
  BinaryLauncher<T> launch;
  int width;              ///< elements per thread
  std::size_t alignment;  ///< bytes that a, b and y need; sizeof(T) if any element will do
  double max_ulp;         ///< the largest error allowed, in ULP of T
};

/// An operator as a rung that takes any pointer: operator_f16.
template <class T>
UnaryRung<T> operator_rung(UnaryLauncher<T> launch, double max_ulp) {
  return {std::string("operator_") + dtype_name<T>(), std::move(launch),
          16 / static_cast<int>(sizeof(T)), sizeof(T), max_ulp};
}
template <class T>
BinaryRung<T> operator_rung(BinaryLauncher<T> launch, double max_ulp) {
  return {std::string("operator_") + dtype_name<T>(), std::move(launch),
          16 / static_cast<int>(sizeof(T)), sizeof(T), max_ulp};
}

/// A ladder's table, a row a rung, in the order of the lesson.
template <class T>
using Ladder = std::vector<UnaryRung<T>>;

/// The rung of that name; throws std::out_of_range if the ladder has none.
template <class Rung>
const Rung& rung_named(const std::string& name, const std::vector<Rung>& ladder) {
  for (const Rung& rung : ladder) {
    if (rung.name == name) return rung;
  }
  throw std::out_of_range("no rung is called " + name);
}

}  // namespace tutorial

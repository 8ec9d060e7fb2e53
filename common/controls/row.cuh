// A control from its kernel.
#pragma once

#include <string>
#include <utility>

#include "common/controls/controls.h"
#include "common/launch.cuh"

namespace tutorial::controls {

/// Of a kernel(x, y, n, extra...) or kernel(a, b, y, n, extra...) whose threads take `each` elements.
template <class T, class... Extra>
OneInput<T> row(std::string name, void (*kernel)(const T*, T*, std::int64_t, Extra...), int each,
                LaunchOptions options, Extra... extra) {
  return {std::move(name), [=](const T* x, T* y, std::int64_t n, cudaStream_t stream) {
            return launch_elements(kernel, n, each, {}, stream, options, x, y, n, extra...);
          }};
}
template <class T, class... Extra>
TwoInputs<T> row(std::string name, void (*kernel)(const T*, const T*, T*, std::int64_t, Extra...),
                 int each, LaunchOptions options, Extra... extra) {
  return {std::move(name), [=](const T* a, const T* b, T* y, std::int64_t n, cudaStream_t stream) {
            return launch_elements(kernel, n, each, {}, stream, options, a, b, y, n, extra...);
          }};
}

}  // namespace tutorial::controls

// For the worked answers that are programs: device memory, and how a program says what is wrong.
// Header only, and without Catch2: an answer has a main() of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "common/proof/seed.h"

namespace tutorial::test {

/// n elements of device memory; they begin as bytes of 0xFF, which is NaN and no answer.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t n) : n_(n) {
    if (cudaMalloc(reinterpret_cast<void**>(&data_), n * sizeof(T)) != cudaSuccess) {
      data_ = nullptr;
    } else {
      cudaMemset(data_, 0xFF, n * sizeof(T));
    }
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    cudaMemcpy(data_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  /// Waits for the device's work.
  std::vector<T> download() const {
    std::vector<T> values(n_);
    cudaDeviceSynchronize();
    cudaMemcpy(values.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  std::size_t n_;
  T* data_ = nullptr;
};

/// "y[3] = 5, expected 4": the first element that differs in value, or an empty string.
template <class T>
std::string first_difference(const std::vector<T>& y, const std::vector<T>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto actual = static_cast<float>(y[i]), right = static_cast<float>(expected[i]);
    if (actual == right) continue;
    return "y[" + std::to_string(i) + "] = " + std::to_string(actual) + ", expected " +
           std::to_string(right);
  }
  return "";
}

/// "largest error 0.5 ULP, at x = 1e-41 (expected 5e-42, got 0)".
inline std::string error_sentence(double ulp, double x, double expected, double actual) {
  std::ostringstream text;
  text << "largest error " << ulp << " ULP, at x = " << x << " (expected " << expected << ", got "
       << actual << ")";
  return text.str();
}

/// What main() returns: 0 after "right: WHAT", 1 after "wrong: WHAT". 4, which CTest shows as
/// skipped, without a GPU where one is needed.
inline int verdict(bool right, const std::string& what) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 4;
  }
  std::printf("%s: %s%s\n", right ? "right" : "wrong", what.c_str(),
              right ? "" : sizes().again().c_str());
  return right ? 0 : 1;
}

}  // namespace tutorial::test

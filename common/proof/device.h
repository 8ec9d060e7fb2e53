// The device that a test runs on, and owners for what the CUDA runtime hands out.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

// Both backends offer the same calls: on a GPU they are the CUDA runtime's, in the cpu backend the
// executor's. Failures are thrown, so that a test that forgets to check still fails.

namespace tutorial::test {

#if defined(TUTORIAL_BACKEND_CUDA)
inline constexpr bool on_gpu = true;
#else
inline constexpr bool on_gpu = false;
#endif

/// Call it first in every test case that launches a kernel. Without a usable GPU it skips the test
/// case, or fails it if the environment says TUTORIAL_REQUIRE_GPU=1. In the cpu backend the
/// executor is always there, and this does nothing.
void require_device();

/// Throws std::runtime_error "<what>: <name of the error>" unless `error` is cudaSuccess.
inline void require_success(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(error));
}

/// Device memory of exactly `bytes` bytes, aligned to 256, owned.
///
/// It ends where the allocation ends: AddressSanitizer (cpu backend) and compute-sanitizer (GPU)
/// see the first byte that is read or written past it.
class DeviceBytes {
 public:
  DeviceBytes() = default;
  explicit DeviceBytes(std::size_t bytes) : size_(bytes) {
    require_success(cudaMalloc(&data_, bytes), "cudaMalloc");
  }
  DeviceBytes(DeviceBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBytes& operator=(DeviceBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBytes() { cudaFree(data_); }

  unsigned char* data() const { return static_cast<unsigned char*>(data_); }
  std::size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Page-locked host memory for `count` values, owned: the GPU copies to and from it at full speed
/// and while the host goes on.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t count) : size_(count) {
    void* pointer = nullptr;
    require_success(cudaMallocHost(&pointer, count * sizeof(T)), "cudaMallocHost");
    data_ = static_cast<T*>(pointer);
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedBuffer() {
    if (data_ != nullptr) cudaFreeHost(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A stream that does not wait for the default stream, nor the default stream for it.
class Stream {
 public:
  Stream() {
    require_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                    "cudaStreamCreateWithFlags");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }

  cudaStream_t get() const { return stream_; }
  void synchronize() const {
    require_success(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace tutorial::test

// Device memory with canaries on both sides.
#pragma once

#include "common/proof/device.h"

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace tutorial::test {

/// `bytes` bytes of device memory that begin `offset` bytes past a 256-byte boundary, between two
/// canaries. The bytes start as 0xFF, which is NaN in every floating-point type.
///
/// A canary's bytes depend on their position and differ from buffer to buffer: a kernel that copies
/// one buffer's canary onto another's is noticed too.
class GuardedBytes {
 public:
  /// Large enough that a launch whose blocks forget their bound check stays inside.
  static constexpr std::size_t canary_bytes = 32 * 1024;

  GuardedBytes(std::size_t bytes, std::size_t offset);

  unsigned char* data() const { return memory_.data() + front_; }
  std::size_t size() const { return bytes_; }

  /// These wait for all of the device's work, before and after.
  void upload(const void* host);
  void download(void* host) const;

  /// Which canary was written to, and how far from the data; empty if none was.
  std::string damage() const;

  /// True if every byte of the data still is the 0xFF that it started with.
  bool untouched() const;

 private:
  std::size_t bytes_;
  std::size_t front_;  // length of the front canary
  unsigned serial_;
  DeviceBytes memory_;
};

/// GuardedBytes for `n` elements of T, beginning `offset_elements` elements past a 256-byte
/// boundary.
template <class T>
class GuardedBuffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>,
                "elements are copied as bytes; use unsigned char for bool, vector<bool> is packed");

 public:
  explicit GuardedBuffer(std::size_t n, std::size_t offset_elements = 0)
      : bytes_(n * sizeof(T), offset_elements * sizeof(T)) {}
  explicit GuardedBuffer(const std::vector<T>& values, std::size_t offset_elements = 0)
      : GuardedBuffer(values.size(), offset_elements) {
    upload(values);
  }

  T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
  std::size_t size() const { return bytes_.size() / sizeof(T); }

  /// Throws std::invalid_argument unless there are size() values.
  void upload(const std::vector<T>& values) {
    if (values.size() != size()) throw std::invalid_argument("upload: wrong number of values");
    bytes_.upload(values.data());
  }

  std::vector<T> download() const {
    std::vector<T> values(size());
    bytes_.download(values.data());
    return values;
  }

  bool intact() const { return damage().empty(); }
  std::string damage() const { return bytes_.damage(); }
  bool untouched() const { return bytes_.untouched(); }

 private:
  GuardedBytes bytes_;
};

}  // namespace tutorial::test

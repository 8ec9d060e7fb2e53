// A buffer of the device that a checked launch gets.
#pragma once

#include "common/executor/device_memory.h"

#include <cstddef>
#include <vector>

namespace tutorial::see {

/// Exactly `bytes` bytes, `offset` past a boundary of 256.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes, std::size_t offset = 0)
      : bytes_(bytes), data_(cpu::DeviceMemory::instance().allocate(bytes, offset)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cpu::DeviceMemory::instance().release(data_); }

  /// Repeats the tile from the beginning to the end.
  void fill(const std::vector<unsigned char>& tile) {
    for (std::size_t i = 0; i < bytes_; ++i) data()[i] = tile[i % tile.size()];
  }

  unsigned char* data() const { return static_cast<unsigned char*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

}  // namespace tutorial::see

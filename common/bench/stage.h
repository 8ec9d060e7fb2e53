// The device memory that rows run on, and the comparison of their output with the reference.
#pragma once

#include "common/bench/bench.h"
#include "common/bench/shapes.h"
#include "common/proof/device.h"

#include <string>
#include <vector>

namespace tutorial::bench {

/// The bytes that one launch must move: all of its inputs and its output, once.
std::size_t bytes_moved(const Case& operation, const Shape& shape);

/// The device's free memory; on the executor, the host's.
std::size_t free_bytes();

/// Bytes in words: "4.3 GB".
std::string amount(std::size_t bytes);

/// One allocation that all rows share: allocating gigabytes for each of hundreds of rows would take
/// longer than timing them.
class Stage {
 public:
  /// The stage of this process.
  static Stage& instance();

  /// Lays the operation's sets of buffers out, fills every input with its tile and every output
  /// with NaN. cold: as many sets as exceed the L2 four times, two at least. warm: one. Throws
  /// std::runtime_error with one sentence if they do not fit into the memory.
  void prepare(const Case& operation, const Shape& shape, Regime regime);

  /// Launches once on the first set and compares the whole output with the reference. Throws
  /// std::runtime_error that says what is wrong.
  void verify(const Case& operation, const Shape& shape);

  const std::vector<Buffers>& sets() const { return sets_; }
  cudaStream_t stream() const { return stream_.get(); }

 private:
  Stage();
  void lay_out(const Case& operation, const Shape& shape, std::size_t count);
  void fill(const Case& operation, const Shape& shape);
  std::string first_complaint(const Case& operation, const Shape& shape);

  std::size_t l2_bytes_;
  test::DeviceBytes memory_;
  std::vector<Buffers> sets_;
  test::PinnedBuffer<unsigned char> host_;  // receives outputs piece by piece for the comparison
  test::Stream stream_;
};

}  // namespace tutorial::bench

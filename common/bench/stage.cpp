// The device memory that rows share, and the check of their outputs.

#include "common/bench/stage.h"
#include "common/bench/replay.h"
#include "common/proof/parallel.h"
#include "common/proof/tiled.h"

#include <algorithm>
#include <iomanip>
#include <mutex>
#include <sstream>
#include <stdexcept>

namespace tutorial::bench {

using test::require_success;

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kHostBytes = std::size_t{64} << 20;
constexpr std::size_t kL2Multiple = 4;

std::size_t aligned_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// The bytes that one set of buffers takes.
std::size_t set_bytes(const Case& operation, const Shape& shape) {
  std::size_t bytes = aligned_up(operation.output_bytes(shape));
  for (const Input& input : operation.inputs) bytes += aligned_up(input.bytes(shape));
  return bytes;
}

std::size_t l2_bytes() {
  int device = 0;
  cudaDeviceProp properties{};
  require_success(cudaGetDevice(&device), "cudaGetDevice");
  require_success(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return static_cast<std::size_t>(properties.l2CacheSize);
}

std::size_t set_count(Regime regime, std::size_t set, std::size_t l2) {
  if (regime == Regime::warm) return 1;
  return std::max<std::size_t>(2, (kL2Multiple * l2 + set - 1) / set);
}

/// Asks the operation to judge `count` bytes of its output, on all cores.
std::string judged(const Case& operation, const Shape& shape, const unsigned char* bytes,
                   std::size_t begin, std::size_t count) {
  std::mutex mutex;
  std::string complaint;
  const auto granules = static_cast<std::int64_t>(aligned_up(count) / kAlignment);
  test::parallel_pieces(granules, [&](int, std::int64_t first, std::int64_t last) {
    const std::size_t from = static_cast<std::size_t>(first) * kAlignment;
    const std::size_t to = std::min(static_cast<std::size_t>(last) * kAlignment, count);
    const std::string found = operation.verify(shape, bytes + from, begin + from, to - from);
    const std::lock_guard<std::mutex> lock(mutex);
    if (complaint.empty()) complaint = found;
  });
  return complaint;
}

}  // namespace

std::size_t bytes_moved(const Case& operation, const Shape& shape) {
  std::size_t bytes = operation.output_bytes(shape);
  for (const Input& input : operation.inputs) bytes += input.bytes(shape);
  return bytes;
}

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  require_success(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

std::string amount(std::size_t bytes) {
  auto value = static_cast<double>(bytes);
  const char* const units[] = {" bytes", " kB", " MB", " GB", " TB", " PB", " EB"};
  const char* const* unit = units;
  while (value >= 999.95) {
    value /= 1000;
    ++unit;
  }
  std::ostringstream text;
  text << std::fixed << std::setprecision(unit == units ? 0 : 1) << value << *unit;
  return text.str();
}

Stage& Stage::instance() {
  // Never destroyed: at the end of the program the runtime may be gone already.
  static Stage& stage = *new Stage;
  return stage;
}

Stage::Stage() : l2_bytes_(l2_bytes()), host_(kHostBytes) {}

void Stage::prepare(const Case& operation, const Shape& shape, Regime regime) {
  lay_out(operation, shape, set_count(regime, set_bytes(operation, shape), l2_bytes_));
  fill(operation, shape);
}

void Stage::lay_out(const Case& operation, const Shape& shape, std::size_t count) {
  const std::size_t needed = count * set_bytes(operation, shape);
  if (memory_.size() < needed) {
    memory_ = test::DeviceBytes();  // free the old memory before allocating more
    const std::size_t free = free_bytes();
    if (needed > free) {
      throw std::runtime_error("its buffers need " + amount(needed) + " of memory and " +
                               amount(free) +
                               " are free; choose smaller --shapes, or leave the row out by "
                               "--benchmark_filter");
    }
    memory_ = test::DeviceBytes(needed);
  }
  sets_.clear();
  unsigned char* next = memory_.data();
  for (std::size_t i = 0; i < count; ++i) {
    Buffers set;
    for (const Input& input : operation.inputs) {
      set.inputs.push_back(next);
      next += aligned_up(input.bytes(shape));
    }
    set.output = next;
    next += aligned_up(operation.output_bytes(shape));
    sets_.push_back(set);
  }
}

void Stage::fill(const Case& operation, const Shape& shape) {
  const std::size_t set = set_bytes(operation, shape);
  for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
    const Input& input = operation.inputs[i];
    const auto offset = static_cast<const unsigned char*>(sets_[0].inputs[i]) - memory_.data();
    test::fill_with_tile(memory_.data() + offset, input.bytes(shape), input.tile->data(),
                         input.tile->size());
  }
  require_success(cudaMemset(sets_[0].output, 0xFF, operation.output_bytes(shape)), "cudaMemset");
  for (std::size_t i = 1; i < sets_.size(); ++i) {
    require_success(
        cudaMemcpy(memory_.data() + i * set, memory_.data(), set, cudaMemcpyDeviceToDevice),
        "cudaMemcpy");
  }
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void Stage::verify(const Case& operation, const Shape& shape) {
  run_once([&](std::size_t set,
               cudaStream_t stream) { return operation.launch(sets_[set], shape, stream); },
           stream());
  const std::string complaint = first_complaint(operation, shape);
  if (!complaint.empty()) throw std::runtime_error("wrong output: " + complaint);
}

std::string Stage::first_complaint(const Case& operation, const Shape& shape) {
  const auto* output = static_cast<const unsigned char*>(sets_[0].output);
  const std::size_t bytes = operation.output_bytes(shape);
  for (std::size_t begin = 0; begin < bytes; begin += kHostBytes) {
    const std::size_t count = std::min(kHostBytes, bytes - begin);
    require_success(cudaMemcpy(host_.data(), output + begin, count, cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
    std::string complaint = judged(operation, shape, host_.data(), begin, count);
    if (!complaint.empty()) return complaint;
  }
  return "";
}

}  // namespace tutorial::bench

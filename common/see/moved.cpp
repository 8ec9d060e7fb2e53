// Which bytes kernels move: the cases of a program, traced one by one.

#include "common/see/moved.h"

#include "common/refusal.h"
#include "common/trace/recorder.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace tutorial::trace {

namespace {

constexpr double kMost = 1.02;

std::uint64_t moved_by(const MovedCase& one) {
  Recorder& recorder = Recorder::instance();
  recorder.start({}, -1);
  const cudaError_t error = one.call();
  recorder.stop();
  if (error != cudaSuccess) throw std::runtime_error(one.name + ": " + last_refusal());
  std::uint64_t sectors = 0;
  for (const LaunchRecord& launch : recorder.launches()) {
    sectors += launch.loaded_sectors + launch.stored_sectors;
  }
  return sectors * kSectorBytes;
}

}  // namespace

void* MovedCase::memory(std::int64_t bytes) {
  void* pointer = nullptr;
  if (cudaMalloc(&pointer, static_cast<std::size_t>(bytes)) != cudaSuccess) {
    throw std::runtime_error("no memory");
  }
  return pointer;
}

void MovedCase::need(const void* first, std::int64_t rows, std::int64_t row_bytes,
                     std::int64_t pitch_bytes) {
  std::uint64_t next = 0;  // sector that is not counted yet
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto begin =
        reinterpret_cast<std::uintptr_t>(first) + static_cast<std::uintptr_t>(row * pitch_bytes);
    const std::uint64_t end =
        (begin + static_cast<std::uintptr_t>(row_bytes) + kSectorBytes - 1) / kSectorBytes;
    needed += (end - std::max<std::uint64_t>(begin / kSectorBytes, next)) * kSectorBytes;
    next = end;
  }
}

int judge_moved(const std::vector<MovedCase>& cases) {
  Recorder::watch();
  int result = 0;
  for (const MovedCase& one : cases) {
    const double ratio = static_cast<double>(moved_by(one)) / static_cast<double>(one.needed);
    const bool right = ratio >= 1.0 && ratio <= kMost;  // less: an access was not seen
    std::printf("%-48s moves %.4f of what it needs%s\n", one.name.c_str(), ratio,
                right ? "" : ", and not between 1 and 1.02");
    if (!right) result = 1;
  }
  return result;
}

}  // namespace tutorial::trace

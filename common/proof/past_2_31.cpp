// violation_past_2_31(): a launch of more elements than a 32-bit int counts.

#include "common/proof/buffers.h"
#include "common/proof/parallel.h"
#include "common/proof/tiled.h"
#include "common/proof/unary.h"

#include <algorithm>
#include <mutex>

namespace tutorial::test {

namespace {

/// The smallest of the indices that are not -1, or -1; several threads report to it.
class FirstIndex {
 public:
  void report(std::int64_t index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (index >= 0 && (first_ < 0 || index < first_)) first_ = index;
  }
  std::int64_t get() const { return first_; }

 private:
  std::mutex mutex_;
  std::int64_t first_ = -1;
};

/// Judges `count` outputs at `host`, the first of which is y[first].
template <class T>
std::string wrong_output(const TiledReference<T>& tiled, const T* host, std::int64_t first,
                         std::int64_t count) {
  FirstIndex wrong;
  parallel_pieces(count, [&](int, std::int64_t begin, std::int64_t end) {
    wrong.report(tiled.first_wrong(host + begin, first + begin, end - begin));
  });
  return wrong.get() < 0 ? "" : tiled.describe(wrong.get(), host[wrong.get() - first]);
}

/// Brings the outputs to the host a chunk at a time and judges them.
template <class T>
std::string wrong_output(const TiledReference<T>& tiled, const T* device, std::int64_t n) {
  constexpr std::int64_t chunk = std::int64_t{1} << 24;
  const PinnedBuffer<T> host(static_cast<std::size_t>(chunk));
  for (std::int64_t first = 0; first < n; first += chunk) {
    const std::int64_t count = std::min(chunk, n - first);
    require_success(cudaMemcpy(host.data(), device + first,
                               static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
    std::string wrong = wrong_output(tiled, host.data(), first, count);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

template <class T>
std::string violation_past_2_31(const UnaryRung<T>& rung, Reference reference, std::int64_t n) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
  const TiledReference<T> tiled(reference, rung.max_ulp);
  const DeviceBytes x(bytes);
  const GuardedBytes y(bytes, 0);
  fill_with_tile(x.data(), bytes, tiled.tile().data(), tiled.tile().size() * sizeof(T));

  auto* outputs = reinterpret_cast<T*>(y.data());
  require_success(rung.launch(reinterpret_cast<const T*>(x.data()), outputs, n, nullptr), "launch");
  require_success(cudaDeviceSynchronize(), "kernel");
  if (!y.damage().empty()) return "the output was " + y.damage();
  return wrong_output<T>(tiled, outputs, n);
}

#define TUTORIAL_INSTANTIATE(T) \
  template std::string violation_past_2_31(const UnaryRung<T>&, Reference, std::int64_t);
TUTORIAL_FOR_ALL_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::test

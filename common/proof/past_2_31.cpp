// violation_past_2_31(): a launch of more elements than a 32-bit int counts.

#include "common/proof/buffers.h"
#include "common/proof/parallel.h"
#include "common/proof/tiled.h"
#include "common/proof/unary.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tutorial::test {

namespace {

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
    std::vector<std::string> wrong(static_cast<std::size_t>(host_threads()));
    parallel_pieces(count, [&](int piece, std::int64_t begin, std::int64_t end) {
      wrong[static_cast<std::size_t>(piece)] =
          tiled.complaint(host.data() + begin, first + begin, end - begin);
    });
    for (const std::string& complaint : wrong) {
      if (!complaint.empty()) return complaint;
    }
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

// What the host has waited for.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>

namespace tutorial::check {

/// Work that a call has enqueued.
struct Ticket {
  cudaStream_t stream = nullptr;
  std::uint64_t number = 0;
};

/// The order of the work in streams, as CUDA promises it: within a stream, by events, and by the default stream,
/// which waits for all others, and they for it, but those that were made to be independent of it.
class Streams {
 public:
  void is_independent(cudaStream_t stream) { independent_[stream] = true; }
  Ticket enqueue(cudaStream_t stream);
  void record(cudaEvent_t event, cudaStream_t stream);
  void wait_in_stream(cudaStream_t stream, cudaEvent_t event);

  /// The host waits.
  void wait(cudaStream_t stream);
  void wait_for(cudaEvent_t event);
  void wait_for_all();

  bool is_done(const Ticket& ticket) const;

 private:
  using Clock = std::map<cudaStream_t, std::uint64_t>;

  static void join(Clock& into, const Clock& more);
  void join_default(cudaStream_t stream);

  std::map<cudaStream_t, bool> independent_;
  std::uint64_t numbers_ = 0;
  std::map<cudaStream_t, Clock> streams_;  // what is done when all that a stream has now is done
  std::map<cudaEvent_t, Clock> events_;
  Clock host_;
};

}  // namespace tutorial::check

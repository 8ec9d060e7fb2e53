// Streams and events as clocks.

#include "common/check/streams.h"

#include <algorithm>

namespace tutorial::check {

namespace {

/// The names of the default stream.
cudaStream_t plain(cudaStream_t stream) {
  return stream == cudaStreamLegacy || stream == cudaStreamPerThread ? nullptr : stream;
}

}  // namespace

void Streams::join(Clock& into, const Clock& more) {
  for (const auto& [stream, number] : more) {
    std::uint64_t& known = into[stream];
    known = std::max(known, number);
  }
}

void Streams::join_default(cudaStream_t stream) {
  if (stream != nullptr) {
    if (independent_.count(stream) == 0) join(streams_[stream], streams_[nullptr]);
    return;
  }
  for (const auto& [other, clock] : streams_) {
    if (other != nullptr && independent_.count(other) == 0) join(streams_[nullptr], clock);
  }
}

Ticket Streams::enqueue(cudaStream_t stream) {
  stream = plain(stream);
  join_default(stream);
  return {stream, streams_[stream][stream] = ++numbers_};
}

void Streams::record(cudaEvent_t event, cudaStream_t stream) {
  stream = plain(stream);
  join_default(stream);
  events_[event] = streams_[stream];
}

void Streams::wait_in_stream(cudaStream_t stream, cudaEvent_t event) {
  join(streams_[plain(stream)], events_[event]);
}

void Streams::wait(cudaStream_t stream) {
  stream = plain(stream);
  join_default(stream);
  join(host_, streams_[stream]);
}

void Streams::wait_for(cudaEvent_t event) { join(host_, events_[event]); }

void Streams::wait_for_all() {
  for (const auto& [stream, clock] : streams_) join(host_, clock);
}

bool Streams::is_done(const Ticket& ticket) const {
  const auto known = host_.find(ticket.stream);
  return known != host_.end() && known->second >= ticket.number;
}

}  // namespace tutorial::check

// The sentences about a block's barriers and warp operations.

#include "common/executor/block_texts.h"

#include <cstdio>
#include <map>
#include <utility>

namespace tutorial::cpu {
namespace {

std::string hexadecimal(std::uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", mask);
  return text;
}

std::string name_of(const WaitingCall& call) {
  constexpr const char* kBarriers[] = {
      "__syncthreads()",    "__syncthreads_count()",      "__syncthreads_and()",
      "__syncthreads_or()", "the barrier of the cluster", "barrier_arrive()"};
  if (call.operation != nullptr) return call.operation->name;
  return kBarriers[static_cast<unsigned>(call.vote)];
}

/// "__syncthreads() in FILE:LINE"
std::string text_of(const WaitingCall& call) {
  return name_of(call) + " in " + cpu::text_of(call.where);
}

}  // namespace

std::string text_of(Where where) {
  return std::string(where.file) + ":" + std::to_string(where.line);
}

std::string text_of(dim3 index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

std::string arrived_twice(const Waiting& waiting) {
  return text_of(waiting.call) + ": thread " + waiting.thread +
         " has arrived at the one before, and called no barrier_wait() since";
}

std::string never_arrived(const std::string& thread, Where where) {
  return "barrier_wait() in " + text_of(where) + ": thread " + thread +
         " has called no barrier_arrive() before";
}

std::string divergent_barrier(const Waiting& first, const Waiting& other) {
  return "divergent barrier: thread " + first.thread + " waits at " + text_of(first.call) +
         ", thread " + other.thread + " at " + text_of(other.call) +
         "; every thread of a block that has not returned must come to the same barrier";
}

std::string outside_own_mask(const Waiting& waiting) {
  return text_of(waiting.call) + ": the calling thread " + waiting.thread + " is lane " +
         std::to_string(waiting.lane) + ", which is not in its own mask " +
         hexadecimal(waiting.call.mask);
}

std::string absent_lane(const WaitingCall& call, unsigned lane) {
  return text_of(call) + ": the mask " + hexadecimal(call.mask) + " names lane " +
         std::to_string(lane) +
         ", which takes no part: it has returned, or the block has no such thread";
}

std::string foreign_lane(const Waiting& waiting, int source) {
  return text_of(waiting.call) + ": thread " + waiting.thread + " (lane " +
         std::to_string(waiting.lane) + ") reads from lane " + std::to_string(source) +
         ", which is not in the mask " + hexadecimal(waiting.call.mask);
}

/// Names each kind of wait once, with the number of threads in it.
std::string deadlock(const std::vector<Waiting>& all) {
  std::map<std::string, std::pair<unsigned, std::string>> waits;  // where -> (threads, the first)
  for (const auto& [thread, lane, call] : all) {
    const std::string mask =
        call.operation == nullptr ? "" : " with mask " + hexadecimal(call.mask);
    const std::string what = name_of(call) + mask + " in " + text_of(call.where);
    ++waits.try_emplace(what, 0U, thread).first->second.first;
  }
  std::string text = "deadlock:";
  const char* separator = " ";
  for (const auto& [what, threads] : waits) {
    text += separator + std::to_string(threads.first) + " thread(s), the first " + threads.second +
            ", wait at " + what;
    separator = "; ";
  }
  return text + "; no thread is left that could release them";
}

}  // namespace tutorial::cpu

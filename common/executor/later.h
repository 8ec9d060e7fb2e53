// Work that is not done when the call returns: what a stream's capture records, and what a kernel enqueues.
#pragma once

#include "common/executor/block.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <functional>

namespace tutorial::cpu {

/// A launch or a copy, in the stream that it is done in at last.
using Work = std::function<cudaError_t(cudaStream_t stream)>;

// ---- Captures (graph_api.cpp) -------------------------------------------------------------------

/// As many as there are at this moment.
inline std::atomic<int> captures{0};
/// Whether the stream records; or is the default stream, which a capture forbids to use.
bool is_captured(cudaStream_t stream);
/// A call waits for the stream, or for all: whether that breaks a capture.
bool breaks_capture(const cudaStream_t* stream);
/// A call that a graph would not do again, such as an allocation ("potentially unsafe" in CUDA's words): whether
/// that breaks a capture, by the modes of captures and of this thread.
bool breaks_capture_that_forbids_it();
/// What cudaEventRecord and cudaStreamWaitEvent mean while a stream records.
void capture_records(cudaEvent_t event, cudaStream_t stream);
void joins_capture(cudaStream_t stream, cudaEvent_t event);

/// Where the program has asked for the node that is done now; nullptr: it is no node.
inline thread_local const void* asked_from = nullptr;

// ---- Work ---------------------------------------------------------------------------------------

/// Whether the work waits: for the graph's launch, or for the end of the kernel that enqueues it.
inline bool is_for_later(cudaStream_t stream) {
  return running_block != nullptr || (captures != 0 && is_captured(stream));
}

/// Keeps work that is for later.
cudaError_t keep(cudaStream_t stream, Work work);
/// Of the kernel that runs: until its last block has ended (executor.cpp).
cudaError_t keep_for_end_of_grid(cudaStream_t stream, Work work);

/// Apart, so that the copy counts as the executor's and not as the kernel's (common/check).
template <class Function>
[[gnu::noinline]] cudaError_t keep_copy(cudaStream_t stream, const Function& work) {
  return keep(stream, work);
}

template <class Function>
cudaError_t enqueue(cudaStream_t stream, const Function& work) {
  return is_for_later(stream) ? keep_copy(stream, work) : work(stream);
}

/// Makes the launch of a kernel of which a program holds a void*, with the arguments that these point to.
using Bind = Work (*)(const void* kernel, dim3 grid, dim3 block, void** arguments,
                      std::size_t shared_bytes);
/// Notes how the kernel is launched; returns it.
void* know_kernel(const void* kernel, Bind bind);

}  // namespace tutorial::cpu

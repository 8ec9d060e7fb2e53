// What a program can learn of the threads while they run: for the checks (common/check).
#pragma once

#include "common/executor/block.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tutorial::cpu {

struct Launch;

/// Is told of what orders the accesses of threads. Everything is called on the thread that runs the
/// block, so a program that watches sets one worker. Blocks of a cluster have a thread each, and take turns: what
/// is told after block_begins() or a cluster's barrier_completes() is that block's, until the next of these.
class Watcher {
 public:
  virtual ~Watcher() = default;

  /// A launch of a shape that no device accepts does not begin.
  virtual void launch_is_refused(const Launch& /*launch*/, cudaError_t /*error*/) {}
  /// Another block begins: blockIdx, blockDim and gridDim are its.
  virtual void block_begins() {}
  /// The executor has stopped the block; `report` is what it says.
  virtual void block_fails(const std::string& /*report*/) {}
  /// All threads of the block have met at a barrier, but for the `returned` ones; and, if it is the cluster's,
  /// those of its other blocks, of which some may have gone on since.
  virtual void barrier_completes(unsigned /*returned*/, bool /*of_cluster*/) {}
  /// That barrier is one in two parts, and the running thread is between them; and it is behind the second.
  virtual void arrives_at_cluster() {}
  virtual void has_waited_for_cluster() {}
  /// `lanes` of a warp have met in a warp operation. Of these __syncwarp alone orders memory.
  virtual void warp_meets(unsigned /*warp*/, std::uint32_t /*lanes*/, bool /*orders_memory*/) {}
  /// The running thread calls __syncthreads or a warp operation.
  virtual void thread_waits(Where /*where*/) {}
  /// The running thread calls wait_for_previous_grid(), reads_what_previous_grid_reads(), or
  /// let_next_grid_begin(); `place`: the address where that call returns to.
  virtual void waits_for_previous_grid() {}
  virtual void reads_what_previous_grid_reads() {}
  virtual void lets_next_grid_begin(std::uintptr_t /*place*/) {}
  /// The running thread copies to shared memory asynchronously, in a call that returns to `place`; and it has waited.
  virtual void copies_late(const void* /*to*/, std::size_t /*bytes*/, std::uintptr_t /*place*/) {}
  virtual void has_waited_for_copy(const void* /*to*/) {}
  /// The running thread launches a grid, or enqueues a copy, for the time after its own grid; the value names it.
  virtual unsigned launches(cudaStream_t /*stream*/) { return 0; }
  /// That begins; it has ended, with all that it has launched itself.
  virtual void child_begins(unsigned /*child*/) {}
  virtual void child_ends() {}
};

/// The one watcher; nullptr: none.
inline Watcher* watcher = nullptr;

/// What common/launch.cuh calls in a kernel.
void waits_for_previous_grid();
void reads_what_previous_grid_reads();
void lets_next_grid_begin();

}  // namespace tutorial::cpu

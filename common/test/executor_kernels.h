// Launchers of kernels that do what a kernel must not do, and of some that show how the executor
// runs them. All of them return the launch's error.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace tutorial::test {

// ---- Broken kernels -----------------------------------------------------------------------------

/// One block of 64 threads that waits at two different barriers, by the parity of the thread.
cudaError_t run_divergent_barrier();

/// The same, with __syncthreads() here and __syncthreads_count() there.
cudaError_t run_divergent_votes();

/// Lane 0 waits at __syncthreads(), the other lanes of its warp for lane 0 at __syncwarp().
cudaError_t run_deadlock();

/// Two halves of a warp shuffle with a mask that names both, but one half with __shfl_up_sync.
cudaError_t run_mixed_shuffles();

/// Half of the warp returns; the others shuffle with a full mask.
cudaError_t run_shuffle_with_returned_lanes();

/// Half of the warp shuffles with a full mask; then the others return.
cudaError_t run_shuffle_before_lanes_return();

/// A block of 16 threads shuffles with a full mask.
cudaError_t run_shuffle_with_missing_lanes();

/// Lanes 0 to 15 read from lane + 16, which their mask does not name.
cudaError_t run_shuffle_from_outside_the_mask();

/// Every lane names lane 0 alone.
cudaError_t run_shuffle_outside_own_mask();

/// A shuffle with width 12.
cudaError_t run_shuffle_of_odd_width();

/// A kernel that launches a kernel; the inner launch's error goes to *error.
cudaError_t run_nested_launch(cudaError_t* error);

/// A kernel that throws std::runtime_error("no such thing").
cudaError_t run_throwing_kernel();

/// `blocks` blocks; each counts its objects on the way in and on the way out of scope, and block
/// `bad` runs into a divergent barrier while the objects are alive.
cudaError_t run_counting_objects(unsigned blocks, unsigned bad, int* alive);

/// A block of `threads` in which thread 0 writes x[n], one float past the end; with a barrier
/// before it, where `after_barrier`.
cudaError_t run_overrun(unsigned threads, bool after_barrier, float* x, std::size_t n);

/// The same for the last element of `n` floats of dynamic shared memory, plus one.
cudaError_t run_shared_overrun(std::size_t n, float* out);

// ---- How kernels are run ------------------------------------------------------------------------

/// One block of `threads`: out[i] = in[i] + what thread i - 1 (thread 0: itself) left in shared
/// memory, with the barrier in between that it needs, or without.
cudaError_t run_neighbour_sum(unsigned threads, bool with_barrier, const int* in, int* out);

/// Two warps read what thread `writer` has put into shared memory, twice; out[64 r + t] is what
/// thread t read in round r, which is r. With the barrier that keeps the writer from overwriting
/// what the other warp has yet to read, or without.
cudaError_t run_overtaking(bool with_barrier, unsigned writer, int* out);

/// The order in which `threads` threads of one block get to write, before and after a barrier.
cudaError_t run_order(unsigned threads, int* before, int* after);

/// Blocks write the number of the block that got to write before them.
cudaError_t run_block_order(unsigned blocks, int* order);

/// One block of 1024 threads: `rounds` rotations of a tile in shared memory, two barriers each.
cudaError_t run_rotations(int rounds, const int* in, int* out);

/// Threads leave one after the other: before barrier k, thread k - 1 returns. out[i] counts the
/// barriers that thread i has passed.
cudaError_t run_early_exits(unsigned threads, int* out);

/// Copies `n` floats of dynamic shared memory, which nobody wrote, to out.
cudaError_t run_uninitialised_shared(unsigned n, float* out);

/// Blocks of 64 threads, each of which looks at six slots of static shared memory (of kernels,
/// templates and lambdas) before it writes them: found[64 b + t] is how many were poisoned.
cudaError_t run_unwritten_shared(unsigned blocks, int* found);

/// Every thread of `blocks` blocks of 64 calls __syncwarp and votes; out counts the agreements.
cudaError_t run_votes_of_returned_lanes(int* out);

/// A kernel that may use `bytes` of dynamic shared memory after it has asked for it.
cudaError_t run_large_shared(std::size_t bytes);

/// Thread t keeps 8 KiB of its own across a barrier; out[t] is 1 if nobody touched it.
cudaError_t run_private_arrays(unsigned threads, int* out);

}  // namespace tutorial::test

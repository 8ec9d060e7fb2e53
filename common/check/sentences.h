// What the sentences of the checks are made of: which thread does what to which element.
#pragma once

#include "common/check/region.h"
#include "common/executor/executor.h"
#include "common/trace/hooks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tutorial::check {

/// "1 byte", "2 bytes"
std::string plural(std::uint64_t count, const std::string& one, const std::string& many = "");
/// "x[5]", or "x[8] to x[15]", of an access to the region.
std::string element_name(const Region& region, const trace::Seen& seen);

/// The kernel, as the launch spells it, or "a kernel".
std::string kernel_name(const cpu::Launch& launch);
/// The names of a kernel's parameters, as the source has them; fewer, or none, if they are not known.
std::vector<std::string> parameters_of(const cpu::Launch& launch);
/// Of a launch, or of a call that waits.
Place place_of(cpu::Where where);

/// A launch, to be named when another one runs.
struct Grid {
  std::string kernel;
  dim3 threads, blocks;

  std::string block_name(std::uint32_t block) const;  ///< "block 2", or "block (0,1,0)"
  std::string thread_name(unsigned thread, std::uint32_t block) const;  ///< "thread 5 of block 2"
};

/// The launch that runs, and of its blocks the one whose turn it is.
struct Running {
  const cpu::Launch* launch = nullptr;
  std::uint32_t block = 0;
  unsigned rank = 0, cluster_size = 1;  ///< of the block in its cluster

  bool in_clusters() const { return cluster_size > 1; }
  /// Whether it is the shared memory of another block of the cluster.
  bool is_others(const Region& region) const {
    return region.is_shared() && in_clusters() && region.rank != rank;
  }
  unsigned thread() const {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }

  Grid grid() const;
  /// "thread 5 of block 2"
  std::string thread_name() const { return grid().thread_name(thread(), block); }
  /// "thread 5 of block 2 reads "
  std::string does(const trace::Seen& seen) const;
  /// "x[5]", or "x[5] of block 2", of whose shared memory it is.
  std::string element_of(const Region& region, const trace::Seen& seen) const;
};

}  // namespace tutorial::check

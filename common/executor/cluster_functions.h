// What the kernels of common/cluster.cuh call on the executor.
#pragma once

#include "common/executor/block.h"

namespace tutorial::cpu {

/// Blocks of the calling block's cluster; 1 without one.
unsigned cluster_size();

/// Waits until all threads of the cluster's blocks that have not returned wait here.
void cluster_barrier(Where where);

/// The same in two parts: between them a thread does what needs no other block.
void cluster_arrive(Where where);
void cluster_wait(Where where);

/// The calling block's exchange begins, whose mark is in its shared memory; a second time is a fault.
void exchange_begins(std::uint64_t* mark, Where where);

/// The same place in the shared memory of block `rank` of the cluster.
void* in_block(void* shared, unsigned rank, Where where);

}  // namespace tutorial::cpu

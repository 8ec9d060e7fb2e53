// The launch shapes that every CUDA device accepts.
#pragma once

#include <cuda_runtime.h>

namespace tutorial {

/// True for a grid of 1 to 2^31-1 x 1 to 65535 x 1 to 65535 blocks of at most 1024 x 1024 x 64 and
/// 1024 threads in all. (What is left for the device to refuse is a block that needs more registers
/// or shared memory than it has.)
inline bool is_launchable(dim3 grid, dim3 block) {
  const auto within = [](unsigned value, unsigned most) { return value >= 1 && value <= most; };
  return within(grid.x, 2147483647u) && within(grid.y, 65535) && within(grid.z, 65535) &&
         within(block.x, 1024) && within(block.y, 1024) && within(block.z, 64) &&
         block.x * block.y * block.z <= 1024;
}

}  // namespace tutorial

// What a launch of a kernel may ask for, where cudaFuncSetAttribute decides.
#pragma once

#include <cstddef>

namespace tutorial::cpu {

/// Dynamic shared memory in bytes per block: what every kernel may use, and what one may that has asked for it by
/// cudaFuncAttributeMaxDynamicSharedMemorySize. The second is that of compute capability 9.0 and 10.0.
inline constexpr std::size_t kSharedBytes = 48 * 1024;
inline constexpr std::size_t kSharedBytesOptIn = 227 * 1024;

/// Blocks of a cluster, likewise; the second by cudaFuncAttributeNonPortableClusterSizeAllowed.
inline constexpr unsigned kClusterBlocks = 8, kClusterBlocksOptIn = 16;

/// The limits of this kernel.
std::size_t dynamic_shared_limit(const void* kernel);
unsigned cluster_limit(const void* kernel);

}  // namespace tutorial::cpu

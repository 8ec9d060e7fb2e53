// How much dynamic shared memory a kernel may use.
#pragma once

#include <cstddef>

namespace tutorial::cpu {

/// What every kernel may use, and what a kernel may use that has asked for it through
/// cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), in bytes per
/// block. The second is that of compute capability 9.0 and 10.0.
inline constexpr std::size_t kSharedBytes = 48 * 1024;
inline constexpr std::size_t kSharedBytesOptIn = 227 * 1024;

/// The limit of this kernel.
std::size_t dynamic_shared_limit(const void* kernel);

}  // namespace tutorial::cpu

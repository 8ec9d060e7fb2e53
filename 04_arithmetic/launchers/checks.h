// What the launchers that take shapes check of their pointers, a sentence for each mistake. Host
// code.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/refusal.h"

namespace tutorial {

/// After check_operands() (common/broadcast.cuh), for kernels that need more than the alignment of
/// an element: cudaErrorMisalignedAddress for a pointer that is not a multiple of `alignment`
/// bytes.
inline cudaError_t check_alignment(std::int64_t elements, const void* in0, const void* in1,
                                   const void* out, std::size_t alignment) {
  if (elements == 0) return cudaSuccess;
  const struct {
    const char* name;
    const void* pointer;
  } all[] = {{"in0", in0}, {"in1", in1}, {"out", out}};
  for (const auto& at : all) {
    if (reinterpret_cast<std::uintptr_t>(at.pointer) % alignment != 0) {
      return refuse(cudaErrorMisalignedAddress, std::string(at.name) + " is not aligned to the " +
                                                    std::to_string(alignment) + " bytes of a pack");
    }
  }
  return cudaSuccess;
}

}  // namespace tutorial

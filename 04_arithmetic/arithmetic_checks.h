// What the launchers that take shapes check of their pointers, a sentence for each mistake. Host
// code.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/refusal.h"

namespace tutorial {

/// For `elements` > 0: cudaErrorInvalidValue for a null pointer, cudaErrorMisalignedAddress for one
/// that is not a multiple of `alignment` bytes. With elements == 0 the pointers do not matter.
inline cudaError_t check_operands(std::int64_t elements, const void* in0, const void* in1,
                                  const void* out, std::size_t alignment) {
  if (elements == 0) return cudaSuccess;
  const struct {
    const char* name;
    const void* pointer;
  } all[] = {{"in0", in0}, {"in1", in1}, {"out", out}};
  for (const auto& at : all) {
    if (at.pointer == nullptr) {
      return refuse(cudaErrorInvalidValue, std::string(at.name) + " is a null pointer");
    }
  }
  for (const auto& at : all) {
    if (reinterpret_cast<std::uintptr_t>(at.pointer) % alignment != 0) {
      return refuse(cudaErrorMisalignedAddress, std::string(at.name) + " is not aligned to " +
                                                    std::to_string(alignment) + " bytes");
    }
  }
  return cudaSuccess;
}

}  // namespace tutorial

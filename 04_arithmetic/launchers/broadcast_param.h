// From a Broadcast to what the kernels of ladder B take. Host code, no type of element in it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "common/broadcast.h"
#include "common/launch.cuh"

namespace tutorial {

struct StridedParam;
struct StridedParam32;
struct StridedParamFast;
struct Rows;

/// A factor of n, by name.
struct Factor {
  const char* name;
  std::int64_t value;
};

/// cudaErrorInvalidValue with a sentence unless n >= 0 and, where n > 0, each factor is at least 1
/// and n a multiple of their product. (A product that overflows divides nothing.)
cudaError_t check_form(std::int64_t n, std::initializer_list<Factor> factors);

/// cudaErrorInvalidValue with a sentence unless fits_32_bits().
cudaError_t check_32_bits(const Broadcast& broadcast);

StridedParam strided_param(const Broadcast& broadcast);
StridedParam32 strided_param_32(const Broadcast& merged);
StridedParamFast strided_param_fast(const Broadcast& merged);

/// What the kernel of B9 takes of a broadcast that fits_rows(), and how it is launched.
Rows rows_param(const Broadcast& merged, const void* in0, const void* in1, const void* out,
                std::size_t element_size);
LaunchShape rows_shape(const Rows& rows, int width);

/// A merged broadcast that fits_half8(), counted in groups of eight.
Broadcast in_groups_of_eight(const Broadcast& merged);

}  // namespace tutorial

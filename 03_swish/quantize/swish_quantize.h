// SwiGLU that ends in eight bits, host side: each row with a scale of its own.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/types.h"

namespace tutorial {

/// How the row's largest magnitude is known before the first element is stored.
/// - one_pass: a block, or a cluster, keeps its row in registers, and reads it once
/// - two_passes: a block reads its row twice, and computes it twice; rows of any length and address
/// - fitting: in one pass where a block holds the row, or on GPUs with clusters eight of them do (16,384 whole packs
///   of sixteen bytes, or 65,536 elements of rows that are no whole packs); two_passes where not
enum class RowPasses { one_pass, two_passes, fitting };

/// With y = swiglu(a, b): scale[r] = max |y[r]| / 448, and q[r][i] = y[r][i] / scale[r] as an E4m3, of
/// which 448 is the largest number. y ~ q scale.
///
///   a, b        `rows` rows of `columns` elements, `pitch` elements from one row to the next: columns, or
///               2 columns where a and b are the halves of one tensor's rows
///   q, scale    rows x columns, and rows; overlap neither each other nor a and b
///
/// y is not rounded before it is scaled: q is within 0.51 ULP of an E4m3 of y / scale. A row without an
/// element above 2^-90 in magnitude is scaled as if it had one. A row with an infinity or a NaN has it
/// as its scale: then q is 0 where y is finite and the scale infinite, and NaN elsewhere.
/// Errors: cudaErrorInvalidValue for a negative size, pitch < columns, rows of 2^31 or more, or a null
/// pointer where there are elements; cudaErrorMisalignedAddress for a pointer that is not aligned to its
/// element, and from one_pass for rows that do not begin at multiples of 16 bytes; one_pass also answers
/// cudaErrorInvalidValue to rows that do not fit (fits_in_registers()).
/// T: float, half, Bf16.
template <class T>
cudaError_t swiglu_quantize(const T* a, const T* b, E4m3* q, float* scale, std::int64_t rows,
                            std::int64_t columns, std::int64_t pitch, RowPasses passes,
                            cudaStream_t stream);

/// Whether a block holds such a row in its registers: four packs of sixteen bytes a thread, 1,024
/// threads, and whole packs.
template <class T>
constexpr bool fits_in_registers(std::int64_t columns) {
  constexpr std::int64_t kPack = 16 / sizeof(T);
  return columns % kPack == 0 && columns <= 4 * 1024 * kPack;
}

}  // namespace tutorial

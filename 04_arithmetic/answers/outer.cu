// The exercise of section 8: the outer sum, where both operands repeat, in packs of eight.
#include <cstdint>
#include <string>
#include <vector>

#include "common/fast_division.h"
#include "common/launch.cuh"
#include "common/macros.cuh"
#include "common/proof/answer.h"

namespace tutorial {

//! [frame]
/// The extents of the result, all but the outermost, ready for division: `extent.divmod(i)` has a
/// `quotient` and a `remainder`, and `extent.divisor()` is the extent itself.
struct Extents {
  FastDivisor channels, rows, row_packs;  // a row of W elements is W / 8 packs
};

/// y = a + b for a of (images, 1, rows, 1) and b of (1, channels, 1, W). A thread takes the pack of
/// eight results with its number; there are `packs` of them.
__global__ void outer_sum_kernel(const half* a, const half* b, half* y, unsigned packs,
                                 Extents extents) {
  //! [frame]
  //! [outer]
  const unsigned pack = blockIdx.x * blockDim.x + threadIdx.x;
  if (pack >= packs) return;
  const DivMod in_row = extents.row_packs.divmod(pack);
  const DivMod row = extents.rows.divmod(in_row.quotient);
  const DivMod channel = extents.channels.divmod(row.quotient);
  const unsigned image = channel.quotient;  // the outermost coordinate is left
  const half value = a[image * extents.rows.divisor() + row.remainder];
  alignas(16) half sum[8];
  const unsigned pack_of_b = channel.remainder * extents.row_packs.divisor() + in_row.remainder;
  LDST128BITS(sum[0]) = LDST128BITS(b[pack_of_b * 8]);
#pragma unroll
  for (int k = 0; k < 8; ++k) sum[k] = __hadd(sum[k], value);
  LDST128BITS(y[std::int64_t{pack} * 8]) = LDST128BITS(sum[0]);
  //! [outer]
}

/// What is wrong, or an empty string.
std::string wrong(unsigned images, unsigned channels, unsigned rows, unsigned columns) {
  std::vector<half> a, b, expected;
  for (unsigned i = 0; i < images * rows; ++i) a.push_back(half(static_cast<float>(i * 8)));
  for (unsigned i = 0; i < channels * columns; ++i) b.push_back(half(static_cast<float>(i)));
  for (unsigned i = 0; i < images * channels * rows * columns; ++i) {
    const unsigned column = i % columns, row = i / columns % rows;
    const unsigned channel = i / columns / rows % channels, image = i / columns / rows / channels;
    expected.push_back(
        half(static_cast<float>((image * rows + row) * 8 + channel * columns + column)));
  }
  const unsigned packs = static_cast<unsigned>(expected.size() / 8), threads = 256;
  const test::DeviceArray<half> left(a), right(b), out(expected.size());
  const Extents extents{FastDivisor(channels), FastDivisor(rows), FastDivisor(columns / 8)};
  outer_sum_kernel<<<(packs + threads - 1) / threads, threads>>>(left.data(), right.data(),
                                                                 out.data(), packs, extents);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) return cudaGetErrorString(error);
  return test::first_difference(out.download(), expected);
}

}  // namespace tutorial

int main() {
  std::string found = tutorial::wrong(2, 3, 9, 8);
  const auto drawn = [](int low, int high) {
    return static_cast<unsigned>(tutorial::test::sizes().draw(low, high));
  };
  if (found.empty()) {
    found = tutorial::wrong(drawn(1, 5), drawn(1, 9), drawn(1, 20), 8 * drawn(1, 6));
  }
  if (found.empty()) found = tutorial::wrong(5, 12, 7, 24);  // whose accesses are counted
  return tutorial::test::verdict(found.empty(), found.empty() ? "every sum in its place" : found);
}

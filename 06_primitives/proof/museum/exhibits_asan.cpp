// Runs one exhibit on buffers of exactly n elements, under AddressSanitizer and under the checks
// (common/check): the report is what the test expects. CPU executor only.
//
// Each line below names an exhibit and a part of the report that must appear.
// check: unsigned_guard: 3 past the end .x has 70 elements.*[|] if .i < left. y.first
// check: reduce_without_barrier: thread 1023 of block 0 reads tile.0., which thread 0 of block 0 writes in 06_primitives/proof/museum/exhibits.cu:[0-9]+, with no barrier.*[|] for .unsigned i = 0
// check: sort_skips_stage: Nothing was found
// asan: unsigned_guard: heap-buffer-overflow
// asan: exact_tile_on_slow_path: no memory error
// asan: sort_skips_stage: no memory error
#include "06_primitives/proof/museum/exhibits.cuh"
#include "common/proof/exhibit.h"

namespace {

using namespace tutorial::exhibits;

/// Slow, and right: there is nothing to report.
cudaError_t slow_path(const float* x, float* y, std::int64_t /*n*/, cudaStream_t stream) {
  int* slow_tiles = nullptr;
  cudaMalloc(&slow_tiles, sizeof(int));
  cudaMemset(slow_tiles, 0, sizeof(int));
  const cudaError_t error = exact_tile_on_slow_path(x, y, 1024, false, slow_tiles, stream);
  cudaFree(slow_tiles);
  return error;
}

/// 70 columns of a tile of 256. The buffers of run_exhibit() are longer, so this has its own.
void run_unsigned_guard() {
  constexpr std::int64_t n = 70;
  float* x = nullptr;
  float* y = nullptr;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  std::printf("launch: %s\n", cudaGetErrorName(unsigned_guard(x, y, n, nullptr)));
  cudaFree(x);
  cudaFree(y);
}

cudaError_t unsorted(const int* x, int* y, std::int64_t /*n*/, cudaStream_t stream) {
  return sort_skips_stage(x, y, 1024, stream);
}

cudaError_t without_barrier(const float* x, float* y, std::int64_t /*n*/, cudaStream_t stream) {
  return reduce_without_barrier(x, y, 1024, stream);
}

}  // namespace

int main(int argc, char** argv) {
  using tutorial::test::run_exhibit;
  return tutorial::test::exhibit_main(
      argc, argv,
      {
          {"unsigned_guard", [] { run_unsigned_guard(); }},
          {"exact_tile_on_slow_path", [] { run_exhibit(slow_path); }},
          {"reduce_without_barrier", [] { run_exhibit(without_barrier); }},
          {"sort_skips_stage", [] { run_exhibit(unsorted); }},  // wrong in its order alone
      });
}

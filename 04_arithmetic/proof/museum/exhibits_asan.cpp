// Runs one exhibit on buffers of exactly n elements, under AddressSanitizer: its report is what the
// test expects. CPU executor only.
//
// Each line below names an exhibit and a part of the report that must appear.
// asan: fp16_for_256_threads: out of bounds for type 'float4|buffer-overflow
// asan: fp16_with_256_threads: no memory error
#include <cuda_fp16.h>

#include "04_arithmetic/proof/museum/exhibits.cuh"
#include "common/proof/exhibit.h"

namespace {

using namespace tutorial::exhibits;

/// Two inputs of an exhibit from one: run_exhibit() knows one input.
template <int threads>
cudaError_t fp16(const half* x, half* y, std::int64_t n, cudaStream_t stream) {
  return fp16_for_256_threads(x, x, y, n, stream, threads);
}

/// Whole blocks of 512 threads with eight elements each.
template <int threads>
void run_fp16() {
  constexpr std::int64_t n = 512 * 8;
  half* x = nullptr;
  half* y = nullptr;
  cudaMalloc(&x, n * sizeof(half));
  cudaMalloc(&y, n * sizeof(half));
  cudaMemset(x, 0, n * sizeof(half));
  std::printf("launch: %s\n", cudaGetErrorName(fp16<threads>(x, y, n, nullptr)));
  cudaFree(x);
  cudaFree(y);
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::test::exhibit_main(argc, argv,
                                      {
                                          {"fp16_for_256_threads", run_fp16<512>},
                                          {"fp16_with_256_threads", run_fp16<256>},
                                      });
}

// Runs one exhibit on buffers of exactly n elements, under AddressSanitizer: its report is what the
// test expects. CPU executor only.
//
// Each line below names an exhibit and a part of the report that must appear.
// asan: f32x4_overrun: heap-buffer-overflow
// asan: f16x2_misindexed: heap-buffer-overflow
// asan: f16x8_dropped_tail: heap-buffer-overflow
// asan: f32_cancelling: no memory error
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "01_elu/exhibits.cuh"

namespace {

using tutorial::exhibits::elu_f16x2_misindexed;
using tutorial::exhibits::elu_f16x8_dropped_tail;
using tutorial::exhibits::elu_f32_cancelling;
using tutorial::exhibits::elu_f32x4_overrun;

template <class T>
void run(cudaError_t (*launcher)(const T*, T*, std::int64_t, cudaStream_t), std::int64_t n) {
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
  T* x = nullptr;
  T* y = nullptr;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemset(x, 0, bytes);
  std::printf("launch: %s\n", cudaGetErrorName(launcher(x, y, n, nullptr)));
  cudaFree(x);
  cudaFree(y);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc == 2 ? argv[1] : "";
  constexpr std::int64_t kElements = 1029;  // no multiple of 2, 4 or 8
  if (name == "f32x4_overrun") {
    run(elu_f32x4_overrun, kElements);
  } else if (name == "f16x2_misindexed") {
    run(elu_f16x2_misindexed, kElements);
  } else if (name == "f16x8_dropped_tail") {
    run(elu_f16x8_dropped_tail, kElements);
  } else if (name == "f32_cancelling") {
    run(elu_f32_cancelling, kElements);  // wrong in its digits, not in its addresses
  } else {
    std::fprintf(stderr, "usage: %s EXHIBIT (the names are in exhibits_asan.cpp)\n", argv[0]);
    return 2;
  }
  std::puts("no memory error");
  return 0;
}
